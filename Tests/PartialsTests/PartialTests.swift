import Partials
import TestSupport
import XCTest

private struct Address: Equatable {
  var street: String
  var number: UInt8
  var town: String
}

private struct Person: Equatable {
  var name: String
  let born: Int
  var address: Address
  var tags: [String]
  var email: String?
  var count = 0
}

private let ada = Person(
  name: "Ada", born: 1815, address: Address(street: "Dorset Street", number: 1, town: "London"), tags: ["maths"])

// The compiler prefers the first overload.
private func isSendable<Value: Sendable>(_: Value.Type) -> Bool { true }
private func isSendable<Value>(_: Value.Type) -> Bool { false }

final class PartialTests: XCTestCase {
  // MARK: Setting and reading

  func testEachSpellingSetsTheSameValue() throws {
    var partial = Partial<Person>()
    partial.name = "Ada"
    partial[\.born] = 1815
    partial.update(\.tags, to: ["maths"])
    XCTAssertEqual(partial.name, "Ada")
    XCTAssertEqual(partial[\.name], "Ada")
    XCTAssertEqual(try partial.value(for: \.name), "Ada")
    XCTAssertEqual(partial[\.born], 1815)
    XCTAssertEqual(partial.tags, ["maths"])
    XCTAssertEqual(partial.count, 3)
  }

  func testMemberNamedLikeAMemberOfPartialIsReachedBySubscript() {
    var partial = Partial<Person>()
    partial[\.count] = 7
    XCTAssertEqual(partial[\.count], 7)
    XCTAssertEqual(partial.count, 1)
  }

  func testTheErrorNamesTheKeyPathAndWhatToDo() throws {
    let partial = Partial<Person>()
    do throws(Partial<Person>.Error) {
      _ = try partial.value(for: \.address.town)
      XCTFail("no town was set")
    } catch {
      XCTAssertEqual(error, .valueNotFound(\Person.address.town))
      XCTAssertEqual(
        "\(error)",
        #"\Person.address.town has no value in the partial: set it with update(_:to:), "#
          + "or ask contains(_:) before reading it")
    }
  }

  func testErrorsAreEqualIfTheirKeyPathsAre() {
    typealias Missing = Partial<Person>.Error
    checkHashable(equivalenceClasses: [
      [Missing.valueNotFound(\Person.name), .valueNotFound(\Person.name)], [.valueNotFound(\Person.born)],
      [.valueNotFound(\Person.address)], [.valueNotFound(\Person.address.town)],
    ])
  }

  // MARK: Nil

  func testNilRemovesAValueAndSomeNilIsStored() {
    var partial = Partial<Person>()
    partial.email = .some(nil)
    XCTAssertTrue(partial.contains(\.email))
    XCTAssertEqual(partial.email, .some(nil))
    XCTAssertNil(partial.value(for: \.email))

    partial.email = nil
    XCTAssertFalse(partial.contains(\.email))

    partial.email = "ada@example.org"
    XCTAssertEqual(partial.value(for: \.email), "ada@example.org")
    partial.name = nil
    XCTAssertEqual(partial.count, 1)
  }

  // MARK: A whole root

  func testPartialOfARootHasAllItsValues() throws {
    let partial = Partial(ada)
    XCTAssertEqual(partial[\.self], ada)
    XCTAssertEqual(partial.name, "Ada")
    XCTAssertEqual(partial[\.address.number], 1)
    XCTAssertEqual(partial.email, .some(nil))
    XCTAssertEqual(partial.count, 1)
  }

  func testApplyWritesOnlySetValues() {
    var partial = Partial<Person>()
    partial.name = "Augusta"
    partial[\.born] = 1816
    partial[\.address.town] = "Ockham"
    var root = ada
    XCTAssertEqual(partial.apply(to: &root), [\Person.self], "the year of birth is a constant")
    var expected = Person(name: "Augusta", born: 1815, address: ada.address, tags: ["maths"])
    expected.address.town = "Ockham"
    XCTAssertEqual(root, expected)
  }

  // MARK: In place

  func testValueIsChangedInPlaceUnlessShared() {
    withEvery("shared", in: [false, true]) { isShared in
      var partial = Partial<Person>()
      partial.tags = Array(repeating: "x", count: 100)
      let storage = unsafe partial.tags!.withUnsafeBufferPointer { $0.baseAddress }
      withHiddenCopies(if: isShared, of: &partial, contents: \.debugDescription) { partial in
        partial.tags?[0] = "y"
        partial[\.tags]![1] = "z"
      }
      expectEqual(partial.tags?.prefix(3), ["y", "z", "x"])
      let isSame = unsafe partial.tags!.withUnsafeBufferPointer { $0.baseAddress } == storage
      expect(isSame == !isShared, "the array was \(isSame ? "not " : "")copied")
    }
  }

  func testOptionalChainingIntoAMissingStructChangesNothing() {
    var partial = Partial<Person>()
    partial[\.address.town] = "London"
    partial.address?.street = "Dorset Street"
    XCTAssertEqual(partial[\.address.town], "London")
    XCTAssertNil(partial[\.address.street])
  }

  func testChangeInPlaceThatThrowsIsKept() {
    struct Interruption: Error {}
    func append(to tags: inout [String]?) throws {
      tags?.append("new")
      throw Interruption()
    }
    var partial = Partial<Person>()
    partial.tags = ["old"]
    XCTAssertThrowsError(try append(to: &partial.tags))
    XCTAssertEqual(partial.tags, ["old", "new"])
  }

  // MARK: Description

  func testDescriptionListsValuesInTheOrderOfTheRoot() {
    var partial = Partial<Person>()
    XCTAssertEqual("\(partial)", "Partial<Person>()")
    partial.email = "ada@example.org"
    partial.name = "Ada"
    partial[\.tags.count] = 3
    XCTAssertEqual(
      "\(partial)".replacing(/<computed[^>]*>/, with: "computed"),
      #"Partial<Person>(String: "Ada", Optional<String>: Optional("ada@example.org"), \Person.tags.computed: 3)"#)
    XCTAssertEqual(String(reflecting: partial), "\(partial)")
  }

  func testDescriptionMarksAnIncompleteValue() {
    var partial = Partial<Person>()
    partial.address = ada.address
    partial[\.address.number] = nil
    XCTAssertEqual("\(partial)", "Partial<Person>(Address: incomplete)")
  }

  // MARK: Sending

  func testPartialIsSendableExactlyWhenItsRootIs() async {
    final class Object {}
    struct Held { var object: Object }
    XCTAssertTrue(isSendable(Partial<Person>.self))
    XCTAssertFalse(isSendable(Partial<Held>.self))
    let partial = Partial(ada)
    expectEqual(await Task.detached { partial.name }.value, "Ada")
  }

  func testManyTasksChangeCopiesConcurrently() async {
    var shared = Partial(over: ada)
    shared.name = "Augusta"
    shared[\.address.town] = nil
    await withTaskGroup(of: [Int?].self) { [shared] group in
      for task in 0..<8 {
        group.addTask {
          var mine = shared
          for number in 0..<50 {
            mine[\.count] = number
            mine.address?.number = UInt8(task)
            mine[\.address.street] = nil
            mine.merge(shared)
          }
          return [mine[\.count], mine.address.map { Int($0.number) }, task, shared.changes.count]
        }
      }
      for await result in group { XCTAssertEqual(result, [49, result[2], result[2], 1]) }
    }
    XCTAssertEqual(shared[\.self]?.name, "Augusta")
  }
}
