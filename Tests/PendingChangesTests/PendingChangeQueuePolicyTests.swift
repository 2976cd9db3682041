import PendingChanges
import TestSupport
import XCTest

/// The policy of a change's type, and policies that are passed to an insertion.
final class PendingChangeQueuePolicyTests: XCTestCase {
  func testInsertionUsesThePolicyOfTheType() {
    var queue = PendingChangeQueue<Joining>()
    XCTAssertEqual(queue.insert(Joining("a", "1")).outcome, .added)
    XCTAssertEqual(queue.insert(Joining("a", "2")).outcome, .merged)
    queue.insert(contentsOf: [Joining("b", "1"), Joining("a", "3"), Joining("b", "2")])
    XCTAssertEqual(queue.waiting.map(\.change.text), ["123", "12"])
  }

  func testPolicyArgumentOverridesThePolicyOfTheType() {
    var queue = PendingChangeQueue<Joining>()
    queue.insert(Joining("a", "1"))
    XCTAssertEqual(queue.insert(Joining("a", "2"), policy: .replace).outcome, .replaced)
    XCTAssertEqual(queue.insert(Joining("a", "3"), policy: .keep).outcome, .kept)
    queue.insert(contentsOf: [Joining("b", "1"), Joining("a", "4")], policy: .moveToEnd)
    XCTAssertEqual(queue.waiting.map(\.change.text), ["1", "4"])
  }

  func testDefaultPolicyReplaces() {
    guard case .replace = Edit.policy else { return XCTFail("\(Edit.policy)") }
    var queue = EditQueue()
    queue.insert(contentsOf: [Edit("a", "1"), Edit("a", "2")])
    XCTAssertEqual(queue.waiting.map(\.change.text), ["2"])
  }

  func testGenericCodeUsesThePolicyOfTheType() {
    func texts<Change: PendingChange>(_ changes: [Change], _ text: (Change) -> String) -> [String] {
      var queue = PendingChangeQueue<Change>()
      for change in changes { queue.insert(change) }
      return queue.waiting.map { text($0.change) }
    }
    XCTAssertEqual(texts([Joining("a", "1"), Joining("a", "2")], \.text), ["12"])
    XCTAssertEqual(texts([Edit("a", "1"), Edit("a", "2")], \.text), ["2"])
  }

  func testFollowersOfAChangeInFlightMergeByThePolicyOfTheType() throws {
    var queue = PendingChangeQueue<Joining>()
    queue.insert(Joining("a", "1"))
    let first = try XCTUnwrap(queue.begin())
    queue.insert(contentsOf: [Joining("a", "2"), Joining("a", "3")])
    XCTAssertEqual(queue.newest(for: "a")?.change.text, "23")
    queue.fail(first.id)
    XCTAssertEqual(queue.waiting.map(\.change.text), ["1", "23"])
  }

  func testFailureIsNotMergedByThePolicyOfTheType() throws {
    var queue = PendingChangeQueue<Joining>()
    queue.insert(Joining("a", "1"))
    queue.fail(try XCTUnwrap(queue.begin()).id, attempts: 1)
    XCTAssertEqual(queue.insert(Joining("a", "2")).displacedFailures.count, 0)
    XCTAssertEqual(queue.failures.map(\.change.text), ["1"])
    XCTAssertEqual(queue.waiting.map(\.change.text), ["2"])
  }

  func testPolicyOfTheTypeIsNotReadWithoutAConflict() {
    var queue = PendingChangeQueue<Unasked>()
    queue.insert(contentsOf: (0..<100).map(Unasked.init))
    queue.insert(Unasked(key: 5), policy: .keep)
    XCTAssertEqual(queue.count, 100)
  }
}

/// A change whose policy merges it with waiting changes of its key.
private struct Joining: PendingChange {
  let key: String
  let text: String

  static var policy: PendingChangeQueue<Joining>.Policy {
    .merge { waiting, new in Joining(new.key, waiting.text + new.text) }
  }

  init(_ key: String, _ text: String) {
    self.key = key
    self.text = text
  }
}

/// A change whose policy must not be read.
private struct Unasked: PendingChange {
  let key: Int

  static var policy: PendingChangeQueue<Unasked>.Policy {
    XCTFail("asked for a policy")
    return .replace
  }
}
