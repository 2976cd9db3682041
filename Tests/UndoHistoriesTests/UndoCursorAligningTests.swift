import TestSupport
import UndoHistories
import XCTest

/// Assignments that are compared in detail: remote ones, and those of a history with origins.
///
/// Each range that differs becomes a separate part of the edit, so that the unchanged parts between don't conflict.
final class UndoCursorAligningTests: XCTestCase {
  private struct Item: Identifiable, Equatable {
    var id = 0
    var name = ""
  }

  private func lines(_ range: some Sequence<Int>) -> String { range.map { "line \($0)\n" }.joined() }

  // MARK: Texts

  func testRemoteAssignmentLeavesLinesBetweenItsChangesUndoable() {
    var history = UndoHistory(initialValue: lines(0..<100))
    history.edit.replaceSubrange(history.currentItem.range(of: "line 50\n")!, with: "mine\n")
    var theirs = history.currentItem
    theirs.replaceSubrange(theirs.range(of: "line 10\n")!, with: "")
    theirs.replaceSubrange(theirs.range(of: "line 90\n")!, with: "theirs 1\ntheirs 2\n")
    history.applyRemote(theirs)
    XCTAssertEqual(history.currentItem, theirs)
    XCTAssertNotNil(history.undo())
    XCTAssertEqual(history.currentItem, theirs.replacing("mine\n", with: "line 50\n"))
    XCTAssertEqual(history.redone(), theirs)
  }

  func testAssignmentIsOneRangeUntilARemoteEditIsApplied() {
    var history = UndoHistory(initialValue: "a\nb\nc\n")
    history.currentItem = "x\nb\ny\n"
    XCTAssertEqual(history.undo()?.edits.count, 1)
    history.applyRemote { $0.append("d\n") }
    history.currentItem = "x\nb\ny\nd\n"
    XCTAssertEqual(history.undo()?.edits.count, 2)
  }

  func testAlignedAssignmentKeepsCharactersWhole() {
    let pairs = [("é\nb\nè\n", "ê\nb\në\n"), ("👨‍👩‍👧\n=\n👨‍👩‍👦\n", "👨‍👩‍👦\n=\n👨‍👩‍👧\n"), ("a\r\nb\r\nc", "x\r\nb\r\n")]
    for (old, new) in pairs {
      var history = UndoHistory(initialValue: old)
      history.transaction("", as: "agent") { $0.set(new) }
      XCTAssertEqual(history.currentItem, new)
      history.undo()
      XCTAssertEqual(Array(history.currentItem.utf8), Array(old.utf8))
      history.redo()
      XCTAssertEqual(Array(history.currentItem.utf8), Array(new.utf8))
    }
  }

  // MARK: Elements

  func testElementsAreMatchedByID() {
    var history = UndoHistory(initialValue: (0..<5).map { Item(id: $0, name: "\($0)") })
    history.edit[3].name = "mine"
    let theirs = [
      Item(id: 9, name: "new"), Item(id: 0, name: "zero"), Item(id: 1, name: "1"), Item(id: 2, name: "2"),
      Item(id: 3, name: "mine"), Item(id: 4, name: "four"),
    ]
    history.applyRemote(theirs)
    XCTAssertNil(history.blockingRemoteEdit)
    XCTAssertEqual(history.undone().map(\.name), ["new", "zero", "1", "2", "3", "four"])
    XCTAssertEqual(history.redone(), theirs)
  }

  func testElementsWithoutIDsAreMatchedByValue() {
    var history = UndoHistory(initialValue: ["a", "b", "c", "d"])
    history.edit[1].append("!")
    history.applyRemote(["new", "a", "b!", "c", "D"])
    XCTAssertEqual(history.undone(), ["new", "a", "b", "c", "D"])
  }

  func testUpToSixteenReplacedElementsWithoutIDsAreComparedOneByOne() {
    for (count, edits) in [(2, 2), (16, 16), (17, 1)] {
      let names = (0..<20).map { "name \($0)" }
      var history = UndoHistory(initialValue: names)
      history.transaction("", as: "agent") {
        $0.set(names.prefix(1) + (1...count).map { "new \($0)" } + names.dropFirst(count + 1))
      }
      XCTAssertEqual(history.undo()?.edits.count, edits)
      XCTAssertEqual(history.currentItem, names)
    }
  }

  func testElementWithAnotherIDIsNotMatched() {
    var history = UndoHistory(initialValue: [Item(id: 1, name: "one")])
    history.edit[0].name = "mine"
    history.applyRemote([Item(id: 2, name: "mine")])
    XCTAssertNotNil(history.blockingRemoteEdit)
    history.recordRemoteEdit()
    XCTAssertEqual(history.undone(), [Item(id: 1, name: "mine")])
  }

  func testAssignmentWithDuplicateIDsIsApplied() {
    let old = [1, 1, 2, 2, 3].map { Item(id: $0, name: "\($0)") }
    let new = [2, 1, 1, 3, 3].map { Item(id: $0, name: "new") }
    var history = UndoHistory(initialValue: old)
    history.applyRemote(new)
    XCTAssertEqual(history.currentItem, new)
  }

  // MARK: Random assignments

  func testRandomAssignmentsAreUndoneAndMergedExactly() {
    withSeeds(500) { random in
      func text(_ random: inout SeededRandom) -> String {
        (0..<random.int(in: 0..<12)).map { _ in random.text() + ["\n", "a\n", ""].randomElement(using: &random)! }
          .joined()
      }
      let (old, new) = (text(&random), text(&random))
      var history = UndoHistory(initialValue: old)
      history.transaction("", as: "agent") { $0.set(new) }
      if history.undo() != nil { expectEqual(Array(history.currentItem.utf8), Array(old.utf8)) }
      if history.redo() != nil { expectEqual(Array(history.currentItem.utf8), Array(new.utf8)) }
      expectEqual(UndoHistory.merged(old, new, base: old).map { Array($0.utf8) }, Array(new.utf8))
      expectEqual(UndoHistory.merged(new, old, base: old).map { Array($0.utf8) }, Array(new.utf8))

      func rows(_ random: inout SeededRandom) -> [Item] {
        (0..<random.int(in: 0..<8)).map { _ in Item(id: random.int(in: 0..<6), name: random.text()) }
      }
      let (oldRows, newRows) = (rows(&random), rows(&random))
      var table = UndoHistory(initialValue: oldRows)
      table[as: "agent"].set(newRows)
      expectEqual(table.currentItem, newRows)
      if table.undo() != nil { expectEqual(table.currentItem, oldRows) }
      if table.redo() != nil { expectEqual(table.currentItem, newRows) }
    }
  }

  /// Computing a shortest difference of these texts would take a minute.
  func testUnlikeTextsAreAlignedInLinearTime() {
    let (old, new) = (lines(0..<40_000), lines((0..<40_000).map { $0 * 7 % 40_000 + 20_000 }))
    var history = UndoHistory(initialValue: old)
    history.applyRemote(new)
    XCTAssertEqual(history.currentItem, new)
  }
}
