import EditingSessions
import Foundation
import Journals
import TestSupport
import Testing
import UndoHistories

#if os(Linux) || os(macOS)
  /// An editor of a page, in processes that are killed one after the other, while other programs write its file.
  @Suite(.serialized) struct EditorKillTests {
    @Test func durableEditsSurviveKillsAndStepsLeadOnlyToPagesThatWereEdited() async throws {
      let folder = try TemporaryFolder(isInMemory: true)
      let stage = try Stage(top: folder.url)
      var ledger = Ledger()
      let complaints = try await complaintsAfterKills(50) { round, isChecked, random in
        // Some kills come so early that the session is still opening.
        let moment = random.int(in: 0..<(random.chance(oneIn: 4) ? 40 : 400))
        let order = Order(round: round, seed: random.next(), moment: moment, tears: random.chance(oneIn: 2))
        await #expect(processExitsWith: .signal(SIGKILL)) { [stage = stage as Stage, order = order as Order] in
          try await stage.actUntilKilled(order)
        }
        ledger.take(try stage.takeNotes())
        if isChecked { ledger.take(await stage.openAndClose(keepsSteps: !random.chance(oneIn: 4))) }
        if random.chance(oneIn: 5) { try ledger.take(stage.writeAsAnother("theirs \(round)")) }
        return ledger.complaints
      }
      #expect(complaints == [])
      print("killed editors: \(ledger.summary)")
    }
  }

  /// The work of a process, and the moment when it is killed.
  private struct Order: Codable {
    let round: Int
    let seed: UInt64
    /// The number of the system call or log line before which the process is killed.
    let moment: Int
    /// Whether the last call, if it is a write, writes only a few bytes.
    let tears: Bool
  }

  // MARK: - The document, and the notes about its edits

  private struct Page: Codable, UndoArchivable {
    var title = ""
    var body = ""

    static let undoParts = [UndoPart<Page>("title", \.title), UndoPart("body", \.body)]
  }

  extension Page: Equatable, CustomStringConvertible {
    // Compares bytes, because equal strings may differ in composed and decomposed characters.
    static func == (a: Page, b: Page) -> Bool {
      a.title.utf8.elementsEqual(b.title.utf8) && a.body.utf8.elementsEqual(b.body.utf8)
    }

    var description: String { "\(title.debugDescription): \(body.debugDescription)" }
  }

  /// The pages that undo and redo of a history lead to, oldest first, and the position among them.
  ///
  /// Undo cannot reach the steps below a remote edit that blocks it. The history may count them until undo reaches that
  /// edit.
  private struct Trail: Codable, Equatable {
    private(set) var pages: [Page]
    private(set) var position: Int

    var page: Page { pages[position] }

    init(_ page: Page) { (pages, position) = ([page], 0) }

    /// Walks a history back to its oldest page and forward to its newest.
    init(walking history: UndoHistory<Page>) throws {
      var walk = history
      var back = [walk.currentItem]
      while walk.undo() != nil { back.append(walk.currentItem) }
      let hasObstacle = walk.blockingRemoteEdit != nil
      (pages, position) = ([walk.currentItem], back.count - 1)
      while walk.redo() != nil { pages.append(walk.currentItem) }
      let hidden = history.undoCount - position
      guard hidden == 0 || hidden > 0 && hasObstacle, pages.count + hidden == history.steps.count + 1 else {
        throw Wrong("\(history.steps.count) steps lead to \(pages.count) pages")
      }
      guard back == pages.prefix(back.count).reversed() else { throw Wrong("redo leads elsewhere than undo") }
    }

    mutating func make(_ move: Move) {
      switch move {
      case .step(let page):
        position += 1
        pages.replaceSubrange(position..., with: [page])
      case .joined(let page): if page != self.page { pages.replaceSubrange(position..., with: [page]) }
      case .go(let distance): position += distance
      case .rolledBack(let before): self = before
      }
    }
  }

  /// A change that an editor made to its trail.
  private enum Move: Codable {
    case step(Page)
    case joined(Page)
    case go(Int)
    /// A step ended where it began, so that it was not recorded. The trail is the one from before the step.
    case rolledBack(Trail)
  }

  private enum Note: Codable {
    /// The state in which an editor opened: its trail, the page of the file, whether there was a conflict, and whether
    /// it was saved.
    case opened(Trail, Page?, hasConflict: Bool, isSaved: Bool)
    case moved(Move)
    case durable
    case saving(Page)
    case saved(Page)
    /// Another program wrote the file.
    case written(Page)
    /// The steps are no longer kept.
    case forgotten
    case failed(String)
  }

  private struct Wrong: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }

  // MARK: - The editor

  /// A session that is compared with the expected trail after every action.
  @MainActor private final class Editor {
    private typealias Session = EditingSession<Page>

    private let session: Session
    private let files: Stage
    private let note: (Note) throws -> Void
    private var trail: Trail
    /// Whether the history may count steps that undo cannot reach.
    private let mayHide: Bool
    /// Whether edits were undone, so that a save may end a conflict by merging the other page.
    private var mayMerge = false

    init(_ files: Stage, in system: any FileSystem, note: @escaping (Note) throws -> Void) async throws {
      (self.files, self.note) = (files, note)
      // Small, so that the log is rewritten now and then.
      session = try await EditingSession(
        file: files.page, recovery: files.recovery, format: .json(Page.self), new: Page(), system: system,
        logByteLimit: 4_000)
      if session.recovery.setAside != nil || !session.recovery.isIntact { throw Wrong("\(session.recovery)") }
      trail = try Trail(walking: session.history)
      mayHide = session.history.undoCount > trail.position
      try note(
        .opened(trail, files.written, hasConflict: session.hasConflict, isSaved: isSaved))
      try check("opening")
    }

    private var isSaved: Bool { if case .saved = session.state { true } else { false } }
    private var isEdited: Bool { if case .edited = session.state { true } else { false } }

    func act(_ random: inout SeededRandom) async throws {
      switch random.int(in: 0..<18) {
      case 0..<3:
        let replacement = random.replacement(in: session.currentItem.body)
        try edit("typing", { replacement.apply(to: &$0.body) }) { $0.edit { replacement.apply(to: &$0) } }
      case 3..<6:
        for letter in random.text().unicodeScalars.map(String.init) {
          try edit("a key", { $0.body += letter }) { $0.edit { $0.body.append(letter) } }
        }
      case 6:
        let title = random.text()
        try edit("the title", { $0.title = title }) { $0.currentItem.title = title }
      case 7:
        let page = Page(title: random.text(), body: random.text())
        try edit("the page", { $0 = page }) { $0.currentItem = page }
      case 8: try transact(&random)
      case 9: try await drag(&random)
      case 10, 11: try move(by: -1, "undo") { $0.undo() != nil }
      case 12: try move(by: 1, "redo") { $0.redo() != nil }
      case 13:
        let position = random.int(in: 0..<trail.pages.count)
        let distance = position - trail.position
        try move(by: distance, "go") { $0.history.go(to: .step($0.history.undoCount + distance)) }
      case 14, 15:
        guard session.hasConflict else { return try await save(&random) }
        if !mayMerge { try await resolve(&random) }
      default:
        try await session.synchronize()
        try note(.durable)
      }
    }

    func close(keepsSteps: Bool) async throws {
      session.keepsSteps = keepsSteps
      try await session.close()
      if !keepsSteps, isSaved { try note(.forgotten) }
    }

    // MARK: Editing

    private func make(_ move: Move) throws {
      // The note comes first: the move is not in the log before the next suspension.
      trail.make(move)
      try note(.moved(move))
    }

    /// Makes the same edit of the session and of a plain page.
    private func edit(_ name: String, _ plain: (inout Page) -> Void, _ body: (Session) throws -> Void) throws {
      var page = trail.page
      plain(&page)
      let count = session.history.undoCount
      try body(session)
      try make(session.history.undoCount > count ? .step(page) : .joined(page))
      try check(name)
    }

    private func move(by distance: Int, _ name: String, _ body: (Session) -> Bool) throws {
      let isThere = trail.pages.indices.contains(trail.position + distance)
      guard isThere == body(session) else { throw Wrong("there is a step to \(name), or not") }
      if isThere { try make(.go(distance)) }
      if distance < 0 { mayMerge = true }
      try check(name)
    }

    /// Makes several edits in one transaction, which may be rolled back.
    private func transact(_ random: inout SeededRandom) throws {
      var page = trail.page
      let isRefused = random.chance(oneIn: 4)
      var edits: [Replacement] = []
      for _ in 0..<random.int(in: 1..<4) {
        edits.append(random.replacement(in: page.body))
        edits[edits.count - 1].apply(to: &page.body)
      }
      let title = random.chance(oneIn: 2) ? random.text() : page.title
      page.title = title
      try edit("a transaction", { if !isRefused { $0 = page } }) { session in
        struct Refusal: Error {}
        do {
          try session.edit("Command") { edit in
            for replacement in edits { replacement.apply(to: &edit) }
            edit.title.set(title)
            if isRefused { throw Refusal() }
          }
        } catch is Refusal {}
      }
    }

    /// Assigns several times while a step is open, and sometimes writes the log meanwhile.
    private func drag(_ random: inout SeededRandom) async throws {
      let (before, count) = (trail, session.history.undoCount)
      let step = session.history.beginStep("Drag")
      for number in 0..<random.int(in: 0..<4) {
        let title = "\(number) \(random.text())"
        try edit("a drag", { $0.title = title }) { $0.currentItem.title = title }
        if random.chance(oneIn: 3), (try? await session.synchronize()) != nil { try note(.durable) }
      }
      guard session.history.endStep(step) else { throw Wrong("the step was not open") }
      if session.history.undoCount == count, trail != before { try make(.rolledBack(before)) }
      try check("the end of a drag")
    }

    private func check(_ name: String) throws {
      let history = session.history
      let hidden = history.undoCount - trail.position
      guard history.currentItem == trail.page, hidden == 0 || hidden > 0 && mayHide,
        history.steps.count - hidden == trail.pages.count - 1
      else { throw Wrong("\(name) led to \(history), not to \(trail.page)") }
      guard try !isSaved || files.written == trail.page else {
        throw Wrong(
          "\(trail.page) counts as saved after \(name), and the file has \(try String(describing: files.written))")
      }
    }

    // MARK: Saving

    /// Saves, and sometimes types meanwhile.
    private func save(_ random: inout SeededRandom) async throws {
      let page = trail.page
      try note(.saving(page))
      let saving = Task { try await session.save() }
      if random.chance(oneIn: 2) {
        // Waits until the save has begun.
        await Task.yield()
        try await until(await !isEdited)
        if case .saving = session.state {
          try edit("a key beside a save", { $0.body += "x" }) { $0.edit { $0.body.append("x") } }
        }
      }
      try await saving.value
      try note(.saved(page))
      guard try files.written == page else { throw Wrong("the file does not have \(page) after a save") }
      try check("a save")
    }

    /// Resolves a conflict in one of three ways.
    private func resolve(_ random: inout SeededRandom) async throws {
      do throws(EditingSessionError) { try await session.save() } catch {
        guard case .conflict = error.reason, let theirs = try files.written else { throw error }
        let (mine, merged) = (trail.page, Page(title: random.text(), body: "merged"))
        let choices: [(Session.Resolution, Page)] = [(.mine, mine), (.theirs, theirs), (.merged(merged), merged)]
        let (resolution, page) = choices[random.int(in: 0..<3)]
        // Both steps may be in the log before the call returns.
        try step(to: theirs)
        try step(to: page)
        let isWritten = page != theirs
        if isWritten { try note(.saving(page)) }
        try await session.resolve(resolution)
        // Otherwise the file is unchanged, so nothing had to be durable before.
        if isWritten { try note(.saved(page)) }
        guard !session.hasConflict, try files.written == page else { throw Wrong("the file does not have \(page)") }
        return try check("the end of a conflict")
      }
      throw Wrong("it was saved over another program's page")
    }

    private func step(to page: Page) throws {
      if page != trail.page { try make(.step(page)) }
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

    func apply(to edit: inout UndoHistory<Page>.Editor) { edit.body.replaceSubrange(utf8: range, with: text) }
  }

  extension SeededRandom {
    /// A text of characters of several lengths, some of them in both normal forms.
    fileprivate mutating func text() -> String {
      let pieces = ["a", "b ", "\u{e9}", "e\u{301}", "가", "👩‍🚀", "\r\n", "\"", "more than fifteen bytes of text"]
      return (0..<int(in: 0..<5)).map { _ in pieces[int(in: 0..<pieces.count)] }.joined()
    }

    /// An insertion, a removal or both; a long text is only shortened.
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

  /// The files of the editor, and the log of the notes of its processes.
  private struct Stage: Codable, Sendable {
    let top: URL
    private var folder: URL { top.appending(path: "files") }
    private var log: URL { top.appending(path: "log") }
    var page: URL { folder.appending(path: "page") }
    var recovery: URL { folder.appending(path: "recovery") }

    init(top: URL) throws {
      self.top = top
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// The page in the file, or nil if there is no file.
    var written: Page? {
      get throws {
        guard FileManager.default.fileExists(atPath: page.path) else { return nil }
        return try JSONDecoder().decode(Page.self, from: Data(contentsOf: page))
      }
    }

    // MARK: In the child

    @MainActor func actUntilKilled(_ order: Order) async throws {
      var random = SeededRandom(seed: order.seed)
      let fuse = Fuse(order.moment)
      let log = try KillLog(log, fuse)
      func write(_ note: Note) throws { log.write(String(decoding: try JSONEncoder().encode(note), as: UTF8.self)) }
      let system = ScriptedFileSystem { call, _ in
        let isLast = fuse.pass()
        return isLast && order.tears && [.append, .overwrite].contains(call) ? .short(7) : nil
      }
      do {
        let editor = try await Editor(self, in: system) { try write($0) }
        for _ in 0..<10_000 { try await editor.act(&random) }
        throw Wrong("the process was not killed")
      } catch {
        try write(.failed("\(error)"))
      }
      kill(getpid(), SIGKILL)
    }

    // MARK: In the parent

    /// Returns the child's notes, and clears the log for the next child.
    func takeNotes() throws -> [Note] {
      let notes = try KillLog.lines(of: log).map { try JSONDecoder().decode(Note.self, from: Data($0.utf8)) }
      try Data().write(to: log)
      return notes
    }

    /// Opens and closes an editor that is not killed, and returns its notes.
    @MainActor func openAndClose(keepsSteps: Bool) async -> [Note] {
      var notes: [Note] = []
      do {
        let editor = try await Editor(self, in: PosixFileSystem()) { notes.append($0) }
        try await editor.close(keepsSteps: keepsSteps)
      } catch {
        notes.append(.failed("\(error)"))
      }
      return notes
    }

    /// Writes the file, as another program would.
    func writeAsAnother(_ title: String) throws -> [Note] {
      let theirs = Page(title: title)
      try JSONEncoder().encode(theirs).write(to: page)
      return [.written(theirs)]
    }
  }

  // MARK: - The states that are allowed

  /// The states that the file and the log may have.
  private struct Ledger {
    private(set) var complaints: [String] = []
    /// The last trail that is durable, and all later ones.
    private var trails = [Trail(Page())]
    /// Whether there may be no log.
    private var mayHaveNoLog = true
    private var pages: [Page?] = [nil]
    /// How many trails there were when the last save began.
    private var saveBegan = 0
    private var theirs: Page?
    private var (openings, steps, conflicts, remoteEdits) = (0, 0, 0, 0)

    var summary: String {
      "\(openings) openings with \(steps) steps, \(conflicts) conflicts, \(remoteEdits) remote edits"
    }

    mutating func take(_ notes: [Note]) {
      for note in notes {
        switch note {
        case .opened(let trail, let page, let hasConflict, let isSaved):
          takeOpening(trail, page, hasConflict: hasConflict, isSaved: isSaved)
        case .moved(let move):
          guard var trail = trails.last else { return complaints.append("no trail before \(move)") }
          trail.make(move)
          trails.append(trail)
        case .durable: keepTrails(from: trails.count - 1)
        case .saving(let page):
          pages.append(page)
          saveBegan = trails.count
        case .saved(let page):
          pages = [page]
          keepTrails(from: saveBegan - 1)
        case .written(let page): (pages, theirs) = ([page], page)
        case .forgotten: (trails, mayHaveNoLog) = ([], true)
        case .failed(let description): complaints.append(description)
        }
      }
    }

    /// Drops the trails before the one that is durable.
    ///
    /// A save makes the log durable before it writes the file.
    private mutating func keepTrails(from index: Int) {
      trails.removeFirst(max(0, index))
      (mayHaveNoLog, saveBegan) = (false, 1)
    }

    private mutating func takeOpening(_ trail: Trail, _ page: Page?, hasConflict: Bool, isSaved: Bool) {
      openings += 1
      steps += trail.pages.count - 1
      conflicts += hasConflict ? 1 : 0
      if !pages.contains(page) { complaints.append("the file has \(String(describing: page)), not one of \(pages)") }
      if hasConflict, page != theirs { complaints.append("a conflict with itself") }
      if isSaved, page != trail.page { complaints.append("\(trail.page) counts as saved") }
      pages = [page]
      if trails.contains(trail) {
        trails = [trail]
      } else if let before = trails.last(where: { hasTheirs(trail, after: $0) }) {
        remoteEdits += 1
        // The remote edit may not be in the log yet.
        trails = [before, trail]
      } else if mayHaveNoLog, trail == Trail(page ?? Page()) {
        trails = [trail]
      } else {
        complaints.append("found \(trail), not one of \(trails)")
      }
      saveBegan = trails.count
    }

    /// Whether the other program's page turns the trail `before` into `trail`.
    ///
    /// If nothing was unsaved, the page is a step. Otherwise it is applied as a remote edit: the page has a new title
    /// and no body, so at most the unsaved text remains in the body and beside the title. Steps that do not commute
    /// with the remote edit are hidden or cannot be redone.
    private func hasTheirs(_ trail: Trail, after before: Trail) -> Bool {
      var title = Array(trail.page.title.unicodeScalars)
      guard let theirs, let place = title.firstRange(of: Array(theirs.title.unicodeScalars)) else { return false }
      var reloaded = before
      reloaded.make(.step(theirs))
      if trail == reloaded { return true }
      title.removeSubrange(place)
      return isLeft(title, of: before.page.title) && isLeft(Array(trail.page.body.unicodeScalars), of: before.page.body)
        && trail.pages.count <= before.pages.count && trail.position <= before.position
    }

    /// Whether removals from `text` can leave these scalars.
    private func isLeft(_ scalars: [Unicode.Scalar], of text: String) -> Bool {
      var rest = scalars[...]
      for scalar in text.unicodeScalars where scalar == rest.first { rest.removeFirst() }
      return rest.isEmpty
    }
  }
#endif
