import UndoHistories
import XCTest

final class UndoHistoryTextTests: XCTestCase {
  func testTypingIsOneRecord() {
    var history = UndoHistory(initialValue: "")
    for character in "Hello" { history.edit.append(String(character)) }
    XCTAssertEqual(history.currentItem, "Hello")
    XCTAssertEqual(history.undoCount, 1)
    XCTAssertEqual(history.byteCount, 32)
    history.undo()
    XCTAssertEqual(history.currentItem, "")
    history.redo()
    XCTAssertEqual(history.currentItem, "Hello")
  }

  func testTransactionsOfReplacementsUndoAndRedo() {
    var history = UndoHistory(initialValue: "start")
    var states = ["start"]
    for index in 0..<200 {
      history.transaction {
        $0.replaceSubrange(utf8: 0..<0, with: "é\(index)🎉")
        $0.insert("x", atUTF8: 0)
        $0.removeSubrange(utf8: 0..<1)
      }
      states.append(history.currentItem)
    }
    XCTAssertEqual(history.undoCount, 200)
    for state in states.dropLast().reversed() {
      history.undo()
      XCTAssertTrue(history.currentItem.utf8.elementsEqual(state.utf8))
    }
    XCTAssertNil(history.undo())
    for state in states.dropFirst() {
      history.redo()
      XCTAssertTrue(history.currentItem.utf8.elementsEqual(state.utf8))
    }
  }
}
