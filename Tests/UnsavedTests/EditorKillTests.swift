import FileChanges
import Foundation
import Journals
import TestSupport
import Testing
import UndoHistories

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

#if os(Linux) || os(macOS)
  /// An editor that keeps its document and its steps of undo in two files, in processes that are killed one after the
  /// other.
  @Suite(.serialized) struct EditorKillTests {
    /// How many processes are killed; `UNSAVED_KILLS` sets another number.
    private static let count = Int(ProcessInfo.processInfo.environment["UNSAVED_KILLS"] ?? "") ?? 50

    @Test func whatWasSavedIsThereAndNoStepLeadsToWhatNeverWas() async throws {
      let seed = ProcessInfo.processInfo.environment["UNSAVED_MODEL_SEED"].flatMap { UInt64($0) }
      var random = SeededRandom(seed: seed ?? .random(in: .min ... .max))
      print("killed editors: \(Self.count) from seed \(random.seed) (UNSAVED_MODEL_SEED repeats one)")
      let stage = try Stage(of: getpid(), isNew: true)
      defer { stage.remove() }
      var ledger = Ledger()
      for round in 1...max(1, Self.count) {
        // Often so early that the kill falls into the opening.
        let moment = random.int(in: 0..<(random.chance(oneIn: 4) ? 40 : 400))
        let tears = random.chance(oneIn: 2)
        try stage.order(Order(round: round, seed: random.next(), moment: moment, tears: tears))
        await #expect(processExitsWith: .signal(SIGKILL)) {
          try await Stage(of: getppid(), isNew: false).actUntilKilled()
        }
        var complaints = ledger.complaints(about: try stage.takeNotes())
        // Else the next process recovers, and may be killed while it does.
        if round == Self.count || random.chance(oneIn: 3) {
          complaints += try ledger.complaints(about: await stage.openAndClose()) + stage.leftovers()
        }
        #expect(complaints == [], "round \(round), seed \(random.seed)")
        if !complaints.isEmpty { break }
      }
      print("killed editors: \(ledger.summary)")
    }
  }

  /// What a process is to do, and when it is to be killed.
  private struct Order: Codable {
    let round: Int
    let seed: UInt64
    /// The system call, or the line of the log, before which it is.
    let moment: Int
    /// Whether it writes a few bytes in the call before, if that is a writing.
    let tears: Bool
  }

  // MARK: - What is edited, and what is told of it

  private struct Page: Codable, UndoArchivable {
    var title = ""
    var body = ""

    static let undoParts = [UndoPart<Page>("title", \.title), UndoPart("body", \.body)]
  }

  extension Page: Equatable, CustomStringConvertible {
    // Byte by byte: equality of strings would not tell composed from decomposed characters.
    static func == (a: Page, b: Page) -> Bool {
      a.title.utf8.elementsEqual(b.title.utf8) && a.body.utf8.elementsEqual(b.body.utf8)
    }

    var description: String { "\(title.debugDescription): \(body.debugDescription)" }
  }

  /// Every page that a history can lead to, oldest first, and where in them it is.
  private struct Trail: Codable, Equatable {
    private(set) var pages: [Page]
    private(set) var position: Int
    /// The page that is saved, as far as that is known.
    var saved: Page?

    var page: Page { pages[position] }

    init(_ page: Page) { (pages, position, saved) = ([page], 0, page) }

    /// Where the steps of a history lead, back to the oldest page and forth to the newest.
    init(walking history: UndoHistory<Page>) throws {
      var walk = history
      var back = [walk.currentItem]
      while walk.undo() != nil { back.append(walk.currentItem) }
      (pages, position) = ([walk.currentItem], back.count - 1)
      if walk.isAtSavedPoint { saved = walk.currentItem }
      while walk.redo() != nil {
        pages.append(walk.currentItem)
        if walk.isAtSavedPoint { saved = walk.currentItem }
      }
      guard position == history.undoCount, pages.count == history.steps.count + 1 else {
        throw Wrong("\(history.steps.count) steps lead to \(pages.count) pages")
      }
      guard back == pages.prefix(back.count).reversed() else { throw Wrong("redo leads elsewhere than undo") }
    }

    /// Notes an edit that was a step of its own, or has joined the one before.
    mutating func edit(to page: Page, isStep: Bool) {
      if isStep {
        position += 1
      } else if page == self.page {
        return
      }
      pages.replaceSubrange(position..., with: [page])
    }

    /// - Returns: Whether there is such a page.
    mutating func move(by distance: Int) -> Bool {
      guard pages.indices.contains(position + distance) else { return false }
      position += distance
      return true
    }

    /// Forgets the oldest pages, so that so many steps are left; never one to which only redo leads.
    mutating func keep(_ count: Int) {
      let excess = min(max(0, pages.count - 1 - count), position)
      pages.removeFirst(excess)
      position -= excess
    }
  }

  /// What the file of the page has.
  private struct Saved: Codable, Equatable {
    /// Grows with each save, so that two of the same page are not taken for each other.
    var number = 0
    var page = Page()
  }

  /// What the file of the steps has.
  private struct Kept: Codable {
    let number: Int
    let page: Page
    let archive: UndoHistory<Page>.Archive
  }

  /// What an editor found when it opened its files.
  private struct Opening: Codable {
    /// How many changes the journal had.
    let recovered: Int
    let saved: Saved
    /// The number of the archive, or 0 for none.
    let kept: Int
    /// Where the steps lead that were restored onto the page of the file; nil where they were refused.
    let steps: Trail?
    /// The same of steps that were restored onto their own page, below one that leads to the page of the file.
    let stepsBelow: Trail
  }

  private enum Note: Codable {
    case opened(Opening)
    case saving(Saved)
    case acceptedSave(Int)
    case keeping(Int, Trail)
    case acceptedSteps(Int)
    case failed(String)
  }

  private struct Wrong: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }

  // MARK: - The editor

  /// A page with its steps, saved on demand.
  private struct Editor {
    let writer: FileChangeWriter
    private let files: Stage
    private let note: (Note) throws -> Void
    private let base: FileChange.Version
    private var history: UndoHistory<Page>
    /// What the history must be.
    private var trail: Trail
    /// The newest save, until it is finished.
    private var unfinished: (save: UndoHistory<Page>.Save, saved: Saved)?
    private var number: Int

    /// Opens the files, as the article about saving does.
    ///
    /// - Parameter number: From which on saves and archives are numbered.
    init(_ files: Stage, in system: any FileSystem, number: Int, note: @escaping (Note) throws -> Void) async throws {
      (self.files, self.note, self.number) = (files, note, number)
      var configuration = FileChangeWriter.Configuration()
      // Small, so that the journal is rewritten now and then.
      configuration.journalByteLimit = 20_000
      writer = try await FileChangeWriter(
        journal: files.journal, configuration: configuration, clock: ContinuousClock(),
        random: SeededRandom(seed: 1), system: system)
      // Not whether it is intact: a kill may leave damage at the end, and no more.
      if let recovery = writer.recovery, recovery.setAside != nil { throw Wrong("\(recovery)") }
      try await writer.flush()
      base = try FileChange.Version(of: files.page)
      let saved = base == .absent ? Saved() : try Stage.read(Saved.self, files.page)
      let kept =
        try FileChange.Version(of: files.steps) == .absent ? nil : try Stage.read(Kept.self, files.steps)

      let strict = try Self.restored(kept, onto: saved.page)
      history = UndoHistory(initialValue: saved.page)
      if let kept {
        history = UndoHistory(initialValue: kept.page)
        try history.restoreSteps(from: kept.archive)
        history.transaction("Newest Changes") { $0.set(saved.page) }
      }
      trail = try Trail(walking: history)
      try note(
        .opened(
          Opening(
            recovered: writer.recovery?.changes.count ?? 0, saved: saved, kept: kept?.number ?? 0,
            steps: try strict.map(Trail.init), stepsBelow: trail)))
      history.markSaved()
      trail.saved = saved.page
    }

    /// Nil where the steps belong to another page; the history must then be as it was before.
    private static func restored(_ kept: Kept?, onto page: Page) throws -> UndoHistory<Page>? {
      var history = UndoHistory(initialValue: page)
      guard let kept else { return history }
      do {
        try history.restoreSteps(from: kept.archive)
        return history
      } catch UndoArchiveError.otherDocument {
        let trail = try Trail(walking: history)
        guard trail == Trail(page) else { throw Wrong("\(trail) although the steps were refused") }
        return nil
      }
    }

    /// Goes on as an editor does that restores steps onto their own page alone.
    mutating func insistOnThePageOfTheFile() throws {
      let kept = try FileChange.Version(of: files.steps) == .absent ? nil : try Stage.read(Kept.self, files.steps)
      let page = history.currentItem
      history = try Self.restored(kept, onto: page) ?? UndoHistory(initialValue: page)
      history.markSaved()
      trail = try Trail(walking: history)
    }

    mutating func forgetSteps(but count: Int) throws {
      history.limit = .steps(count)
      history.limit = .unlimited
      trail.keep(count)
      try check("forgetting")
    }

    mutating func act(_ random: inout SeededRandom) async throws {
      switch random.int(in: 0..<18) {
      case 0..<3:
        let replacement = random.replacement(in: history.body)
        try edit("typing", { replacement.apply(to: &$0.body) }) { replacement.apply(to: $0.edit) }
      case 3..<6:
        for letter in random.text().unicodeScalars.map(String.init) {
          try edit("a key", { $0.body += letter }) { $0.edit.body.append(letter) }
        }
      case 6:
        let title = random.text()
        try edit("the title", { $0.title = title }) { $0.edit.title = title }
      case 7:
        let page = Page(title: random.text(), body: random.text())
        try edit("the page", { $0 = page }) { $0.currentItem = page }
      case 8, 9: try transact(&random)
      case 10, 11:
        guard trail.move(by: -1) == (history.undo() != nil) else { throw Wrong("there is a step to undo, or not") }
        try check("undo")
      case 12:
        guard trail.move(by: 1) == (history.redo() != nil) else { throw Wrong("there is a step to redo, or not") }
        try check("redo")
      case 13, 14: try await save()
      case 15:
        try await save()
        try await keepSteps()
      case 16:
        try await keepSteps()
        // Else the archive is of a page that no file has.
        if random.chance(oneIn: 2) { try await save() }
      default: try await awaitWritten()
      }
    }

    // MARK: Editing

    /// Makes an edit of the history, and the same of a plain page.
    private mutating func edit(
      _ name: String, _ plain: (inout Page) -> Void, _ body: (inout UndoHistory<Page>) throws -> Void
    ) throws {
      var page = trail.page
      plain(&page)
      let count = history.undoCount
      try body(&history)
      trail.edit(to: page, isStep: history.undoCount > count)
      try check(name)
    }

    /// Makes some edits one step, or none where they are taken back.
    private mutating func transact(_ random: inout SeededRandom) throws {
      var page = trail.page
      let isRefused = random.chance(oneIn: 4)
      var edits: [Replacement] = []
      for _ in 0..<random.int(in: 1..<4) {
        edits.append(random.replacement(in: page.body))
        edits[edits.count - 1].apply(to: &page.body)
      }
      let title = random.chance(oneIn: 2) ? random.text() : page.title
      page.title = title
      try edit("a transaction", { if !isRefused { $0 = page } }) { history in
        struct Refusal: Error {}
        do {
          try history.transaction("Command") { edit in
            for replacement in edits { replacement.apply(to: edit) }
            edit.title.set(title)
            if isRefused { throw Refusal() }
          }
        } catch is Refusal {}
      }
    }

    private func check(_ name: String) throws {
      guard history.currentItem == trail.page, history.undoCount == trail.position,
        history.steps.count == trail.pages.count - 1
      else { throw Wrong("\(name) led to \(history), not to \(trail.page)") }
      guard !history.isAtSavedPoint || trail.page == trail.saved else {
        throw Wrong("\(trail.page) counts as saved after \(name), and \(String(describing: trail.saved)) is")
      }
    }

    // MARK: Saving

    private mutating func save() async throws {
      number += 1
      let saved = Saved(number: number, page: history.currentItem)
      unfinished = (history.beginSave(), saved)
      try note(.saving(saved))
      try await writer.submit(.write(JSONEncoder().encode(saved), to: files.page).based(on: base), durability: .journal)
      try note(.acceptedSave(number))
    }

    private mutating func keepSteps() async throws {
      number += 1
      let kept = Kept(number: number, page: history.currentItem, archive: try history.archive())
      try note(.keeping(number, trail))
      try await writer.submit(.write(JSONEncoder().encode(kept), to: files.steps), durability: .journal)
      try note(.acceptedSteps(number))
    }

    /// Waits until the newest save is written, and finishes it.
    private mutating func awaitWritten() async throws {
      try await writer.flush()
      guard let (save, saved) = unfinished else { return }
      unfinished = nil
      let found = try Stage.read(Saved.self, files.page)
      guard found == saved else { throw Wrong("the file has \(found) after a flush, not \(saved)") }
      guard history.finishSave(save) else { throw Wrong("the save \(saved.number) was not in flight") }
      trail.saved = saved.page
      try check("a save")
    }
  }

  /// A replacement within a text, by offsets in UTF-8.
  private struct Replacement {
    let range: Range<Int>
    let text: String

    func apply(to body: inout String) {
      let bytes = Array(body.utf8)
      body = String(decoding: bytes[..<range.lowerBound] + text.utf8 + bytes[range.upperBound...], as: UTF8.self)
    }

    func apply(to edit: borrowing UndoHistory<Page>.Editor) { edit.body.replaceSubrange(utf8: range, with: text) }
  }

  extension SeededRandom {
    /// A text of characters that are of several lengths, some of them in both normal forms.
    fileprivate mutating func text() -> String {
      let pieces = ["a", "b ", "\u{e9}", "e\u{301}", "가", "👩‍🚀", "\r\n", "\"", "more than fifteen bytes of text"]
      return (0..<int(in: 0..<5)).map { _ in pieces[int(in: 0..<pieces.count)] }.joined()
    }

    /// An insertion, a removal or both; of a long text a removal.
    fileprivate mutating func replacement(in text: String) -> Replacement {
      let scalars = Array(text.unicodeScalars)
      let isLong = scalars.count > 200
      let start = int(in: 0..<scalars.count + 1)
      let end = chance(oneIn: 3) && !isLong ? start : int(in: start..<scalars.count + 1)
      func length(_ part: ArraySlice<Unicode.Scalar>) -> Int { part.reduce(0) { $0 + UTF8.width($1) } }
      let lower = length(scalars[..<start])
      return Replacement(
        range: lower..<lower + length(scalars[start..<end]), text: isLong || chance(oneIn: 3) ? "" : self.text())
    }
  }

  // MARK: - Between the processes

  /// The files of the editor, and what the processes tell each other: a folder that parent and child find by the number
  /// of the parent.
  private struct Stage: Sendable {
    private let shared: KillFolder
    private var folder: URL { shared.top.appending(path: "files") }
    var page: FileChange.Path { FileChange.Path(folder.appending(path: "page")) }
    var steps: FileChange.Path { FileChange.Path(folder.appending(path: "page.steps")) }
    var journal: FileChange.Path { FileChange.Path(folder.appending(path: "journal")) }

    init(of process: pid_t, isNew: Bool) throws {
      shared = try KillFolder("unsaved-editor-kills", of: process, isNew: isNew)
      if isNew { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    }

    func remove() { shared.remove() }

    func order(_ order: Order) throws { try shared.give(order) }

    static func read<Contents: Decodable>(_ type: Contents.Type, _ file: FileChange.Path) throws -> Contents {
      try JSONDecoder().decode(Contents.self, from: Data(contentsOf: file.url))
    }

    // MARK: In the child

    func actUntilKilled() async throws {
      let order: Order = try shared.order()
      var random = SeededRandom(seed: order.seed)
      let fuse = Fuse(order.moment)
      let log = try FileHandle(forWritingTo: shared.log)
      func write(_ note: Note) throws { try log.write(contentsOf: JSONEncoder().encode(note) + Data("\n".utf8)) }
      let system = ScriptedFileSystem { call, _ in
        let isLast = fuse.pass()
        return isLast && order.tears && [.append, .overwrite].contains(call) ? .short(7) : nil
      }
      do {
        var editor = try await Editor(self, in: system, number: order.round * 10_000) { note in
          fuse.pass()
          try write(note)
        }
        if random.chance(oneIn: 3) { try editor.insistOnThePageOfTheFile() }
        try editor.forgetSteps(but: random.int(in: 1..<40))
        for _ in 0..<10_000 { try await editor.act(&random) }
        throw Wrong("the process has survived its moment")
      } catch {
        try write(.failed("\(error)"))
      }
      kill(getpid(), SIGKILL)
    }

    // MARK: In the parent

    /// What the child has noted; the next one begins anew.
    func takeNotes() throws -> [Note] {
      let lines = try Data(contentsOf: shared.log).split(
        separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      try Data().write(to: shared.log)
      // What stands behind the last line end the kill has cut off.
      return try lines.dropLast().map { try JSONDecoder().decode(Note.self, from: $0) }
    }

    /// What an editor finds that is not killed.
    func openAndClose() async -> [Note] {
      var notes: [Note] = []
      do {
        let editor = try await Editor(self, in: PosixFileSystem(), number: 0) { notes.append($0) }
        try await editor.writer.shutdown()
      } catch {
        notes.append(.failed("\(error)"))
      }
      return notes
    }

    func leftovers() throws -> [String] {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      return names.filter { $0 != page.url.lastPathComponent && $0 != steps.url.lastPathComponent }
        .map { "\($0) was left behind" }
    }
  }

  // MARK: - What was promised

  /// What the files may hold.
  private struct Ledger {
    private var saves = [0: Page()]
    private var newestAcceptedSave = 0
    private var trails = [0: Trail(Page())]
    private var newestAcceptedSteps = 0
    private var (openings, recovered, restored, refused) = (0, 0, 0, 0)

    var summary: String {
      "\(openings) openings, \(recovered) changes from the journal, steps restored \(restored), refused \(refused)"
    }

    mutating func complaints(about notes: [Note]) -> [String] { notes.flatMap { complaints(about: $0) } }

    private mutating func complaints(about note: Note) -> [String] {
      switch note {
      case .saving(let saved): saves[saved.number] = saved.page
      case .acceptedSave(let number): newestAcceptedSave = number
      case .keeping(let number, let trail): trails[number] = trail
      case .acceptedSteps(let number): newestAcceptedSteps = number
      case .failed(let description): return [description]
      case .opened(let opening): return complaints(about: opening)
      }
      return []
    }

    private mutating func complaints(about opening: Opening) -> [String] {
      var complaints: [String] = []
      let saved = opening.saved
      if saved.number < newestAcceptedSave {
        complaints.append("the file has save \(saved.number), and \(newestAcceptedSave) was accepted")
      }
      if saves[saved.number] != saved.page {
        complaints.append("\(saved) and not \(String(describing: saves[saved.number]))")
      }
      if opening.kept < newestAcceptedSteps {
        complaints.append("the file has steps \(opening.kept), and \(newestAcceptedSteps) were accepted")
      }
      guard let trail = trails[opening.kept] else { return complaints + ["steps \(opening.kept) were never kept"] }
      complaints += self.complaints(about: opening, that: trail)

      // Nothing newer can come any more, as everything that the journal had was written.
      (saves, newestAcceptedSave) = ([saved.number: saved.page], saved.number)
      (trails, newestAcceptedSteps) = ([opening.kept: trail], opening.kept)
      return complaints
    }

    /// - Parameter trail: Where the steps led when they were kept.
    private mutating func complaints(about opening: Opening, that trail: Trail) -> [String] {
      var complaints: [String] = []
      openings += 1
      recovered += opening.recovered
      var (strict, below) = (trail, trail)
      if opening.kept == 0 {
        // Without an archive there is a history without steps.
        (strict, below) = (Trail(opening.saved.page), Trail(opening.saved.page))
      } else if trail.page != opening.saved.page {
        below.edit(to: opening.saved.page, isStep: true)
      }
      let fits = strict.page == opening.saved.page
      if let steps = opening.steps {
        restored += steps.pages.count > 1 ? 1 : 0
        if !fits { complaints.append("the steps of \(trail.page) were restored onto \(opening.saved.page)") }
        complaints += Self.complaints(about: steps, that: strict)
      } else {
        refused += 1
        if fits { complaints.append("the steps of \(trail.page) were refused") }
      }
      return complaints + Self.complaints(about: opening.stepsBelow, that: below)
    }

    private static func complaints(about found: Trail, that trail: Trail) -> [String] {
      guard found.pages == trail.pages, found.position == trail.position else {
        return ["the steps lead to \(found.position) in \(found.pages), not \(trail.position) in \(trail.pages)"]
      }
      // The saved page may be out of reach.
      guard found.saved == nil || found.saved == trail.saved else {
        return ["\(String(describing: found.saved)) counts as saved, and \(String(describing: trail.saved)) was"]
      }
      return []
    }
  }
#endif
