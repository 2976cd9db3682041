import Partials
import XCTest

private struct User: Equatable {
  let firstName: String
  let lastName: String
  let age: Int?
}

extension User: PartialInitializable {
  init(from partial: Partial<User>) throws {
    self.firstName = try partial.value(for: \.firstName)
    self.lastName = try partial.value(for: \.lastName)
    self.age = partial.value(for: \.age)
  }
}

/// The examples of the blog posts "Type-safe temporary models", "Validate temporary models" and "Better form model
/// validation".
final class PartialPostTests: XCTestCase {
  func testUserIsBuiltFromTheCollectedValues() throws {
    var partial = Partial<User>()
    partial.update(\.firstName, to: "Ian")
    partial.update(\.lastName, to: "Keen")
    partial.update(\.age, to: 36)

    XCTAssertEqual(try User(from: partial), User(firstName: "Ian", lastName: "Keen", age: 36))
  }

  func testOptionalPropertyNeedsNoValue() throws {
    var partial = Partial<User>()
    partial.update(\.firstName, to: "Ian")
    partial.update(\.lastName, to: "Keen")

    XCTAssertEqual(try User(from: partial), User(firstName: "Ian", lastName: "Keen", age: nil))
  }

  func testMissingLastNameThrows() {
    var partial = Partial<User>()
    partial.update(\.firstName, to: "Ian")

    XCTAssertThrowsError(try User(from: partial)) { error in
      XCTAssertEqual(error as? Partial<User>.Error, .valueNotFound(\User.lastName))
    }
  }

  func testErrorOfAMissingValueIsMatchedByItsCase() {
    XCTAssertThrowsError(try Partial<User>().value(for: \.firstName)) { error in
      guard case Partial<User>.Error.valueNotFound = error else { return XCTFail("\(error)") }
    }
  }

  func testUpdatingToNilRemovesTheValue() {
    var partial = Partial<User>()
    var text: String? = "Ian"
    partial.update(\.firstName, to: text)
    XCTAssertEqual(partial[\.firstName], "Ian")
    text = nil
    partial.update(\.firstName, to: text)
    XCTAssertNil(partial[\.firstName])
    XCTAssertFalse(partial.contains(\.firstName))
    partial.update(\.age, to: .some(nil))
    XCTAssertTrue(partial.contains(\.age))
    partial.update(\.age, to: nil)
    XCTAssertFalse(partial.contains(\.age))
  }

  func testRequiredKeyPathsAreReportedAsMissing() {
    let validation = Partial<User>.Validation(requiredKeyPaths: \User.firstName, \User.lastName)
    var partial = Partial<User>()
    partial.update(\.firstName, to: "Ian")

    switch validation.validate(partial) {
    case .valid:
      XCTFail("the last name is missing")
    case .incomplete(let missing):
      XCTAssertEqual(missing, [\User.lastName])
      XCTAssertTrue(missing.contains(\User.lastName))
      XCTAssertFalse(missing.contains(\User.firstName))
    }

    partial.update(\.lastName, to: "Keen")

    switch validation.validate(partial) {
    case .valid(let user): XCTAssertEqual(user, User(firstName: "Ian", lastName: "Keen", age: nil))
    case .incomplete(let missing): XCTFail("\(missing)")
    }
  }

  func testEveryReasonIsReported() {
    let validation = Partial<User>.Validation(
      .required(\User.firstName),
      .valueValidation(keyPath: \User.firstName, { !$0.isEmpty }),
      .required(\User.lastName),
      .valueValidation(keyPath: \User.lastName, { $0.count > 5 }),
      .valueValidation(keyPath: \User.age, { $0 >= 18 }))

    func said(of partial: Partial<User>) -> [String] {
      var said: [String] = []
      switch validation.validate(partial) {
      case .valid(let user):
        said.append("Is valid: \(user.firstName)")
      case .incomplete(let missing):
        for reason in missing.reasons {
          switch reason {
          case .missing(let keyPath):
            if keyPath == \User.firstName { said.append("Missing first name") }
            if keyPath == \User.lastName { said.append("Missing last name") }
          case .invalidValue(let keyPath):
            if keyPath == \User.firstName { said.append("Invalid first name value") }
            if keyPath == \User.lastName { said.append("Invalid last name value") }
            if keyPath == \User.age { said.append("User is too young") }
          }
        }
      }
      return said
    }

    var partial = Partial<User>()
    XCTAssertEqual(said(of: partial), ["Missing first name", "Missing last name"])

    partial.update(\.firstName, to: "foo")
    partial.update(\.lastName, to: "bar")
    partial.update(\.age, to: 12)
    XCTAssertEqual(said(of: partial), ["Invalid last name value", "User is too young"])

    partial.update(\.lastName, to: "barbarian")
    partial.update(\.age, to: 18)
    XCTAssertEqual(said(of: partial), ["Is valid: foo"])

    partial.removeValue(for: \.age)
    XCTAssertEqual(said(of: partial), ["Is valid: foo"])

    partial.update(\.firstName, to: "")
    partial.removeValue(for: \.lastName)
    XCTAssertEqual(said(of: partial), ["Invalid first name value", "Missing last name"])
  }
}
