import Partials
import TestSupport
import XCTest

private struct Address: Equatable {
  var street: String
  var number: UInt8
  var town: String
}

private struct Person: Equatable {
  var name: String
  let born: Int
  var address: Address
  var email: String?
  var changes = 0
  var isAdult: Bool { born < 2000 }
  var initials: String {
    get { String(name.prefix(1)) }
    set { name = newValue + name.dropFirst() }
  }
}

private let ada = Person(
  name: "Ada", born: 1815, address: Address(street: "Dorset Street", number: 1, town: "London"))

final class PartialOriginalTests: XCTestCase {
  func testUnsetPropertiesAreReadFromTheOriginal() throws {
    var partial = Partial(over: ada)
    partial.name = "Augusta"
    XCTAssertEqual(partial.name, "Augusta")
    XCTAssertEqual(partial[\.born], 1815)
    XCTAssertEqual(try partial.value(for: \.address.town), "London")
    XCTAssertEqual(partial.email, .some(nil))
    XCTAssertTrue(partial.contains(\.born))
    XCTAssertTrue(partial.contains(\.isAdult))
    XCTAssertEqual(partial.original, ada)
    XCTAssertEqual(partial.count, 1)
    XCTAssertNil(Partial(ada).original)
  }

  func testPartialWithoutAnOriginalEqualsItsChanges() {
    var partial = Partial<Person>()
    partial.name = "Ada"
    XCTAssertNil(partial.original)
    XCTAssertEqual(partial.changes.debugDescription, partial.debugDescription)
  }

  func testComputedPropertyIsComputedFromSetValues() {
    var partial = Partial(over: ada)
    XCTAssertEqual(partial.initials, "A")
    XCTAssertEqual(partial[\.isAdult], true)
    partial.name = "Grace"
    XCTAssertEqual(partial.initials, "G")
    partial.initials = "X"
    XCTAssertEqual(partial.initials, "X")
    partial.initials = nil
    XCTAssertEqual(partial.initials, "G")
    partial[\.born] = 2006
    XCTAssertNil(partial[\.isAdult], "no whole person has the other constant")
    partial[\.born] = nil
    XCTAssertEqual(partial[\.isAdult], true)
  }

  func testChangeInPlaceOfTheRootIsAChange() {
    var partial = Partial(over: ada)
    partial[\.self]?.name.append(" King")
    XCTAssertEqual(partial.name, "Ada King")
    XCTAssertEqual(partial.changes.name, "Ada King")
    partial[\.self] = nil
    XCTAssertEqual(partial.name, "Ada")

    struct Identifier { var raw: Int }
    var identifier = Partial(over: Identifier(raw: 1))
    identifier.raw? += 1
    XCTAssertEqual(identifier.raw, 2)
    XCTAssertEqual(identifier.changes.count, 1)
    XCTAssertEqual(identifier.original?.raw, 1)
  }

  func testRemoveAllWithoutAnOriginalLeavesNoValues() {
    var partial = Partial(ada)
    partial.initials = "X"
    partial.removeAll()
    XCTAssertTrue(partial.isEmpty)
    XCTAssertNil(partial.name)
  }

  func testChangesAreAppliedToANewerRoot() {
    var partial = Partial(over: ada)
    partial[\.address.town] = "Ockham"
    var newer = ada
    newer.name = "Augusta"
    XCTAssertEqual(partial.apply(to: &newer), [])
    XCTAssertEqual(newer.name, "Augusta")
    XCTAssertEqual(newer.address.town, "Ockham")
  }

  func testValidationSeesTheOriginal() {
    let validation = Partial<Person>.Validation(
      .required(\.name), .required(\.address), .required(\.isAdult),
      .valueValidation(keyPath: \.born) { $0 > 1800 })
    var partial = Partial(over: ada)
    partial[\.address.town] = "Ockham"
    XCTAssertNil(validation.issues(in: partial))
    partial[\.born] = 1700
    XCTAssertEqual(
      validation.issues(in: partial)?.reasons, [.missing(\Person.isAdult), .invalidValue(\Person.born)])
    XCTAssertEqual(validation.progress(of: partial).completed, 2)
  }

  func testMemberNamedChangesIsReachedBySubscript() {
    var partial = Partial(over: ada)
    partial[\.changes] = 3
    XCTAssertEqual(partial[\.changes], 3)
    XCTAssertEqual(partial.changes[\.changes], 3)
  }

  func testDescriptionEndsWithTheOriginal() {
    var partial = Partial(over: 7)
    XCTAssertEqual(partial.debugDescription, "Partial<Int>(over: 7)")
    partial[\.self] = 8
    XCTAssertEqual(partial.debugDescription, "Partial<Int>(Int: 8, over: 7)")
  }

  func testStructWithoutBytesCanBeAnOriginal() {
    struct Marker: Equatable {}
    var partial = Partial(over: Marker())
    XCTAssertEqual(partial[\.self], Marker())
    XCTAssertTrue(partial.isEmpty)
    partial[\.self] = Marker()
    XCTAssertEqual(partial.count, 1)
  }

  func testPropertyIsDirtyIfItDiffersFromTheOriginal() {
    struct Reading {
      var reading = Double.nan
      var note: String?
      var total = 1
    }
    var form = Partial(over: Reading())
    form.reading = .nan
    XCTAssertFalse(form.isDirty(\.reading), "NaN is the same as itself")
    form.note = .some("a")
    XCTAssertTrue(form.isDirty(\.note))
    form.note = .some(nil)
    XCTAssertFalse(form.isDirty(\.note), "set, but to what the original has")
    form.enter("many", at: \.total) { Int($0) }
    XCTAssertTrue(form.isDirty(\.total), "a text that is not understood")
    XCTAssertFalse(form.isDirty(\.reading))
    form.total = 1
    XCTAssertFalse(form.isDirty(\.total))
    form.total = 2
    XCTAssertTrue(form.isDirty(\.total))
  }

  func testPropertyWithoutAnOriginalIsDirtyOnceSet() {
    struct Reading { var total = 1 }
    var form = Partial<Reading>()
    XCTAssertFalse(form.isDirty(\.total))
    form.total = 1
    XCTAssertTrue(form.isDirty(\.total))
    form.total = nil
    XCTAssertFalse(form.isDirty(\.total))
  }
}
