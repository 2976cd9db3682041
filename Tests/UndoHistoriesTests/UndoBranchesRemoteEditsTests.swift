import TestSupport
import UndoHistories
import XCTest

/// Histories with branches that receive remote edits, and whose steps are undone by origin.
final class UndoBranchesRemoteEditsTests: XCTestCase {
  private struct Note: Equatable {
    var count = 0
    var lines: [String] = []
  }

  private typealias History = UndoHistory<Note>

  private var history: History = {
    var history = UndoHistory(initialValue: Note())
    history.keepsBranches = true
    return history
  }()

  private func add(_ lines: String...) {
    for line in lines { history.transaction(line) { $0.lines.append(line) } }
  }

  private func undo(_ count: Int) {
    for _ in 0..<count { history.undo() }
  }

  private func goToLeaf(_ label: String?, line: UInt = #line) {
    guard let leaf = history.branches.first(where: { $0.label == label }) else {
      return XCTFail("no branch \(label ?? "nil") among \(history.branches)", line: line)
    }
    XCTAssertTrue(history.go(to: leaf), line: line)
  }

  // MARK: Remote edits

  func testRemoteEditDropsStepsOfBranchFromFirstConflict() throws {
    add("a", "b")
    history.transaction("count") { $0.count = 1 }
    add("c")
    undo(3)
    add("x")
    let leaf = try XCTUnwrap(history.branches.first)
    XCTAssertEqual(leaf.stepCount, 3)
    history.undo()
    history.applyRemote { $0.count = 7 }
    XCTAssertEqual(history.branches.map(\.label), ["b"])
    XCTAssertEqual(history.branches.map(\.stepCount), [1])
    XCTAssertFalse(history.go(to: leaf), "its tip is another state now")
    goToLeaf("b")
    XCTAssertEqual(history.currentItem, Note(count: 7, lines: ["a", "b"]))
  }

  func testBranchWhoseFirstStepConflictsIsDroppedWithItsOwnBranches() {
    add("a")
    history.transaction("count") { $0.count = 1 }
    add("b")
    undo(1)
    add("c")  // b forks from the steps that are detached next.
    undo(2)
    add("d")
    XCTAssertEqual(history.branches.map(\.label), ["b", "c"])
    let bytes = history.steps.reduce(0) { $0 + $1.byteCount }
    undo(1)
    history.applyRemote { $0.count = 7 }
    XCTAssertEqual(history.branches, [])
    XCTAssertEqual(history.byteCount, bytes)
  }

  func testBranchAtNewEndOfShortenedBranchContinuesIt() {
    add("a", "b")
    history.transaction("count") { $0.count = 1 }
    undo(1)
    add("c")  // count forks at 2.
    undo(2)
    add("d")  // c forks at 1.
    XCTAssertEqual(history.branches.map(\.label), ["count", "c"])
    goToLeaf("count")
    undo(3)
    add("e")
    // The last step of a, b and count is dropped. Then c continues that branch.
    undo(1)
    history.applyRemote { $0.count = 7 }
    XCTAssertEqual(Set(history.branches.map(\.label)), ["c", "d"])
    goToLeaf("c")
    XCTAssertEqual(history.currentItem, Note(count: 7, lines: ["a", "b", "c"]))
    goToLeaf("d")
    XCTAssertEqual(history.currentItem, Note(count: 7, lines: ["a", "d"]))
  }

  func testBranchStaysAfterConflictingRedoStepsAreDropped() {
    add("a", "b")
    undo(1)
    history.transaction("count") { $0.count = 1 }
    undo(1)
    // The redo step conflicts and is dropped. The branch b forks at the same state.
    history.applyRemote { $0.count = 7 }
    XCTAssertFalse(history.canRedo)
    XCTAssertEqual(history.branches.map(\.label), ["b"])
    undo(1)
    // The detached step a has no tip of its own, because b continues it.
    add("c")
    XCTAssertEqual(history.branches.map(\.label), ["b"])
    XCTAssertEqual(history.branches.map(\.stepCount), [2])
    goToLeaf("b")
    XCTAssertEqual(history.currentItem, Note(count: 7, lines: ["a", "b"]))
  }

  func testBlockingRemoteEditHidesBranchesUntilItIsRecorded() throws {
    add("a", "b")
    undo(1)
    history.transaction { $0.count = 1 }
    let leaf = try XCTUnwrap(history.branches.first)
    history.applyRemote { $0.count = 2 }
    XCTAssertNotNil(history.blockingRemoteEdit)
    XCTAssertEqual(history.branches, [])
    XCTAssertFalse(history.go(to: leaf))
    XCTAssertEqual(history.count, 2)
    history.recordRemoteEdit()
    XCTAssertEqual(history.branches, [leaf])
    XCTAssertTrue(history.go(to: leaf))
    XCTAssertEqual(history.currentItem, Note(lines: ["a", "b"]))
  }

  /// Brings the history to a state between two chunks that have an empty chunk between them.
  private func makeEmptyChunk() {
    add("a")
    history.edit.count = 1
    undo(1)
    history.edit.count = 2
    // The chunk of the detached steps is exactly as large as these steps, so the next step doesn't fit into it.
    history.go(to: history.branches[0])
    undo(1)
    history.transaction {
      $0.lines.append("b")
      $0.count = 3
    }
    undo(1)
    XCTAssertEqual(history.branches.count, 2)
  }

  func testReattachedBranchListsOnlyStepsAfterBlockingRemoteEdit() {
    makeEmptyChunk()
    history.applyRemote { $0.lines[0] = "server" }
    XCTAssertNotNil(history.blockingRemoteEdit)
    for leaf in history.branches {
      XCTAssertTrue(history.go(to: leaf))
      XCTAssertEqual(history.steps.map(\.label), [nil])
      history.undo()
    }
    history.recordRemoteEdit()
    XCTAssertEqual(history.steps.map(\.label), ["a", nil])
  }

  func testStepBeforeDroppedConflictingStepsIsRedone() {
    makeEmptyChunk()
    undo(1)
    history.applyRemote { $0.count = 7 }
    XCTAssertEqual(history.redoCount, 1)
    history.redo()
    add("c")
    undo(1)
    history.redo()
    XCTAssertEqual(history.currentItem, Note(count: 7, lines: ["a", "c"]))
    XCTAssertEqual(history.steps.map(\.label), ["a", "c"])
  }

  func testGoingToBranchStopsAtBlockingRemoteEdit() {
    add("a", "b")
    undo(1)
    history.transaction { $0.count = 1 }
    add("c")
    history.applyRemote { $0.count = 2 }
    XCTAssertFalse(history.go(to: history.branches[0]))
    XCTAssertNotNil(history.blockingRemoteEdit)
    XCTAssertEqual(history.currentItem, Note(count: 2, lines: ["a"]))
    XCTAssertEqual(history.redoLabel, "c")
    history.redo()
    XCTAssertEqual(history.lines, ["a", "c"])
  }

  func testBranchesForkAfterBlockingRemoteEditOnceItIsRecorded() {
    history.transaction("one") { $0.count = 1 }
    add("a")
    undo(1)
    add("b")  // a forks at 1.
    undo(1)
    history.applyRemote { $0.count = 2 }
    XCTAssertNotNil(history.blockingRemoteEdit)
    XCTAssertEqual([history.undoCount, history.redoCount], [0, 1])
    history.recordRemoteEdit()
    XCTAssertEqual(history.branches.map(\.label), ["a", "b"])
    XCTAssertEqual(history.branches.map(\.position), [2, 2])
    for label in ["a", "b", "a"] {
      goToLeaf(label)
      XCTAssertEqual(history.currentItem, Note(count: 2, lines: [label]))
      undo(2)
      XCTAssertEqual(history.currentItem, Note(count: 1))
      history.redo()
      XCTAssertEqual(history.currentItem, Note(count: 2))
    }
    undo(2)
    XCTAssertEqual(history.currentItem, Note())
  }

  // MARK: Origins

  func testEachStepKeepsAUniqueIDAcrossBranches() {
    add("a", "b")
    undo(1)
    add("c")
    history[as: "agent"].lines.append("d")
    undo(2)
    history[as: "agent"].lines.append("e")
    var ids: [String: UndoStepID] = [:]
    for label in ["b", "c", "b"] {
      if label == "c" {
        history.go(to: history.branches.first { $0.stepCount == 2 }!)
      } else {
        goToLeaf(label)
      }
      for (line, step) in zip(history.lines, history.steps) {
        XCTAssertNotNil(step.id)
        if let known = ids[line] { XCTAssertEqual(step.stepID, known) }
        ids[line] = step.stepID
      }
    }
    XCTAssertEqual(ids.count, 4)
    XCTAssertEqual(Set(ids.values).count, 4)
  }

  func testUndoByOriginFindsStepsOfABranchOnceItIsReattached() {
    history[as: "agent"].lines.append("agent")
    add("a")
    undo(2)
    add("b")
    XCTAssertEqual(history.undo(by: "agent"), .nothing)
    history.go(to: history.branches[0])
    guard case .undone = history.undo(by: "agent") else { return XCTFail("no remote edit should block the step") }
    XCTAssertEqual(history.lines, ["a"])
    let undone = history.branches.count
    goToLeaf("b")
    XCTAssertEqual(history.branches.count, undone)
    history.go(to: history.branches[0])
    XCTAssertEqual(history.lines, ["a"])
    guard case .undone = history.redo(by: "agent") else { return XCTFail("no remote edit should block the step") }
    XCTAssertEqual(history.lines, ["agent", "a"])
  }

  func testSavedPointOnBranchStaysExactAfterRemoteEditIsRecorded() {
    struct Frame: Equatable { var width = 0, height = 0 }
    var history = UndoHistory(initialValue: Frame())
    history.keepsBranches = true
    history.edit.width = 1
    history.edit.height = 1
    history.markSaved()
    history.undo()
    history.applyRemote(saved: true) { $0.width = 2 }
    history.recordRemoteEdit()
    history.go(to: history.branches[0])
    XCTAssertEqual(history.currentItem, Frame(width: 2, height: 1))
    XCTAssertFalse(history.isDirty, "the store has this state")
  }
}
