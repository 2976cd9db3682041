import Dirtyables
import XCTest

/// Fields with an equality, an empty value or trimming, in dirty questions and merges.
final class DirtyableRuleTests: XCTestCase {
  private struct Person: Equatable, Sendable {
    var name = "Ada", nick: String?, weight = 1.0, rest = 0
    static let fields = Dirtyable<Person>.Fields(\.name, \.nick)
      .normalizing(\.name, .trimmed)
      .normalizing(\.nick, .trimmed, .emptyIsNil)
      .normalizing(\.weight, .equal { abs($0 - $1) < 0.01 })
  }

  private let fields = Person.fields

  func testWhatCountsAsEqualIsNotDirty() {
    var person = Dirtyable(Person())
    XCTAssertFalse(person.isDirty(by: fields))
    (person.name, person.nick, person.weight) = (" Ada", "", 1.001)
    XCTAssertTrue(person.isDirty)
    XCTAssertFalse(person.isDirty(by: fields))
    person.rest = 1
    XCTAssertTrue(person.isDirty(by: fields), "what is not listed counts")
    person.rest = 0
    for edit in [{ $0.name = "B" }, { $0.nick = "b" }, { $0.weight = 2 }] as [(inout Dirtyable<Person>) -> Void] {
      var edited = person
      edit(&edited)
      XCTAssertTrue(edited.isDirty(by: fields))
    }
    (person.nick, person.rest) = ("b", 1)
    XCTAssertEqual(person.changedKeyPaths(by: fields), [\.self, \.nick])
  }

  func testRowThatIsGoneDoesNotTrap() {
    struct List: Equatable { var names = ["a", "b"] }
    let fields = Dirtyable<List>.Fields(\.names[1]).normalizing(\.names[1], .trimmed)
    var list = Dirtyable(List())
    list.names[1] = " b "
    XCTAssertFalse(list.isDirty(by: fields))
    list.names.removeLast()
    XCTAssertEqual(list.changedKeyPaths(by: fields), [\.self, \.names[1]])
    XCTAssertEqual(fields.normalized(list.current).names, ["a"])
  }

  func testNormalizedValueIsTheOneToSave() {
    var person = Person()
    (person.name, person.nick, person.rest) = (" Ada ", " ", 3)
    person = fields.normalized(person)
    XCTAssertEqual([person.name, person.nick, "\(person.rest)"], ["Ada", nil, "3"])
    XCTAssertEqual(Dirtyable<Person>.Fields(\.name).normalized(Person()), Person())
  }

  func testUneditedMemberTakesTheirs() {
    var person = Dirtyable(Person())
    (person.name, person.nick) = ("Ada ", "")
    var theirs = Person()
    (theirs.name, theirs.nick) = ("Grace", "g")
    XCTAssertTrue(person.rebase(onto: theirs, merging: fields).isEmpty)
    XCTAssertEqual(person.current, theirs)
    XCTAssertFalse(person.isDirty)
  }

  func testEqualEditsOfBothSidesAreNoConflict() {
    var person = Dirtyable(Person())
    person.name = "Grace"
    person.rest = 1
    var theirs = Person()
    theirs.name = "Grace "
    XCTAssertTrue(person.rebase(onto: theirs, merging: fields).isEmpty)
    XCTAssertEqual(person.rest, 1)
    XCTAssertTrue(person.isDirty(\.rest))
    theirs.name = "Edith"
    person.name = "Mary"
    XCTAssertEqual(person.rebase(onto: theirs, merging: fields).keyPaths, [\.name])
  }
}
