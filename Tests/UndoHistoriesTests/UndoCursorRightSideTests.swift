import Observation
import UndoHistories
import XCTest

/// Edits whose new value is read from the history that they edit.
final class UndoCursorRightSideTests: XCTestCase {
  struct Item: Equatable {
    var name = ""
    var tags: [String] = []
    var isDone = false
  }

  struct Note: Equatable {
    var title = "a"
    var subtitle: String?
    var isDone = false
    var count = 1
    var other = 2
    var items = [Item(name: "x", tags: ["t"]), Item(name: "y", isDone: true)]
    var lines = ["l", "m"]
    var numbers = [1, 2, 3]
    var ages = ["Ada": 36]
    var marks: Set<Int> = [1]
  }

  final class Model {
    var history = UndoHistory(initialValue: Note())
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
  @Observable
  final class ObservableModel {
    var history = UndoHistory(initialValue: Note())
  }

  /// Reads and writes a history through closures, like a binding of SwiftUI.
  struct Reference {
    let get: () -> UndoHistory<Note>
    let set: (UndoHistory<Note>) -> Void
    var wrappedValue: UndoHistory<Note> {
      get { get() }
      nonmutating set { set(newValue) }
    }
  }

  func testAssignmentReadsTheHistoryItEdits() {
    var history = UndoHistory(initialValue: Note())
    history.edit.isDone = !history.isDone
    history.edit.count = history.count + history.currentItem.other
    history.edit.count += history.currentItem.other
    history.edit.items[0].name = history.currentItem.items[1].name
    history.edit.items[1].isDone = !history.items[1].isDone
    history.edit.numbers[0] += history.numbers[2]
    history.edit.ages["Ada"] = history.ages.count
    history.edit.ages["Ida", default: 0] += history.count
    XCTAssertEqual(history.undoCount, 8)
    XCTAssertEqual(
      history.currentItem,
      Note(
        isDone: true, count: 5, items: [Item(name: "y", tags: ["t"]), Item(name: "y")], numbers: [4, 2, 3],
        ages: ["Ada": 1, "Ida": 5]))
    expectUndone(&history)
  }

  func testTextEditReadsTheHistoryItEdits() {
    var history = UndoHistory(initialValue: Note())
    history.coalescing = .none
    history.edit.title = history.title + "b"
    history.edit.title += history.title
    history.edit.title.append(history.edit.title)
    history.edit.title.insert(history.currentItem.title, at: history.title.startIndex)
    history.edit.title.insert(history.lines[0], atUTF8: history.title.utf8.count)
    history.edit.title.set(history.title.uppercased())
    history.edit.subtitle = history.title
    history.edit.lines[0] = history.lines[1] + history.edit.lines[0]
    history.edit.lines[1] += history.lines[0]
    XCTAssertEqual(history.title, "ABABABABABABABABL")
    XCTAssertEqual(history.subtitle, history.title)
    XCTAssertEqual(history.lines, ["ml", "mml"])
    XCTAssertEqual(history.undoCount, 9)
    expectUndone(&history)
  }

  func testMethodArgumentsReadTheHistoryTheyEdit() {
    var history = UndoHistory(initialValue: Note())
    history.edit.items.append(history.currentItem.items[0])
    history.edit.items.insert(history.items[1], at: history.items.count)
    history.edit.items.replaceSubrange(0..<1, with: history.items.suffix(1))
    history.edit.items.remove(at: history.items.count - 1)
    history.edit.items.move(from: 0, to: history.edit.items.count - 1)
    history.edit.items.swapAt(0, history.items.count - 2)
    history.edit.items[0].tags.append(contentsOf: history.items.map(\.name))
    history.edit.numbers.set(history.numbers.reversed())
    history.edit.numbers.removeAll { [history] in $0 == history.numbers[0] }
    history.edit.marks.insert(history.count + 1)
    history.edit.ages.updateValue(history.count, forKey: history.title)
    XCTAssertEqual(history.items.map(\.name), ["x", "y", "y"])
    XCTAssertEqual(history.items[0].tags, ["t", "x", "y", "y"])
    XCTAssertEqual(history.numbers, [2, 1])
    XCTAssertEqual(history.marks, [1, 2])
    XCTAssertEqual(history.ages, ["Ada": 36, "a": 1])
    expectUndone(&history)
  }

  func testHistoryInAnObjectIsReadOnTheRightSide() {
    let model = Model()
    model.history.edit.isDone = !model.history.isDone
    model.history.edit.count += model.history.currentItem.other
    model.history.edit.title = model.history.title + "b"
    model.history.edit.title += model.history.title
    model.history.edit.title.insert(model.history.currentItem.title, at: model.history.title.startIndex)
    model.history.edit.items[0].name = model.history.currentItem.items[1].name
    model.history.edit.items.append(model.history.currentItem.items[0])
    model.history[as: "agent"].count += model.history.currentItem.count
    model.history.transaction { [count = model.history.count] in $0.other = count }
    XCTAssertEqual(
      model.history.currentItem,
      Note(
        title: "abababab", isDone: true, count: 6, other: 6,
        items: [Item(name: "y", tags: ["t"]), Item(name: "y", isDone: true), Item(name: "y", tags: ["t"])]))
    expectUndone(&model.history)
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
  func testHistoryInAnObservableObjectIsReadOnTheRightSide() {
    let model = ObservableModel()
    let change = expectation(description: "A change is observed")
    withObservationTracking {
      _ = model.history.edit.count
    } onChange: {
      change.fulfill()
    }
    model.history.edit.isDone = !model.history.isDone
    wait(for: [change], timeout: 10)
    model.history.edit.items[0].name += model.history.currentItem.items[1].name
    model.history.edit.items.append(model.history.currentItem.items[0])
    XCTAssertEqual(model.history.items.map(\.name), ["xy", "y", "xy"])
    expectUndone(&model.history)
  }

  func testHistoryBehindABindingIsReadOnTheRightSide() {
    let model = Model()
    let reference = Reference(get: { model.history }, set: { model.history = $0 })
    reference.wrappedValue.edit.isDone = !reference.wrappedValue.isDone
    reference.wrappedValue.edit.title = reference.wrappedValue.title + "b"
    XCTAssertEqual(model.history.title, "ab")
    XCTAssertEqual(model.history.undoCount, 2)
    expectUndone(&model.history)
  }

  func testEditByAnOriginReadsTheHistoryItEdits() {
    var history = UndoHistory(initialValue: Note())
    history[as: "agent"].isDone = !history.isDone
    history[as: "agent"].title = history[as: "agent"].title + history.title
    history[as: "agent"].items.append(history.items[0])
    history.edit.count += history.count
    XCTAssertEqual(history.steps.map(\.origin), ["agent", "agent", "agent", nil])
    XCTAssertEqual(history.title, "aa")
    history.undo(by: "agent")
    XCTAssertEqual(history.items.count, 2)
  }

  func testTransactionReadsItsCursor() {
    var history = UndoHistory(initialValue: Note())
    history.transaction { $0.isDone = !$0.isDone }
    history.transaction { edit in
      edit.count += edit.currentItem.other
      edit.title = edit.title + edit.title
      edit.title += edit.currentItem.title
      edit.items.append(edit.currentItem.items[0])
      edit.items[0].name = edit.currentItem.items[1].name
      edit.items.transaction { items in
        for (index, item) in items.currentItem.enumerated() { items[index].isDone = !item.isDone }
      }
      for number in edit.currentItem.numbers { edit.numbers.append(number + edit.numbers.count) }
    }
    XCTAssertEqual(history.undoCount, 2)
    XCTAssertEqual(
      history.currentItem,
      Note(
        title: "aaaa", isDone: true, count: 3,
        items: [
          Item(name: "y", tags: ["t"], isDone: true), Item(name: "y"), Item(name: "x", tags: ["t"], isDone: true),
        ],
        numbers: [1, 2, 3, 4, 6, 8]))
    expectUndone(&history)
  }

  func testEditOfACopyReadsItselfAndTheOriginal() {
    let history = UndoHistory(initialValue: Note())
    XCTAssertEqual(history.edit.items.count, 2)
    XCTAssertEqual(history.edit.title, "a")
    var copy = history
    copy.edit.title = copy.edit.title + history.edit.title
    XCTAssertEqual([copy.title, history.title], ["aa", "a"])
  }

  func testAppendOperatorRecordsLikeAppend() {
    var history = UndoHistory(initialValue: "")
    for key in ["a", "b", "c"] { history.edit += key }
    XCTAssertEqual(history.currentItem, "abc")
    XCTAssertEqual(history.undoCount, 1)
    var appended = UndoHistory(initialValue: "")
    for key in ["a", "b", "c"] { appended.edit.append(key) }
    XCTAssertEqual(history, appended)
  }

  private func expectUndone(_ history: inout UndoHistory<Note>, line: UInt = #line) {
    let edited = history.currentItem
    XCTAssertEqual(history.allUndone(), Note(), line: line)
    XCTAssertEqual(history.allRedone(), edited, line: line)
  }
}
