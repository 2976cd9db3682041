import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Remote edits of a document with restored values, which aren't recorded as part of a remote edit.
final class UndoRemoteEditsRestoringTests: XCTestCase {
  private struct Page: UndoArchivable, Equatable {
    var title = "", body = "", count = 0, lines: [String] = [], selection = ""

    static let undoParts = [
      UndoPart<Page>("title", \.title), UndoPart("body", \.body), UndoPart("count", \.count),
      UndoPart("lines", \.lines), UndoPart("selection", \.selection),
    ]
  }

  private var history: UndoHistory<Page> = {
    var history = UndoHistory(initialValue: Page())
    history.restoreOnUndo(\.selection)
    return history
  }()

  /// A restored text changes between the steps, so that a recorded range of it could be invalid later.
  func testEditOfARestoredTextIsNotPartOfABlockingRemoteEdit() {
    history.edit.title.append("abc")
    history.edit.selection = "caret"
    history.edit.count += 1
    history.applyRemote {
      $0.selection.append("s")
      $0.count = 7
    }
    XCTAssertEqual(history.selection, "carets")
    XCTAssertNotNil(history.blockingRemoteEdit)
    history.recordRemoteEdit()
    history.edit.selection = ""
    while history.undo() != nil {}
    XCTAssertEqual(history.currentItem, Page())
    while history.redo() != nil {}
    XCTAssertEqual(history.currentItem, Page(title: "abc", count: 7, selection: ""))
  }

  func testRemoteEditOfOnlyARestoredValueIsNotRecorded() {
    history.edit.count = 1
    history.edit.title = "a"
    history.markSaved()
    history.undo()
    history.applyRemote { $0.selection.append("s") }
    history.applyRemote(Page(count: 1, selection: "server"))
    XCTAssertEqual(history.selection, "server")
    XCTAssertNil(history.steps.first?.stepID)
    history.redo()
    XCTAssertFalse(history.isDirty)
    XCTAssertEqual(history.undoCount, 2)
  }

  func testRedoRestoresAValueThatARemoteEditChanged() {
    history.edit.count = 1
    history.edit.selection = "a"
    history.applyRemote { $0.selection.append("b") }
    history.undo()
    history.redo()
    XCTAssertEqual(history.selection, "ab")
  }

  func testRemoteEditThatThrowsRollsBackARestoredText() {
    history.edit.selection = "a"
    XCTAssertThrowsError(
      try history.applyRemote { edit in
        edit.selection.append("b")
        edit.count = 1
        edit.selection.removeSubrange(utf8: 0..<1)
        throw Refused()
      })
    XCTAssertEqual(history.currentItem, Page(selection: "a"))
  }

  func testRecordedRemoteEditRestoresValuesLikeAnyStep() {
    history.edit.count = 1
    history.applyRemote { $0.count = 2 }
    history.edit.selection = "a"
    history.recordRemoteEdit()
    history.edit.selection = "b"
    history.undo()
    XCTAssertEqual(history.currentItem, Page(count: 1, selection: "a"))
    history.redo()
    XCTAssertEqual(history.currentItem, Page(count: 2, selection: "b"))
  }

  func testRebasingIgnoresTheRestoredValuesOfTheStore() {
    history.edit.count = 1
    history.edit.selection = "mine"
    history.rebase(onto: Page(title: "server", selection: "theirs"))
    XCTAssertEqual(history.currentItem, Page(title: "server", count: 1, selection: "mine"))
  }

  /// The remote edit removes the element that the move passed.
  func testEqualityIgnoresRestoredValuesThatARemoteEditReplaced() {
    struct Frame: Equatable { var x = 0, y = 0 }
    struct Sheet: Equatable { var frame = Frame() }
    var history = UndoHistory(initialValue: Sheet())
    history.restoreOnUndo(\.frame.x)
    var (other, different) = (history, history)
    other.edit.frame.x = 5
    different.edit.frame.y = 5
    history.applyRemote { $0.frame.set(Frame(x: 1, y: 2)) }
    other.applyRemote { $0.frame.set(Frame(x: 1, y: 2)) }
    different.applyRemote { $0.frame.set(Frame(x: 1, y: 2)) }
    XCTAssertEqual(history, other)
    XCTAssertNotEqual(history, different)
  }

  func testMoveThatNoLongerMovesAnythingCanBeArchived() throws {
    var history = UndoHistory(initialValue: Page(lines: ["a", "b"]))
    history.edit.count = 1
    history.edit.lines.move(from: 0, to: 1)
    history.applyRemote { $0.lines.remove(at: 0) }
    history.edit.title = "c"
    history.applyRemote { $0.body = "server" }
    XCTAssertEqual(history.undoCount, 3)
    var restored = UndoHistory(initialValue: history.currentItem)
    try restored.restoreSteps(from: history.archive())
    XCTAssertEqual(restored.undoCount, 3)
    for _ in 0..<3 {
      history.undo()
      restored.undo()
      XCTAssertEqual(restored.currentItem, history.currentItem)
    }
  }

  func testPropertyEditedInAHiddenStepCannotBeRestored() {
    struct Note: Equatable { var text = "", count = 0 }
    var history = UndoHistory(initialValue: Note())
    history.transaction {
      $0.text.append("abc")
      $0.count = 1
    }
    history.applyRemote { $0.count = 5 }
    XCTAssertFalse(history.restoreOnUndo(\.text))
    history.edit.text.set("zz")
    history.undo()
    XCTAssertTrue(history.recordRemoteEdit())
    history.undo()
    history.undo()
    XCTAssertEqual(history.text, "")
  }

  func testRecordedRemoteEditIsRedoneWithTheRestoredValueOfItsStep() {
    struct Note: Equatable { var count = 0, caret = 0 }
    var history = UndoHistory(initialValue: Note())
    history.restoreOnUndo(\.caret)
    history.edit.count = 1
    history.applyRemote { $0.set(Note(count: 5)) }
    history.recordRemoteEdit()
    history.edit.caret = 4
    history.edit.caret = 9
    history.undo()
    history.redo()
    XCTAssertEqual(history.currentItem, Note(count: 5, caret: 4))
  }

  func testAssignmentAfterARemoteEditIsNotPartOfTheStepBeforeIt() {
    struct Note: Equatable { var count = 0, other = 0, caret = 0 }
    for isEndedByHand in [true, false] {
      var history = UndoHistory(initialValue: Note())
      history.restoreOnUndo(\.caret)
      let step = history.beginStep()
      history.edit.count = 1
      history.edit.caret = 1
      if isEndedByHand { history.endStep(step) }
      history.applyRemote { $0.other = 5 }
      history.edit.caret = 9
      history.undo()
      history.redo()
      XCTAssertEqual(history.currentItem, Note(count: 1, other: 5, caret: 1))
    }
  }
}
