import Foundation
import Partials
import TestSupport
import XCTest

/// Equal to every member with the same `id`.
private struct Member: Equatable, PartialSchemaProviding {
  struct Badge: Hashable, Codable {
    var id = 1
    var color = "red"
    var size = 1 { didSet { size = min(size, 9) } }
    static func == (left: Badge, right: Badge) -> Bool { left.id == right.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }

  var id = 1
  var name = "Ada"
  var level = 1 { didSet { level = min(level, 9) } }
  var badge = Badge()
  var worn = Badge()

  static func == (left: Member, right: Member) -> Bool { left.id == right.id }
  static let partialSchema = Partial<Member>.Schema(("id", \.id), ("worn", \.worn)).ignored(\.self)
}

/// Setting the name sets the slug, which has no name in the schema.
private struct Page: Equatable, PartialSchemaProviding {
  var name = "Home" { didSet { slug = name.lowercased() } }
  var slug = "start"
  var views = 0
  static let partialSchema = Partial<Page>.Schema(("name", \.name), ("views", \.views)).ignored(\.slug)
}

private struct Address: Hashable, Codable {
  let id: Int
  var town: String
  var floor = 1 { didSet { floor = min(floor, 9) } }
}

private struct Letter: Equatable, PartialSchemaProviding {
  var address = Address(id: 1, town: "London")
  var text = ""
  static let partialSchema = Partial<Letter>.Schema(("address", \.address), ("text", \.text))
}

final class PartialDifferencesTests: XCTestCase {
  private func check<Root: PartialSchemaProviding>(
    _ original: Root, isRefused: Bool = false, sent: [String: String]? = nil, line: UInt = #line,
    _ edit: (inout Partial<Root>) -> Void
  ) throws {
    var partial = Partial(over: original)
    edit(&partial)
    try expectDifferencesToBeLawful(of: partial, over: original, isRefused: isRefused, sent: sent, line: line)
  }

  func testOnlyPropertiesWithASchemaNameAreComparedByTheirEquality() throws {
    var badge = Member.Badge()
    badge.color = "blue"
    try check(Member()) { $0.badge = badge }
    // A property with a name is compared by its own `==`.
    badge.id = 2
    var partial = Partial(over: Member())
    partial.worn = badge
    XCTAssertTrue(partial.isDirty)
    badge.id = 1
    partial.worn = badge
    XCTAssertFalse(partial.isDirty)
  }

  func testDifferencesOmitAPropertyThatANamedSetterWrites() throws {
    try check(Page()) { $0.slug = "home" }
    try check(Page()) {
      $0.slug = "home"
      $0.views = 1
    }
    try check(Page(), sent: ["name": "[\"Work\"]"]) {
      $0.name = "Work"
      $0.slug = "start"
    }
    try check(Page(), sent: ["name": "[\"Work\"]"]) {
      $0.slug = "custom"
      $0.name = "Work"
    }
    var partial = Partial(over: Page())
    partial.slug = "custom"
    partial.name = "Work"
    XCTAssertNil(partial.differences.slug, "the name sets it")
    partial.slug = "start"
    XCTAssertEqual(partial.differences.slug, "start", "the name sets another slug")
  }

  func testConstantOfANamedStructIsADifferenceThatIsNotSent() throws {
    try check(Letter(), isRefused: true, sent: ["address": #"[{"floor":1,"id":1,"town":"Bonn"}]"#]) {
      $0[\.address.id] = 9
      $0[\.address.town] = "Bonn"
    }
    try check(Letter(), isRefused: true, sent: [:]) { $0[\.address.id] = 9 }
    try check(Letter(), sent: [:]) { $0[\.address.id] = 1 }
    try check(Letter(), isRefused: true, sent: [:]) {
      $0[\.address] = Address(id: 2, town: "Bonn")
      $0[\.address.id] = 9
    }
    try check(Letter(), isRefused: true, sent: ["address": #"[{"floor":2,"id":1,"town":"London"}]"#]) {
      $0[\.address.id] = 9
      $0[\.address.floor] = 2
    }
    var partial = Partial(over: Letter())
    partial[\.address.id] = 9
    partial[\.address.town] = "Bonn"
    XCTAssertEqual(partial.differences[\.address.id], 9)
    XCTAssertEqual(partial.differences[\.address.town], "Bonn")
    XCTAssertEqual(Letter.partialSchema.names(setIn: partial.differences), ["address"])
    XCTAssertEqual(try encodedTexts(partial), ["address": #"[{"floor":1,"id":1,"town":"Bonn"}]"#])
  }

  func testAssigningANestedStructSendsItsNamedConstants() throws {
    struct Parcel: Equatable, PartialSchemaProviding {
      struct Place: Equatable, PartialSchemaProviding {
        let id: Int
        var town: String
        static let partialSchema = Partial<Place>.Schema(("id", \.id), ("town", \.town))
      }
      let number: Int
      var place: Place
      static let partialSchema = Partial<Parcel>.Schema(("number", \.number)).nesting("place", \.place)
    }
    let parcel = Parcel(number: 1, place: Parcel.Place(id: 1, town: "London"))
    let place = Parcel.Place(id: 2, town: "Bonn")
    try check(parcel, sent: ["place.id": "[2]", "place.town": #"["Bonn"]"#]) { $0.place = place }
    try check(parcel) { $0[\.self] = Parcel(number: 2, place: place) }
    try check(parcel, isRefused: true) {
      $0.place = place
      $0[\.place.id] = 3
    }
  }

  func testMergingADerivedValueKeepsAValueThatWasSet() throws {
    struct Ledger: PartialSchemaProviding {
      private(set) var totals: [Int] = []
      private(set) var times = 0
      private var number = 0
      var total: Int {
        get { number }
        set {
          number = newValue
          totals.append(newValue)
        }
      }
      var counted: Int {
        get { number }
        set { (number, times) = (newValue, times + 1) }
      }
      static let partialSchema = Partial<Ledger>.Schema(("total", \.total))
    }
    var form = Partial(over: Ledger())
    form.counted = 5
    var pending = Partial<Ledger>()
    pending.total = 3
    pending.merge(form.differences)
    var ledger = Ledger()
    pending.apply(to: &ledger)
    XCTAssertEqual(ledger.totals, [3])
    XCTAssertEqual(ledger.times, 1)
    XCTAssertEqual(ledger.total, 5)
  }

  func testDeeplyNestedValuesAreCompared() {
    indirect enum Chain {
      case end(Int)
      case link(Chain)

      init(_ depth: Int, _ end: Int) { self = (0..<depth).reduce(.end(end)) { chain, _ in .link(chain) } }
    }
    struct Tree: PartialSchemaProviding {
      var name = ""
      var chain: Chain
      static let partialSchema = Partial<Tree>.Schema(("name", \.name)).ignored(\.chain)
    }
    for depth in [10, 8_000] {
      var form = Partial(over: Tree(chain: Chain(depth, 1)))
      form[\.chain] = Chain(depth, 2)
      XCTAssertTrue(form.isDirty)
    }
  }

  func testDerivedValueOfDifferencesCanBeSet() throws {
    struct Counter: PartialSchemaProviding {
      private(set) var times = 0
      private var number = 0
      var total: Int {
        get { number }
        set { number = newValue }
      }
      var counted: Int {
        get { number }
        set { (number, times) = (newValue, times + 1) }
      }
      static let partialSchema = Partial<Counter>.Schema(("total", \.total))
    }
    try check(Counter(), sent: ["total": "[5]"]) { $0.counted = 5 }
    var partial = Partial(over: Counter())
    partial.counted = 5
    var differences = partial.differences
    differences.total = 7
    differences.counted = nil
    partial.removeAll()
    partial.merge(differences)
    XCTAssertEqual(partial[\.self]?.total, 7)
    XCTAssertEqual(partial[\.self]?.times, 0)
  }

  func testDifferencesIncludeAnElementOfALengthenedArray() throws {
    struct List: PartialSchemaProviding {
      var items = ["a"]
      var count = 0
      var firsts: Int {
        get { count }
        set { count = newValue }
      }
      static let partialSchema = Partial<List>.Schema(("items", \.items)).ignored(\.count)
    }
    try check(List(), sent: ["items": #"["a","b"]"#].mapValues { "[\($0)]" }) {
      $0.items = ["a", "x"]
      $0[\.items[1]] = "b"
    }
    try check(List()) {
      $0.items = ["a", "x"]
      $0[\.items[1]] = "b"
      $0.firsts = 2
    }
    try check(List()) {
      $0.items = ["a", "x"]
      $0[\.items[1]] = "b"
      $0.firsts = 2
      $0.items = []
    }
  }

  func testDifferencesWriteToTheObjectThatReplacedAnother() throws {
    final class Owner: @unchecked Sendable { var name: String; init(_ name: String) { self.name = name } }
    struct Account: PartialSchemaProviding {
      var owner: Owner
      static let partialSchema = Partial<Account>.Schema(("name", \.owner.name))
    }
    let (first, second) = (Owner("Ada"), Owner("Grace"))
    var partial = Partial(over: Account(owner: first))
    partial.owner = second
    partial[\.owner.name] = "Ada"
    var account = Account(owner: first)
    partial.differences.apply(to: &account)
    XCTAssertTrue(account.owner === second)
    XCTAssertEqual(second.name, "Ada")
    XCTAssertEqual(first.name, "Ada")
    partial = Partial(over: Account(owner: first))
    partial[\.owner.name] = "Ada"
    XCTAssertFalse(partial.isDirty)
  }

  func testDifferencesIncludeElementMembersThatEqualityIgnores() throws {
    struct Team: Equatable, PartialSchemaProviding {
      var members = ["a": Member(), "b": Member()]
      var list = [Member(), Member()]
      static let partialSchema = Partial<Team>.Schema().ignored(\.self)
    }
    try check(Team()) { $0[\.members["a"]!.name] = "Grace" }
    try check(Team()) { $0[\.members["a"]!.name] = "Ada" }
    try check(Team()) { $0[\.members["c"]] = .some(Member()) }
    try check(Team()) { $0[\.list[1].name] = "Grace" }
    try check(Team()) { $0[\.list[1].name] = "Ada" }
  }

  func testPropertiesThatReflectionHidesAreCompared() throws {
    struct Vector: PartialSchemaProviding {
      var numbers: InlineArray<2, Int> = [1, 2]
      static let partialSchema = Partial<Vector>.Schema().ignored(\.numbers)
    }
    var partial = Partial(over: Vector())
    partial.numbers = [1, 3]
    XCTAssertTrue(partial.isDirty)
    partial.numbers = [1, 2]
    XCTAssertFalse(partial.isDirty)
    #if canImport(Glibc)
      struct Socket: PartialSchemaProviding {
        var info = tcp_info()
        static let partialSchema = Partial<Socket>.Schema().ignored(\.info)
      }
      var other = Partial(over: Socket())
      var info = tcp_info()
      info.tcpi_snd_wscale = 3
      other.info = info
      XCTAssertTrue(other.isDirty)
      other.info = tcp_info()
      XCTAssertFalse(other.isDirty)
    #endif
  }

  func testUnchangedNaNIsNotADifference() throws {
    struct Score: PartialSchemaProviding {
      var name = "Ada", score = Double.nan
      static let partialSchema = Partial<Score>.Schema(("name", \.name), ("score", \.score))
    }
    var form = Partial(over: Score())
    form.name = "Grace"
    XCTAssertEqual(Score.partialSchema.names(setIn: form), ["name"])
    XCTAssertEqual(String(decoding: try JSONEncoder().encode(form), as: UTF8.self), #"{"name":"Grace"}"#)
    form.name = "Ada"
    XCTAssertFalse(form.isDirty)
    form.score = 1
    XCTAssertEqual(Score.partialSchema.names(setIn: form), ["name", "score"])
    XCTAssertTrue(form.isDirty)
  }

  func testSetterThatRevertsAnEditLeavesNoDifference() {
    struct Article: PartialSchemaProviding {
      var title: String, tags: Set<String>
      var tagText: String {
        get { tags.sorted().joined(separator: ",") }
        set { tags = Set(newValue.split(separator: ",").map(String.init)) }
      }
      static let partialSchema = Partial<Article>.Schema(("title", \.title), ("tagText", \.tagText))
    }
    var form = Partial(over: Article(title: "x", tags: ["a"]))
    form.tagText = "a,b"
    form.tagText = "a"
    XCTAssertTrue(form.differences.isEmpty)
  }

  private struct Street: PartialSchemaProviding, Codable, Hashable {
    var town = ""
    static let partialSchema = Partial<Street>.Schema(("town", \.town))
  }

  private struct Resident: PartialSchemaProviding {
    var address: Street?
    static let partialSchema = Partial<Resident>.Schema(("address", \.address))
  }

  func testEncodingAValueSetThroughAnOptionalChainThrows() throws {
    for address in [nil, Street(town: "Bonn")] {
      var form = Partial(over: Resident(address: address))
      form[\.address?.town] = "London"
      XCTAssertTrue(form.isDirty)
      for sent in [form, form.differences, form.changes] {
        XCTAssertThrowsError(try JSONEncoder().encode(sent)) { XCTAssert("\($0)".contains("read-only"), "\($0)") }
      }
      var root = Resident(address: address)
      XCTAssertEqual(form.apply(to: &root), [\Resident.address?.town])
      form[\.address?.town] = nil
      XCTAssertFalse(form.isDirty)
      XCTAssertEqual(String(decoding: try JSONEncoder().encode(form.differences), as: UTF8.self), "{}")
    }
  }

  func testMemberOfAnOptionalIsSetWithADefault() throws {
    for (address, body) in [(nil, #"{"address":{"town":"London"}}"#), (Street(town: "London"), "{}")] {
      var form = Partial(over: Resident(address: address))
      // Optional chaining assigns nothing if the address is nil.
      form.address??.town = "London"
      XCTAssertFalse(form.isDirty)
      form[\.address, default: Street()].town = "London"
      XCTAssertEqual(form.isDirty, address == nil)
      XCTAssertEqual(String(decoding: try JSONEncoder().encode(form.differences), as: UTF8.self), body)
      var root = Resident(address: address)
      XCTAssertEqual(form.apply(to: &root), [])
      XCTAssertEqual(root.address?.town, "London")
    }
  }

  func testUnchangedNaNInArraysAndOptionalsIsNotADifference() {
    struct Reading: PartialSchemaProviding {
      var values = [Double.nan].map(\.self), last = Double?.some(.nan), note = ""
      static let partialSchema = Partial<Reading>.Schema(("values", \.values), ("last", \.last), ("note", \.note))
    }
    var form = Partial(over: Reading())
    form.values = [Double.nan].map(\.self)
    form.last = .some(.nan)
    XCTAssertFalse(form.isDirty)
    XCTAssertEqual(form, form)
    form.note = "a"
    XCTAssertEqual(form, form)
    XCTAssertTrue(form.isDirty)
    XCTAssertNil(form.differences.values)
    form.note = ""
    form.values = [1]
    XCTAssertTrue(form.isDirty)
    XCTAssertNotEqual(form, Partial(over: Reading()))
  }
}
