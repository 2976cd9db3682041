import Foundation
import Partials
import XCTest

/// Runs the code of the article about forms, which must have the same code and show the same output.
final class PartialFormTests: XCTestCase {
  func testArticleAboutFormsHasTheTestedCodeAndOutput() async throws {
    var printed: [String] = []
    func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }

    // The page begins.
    struct Address: PartialSchemaProviding, Equatable {
      var street: String, town: String

      static let partialSchema = Partial<Address>.Schema(("street", \.street), ("town", \.town))
      static let validation = Partial<Address>.Validation(.required(\.street), .required(\.town))
        .named([\.street: "The street", \.town: "The town"])
    }

    struct Guest: PartialSchemaProviding, PartialInitializable, Equatable {
      var name: String
      var email: String
      var nights: ClosedRange<Int>?
      var address: Address

      static let partialSchema = Partial<Guest>.Schema(("name", \.name), ("email", \.email), ("nights", \.nights))
        .nesting("address", \.address)

      static let validation = Partial<Guest>.Validation(
        .required(\.name, .notEmpty),
        .required(\.email, .notEmpty),
        .check(\.email, "An e-mail address has an @.") { $0.contains("@") },
        .check(\.nights, "Stay a night at least.") { $0.count > 1 },
        .valueValidation(keyPaths: \.email, \.nights, message: "Long stays are booked by our staff.") { email, nights in
          (nights?.count ?? 0) < 30 || email.hasSuffix("@hotel.example")
        },
        .nested(\.address, Address.validation)
      ).named([\.name: "The name", \.email: "The e-mail address"])

      init(from form: Partial<Guest>) throws {
        name = try form.value(for: \.name)
        email = try form.value(for: \.email)
        nights = form.value(for: \.nights)
        address = Address(
          street: try form.value(for: \.address.street), town: try form.value(for: \.address.town))
      }
    }

    var form = Partial<Guest>()
    form.email = "ada"
    form.nights = 3...3
    form[\.address.town] = "London"  // not form.address?.town, which sets nothing: there is no whole address yet

    let progress = Guest.validation.progress(of: form)
    print(progress.completed, "of", progress.total)  // 2 of 4
    if case .incomplete(let issues) = Guest.validation.validate(form) {
      for issue in issues { print(issue) }
      // The name is missing
      // An e-mail address has an @.
      // Stay a night at least.
      // The street is missing
      print(issues.issues(for: \.email).map(\.message))  // ["An e-mail address has an @."]
      print(issues.issues(for: \.address.street).map(\.message))  // ["The street is missing"]
      print(issues.issues(for: \.address.town).map(\.message))  // []
    }

    form.name = "Ada"
    form.email = "ada@example.com"
    form.nights = 3...7
    form[\.address.street] = "Dorset Street 1"
    let registration = Guest.validation.asking(
      .check(\.email, "This e-mail address is taken.") { email in
        email != "grace@example.com"  // in truth: try await server.isFree(email)
      })

    struct Unfinished: Error {
      let messages: [String]
    }

    func register(_ form: Partial<Guest>) async throws -> Guest {
      switch try await registration.validate(form) {
      case .valid(let guest): return guest
      case .incomplete(let issues): throw Unfinished(messages: issues.map(\.message))
      }
    }
    let guest = try await register(form)
    print(guest.name, guest.address.town)  // Ada London

    var edit = Partial(over: guest)
    edit.email = "countess@example.com"
    edit.address?.town = "Ockham"
    edit.name = "Ada"  // typed again, and the same
    print(edit.name!, edit.address!.street, edit.address!.town)  // Ada Dorset Street 1 Ockham
    print(edit.isDirty, Guest.partialSchema.names(setIn: edit.differences))  // true ["email", "address.town"]

    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let body = try encoder.encode(edit.differences)
    print(String(decoding: body, as: UTF8.self))  // {"address":{"town":"Ockham"},"email":"countess@example.com"}

    struct Home: PartialSchemaProviding, Codable, Hashable {
      var street: String, town: String

      static let partialSchema = Partial<Home>.Schema(("street", \.street), ("town", \.town))
    }

    struct Member: PartialSchemaProviding {
      var nick: String?, home: Home?

      static let partialSchema = Partial<Member>.Schema(("nick", \.nick))
        .nesting("home", \.home, Home.partialSchema)
        .normalizing(\.nick, .trimmed, .emptyIsNil)
    }

    func request(_ form: Partial<Member>) throws -> String {
      String(decoding: try encoder.encode(form.differences), as: UTF8.self)
    }

    var member = Partial(over: Member(nick: "Countess", home: Home(street: "Dorset Street 1", town: "London")))
    member.home??.town = "Ockham"
    print(try request(member))  // {"home":{"town":"Ockham"}}
    member[\.nick, default: ""] = " "  // what a text field leaves behind
    print(try request(member))  // {"home":{"town":"Ockham"},"nick":null}
    member.home = .some(nil)
    print(try request(member))  // {"home":null,"nick":null}

    let patch = try JSONDecoder().decode(Partial<Guest>.self, from: body)
    var patched = Partial(over: guest)
    patched.merge(patch)
    if case .valid(let stored) = Guest.validation.validate(patched) {
      print(stored.email, stored.address.town)  // countess@example.com Ockham
    }

    let late = try JSONDecoder().decode(Partial<Member>.self, from: Data(#"{"home":{"town":"Ockham"}}"#.utf8))
    var homeless = Partial(over: Member(nick: "Countess", home: nil))
    print(homeless.merge(late) == [\Member.home])  // true
    print(Partial<Member>.Validation().issues(in: homeless)!)  // home is missing
    print(try request(homeless))  // {"home":{"town":"Ockham"}}
    homeless.home = nil
    print(homeless.isDirty)  // false
    // The page ends.

    let page = try Page()
    XCTAssertEqual(page.code, page.tested)
    XCTAssertEqual(printed, page.output)
  }
}

/// The code of the article's first part, the code of this file, and the output that the article's comments show.
private struct Page {
  let code: [String]
  let tested: [String]
  /// The comments after a `print`, and the indented ones below a loop that prints.
  let output: [String]

  init() throws {
    let file = URL(fileURLWithPath: #filePath)
    let page = file.deletingLastPathComponent()
      .appending(path: "../../Sources/Unsaved/Unsaved.docc/Forms.md").standardized
    // The view among the blocks is compiled elsewhere.
    code = try Self.blocks(of: page, from: "```swift", to: "```", before: "## Fields and rules of a form").filter {
      $0.first != "#if canImport(SwiftUI)"
    }
    .flatMap(\.self).filter { !$0.isEmpty }
    tested = try Self.blocks(of: file, from: "    // The page begins.", to: "    // The page ends.")
      .flatMap(\.self).filter { !$0.isEmpty }.map { String($0.dropFirst(4)) }
    output = code.flatMap { line -> [String] in
      if line.hasPrefix("  // ") { return [String(line.dropFirst(5))] }
      guard line.contains("print("), let comment = line.firstRange(of: #/\) +// /#) else { return [] }
      return [String(line[comment.upperBound...])]
    }
  }

  private static func blocks(
    of file: URL, from first: String, to last: String, before heading: String? = nil
  ) throws -> [[String]] {
    var lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")[...]
    if let heading { lines = try lines[..<XCTUnwrap(lines.firstIndex(of: heading))] }
    var blocks: [[String]] = []
    while let start = lines.firstIndex(of: first) {
      let end = try XCTUnwrap(lines[start...].firstIndex(of: last))
      blocks.append(Array(lines[(start + 1)..<end]))
      lines = lines[(end + 1)...]
    }
    return blocks
  }
}
