import UndoHistories
import XCTest

/// The examples of the post "Undo History in Swift", written as in the post, and its exercises.
final class UndoHistoryPostTests: XCTestCase {
  struct Person {
    var name: String
    var age: Int
  }

  func testArrayExample() {
    var history = UndoHistory(initialValue: [1, 2, 3])
    history.currentItem.append(4)
    XCTAssertEqual(history.currentItem, [1, 2, 3, 4])
    history.undo()
    XCTAssertEqual(history.currentItem, [1, 2, 3])
    history.undo()
    XCTAssertEqual(history.currentItem, [1, 2, 3])
  }

  func testPersonExample() {
    var personHistory = UndoHistory(initialValue: Person(name: "Chris", age: 31))
    personHistory.currentItem.age += 1
    XCTAssertEqual(personHistory.currentItem.age, 32)
    personHistory.undo()
    XCTAssertEqual(personHistory.currentItem.age, 31)
  }

  func testTableViewExample() {
    final class ViewController {
      var reloads = 0
      var data = UndoHistory(initialValue: (0..<20).map { Person(name: "Person \($0)", age: $0) }) {
        didSet { reloads += 1 }
      }
    }
    let controller = ViewController()
    let row = 3
    XCTAssertEqual(controller.data.currentItem.count, 20)
    XCTAssertEqual(controller.data.currentItem[row].name, "Person 3")
    controller.data.currentItem.remove(at: row)
    XCTAssertEqual(controller.data.currentItem.count, 19)
    controller.data.currentItem[17].name = "John"
    XCTAssertEqual(controller.reloads, 2)
    controller.data.undo()
    controller.data.undo()
    XCTAssertEqual(controller.reloads, 4)
    XCTAssertEqual(controller.data.currentItem.map(\.name), (0..<20).map { "Person \($0)" })
  }

  func testExerciseRedo() {
    var history = UndoHistory(initialValue: [1, 2, 3])
    history.currentItem = []
    history.undo()
    XCTAssertTrue(history.canRedo)
    history.redo()
    XCTAssertEqual(history.currentItem, [])
    XCTAssertFalse(history.canRedo)
  }
}
