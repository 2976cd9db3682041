import Dirtyables
import TestSupport
import XCTest

final class DirtyableSavingTests: XCTestCase {
  /// Not `Equatable`, so that only exact bookkeeping can tell clean from dirty.
  private struct Opaque {
    var count = 0
  }

  func testFinishedSaveWithoutLaterEditsLeavesTheValueClean() {
    var opaque = Dirtyable(Opaque())
    opaque.count = 1
    let save = opaque.beginSave()
    XCTAssertTrue(opaque.isDirty, "not saved before the save is finished")
    XCTAssertFalse(opaque.needsSave)
    opaque.finishSave(save)
    XCTAssertFalse(opaque.isDirty)
    XCTAssertFalse(opaque.isTouched)
    XCTAssertEqual(opaque.original.count, 1)
  }

  func testFailedSaveLeavesTheValueDirty() {
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

  func testOneOfTwoSavesOfTheSameStateIsEnough() {
    var opaque = Dirtyable(Opaque())
    opaque.count = 1
    let first = opaque.beginSave()
    let second = opaque.beginSave()
    opaque.failSave(second)
    XCTAssertFalse(opaque.needsSave, "the first save still writes the same value")
    opaque.finishSave(first)
    XCTAssertFalse(opaque.isDirty)
  }

  func testRollbackDuringASaveIsDirtyOnceTheSaveFinishes() {
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

  func testASeededGeneratorMakesStatesRepeatable() {
    func run() -> Dirtyable<Document> {
      var random = SeededRandom(seed: 1)
      var document = Dirtyable(Document())
      document.count = 1
      _ = document.beginSave(id: .init(rawValue: random.next()))
      return document
    }
    XCTAssertEqual(run(), run())
  }

  /// NaN differs from itself, so an autosave that compared by `==` would never end.
  func testSavedNaNIsNotSavedAgain() {
    var number = Dirtyable(1.0)
    number.current = .nan
    XCTAssertTrue(number.needsSave)
    let save = number.beginSave()
    XCTAssertFalse(number.needsSave)
    number.finishSave(save)
    XCTAssertFalse(number.needsSave)
    XCTAssertFalse(number.isDirty)
  }
}
