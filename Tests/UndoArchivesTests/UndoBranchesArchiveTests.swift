import Foundation
import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Archives of histories with branches, and messages about branches.
final class UndoBranchesArchiveTests: XCTestCase {
  private typealias History = UndoHistory<[String]>

  private func append(_ line: String, to history: inout History) {
    history.transaction(line) { $0.append(line) }
  }

  /// A history with three branches, one of which forks from another, and with the saved point on a branch.
  private func makeHistory() -> History {
    var history = UndoHistory(initialValue: ["Flour"])
    history.keepsBranches = true
    for line in ["a", "b", "c"] { append(line, to: &history) }
    history.undo()
    append("d", to: &history)
    history.markSaved()
    history.go(to: .step(1))
    append("e", to: &history)
    history.go(to: .step(0))
    append("f", to: &history)
    history.undo()
    return history
  }

  private func restored(_ history: History, from archive: History.Archive) throws -> History {
    try history.restored(from: JSONEncoder().encode(archive)) { $0.keepsBranches = history.keepsBranches }
  }

  func testArchiveRestoresBranches() throws {
    var history = makeHistory()
    XCTAssertEqual(history.branches.map(\.label), ["c", "d", "e"])
    var restored = try restored(history, from: history.archive())
    XCTAssertEqual(restored, history)
    XCTAssertEqual(restored.branches.map(\.label), history.branches.map(\.label))
    XCTAssertEqual(restored.branches.map(\.position), history.branches.map(\.position))
    XCTAssertEqual(restored.branches.map(\.stepCount), history.branches.map(\.stepCount))
    XCTAssertTrue(restored.go(to: .savedPoint) && history.go(to: .savedPoint))
    XCTAssertEqual(restored.currentItem, ["Flour", "a", "b", "d"])
    for _ in 0..<history.branches.count {
      XCTAssertTrue(restored.go(to: restored.branches[0]) && history.go(to: history.branches[0]))
      XCTAssertEqual(restored.currentItem, history.currentItem)
      XCTAssertEqual(restored.byteCount, history.byteCount)
    }
  }

  func testBranchesAreOmittedIfKeepsBranchesIsFalse() throws {
    let history = makeHistory()
    var other = history
    other.keepsBranches = false
    let restored = try restored(other, from: history.archive())
    XCTAssertEqual(restored.branches, [])
    XCTAssertEqual(restored, other)
    XCTAssertEqual(try self.restored(history, from: other.archive()).branches, [])
  }

  private struct Note: UndoArchivable, Equatable {
    var text = "", count = 0

    static let undoParts = [UndoPart<Note>("text", \.text), UndoPart("count", \.count)]
  }

  /// Makes a branch "b" at the end of the main line, because the remote edit discards the redo step.
  ///
  /// - Returns: A history with the archived steps.
  private func absorbBelowABranch(_ history: inout UndoHistory<Note>) throws -> UndoHistory<Note> {
    history.transaction("a") { $0.text.append("a") }
    history.transaction("b") { $0.text.append("b") }
    history.undo()
    history.transaction("count") { $0.count = 1 }
    history.undo()
    history.applyRemote { $0.count = 7 }
    return try history.restoredFromJSON { $0.keepsBranches = true }
  }

  func testBranchThatForksAtTheLastStepIsRestored() throws {
    var history = UndoHistory(initialValue: Note())
    history.keepsBranches = true
    var restored = try absorbBelowABranch(&history)
    XCTAssertEqual([restored.undoCount, restored.redoCount], [1, 0])
    XCTAssertEqual(restored.branches.map(\.position), [1])
    XCTAssertTrue(restored.go(to: restored.branches[0]))
    XCTAssertEqual(restored.currentItem, Note(text: "ab", count: 7))
  }

  func testBranchesBelowOneThatForksAtTheLastStepAreRestored() throws {
    var history = UndoHistory(initialValue: Note())
    history.keepsBranches = true
    history.transaction("z") { $0.text.append("z") }
    history.undo()
    var restored = try absorbBelowABranch(&history)
    XCTAssertEqual(restored.branches.map(\.label), ["z", "b"])
    for label in ["z", "b"] {
      for leaf in restored.branches where leaf.label == label { XCTAssertTrue(restored.go(to: leaf)) }
      for leaf in history.branches where leaf.label == label { XCTAssertTrue(history.go(to: leaf)) }
      XCTAssertEqual(restored.currentItem, history.currentItem)
    }
  }

  func testLimitDropsBranchesBeforeStepsOfTheMainLine() throws {
    let history = makeHistory()
    let restored = try history.restoredFromJSON { ($0.keepsBranches, $0.limit) = (true, .steps(3)) }
    XCTAssertEqual(restored.redoCount, 1)
    XCTAssertEqual(restored.branches.map(\.label), ["e"])
  }

  func testArchiveWithAChangedBranchIsRefused() throws {
    let history = makeHistory()
    // The label of a step that is only on a branch.
    let changed = try history.archive().replacing([1, UInt8(ascii: "e")], with: [1, UInt8(ascii: "x")])
    XCTAssertThrowsError(try restored(history, from: changed)) { XCTAssertEqual($0 as? UndoArchiveError, .changed) }
  }

  // MARK: Messages

  func testBranchMessagesTakeAtMostThreeBytes() {
    var history = UndoHistory(initialValue: ["Flour"])
    history.keepsBranches = true
    let recorder = UndoRecorder<[String]>(.json)
    recorder.begin(with: &history)
    func messages(_ body: (inout History) -> Void) -> [UInt8] {
      history.observed(by: recorder, body)
      return recorder.takeMessages()
    }
    _ = messages { $0.edit.append("a") }
    _ = messages { $0.edit.append("b") }
    _ = messages { $0.go(to: .step(0)) }
    _ = messages { $0.edit.append("c") }
    XCTAssertEqual(messages { $0.go(to: $0.branches[0]) }, [27, 0, 2])
    XCTAssertEqual(messages { $0.go(to: $0.branches[0]) }, [27, 0, 1])
    history.limit = .steps(2)
    XCTAssertEqual(messages { _ in }, [28, 1])
  }

  /// The message about the dropped steps comes after the edit that detached the branch with the saved point.
  func testSavedPointOnABranchSurvivesDroppedSteps() throws {
    var history = UndoHistory(initialValue: ["Flour"])
    history.keepsBranches = true
    var replayed = history
    let recorder = UndoRecorder<[String]>(.json)
    recorder.begin(with: &history)
    for letter in ["a", "b", "c", "d"] { history.observed(by: recorder) { $0.edit.append(letter) } }
    history.observed(by: recorder) { $0.markSaved() }
    history.observed(by: recorder) { _ = $0.undo() }
    history.limit = .steps(3)
    history.limit = .unlimited
    history.observed(by: recorder) { history in
      history.edit.append("x")
      history.edit.append("y")
    }
    try recorder.replay(recorder.takeMessages(), in: &replayed)
    XCTAssertEqual(history.branches.map(\.stepCount), replayed.branches.map(\.stepCount))
    XCTAssertEqual([history.go(to: .savedPoint), replayed.go(to: .savedPoint)], [true, true])
    XCTAssertEqual(replayed.currentItem, history.currentItem)
  }

  func testInvalidBranchMessagesAreRefused() throws {
    for messages: [UInt8] in [
      [26, 1], [27, 0, 1], [28, 1], [28, 0], [29, 0, 0, 1], [29, 1, 0, 1], [27], [29, 0],
    ] {
      var history = UndoHistory(initialValue: ["Flour"])
      history.keepsBranches = true
      var replayer = try UndoReplayer<[String]>(UndoRecorder<[String]>(.json).header, .json)
      XCTAssertThrowsError(try replayer.replay(messages, in: &history), "\(messages)")
      replayer.finish(&history)
      XCTAssertEqual(history.currentItem, ["Flour"])
    }
    // A history with one branch of two steps.
    for messages: [UInt8] in [
      [27, 1, 1], [27, 0, 0], [27, 0, 3], [28, 2], [29, 0, 0, 3], [29, 2, 0, 1], [29, 1, 0, 1],
    ] {
      var history = makeHistory()
      history.limit = .steps(3)
      XCTAssertEqual(history.branches.count, 1)
      var replayer = try UndoReplayer<[String]>(UndoRecorder<[String]>(.json).header, .json)
      XCTAssertThrowsError(try replayer.replay(messages, in: &history), "\(messages)")
      replayer.finish(&history)
      XCTAssertEqual(history.currentItem, ["Flour"])
    }
  }

  func testRestoredBranchStepLinksToTheStepItUndoes() throws {
    var history = UndoHistory(initialValue: [0, 0])
    history.keepsBranches = true
    history[as: "a"][0] = 1
    history[as: "b"][0] = 2
    guard case .undone = history.undo(by: "b") else { return XCTFail("it is blocked") }
    history.undo()
    history.edit[1] = 9
    let restored = try history.restoredFromJSON { $0.keepsBranches = true }
    for var history in [history, restored] {
      history.go(to: try XCTUnwrap(history.branches.first))
      guard case .undone = history.undo(by: "a") else { return XCTFail("it is blocked") }
      XCTAssertEqual(history.currentItem, [0, 0])
    }
  }
}
