import Partials
import TestSupport
import XCTest

private struct Address: Equatable {
  var street: String
  var town: String
}

private struct Person: Equatable {
  var name: String
  var age: Int
  var address: Address
  var shout: String {
    get { name.uppercased() }
    set { name = newValue.lowercased() }
  }
  var whisper: String { name.lowercased() }
}

final class PartialMergingTests: XCTestCase {
  func testKeepPolicyFillsOnlyMissingValues() {
    withEvery("shared", in: [false, true]) { isShared in
      var partial = Partial<Person>()
      partial.name = "Ada"
      partial.shout = "ADA"
      var other = Partial<Person>()
      other.name = "Grace"
      other.age = 36
      other.shout = "GRACE"
      other[\.whisper] = "grace"
      withHiddenCopies(if: isShared, of: &partial, contents: \.debugDescription) { partial in
        let lost = withHiddenCopies(if: true, of: &other, contents: \.debugDescription) {
          partial.merge($0, policy: .keep)
        }
        expectEqual(lost, [])
      }
      expectEqual(partial.name, "Ada")
      expectEqual(partial.age, 36)
      expectEqual(partial.shout, "ADA")
      expectEqual(partial[\.whisper], "grace")
      expectEqual(partial.count, 4)
    }
  }

  func testMemberRemovedFromTheOnlyPropertyKeepsTheOriginalValue() {
    struct Profile: Equatable { var name: String, town: String }
    struct Form: Equatable { var profile: Profile }
    var partial = Partial<Form>()
    partial.profile = Profile(name: "a", town: "b")
    partial[\.profile.name] = nil
    let original = Form(profile: Profile(name: "x", town: "y"))

    var root = original
    XCTAssertEqual(partial.apply(to: &root), [])
    XCTAssertEqual(root.profile, Profile(name: "x", town: "b"))

    var over = Partial(over: original)
    over.profile = Profile(name: "a", town: "b")
    over[\.profile.name] = nil
    XCTAssertEqual(over[\.profile.name], "x")
    XCTAssertEqual(over[\.self], root)
  }

  /// Setting all parts of a removed part doesn't set it, so the part around them is still taken from below.
  func testRemovedPartIsFilledFromBelowEvenIfAllItsPartsWereSetAgain() {
    let old = Person(name: "a", age: 1, address: Address(street: "b", town: "c"))
    var edits = Partial(Person(name: "d", age: 2, address: Address(street: "e", town: "f")))
    edits.address = nil
    edits[\.address.street] = "g"
    edits[\.address.town] = "h"
    let new = Person(name: "d", age: 2, address: Address(street: "g", town: "h"))

    var root = old
    XCTAssertEqual(edits.apply(to: &root), [])
    XCTAssertEqual(root, new)
    var (whole, form) = (Partial(old), Partial(over: old))
    whole.merge(edits)
    XCTAssertEqual(whole[\.self], new)
    form.merge(edits)
    XCTAssertEqual(form[\.self], new)

    // The bytes before and after a boxed value are merged with the edits separately, and then have to agree.
    form[\.self] = old
    form[\.whisper] = "w"
    form.address = Address(street: "i", town: "j")
    form.merge(edits)
    XCTAssertEqual(form[\.self], new)
  }

  func testMemberRemovedFromTheOnlyConstantKeepsTheOriginalValue() {
    struct Profile: Equatable { var name: String, town: String }
    struct Form: Equatable { let profile: Profile }
    var over = Partial(over: Form(profile: Profile(name: "x", town: "y")))
    over[\.profile] = Profile(name: "a", town: "b")
    over[\.profile.name] = nil
    XCTAssertEqual(over[\.profile.name], "x")
    XCTAssertEqual(over[\.profile.town], "b")
  }
}
