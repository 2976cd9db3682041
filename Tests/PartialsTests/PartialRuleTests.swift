import Partials
import XCTest

/// Fields with an equality, an empty value or trimming, in questions about edits, in requests and in validations.
final class PartialRuleTests: XCTestCase {
  private struct Home: PartialSchemaProviding, Codable, Hashable, Sendable {
    var town = ""
    static let partialSchema = Partial<Home>.Schema(("town", \.town)).normalizing(\.town, .trimmed)
  }

  private struct Person: PartialSchemaProviding, PartialInitializable, Equatable, Sendable {
    var name = "Ada", nick: String?, age: Int? = 4, weight = 1.0, tags: [String]? = nil, home = Home()
    static let partialSchema = Partial<Person>.Schema(
      ("name", \.name), ("nick", \.nick), ("age", \.age), ("weight", \.weight), ("tags", \.tags)
    )
    .nesting("home", \.home)
    .normalizing(\.name, .trimmed)
    .normalizing(\.nick, .trimmed, .emptyIsNil)
    .normalizing(\.age, .emptyIsNil)
    .normalizing(\.tags, .emptyIsNil)
    .normalizing(\.weight, .equal { abs($0 - $1) < 0.01 })

    static let rules = Partial<Person>.Validation(
      .required(\.name, .notEmpty), .required(\.nick), .check(\.nick, "short") { $0.count > 2 })

    init() {}
    init(from form: Partial<Person>) throws {
      name = try form.value(for: \.name)
      nick = form.value(for: \.nick)
    }
  }

  private func body(_ form: Partial<Person>) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(form), as: UTF8.self)
  }

  func testEmptiedOptionalTextIsNotAnEdit() throws {
    var form = Partial(over: Person())
    form[\.nick, default: ""] = "a"
    XCTAssertTrue(form.isDirty && form.isDirty(\.nick))
    form[\.nick, default: ""] = " \n"
    XCTAssertFalse(form.isDirty || form.isDirty(\.nick))
    XCTAssertEqual(form.nick, " \n", "the field keeps what was typed")
    XCTAssertTrue(form.isTouched)
    form.tags = .some([])
    XCTAssertEqual(try body(form.differences), "{}")
  }

  func testEmptiedOptionalTextIsSentAsNull() throws {
    var person = Person()
    person.nick = "Countess"
    var form = Partial(over: person)
    form.nick = "  "
    XCTAssertEqual(try body(form.differences), #"{"nick":null}"#)
    XCTAssertEqual(try body(form), #"{"nick":null}"#)
    var new = Partial<Person>()
    new.nick = ""
    new.name = " Ada "
    XCTAssertEqual(try body(new), #"{"name":"Ada","nick":null}"#)
    XCTAssertEqual(try body(new.differences), #"{"name":"Ada","nick":null}"#)
  }

  func testTrimmedTextIsComparedAndSentTrimmed() throws {
    var form = Partial(over: Person())
    form.name = "  Ada\n"
    XCTAssertFalse(form.isDirty || form.isDirty(\.name))
    form.name = " Grace  Hopper "
    XCTAssertEqual(try body(form.differences), #"{"name":"Grace  Hopper"}"#)
    form.name = "Ada"
    form[\.home.town] = " "
    XCTAssertFalse(form.isDirty || form.isDirty(\.home.town))
    form.home?.town = " Bonn"
    XCTAssertEqual(try body(form.differences), #"{"home":{"town":"Bonn"}}"#)
  }

  func testOriginalThatIsNotNormalStaysIfItIsNotEdited() throws {
    var person = Person()
    (person.name, person.nick) = (" Ada", "")
    var form = Partial(over: person)
    form.name = "Ada "
    form.nick = .some(nil)
    XCTAssertFalse(form.isDirty)
    form.name = "Grace"
    XCTAssertEqual(try body(form.differences), #"{"name":"Grace"}"#)
  }

  func testEqualityOfAFieldDecides() throws {
    var form = Partial(over: Person())
    form.weight = 1.001
    XCTAssertFalse(form.isDirty || form.isDirty(\.weight))
    form.weight = 1.1
    XCTAssertEqual(try body(form.differences), #"{"weight":1.1}"#)
    form.weight = .nan
    XCTAssertTrue(form.isDirty(\.weight))
  }

  func testEmptyTextEnteredForANumberIsNil() throws {
    var form = Partial(over: Person())
    form.enter("", at: \.age) { Int($0) }
    XCTAssertNil(Partial<Person>.Validation().issues(in: form))
    XCTAssertEqual(form.entered(\.age), "")
    XCTAssertEqual(try body(form.differences), #"{"age":null}"#)
    form.enter("4x", at: \.age) { Int($0) }
    XCTAssertEqual(Partial<Person>.Validation().issues(in: form)?.map(\.kind), [.notUnderstood])
    struct Other { var age: Int? }
    var other = Partial<Other>()
    other.enter("", at: \.age) { Int($0) }
    XCTAssertFalse(other.contains(\.age))
  }

  func testValidationSeesAndBuildsNormalValues() async throws {
    var form = Partial(over: Person())
    form.name = "  "
    form.nick = " a "
    XCTAssertEqual(Person.rules.issues(in: form)?.map(\.message), ["name is missing", "short"])
    XCTAssertEqual(Person.rules.progress(of: form).completed, 1)
    form.nick = "   "
    XCTAssertEqual(Person.rules.issues(in: form)?.map(\.message), ["name is missing"])
    var person = Person()
    person.name = " "
    XCTAssertEqual(Person.rules.issues(in: person)?.count, 1)
    form.name = " Ada "
    guard case .valid(let ada) = Person.rules.validate(form) else { return XCTFail("Ada is valid") }
    XCTAssertEqual([ada.name, ada.nick], ["Ada", nil])
    let asking = Person.rules.asking(.check(\.name) { $0 == "Ada" })
    guard case .valid(let asked) = try await asking.validate(form) else { return XCTFail("Ada is valid") }
    XCTAssertEqual(asked.name, "Ada")
  }

  func testMergedPatchIsNormal() throws {
    let patch = try JSONDecoder().decode(Partial<Person>.self, from: Data(#"{"name":" Ada ","nick":""}"#.utf8))
    var form = Partial(over: Person())
    form.merge(patch)
    XCTAssertFalse(form.isDirty)
  }
}
