import TestSupport
import UndoHistories
import XCTest

/// Redo steps that a new edit detaches as a branch.
final class UndoBranchesTests: XCTestCase {
  /// A history with one step for each word, which appends the word and has it as its label.
  private func history(_ words: String...) -> UndoHistory<String> {
    var history = UndoHistory(initialValue: "")
    history.keepsBranches = true
    for word in words { append(word, to: &history) }
    return history
  }

  private func append(_ word: String, to history: inout UndoHistory<String>) {
    history.transaction(word) { $0.append(word) }
  }

  private func undo(_ count: Int, _ history: inout UndoHistory<String>) {
    for _ in 0..<count { history.undo() }
  }

  private func leaf(_ label: String, of history: UndoHistory<String>) -> UndoHistory<String>.Branch {
    history.branches.first { $0.label == label }!
  }

  func testBranchesAreNotKeptByDefault() {
    var history = UndoHistory(initialValue: "")
    XCTAssertFalse(history.keepsBranches)
    history.edit.append("an hour of work")
    history.undo()
    history.edit.append("x")
    XCTAssertEqual(history.branches, [])
  }

  func testBranchesFromOneSeedHaveTheSameIdentities() {
    func branches(seed: UInt64?) -> [UndoHistory<String>.Branch.ID] {
      var history = history()
      if let seed { history.keepBranches(seed: seed) }
      for word in ["a", "b", "c", "d"] {
        append(word, to: &history)
        history.undo()
      }
      XCTAssertEqual(Set(history.branches.map(\.id)).count, 3)
      return history.branches.map(\.id)
    }
    XCTAssertEqual(branches(seed: 1), branches(seed: 1))
    XCTAssertTrue(Set(branches(seed: 1)).isDisjoint(with: branches(seed: 2)))
    XCTAssertNotEqual(branches(seed: nil), branches(seed: nil))
  }

  /// The limit may drop the branch when a step is recorded, or when going there ends the open step.
  func testBranchThatTheLimitDropsMeanwhileIsRefused() {
    for isAfterUndo in [true, false] {
      var refusals = 0
      for limit in 1...6 {
        var history = history()
        history.limit = .steps(limit)
        append("a", to: &history)
        history.undo()
        append("b", to: &history)
        guard let branch = history.branches.first else { continue }
        if isAfterUndo { history.undo() }
        _ = history.beginStep("c")
        history.edit.append("c")
        let isThere = history.go(to: branch)
        XCTAssertEqual(history.currentItem, isThere ? "a" : isAfterUndo ? "c" : "bc", "\(limit)")
        refusals += isThere ? 0 : 1
      }
      XCTAssertGreaterThan(refusals, 0)
    }
  }

  func testBranchOfAReplacedHistoryIsRefused() {
    var (old, new) = (history(), history())
    old.keepBranches(seed: 1)
    new.keepBranches(seed: 2)
    for word in ["a", "b"] {
      append(word, to: &old)
      old.undo()
      append(word, to: &new)
      new.undo()
    }
    XCTAssertFalse(new.go(to: old.branches[0]))
    XCTAssertTrue(old.go(to: old.branches[0]))
  }

  func testEditAfterUndoKeepsRedoStepsAsBranch() {
    var history = history("a", "b", "c", "d", "e")
    undo(5, &history)
    history.edit.append("x")
    XCTAssertEqual(history.branches.map(\.label), ["e"])
    XCTAssertEqual(history.branches[0].position, 0)
    XCTAssertEqual(history.branches[0].stepCount, 5)
    XCTAssertTrue(history.go(to: history.branches[0]))
    XCTAssertEqual(history.currentItem, "abcde")
    XCTAssertEqual(history.undoCount, 5)
    XCTAssertEqual(history.branches.map(\.label), [nil])
    XCTAssertTrue(history.go(to: history.branches[0]))
    XCTAssertEqual(history.currentItem, "x")
  }

  func testBranchKeepsItsIDUntilItsTipIsEdited() {
    var history = history("a")
    history.undo()
    append("b", to: &history)
    let a = history.branches[0]
    XCTAssertTrue(history.go(to: a))
    XCTAssertTrue(history.go(to: a), "the history is there already")
    let b = history.branches[0]
    history.undo()
    XCTAssertTrue(history.go(to: a), "redoing leads there")
    XCTAssertEqual(history.currentItem, "a")
    XCTAssertTrue(history.go(to: b))
    XCTAssertEqual(history.branches, [a])
    XCTAssertTrue(history.go(to: a))
    append("c", to: &history)
    XCTAssertFalse(history.go(to: a), "the branch has a new tip")
    XCTAssertTrue(history.go(to: b))
    XCTAssertNotEqual(history.branches[0].id, a.id)
  }

  func testCopySharesOnlyBranchesFromBeforeItWasMade() {
    var history = history("a")
    history.undo()
    append("b", to: &history)
    var copy = history
    let leaf = history.branches[0]
    XCTAssertTrue(copy.go(to: leaf))
    XCTAssertEqual([history.currentItem, copy.currentItem], ["b", "a"])
    append("c", to: &copy)
    copy.undo()
    append("d", to: &copy)
    XCTAssertFalse(history.go(to: copy.branches[1]), "only the copy has this branch")
    XCTAssertEqual(history.currentItem, "b")
  }

  func testGoingToDroppedBranchFails() {
    var history = history("a")
    history.undo()
    append("b", to: &history)
    let leaf = history.branches[0]
    history.keepsBranches = false
    XCTAssertFalse(history.go(to: leaf))
    XCTAssertEqual(history.branches, [])
    history.keepsBranches = true
    XCTAssertFalse(history.go(to: leaf))
    XCTAssertEqual(history.currentItem, "b")
    XCTAssertEqual(history.byteCount, history.steps.reduce(0) { $0 + $1.byteCount })
  }

  func testThrowingTransactionAndCancelledStepDetachNoBranch() {
    var history = history("a", "b")
    history.undo()
    XCTAssertThrowsError(
      try history.transaction {
        $0.append("x")
        throw Refused()
      })
    XCTAssertEqual(history.branches, [])
    XCTAssertEqual(history.redoLabel, "b")
    let step = history.beginStep()
    history.edit.append("y")
    XCTAssertEqual(history.branches, [], "the open step may still be cancelled")
    history.cancelStep(step)
    XCTAssertEqual(history.redoLabel, "b")
  }

  func testByteLimitCountsBranches() {
    var history = UndoHistory(initialValue: [Int]())
    history.keepsBranches = true
    history.edit.append(contentsOf: Array(0..<1_000))
    history.edit.removeAll()
    history.undo()
    history.undo()
    let bytes = history.byteCount
    history.edit.append(1)
    XCTAssertGreaterThan(history.byteCount, bytes)
    history.limit = .bytes(1_000)
    XCTAssertEqual(history.branches, [])
    XCTAssertEqual(history.currentItem, [1])
    XCTAssertLessThan(history.byteCount, 1_000)
  }

  func testBranchKeepsTimesAndRestoredValues() {
    struct Note { var text = "", caret = 0 }
    let clock = ManualClock()
    var history = UndoHistory(initialValue: Note())
    history.keepsBranches = true
    history.recordTimes { clock.now.offset }
    history.restoreOnUndo(\.caret)
    for (index, word) in ["a", "b"].enumerated() {
      clock.advance(by: .seconds(1))
      history.edit.text.append(word)
      history.edit.caret = 10 * (index + 1)
      history.undo()
    }
    XCTAssertEqual(history.branches.map(\.time), [.seconds(1)])
    XCTAssertTrue(history.go(to: history.branches[0]))
    XCTAssertEqual([history.text, "\(history.caret)"], ["a", "10"])
    XCTAssertEqual(history.steps.first?.time, .seconds(1))
    XCTAssertTrue(history.go(to: history.branches[0]))
    XCTAssertEqual([history.text, "\(history.caret)"], ["b", "20"])
  }

  func testViewFollowsEditsOnTheWayToABranch() {
    var history = history("abc", "def")
    undo(2, &history)
    append("x", to: &history)
    var view = Array("x".utf16)
    let leaf = history.branches[0]
    let isThere = history.go(
      to: leaf,
      onEdit: { edit in
        if let change = edit.text { view.replaceSubrange(change.utf16Range, with: change.replacement.utf16) }
      })
    XCTAssertTrue(isThere)
    XCTAssertEqual(String(decoding: view, as: UTF16.self), "abcdef")
  }

  func testEqualHistoriesHaveTheSameBranches() {
    func make(_ words: String...) -> UndoHistory<String> {
      var history = history()
      for word in words {
        append(word, to: &history)
        history.undo()
      }
      return history
    }
    XCTAssertEqual(make("a", "b"), make("a", "b"))
    XCTAssertNotEqual(make("a", "b"), make("c", "b"))
    XCTAssertNotEqual(make("a", "c", "b"), make("c", "a", "b"))
    XCTAssertNotEqual(make("a", "b"), make("b"))
  }

  func testValuesAreReleasedExactlyOnce() {
    withLifetimeTracking { tracker in
      var history = UndoHistory(initialValue: [tracker.instance(0)])
      history.keepsBranches = true
      for round in 0..<6 {
        for number in 0..<40 { history.edit[0].set(tracker.instance(number)) }
        let fork = history
        history.go(to: .step(round * 5))
        history.transaction { $0.append(tracker.instance(1)) }
        try? history.transaction { edit in
          edit.removeAll()
          throw Refused()
        }
        history.go(to: history.branches[round / 2])
        XCTAssertEqual(fork.branches.count, round)
      }
      history.limit = .steps(100)
      let other = history
      history.keepsBranches = false
      history.removeAllSteps()
      XCTAssertFalse(other.branches.isEmpty)
    }
  }

  func testSavedPointAndBranchesAreReachableDuringOpenStep() {
    var history = UndoHistory(initialValue: "")
    history.keepsBranches = true
    history.coalescing = .none
    history.edit.append("a")
    history.markSaved()
    history.undo()
    let step = history.beginStep()
    history.edit.append("x")
    XCTAssertTrue(history.go(to: .savedPoint))
    XCTAssertEqual(history.currentItem, "a")
    XCTAssertFalse(history.endStep(step))

    history.edit.append("b")
    let leaves = history.branches
    history.edit.append("c")
    for _ in 0..<2 { history.undo() }
    _ = history.beginStep()
    history.edit.append("y")
    XCTAssertTrue(history.go(to: leaves[0]))
    XCTAssertEqual(history.currentItem, "x")
  }

  func testDroppedBranchesReleaseTheirValues() {
    withLifetimeTracking { tracker in
      var history = UndoHistory(initialValue: [tracker.instance(0)])
      history.keepsBranches = true
      for number in 1...10 {
        history.edit[0].set(tracker.instance(number))
        history.undo()
      }
      XCTAssertEqual(tracker.liveCount, 11)
      history.limit = .steps(4)
      XCTAssertEqual(tracker.liveCount, 5)
      history.keepsBranches = false
      XCTAssertEqual(tracker.liveCount, 2)
    }
  }
}
