import TestSupport
import UndoHistories
import XCTest

/// Edits of several origins, and undo of the steps of one origin.
final class UndoOriginTests: XCTestCase {
  private struct Note: Equatable {
    struct Line: Equatable { var text = "", tags: [String] = [] }

    var title = ""
    var count = 0
    var lines: [Line] = []
  }

  private var history = UndoHistory(initialValue: Note())

  func testUndoByOriginKeepsTheEditsOfOtherOrigins() {
    history[as: "agent"].lines.append(.init(text: "Milk"))
    history.edit.title = "Shopping"
    history[as: "server"].count = 3
    guard case .undone(let change) = history.undo(by: "agent") else { return XCTFail("it is blocked") }
    XCTAssertEqual(history.currentItem, Note(title: "Shopping", count: 3))
    XCTAssertEqual(change.edits.map(\.kind), [.elements(.range(old: 0..<1, new: 0..<0))])
    XCTAssertEqual(change.label, "Undo")
    XCTAssertEqual(history.undoCount, 4)
  }

  func testUndoByOriginIsAStepThatCanBeUndone() {
    history.transaction("Fill in", as: "agent") { $0.title = "Milk" }
    history.edit.count = 1
    history.undo(by: "agent")
    XCTAssertEqual(history.undoLabel, "Undo Fill in")
    XCTAssertEqual(history.undone(), Note(title: "Milk", count: 1))
    XCTAssertEqual(history.redone(), Note(count: 1))
  }

  func testRedoByOriginWorksAfterLaterEdits() {
    history.transaction("Fill in", as: "agent") { $0.lines.append(.init(text: "Milk")) }
    history.edit.lines.insert(.init(text: "Eggs"), at: 0)
    history.undo(by: "agent")
    history.edit.lines.insert(.init(text: "Flour"), at: 0)
    XCTAssertEqual(history.redo(by: "someone"), .nothing)
    guard case .undone(let change) = history.redo(by: "agent") else { return XCTFail("it is blocked") }
    XCTAssertEqual(change.label, "Redo Fill in")
    XCTAssertEqual(history.lines.map(\.text), ["Flour", "Eggs", "Milk"])
    XCTAssertEqual(history.redo(by: "agent"), .nothing)
    guard case .undone(let again) = history.undo(by: "agent") else { return XCTFail("it is blocked") }
    XCTAssertEqual(again.label, "Undo Fill in")
    XCTAssertEqual(history.lines.map(\.text), ["Flour", "Eggs"])
  }

  /// The lines are removed from two places, and are restored in one, because the line between them was removed.
  ///
  /// The step and its undo must not block an earlier step.
  func testUndoneStepWhoseRangesMergedDoesNotBlockUndo() {
    history.transaction { $0.lines.append(contentsOf: ["1", "2", "3"].map { .init(text: $0) }) }
    history[as: "agent"].count = 1
    history.transaction("Odd", as: "agent") { editor in
      editor.count = 2
      editor.lines.removeAll { $0.text != "2" }
    }
    history.edit.lines.remove(at: 0)
    guard case .undone = history.undo(by: "agent") else { return XCTFail("it is blocked") }
    XCTAssertEqual(history.lines.map(\.text), ["1", "3"])
    guard case .undone = history.undo(by: "agent") else { return XCTFail("it is blocked") }
    XCTAssertEqual(history.count, 0)
  }

  func testTypingInAnInsertedLineBlocksItsUndoAndIsReported() {
    history[as: "agent"].lines.append(.init(text: "A paragraph"))
    history.edit.lines[0].text.insert("long ", atUTF8: 2)
    history.edit.count = 1
    let before = history
    guard case .blocked(let obstacles) = history.undo(by: "agent") else { return XCTFail("it is not blocked") }
    XCTAssertEqual(obstacles, [history.steps.dropFirst().first?.stepID])
    XCTAssertEqual(history, before)
    for blockingEditID in obstacles { XCTAssertNotEqual(history.undo(step: blockingEditID), .nothing) }
    XCTAssertNotEqual(history.undo(by: "agent"), .nothing)
    XCTAssertEqual(history.currentItem, Note(count: 1))
  }

  func testStepsThatBlockABlockingStepAreReportedToo() {
    history[as: "agent"].lines.append(.init(text: "A"))
    history.edit.lines[0].text.append("B")
    history[as: "server"].lines[0].text = "C"
    let ids = history.steps.map(\.stepID)
    XCTAssertEqual(history.undo(by: "agent"), .blocked(by: [ids[2], ids[1]].compactMap(\.self)))
  }

  func testTypingOfTwoOriginsNeverJoins() {
    for key in ["a", "b"] { history[as: "agent"].title.append(key) }
    XCTAssertEqual(history.undoCount, 1)
    history.edit.title.append("c")
    history[as: "server"].title.append("d")
    history[as: "server"].title.append("e")
    history.edit.title.append("f")
    XCTAssertEqual(history.undoCount, 4)
    XCTAssertEqual(history.steps.map(\.origin), ["agent", nil, "server", nil])
  }

  func testTypingJoinsAcrossAnEmptyEditOfAnotherOrigin() {
    history.edit.title.append("a")
    history.transaction(as: "agent") { _ in }
    history.edit.title.append("b")
    XCTAssertEqual(history.undoCount, 1)
    history.edit.title.append("c")
    history.endCoalescing()
    history[as: "agent"].count = 0
    history.edit.title.append("d")
    XCTAssertEqual(history.undoCount, 2)
  }

  func testEndCoalescingAppliesToEveryOrigin() {
    history[as: "agent"].title.append("a")
    history.endCoalescing()
    history[as: "agent"].title.append("b")
    XCTAssertEqual(history.undoCount, 2)
  }

  func testStepIDsAreStableAndNotReused() {
    history.edit.count = 1
    XCTAssertEqual(history.steps.map(\.stepID), [nil])
    history[as: "agent"].title = "a"
    history.edit.count = 2
    let ids = history.steps.map(\.stepID)
    XCTAssertEqual(Set(ids).count, 3)
    XCTAssertFalse(ids.contains(nil))
    history.undo()
    history.undo()
    XCTAssertEqual(history.steps.map(\.stepID), ids)
    history.edit.count = 7
    XCTAssertEqual(history.steps.map(\.stepID).first, ids[0])
    XCTAssertFalse(ids.contains(history.steps.map(\.stepID).last!))
  }

  func testAnUnknownOriginHasNothingToUndo() {
    XCTAssertEqual(history.undo(by: "agent"), .nothing)
    XCTAssertEqual(history.undo(by: nil), .nothing)
    XCTAssertEqual(history.redo(by: nil), .nothing)
    XCTAssertEqual(history.undo(step: UndoStepID(rawValue: 1)), .nothing)
  }

  func testEditOfAnotherOriginEndsTheOpenStep() {
    let step = history.beginStep("Drag")
    history.edit.count = 1
    history[as: "agent"].title = "a"
    XCTAssertFalse(history.endStep(step))
    XCTAssertEqual(history.steps.map(\.label), ["Drag", nil])
  }

  func testCancelingAStepRestoresTheIDsOfTheRedoSteps() {
    history[as: "agent"].count = 1
    history[as: "agent"].count = 2
    history.undo()
    let before = Array(history.steps)
    let step = history.beginStep()
    history.edit.title = "a"
    history.cancelStep(step)
    XCTAssertEqual(Array(history.steps), before)
  }

  func testUndoByOriginLeavesRestoredValuesAlone() {
    history.restoreOnUndo(\.count)
    history[as: "agent"].title.append("abc")
    history.edit.count = 3
    history.edit.lines.append(.init(text: "x"))
    history.edit.count = 5
    history.undo(by: "agent")
    XCTAssertEqual(history.currentItem, Note(count: 5, lines: [.init(text: "x")]))
    XCTAssertEqual(history.steps.map(\.origin), ["agent", nil, "agent"])
  }

  func testLargeValuesAreUndoneByOrigin() {
    struct Large: Equatable {
      var matrix = Matrix()
      var count = 0
      static func == (a: Large, b: Large) -> Bool { a.matrix.last == b.matrix.last && a.count == b.count }
    }
    var history = UndoHistory(initialValue: [Large(), Large()])
    var matrix = Matrix()
    matrix.last = 7
    history[as: "agent"][1].matrix.set(matrix)
    history.edit.insert(Large(count: 1), at: 0)
    history.edit[2].count = 4
    XCTAssertEqual(history[2].matrix.last, 7)
    history.undo(by: "agent")
    XCTAssertEqual(history[2].matrix.last, 0)
    XCTAssertEqual(history[2].count, 4)
    history.redo(by: "agent")
    XCTAssertEqual(history[2].matrix.last, 7)
  }
}

extension UndoHistory where Value: RandomAccessCollection, Value.Index == Int {
  fileprivate subscript(index: Int) -> Value.Element { currentItem[index] }
}
