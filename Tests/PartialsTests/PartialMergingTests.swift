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
  func testKeepFillsOnlyWhatIsMissing() {
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
        withHiddenCopies(if: true, of: &other, contents: \.debugDescription) { partial.merge($0, policy: .keep) }
      }
      expectEqual(partial.name, "Ada")
      expectEqual(partial.age, 36)
      expectEqual(partial.shout, "ADA")
      expectEqual(partial[\.whisper], "grace")
      expectEqual(partial.count, 4)
    }
  }

  func testKeepWithNothingOnOneSide() {
    var partial = Partial<Person>()
    partial.merge(Partial(), policy: .keep)
    XCTAssertTrue(partial.isEmpty)
    var other = Partial<Person>()
    other.name = "Ada"
    partial.merge(other, policy: .keep)
    XCTAssertEqual(partial.name, "Ada")
    partial.merge(Partial(), policy: .keep)
    XCTAssertEqual(partial.count, 1)
  }

  func testKeepLaysPartsOverTheOthersWhole() {
    var partial = Partial<Person>()
    partial[\.address.town] = "Bonn"
    var other = Partial<Person>()
    other.address = Address(street: "Main", town: "Berlin")
    partial.merge(other, policy: .keep)
    XCTAssertEqual(partial.address, Address(street: "Main", town: "Bonn"))
  }

  func testKeepFillsTheHoleOfAWhole() {
    var partial = Partial<Person>()
    partial.address = Address(street: "Main", town: "Berlin")
    partial[\.address.town] = nil
    var other = Partial<Person>()
    other[\.address.town] = "Bonn"
    other[\.address.street] = "Side"
    partial.merge(other, policy: .keep)
    XCTAssertEqual(partial[\.address.town], "Bonn")
    XCTAssertEqual(partial[\.address.street], "Main")
  }

  func testPartSetAgainInARemovedPartIsTakenAndTheRestIsNot() {
    let theirs = Person(name: "theirs", age: 1, address: Address(street: "their street", town: "their town"))
    let mine = Person(name: "mine", age: 2, address: Address(street: "my street", town: "my town"))
    var other = Partial(theirs)
    other.address = nil
    other[\.address.town] = "another town"
    let expected = Person(name: "theirs", age: 1, address: Address(street: "my street", town: "another town"))

    var whole = Partial(mine)
    whole.merge(other)
    XCTAssertEqual(whole[\.self], expected)

    var parts = Partial<Person>()
    parts.age = 2
    parts.address = mine.address
    parts.merge(other)
    XCTAssertEqual(parts[\.self], expected)

    var smaller = Partial<Person>()
    smaller[\.address.street] = "my street"
    smaller[\.address.town] = "my town"
    smaller.merge(other)
    XCTAssertEqual(smaller[\.address.street], "my street")
    XCTAssertEqual(smaller[\.address.town], "another town")

    var root = mine
    XCTAssertEqual(other.apply(to: &root), [])
    XCTAssertEqual(root, expected)
  }

  func testWholeWithAWeakReferenceIsTakenApart() {
    final class Parent: Sendable {}
    struct Node {
      weak var parent: Parent?
      var name: String
      var number = 1
    }
    struct Root {
      var node: Node
      var end = 0
    }
    let (mine, theirs) = (Parent(), Parent())
    var partial = Partial<Root>()
    partial.node = Node(parent: theirs, name: "theirs")
    partial[\.node.name] = nil
    let original = Root(node: Node(parent: mine, name: "mine"))

    var root = original
    XCTAssertEqual(partial.apply(to: &root), [])
    XCTAssertTrue(root.node.parent === theirs)
    XCTAssertEqual(root.node.name, "mine")

    var over = Partial(over: original)
    over.merge(partial)
    XCTAssertTrue(over.node?.parent === theirs)
    XCTAssertEqual(over.node?.name, "mine")

    var parts = Partial<Root>()
    parts[\.node.name] = "alone"
    parts[\.node.number] = 7
    parts.merge(partial)
    XCTAssertTrue(parts.node?.parent === theirs)
    XCTAssertEqual(parts.node?.name, "alone")
    XCTAssertEqual(parts.node?.number, 1)
  }

  func testAWholeWithALostPartIsMergedOverTheStructThatHasNothingElse() {
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

  func testAConstantWithALostPartIsMergedOverTheStructThatHasNothingElse() {
    struct Profile: Equatable { var name: String, town: String }
    struct Form: Equatable { let profile: Profile }
    var over = Partial(over: Form(profile: Profile(name: "x", town: "y")))
    over[\.profile] = Profile(name: "a", town: "b")
    over[\.profile.name] = nil
    XCTAssertEqual(over[\.profile.name], "x")
    XCTAssertEqual(over[\.profile.town], "b")
  }

  func testOnesOwnKeptValuesAreAppliedFirst() {
    var partial = Partial<Person>()
    partial.shout = "FIRST"
    var other = Partial<Person>()
    other[\.name.count] = 1
    other.shout = "LAST"
    partial.merge(other)
    var root = Person(name: "", age: 0, address: Address(street: "", town: ""))
    XCTAssertEqual(partial.apply(to: &root), [\Person.name.count])
    XCTAssertEqual(root.name, "last")
  }
}
