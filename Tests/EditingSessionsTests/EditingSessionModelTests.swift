import EditingSessions
import Foundation
import TestSupport
import UndoHistories
import XCTest

/// Compares random sessions with a plain history: edits, saves, writes by other programs, conflicts, and reopening.
@MainActor
final class EditingSessionModelTests: XCTestCase {
  func testRandomSessionsMatchAPlainHistory() async throws {
    let (count, mergeCount) = (Counter(), Counter())
    try await withSeeds(25) { @MainActor random in
      var oracle = try await Oracle(random)
      for _ in 0..<60 where oracle.complaint == nil { try await oracle.act() }
      expectEqual(oracle.complaint, nil)
      count.next()
      mergeCount.add(oracle.mergeCount)
      try await oracle.session.close()
    }
    if count.count >= 25 { XCTAssertTrue(mergeCount.isUsed) }
  }
}

@MainActor
private struct Oracle {
  private let folder: TemporaryFolder
  private var random: SeededRandom
  var session: EditingSession<String>
  /// The expected history.
  private var history: UndoHistory<String>
  /// The text of the file, nil if there is no file; and the text that the session knows.
  private var text: String?
  private var known: String?
  /// Whether the session is sure to know that text, which the log of a closed session may have lost.
  private var isBaseKnown = true
  /// Whether the file has had the current document.
  private var isSaved = false
  /// The texts of the file and of the session at the last conflict.
  private var conflicting: (theirs: String?, mine: String)?
  private var lineCount = 0
  private(set) var mergeCount = 0
  private(set) var complaint: String?

  private var file: URL { folder.file("note.txt") }

  init(_ random: SeededRandom) async throws {
    folder = try TemporaryFolder(isInMemory: true)
    self.random = random
    session = try await EditingSession(file: folder.file("note.txt"), recovery: folder.file("recovery"), format: .text)
    history = UndoHistory(initialValue: "")
  }

  mutating func act() async throws {
    let action = random.int(in: 0..<24)
    switch action {
    case 0..<9: edit()
    case 9..<11:
      let before = history.undoCount
      session.undo()
      if history.undo() != nil || before > 0 { isSaved = false }
    case 11:
      session.redo()
      if history.redo() != nil { isSaved = false }
    case 12..<15: try await save()
    case 15..<18: try writeTheirs()
    case 18: try await resolve()
    case 19..<21: try await reopen()
    case 21..<23: try await reload()
    default:
      if random.chance(oneIn: 2) { await session.isSynchronized() }
      if session.history.recordRemoteEdit() != history.recordRemoteEdit() { complaint = "the blocking edit differs" }
    }
    check("\(action)")
  }

  private var isConflict: Bool { if case .conflict = session.state { true } else { false } }

  // MARK: Edits

  private mutating func line(_ author: String) -> String {
    lineCount += 1
    return "\(author)\(lineCount)\n"
  }

  /// The range of a random line with a line break, or an empty range at its start.
  private mutating func range(in text: String, isEmpty: Bool) -> Range<Int> {
    let lines = text.lines.filter { $0.hasSuffix("\n") }
    let index = random.int(in: 0..<(isEmpty ? lines.count + 1 : max(lines.count, 1)))
    let start = lines.prefix(index).joined().utf8.count
    return start..<start + (isEmpty || lines.isEmpty ? 0 : lines[index].utf8.count)
  }

  private mutating func edit() {
    let range = range(in: history.currentItem, isEmpty: random.chance(oneIn: 2))
    switch random.int(in: 0..<8) {
    case 0:
      let (first, last) = (line("m"), line("m"))
      func twice(_ text: inout UndoHistory<String>.Editor) {
        text.insert(first, atUTF8: 0)
        let (start, end) = (range.lowerBound + first.utf8.count, range.upperBound + first.utf8.count)
        text.replaceSubrange(utf8: start..<end, with: last)
      }
      session.edit("Twice") { twice(&$0) }
      history.transaction("Twice") { twice(&$0) }
    case 1:
      let new = line("m")
      session.currentItem = new
      history.currentItem = new
    case 2..<4:
      let letter = "\(random.int(in: 0..<10))"
      session.edit { $0.append(letter) }
      history.joiningTransaction { $0.append(letter) }
    default:
      let new = range.isEmpty || random.chance(oneIn: 3) ? line("m") : ""
      session.edit { $0.replaceSubrange(utf8: range, with: new) }
      history.joiningTransaction { $0.replaceSubrange(utf8: range, with: new) }
    }
    isSaved = false
  }

  private mutating func writeTheirs() throws {
    var theirs = text ?? ""
    if random.chance(oneIn: 6) { theirs = line("all ") }
    for _ in 0..<random.int(in: 1..<4) {
      let range = range(in: theirs, isEmpty: random.chance(oneIn: 2))
      theirs.replaceSubrange(utf8: range, with: range.isEmpty || random.chance(oneIn: 3) ? line("t") : "")
    }
    try Data(theirs.utf8).write(to: file)
    text = theirs
  }

  // MARK: Edits of the other program

  /// Whether the session must merge instead of reporting a conflict.
  private func mustMerge(_ mine: String) -> Bool {
    guard let text, !isEmptied(mine) else { return false }
    return text == known || (isBaseKnown || isSaved) && (mine == known || areApart(mine))
  }

  /// Whether another program has emptied the file, and may be about to write it.
  private func isEmptied(_ mine: String) -> Bool { text == "" && text != known && mine != "" }

  /// Whether an unchanged line lies between any two places that the two programs have changed.
  private func areApart(_ mine: String) -> Bool {
    guard let theirs = text, let known else { return false }
    // A line that was undone and written again may be there twice, and then it doesn't identify a place.
    guard [mine, theirs, known].allSatisfy({ Set($0.lines).count == $0.lines.count }) else { return false }
    // The same is true if both have made the same line, because a merge may have made it of two.
    guard Set(mine.lines).intersection(theirs.lines).isSubset(of: known.lines) else { return false }
    // If one program has moved a line, the merged text has the order of that program.
    for text in [mine, theirs] where !hasOrder(of: known, text) { return false }
    let others = places(of: theirs, in: known)
    return places(of: mine, in: known).allSatisfy { a in
      others.allSatisfy { b in stride(from: min(a, b) + 1, to: max(a, b), by: 1).contains { $0 % 2 == 1 } }
    }
  }

  /// Whether the lines that both texts have are in the same order.
  private func hasOrder(of old: String, _ new: String) -> Bool {
    let (old, new) = (old.lines, new.lines)
    return new.filter(old.contains) == old.filter(new.contains)
  }

  /// Checks how the session merged the text of another program, and applies the result to the history.
  private mutating func applyRemote(_ mine: String) {
    guard let theirs = text else { return }
    if isEmptied(mine) { complaint = complaint ?? "an emptied file was merged" }
    let merged = session.currentItem
    mergeCount += mine == (known ?? "") ? 0 : 1
    let (base, own, others, all) = ((known ?? "").lines, mine.lines, theirs.lines, merged.lines)
    func expected(_ line: String) -> Bool {
      base.contains(line) ? own.contains(line) && others.contains(line) : own.contains(line) || others.contains(line)
    }
    let lines = Set(base + own + others).filter(expected)
    // If both have changed one line, or adjacent lines, the rests of these lines may have become one line.
    if areApart(mine) {
      if Set(all) != lines || all.count != lines.count {
        complaint = complaint ?? "\(all) is made of \(own) and \(others), which come from \(base)"
      }
      for side in [own, others] where all.filter(side.contains) != side.filter(lines.contains) {
        complaint = complaint ?? "\(all) has not the order of \(side)"
      }
    }
    if mine == known, merged != theirs { complaint = complaint ?? "\(merged) is not theirs" }
    if mine == known, mine != theirs {
      history.replaceDocument(with: theirs, label: "Reload")
      history.markSaved()
    } else {
      history.applyRemote(merged, saved: true)
    }
    known = text
    isSaved = merged == theirs
    isBaseKnown = true
  }

  private mutating func save() async throws {
    let (wasConflict, mine) = (isConflict, history.currentItem)
    let isTheirs = text != known
    do throws(EditingSessionError) {
      try await session.save()
      if wasConflict, let conflicting, conflicting == (text, mine) { complaint = "a conflicting file was overwritten" }
      history.endCoalescing()
      if isTheirs { applyRemote(mine) }
      history.markSaved()
      (text, known, isSaved, isBaseKnown) = (history.currentItem, history.currentItem, true, true)
    } catch {
      guard case .conflict = error.reason else { throw error }
      conflicting = (text, mine)
      if !wasConflict, !isTheirs || mustMerge(mine) { complaint = "a conflict with nothing" }
      if !wasConflict { history.endCoalescing() }
    }
  }

  private mutating func reload() async throws {
    let (mine, isTheirs) = (history.currentItem, text != known)
    do throws(EditingSessionError) {
      let isChanged = try await session.reload()
      if isChanged, !isTheirs { complaint = "a reload reported a change of an unchanged file" }
      // Their text may equal mine.
      if isTheirs, !isChanged { (known, isSaved, isBaseKnown) = (text, text == mine, true) }
      if isChanged { applyRemote(mine) }
      if text != known { complaint = "a reload did not read the file" }
    } catch {
      guard case .conflict = error.reason else { throw error }
      conflicting = (text, mine)
      if !isTheirs || mustMerge(mine) { complaint = "a conflict with nothing" }
    }
  }

  private mutating func resolve() async throws {
    guard isConflict, let theirs = text else { return }
    let mine = history.currentItem
    history.replaceDocument(with: theirs, label: "Take Theirs")
    switch random.int(in: 0..<3) {
    case 0: try await session.resolve(.theirs)
    case 1:
      try await session.resolve(.mine)
      history.replaceDocument(with: mine, label: "Keep Mine")
    default:
      try await session.resolve(.merged("both"))
      history.replaceDocument(with: "both", label: "Merge")
    }
    history.markSaved()
    (text, known, isSaved, isBaseKnown) = (history.currentItem, history.currentItem, true, true)
  }

  private mutating func reopen() async throws {
    try await session.close()
    session = try await EditingSession(file: file, recovery: folder.file("recovery"), format: .text)
    history.endCoalescing()
    guard session.recovered.hasLog else {
      (history, isSaved, known) = (UndoHistory(initialValue: text ?? ""), text != nil, text)
      return
    }
    if isConflict {
      if isSaved && !isEmptied(history.currentItem) || text == known { complaint = "a conflict with nothing" }
      (isBaseKnown, isSaved, conflicting) = (false, false, (text, history.currentItem))
    } else if session.recovered.wasChangedByAnother {
      if text == known { complaint = "an unchanged file was reported as changed" }
      applyRemote(history.currentItem)
    }
  }

  // MARK: Invariants

  private mutating func check(_ action: String) {
    guard complaint == nil else { return }
    // The session knows what another program has written only after it has read the file.
    if case .saved = session.state, text == known, text != session.history.currentItem {
      complaint = "\(action): the state is saved, but the file has another text"
    }
    if session.history.currentItem != history.currentItem {
      complaint = "\(action): \(session.history.currentItem) is not \(history.currentItem)"
    }
    let (steps, expected) = (session.history.steps.map(\.label), history.steps.map(\.label))
    if steps != expected || session.history.undoCount != history.undoCount {
      complaint = complaint ?? "\(action): steps \(steps) are not \(expected)"
    }
    var (mine, its) = (history, session.history)
    while mine.undo() != nil || mine.recordRemoteEdit() {
      if its.undo() == nil, !its.recordRemoteEdit() { complaint = complaint ?? "\(action): the blocking edit differs" }
      if mine.currentItem != its.currentItem { complaint = complaint ?? "\(action): a step differs" }
    }
  }

  /// The changed places of a text: lines have odd numbers, and the gaps between them have even numbers.
  private func places(of new: String, in old: String) -> [Int] {
    let (old, new) = (old.lines, new.lines)
    var places: [Int] = []
    for (index, line) in old.enumerated() where !new.contains(line) { places.append(2 * index + 1) }
    var next = 0
    for line in new {
      if let index = old.firstIndex(of: line) { next = index + 1 } else { places.append(2 * next) }
    }
    return places
  }
}

extension String {
  /// The lines, each with its line break.
  fileprivate var lines: [String] {
    var (lines, rest): ([String], Substring) = ([], self[...])
    while !rest.isEmpty {
      let end = rest.firstIndex(of: "\n").map { rest.index(after: $0) } ?? rest.endIndex
      lines.append(String(rest[..<end]))
      rest = rest[end...]
    }
    return lines
  }

  fileprivate mutating func replaceSubrange(utf8 range: Range<Int>, with text: String) {
    let start = utf8.index(startIndex, offsetBy: range.lowerBound)
    replaceSubrange(start..<utf8.index(start, offsetBy: range.count), with: text)
  }
}
