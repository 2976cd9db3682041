import Foundation
import Partials
import TestSupport
import XCTest

private struct Place: Codable, Hashable, Sendable {
  var latitude: Double
  var longitude: Double
}

private struct Address: PartialSchemaProviding, Equatable, Sendable {
  var street: String
  var town: String
  var place: Place

  static let partialSchema = Partial<Address>.Schema(("street", \.street), ("town", \.town), ("place", \.place))
}

private struct Person: PartialSchemaProviding, Equatable, Sendable {
  var name: String
  var age: Int?
  var tags: [String]
  var address: Address
  var secret = 0
  var shout: String {
    get { name.uppercased() }
    set { name = newValue.lowercased() }
  }

  static let partialSchema = Partial<Person>.Schema(
    ("name", \.name), ("age", \.age), ("tags", \.tags), ("SHOUT", \.shout)
  ).nesting("address", \.address).ignored(\.secret)
}

/// Has two levels of nesting, and ignores unknown keys.
private struct Company: PartialSchemaProviding, Sendable {
  var owner: Person
  var name: String

  static let partialSchema = Partial<Company>.Schema(("name", \.name)).nesting("owner", \.owner).ignoringUnknownKeys()
}

private let ada = Person(
  name: "Ada", age: 36, tags: ["maths"],
  address: Address(street: "Dorset Street", town: "London", place: Place(latitude: 51.5, longitude: 0)))

private func json(_ partial: some Encodable) throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  return String(decoding: try encoder.encode(partial), as: UTF8.self)
}

final class PartialSchemaTests: XCTestCase {
  // MARK: Declaring

  func testNamesAreInDeclaredOrderWithTheirPrefixes() {
    XCTAssertEqual(
      Person.partialSchema.names,
      ["name", "age", "tags", "SHOUT", "address.street", "address.town", "address.place"])
    XCTAssertEqual(Company.partialSchema.names[5], "owner.address.street")
    XCTAssertEqual(Address.partialSchema.description, "Partial<Address>.Schema(street, town, place)")
  }

  func testSchemaListsTheNamesSetInAPartial() {
    var partial = Partial<Company>()
    XCTAssertEqual(Company.partialSchema.names(setIn: partial), [])
    partial[\.owner.address.town] = "Bonn"
    partial.name = "Engines"
    XCTAssertEqual(Company.partialSchema.names(setIn: partial), ["name", "owner.address.town"])
    partial[\.owner.address] = ada.address
    XCTAssertEqual(
      Company.partialSchema.names(setIn: partial),
      ["name", "owner.address.street", "owner.address.town", "owner.address.place"])
    XCTAssertEqual(Company.partialSchema.names(setIn: Partial(over: Company(owner: ada, name: ""))), [])
  }

  // MARK: Comparing

  func testPartialsAreEqualIfTheSameValuesAreSet() {
    func partial(_ change: (inout Partial<Person>) -> Void) -> Partial<Person> {
      var partial = Partial<Person>()
      change(&partial)
      return partial
    }
    var whole = ada.address
    whole.town = "Bonn"
    checkHashable(equivalenceClasses: [
      [partial { _ in }, partial { $0.name = nil }, partial { $0.secret = 1 }],
      [
        partial { $0.name = "Ada" },
        partial {
          $0.name = "x"; $0.name = "Ada"
        },
      ],
      [partial { $0.name = "Grace" }],
      [partial { $0.age = .some(nil) }],
      [partial { $0.age = 0 }],
      [partial { $0.shout = "ADA" }],
      [
        partial { $0.address = whole },
        partial {
          $0.address = ada.address
          $0[\.address.town] = "Bonn"
        },
        partial {
          $0[\.address.place] = whole.place
          $0[\.address.street] = whole.street
          $0[\.address.town] = whole.town
        },
      ],
      [partial { $0[\.address.town] = "Bonn" }],
      [Partial(over: ada)],
      [
        partial {
          $0 = Partial(over: ada); $0.name = "Ada"
        }
      ],
      [Partial(over: Person(name: "", age: nil, tags: [], address: ada.address))],
    ])
  }

  func testDifferencesLeaveOutEqualValues() {
    var partial = Partial(over: ada)
    XCTAssertFalse(partial.isDirty)
    partial.name = "Ada"
    partial.age = 36
    partial[\.address.town] = "London"
    XCTAssertEqual(partial.changes.count, 3)
    XCTAssertTrue(partial.differences.isEmpty)
    XCTAssertFalse(partial.isDirty)

    partial.age = .some(nil)
    partial.address = Address(street: "Side", town: "London", place: ada.address.place)
    XCTAssertTrue(partial.isDirty)
    XCTAssertEqual(Person.partialSchema.names(setIn: partial.differences), ["age", "address.street"])
    XCTAssertEqual(partial.changes.count, 3, "reading the differences changed the partial")

    var free = Partial<Person>()
    free.name = "Ada"
    XCTAssertEqual(free.differences, free)
  }

  // MARK: Coding

  func testOnlySetValuesAreEncoded() throws {
    var partial = Partial<Person>()
    XCTAssertEqual(try json(partial), "{}")
    partial.age = .some(nil)
    partial[\.address.town] = "Bonn"
    partial.secret = 7
    XCTAssertEqual(try json(partial), #"{"address":{"town":"Bonn"},"age":null}"#)
    partial[\.address.town] = nil
    partial.age = 3
    partial.shout = "A"
    XCTAssertEqual(try json(partial), #"{"SHOUT":"A","age":3}"#)
  }

  func testOnlyChangesToAnOriginalAreEncoded() throws {
    var partial = Partial(over: ada)
    XCTAssertEqual(try json(partial), "{}")
    partial.tags?.append("engines")
    partial.name = "Ada"
    XCTAssertEqual(try json(partial), #"{"name":"Ada","tags":["maths","engines"]}"#)
    XCTAssertEqual(try json(partial.differences), #"{"tags":["maths","engines"]}"#)
  }

  func testEverySubsetOfValuesIsEncodedAndDecoded() throws {
    let fill: [(inout Partial<Person>) -> Void] = [
      { $0.name = "Ada" }, { $0.age = .some(nil) }, { $0.tags = [] }, { $0.shout = "X" }, { $0.address = ada.address },
      { $0[\.address.place] = Place(latitude: 1, longitude: 2) },
    ]
    try withEverySubset("set", of: Array(fill.indices)) { set in
      var partial = Partial<Person>()
      for index in set { fill[index](&partial) }
      try checkCodable(partial)
    }
  }

  func testAbsentKeysAreNotSetAndNullIsAValueOfAnOptional() throws {
    let partial = try JSONDecoder().decode(
      Partial<Person>.self, from: Data(#"{"age": null, "address": {"street": "Side"}}"#.utf8))
    XCTAssertEqual(partial.age, .some(nil))
    XCTAssertEqual(partial[\.address.street], "Side")
    XCTAssertEqual(partial.count, 2)
    XCTAssertNil(partial.address)
  }

  func testPatchIsAppliedToTheStoredModel() throws {
    var form = Partial(over: ada)
    form[\.address.town] = "Ockham"
    form.age = .some(nil)
    let patch = try JSONDecoder().decode(Partial<Person>.self, from: JSONEncoder().encode(form))
    var stored = ada
    XCTAssertEqual(patch.apply(to: &stored), [])
    XCTAssertEqual(stored, form[\.self])
  }

  // MARK: Hostile input

  func testDecodingAnotherShapeThrowsAndNamesThePath() {
    for input in ["", "null", "[]", "7", "{", #""name""#, #"{"name": "Ada""#] {
      expectDecodingError(Partial<Person>.self, from: input)
    }
    expectDecodingError(Partial<Person>.self, from: #"{"name": 7}"#, mentioning: "name")
    expectDecodingError(Partial<Person>.self, from: #"{"name": null}"#, mentioning: "name")
    expectDecodingError(Partial<Person>.self, from: #"{"age": "old"}"#, mentioning: "age")
    expectDecodingError(Partial<Person>.self, from: #"{"age": 1e300}"#)
    expectDecodingError(Partial<Person>.self, from: #"{"tags": ["a", 1]}"#, mentioning: "tags")
    for wrong in ["null", "[]", #""Side""#, "7"] {
      expectDecodingError(Partial<Person>.self, from: #"{"address": \#(wrong)}"#, mentioning: "address")
    }
    expectDecodingError(Partial<Person>.self, from: #"{"address": {"town": {}}}"#, mentioning: "town")
    expectDecodingError(
      Partial<Person>.self, from: #"{"address": {"place": {"latitude": 1}}}"#, mentioning: "longitude")
  }

  func testDecodingHostileInputThrows() {
    let inputs = [
      #"{"addr\u0000ess": {}}"#, #"{"address": {"address": {}}}"#, #"{"age": 9223372036854775808}"#, #"{"age": 1.5}"#,
      #"{"age": true}"#, #"{"name": "\ud800"}"#, #"{"tags": {"0": "a"}}"#, #"{"tags": [null]}"#, #"{"name": "A"}{}"#,
      #"{"tags": "# + String(repeating: "[", count: 600) + String(repeating: "]", count: 600) + "}",
      String(repeating: #"{"address":"#, count: 10_000),
      "{" + (0..<1_000).map { #""k\#($0)": 0"# }.joined(separator: ",") + "}",
    ]
    for input in inputs { expectDecodingError(Partial<Person>.self, from: input) }
    // The decoder chooses one of two equal keys.
    XCTAssertNoThrow(
      try JSONDecoder().decode(Partial<Person>.self, from: Data(#"{"name": "Ada", "name": "Grace"}"#.utf8)))
  }

  func testNestedTypeMismatchHasTheFullCodingPath() {
    let input = Data(#"{"owner": {"address": {"place": {"latitude": true, "longitude": 2}}}}"#.utf8)
    XCTAssertThrowsError(try JSONDecoder().decode(Partial<Company>.self, from: input)) { error in
      guard case DecodingError.typeMismatch(_, let context) = error else { return XCTFail("\(error)") }
      XCTAssertEqual(context.codingPath.map(\.stringValue), ["owner", "address", "place", "latitude"])
    }
  }

  func testDecodingErrorNamesTheUnknownKey() {
    let inputs = [
      #"{"nmae": "Ada"}"#: "nmae", #"{"secret": 1}"#: "secret", #"{"": 1}"#: "There is no property",
      #"{"address": {"town": "Bonn", "zip": 1}}"#: "zip", #"{"address.town": "Bonn"}"#: "address.town",
    ]
    for (input, name) in inputs { expectDecodingError(Partial<Person>.self, from: input, mentioning: name) }
    XCTAssertThrowsError(
      try JSONDecoder().decode(Partial<Person>.self, from: Data(#"{"address": {"zip": 1}}"#.utf8))
    ) { error in
      guard case DecodingError.dataCorrupted(let context) = error else { return XCTFail("\(error)") }
      XCTAssertEqual(context.codingPath.map(\.stringValue), ["address", "zip"])
      XCTAssertEqual(context.debugDescription, "There is no property zip, only street, town, place")
    }
  }

  func testUnknownKeysAreIgnoredIfTheSchemaSaysSo() throws {
    let partial = try JSONDecoder().decode(
      Partial<Company>.self, from: Data(#"{"name": "Engines", "founded": 1833}"#.utf8))
    XCTAssertEqual(partial.name, "Engines")
    XCTAssertEqual(partial.count, 1)
    // The nested schema still rejects unknown keys.
    expectDecodingError(Partial<Company>.self, from: #"{"owner": {"x": 1}}"#, mentioning: "x")
  }

  func testPartialIsEncodedAsAPropertyList() throws {
    var partial = Partial<Person>()
    partial.name = "Ada"
    partial[\.address.place] = Place(latitude: 1, longitude: 2)
    let data = try PropertyListEncoder().encode(partial)
    XCTAssertEqual(try PropertyListDecoder().decode(Partial<Person>.self, from: data), partial)
  }

  // MARK: Describing

  func testDescriptionUsesSchemaNames() {
    var partial = Partial<Person>()
    partial.age = .some(nil)
    partial.name = "Ada"
    partial[\.address.town] = "Bonn"
    partial.secret = 1
    partial.shout = "A"
    XCTAssertEqual(
      partial.debugDescription, #"Partial<Person>(name: "Ada", age: nil, address.town: "Bonn", Int: 1, SHOUT: "A")"#)
    var whole = Partial<Person>()
    whole.address = ada.address
    whole[\.address.town] = nil
    XCTAssertEqual(whole.debugDescription, "Partial<Person>(address: incomplete)")
  }
}
