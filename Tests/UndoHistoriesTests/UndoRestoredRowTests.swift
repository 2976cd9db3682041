import TestSupport
import UndoHistories
import XCTest

/// Selected rows of a list that undo restores, and that move with remote edits.
final class UndoRestoredRowTests: XCTestCase {
  private struct List: Equatable {
    var items = ["a", "b", "c"], selection = 2, marked: Int? = 1, title = ""
  }

  private func makeList(_ list: List = List()) -> UndoHistory<List> {
    var history = UndoHistory(initialValue: list)
    XCTAssertTrue(history.restoreOnUndo(\.selection, in: \.items))
    XCTAssertTrue(history.restoreOnUndo(\.marked, in: \.items))
    return history
  }

  func testSelectionOfARemovedRowIsThatOfTheLastRow() {
    var history = makeList()
    history.transaction("Rename") {
      $0.items[0] = "A"
      $0.selection = 0
    }
    history.applyRemote { $0.items.removeLast() }
    history.undo()
    XCTAssertEqual(history.selection, 1)
    XCTAssertTrue(history.items.indices.contains(history.selection))
    history.redo()
    XCTAssertEqual(history.selection, 0)
  }

  func testOptionalSelectionOfARemovedRowIsNil() {
    var history = makeList()
    history.edit.title = "title"
    history.edit.marked = 0
    history.applyRemote { $0.items.remove(at: 1) }
    XCTAssertEqual(history.marked, 0)
    history.undo()
    XCTAssertNil(history.marked)
    history.redo()
    XCTAssertEqual(history.marked, 0)
    history.applyRemote { $0.items.remove(at: 0) }
    XCTAssertNil(history.marked)
  }

  func testSelectionIsZeroIfNoRowsAreLeft() {
    var history = makeList()
    history.edit.title = "title"
    history.applyRemote { $0.items.removeAll() }
    XCTAssertEqual(history.selection, 0)
    history.undo()
    XCTAssertEqual(history.selection, 0)
  }

  func testSelectionStaysWithItsRow() {
    var history = makeList()
    history.edit.title = "title"
    history.edit.selection = 1
    history.applyRemote { edit in
      edit.items.insert("new", at: 0)
      edit.items.move(from: 3, to: 0)
      edit.items.swapAt(1, 2)
    }
    XCTAssertEqual(history.items, ["c", "a", "new", "b"])
    XCTAssertEqual(history.selection, 3)
    history.undo()
    XCTAssertEqual(history.selection, 0)
    history.redo()
    XCTAssertEqual(history.selection, 3)
    history.applyRemote { $0.items.reverse() }
    XCTAssertEqual(history.selection, 0)
  }

  func testNumbersThatAreNoRowStay() {
    for number in [-1, 3, Int.max, Int.min] {
      var history = makeList(List(selection: number, marked: number))
      history.edit.title = "title"
      history.edit.selection = 0
      history.applyRemote { $0.items.append("d") }
      history.applyRemote { $0.items.remove(at: 0) }
      history.undo()
      XCTAssertEqual(history.selection, number)
    }
  }

  func testEditsWithinARowDoNotMoveIt() {
    var history = makeList()
    history.edit.title = "title"
    history.applyRemote { $0.items[2].append("!") }
    history.applyRemote { $0.items[2] = "C" }
    XCTAssertEqual(history.selection, 2)
    history.undo()
    XCTAssertEqual(history.selection, 2)
  }

  func testSelectionInStepsOfTheList() {
    var history = makeList()
    history.transaction {
      $0.items.insert("0", at: 0)
      $0.selection = 0
    }
    history.transaction {
      $0.items.remove(at: 0)
      $0.selection = 1
    }
    history.applyRemote { $0.items.removeLast() }
    XCTAssertEqual(history.selection, 1)
    history.undo()
    XCTAssertEqual(history.items, ["0", "a", "b"])
    XCTAssertEqual(history.selection, 0)
    history.undo()
    XCTAssertEqual(history.items, ["a", "b"])
    XCTAssertEqual(history.selection, 1)
    history.redo()
    history.redo()
    XCTAssertEqual(history.selection, 1)
  }

  func testListThatIsReplacedAsAWhole() {
    struct Box: Equatable { var list = List(), count = 0, row = 2 }
    var history = UndoHistory(initialValue: Box())
    history.restoreOnUndo(\.row, in: \.list.items)
    history.edit.count = 1
    history.applyRemote { $0.list.set(List(items: ["x"])) }
    XCTAssertEqual(history.row, 0)
    history.undo()
    XCTAssertEqual(history.row, 0)
  }

  func testRangeOfRowsShrinks() {
    struct Table: Equatable { var rows = [1, 2, 3, 4, 5], selected = 1..<4, count = 0 }
    var history = UndoHistory(initialValue: Table())
    history.restoreOnUndo(\.selected, in: \.rows)
    history.edit.count = 1
    history.applyRemote { $0.rows.remove(at: 1) }
    history.applyRemote { $0.rows.insert(0, at: 0) }
    history.undo()
    XCTAssertEqual(history.selected, 2..<4)
  }
}
