import Partials
import XCTest

/// Optionals that a schema nests.
///
/// A part that changed is sent alone, and setting a part of nil does not trap.
final class PartialOptionalNestingTests: XCTestCase {
  struct Geo: PartialSchemaProviding, Codable, Hashable, Sendable {
    var latitude = 0.0, longitude = 0.0
    static let partialSchema = Partial<Geo>.Schema(("latitude", \.latitude), ("longitude", \.longitude))
  }

  struct Address: PartialSchemaProviding, Codable, Hashable, Sendable {
    var street = "", town = "", unit: Int?, geo: Geo?
    static let partialSchema = Partial<Address>.Schema(("street", \.street), ("town", \.town), ("unit", \.unit))
      .nesting("geo", \.geo, Geo.partialSchema)
      .normalizing(\.town, .trimmed)
  }

  struct Person: PartialSchemaProviding, Equatable, Sendable {
    var name = "", address: Address?
    var town: String {
      get { address?.town ?? "" }
      set { address?.town = newValue }
    }
    static let partialSchema = Partial<Person>.Schema(("name", \.name))
      .nesting("address", \.address, Address.partialSchema)
  }

  struct Team: PartialSchemaProviding, Equatable, Sendable {
    var lead = Person()
    static let partialSchema = Partial<Team>.Schema().nesting("lead", \.lead)
  }

  private let london = Person(
    name: "Ada", address: Address(street: "Old 1", town: "London", geo: Geo(latitude: 51, longitude: 0)))

  private func json(_ form: Partial<Person>) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(form), as: UTF8.self)
  }

  private func decoded(_ json: String) throws -> Partial<Person> {
    try JSONDecoder().decode(Partial<Person>.self, from: Data(json.utf8))
  }

  func testChangedPartIsSentAlone() throws {
    var form = Partial(over: london)
    form.address??.town = "Ockham"
    XCTAssertEqual(try json(form.differences), #"{"address":{"town":"Ockham"}}"#)
    XCTAssertTrue(form.isDirty)
    XCTAssertEqual(Person.partialSchema.names(setIn: form.differences), ["address.town"])
    XCTAssertEqual("\(form.differences)".contains("Ockham"), true)
    form.address??.town = " London "
    XCTAssertFalse(form.isDirty, "the rules of the parts count")
    form.address??.geo?.latitude = 52
    XCTAssertEqual(try json(form.differences), #"{"address":{"geo":{"latitude":52}}}"#)
    form.address??.geo = nil
    form.address??.unit = 3
    XCTAssertEqual(try json(form.differences), #"{"address":{"geo":null,"unit":3}}"#)
  }

  func testEmptiedOptionalSendsNull() throws {
    var form = Partial(over: london)
    form.address = .some(nil)
    XCTAssertEqual(try json(form.differences), #"{"address":null}"#)
    var edited = london
    XCTAssertEqual(form.differences.apply(to: &edited), [])
    XCTAssertNil(edited.address)
    let patch = try decoded(#"{"address":null}"#)
    var other = london
    patch.apply(to: &other)
    XCTAssertNil(other.address)
  }

  func testNewValueIsSentAndDecodedAsAWhole() throws {
    var form = Partial(over: Person(name: "Ada"))
    form.address = Address(street: "New 2", town: "Bonn")
    let body = try json(form.differences)
    XCTAssertEqual(body, #"{"address":{"geo":null,"street":"New 2","town":"Bonn","unit":null}}"#)
    var stored = Person(name: "Ada")
    XCTAssertEqual(try decoded(body).apply(to: &stored), [])
    XCTAssertEqual(stored.address, Address(street: "New 2", town: "Bonn"))
    XCTAssertEqual(try decoded(body).address??.town, "Bonn")
  }

  func testPatchChangesOnlyItsParts() throws {
    let patch = try decoded(#"{"address":{"town":"Ockham"}}"#)
    var form = Partial(over: Person(name: "Ada", address: Address(street: "Another", town: "London")))
    form.merge(patch)
    XCTAssertEqual(form.address, Address(street: "Another", town: "Ockham"))
    XCTAssertEqual(try json(form.differences), #"{"address":{"town":"Ockham"}}"#)
    XCTAssertEqual(try json(patch), #"{"address":{"town":"Ockham"}}"#)
    XCTAssertEqual(patch, try decoded(#"{"address":{"town":"Ockham"}}"#))
    XCTAssertEqual(patch.hashValue, try decoded(#"{"address":{"town":"Ockham"}}"#).hashValue)
    XCTAssertNotEqual(patch, try decoded(#"{"address":{"town":"Bonn"}}"#))
    XCTAssertEqual(Person.partialSchema.names(setIn: patch), ["address.town"])
  }

  func testPartOfNothingIsReportedAndDoesNotTrap() throws {
    let patch = try decoded(#"{"address":{"geo":{"latitude":1}},"name":"Grace"}"#)
    for address in [nil, Address(town: "Bonn")] {
      var person = Person(name: "Ada", address: address)
      let lost = patch.apply(to: &person)
      XCTAssertEqual(lost, address == nil ? [\Person.address] : [\Person.address!.geo])
      XCTAssertEqual(person, Person(name: "Grace", address: address))
    }
    var form = Partial(over: Person(name: "Ada"))
    form.merge(patch)
    XCTAssertEqual(try json(form.differences), #"{"address":{"geo":{"latitude":1}},"name":"Grace"}"#)
    form.removeAll()
    XCTAssertFalse(form.isDirty)
  }

  func testRefusedParts() {
    for body in [#"{"address":{"twon":"Bonn"}}"#, #"{"address":{"town":3}}"#, #"{"address":4}"#] {
      XCTAssertThrowsError(try decoded(body), body)
    }
  }

  func testLaterOfWholeAndPartWins() throws {
    let whole = try decoded(#"{"address":{"geo":null,"street":"New 2","town":"Bonn","unit":null}}"#)
    let part = try decoded(#"{"address":{"town":"Ockham"}}"#)
    var first = whole
    first.merge(part)
    XCTAssertTrue(try json(first).contains("Ockham"))
    var second = part
    second.merge(whole)
    XCTAssertTrue(try json(second).contains("Bonn"))
    for (merged, town) in [(first, "Ockham"), (second, "Bonn")] {
      var person = london
      merged.apply(to: &person)
      XCTAssertEqual(person.address?.town, town)
    }
  }

  func testMergedPatchesKeepThePartsOfBoth() throws {
    let town = try decoded(#"{"address":{"town":"Ockham","geo":{"latitude":1}}}"#)
    let street = try decoded(#"{"address":{"street":"New 2","geo":{"longitude":2}}}"#)
    let whole = try decoded(#"{"address":{"geo":null,"street":"Whole","town":"Whole","unit":null}}"#)
    for policy in [Partial<Person>.MergePolicy.replace, .keep] {
      var (patch, form) = (town, Partial(over: london))
      patch.merge(street, policy: policy)
      form.merge(town, policy: policy)
      form.merge(street, policy: policy)
      let body = #"{"address":{"geo":{"latitude":1,"longitude":2},"street":"New 2","town":"Ockham"}}"#
      XCTAssertEqual(try json(patch), body)
      XCTAssertEqual(try json(form.differences), body)
    }
    var form = Partial(over: london)
    for patch in [town, whole, street] { form.merge(patch) }
    XCTAssertEqual(form.address, Address(street: "New 2", town: "Whole"))
    var patch = town
    for other in [whole, street] { patch.merge(other) }
    var person = london
    patch.apply(to: &person)
    XCTAssertEqual(person.address, Address(street: "New 2", town: "Whole"))
    XCTAssertTrue(try json(patch).contains(#""street":"New 2","town":"Whole""#))
  }

  func testSetterOfAnotherPropertyAndNestingsAreSeen() throws {
    var form = Partial(over: london)
    form.town = "Ockham"
    XCTAssertEqual(try json(form.differences), #"{"address":{"town":"Ockham"}}"#)
    var team = Partial(over: Team(lead: london))
    team.lead?.address?.street = "New 2"
    let body = String(decoding: try JSONEncoder().encode(team.differences), as: UTF8.self)
    XCTAssertEqual(body, #"{"lead":{"address":{"street":"New 2"}}}"#)
    var person = Team()
    let patch = try JSONDecoder().decode(Partial<Team>.self, from: Data(body.utf8))
    XCTAssertEqual(patch.apply(to: &person), [\Team.lead.address])
  }
}
