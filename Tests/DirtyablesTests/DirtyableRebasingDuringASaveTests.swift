import Dirtyables
import TestSupport
import XCTest

/// The original moves while saves are in flight, by a push or by what the store answers.
final class DirtyableRebasingDuringASaveTests: XCTestCase {
  private static let fields = Dirtyable<Document>.Fields(\.title, \.count, \.items, \.address.city, \.address.number)

  /// Titled "One", and being saved as that.
  private func saving() -> (Dirtyable<Document>, Dirtyable<Document>.Save) {
    var document = Dirtyable(Document())
    document.title = "One"
    let save = document.beginSave()
    return (document, save)
  }

  func testAMemberNobodyEditedIsNotDirtyAfterAPushDuringASave() {
    var (document, save) = saving()
    XCTAssertTrue(document.rebase(onto: Document(count: 5), \.title, \.count).isEmpty)
    XCTAssertEqual(document.current, Document(title: "One", count: 5))
    XCTAssertFalse(document.needsSave, "what was pushed is no edit")

    XCTAssertTrue(document.finishSave(save))
    XCTAssertEqual(document.original, Document(title: "One", count: 5), "what the server has by now")
    XCTAssertEqual(document.changedKeyPaths(among: \.title, \.count), [])
    XCTAssertFalse(document.isDirty)
    XCTAssertFalse(document.isTouched)
  }

  func testAPushIntoEveryKindOfMember() {
    var (document, save) = saving()
    let pushed = Document(items: [4], address: Document.Address(city: "Leiden", number: 9))
    XCTAssertTrue(document.rebase(onto: pushed, merging: Self.fields).isEmpty)
    document.address.number = 10
    document.finishSave(save)
    XCTAssertEqual(document.original.address, pushed.address)
    XCTAssertEqual(document.original.items, [4])
    XCTAssertEqual(
      document.changedKeyPaths(among: \.title, \.items, \.address.city, \.address.number), [\.address.number])
  }

  func testTheSaveWinsWhereBothWroteAndTheConflictIsTold() {
    var (document, save) = saving()
    let conflicts = document.rebase(onto: Document(title: "Theirs"), \.title)
    XCTAssertEqual(conflicts[\.title]?.theirs, "Theirs")
    XCTAssertEqual(conflicts[\.title]?.mine, "One")
    document.finishSave(save)
    XCTAssertEqual(document.original.title, "One", "written later than theirs")
    XCTAssertFalse(document.isDirty)

    (document, save) = saving()
    _ = document.rebase(onto: Document(title: "Theirs"), \.title)
    document.failSave(save)
    XCTAssertEqual(document.original.title, "Theirs")
    XCTAssertTrue(document.isDirty(\.title))
  }

  /// The conflict is between theirs and the save: it is told even though the edit is newer than the save.
  func testAConflictOfTheSaveIsToldBelowANewerEdit() {
    var (document, save) = saving()
    document.title = "Two"
    let conflicts = document.rebase(onto: Document(title: "Theirs"), \.title, \.count)
    XCTAssertEqual(conflicts.keyPaths, [\.title])
    XCTAssertEqual(conflicts[\.title]?.mine, "Two")
    document.finishSave(save)
    XCTAssertEqual(document.original.title, "One")
    XCTAssertEqual(document.title, "Two")

    (document, save) = saving()
    document.title = "Theirs"
    XCTAssertTrue(document.rebase(onto: Document(title: "Theirs"), \.title).isEmpty, "mine is theirs")
    document.finishSave(save)
    XCTAssertTrue(document.isDirty(\.title), "the save wrote something else over it")
  }

  /// A server that pushes to everybody tells of a save before it answers it.
  func testAPushOfTheSaveItselfIsNoConflictWithNewerEdits() {
    var (document, save) = saving()
    document.title = "Two"
    XCTAssertTrue(document.rebase(onto: Document(title: "One", count: 5), \.title, \.count).isEmpty)
    XCTAssertEqual(document.current, Document(title: "Two", count: 5))
    document.finishSave(save)
    XCTAssertEqual(document.changedKeyPaths(among: \.title, \.count), [\.title])
  }

  func testAnEditSetBackSurvivesAPushOfTheSave() {
    var (document, save) = saving()
    document.title = "Draft"
    XCTAssertTrue(document.rebase(onto: Document(title: "One"), \.title).isEmpty)
    XCTAssertEqual(document.title, "Draft", "typed after the save was begun")
    document.finishSave(save)
    XCTAssertEqual(document.changedKeyPaths(among: \.title), [\.title])

    (document, save) = saving()
    document.rollback()
    XCTAssertTrue(document.rebase(onto: Document(title: "One", count: 5), \.title, \.count).isEmpty)
    XCTAssertEqual(document.current, Document(count: 5))
    document.finishSave(save)
    XCTAssertEqual(document.changedKeyPaths(among: \.title, \.count), [\.title], "rolled back to is a change to save")
  }

  /// The first push makes the original what the edit came to; the edit stays an edit all the same.
  func testAnEditThatSetsBackASaveSurvivesEveryPush() {
    var (document, save) = saving()
    document.title = Document().title
    XCTAssertTrue(document.rebase(onto: Document(count: 5), \.title, \.count).isEmpty)
    XCTAssertTrue(document.isTouched)
    let conflicts = document.rebase(onto: Document(title: "Theirs", count: 5), \.title, \.count)
    XCTAssertEqual(conflicts[\.title]?.mine, Document().title)
    XCTAssertEqual(document.title, Document().title)
    document.finishSave(save)
    XCTAssertTrue(document.isDirty(\.title))
  }

  func testASaveThatSetBackAnotherIsNoRollbackWhereItIsRefused() {
    var (document, _) = saving()
    document.title = Document().title
    let second = document.beginSave()
    _ = document.rebase(onto: Document(count: 5), \.title, \.count)
    document.failSave(second)
    let conflicts = document.rebase(onto: Document(title: "Theirs", count: 5), \.title, \.count)
    XCTAssertEqual(conflicts[\.title]?.mine, Document().title)
    XCTAssertEqual(document.current, Document(count: 5))
  }

  /// Nothing was edited since, so there is nothing to keep of it.
  func testAValueRolledBackDuringASaveFollows() {
    var (document, save) = saving()
    document.rollback()
    XCTAssertTrue(document.rebase(onto: Document(title: "Theirs", count: 5), \.title, \.count).isEmpty)
    XCTAssertEqual(document.current, Document(title: "Theirs", count: 5))
    XCTAssertFalse(document.isTouched)
    document.failSave(save)
    XCTAssertFalse(document.isDirty)

    (document, save) = saving()
    document.rollback()
    XCTAssertTrue(document.rebase(onto: Document(count: 5)).isEmpty)
    XCTAssertEqual(document.current, Document(count: 5))
    XCTAssertFalse(document.isTouched)
    document.finishSave(save)
    XCTAssertTrue(document.isDirty, "rolled back to is a change to save")
  }

  func testWithoutFieldsASaveIsMergedAsAWhole() {
    var (document, save) = saving()
    XCTAssertEqual(document.rebase(onto: Document(count: 5)).keyPaths, [\.self])
    document.finishSave(save)
    XCTAssertEqual(document.original, Document(title: "One"))
    XCTAssertFalse(document.isDirty)

    document = Dirtyable(Document())
    save = document.beginSave()
    document.title = "Two"
    XCTAssertEqual(document.rebase(onto: Document(count: 5)).keyPaths, [\.self])
    document.finishSave(save)
    XCTAssertEqual(document.original, Document(count: 5), "the save changed nothing, so theirs it is")
  }

  func testEverySaveInFlightMoves() {
    var (document, first) = saving()
    document.items = [7]
    let second = document.beginSave()
    document.address.number = 3
    let again = document
    XCTAssertTrue(document.rebase(onto: Document(count: 5), merging: Self.fields).isEmpty)
    XCTAssertEqual(document.savesInFlight.map(\.value.count), [5, 5])
    XCTAssertEqual(document.savesInFlight.map(\.value.items), [[1, 2, 3], [7]])
    document.finishSave(first)
    XCTAssertEqual(document.original, Document(title: "One", count: 5))
    document.finishSave(second)
    XCTAssertEqual(document.original, Document(title: "One", count: 5, items: [7]))
    XCTAssertEqual(document.changedKeyPaths(among: \.title, \.count, \.items, \.address.number), [\.address.number])

    document = again
    _ = document.rebase(onto: Document(count: 5), merging: Self.fields)
    document.failSave(second)
    document.finishSave(first)
    XCTAssertEqual(document.original, Document(title: "One", count: 5))
    XCTAssertEqual(
      document.changedKeyPaths(among: \.title, \.count, \.items, \.address.number), [\.items, \.address.number])
  }

  /// The second save sends the old title again, so that is what the server has once it is answered.
  func testASaveThatSetsBackWinsOverAPushToo() {
    var (document, first) = saving()
    document.title = "Draft"
    let second = document.beginSave()
    XCTAssertEqual(document.rebase(onto: Document(title: "Theirs"), \.title).keyPaths, [\.title])
    document.finishSave(first)
    XCTAssertEqual(document.original.title, "One")
    document.finishSave(second)
    XCTAssertEqual(document.original.title, "Draft")
    XCTAssertFalse(document.isDirty)
  }

  func testElementsPushedDuringASaveAreNotDirty() {
    struct Row: Identifiable, Equatable { var id: Int, text = "" }
    struct List: Equatable { var name = "", rows: [Row] }
    let fields = Dirtyable<List>.Fields(\.name).merging(elementsOf: \.rows)
    var list = Dirtyable(List(rows: [Row(id: 1), Row(id: 2)]))
    list.rows[0].text = "mine"
    let save = list.beginSave()
    let pushed = List(name: "Theirs", rows: [Row(id: 1), Row(id: 2, text: "theirs"), Row(id: 3)])
    XCTAssertTrue(list.rebase(onto: pushed, merging: fields).isEmpty)
    list.finishSave(save)
    XCTAssertFalse(list.isDirty)
    XCTAssertEqual(list.original.rows.map(\.text), ["mine", "theirs", ""])
    XCTAssertEqual(list.original.name, "Theirs")
  }

  func testTheAnswerOfTheStoreIsTheOriginal() {
    var (document, save) = saving()
    document.items = [7]
    let stored = Document(title: "ONE", count: 8)
    XCTAssertEqual(document.finishSave(save, stored: stored, merging: Self.fields)?.keyPaths, [])
    XCTAssertEqual(document.original, stored)
    XCTAssertEqual(document.current, Document(title: "ONE", count: 8, items: [7]))
    XCTAssertEqual(document.changedKeyPaths(among: \.title, \.count, \.items), [\.items])
    XCTAssertFalse(document.isSaving)
  }

  func testAMemberEditedSinceAndStoredOtherwiseIsInConflict() {
    var (document, save) = saving()
    document.title = "Two"
    let conflicts = document.finishSave(save, stored: Document(title: "ONE"), \.title)
    XCTAssertEqual(conflicts?[\.title].map { [$0.base, $0.mine, $0.theirs] }, ["One", "Two", "ONE"])
    XCTAssertEqual(document.title, "Two")
    document.rollback(\.title)
    XCTAssertEqual(document.title, "ONE")
  }

  func testAStoredAnswerWithoutFields() {
    var (document, save) = saving()
    let stored = Document(title: "ONE", count: 8)
    XCTAssertEqual(document.finishSave(save, stored: stored)?.isEmpty, true)
    XCTAssertEqual(document.current, stored)
    XCTAssertFalse(document.isTouched)

    (document, save) = saving()
    document.items = [7]
    XCTAssertEqual(document.finishSave(save, stored: stored)?.keyPaths, [\.self])
    XCTAssertEqual(document.original, stored)
    XCTAssertEqual(document.current, Document(title: "One", items: [7]))
  }

  func testAStoredAnswerMovesLaterSaves() {
    var (document, first) = saving()
    document.items = [7]
    let second = document.beginSave()
    document.finishSave(first, stored: Document(title: "One", count: 8), merging: Self.fields)
    XCTAssertFalse(document.needsSave)
    document.finishSave(second)
    XCTAssertEqual(document.original, Document(title: "One", count: 8, items: [7]))
    XCTAssertFalse(document.isDirty)
  }

  func testAStoredAnswerThatComesLateOrTwiceIsRefused() {
    var (document, first) = saving()
    document.count = 1
    let second = document.beginSave()
    XCTAssertNotNil(document.finishSave(second, stored: Document(title: "Two"), \.title, \.count))
    let before = document
    XCTAssertNil(document.finishSave(first, stored: Document(title: "late")))
    XCTAssertNil(document.finishSave(second, stored: Document(title: "twice"), merging: Self.fields))
    XCTAssertNil(document.finishSave(first, stored: Document(title: "late"), merging: Self.fields))
    XCTAssertEqual(document, before)
  }

  /// A store that wrote all members has overwritten the push, and that is how it is told.
  func testAStoreThatWroteTheWholeValue() {
    var (document, save) = saving()
    _ = document.rebase(onto: Document(count: 5), merging: Self.fields)
    document.finishSave(save, stored: save.value, merging: Self.fields)
    XCTAssertEqual(document.original, Document(title: "One"))
    XCTAssertFalse(document.isDirty)
  }

  func testAValueThatDoesNotEqualItselfTakesWhatWasStored() {
    var number = Dirtyable(1.0)
    number.current = .nan
    let save = number.beginSave()
    XCTAssertEqual(number.finishSave(save, stored: 7)?.isEmpty, true)
    XCTAssertEqual(number.current, 7)
    XCTAssertFalse(number.isTouched)
  }
}
