import Partials
import XCTest

private struct User: Sendable {
  let name: String
  var nick: String?
  var age: Int
  var tags: [String]
  var address: Address
  var shout: String {
    get { nick?.uppercased() ?? "" }
    set { nick = newValue.lowercased() }
  }
}

private struct Address: Sendable { var town: String }

/// Like SwiftUI's `Binding`, it derives bindings to members from their key paths.
@dynamicMemberLookup
private struct Binding<Value> {
  let get: () -> Value
  let set: (Value) -> Void

  var wrappedValue: Value {
    get { get() }
    nonmutating set { set(newValue) }
  }

  subscript<Member>(dynamicMember keyPath: WritableKeyPath<Value, Member>) -> Binding<Member> {
    Binding<Member>(get: { get()[keyPath: keyPath] }) {
      var value = get()
      value[keyPath: keyPath] = $0
      set(value)
    }
  }
}

private final class Model {
  var form = Partial<User>()
  var binding: Binding<Partial<User>> { Binding(get: { self.form }, set: { self.form = $0 }) }
}

final class PartialDefaultsTests: XCTestCase {
  func testReadingADefaultSetsNothingAndWritingSetsTheValue() {
    var form = Partial<User>()
    XCTAssertEqual(form[\.name, default: "?"], "?")
    XCTAssertEqual(form[\.nick, default: "?"], "?")
    XCTAssertEqual(form[\.age, default: 7], 7)
    XCTAssertEqual(form[\.address.town, default: "Bonn"], "Bonn")
    XCTAssertEqual(form[\.shout, default: "A"], "A")
    XCTAssertTrue(form.isEmpty)
    form.nick = .some(nil)
    XCTAssertEqual(form[\.nick, default: "?"], "?", "the default replaces nil")
    form[\.name, default: ""] = "Ada"
    form[\.nick, default: ""] = "Countess"
    form[\.age, default: 7] += 1
    form[\.address.town, default: ""] = "London"
    form[\.shout, default: ""] = "HO"
    XCTAssertEqual(form[\.name], "Ada")
    XCTAssertEqual(form.nick, "Countess")
    XCTAssertEqual(form.age, 8)
    XCTAssertEqual(form[\.address.town], "London")
    XCTAssertEqual(form.shout, "HO")
    XCTAssertEqual(form[\.name, default: "?"], "Ada")
  }

  func testSettingTheOnlyVariableOfAStructSetsTheStruct() {
    struct Title { var text: String }
    var form = Partial<Title>()
    form[\.text, default: ""] = "a"
    XCTAssertEqual(form[\.self]?.text, "a")
    form.removeAll()
    form[\.text, default: "b"].append("!")
    XCTAssertEqual(form[\.self]?.text, "b!")
  }

  func testChangeInPlaceStartsFromTheDefaultWithoutCopying() {
    var form = Partial<User>()
    form[\.tags, default: ["a"]].append("b")
    XCTAssertEqual(form.tags, ["a", "b"])
    form[\.tags, default: []].reserveCapacity(100)
    let before = unsafe form.tags?.withUnsafeBufferPointer { $0.baseAddress }
    form[\.tags, default: []].append("c")
    unsafe XCTAssertEqual(form.tags?.withUnsafeBufferPointer { $0.baseAddress }, before)
    XCTAssertEqual(form.tags, ["a", "b", "c"])
  }

  func testBindingWithADefaultHasANonOptionalValue() {
    let model = Model()
    let name: Binding<String> = model.binding[\.name, default: ""]
    let nick: Binding<String> = model.binding[\.nick, default: ""]
    let age: Binding<Int> = model.binding[\.age, default: 0]
    XCTAssertEqual(name.wrappedValue, "")
    name.wrappedValue = "Ada"
    nick.wrappedValue += "Countess"
    age.wrappedValue += 36
    XCTAssertEqual(model.form[\.name], "Ada")
    XCTAssertEqual(model.form.nick, "Countess")
    XCTAssertEqual(model.form.age, 36)
  }
}
