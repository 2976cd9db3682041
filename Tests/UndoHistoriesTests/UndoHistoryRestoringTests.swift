import TestSupport
import UndoHistories
import XCTest

/// Values that undo and redo restore with each step, such as a caret, and that record no steps themselves.
final class UndoHistoryRestoringTests: XCTestCase {
  private struct Editor: Equatable {
    var text = ""
    var caret = 0
    var count = 0
    var view = View()
    var selected: [Int] = []
    var tool = ""

    struct View: Equatable { var zoom = 1.0, scroll = 0 }
  }

  private func restoringCaret() -> UndoHistory<Editor> {
    var history = UndoHistory(initialValue: Editor())
    history.restoreOnUndo(\.caret)
    return history
  }

  private func restoringAll() -> UndoHistory<Editor> {
    var history = restoringCaret()
    history.restoreOnUndo(\.view.scroll)
    history.restoreOnUndo(\.selected)
    history.restoreOnUndo(\.tool)
    return history
  }

  // MARK: Assignments

  func testAssigningARestoredValueRecordsNoStep() {
    var history = restoringAll()
    for number in 1...10 {
      history.edit.caret = number
      history.edit.view.scroll += 10
      history.edit.selected.append(number)
      history.edit.tool.append("x")
      history.currentItem.caret += 1
      history.transaction("Select") { edit in
        edit.caret = number
        edit.selected[0] = number
      }
    }
    XCTAssertEqual([history.undoCount, history.byteCount, history.caret, history.view.scroll], [0, 0, 10, 100])
    XCTAssertEqual(history.selected, [10] + Array(2...10))
    XCTAssertFalse(history.isDirty)
    XCTAssertFalse(history.needsSave)
    XCTAssertNil(history.undo())
    XCTAssertEqual(history.caret, 10)
  }

  func testTypingJoinsAcrossAssignmentsOfRestoredValues() {
    var history = restoringAll()
    for letter in ["a", "b", "c", "d"] {
      history.edit.text.append(letter)
      history.edit.caret += 1
      history.edit.view.scroll += 1
      history.edit.caret -= 1
      history.currentItem.caret += 1
      history.currentItem.view.scroll += 1
      history.edit.selected.append(1)
      history.edit.tool.append("x")
    }
    XCTAssertEqual(history.undoCount, 1)
    history.undo()
    XCTAssertEqual(history.text, "")
    history.redo()
    XCTAssertEqual(history.text, "abcd")
  }

  func testAssignmentsOfALeafJoinAcrossARestoredValue() {
    var history = restoringCaret()
    history.coalescing = .typing.values(within: .seconds(1), clock: ManualClock())
    for number in 1...10 {
      history.edit.count = number
      history.edit.caret = number
    }
    XCTAssertEqual(history.undoCount, 1)
    history.undo()
    XCTAssertEqual([history.count, history.caret], [0, 0])
    history.redo()
    XCTAssertEqual([history.count, history.caret], [10, 10])
  }

  // MARK: Undo and redo

  func testUndoRestoresTheValueBeforeAStepAndRedoTheOneAfterIt() {
    var history = restoringCaret()
    history.edit.caret = 3
    for number in 1...3 {
      history.edit.count = number
      history.edit.caret = 10 * number
      history.edit.caret = -number  // a click
    }
    for wandering in [Int?.none, 77] {
      if let wandering { history.edit.caret = wandering }
      for number in [3, 2, 1] {
        history.undo()
        XCTAssertEqual(history.caret, number == 1 ? 3 : 1 - number, "before step \(number)")
        if let wandering { history.edit.caret = wandering }
      }
      for number in [1, 2, 3] {
        history.redo()
        XCTAssertEqual(history.caret, 10 * number, "after step \(number)")
        if let wandering { history.currentItem.caret = wandering }
      }
    }
  }

  func testChangesDoNotReportRestoredValues() {
    var history = restoringCaret()
    history.edit.count = 1
    history.edit.caret = 4
    XCTAssertEqual(history.undo()?.edits.count, 1)
    XCTAssertEqual(history.redo()?.touches(\.caret), false)
    XCTAssertFalse(history.touches(\.caret, since: .step(0)))
    var edits = 0
    history.undo { _ in edits += 1 }
    XCTAssertEqual(edits, 1)
  }

  func testEarlierStepsDoNotRestoreAPropertyRegisteredLater() {
    var history = UndoHistory(initialValue: Editor())
    history.edit.count = 1
    history.edit.caret = 5
    history.edit.count = 2
    history.restoreOnUndo(\.caret)
    history.edit.caret = 7
    history.undo()
    XCTAssertEqual(history.caret, 7)
    history.undo()
    XCTAssertEqual(history.caret, 0, "this assignment was a step when it was made")
    history.redo()
    XCTAssertEqual(history.undoCount, 2)
  }

  func testRegisteringARestoredPropertyTwiceHasNoEffect() {
    var (once, twice) = (restoringCaret(), restoringCaret())
    twice.restoreOnUndo(\.caret)
    for number in 1...3 {
      once.edit.count = number
      twice.edit.count = number
    }
    XCTAssertEqual(once.byteCount, twice.byteCount)
  }

  // MARK: Bytes

  func testRestoredIntCosts16BytesPerStep() {
    var (plain, restoring) = (UndoHistory(initialValue: Editor()), restoringCaret())
    for number in 1...100 {
      for letter in ["a", "b"] {
        plain.edit.text.append(letter)
        restoring.edit.text.append(letter)
        restoring.edit.caret += 1
      }
      plain.edit.count = number
      restoring.edit.count = number
      restoring.edit.caret += 1
      restoring.edit.caret -= 1
    }
    XCTAssertEqual([plain.undoCount, restoring.undoCount], [200, 200])
    XCTAssertEqual(restoring.byteCount, plain.byteCount + 200 * 16)
    XCTAssertEqual(restoring.steps.map(\.byteCount).reduce(0, +), restoring.byteCount)
    while restoring.canUndo { restoring.undo() }
    XCTAssertEqual(restoring.steps.map(\.byteCount).reduce(0, +), restoring.byteCount)
  }

  func testMemoryOfRestoredValuesCountsInTheByteLimit() {
    for limit in [UndoLimit.unlimited, .bytes(.max - 1), .bytes(10_000)] {
      var history = restoringAll()
      history.limit = limit
      for number in 1...20 {
        history.edit.count = number
        history.edit.selected.set(Array(0..<number * 10))
        XCTAssertEqual(history.steps.map(\.byteCount).reduce(0, +), history.byteCount)
        history.edit.tool = String(repeating: "x", count: number * 20)
        XCTAssertEqual(history.steps.map(\.byteCount).reduce(0, +), history.byteCount)
      }
      XCTAssertEqual(history.undoCount == 20, limit.bytes != 10_000)
      while history.canUndo { history.undo() }
      XCTAssertEqual(history.steps.map(\.byteCount).reduce(0, +), history.byteCount)
    }
  }

  // MARK: Equality

  func testEqualityIgnoresRestoredValues() {
    var (history, other) = (restoringAll(), restoringAll())
    for number in 1...3 {
      history.edit.count = number
      other.edit.count = number
      history.edit.caret = number
      other.edit.selected.set([number])
    }
    XCTAssertEqual(history, other)
    history.undo()
    other.undo()
    other.edit.tool = "Pen"
    XCTAssertEqual(history, other)
    other.edit.view.zoom = 2
    XCTAssertNotEqual(history, other)
    XCTAssertNotEqual(history.currentItem, other.currentItem)
  }

  // MARK: Lifetime

  func testValuesAreReleasedExactlyOnce() {
    withLifetimeTracking { tracker in
      typealias Item = LifetimeTracked<Int>
      struct Shelf {
        var items: [Item]
        var selected: Item?
        var boxes: [Item] = []
        var count = 0
      }
      var history = UndoHistory(initialValue: Shelf(items: tracker.instances(0..<3)))
      history.restoreOnUndo(\.selected)
      history.restoreOnUndo(\.boxes)
      for number in 0..<20 {
        history.edit.items.append(tracker.instance(number))
        history.edit.selected.set(tracker.instance(number))
        history.edit.selected.set(tracker.instance(-number))
        history.currentItem.boxes.append(tracker.instance(number))
        history.edit.count += 1
      }
      let fork = history
      for _ in 0..<10 { history.undo() }
      history.edit.selected.set(tracker.instance(100))
      history.edit.boxes.set([tracker.instance(100)])
      for _ in 0..<5 { history.redo() }
      try? history.transaction { edit in
        edit.selected.set(tracker.instance(200))
        edit.items.removeAll()
        edit.boxes.set([])
        throw Refused()
      }
      history.transaction { edit in
        edit.selected.set(tracker.instance(300))
        edit.items.removeLast()
      }
      let step = history.beginStep()
      history.edit.selected.set(tracker.instance(400))
      history.edit.items.append(tracker.instance(400))
      history.edit.selected.set(tracker.instance(500))
      history.cancelStep(step)
      history.currentItem = Shelf(items: tracker.instances(0..<2), selected: tracker.instance(1))
      history.limit = .steps(3)
      history.removeAllSteps()
      XCTAssertGreaterThan(tracker.liveCount, 40)
      XCTAssertEqual(fork.undoCount, 40)
    }
  }

  func testDroppedStepsReleaseTheirRestoredValues() {
    withLifetimeTracking { tracker in
      struct Shelf {
        var count = 0
        var selected: LifetimeTracked<Int>
      }
      var history = UndoHistory(initialValue: Shelf(selected: tracker.instance(0)))
      history.restoreOnUndo(\.selected)
      history.limit = .steps(3)
      for number in 1...100 {
        history.edit.count = number
        history.edit.selected.set(tracker.instance(number))
      }
      XCTAssertEqual(tracker.liveCount, 4)
      history.removeAllSteps()
      XCTAssertEqual(tracker.liveCount, 1)
      XCTAssertEqual(history.selected.payload, 100)
    }
  }
}
