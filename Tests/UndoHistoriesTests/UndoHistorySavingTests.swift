import Foundation
import TestSupport
import UndoHistories
import XCTest

/// Saves that take time, with edits in the meantime.
final class UndoHistorySavingTests: XCTestCase {
  func testSaveCanFinishAfterItsStepsWereDropped() {
    var history = UndoHistory(initialValue: [0])
    history.edit.append(1)
    let save = history.beginSave()
    history.removeAllSteps()
    XCTAssertTrue(history.finishSave(save))
    XCTAssertFalse(history.isDirty)

    history.limit = .steps(1)
    history.edit.append(2)
    let dropped = history.beginSave()
    history.edit.append(3)
    history.edit.append(4)
    XCTAssertTrue(history.finishSave(dropped))
    while history.undo() != nil {}
    XCTAssertTrue(history.isDirty)
  }

  func testSaveInFlightIsFoundByItsEncodedID() throws {
    var history = UndoHistory(initialValue: [0])
    history.edit.append(1)
    let first = history.beginSave()
    history.edit.append(2)
    let second = history.beginSave()
    let written = try JSONEncoder().encode([first.id, second.id])
    let ids = try JSONDecoder().decode([UndoHistory<[Int]>.Save.ID].self, from: written)
    XCTAssertEqual(ids, history.savesInFlight.map(\.id))
    let saves = history.savesInFlight
    XCTAssertTrue(history.failSave(saves[1]))
    XCTAssertFalse(history.finishSave(saves[1]), "the save has failed already")
    XCTAssertTrue(history.finishSave(try XCTUnwrap(history.savesInFlight.first { $0.id == ids[0] })))
    XCTAssertTrue(history.savesInFlight.isEmpty)
    history.undo()
    XCTAssertFalse(history.isDirty)
  }
}
