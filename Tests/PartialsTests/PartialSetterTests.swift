import Foundation
import Partials
import TestSupport
import XCTest

@propertyWrapper
private struct Clamped: Equatable {
  private var value: Int
  init(wrappedValue: Int) { value = wrappedValue }
  var wrappedValue: Int {
    get { value }
    set { value = min(max(newValue, 0), 100) }
  }
}

private struct Address: Equatable, PartialSchemaProviding {
  var street = "Dorset Street"
  var town = "London"
  @Clamped var floor = 3
  // Ignored by the schema.
  var note = ""

  static let partialSchema = Partial<Address>.Schema(
    ("street", \.street), ("town", \.town), ("floor", \.floor)
  ).ignored(\.note)
}

private struct Company: Equatable { var name = "Engines" }

private struct Person: Equatable, PartialSchemaProviding {
  let born: Int
  var first = "Ada"
  var last = "King"
  @Clamped var level = 50
  var volume = 5 { didSet { volume = min(volume, limit) } }
  var limit = 10
  var scores = ["go": 1]
  var tags = ["a", "b", "c"]
  var address = Address()
  var company: Company? = Company()
  // Ignored by the schema.
  var note = "none"
  /// A single word sets only the first name.
  var full: String {
    get { "\(first) \(last)" }
    set {
      let words = newValue.split(separator: " ", maxSplits: 1).map(String.init)
      first = words.first ?? ""
      if words.count > 1 { last = words[1] }
    }
  }
  /// Computed from a property that the schema ignores.
  var shout: String {
    get { note.uppercased() }
    set { note = newValue.lowercased() }
  }
  /// Always reads as an empty string.
  var password: String {
    get { "" }
    set { note = "hash of \(newValue)" }
  }
  var half: Int { limit / 2 }

  static let partialSchema = Partial<Person>.Schema(
    ("born", \.born), ("first", \.first), ("last", \.last), ("level", \.level), ("volume", \.volume),
    ("limit", \.limit), ("scores", \.scores), ("tags", \.tags)
  ).nesting("address", \.address).ignored(\.company, \.note)
}

private let ada = Person(born: 1815)

private func body(_ partial: Partial<Person>) throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = .sortedKeys
  return String(decoding: try encoder.encode(partial), as: UTF8.self)
}

final class PartialSetterTests: XCTestCase {
  /// Makes the edit, and checks that reading, applying, naming, comparing and sending agree.
  private func check(
    _ edit: (inout Partial<Person>) -> Void, makes expected: Person, named names: [String], line: UInt = #line
  ) throws {
    var partial = Partial(over: ada)
    edit(&partial)
    XCTAssertEqual(partial[\.self], expected, "the value read", line: line)
    var root = ada
    partial.apply(to: &root)
    XCTAssertEqual(root, expected, "the value applied", line: line)
    XCTAssertEqual(partial.original, ada, line: line)
    let differences = partial.differences
    XCTAssertEqual(Person.partialSchema.names(setIn: partial), names, "the names set", line: line)
    XCTAssertEqual(Person.partialSchema.names(setIn: differences), names, "the names that differ", line: line)
    XCTAssertEqual(partial.isDirty, expected != ada, "isDirty", line: line)
    XCTAssertEqual(differences.isEmpty, expected == ada, "differences", line: line)
    XCTAssertEqual(partial == Partial(over: ada), names.isEmpty, "equality", line: line)
    root = ada
    differences.apply(to: &root)
    XCTAssertEqual(root, expected, "the differences applied", line: line)
    let sent = try JSONDecoder().decode(Partial<Person>.self, from: Data(try body(partial).utf8))
    root = ada
    sent.apply(to: &root)
    var named = expected
    named.note = ada.note
    named.address.note = ada.address.note
    named.company = ada.company
    XCTAssertEqual(root, named, "the sent values", line: line)
    partial.removeAll()
    XCTAssertEqual(partial[\.self], ada, "all removed", line: line)
  }

  private func person(_ change: (inout Person) -> Void) -> Person {
    var person = ada
    change(&person)
    return person
  }

  func testSettingAComputedPropertySetsItsInputs() throws {
    var partial = Partial(over: ada)
    partial.full = "Ada Lovelace"
    XCTAssertEqual(partial.last, "Lovelace")
    XCTAssertEqual(try partial.value(for: \.last), "Lovelace")
    XCTAssertEqual(try body(partial.differences), #"{"last":"Lovelace"}"#)
    try check({ $0.full = "Ada Lovelace" }, makes: person { $0.last = "Lovelace" }, named: ["last"])
    try check({ $0.full = "Ada King" }, makes: ada, named: [])
  }

  func testObservedPropertyReadsTheValueThatItsObserverStored() throws {
    try check({ $0.volume = 7 }, makes: person { $0.volume = 7 }, named: ["volume"])
    try check({ $0.volume = 700 }, makes: person { $0.volume = 10 }, named: ["volume"])
    var partial = Partial(over: ada)
    partial.volume = 700
    partial.limit = 1000
    XCTAssertEqual(partial.volume, 10, "the limit was 10 when it was set")
    partial.volume = 700
    XCTAssertEqual(partial.volume, 700)
  }

  func testRemovingAnElementOfAShortenedArrayKeepsTheArray() {
    var partial = Partial(over: ada)
    partial[\.tags[2]] = "x"
    partial.tags = ["d"]
    XCTAssertTrue(partial.isDirty)
    partial.removeValue(for: \.tags[2])
    XCTAssertEqual(partial.tags, ["d"])
    partial.tags = nil
    XCTAssertEqual(partial.tags, ada.tags)
    XCTAssertTrue(partial.isEmpty)
  }

  func testValueSetThroughAnOptionalChainIsADifferenceThatIsNotApplied() {
    var partial = Partial(over: ada)
    partial[\.company?.name] = .some("Looms")
    XCTAssertEqual(partial[\.company?.name], "Looms")
    XCTAssertEqual(partial.company, .some(ada.company), "a read-only value is not written")
    XCTAssertTrue(partial.isDirty)
    XCTAssertFalse(partial.differences.isEmpty)
    var root = ada
    XCTAssertEqual(partial.apply(to: &root), [\Person.company?.name])
    XCTAssertEqual(root, ada)
  }

  func testPropertyThatTheSchemaIgnoresIsADifference() throws {
    try check({ $0.note = "x" }, makes: person { $0.note = "x" }, named: [])
    try check({ $0.shout = "X" }, makes: person { $0.note = "x" }, named: [])
    try check({ $0.shout = "NONE" }, makes: ada, named: [])
    try check({ $0.note = "none" }, makes: ada, named: [])
    try check({ $0.password = "x" }, makes: person { $0.note = "hash of x" }, named: [])
    try check({ $0.company = .some(nil) }, makes: person { $0.company = nil }, named: [])
    try check({ $0[\.address.note] = "x" }, makes: person { $0.address.note = "x" }, named: [])
  }

  func testIgnoredPropertyIsSetBackAfterASetterWroteIt() {
    struct Root: PartialSchemaProviding, Equatable {
      var first = 1, second = 1
      var both: Int {
        get { first }
        set { (first, second) = (newValue, newValue) }
      }
      static let partialSchema = Partial<Root>.Schema().ignored(\.first, \.second)
    }
    var partial = Partial(over: Root())
    partial.both = 2
    partial.first = 1
    var root = Root()
    partial.differences.apply(to: &root)
    XCTAssertEqual(root, Root(first: 1, second: 2))
    partial.second = 1
    XCTAssertFalse(partial.isDirty)
  }

  func testIgnoredMemberOfAStructIsADifference() {
    var address = Address()
    var partial = Partial(over: ada)
    partial.address = address
    XCTAssertFalse(partial.isDirty)
    XCTAssertTrue(partial.differences.isEmpty)
    address.note = "x"
    partial.address = address
    XCTAssertTrue(partial.isDirty)
    var root = ada
    partial.differences.apply(to: &root)
    XCTAssertEqual(root.address, address)
  }

  func testDifferencesIncludeAWrappedMemberOfASetStruct() throws {
    var address = Address()
    address.floor = 7
    var partial = Partial(over: ada)
    partial.address = address
    XCTAssertEqual(try body(partial.differences), #"{"address":{"floor":7}}"#)
    partial[\.address.floor] = 700
    XCTAssertEqual(partial.address?.floor, 100)
    XCTAssertEqual(try body(partial.differences), #"{"address":{"floor":100}}"#)
  }

  func testChangedMemberIsADifferenceOfTheNamedStruct() throws {
    struct Letter: PartialSchemaProviding, Equatable {
      struct Place: Codable, Hashable { var latitude = 1, longitude = 2 }
      var place = Place()
      var text = ""
      static let partialSchema = Partial<Letter>.Schema(("place", \.place)).ignored(\.text)
    }
    var partial = Partial(over: Letter())
    partial[\.place.latitude] = 3
    XCTAssertTrue(partial.isDirty)
    XCTAssertEqual(Letter.partialSchema.names(setIn: partial), ["place"])
    XCTAssertEqual(partial.differences.place, Letter.Place(latitude: 3))
    XCTAssertNotEqual(partial, Partial(over: Letter()))
    partial[\.place.latitude] = 1
    XCTAssertFalse(partial.isDirty)
  }

  func testLaterOfTwoEditsOfOnePropertyWins() throws {
    try check(
      {
        $0.full = "Augusta Lovelace"
        $0.last = "Byron"
      },
      makes: person {
        $0.first = "Augusta"
        $0.last = "Byron"
      }, named: ["first", "last"])
    try check(
      {
        $0.last = "Byron"
        $0.full = "Ada Lovelace"
      }, makes: person { $0.last = "Lovelace" }, named: ["last"])
    var partial = Partial(over: ada)
    partial.last = "Byron"
    partial.full = "Augusta Lovelace"
    partial.last = "Noel"
    partial.full = nil
    XCTAssertEqual(partial[\.self]?.full, "Ada Noel")
    partial.full = "Augusta Lovelace"
    partial.last = nil
    XCTAssertEqual(partial[\.self]?.full, "Augusta Lovelace")
    partial.full = "Annabella"
    XCTAssertEqual(partial.full, "Annabella King", "one value for each key path")
    XCTAssertEqual(partial.changes.count, 1)
  }

  func testSettingTheRootReplacesEarlierValues() {
    var partial = Partial(over: ada)
    partial.full = "Augusta Lovelace"
    partial[\.self] = ada
    XCTAssertEqual(partial.full, "Ada King")
    XCTAssertEqual(partial.changes.count, 1)
    partial.full = "Augusta Lovelace"
    XCTAssertEqual(partial.last, "Lovelace")
    XCTAssertEqual(partial.changes.last, "Lovelace")
    partial[\.self] = nil
    XCTAssertEqual(partial.last, "King")
    XCTAssertTrue(partial.isEmpty)
  }

  func testPropertyOfAnObjectIsWrittenOnlyWhenItIsApplied() {
    final class Account: @unchecked Sendable { var owner = "Ada" }
    struct Holder {
      var account = Account()
      var number = 1
    }
    let holder = Holder()
    var partial = Partial(over: holder)
    partial[\.account.owner] = "Grace"
    partial.number = 2
    XCTAssertEqual(partial[\.account.owner], "Grace")
    XCTAssertEqual(holder.account.owner, "Ada")
    partial[\.account.owner] = nil
    XCTAssertEqual(partial[\.account.owner], "Ada")
    partial[\.account.owner] = "Grace"
    var root = holder
    partial.apply(to: &root)
    XCTAssertEqual(holder.account.owner, "Grace")
  }

  func testSetterRunsOnAWholeRoot() {
    var partial = Partial(ada)
    partial.full = "Ada Lovelace"
    XCTAssertEqual(partial.last, "Lovelace")
    XCTAssertEqual(partial.count, 1)
    partial.level = 500
    XCTAssertEqual(partial.level, 100)
  }

  func testSetterRunsOnAWholeRootBesideAReadOnlyValue() throws {
    var partial = Partial(ada)
    partial[\.half] = 3
    partial.full = "Ada Lovelace"
    XCTAssertEqual(partial.last, "Lovelace")
    XCTAssertEqual(try partial.value(for: \.self).last, "Lovelace")
    XCTAssertEqual(partial[\.half], 3)
    var root = ada
    partial.apply(to: &root)
    XCTAssertEqual(root.last, "Lovelace")
    var merged = Partial(ada)
    merged.merge(partial)
    XCTAssertEqual(merged.last, "Lovelace")
    XCTAssertEqual(merged[\.half], 3)
  }

  /// A value set on an object is written to the object that was there at the time.
  func testSetterThatReplacesAnObjectRunsAfterEarlierWritesToIt() {
    final class Counter {
      var count = 0
    }
    struct Desk {
      var counter = Counter()
      var isNew: Bool {
        get { false }
        set { counter = Counter() }
      }
    }
    let desk = Desk()
    var partial = Partial(desk)
    partial[\.counter.count] = 5
    partial[\.isNew] = true
    var merged = Partial(desk)
    merged.merge(partial)
    for partial in [partial, merged] {
      var root = desk
      partial.apply(to: &root)
      XCTAssertFalse(root.counter === desk.counter)
      XCTAssertEqual([desk.counter.count, root.counter.count], [5, 0])
      desk.counter.count = 0
    }
  }
}
