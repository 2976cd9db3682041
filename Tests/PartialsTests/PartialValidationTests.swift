import Partials
import TestSupport
import XCTest

private struct Address: Equatable {
  var street: String
  var number: Int
}

private struct Order: Equatable {
  let customer: String
  var address: Address
  var quantity: Int
  var note: String?
  var total: Int { quantity * 10 }
}

private struct TooExpensive: Error, Equatable {}

/// An order whose initializer requires a value and refuses a quantity, although no rule does.
private struct CheckedOrder: PartialInitializable, Equatable {
  let customer: String
  let quantity: Int

  init(from partial: Partial<CheckedOrder>) throws {
    customer = try partial.value(for: \.customer)
    quantity = try partial.value(for: \.quantity)
    if quantity > 99 { throw TooExpensive() }
  }
}

final class PartialValidationTests: XCTestCase {
  private typealias Validation = Partial<Order>.Validation

  // MARK: Required values

  func testMissingKeyPathsAreInDeclaredOrder() {
    let validation = Validation(requiredKeyPaths: \Order.quantity, \Order.customer, \Order.address)
    var partial = Partial<Order>()
    XCTAssertEqual(validation.issues(in: partial), [\Order.quantity, \Order.customer, \Order.address])
    partial[\.customer] = "Ada"
    XCTAssertEqual(validation.issues(in: partial), [\Order.quantity, \Order.address])
    partial.quantity = 1
    partial.address = Address(street: "Main", number: 1)
    XCTAssertNil(validation.issues(in: partial))
  }

  func testResultsAreEqualIfTheirContentsAre() {
    typealias Result = Partial<Int>.Validation.Result
    checkHashable(equivalenceClasses: [
      [Result.valid(1), .valid(1)],
      [.valid(2)],
      [.incomplete([\.self]), .incomplete([\.self])],
      [.incomplete([\.self, \.magnitude])],
    ])
    let validation = Partial<CheckedOrder>.Validation(requiredKeyPaths: \.customer)
    var partial = Partial<CheckedOrder>()
    XCTAssertEqual(validation.validate(partial), .incomplete([\.customer]))
    partial[\.customer] = "Ada"
    partial[\.quantity] = 1
    XCTAssertEqual(validation.validate(partial), .valid(try CheckedOrder(from: partial)))
  }

  func testRequiredStructMustBeSetAsAWhole() {
    let whole = Validation(requiredKeyPaths: \Order.address)
    let parts = Validation(requiredKeyPaths: \Order.address.street, \Order.address.number)
    var partial = Partial<Order>()
    partial[\.address.street] = "Main"
    partial[\.address.number] = 1
    XCTAssertEqual(whole.issues(in: partial), [\Order.address])
    XCTAssertNil(parts.issues(in: partial))
    partial.address = Address(street: "Main", number: 1)
    XCTAssertNil(whole.issues(in: partial))
    XCTAssertNil(parts.issues(in: partial))
  }

  func testValidationWithoutMissingValuesIsValid() {
    XCTAssertNil(Validation().issues(in: Partial<Order>()))
    XCTAssertNil(Partial<Int>.Validation(requiredKeyPaths: \Int.self).issues(in: Partial(7)))
  }

  // MARK: Rules over values

  func testRulesRunOnlyForSetValues() {
    let validation = Validation(
      .valueValidation(keyPath: \Order.customer, { !$0.isEmpty }),
      .valueValidation(keyPath: \Order.note, { $0.count < 5 }),
      .valueValidation(keyPath: \Order.total, { $0 < 100 }),
      .valueValidation(keyPath: \Order.address.number, { $0 > 0 }))
    var partial = Partial<Order>()
    XCTAssertNil(validation.issues(in: partial))
    partial.note = .some(nil)
    XCTAssertNil(validation.issues(in: partial))

    partial.note = "too long"
    partial[\.customer] = ""
    partial[\.total] = 100
    partial.address = Address(street: "Main", number: 0)
    XCTAssertEqual(
      validation.issues(in: partial)?.reasons,
      [
        .invalidValue(\Order.customer), .invalidValue(\Order.note), .invalidValue(\Order.total),
        .invalidValue(\Order.address.number),
      ])
  }

  func testFailedRulesAndMissingValuesAreReportedInDeclaredOrder() {
    let validation = Validation(
      .valueValidation(keyPath: \Order.quantity, { $0 > 0 }),
      .required(\Order.customer),
      .valueValidation(keyPath: \Order.quantity, { $0 % 2 == 1 }),
      .required(\Order.total),
      .required(\Order.quantity))
    var partial = Partial<Order>()
    partial.quantity = -2
    let issues = validation.issues(in: partial)
    XCTAssertEqual(
      issues?.reasons,
      [
        .invalidValue(\Order.quantity), .missing(\Order.customer), .invalidValue(\Order.quantity),
        .missing(\Order.total),
      ])
    XCTAssertEqual(issues?.missing.map { $0 as PartialKeyPath<Order> }, [\Order.customer, \Order.total])

    partial[\.customer] = "Ada"
    XCTAssertEqual(
      validation.issues(in: partial)?.reasons,
      [.invalidValue(\Order.quantity), .invalidValue(\Order.quantity), .missing(\Order.total)])
  }

  // MARK: Building

  func testValidPartialIsBuilt() {
    let validation = Partial<CheckedOrder>.Validation(.required(\CheckedOrder.customer))
    var partial = Partial<CheckedOrder>()
    partial[\.customer] = "Ada"
    partial[\.quantity] = 3
    guard case .valid(let order) = validation.validate(partial) else { return XCTFail("all is there") }
    XCTAssertEqual(order.customer, "Ada")
    XCTAssertEqual(order.quantity, 3)
  }

  func testValueThatTheInitializerNeedsIsReportedAsMissing() {
    let validation = Partial<CheckedOrder>.Validation(.required(\CheckedOrder.customer))
    var partial = Partial<CheckedOrder>()
    partial[\.customer] = "Ada"
    guard case .incomplete(let missing) = validation.validate(partial) else { return XCTFail("no quantity") }
    XCTAssertEqual(missing, [\CheckedOrder.quantity])
    XCTAssertTrue(missing.first?.error is Partial<CheckedOrder>.Error)
  }

  func testOtherErrorOfTheInitializerIsReported() {
    let validation = Partial<CheckedOrder>.Validation(.required(\CheckedOrder.customer))
    var partial = Partial<CheckedOrder>()
    partial[\.customer] = "Ada"
    partial[\.quantity] = 100
    guard case .incomplete(let missing) = validation.validate(partial) else { return XCTFail("too expensive") }
    XCTAssertEqual(missing.map(\.kind), [.initialization])
    XCTAssertTrue(missing.missing.isEmpty)
    XCTAssertTrue(missing.contains(\.self))
    XCTAssertEqual(missing.reasons, [.invalidValue(\CheckedOrder.self)])
    XCTAssertEqual(missing[0].error as? TooExpensive, TooExpensive())
    XCTAssertEqual(missing[0].message, "TooExpensive()")
  }

  // MARK: The result

  func testIssuesAreABidirectionalCollection() {
    let validation = Validation(
      .valueValidation(keyPath: \Order.quantity, { $0 > 0 }), .required(\Order.customer), .required(\Order.address))
    var partial = Partial<Order>()
    partial.quantity = 0
    guard let issues = validation.issues(in: partial) else { return XCTFail("all is missing") }
    checkBidirectionalCollection(issues, expected: Array(issues))
    XCTAssertEqual(issues.map(\.kind), [.failed, .missing, .missing])
    XCTAssertEqual(
      "\(issues)",
      "quantity is invalid, customer is missing, address is missing")
  }

  func testEqualityOfReasonsComparesKindAndKeyPath() {
    typealias Reason = Validation.Reason
    checkHashable(equivalenceClasses: [
      [Reason.missing(\Order.customer), Reason.missing(\Order.customer)],
      [Reason.invalidValue(\Order.customer)],
      [Reason.missing(\Order.address), Reason.missing(\Order.address)],
    ])
  }

  func testEqualityOfIssuesComparesEachElement() {
    typealias Issues = Validation.Issues
    checkHashable(equivalenceClasses: [
      [[\Order.customer], [\Order.customer]] as [Issues],
      [[\Order.customer, \Order.address]] as [Issues],
      [[\Order.address, \Order.customer]] as [Issues],
    ])
  }

  // MARK: Against a simple model

  func testMissingKeyPathsAreTheRequiredOnesThatAreNotSet() {
    let fields: [(any PartialKeyPath<Order> & Sendable, (inout Partial<Order>) -> Void)] = [
      (\Order.customer, { $0[\.customer] = "Ada" }),
      (\Order.address, { $0.address = Address(street: "Main", number: 1) }),
      (\Order.address.number, { $0[\.address.number] = 1 }),
      (\Order.quantity, { $0.quantity = 1 }),
      (\Order.note, { $0.note = .some(nil) }),
      (\Order.total, { $0[\.total] = 1 }),
    ]
    withEverySubset("required", of: Array(fields.indices)) { required in
      let validation = Validation(required.map { .required(fields[$0].0) })
      withEverySubset("set", of: Array(fields.indices)) { set in
        var partial = Partial<Order>()
        for index in set { fields[index].1(&partial) }
        let missing = required.filter { !(set.contains($0) || $0 == 2 && set.contains(1)) }
        let expected = missing.map { fields[$0].0 as PartialKeyPath<Order> }
        expectEqual(
          validation.issues(in: partial).map { $0.missing.map { $0 as PartialKeyPath<Order> } } ?? [], expected)
      }
    }
  }

  func testCompleteValueIsValidatedByTheSameRules() {
    struct User: Equatable { var name = "", age = 0 }
    let rules = Partial<User>.Validation(
      .required(\User.name, .notEmpty), .check(\User.age, "Too young") { $0 >= 18 })
    XCTAssertNil(rules.issues(in: User(name: "Ada", age: 36)))
    let issues = rules.issues(in: User(name: "", age: 12))
    XCTAssertEqual(issues, rules.issues(in: Partial(User(name: "", age: 12))))
    XCTAssertEqual(issues?.map { $0.keyPaths.first as PartialKeyPath<User>? }, [\User.name, \User.age])
  }
}
