import Partials
import TestSupport
import XCTest

private struct User: PartialInitializable, Equatable, Sendable {
  var name: String
  var email: String
  var code: Int?

  init(from partial: Partial<User>) throws {
    name = try partial.value(for: \.name)
    email = try partial.value(for: \.email)
    code = partial.value(for: \.code)
  }
}

private struct Unreachable: Error {}

/// What was asked, in any order.
private actor Questions {
  private(set) var asked: [String] = []
  func ask(_ question: String) { asked.append(question) }
}

final class PartialAsyncValidationTests: XCTestCase {
  private let rules = Partial<User>.Validation(
    .required(\.name), .valueValidation(keyPath: \.name, message: "short") { $0.count > 2 }, .required(\.email)
  ).named([\.email: "E-mail"])

  private func partial(name: String? = nil, email: String? = nil, code: Int?? = nil) -> Partial<User> {
    var partial = Partial<User>()
    partial.name = name
    partial.email = email
    partial.code = code
    return partial
  }

  func testOnlyWhatIsRightSoFarIsAskedAbout() async throws {
    let questions = Questions()
    let validation = rules.asking(
      .valueValidation(keyPath: \.name, message: "taken") { name in
        await questions.ask(name)
        return name != "ada"
      },
      .valueValidation(keyPath: \.email) { email in
        await questions.ask(email)
        return false
      },
      .valueValidation(keyPath: \.code, message: "unknown code") { code in
        await questions.ask("\(code)")
        return code == 1
      })

    let short = try await validation.issues(in: partial(name: "a"))
    XCTAssertEqual(short?.map(\.message), ["short", "E-mail is missing"])
    let missing = try await validation.issues(in: partial(email: "e", code: .some(nil)))
    XCTAssertEqual(missing?.map(\.message), ["name is missing", "E-mail is invalid"])
    let asked = await questions.asked
    XCTAssertEqual(asked, ["e"], "what is missing, wrong or nil is not asked about")

    let all = try await validation.issues(in: partial(name: "ada", email: "x", code: 2))
    XCTAssertEqual(all?.map(\.message), ["taken", "E-mail is invalid", "unknown code"])
    XCTAssertEqual(all?.issues(for: \.name).map(\.message), ["taken"])
  }

  func testRuleAcrossFieldsIsAskedWhereBothAreRightSoFar() async throws {
    let questions = Questions()
    let validation = rules.asking(
      .valueValidation(keyPaths: \.email, \.name, message: "strangers") { email, name in
        await questions.ask("\(email) \(name)")
        return email.hasPrefix(name)
      },
      .valueValidation(keyPaths: \.name, \.code) { name, code in name.count == code })
    for incomplete in [partial(name: "ada"), partial(name: "a", email: "a@"), partial(email: "a@", code: 1)] {
      let issues = try await validation.issues(in: incomplete)
      XCTAssertEqual(issues?.count, 1)
    }
    let valid = try await validation.issues(in: partial(name: "ada", email: "ada@", code: 3))
    XCTAssertNil(valid)
    let issues = try await validation.issues(in: partial(name: "ada", email: "e", code: .some(nil)))
    XCTAssertEqual(issues?.reasons, [.invalidValue(\User.email), .invalidValue(\User.name)])
    XCTAssertEqual(issues?.issues(for: \.email).map(\.message), ["strangers"])
    XCTAssertEqual(issues?.issues(for: \.name).map(\.message), ["strangers", "name is invalid"])
    XCTAssertEqual(issues?.issues(for: \.code).map(\.message), ["name is invalid"])
    let asked = await questions.asked
    XCTAssertEqual(asked, ["ada@ ada", "e ada"])
  }

  func testAnswersAreInDeclaredOrderWhicheverComesFirst() async throws {
    let gate = Gate()
    let validation = rules.asking(
      .valueValidation(keyPath: \.name, message: "first") { _ in
        await gate.pass()
        return false
      },
      .valueValidation(keyPath: \.email, message: "second") { _ in
        gate.open()
        return false
      })
    let issues = try await validation.issues(in: partial(name: "ada", email: "x"))
    XCTAssertEqual(issues?.map(\.message), ["first", "second"])
  }

  func testValidPartialIsBuiltAndAnInvalidOneIsNot() async throws {
    let validation = rules.asking(.valueValidation(keyPath: \.name, message: "taken") { $0 != "ada" })
    guard case .valid(let user) = try await validation.validate(partial(name: "grace", email: "g")) else {
      return XCTFail("all is there")
    }
    XCTAssertEqual(user.name, "grace")
    guard case .incomplete(let issues) = try await validation.validate(partial(name: "ada", email: "a")) else {
      return XCTFail("the name is taken")
    }
    XCTAssertEqual(issues.reasons, [.invalidValue(\User.name)])
    XCTAssertTrue(validation.validation.validate(partial(name: "ada", email: "a")).isValid)
  }

  func testRuleThatCannotBeDecidedThrowsAndCancelsTheOthers() async {
    let validation = rules.asking(
      .valueValidation(keyPath: \.name) { _ in throw Unreachable() },
      .valueValidation(keyPath: \.email) { _ in
        let gate = Gate()
        await withTaskCancellationHandler {
          await gate.pass()
        } onCancel: {
          gate.open()
        }
        return true
      })
    do {
      _ = try await validation.issues(in: partial(name: "ada", email: "a"))
      XCTFail("nobody answered")
    } catch {
      XCTAssertTrue(error is Unreachable)
    }
  }
}
