import Dirtyables
import XCTest

/// The example of the blog post: an admin tool shows a Save button only while a person has changes to save.
final class DirtyablePostTests: XCTestCase {
  struct Person {
    var name: String
    var age: Double
  }

  func testEditingAPersonMakesItDirty() {
    var person = Dirtyable(Person(name: "Joe", age: 42))
    XCTAssertEqual(person.name, "Joe")
    XCTAssertEqual(person.age, 42)
    XCTAssertFalse(person.isDirty)
    XCTAssertNil(person.updated)

    person.age = 43

    XCTAssertTrue(person.isDirty)
    XCTAssertEqual(person.age, 43)
    XCTAssertEqual(person.original.age, 42)
    XCTAssertEqual(person.updated?.age, 43)
    XCTAssertEqual(person.current.age, 43)
    XCTAssertEqual(person.current.name, "Joe")
  }

  /// The first example of the blog post writes to the original.
  func testTheOriginalCanBeSet() {
    var newMe = Dirtyable(Person(name: "Joe", age: 25))
    newMe.original.age = 30
    XCTAssertEqual(newMe.original.age, 30)
    XCTAssertEqual(newMe.age, 30, "an unedited value follows the original")
    XCTAssertFalse(newMe.isDirty)
    newMe.age = 31
    newMe.original.age = 32
    XCTAssertEqual(newMe.age, 31, "an edited value stays")
    XCTAssertTrue(newMe.isDirty)
    newMe.rollback()
    XCTAssertEqual(newMe.age, 32)
    XCTAssertFalse(newMe.isDirty)
  }

  func testSettingTheOriginalRebasesTheWholeValue() {
    var edited = Dirtyable("mine"), saving = Dirtyable("old")
    edited.current = "mine"
    edited.original = "theirs"
    XCTAssertEqual(edited.current, "theirs", "setting the same value is not an edit")
    saving.current = "new"
    let save = saving.beginSave()
    saving.original = "theirs"
    XCTAssertEqual(saving.current, "new")
    saving.failSave(save)
    XCTAssertEqual(saving.original, "theirs")
    XCTAssertTrue(saving.isDirty)
  }

  func testCommitKeepsTheEdits() {
    var person = Dirtyable(Person(name: "Joe", age: 42))
    person.name = "Jim"
    person.commit()
    XCTAssertFalse(person.isDirty)
    XCTAssertNil(person.updated)
    XCTAssertEqual(person.original.name, "Jim")
    XCTAssertEqual(person.name, "Jim")
  }

  func testRollbackRestoresTheOriginal() {
    var person = Dirtyable(Person(name: "Joe", age: 42))
    person.name = "Jim"
    person.age = 7
    person.rollback()
    XCTAssertFalse(person.isDirty)
    XCTAssertNil(person.updated)
    XCTAssertEqual(person.name, "Joe")
    XCTAssertEqual(person.age, 42)
  }

  /// A person is not `Equatable`, so it stays dirty when it is set back.
  func testValueThatIsNotEquatableIsDirtyOnceWritten() {
    var person = Dirtyable(Person(name: "Joe", age: 42))
    person.age = 42
    XCTAssertTrue(person.isDirty)
  }

  /// The form with a name field, an age slider, Save and Reset.
  func testFormIsCleanAgainWhenTheSliderIsMovedBack() {
    struct ComparablePerson: Equatable {
      var name: String
      var age: Double
    }
    struct Form {
      var person = Dirtyable(ComparablePerson(name: "Joe", age: 42))
      var canSave: Bool { person.isDirty }
      mutating func moveSlider(to age: Double) { person.age = age }
      mutating func save() { person.commit() }
      mutating func reset() { person.rollback() }
    }

    var form = Form()
    XCTAssertFalse(form.canSave)
    form.moveSlider(to: 43)
    XCTAssertTrue(form.canSave)
    form.moveSlider(to: 44)
    form.moveSlider(to: 42)
    XCTAssertFalse(form.canSave, "moved away and back: clean again")

    form.moveSlider(to: 50)
    form.save()
    XCTAssertFalse(form.canSave)
    form.moveSlider(to: 42)
    XCTAssertTrue(form.canSave, "back where it was before the save is a change now")
    form.reset()
    XCTAssertFalse(form.canSave)
    XCTAssertEqual(form.person.age, 50)
  }
}
