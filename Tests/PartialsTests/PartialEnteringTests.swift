import Foundation
import Partials
import TestSupport
import XCTest

private struct Address: Codable, Hashable, Sendable, PartialSchemaProviding {
  var street = "Main"
  var number = 1
  static let partialSchema = Partial<Address>.Schema(("street", \.street), ("number", \.number))
}

private struct User: Codable, Hashable, Sendable, PartialSchemaProviding {
  let name: String
  var age: Int?
  var height: Double
  var address: Address
  var feet: Double {
    get { height * 3 }
    set { height = newValue / 3 }
  }
  static let partialSchema = Partial<User>.Schema(("name", \.name), ("age", \.age), ("height", \.height))
    .nesting("address", \.address)
}

private let ada = User(name: "Ada", age: 36, height: 2, address: Address())

final class PartialEnteringTests: XCTestCase {
  private typealias Validation = Partial<User>.Validation

  private func kinds(_ partial: Partial<User>, _ validation: Validation = Validation()) -> [Validation.Issue.Kind] {
    validation.issues(in: partial)?.map(\.kind) ?? []
  }

  private func isComplete(_ partial: Partial<User>, _ validation: Validation) -> Bool {
    let progress = validation.progress(of: partial)
    return progress.completed == progress.total
  }

  // MARK: Entering

  func testEnteringATextKeepsItAndSetsItsParsedValue() {
    var form = Partial<User>()
    form.enter("041", at: \.age) { Int($0) }
    form.enter("1.50", at: \.height) { Double($0) }
    form.enter(" Ada ", at: \.name) { $0.filter { $0 != " " } }
    XCTAssertEqual(form.age, 41)
    XCTAssertEqual(form.entered(\.age), "041")
    XCTAssertEqual(form.height, 1.5)
    XCTAssertEqual(form.entered(\.height), "1.50")
    XCTAssertEqual(form[\.name], "Ada")
    XCTAssertEqual(form.entered(\.name), " Ada ")
    XCTAssertNil(form.entered(\.address.number))
    XCTAssertEqual(form.count, 3)
    XCTAssertEqual(kinds(form), [])
  }

  /// For example, a form may be merged over the value that a save stored.
  func testTextThatDoesNotParseIsMergedOverAnotherOriginal() {
    var open = Partial(over: ada)
    open.enter("4x", at: \.age) { Int($0) }
    open.height = 3
    var next = Partial(over: User(name: "Ada Lovelace", age: 2, height: 2, address: Address()))
    next.merge(open)
    XCTAssertEqual(next.entered(\.age), "4x")
    XCTAssertEqual(kinds(next), [.notUnderstood])
    XCTAssertEqual(next.height, 3)
    next.enter("5", at: \.age) { Int($0) }
    XCTAssertEqual(next.age, 5)
  }

  func testIssueOfATextUsesTheNameOfTheNestedValidation() {
    struct Address { var number: Int }
    struct Customer { var address: Address }
    let address = Partial<Address>.Validation(.required(\.number)).named([\.number: "The number"])
    let validation = Partial<Customer>.Validation(.nested(\.address, address))
    var form = Partial<Customer>()
    XCTAssertEqual(validation.issues(in: form)?.map(\.message), ["The number is missing"])
    form.enter("4x", at: \.address.number) { Int($0) }
    XCTAssertEqual(validation.issues(in: form)?.map(\.message), ["The number is not understood"])
  }

  func testParsingToNilDoesNotSatisfyRequired() throws {
    let validation = Validation(.required(\.age))
    var form = Partial<User>()
    form.enter("4x", at: \.age) { Int($0) }
    XCTAssertFalse(form.contains(\.age))
    XCTAssertEqual(validation.issues(in: form)?.map(\.message), ["age is not understood"])
    XCTAssertFalse(isComplete(form, validation))
    form.enter("", at: \.age) { text in
      let number = Int(text)
      return number
    }
    XCTAssertEqual(kinds(form, validation), [.notUnderstood])
    form.enter("42", at: \.age) { Int($0) }
    XCTAssertEqual(kinds(form, validation), [])
    XCTAssertTrue(isComplete(form, validation))
  }

  func testParsingToNilInGenericCodeIsAnIssue() {
    func enter<Root, Value: Sendable>(
      _ text: String, in form: inout Partial<Root>, at keyPath: any WritableKeyPath<Root, Value> & Sendable,
      parse: (String) -> Value?
    ) {
      form.enter(text, at: keyPath, parse: parse)
    }
    let validation = Validation(.required(\.age))
    for start in [Partial<User>(), Partial(over: ada)] {
      var form = start
      enter("", in: &form, at: \.age) { text in text.isEmpty ? .some(nil) : Int(text).map { $0 } }
      XCTAssertEqual(form.entered(\.age), "")
      XCTAssertFalse(form.changes.contains(\.age))
      XCTAssertEqual(kinds(form), [.notUnderstood])
      XCTAssertEqual(kinds(form, validation), [.notUnderstood])
      XCTAssertEqual(kinds(form.changes, validation), [start.original == nil ? .notUnderstood : .missing])
      XCTAssertEqual(validation.progress(of: form).completed, 0)
      form.age?? += 1
      XCTAssertEqual(kinds(form, validation), start.original == nil ? [.notUnderstood] : [], "36 is counted up")
      enter("7", in: &form, at: \.age) { text in text.isEmpty ? .some(nil) : Int(text).map { $0 } }
      XCTAssertEqual(form.age, 7)
      XCTAssertEqual(kinds(form, validation), [])
      form.age = .some(nil)
      XCTAssertEqual(kinds(form, validation), [], "a nil that was set is a value")
    }
  }

  func testParsingToANestedNilDoesNotSetTheValue() {
    struct Answer { var age: Int?? }
    func enter<Value: Sendable>(
      in form: inout Partial<Answer>, at keyPath: any WritableKeyPath<Answer, Value?> & Sendable,
      parse: (String) -> Value?
    ) {
      form.enter("", at: keyPath, parse: parse)
    }
    var form = Partial<Answer>()
    enter(in: &form, at: \.age) { _ in .some(nil) }
    XCTAssertFalse(form.contains(\.age))
    XCTAssertEqual(form.entered(\.age), "")
  }

  func testAccessInPlaceWithoutAChangeKeepsTheText() {
    var nobody = ada
    nobody.age = nil
    var form = Partial(over: nobody)
    form.enter("4x", at: \.age) { Int($0) }
    form.age?? += 1
    XCTAssertEqual(form.entered(\.age), "4x")
    XCTAssertTrue(form.changes.isEmpty)
    XCTAssertEqual(kinds(form, Validation(.required(\.age))), [.notUnderstood])
    form.enter("041", at: \.age) { Int($0) }
    form.age?? += 0
    XCTAssertEqual(form.entered(\.age), "041")
    form.age?? += 1
    XCTAssertNil(form.entered(\.age))
    XCTAssertEqual(form.age, 42)
  }

  func testEditInPlaceToAnEqualValueIsKeptBesideAText() {
    final class Photo: Equatable, Sendable {
      let caption: String
      init(caption: String) { self.caption = caption }
      static func == (left: Photo, right: Photo) -> Bool { true }
    }
    struct Post { var photo: Photo, name = "cafe\u{301}", balance = 0.0, age: Int? = nil }
    var form = Partial(over: Post(photo: Photo(caption: "old")))
    form.enter("4x", at: \.age) { Int($0) }
    form.photo? = Photo(caption: "new")
    form.name?.replace("e\u{301}", with: "\u{e9}")
    form.balance?.negate()
    XCTAssertEqual(form.photo?.caption, "new")
    XCTAssertEqual(form.name.map { Array($0.utf8) }, Array("caf\u{e9}".utf8))
    XCTAssertEqual(form.balance?.sign, .minus)
    XCTAssertEqual(form.changes.count, 3)
    XCTAssertEqual(form.entered(\.age), "4x")
  }

  func testEditInPlaceDoesNotReadTheValueOfAnotherText() {
    struct Scores {
      var name: String?
      var scores: [Int]
      var list: [Int] {
        get { scores }
        set { scores = newValue }
      }
    }
    var form = Partial(over: Scores(name: "Ada", scores: [1, 2, 3]))
    form.enter("5", at: \.scores[2]) { Int($0) }
    form.list = [1]
    form.name??.append("x")
    XCTAssertEqual(form.name, "Adax")
  }

  func testEditInPlaceKeepsTheTextOfAnUneditedMember() {
    struct Address: Equatable { var street = "Main", number = 1 }
    struct Person { var name = "Ada", address = Address() }
    var form = Partial(over: Person())
    form.enter("4x", at: \.address.number) { Int($0) }
    form.address?.street = "Side"
    XCTAssertEqual(form.entered(\.address.number), "4x")
    XCTAssertEqual(Partial<Person>.Validation(.required(\.name)).issues(in: form)?.map(\.kind), [.notUnderstood])
    form.enter("07", at: \.address.number) { Int($0) }
    form.address?.street = "High"
    XCTAssertEqual(form.entered(\.address.number), "07")
    form.address?.number = 8
    XCTAssertNil(form.entered(\.address.number))
    form.enter("9x", at: \.address.number) { Int($0) }
    form.address = Address()
    XCTAssertNil(form.entered(\.address.number))
  }

  func testTextIsDroppedWhenItsValueChangesInPlaceAndBack() {
    var form = Partial(over: ada)
    form.enter("2.0", at: \.height) { Double($0) }
    form.height? += 1
    form.height? -= 1
    XCTAssertNil(form.entered(\.height))
  }

  func testUnparsedTextOfAComputedPropertyStaysWhenItsInputIsSet() {
    struct Person {
      var first = "Ada", last = "King"
      var full: String {
        get { "\(first) \(last)" }
        set { (first, last) = (newValue, newValue) }
      }
    }
    var form = Partial(over: Person())
    form.enter("??", at: \.full) { _ in nil }
    form.last = "Byron"
    XCTAssertEqual(form.entered(\.full), "??")
    XCTAssertEqual(Partial<Person>.Validation().issues(in: form)?.map(\.kind), [.notUnderstood])
  }

  func testTextIsDroppedIfTheSetterStoresAnotherValue() {
    struct Volume {
      var level = 5
      var percent: Int {
        get { level }
        set { level = min(100, newValue) }
      }
    }
    var form = Partial(over: Volume())
    form.enter("150", at: \.percent) { Int($0) }
    XCTAssertEqual(form.percent, 100)
    XCTAssertNil(form.entered(\.percent))
    form.enter("50", at: \.percent) { Int($0) }
    XCTAssertEqual(form.entered(\.percent), "50")
  }

  func testNoOtherRuleRunsForATextThatDoesNotParse() {
    let validation = Validation(
      .required(\.name), .check(\.age, "too old") { $0 < 30 }, .required(\.age),
      .valueValidation(keyPaths: \.height, \.age, message: "both") { _, _ in false })
    var form = Partial(over: ada)
    form.enter("4x", at: \.age) { Int($0) }
    form.enter("?", at: \.address.number) { Int($0) }
    XCTAssertEqual(kinds(form, validation), [.notUnderstood, .notUnderstood])
    XCTAssertEqual(
      validation.named([\.age: "The age"]).issues(in: form)?.map(\.message),
      ["The age is not understood", "address.number is not understood"])
    XCTAssertEqual(validation.issues(in: form)?.issues(for: \.age).map(\.kind), [.notUnderstood])
    XCTAssertEqual(validation.issues(in: form)?.issues(for: \.name), [])
    XCTAssertEqual(validation.issues(in: form)?.missing.count, 0)
  }

  func testNoRuleRunsForValuesAroundOrInsideAnUnparsedText() {
    let validation = Validation(
      .check(\.self, "whole") { _ in false }, .required(\.address), .check(\.address, "around") { _ in false },
      .check(\.address.number, "in") { _ in false }, .check(\.address.street, "beside") { _ in false })
    for start in [Partial<User>(), Partial(ada), Partial(over: ada)] {
      var form = start
      form[\.address.street] = "Main"
      form.enter("?", at: \.address.number) { Int($0) }
      XCTAssertEqual(
        validation.issues(in: form)?.map(\.message), ["address.number is not understood", "beside"],
        "the address lacks its number, or has the old one")
      XCTAssertEqual(validation.issues(in: form)?.issues(for: \.address), [])
      XCTAssertFalse(isComplete(form, validation))
      form.enter("?", at: \.address) { _ in nil }
      XCTAssertEqual(validation.issues(in: form)?.map(\.message), ["address is not understood"])
      form.address = Address()
      XCTAssertTrue(isComplete(form, validation))
      form.enter("?", at: \.feet) { _ in nil }
      let isWhole = validation.issues(in: form)?.map(\.message).contains("whole")
      XCTAssertEqual(isWhole, false, "a computed property is a part of the root")
    }
  }

  // MARK: Other ways to set

  func testWritingTheValueInAnyOtherWayDiscardsTheText() {
    typealias Write = (inout Partial<User>) -> Void
    let writes: [(name: String, write: Write)] = [
      ("set", { $0.age = 5 }), ("update", { $0.update(\.age, to: 5) }), ("nil", { $0.age = nil }),
      ("remove", { $0.removeValue(for: \.age) }), ("whole", { $0[\.self] = ada }), ("all", { $0.removeAll() }),
      ("default", { $0[\.age, default: 0] = 5 }),
      (
        "merge",
        {
          var other = Partial<User>()
          other.age = 5
          $0.merge(other)
        }
      ),
    ]
    for (name, write) in writes {
      for var form in [Partial<User>(), Partial(over: ada)] {
        for text in ["41", "4x"] {
          form.enter(text, at: \.age) { Int($0) }
          form.height = 3
          form[\.address.number] = 2
          XCTAssertEqual(form.entered(\.age), text, name)
          let copy = form
          write(&form)
          XCTAssertNil(form.entered(\.age), name)
          XCTAssertEqual(kinds(form), [], name)
          XCTAssertEqual(copy.entered(\.age), text, "\(name) reached a copy")
        }
      }
    }
  }

  func testSettingAStructOrItsMemberDiscardsTheTextOfTheOther() {
    var form = Partial<User>()
    form.enter("?", at: \.address.number) { Int($0) }
    form.address = Address()
    XCTAssertNil(form.entered(\.address.number))
    form.enter("?", at: \.address.number) { Int($0) }
    XCTAssertNil(form.address, "the address lacks its number")
    form.removeValue(for: \.address)
    XCTAssertNil(form.entered(\.address.number))
    form.enter("Main 5", at: \.address) { _ in Address(street: "Main", number: 5) }
    form[\.address.number] = 6
    XCTAssertNil(form.entered(\.address))
  }

  func testTextNeverContradictsTheValueThatASetterStored() {
    var form = Partial(over: ada)
    form.enter("1.50", at: \.height) { Double($0) }
    form.feet = 4.5
    XCTAssertEqual(form.entered(\.height), "1.50", "the setter stored the same value")
    form.feet = 9
    XCTAssertEqual(form.height, 3)
    XCTAssertNil(form.entered(\.height))
    form.enter("12", at: \.feet) { Double($0) }
    XCTAssertEqual(form.height, 4)
    XCTAssertEqual(form.entered(\.feet), "12")
    form.height = 1
    XCTAssertNil(form.entered(\.feet), "its value has changed")
    form.enter("x", at: \.feet) { Double($0) }
    XCTAssertEqual(form.entered(\.feet), "x")
    form.feet = 3
    XCTAssertNil(form.entered(\.feet))
  }

  // MARK: Over an original

  func testTextThatDoesNotParseSendsNeitherTheOldValueNorNil() throws {
    var form = Partial(over: ada)
    form.age = 37
    form.enter("4x", at: \.age) { Int($0) }
    XCTAssertEqual(form.age, 36)
    XCTAssertFalse(form.changes.contains(\.age))
    XCTAssertTrue(form.isDirty, "the text would be lost")
    XCTAssertTrue(form.isEmpty)
    XCTAssertEqual(form.differences.count, 0)
    var user = ada
    XCTAssertEqual(form.apply(to: &user), [\User.age])
    XCTAssertEqual(user, ada)
    XCTAssertEqual(String(decoding: try JSONEncoder().encode(form), as: UTF8.self), "{}")
    form.height = 4
    form.address?.street = "Side"
    XCTAssertEqual(form.entered(\.age), "4x", "another edit keeps it")
    form.enter("40", at: \.age) { Int($0) }
    XCTAssertEqual(form.apply(to: &user), [])
    XCTAssertEqual(user.age, 40)
  }

  // MARK: Comparing and merging

  func testPartialsAreEqualOnlyIfTheirTextsAre() {
    func form(_ texts: String...) -> Partial<User> {
      var form = Partial<User>()
      for text in texts { form.enter(text, at: \.age) { Int($0) } }
      return form
    }
    var other = form("4x")
    other.enter("?", at: \.height) { Double($0) }
    var plain = Partial<User>()
    plain.age = 41
    var backwards = Partial<User>()
    backwards.enter("?", at: \.height) { Double($0) }
    backwards.enter("4x", at: \.age) { Int($0) }
    checkHashable(
      equivalenceClasses: [
        [form("41"), form("4x", "41")], [form("041")], [form("4x")], [form("4y")], [other, backwards], [plain],
        [Partial()],
      ])
  }

  func testMergeCopiesTextsAccordingToThePolicy() {
    func form(age: String? = nil, height: String? = nil) -> Partial<User> {
      var form = Partial<User>()
      if let age { form.enter(age, at: \.age) { Int($0) } }
      if let height { form.enter(height, at: \.height) { Double($0) } }
      return form
    }
    for start in [Partial<User>(), Partial(over: ada)] {
      for policy in [Partial<User>.MergePolicy.replace, .keep] {
        var merged = start
        merged.merge(form(age: "4x", height: "1.50"), policy: policy)
        XCTAssertEqual(merged.entered(\.age), "4x")
        XCTAssertEqual(merged.entered(\.height), "1.50")
        XCTAssertEqual(merged.height, 1.5)
        XCTAssertEqual(kinds(merged), [.notUnderstood])
        XCTAssertEqual(merged.changes.count, 1)

        merged.merge(form(age: "041"), policy: policy)
        XCTAssertEqual(merged.entered(\.age), policy == .replace ? "041" : "4x")
        XCTAssertEqual(merged.changes.age, policy == .replace ? 41 : nil)
        XCTAssertEqual(merged.entered(\.height), "1.50")

        merged.merge(form(height: "?"), policy: policy)
        XCTAssertEqual(merged.entered(\.height), policy == .replace ? "?" : "1.50")
        XCTAssertEqual(merged.changes.height, policy == .replace ? nil : 1.5)
      }
    }
  }

  func testMergedSetterDiscardsTheTextOfTheValueItWrites() {
    var setter = Partial<User>()
    setter.feet = 9
    var direct = Partial(over: ada)
    direct.enter("?", at: \.height) { Double($0) }
    let typed = direct
    direct.feet = 9
    XCTAssertNil(direct.entered(\.height))
    for policy in [Partial<User>.MergePolicy.replace, .keep] {
      var merged = typed
      merged.merge(setter, policy: policy)
      XCTAssertEqual(merged.height, 3)
      XCTAssertEqual(merged.entered(\.height), policy == .replace ? nil : "?", "the policy keeps the own text")
      merged = Partial(over: ada)
      merged.merge(setter)
      merged.merge(typed, policy: policy)
      XCTAssertEqual(merged.entered(\.height), policy == .replace ? "?" : nil)
    }
  }

  func testMergedRootThatLostAMemberDiscardsTexts() {
    var whole = Partial(ada)
    whole.removeValue(for: \.age)
    var form = Partial<User>()
    form.enter("?", at: \.feet) { Double($0) }
    form.enter("?", at: \.age) { Int($0) }
    var kept = whole
    kept.merge(form, policy: .keep)
    form.merge(whole)
    for merged in [form, kept] {
      XCTAssertNil(merged.entered(\.feet))
      XCTAssertNil(merged.entered(\.age), "the merged root ends the text, although it has no age")
    }
  }

  func testSettingAnyValueDiscardsTheTextOfTheRoot() {
    typealias Write = (inout Partial<User>) -> Void
    let merge: Write = { form in
      var other = Partial<User>()
      other.feet = 9
      form.merge(other)
    }
    for write in [{ $0.feet = 9 }, { $0.age = 9 }, merge] as [Write] {
      var form = Partial<User>()
      form.enter("?", at: \.self) { _ in nil }
      XCTAssertEqual(form.entered(\.self), "?")
      write(&form)
      XCTAssertNil(form.entered(\.self))
    }
  }

  // MARK: Layout

  func testPartialIsOneWord() {
    XCTAssertEqual(MemoryLayout<Partial<User>>.size, MemoryLayout<Int>.size)
  }

  func testOutdatedTextsAffectNeitherEqualityNorHash() {
    struct Person: PartialSchemaProviding {
      var first = "Ada", last = "King"
      var full: String {
        get { "\(first) \(last)" }
        set { (first, last) = ("Grace", newValue) }
      }
      static let partialSchema = Partial<Person>.Schema(("first", \.first), ("last", \.last))
    }
    var left = Partial(over: Person()), right = left
    left.enter("Bob", at: \.first) { $0 }
    left.full = "Hopper"
    right.first = "Bob"
    right.full = "Hopper"
    XCTAssertEqual(left, right)
    XCTAssertEqual(Set([left, right]).count, 1)
  }
}
