import Foundation
import TestSupport
import UndoHistories
import XCTest

/// Saves that take time, and what is edited meanwhile.
final class UndoHistorySavingTests: XCTestCase {
  func testEditsMadeDuringASaveAreNotSaved() {
    var history = UndoHistory(initialValue: "")
    history.edit.append("a")
    let save = history.beginSave()
    XCTAssertFalse(history.isAtSavedPoint, "nothing is saved before the save is finished")
    history.edit.append("b")
    XCTAssertEqual(history.undoCount, 2, "typing joined a step that ends at a state that is being saved")
    XCTAssertTrue(history.finishSave(save))
    XCTAssertFalse(history.isAtSavedPoint)
    XCTAssertEqual(history.undone(), "a")
    XCTAssertTrue(history.isAtSavedPoint)
  }

  func testASaveMovesTheSavedPointOfItsOwnStateOnly() {
    var history = UndoHistory(initialValue: [0])
    history.edit.append(1)
    let first = history.beginSave()
    history.edit.append(2)
    let second = history.beginSave()
    history.edit.append(3)
    XCTAssertEqual(history.savesInFlight, [first, second])
    XCTAssertTrue(history.finishSave(first))
    history.undo()
    XCTAssertFalse(history.isAtSavedPoint)
    history.undo()
    XCTAssertTrue(history.isAtSavedPoint)
    XCTAssertTrue(history.finishSave(second))
    XCTAssertFalse(history.isAtSavedPoint)
    history.redo()
    XCTAssertTrue(history.isAtSavedPoint)
  }

  func testAFailedSaveLeavesTheSavedPointWhereItWas() {
    var history = UndoHistory(initialValue: [0])
    history.edit.append(1)
    let save = history.beginSave()
    XCTAssertTrue(history.failSave(save))
    XCTAssertFalse(history.isAtSavedPoint)
    history.undo()
    XCTAssertTrue(history.isAtSavedPoint)
  }

  func testASaveIsAnsweredOnce() {
    var history = UndoHistory(initialValue: [0])
    history.edit.append(1)
    let old = history.beginSave()
    history.edit.append(2)
    let new = history.beginSave()
    XCTAssertTrue(history.finishSave(new))
    XCTAssertFalse(history.finishSave(old), "the store has something newer")
    XCTAssertFalse(history.failSave(old))
    XCTAssertFalse(history.finishSave(new))
    XCTAssertTrue(history.isAtSavedPoint)

    let late = history.beginSave()
    history.edit.append(3)
    history.markSaved()
    XCTAssertFalse(history.finishSave(late), "begun before the document was marked as saved")
    XCTAssertTrue(history.isAtSavedPoint)
  }

  func testAStateThatIsCutOffWhileItIsSavedIsNoOther() {
    var history = UndoHistory(initialValue: [0])
    history.edit.append(1)
    let save = history.beginSave()
    history.undo()
    history.edit.append(2)  // As many steps as before, and another document.
    XCTAssertTrue(history.finishSave(save))
    XCTAssertFalse(history.isAtSavedPoint)
    history.undo()
    XCTAssertFalse(history.isAtSavedPoint, "the store holds neither this nor what it was created with")
  }

  func testARefusedTransactionTakesNoSaveAway() {
    var history = UndoHistory(initialValue: [0])
    history.edit.append(1)
    let save = history.beginSave()
    history.undo()
    XCTAssertThrowsError(
      try history.transaction { edit in
        edit.append(2)
        throw Refused()
      })
    XCTAssertTrue(history.finishSave(save))
    history.redo()
    XCTAssertTrue(history.isAtSavedPoint)
  }

  func testASaveOutlivesTheStepsThatAreForgotten() {
    var history = UndoHistory(initialValue: [0])
    history.edit.append(1)
    let save = history.beginSave()
    history.removeAllSteps()
    XCTAssertTrue(history.finishSave(save))
    XCTAssertTrue(history.isAtSavedPoint)

    history.limit = .steps(1)
    history.edit.append(2)
    let dropped = history.beginSave()
    history.edit.append(3)
    history.edit.append(4)
    XCTAssertTrue(history.finishSave(dropped))
    while history.undo() != nil {}
    XCTAssertFalse(history.isAtSavedPoint)
  }

  func testWhatIsBeingSavedNeedsNoSecondSave() {
    var history = UndoHistory(initialValue: [0])
    XCTAssertFalse(history.isSaving || history.needsSave)
    history.edit.append(1)
    XCTAssertTrue(history.needsSave)
    let first = history.beginSave()
    XCTAssertTrue(history.isSaving)
    XCTAssertFalse(history.needsSave || history.isAtSavedPoint)
    history.edit.append(2)
    XCTAssertTrue(history.needsSave)
    let second = history.beginSave()
    XCTAssertFalse(history.needsSave)
    history.undo()
    XCTAssertTrue(history.needsSave, "the newest save writes something else")
    history.failSave(second)
    XCTAssertFalse(history.needsSave, "the newest save that is left writes this")
    history.redo()
    XCTAssertTrue(history.needsSave)
    history.finishSave(first)
    XCTAssertFalse(history.isSaving)
    XCTAssertTrue(history.needsSave)
    history.undo()
    XCTAssertFalse(history.needsSave)
  }

  func testAStateThatWasCutOffIsNotTheOneThatIsSaved() {
    var history = UndoHistory(initialValue: [0])
    history.edit.append(1)
    let save = history.beginSave()
    history.undo()
    history.edit.append(2)  // As many steps as before, and another document.
    XCTAssertTrue(history.needsSave)
    history.finishSave(save)
    XCTAssertTrue(history.needsSave)
    history.markSaved()
    XCTAssertFalse(history.needsSave)
  }

  func testForksAnswerEachForItself() {
    var history = UndoHistory(initialValue: [0])
    history.edit.append(1)
    let save = history.beginSave()
    var fork = history
    XCTAssertTrue(fork.finishSave(save))
    XCTAssertTrue(fork.isAtSavedPoint)
    XCTAssertFalse(history.isAtSavedPoint)
    XCTAssertEqual(history.savesInFlight, [save])
  }

  func testASaveInFlightIsFoundByItsIdentityAsItWasWrittenDown() throws {
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
    XCTAssertFalse(history.finishSave(saves[1]), "it was answered before")
    XCTAssertTrue(history.finishSave(try XCTUnwrap(history.savesInFlight.first { $0.id == ids[0] })))
    XCTAssertTrue(history.savesInFlight.isEmpty)
    history.undo()
    XCTAssertTrue(history.isAtSavedPoint)
  }
}
