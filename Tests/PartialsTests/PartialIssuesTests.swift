import Partials
import TestSupport
import XCTest

private struct Address: Sendable {
  var street: String
  var town: String
  var zip: Int
  var line: String { "\(street), \(town)" }
}

private struct Order: Sendable {
  var customer: String
  var note: String?
  var first: Int
  var last: Int
  var address: Address
}

final class PartialIssuesTests: XCTestCase {
  private typealias Validation = Partial<Order>.Validation

  // MARK: Messages

  func testMessageIsTheRulesOwnOrNamesTheValue() {
    let validation = Validation(
      .required(\Order.customer, message: "Who are you?"), .required(\Order.first), .required(\Order.last),
      .valueValidation(keyPath: \Order.note) { $0.count < 3 },
      .valueValidation(keyPath: \Order.note, message: "No shouting, please.") { $0.lowercased() == $0 })
    var partial = Partial<Order>()
    partial.note = "LOUD"
    XCTAssertEqual(
      validation.issues(in: partial)?.map(\.message),
      [
        "Who are you?", "first is missing", "last is missing", "note is invalid",
        "No shouting, please.",
      ])
    let named = validation.named([\Order.first: "The first", \Order.note: "The note"])
    XCTAssertEqual(
      named.issues(in: partial)?.map(\.message),
      [
        "Who are you?", "The first is missing", "last is missing", "The note is invalid",
        "No shouting, please.",
      ])
  }

  func testMessagesComeFromTheTableOfTheApp() throws {
    let table = [
      "%@ is missing": "Es fehlt: %@", "%@ is invalid": "%@ ist ungültig", "%@ is not understood": "%@ ist unklar",
      "First": "Das Erste %@", "odd": "ungerade",
    ]
    let address = Partial<Address>.Validation(.required(\.town)).messages { _ in "not used" }
    let validation = Validation(
      .required(\Order.first), .valueValidation(keyPath: \Order.note) { $0.count < 3 },
      .valueValidation(keyPath: \Order.last, message: "odd") { $0 % 2 == 0 },
      .required(\Order.customer, message: "Who are you?"), .nested(\Order.address, address)
    ).named([\Order.first: "First"])
    var partial = Partial<Order>()
    (partial.note, partial.last) = ("LOUD", 1)
    partial.enter("x", at: \.address.zip) { Int($0) }
    XCTAssertEqual(
      validation.messages { table[$0] }.issues(in: partial)?.map(\.message),
      [
        "Es fehlt: Das Erste %@", "note ist ungültig", "ungerade", "Who are you?", "Es fehlt: address.town",
        "address.zip ist unklar",
      ])
    XCTAssertEqual(
      validation.messages { _ in nil }.issues(in: partial)?.map(\.message),
      validation.issues(in: partial)?.map(\.message))
  }

  func testInitializerErrorsUseNamesAndTable() async throws {
    struct Strict: PartialInitializable, Sendable {
      var first: Int
      init(from partial: Partial<Strict>) throws { first = try partial.value(for: \.first) }
    }
    let validation = Partial<Strict>.Validation().named([\.first: "First"]).messages { "<\($0)>" }
    let results = [validation.validate(Partial()), try await validation.asking().validate(Partial())]
    for result in results {
      guard case .incomplete(let issues) = result else { return XCTFail("The first is missing") }
      XCTAssertEqual(issues.map(\.message), ["<<First> is missing>"])
    }
  }

  func testLaterNameReplacesAnEarlierOne() {
    let validation = Validation(.required(\Order.first)).named([\Order.first: "A"]).named([\Order.first: "B"])
    XCTAssertEqual(validation.issues(in: Partial())?.description, "B is missing")
  }

  func testIssuesOfAKeyPathComeFromAllItsRules() throws {
    let validation = Validation(
      .required(\Order.customer),
      .valueValidation(keyPath: \Order.first, message: "odd") { $0 % 2 == 0 },
      .valueValidation(keyPaths: \Order.last, \Order.first, message: "order") { $0 >= $1 },
      .valueValidation(keyPath: \Order.first, message: "small") { $0 > 9 })
    var partial = Partial<Order>()
    partial.first = 5
    partial.last = 4
    let issues = try XCTUnwrap(validation.issues(in: partial))
    XCTAssertEqual(issues.issues(for: \.first).map(\.message), ["odd", "order", "small"])
    XCTAssertEqual(issues.issues(for: \.last).map(\.message), ["order"])
    XCTAssertEqual(issues.issues(for: \.customer).map(\.message), ["customer is missing"])
    XCTAssertEqual(issues.issues(for: \.note).map(\.message), [])
    XCTAssertEqual(issues.issues(for: \.first).last?.kind, .failed)
    XCTAssertEqual(issues[2].keyPaths.map { $0 as PartialKeyPath<Order> }, [\Order.last, \Order.first])
    XCTAssertEqual(issues.description, "customer is missing, odd, order, small")
  }

  func testEqualityOfIssuesComparesKindKeyPathsAndMessage() throws {
    func issues(_ message: String?, _ name: String = "First") -> [Validation.Issue] {
      Validation(.required(\Order.first, message: message), .required(\Order.last, message: message))
        .named([\Order.first: name]).issues(in: Partial()).map(Array.init) ?? []
    }
    checkHashable(equivalenceClasses: [
      [issues("x")[0], issues("x", "Other")[0]], [issues("x")[1]], [issues(nil)[0]], [issues(nil, "B")[0]],
      [issues(nil)[1], issues(nil, "B")[1]],
    ])
  }

  // MARK: Rules across fields

  func testRuleAcrossFieldsRunsOnlyIfAllFieldsAreSet() {
    let validation = Validation(
      .valueValidation(keyPaths: \Order.last, \Order.first) { $0 >= $1 },
      .valueValidation(keyPaths: \Order.customer, \Order.note, \Order.address.line) { customer, note, line in
        note != customer && !line.isEmpty
      })
    var partial = Partial<Order>()
    partial.first = 5
    XCTAssertNil(validation.issues(in: partial))
    partial.last = 4
    XCTAssertEqual(validation.issues(in: partial)?.reasons, [.invalidValue(\Order.last)])
    partial.last = 5
    XCTAssertNil(validation.issues(in: partial))

    partial.customer = "Ada"
    partial.note = "Ada"
    XCTAssertNil(validation.issues(in: partial), "one of the three is not set")
    partial[\.address.line] = "Main, Bonn"
    XCTAssertEqual(validation.issues(in: partial)?.reasons, [.invalidValue(\Order.customer)])
    partial.note = .some(nil)
    XCTAssertNil(validation.issues(in: partial), "nil is a value of an optional property")
  }

  // MARK: Nesting

  func testNestedRulesAreReportedWithTheFullKeyPath() throws {
    let address = Partial<Address>.Validation(
      .required(\.street), .valueValidation(keyPath: \.zip, message: "five digits") { $0 > 9999 },
      .valueValidation(keyPaths: \.town, \.street) { $0 != $1 }, .required(\.line)
    ).named([\.street: "Street"])
    let validation = Validation(.required(\.customer), .nested(\.address, address), .required(\.last))
    var partial = Partial<Order>()
    partial[\.address.zip] = 1
    let issues = try XCTUnwrap(validation.issues(in: partial))
    XCTAssertEqual(
      issues.reasons,
      [
        .missing(\Order.customer), .missing(\Order.address.street), .invalidValue(\Order.address.zip),
        .missing(\Order.address.line), .missing(\Order.last),
      ])
    XCTAssertEqual(issues.issues(for: \.address.street).map(\.message), ["Street is missing"])
    XCTAssertEqual(issues.issues(for: \.address.zip).map(\.message), ["five digits"])
    let renamed = validation.named([\.address.street: "Where to?", \.address.zip: "Not used"])
    XCTAssertEqual(renamed.issues(in: partial)?.issues(for: \.address.street).map(\.message), ["Where to? is missing"])
    XCTAssertEqual(validation.progress(of: partial).total, 4)

    partial.address = Address(street: "Main", town: "Main", zip: 10_000)
    partial[\.address.line] = ""
    XCTAssertEqual(
      validation.issues(in: partial)?.reasons,
      [.missing(\Order.customer), .invalidValue(\Order.address.town), .missing(\Order.last)])
  }

  func testValidationsNestToAnyDepth() {
    struct Shop { var order: Order }
    struct Mall { var shop: Shop }
    let order = Validation(.nested(\.address, Partial<Address>.Validation(requiredKeyPaths: \Address.town)))
    let mall = Partial<Mall>.Validation(
      .nested(\.shop, Partial<Shop>.Validation(.nested(\.order, order).self)))
    XCTAssertEqual(mall.issues(in: Partial()), [\Mall.shop.order.address.town])
    var partial = Partial<Mall>()
    partial[\.shop.order.address.town] = "Bonn"
    XCTAssertNil(mall.issues(in: partial))
  }

  // MARK: Progress

  func testProgressCountsRequiredKeyPathsOnce() {
    let validation = Validation(
      .required(\.customer), .required(\.first), .required(\.customer, message: "again"), .required(\.address.line),
      .valueValidation(keyPath: \.first) { $0 > 0 })
    var partial = Partial<Order>()
    XCTAssertTrue(validation.progress(of: partial) == (0, 3))
    partial.first = 0
    partial.customer = "Ada"
    XCTAssertTrue(validation.progress(of: partial) == (2, 3))
    partial[\.address.line] = ""
    XCTAssertTrue(validation.progress(of: partial) == (3, 3), "an invalid value is a value")
    XCTAssertTrue(Validation().progress(of: partial) == (0, 0))
  }
}
