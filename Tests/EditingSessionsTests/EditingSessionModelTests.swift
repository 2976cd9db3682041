import EditingSessions
import Foundation
import TestSupport
import UndoHistories
import XCTest

/// Random sessions of edits, saves, other programs' writes, conflicts, closings and openings, against a plain history.
@MainActor
final class EditingSessionModelTests: XCTestCase {
  func testAgainstAPlainHistory() async throws {
    let count = Int(ProcessInfo.processInfo.environment["UNSAVED_MODEL_HISTORIES"] ?? "") ?? 25
    let seed = UInt64(ProcessInfo.processInfo.environment["UNSAVED_MODEL_SEED"] ?? "") ?? .random(in: .min ... .max)
    print("random sessions: \(count) from seed \(seed)")
    for number in 0..<count {
      var oracle = try await Oracle(SeededRandom(seed: seed &+ UInt64(number)))
      for _ in 0..<60 where oracle.complaint == nil { try await oracle.act() }
      if let complaint = oracle.complaint { return XCTFail("seed \(seed &+ UInt64(number)): \(complaint)") }
      try await oracle.session.close()
    }
  }
}

@MainActor
private struct Oracle {
  private let folder: TemporaryFolder
  private var random: SeededRandom
  var session: EditingSession<String>
  /// The history as it has to be.
  private var history: UndoHistory<String>
  /// What the file has, nil where there is none; and what the session knows of it.
  private var text: String?
  private var known: String?
  /// Whether the newest document is one that the file had.
  private var isSaved = false
  private(set) var complaint: String?

  private var file: URL { folder.file("note.txt") }

  init(_ random: SeededRandom) async throws {
    folder = try TemporaryFolder(isInMemory: true)
    self.random = random
    session = try await EditingSession(file: folder.file("note.txt"), recovery: folder.file("recovery"), format: .text)
    history = UndoHistory(initialValue: "")
  }

  mutating func act() async throws {
    let action = random.int(in: 0..<20)
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
    case 15:
      let theirs = "theirs \(random.int(in: 0..<1000))"
      try Data(theirs.utf8).write(to: file)
      text = theirs
    case 16: try await resolve()
    case 17..<19: try await reopen()
    default: await session.durable()
    }
    check("\(action)")
  }

  private mutating func edit() {
    let letter = "\(random.int(in: 0..<10))"
    let count = history.currentItem.utf8.count
    switch random.int(in: 0..<6) {
    case 0:
      session.edit("Twice") { text in
        text.append(letter)
        text.insert(letter, atUTF8: 0)
      }
      history.transaction("Twice") { text in
        text.append(letter)
        text.insert(letter, atUTF8: 0)
      }
    case 1 where count > 0:
      session.edit { $0.removeSubrange(utf8: 0..<1) }
      history.joiningTransaction { $0.removeSubrange(utf8: 0..<1) }
    case 2:
      if history.currentItem == letter { return }
      session.currentItem = letter
      history.currentItem = letter
    default:
      session.edit { $0.append(letter) }
      history.joiningTransaction { $0.append(letter) }
    }
    isSaved = false
  }

  private mutating func save() async throws {
    let wasConflict = if case .conflict = session.state { true } else { false }
    do throws(EditingSessionError) {
      try await session.save()
      if wasConflict || text != known { complaint = "it was written over" }
      history.markSaved()
      (text, known, isSaved) = (history.currentItem, history.currentItem, true)
    } catch {
      guard case .conflict = error.reason else { throw error }
      if !wasConflict, text == known { complaint = "a conflict with nothing" }
      if !wasConflict { history.endCoalescing() }
    }
  }

  private mutating func resolve() async throws {
    guard case .conflict = session.state, let theirs = text else { return }
    let mine = history.currentItem
    history.transaction("Take Theirs") { $0.set(theirs) }
    switch random.int(in: 0..<3) {
    case 0: try await session.resolve(.theirs)
    case 1:
      try await session.resolve(.mine)
      history.transaction("Keep Mine") { $0.set(mine) }
    default:
      try await session.resolve(.merged("both"))
      history.transaction("Merge") { $0.set("both") }
    }
    history.markSaved()
    (text, known, isSaved) = (history.currentItem, history.currentItem, true)
  }

  private mutating func reopen() async throws {
    try await session.close()
    session = try await EditingSession(file: file, recovery: folder.file("recovery"), format: .text)
    history.endCoalescing()
    guard session.recovered.hasLog, session.recovered.wasChangedByAnother, let text else {
      if !session.recovered.hasLog {
        (history, isSaved, known) = (UndoHistory(initialValue: text ?? ""), text != nil, text)
      }
      return
    }
    guard isSaved else { return }
    history.transaction("Changed by Another Program") { $0.set(text) }
    (known, self.isSaved) = (text, true)
  }

  private mutating func check(_ action: String) {
    guard complaint == nil else { return }
    // What another program writes is known as soon as the session looks.
    if case .saved = session.state, text == known, text != session.history.currentItem {
      complaint = "\(action): saved, but it is not"
    }
    if session.history.currentItem != history.currentItem {
      complaint = "\(action): \(session.history.currentItem) is not \(history.currentItem)"
    }
    let (steps, expected) = (session.history.steps.map(\.label), history.steps.map(\.label))
    if steps != expected || session.history.undoCount != history.undoCount {
      complaint = complaint ?? "\(action): steps \(steps) are not \(expected)"
    }
    var (mine, its) = (history, session.history)
    while mine.undo() != nil {
      its.undo()
      if mine.currentItem != its.currentItem { complaint = complaint ?? "\(action): a step differs" }
    }
  }
}
