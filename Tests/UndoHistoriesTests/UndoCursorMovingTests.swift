import Foundation
import TestSupport
import UndoHistories
import XCTest

/// `move(fromOffsets:toOffset:)`, as the closure of SwiftUI's `onMove` calls it.
final class UndoCursorMovingTests: XCTestCase {
  func testElementsMoveAsOneStep() {
    var history = UndoHistory(initialValue: ["Flour", "Milk", "Eggs", "Salt"])
    history.edit.move(fromOffsets: IndexSet([0, 2]), toOffset: 4)
    XCTAssertEqual(history.currentItem, ["Milk", "Salt", "Flour", "Eggs"])
    XCTAssertEqual(history.undoCount, 1)
    XCTAssertEqual(history.undone(), ["Flour", "Milk", "Eggs", "Salt"])
    XCTAssertEqual(history.redone(), ["Milk", "Salt", "Flour", "Eggs"])
  }

  func testEveryMoveOfSixElementsMatchesAPlainArray() {
    let old = Array(0..<6)
    for selection in 0..<64 {
      let offsets = IndexSet(old.filter { selection & (1 << $0) != 0 })
      for destination in 0...6 {
        var (moved, history) = (old, UndoHistory(initialValue: old))
        moved.moveAsAList(offsets, to: destination)
        history.edit.move(fromOffsets: offsets, toOffset: destination)
        guard expectEqual(history.currentItem, moved), expectEqual(history.undoCount, moved == old ? 0 : 1) else {
          return
        }
        history.undo()
        guard expectEqual(history.currentItem, old) else { return }
      }
    }
  }

  func testMoveThatChangesNothingKeepsRedoSteps() {
    var history = UndoHistory(initialValue: [1, 2, 3])
    history.edit.append(4)
    history.undo()
    history.edit.move(fromOffsets: [1], toOffset: 2)
    history.edit.move(fromOffsets: [], toOffset: 0)
    XCTAssertEqual([history.undoCount, history.redoCount], [0, 1])
  }

  func testMoveIsPartOfATransaction() {
    struct List { var rows = ["a", "b", "c"], title = "" }
    var history = UndoHistory(initialValue: List())
    history.transaction("Sort") { edit in
      edit.rows.move(fromOffsets: [1, 2], toOffset: 0)
      edit.title.set("sorted")
    }
    XCTAssertEqual(history.rows, ["b", "c", "a"])
    XCTAssertEqual(history.steps.map(\.label), ["Sort"])
    XCTAssertEqual(history.undone().rows, ["a", "b", "c"])
  }
}

extension Array {
  /// Moves elements like SwiftUI's `move(fromOffsets:toOffset:)`.
  fileprivate mutating func moveAsAList(_ offsets: IndexSet, to destination: Int) {
    let moved = offsets.map { self[$0] }
    let rest = indices.filter { !offsets.contains($0) }
    let above = rest.filter { $0 >= destination }.map { self[$0] }
    self = rest.filter { $0 < destination }.map { self[$0] } + moved + above
  }
}
