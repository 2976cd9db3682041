import Dirtyables
import TestSupport
import XCTest

final class DirtyableSavingTests: XCTestCase {
  /// Cannot be compared, so that only exact bookkeeping can tell clean from dirty.
  private struct Opaque {
    var count = 0
  }

  func testEditsMadeDuringASaveStayDirty() {
    var document = Dirtyable(Document())
    document.title = "One"
    let save = document.beginSave()
    XCTAssertEqual(save.value.title, "One")
    document.title = "Two"
    XCTAssertTrue(document.finishSave(save))
    XCTAssertEqual(document.original.title, "One")
    XCTAssertEqual(document.title, "Two")
    XCTAssertTrue(document.isDirty)
    XCTAssertFalse(document.isSaving)
  }

  func testAFinishedSaveWithoutEditsSinceIsClean() {
    var opaque = Dirtyable(Opaque())
    opaque.count = 1
    let save = opaque.beginSave()
    XCTAssertTrue(opaque.isDirty, "not saved before it is said to be")
    XCTAssertFalse(opaque.needsSave)
    opaque.finishSave(save)
    XCTAssertFalse(opaque.isDirty)
    XCTAssertFalse(opaque.isTouched)
    XCTAssertEqual(opaque.original.count, 1)
  }

  func testAFailedSaveGivesEverythingBackAsDirty() {
    var opaque = Dirtyable(Opaque())
    opaque.count = 1
    let save = opaque.beginSave()
    XCTAssertTrue(opaque.failSave(save))
    XCTAssertTrue(opaque.isDirty)
    XCTAssertTrue(opaque.needsSave)
    XCTAssertEqual(opaque.original.count, 0)
    XCTAssertEqual(opaque.count, 1)
    opaque.rollback()
    XCTAssertEqual(opaque.count, 0)
  }

  func testASecondAnswerIsRefused() {
    var document = Dirtyable(Document())
    document.count = 1
    let save = document.beginSave()
    XCTAssertTrue(document.finishSave(save))
    document.count = 2
    let before = document
    XCTAssertFalse(document.finishSave(save))
    XCTAssertFalse(document.failSave(save))
    XCTAssertEqual(document, before)
    XCTAssertEqual(document.original.count, 1)

    let failing = document.beginSave()
    XCTAssertTrue(document.failSave(failing))
    XCTAssertFalse(document.finishSave(failing), "a save given up cannot succeed afterwards")
    XCTAssertEqual(document.original.count, 1)
  }

  func testAnOlderSaveIsStaleOnceANewerIsFinished() {
    var document = Dirtyable(Document())
    document.count = 1
    let first = document.beginSave()
    document.count = 2
    let second = document.beginSave()
    XCTAssertEqual(document.savesInFlight, [first, second])
    XCTAssertTrue(document.finishSave(second))
    XCTAssertFalse(document.isDirty)
    XCTAssertFalse(document.finishSave(first), "the store has something newer")
    XCTAssertEqual(document.original.count, 2)
  }

  func testTwoSavesFinishInOrder() {
    var opaque = Dirtyable(Opaque())
    opaque.count = 1
    let first = opaque.beginSave()
    opaque.count = 2
    let second = opaque.beginSave()
    opaque.finishSave(first)
    XCTAssertEqual(opaque.original.count, 1)
    XCTAssertTrue(opaque.isDirty)
    opaque.finishSave(second)
    XCTAssertEqual(opaque.original.count, 2)
    XCTAssertFalse(opaque.isDirty)
  }

  func testTheNewerOfTwoSavesFails() {
    var opaque = Dirtyable(Opaque())
    opaque.count = 1
    let first = opaque.beginSave()
    opaque.count = 2
    let second = opaque.beginSave()
    opaque.failSave(second)
    XCTAssertTrue(opaque.needsSave)
    opaque.finishSave(first)
    XCTAssertEqual(opaque.original.count, 1)
    XCTAssertEqual(opaque.count, 2)
    XCTAssertTrue(opaque.isDirty)
  }

  func testTwoSavesOfOneStateAreOneState() {
    var opaque = Dirtyable(Opaque())
    opaque.count = 1
    let first = opaque.beginSave()
    let second = opaque.beginSave()
    opaque.failSave(second)
    XCTAssertFalse(opaque.needsSave, "the first is still to write the same")
    opaque.finishSave(first)
    XCTAssertFalse(opaque.isDirty)
  }

  func testCommitMakesSavesInFlightStale() {
    var document = Dirtyable(Document())
    document.count = 1
    let save = document.beginSave()
    document.count = 2
    document.commit()
    XCTAssertFalse(document.isSaving)
    XCTAssertFalse(document.finishSave(save))
    XCTAssertEqual(document.original.count, 2)
  }

  /// The record is dropped by a commit; a save from before must not be taken for one begun after.
  func testASaveFromBeforeACommitIsNotTakenForALaterOne() {
    var document = Dirtyable(Document())
    document.count = 1
    let old = document.beginSave()
    document.commit()
    document.count = 2
    _ = document.beginSave()
    XCTAssertFalse(document.finishSave(old))
    XCTAssertEqual(document.original.count, 1)
    XCTAssertTrue(document.isSaving)
  }

  func testRollbackDuringASaveIsAChangeOnceItSucceeds() {
    var opaque = Dirtyable(Opaque())
    opaque.count = 1
    let save = opaque.beginSave()
    opaque.rollback()
    XCTAssertEqual(opaque.count, 0)
    XCTAssertFalse(opaque.isDirty)
    XCTAssertTrue(opaque.needsSave, "the store is about to hold something else")
    opaque.finishSave(save)
    XCTAssertEqual(opaque.original.count, 1)
    XCTAssertEqual(opaque.count, 0)
    XCTAssertTrue(opaque.isDirty)
  }

  func testRollbackDuringASaveThatFailsIsClean() {
    var opaque = Dirtyable(Opaque())
    opaque.count = 1
    let save = opaque.beginSave()
    opaque.rollback()
    opaque.failSave(save)
    XCTAssertFalse(opaque.isDirty)
    XCTAssertFalse(opaque.isTouched)
  }

  func testSavingAnUntouchedValue() {
    var opaque = Dirtyable(Opaque())
    let save = opaque.beginSave()
    XCTAssertFalse(opaque.isTouched)
    opaque.count = 1
    opaque.rollback()
    opaque.finishSave(save)
    XCTAssertFalse(opaque.isTouched)
    let other = opaque.beginSave()
    opaque.failSave(other)
    XCTAssertFalse(opaque.isTouched)
  }

  func testAMemberCommittedDuringASaveStaysCommitted() {
    var document = Dirtyable(Document())
    document.title = "One"
    document.count = 1
    let save = document.beginSave()
    document.title = "Two"
    document.commit(\.title)
    document.finishSave(save)
    XCTAssertEqual(document.original, Document(title: "Two", count: 1))
    XCTAssertFalse(document.isDirty)
  }

  func testASaveInFlightIsFoundByItsIdentity() throws {
    var document = Dirtyable(Document())
    document.count = 1
    let id = document.beginSave().id
    document.count = 2
    let other = document.beginSave().id
    XCTAssertNotEqual(id, other)
    XCTAssertTrue(document.failSave(try XCTUnwrap(document.savesInFlight.first { $0.id == id })))
    XCTAssertTrue(document.finishSave(try XCTUnwrap(document.savesInFlight.first { $0.id == other })))
    XCTAssertFalse(document.isDirty)
    XCTAssertEqual(Dirtyable<Document>.Save.ID(rawValue: id.rawValue), id)
  }

  func testCopiesAnswerForThemselves() {
    var document = Dirtyable(Document())
    document.count = 1
    let save = document.beginSave()
    var copy = document
    XCTAssertTrue(document.finishSave(save))
    XCTAssertTrue(copy.isSaving)
    XCTAssertTrue(copy.failSave(save))
    XCTAssertTrue(copy.isDirty)
    XCTAssertFalse(document.isDirty)
  }

  func testASaveOfAnotherHistoryIsRefused() {
    let start = Dirtyable(Document())
    var first = start
    first.count = 1
    let save = first.beginSave()
    var second = start
    second.count = 2
    let own = second.beginSave()
    XCTAssertFalse(second.finishSave(save))
    XCTAssertTrue(second.finishSave(own))
    XCTAssertEqual(second.original.count, 2)
  }

  func testASeededGeneratorMakesStatesRepeatable() {
    func run() -> Dirtyable<Document> {
      var random = SeededRandom(seed: 1)
      var document = Dirtyable(Document())
      document.count = 1
      _ = document.beginSave(using: &random)
      return document
    }
    XCTAssertEqual(run(), run())
  }

  /// Without identity such a value would differ from its own save, and an autosave would never end.
  func testAValueThatDoesNotEqualItselfIsNotSavedForever() {
    var number = Dirtyable(1.0)
    number.current = .nan
    XCTAssertTrue(number.needsSave)
    let save = number.beginSave()
    XCTAssertFalse(number.needsSave)
    number.finishSave(save)
    XCTAssertFalse(number.needsSave)
    XCTAssertFalse(number.isDirty)
  }

  func testAutosaveBeginsNoSaveTwice() {
    var document = Dirtyable(Document())
    document.title = "One"
    XCTAssertTrue(document.needsSave)
    let save = document.beginSave()
    XCTAssertFalse(document.needsSave)
    XCTAssertTrue(document.isDirty)
    document.title = "Two"
    XCTAssertTrue(document.needsSave)
    document.title = "One"
    XCTAssertFalse(document.needsSave, "set back to what is being saved")
    document.finishSave(save)
    XCTAssertFalse(document.isDirty)
  }
}
