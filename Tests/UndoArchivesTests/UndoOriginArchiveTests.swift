import Foundation
import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Archives of histories with edits from several origins.
final class UndoOriginArchiveTests: XCTestCase {
  private typealias History = UndoHistory<[String]>

  private func makeHistory() -> History {
    var history = UndoHistory(initialValue: ["Flour"])
    history[as: "agent"].append("Milk")
    history.edit.append("Eggs")
    history[as: "server"].insert("Salt", at: 0)
    history.undo(by: "agent")
    history.redo(by: "agent")
    history.edit.append("Yeast")
    history.undo()
    return history
  }

  func testOriginsStepIDsAndLinksAreRestored() throws {
    let history = makeHistory()
    let restored = try history.restoredFromJSON()
    XCTAssertEqual(restored.steps.map(\.stepID), history.steps.map(\.stepID))
    XCTAssertEqual(restored.steps.map(\.origin), history.steps.map(\.origin))
    XCTAssertEqual(restored.steps.map(\.undoneStep), history.steps.map(\.undoneStep))
    XCTAssertEqual(restored.steps.map(\.origin), ["agent", nil, "server", "agent", "agent", nil])
  }

  func testRestoredHistoryUndoesByOriginLikeTheOriginal() throws {
    var history = makeHistory()
    var restored = try history.restoredFromJSON()
    for _ in 0..<2 {
      XCTAssertEqual(restored.undo(by: "agent"), history.undo(by: "agent"))
      XCTAssertEqual(restored.redo(by: "agent"), history.redo(by: "agent"))
      XCTAssertEqual(restored.undo(by: "server"), history.undo(by: "server"))
      XCTAssertEqual(restored.currentItem, history.currentItem)
      XCTAssertEqual(restored.steps.map(\.stepID), history.steps.map(\.stepID))
    }
    XCTAssertEqual(restored.currentItem, ["Flour", "Milk", "Eggs"])
  }

  func testArchiveWithAChangedOriginIsRefused() throws {
    let history = makeHistory()
    let changed = try history.archive().replacing(Array("agent".utf8), with: Array("agenx".utf8))
    XCTAssertThrowsError(try history.restored(from: JSONEncoder().encode(changed))) {
      XCTAssertEqual($0 as? UndoArchiveError, .changed)
    }
  }

  func testLinkToADroppedStepIsRestored() throws {
    var history = makeHistory()
    history.limit = .steps(3)
    let restored = try history.restoredFromJSON()
    XCTAssertEqual(restored.steps.map(\.undoneStep), history.steps.map(\.undoneStep))
  }

  /// Two steps claim to undo each other; one of them is on a branch.
  func testStepsThatUndoEachOtherAreRefused() throws {
    var history = UndoHistory(initialValue: [0])
    history.keepsBranches = true
    for number in 1...3 {
      if number == 3 { history.undo() }
      history[as: "a"][0] = number
    }
    let old: [UInt8] = [2, 1, UInt8(ascii: "a"), 4, 1, 0, 2, 3, 0, 2, 2, 0, 2]
    let new: [UInt8] = [2, 1, UInt8(ascii: "a"), 4, 1, 2, 3, 3, 0, 2, 2, 1, 2]
    var restored = UndoHistory(initialValue: history.currentItem)
    restored.keepsBranches = true
    XCTAssertThrowsError(
      try {
        try restored.restoreSteps(from: history.archive().replacing(old, with: new).forged())
      }())
  }
}
