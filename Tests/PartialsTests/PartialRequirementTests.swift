import Partials
import XCTest

private struct Address: Sendable { var street: String }

private struct User: Sendable {
  var name: String
  var nick: String?
  var age: Int?
  var tags: [Int]
  var address: Address
  var initials: String { String(name.prefix(1)) }
}

final class PartialRequirementTests: XCTestCase {
  private typealias Validation = Partial<User>.Validation

  // MARK: Not empty

  func testNotEmptyTreatsAnEmptyValueAsMissing() {
    let validation = Validation(
      .required(\.name, .notEmpty), .required(\.nick, .notEmpty, message: "A nickname, please."),
      .required(\.tags, .notEmpty), .required(\.initials, .notEmpty))
    var form = Partial<User>()
    for _ in 0..<2 {
      XCTAssertEqual(
        validation.issues(in: form)?.map(\.message),
        ["name is missing", "A nickname, please.", "tags is missing", "A value is missing"])
      XCTAssertEqual(validation.issues(in: form)?.missing.count, 4)
      XCTAssertTrue(validation.progress(of: form) == (0, 4))
      form.name = ""
      form.nick = ""
      form.tags = []
      form[\.initials] = ""
    }
    form.nick = .some(nil)
    XCTAssertEqual(validation.issues(in: form)?.issues(for: \.nick).map(\.kind), [.missing])
    form.name = "Ada"
    form.nick = "Countess"
    form.tags = [1]
    form[\.initials] = "A"
    XCTAssertNil(validation.issues(in: form))
    XCTAssertTrue(validation.progress(of: form) == (4, 4))
  }

  func testNestedValidationCanRequireNonEmptyValues() {
    let validation = Validation(
      .nested(
        \.address,
        Partial<Address>.Validation(.required(\.street, .notEmpty), .check(\.street, "long") { $0.count > 3 })))
    var form = Partial<User>()
    XCTAssertEqual(validation.issues(in: form)?.reasons, [.missing(\User.address.street)])
    form[\.address.street] = ""
    XCTAssertEqual(validation.issues(in: form)?.map(\.message), ["address.street is missing", "long"])
    form[\.address.street] = "Main"
    XCTAssertNil(validation.issues(in: form))
  }

  // MARK: Checks

  func testFailedCheckReportsItsMessage() {
    let validation = Validation(
      .check(\.age, "Must be 18 or older") { $0 >= 18 }, .check(\.name, "short") { $0.count > 2 },
      .check(\.nick, "loud") { nick in
        let quiet = nick.lowercased()
        return quiet == nick
      })
    var form = Partial<User>()
    XCTAssertNil(validation.issues(in: form))
    form.age = .some(nil)
    form.nick = .some(nil)
    XCTAssertNil(validation.issues(in: form))
    form.age = 17
    form.name = "A"
    form.nick = "HO"
    let issues = validation.issues(in: form)
    XCTAssertEqual(issues?.map(\.message), ["Must be 18 or older", "short", "loud"])
    XCTAssertEqual(issues?.map(\.kind), [.failed, .failed, .failed])
    XCTAssertEqual(issues?.reasons.first, .invalidValue(\User.age))
    form.age = 18
    form.name = "Ada"
    form.nick = "ho"
    XCTAssertNil(validation.issues(in: form))
  }

  // MARK: The issues

  func testIssuesOfAField() {
    let validation = Validation(
      .required(\.name), .check(\.age, "old") { $0 < 9 },
      .valueValidation(keyPaths: \.tags, \.age) { $0.isEmpty || $1 != 9 })
    var form = Partial<User>()
    form.age = 9
    form.tags = [1]
    let issues = validation.issues(in: form)
    XCTAssertEqual(issues?.count, 3)
    XCTAssertEqual(issues?.issues(for: \.age).map(\.message), ["old", "tags is invalid"])
    XCTAssertEqual(issues?.issues(for: \.nick), [])
    XCTAssertEqual(issues?.contains(\.tags), true)
    XCTAssertEqual(issues?.contains(\.nick), false)
    form = Partial()
    form.name = "Ada"
    XCTAssertNil(validation.issues(in: form))
    XCTAssertTrue((validation.issues(in: form) ?? []).isEmpty)
  }
}
