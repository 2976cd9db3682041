import Foundation
import Partials
import TestSupport
import XCTest

/// Immutable, and made only from a text with an @.
private struct Email: Hashable, Codable {
  let raw: String

  init?(_ raw: String) {
    guard raw.contains("@") else { return nil }
    self.raw = raw
  }
}

private struct Account: Equatable {
  private(set) var balance = 0
  var owner: String
  let opened: Int

  init(owner: String, opened: Int) {
    self.owner = owner
    self.opened = opened
  }

  /// Writable, because it is formed in the scope of the private setter.
  static let balancePath: any WritableKeyPath<Account, Int> & Sendable = \.balance
}

private struct Person: Equatable, PartialSchemaProviding {
  var range: Range<Int>
  var email: Email
  var account: Account
  let name: String
  let home: ClosedRange<Int>

  static let partialSchema = Partial<Person>.Schema(
    ("from", \.range.lowerBound), ("to", \.range.upperBound), ("email", \.email), ("name", \.name), ("home", \.home)
  ).ignored(\.account)
}

private let ada = Person(
  range: 0..<10, email: Email("ada@example.com")!, account: Account(owner: "Ada", opened: 1815), name: "Ada",
  home: 1...3)

final class PartialConstantTests: XCTestCase {
  func testSettingTheOnlyConstantOfTheRootDoesNotSetTheRoot() {
    var partial = Partial<Email>()
    partial[\.raw] = "nobody"
    XCTAssertEqual(partial[\.raw], "nobody")
    XCTAssertNil(partial[\.self])
  }

  func testConstantsOfTheRootAreSetAndReadLikeVariables() throws {
    var partial = Partial<Person>()
    partial[\.name] = "Ada"
    partial[\.home] = 1...3
    XCTAssertEqual(try partial.value(for: \.name), "Ada")
    XCTAssertEqual(try partial.value(for: \.home), 1...3)
    XCTAssertEqual(partial[\.home.lowerBound], 1)
    partial[\.name] = "Grace"
    partial[\.name]?.append("!")
    partial[\.home] = 1...4
    XCTAssertEqual(partial[\.name], "Grace!")
    XCTAssertEqual(partial[\.home], 1...4)
    XCTAssertEqual(partial.count, 2)
    XCTAssertEqual(partial.removeValue(for: \.name), "Grace!")
    partial[\.home] = nil
    XCTAssertTrue(partial.isEmpty)
  }

  func testStaticTypeOfTheKeyPathDecidesWhetherAValueIsAConstant() {
    var partial = Partial<Account>()
    partial[\.self] = Account(owner: "Ada", opened: 1815)
    partial[Account.balancePath] = 7
    XCTAssertEqual(partial[\.self]?.balance, 7)
    let readOnly: any KeyPath<Account, Int> & Sendable = Account.balancePath
    partial[readOnly] = -7
    XCTAssertNil(partial[\.self])
    XCTAssertEqual(partial[readOnly], -7)
    partial[Account.balancePath] = 8
    XCTAssertEqual(partial[\.self]?.balance, 8)
  }

  func testWritableKeyPathReplacesAValueSetThroughAReadOnlyOne() {
    var partial = Partial<Account>()
    let readOnly: any KeyPath<Account, Int> & Sendable = Account.balancePath
    partial[readOnly] = 1
    partial[Account.balancePath] = 2
    var account = Account(owner: "", opened: 0)
    XCTAssertEqual(partial.apply(to: &account), [])
    XCTAssertEqual(account.balance, 2)
    partial[readOnly] = 3
    XCTAssertEqual(partial.apply(to: &account), [\Account.self])
    XCTAssertEqual(account.balance, 2)
  }

  func testApplyReportsConstantsInsteadOfWritingThem() {
    var partial = Partial<Person>()
    partial[\.name] = "Grace"
    partial.email = Email("grace@example.com")!
    partial.range = 1..<2
    partial[\.range.lowerBound] = 20
    partial[\.account.owner] = "Grace"
    var person = ada
    // The range has no name in the schema, so the root is reported instead.
    XCTAssertEqual(partial.apply(to: &person), [\Person.self, \Person.name])
    XCTAssertEqual(person.name, "Ada")
    XCTAssertEqual(person.range, 0..<10)
    XCTAssertEqual(person.email, partial.email)
    XCTAssertEqual(person.account.owner, "Grace")
  }

  func testDecodedConstantsAreNotApplied() throws {
    let patch = try JSONDecoder().decode(
      Partial<Person>.self, from: Data(#"{"from":20,"email":{"raw":"a@b"},"name":"Grace"}"#.utf8))
    var person = Partial(ada)
    person.merge(patch)
    XCTAssertNil(person.range)
    XCTAssertEqual(person.email, Email("a@b"))
    var updated = ada
    XCTAssertEqual(patch.apply(to: &updated), [\Person.range.lowerBound, \Person.name])
    XCTAssertEqual(updated.email, Email("a@b"))
    XCTAssertEqual(updated.name, "Ada")
  }

  func testSettingAConstantSetsItsOnlyProperty() throws {
    struct Money: Codable, Hashable, Sendable, PartialSchemaProviding {
      var cents: Int64
      static let partialSchema = Partial<Money>.Schema(("cents", \.cents))
    }
    struct Tag: Hashable, Sendable { var name: String }
    struct Order: PartialSchemaProviding, Sendable {
      let price: Money
      let tag: Tag
      var note: String
      static let partialSchema = Partial<Order>.Schema(("note", \.note), ("tag", \.tag.name)).nesting("price", \.price)
    }
    var partial = Partial<Order>()
    partial[\.price] = Money(cents: 5)
    XCTAssertEqual(partial[\.price.cents], 5)
    XCTAssertEqual(String(decoding: try JSONEncoder().encode(partial), as: UTF8.self), #"{"price":{"cents":5}}"#)
    XCTAssertEqual(Order.partialSchema.names(setIn: partial), ["price.cents"])
    var other = partial
    other[\.price] = Money(cents: 6)
    XCTAssertNotEqual(partial, other)
    partial[\.tag] = Tag(name: "x")
    let validation = Partial<Order>.Validation(.required(\.tag.name), .required(\.price.cents), .required(\.price))
    XCTAssertNil(validation.issues(in: partial))
    partial[\.price.cents] = nil
    XCTAssertNil(partial[\.price])
    partial[\.price.cents] = 7
    XCTAssertEqual(partial[\.price.cents], 7)
    XCTAssertNil(partial[\.price], "only its member is set")
  }

  func testSettingAConstantSetsItsOnlyPropertyWithBytes() {
    struct Marker: Sendable {}
    struct List: Sendable {
      var items: [Int]
      var marker = Marker()
    }
    struct Order: Sendable {
      let list: List
      var count: Int
    }
    var partial = Partial<Order>()
    partial[\.list] = List(items: [1])
    XCTAssertEqual(partial[\.list.items], [1])
    XCTAssertNil(Partial<Order>.Validation(.required(\.list.items)).issues(in: partial))
  }

  func testSettingAConstantThatHidesItsOnlyPropertySetsTheProperty() {
    struct Code: CustomReflectable {
      var number: Int
      var customMirror: Mirror { Mirror(self, children: []) }
    }
    struct Order { let code: Code }
    var partial = Partial<Order>()
    partial[\.code] = Code(number: 5)
    XCTAssertEqual(partial[\.code.number], 5)
  }

  func testSettingAConstantSetsItsOnlyPropertyOfAnySubclass() {
    class Person {}
    final class Employee: Person {}
    struct Owner { var person: Person }
    struct Account { let owner: Owner }
    for person in [Person(), Employee()] {
      var partial = Partial<Account>()
      partial[\.owner] = Owner(person: person)
      XCTAssertTrue(partial[\.owner.person] === person)
    }
  }
}
