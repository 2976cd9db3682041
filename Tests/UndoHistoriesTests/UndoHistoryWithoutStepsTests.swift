import TestSupport
import UndoHistories
import XCTest

/// A limit of zero steps, with which nothing can be undone.
final class UndoHistoryWithoutStepsTests: XCTestCase {
  private struct Note: Equatable {
    var text = "", caret = 0, rows = [1, 2], table = ["a": "b"]
  }

  func testLimitOfZeroRecordsNoSteps() {
    var history = UndoHistory(initialValue: "")
    history.limit = .steps(0)
    for letter in "Hello" { history.edit.append(String(letter)) }
    XCTAssertFalse(history.canUndo)
    XCTAssertEqual(history.byteCount, 0)
    XCTAssertNil(history.undo())
    XCTAssertEqual(history.currentItem, "Hello")
    XCTAssertTrue(history.isDirty)
    history.markSaved()
    XCTAssert(!history.isDirty)
    history.currentItem = "Other"
    XCTAssertFalse(!history.isDirty || history.canUndo)
  }

  func testSettingALimitOfZeroDropsUndoAndRedoSteps() {
    var history = UndoHistory(initialValue: 0)
    for number in 1...3 { history.edit.set(number) }
    history.undo()
    history.limit = .steps(0)
    XCTAssertFalse(history.canUndo || history.canRedo)
    XCTAssertEqual(history.currentItem, 2)
    history.limit = .steps(2)
    history.edit.set(5)
    XCTAssertEqual(history.undoCount, 1)
    XCTAssertEqual(history.undone(), 2)
  }

  func testAnOpenStepCanBeCanceled() {
    var history = UndoHistory(initialValue: Note())
    history.limit = .steps(0)
    let drag = history.beginStep("Drag")
    for number in 1...3 { history.edit.caret.set(number) }
    history.cancelStep(drag)
    XCTAssertEqual(history.caret, 0)
    let other = history.beginStep("Drag")
    history.edit.caret.set(7)
    history.endStep(other)
    XCTAssertEqual(history.caret, 7)
    XCTAssertFalse(history.canUndo)
  }

  func testRandomEditsAreMadeWithoutRecordingSteps() {
    withSeeds(200) { random in
      var (history, note) = (UndoHistory(initialValue: Note()), Note())
      if random.chance(oneIn: 2) { history.restoreOnUndo(\.caret) }
      if random.chance(oneIn: 2) { history.keepsBranches = true }
      if random.chance(oneIn: 3) { history.coalescing = .none }
      history.limit = .steps(0)
      for number in 0..<30 {
        switch random.int(in: 0..<8) {
        case 0...2:
          history.edit.text.append("\(number)")
          note.text.append("\(number)")
        case 3: (history.currentItem.caret, note.caret) = (number, number)
        case 4:
          history.edit.rows.insert(number, at: 0)
          note.rows.insert(number, at: 0)
        case 5:
          history.transaction("All") {
            $0.text.set("new")
            $0.caret.set(3)
          }
          (note.text, note.caret) = ("new", 3)
        case 6: (history.currentItem.table["a"], note.table["a"]) = ("\(number)", "\(number)")
        default:
          history.applyRemote { $0.rows.append(number) }
          note.rows.append(number)
        }
        guard expectEqual(history.currentItem, note), expectEqual(history.undoCount + history.redoCount, 0) else {
          return
        }
      }
    }
  }
}
