import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// State that few histories have: restored values, times and open steps.
final class UndoHistoryExtrasTests: XCTestCase {
  private struct Editor: Equatable, Codable, UndoArchivable {
    var text = "", caret = 0, count = 0, place = 0, selected: [Int] = [], size = 0

    static var undoParts: [UndoPart<Editor>] {
      [
        UndoPart("text", \.text), UndoPart("caret", \.caret), UndoPart("count", \.count),
        UndoPart("place", \.place), UndoPart("selected", \.selected), UndoPart("size", \.size),
      ]
    }
  }

  private func history() -> UndoHistory<Editor> {
    var history = UndoHistory(initialValue: Editor())
    history.restoreOnUndo(\.caret)
    return history
  }

  func testUndoRestoresTwoValuesAssignedTogether() {
    var history = history()
    history.restoreOnUndo(\.place)
    history.currentItem = Editor(caret: 1, count: 1, place: 1)
    XCTAssertEqual(history.undone(), Editor())
  }

  func testCancellingAStepRollsBackARestoredValue() {
    var history = history()
    let step = history.beginStep()
    history.currentItem = Editor(text: "a", caret: 1)
    history.cancelStep(step)
    XCTAssertEqual(history.currentItem, Editor())
  }

  func testAssigningTwoRestoredValuesDoesNotInterruptTyping() {
    var history = history()
    history.restoreOnUndo(\.size)
    for letter in ["a", "b", "c"] {
      history.edit.text.append(letter)
      var next = history.currentItem
      (next.caret, next.size) = (next.caret + 1, next.size + 1)
      history.currentItem = next
    }
    XCTAssertEqual(history.undoCount, 1)
  }

  func testRestoringStepsKeepsTheRestoreOnUndoSetting() throws {
    var history = history()
    history.edit.count = 1
    var restored = self.history()
    restored.edit.count = 1
    try restored.restoreSteps(from: history.archive())
    restored.edit.caret = 9
    XCTAssertEqual(restored.undoCount, 1)
  }

  func testTimesAreStillRecordedAfterRestoringSteps() throws {
    var history = history()
    history.edit.count = 1
    let archive = try history.archive()
    history.recordTimes { .seconds(5) }
    try history.restoreSteps(from: archive)
    history.edit.count = 2
    XCTAssertEqual(history.steps.map(\.time), [nil, .seconds(5)])
  }

  func testArchiveDigestIgnoresRestoredValues() throws {
    var history = history()
    history.edit.count = 1
    let archive = try history.archive()
    history.edit.caret = 7
    history.edit.caret = 8
    try history.restoreSteps(from: archive)
  }

  func testArchiveContainsNamedRestoredValues() throws {
    var history = history()
    history.edit.count = 1
    history.edit.caret = 1
    var restored = UndoHistory(initialValue: history.currentItem)
    restored.restoreOnUndo(\.caret)
    try restored.restoreSteps(from: history.archive())
    XCTAssertEqual(restored.undone().caret, 0)
  }

  func testDragThatSometimesMovesOneAxisIsRecordedOnce() {
    struct Frame { var x = 0, y = 0, width = 1 }
    var history = UndoHistory(initialValue: Frame())
    _ = history.beginStep("Drag")
    for x in 1...100 { history.currentItem = Frame(x: x, y: x / 2) }
    XCTAssertLessThanOrEqual(history.byteCount, 24 + 3 * 32)
  }
}
