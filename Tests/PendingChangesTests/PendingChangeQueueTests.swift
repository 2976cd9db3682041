import PendingChanges
import TestSupport
import XCTest

/// An edit of a thing, which is named by a letter and is the key.
struct Edit: PendingChange, Hashable, Codable, CustomStringConvertible {
  var thing: String
  var text: String
  var key: String { thing }
  var description: String { thing + text }

  init(_ thing: String, _ text: String = "") {
    self.thing = thing
    self.text = text
  }
}

typealias EditQueue = PendingChangeQueue<Edit>

extension PendingChangeQueue {
  mutating func insert(contentsOf changes: [Change], policy: Policy? = nil) {
    for change in changes { insert(change, policy: policy) }
  }
}

extension EditQueue.Policy {
  static var joined: Self { .merge { Edit($0.thing, $0.text + $1.text) } }
}

/// A key that counts how often it is hashed.
private struct CountedKey: Hashable {
  final class Calls {
    var hashes = 0
  }

  let number: Int
  let calls: Calls

  static func == (left: CountedKey, right: CountedKey) -> Bool { left.number == right.number }

  func hash(into hasher: inout Hasher) {
    calls.hashes += 1
    hasher.combine(number)
  }
}

final class PendingChangeQueueTests: XCTestCase {
  var queue = EditQueue()

  /// The waiting changes, in order.
  var waiting: [String] { queue.waiting.map(\.change.description) }

  func begin(file: StaticString = #filePath, line: UInt = #line) throws -> EditQueue.Entry {
    try XCTUnwrap(queue.begin(), file: file, line: line)
  }

  // MARK: Updating

  func testUpdatedChangeKeepsItsPlaceWhereverItIs() throws {
    let first = queue.insert(Edit("a", "1")).id
    queue.insert(Edit("b", "1"))
    queue.update(first, to: Edit("a", "2"))
    XCTAssertEqual(waiting, ["a2", "b1"])
    XCTAssertEqual(try begin().change, Edit("a", "2"))
    let follower = queue.insert(Edit("a", "3"), policy: .keep).id
    queue.update(first, to: Edit("a", "4"))
    queue.update(follower, to: Edit("a", "5"))
    XCTAssertEqual(queue.status(of: first), .inFlight)
    XCTAssertEqual(queue.inFlight.map(\.attempts), [1])
    XCTAssertEqual(waiting, ["b1", "a5"])
    queue.fail(first, attempts: 1, reason: "full")
    queue.update(first, to: Edit("a", "6"))
    XCTAssertEqual(queue.failures(for: "a").map(\.change.text), ["6"])
    XCTAssertEqual(queue.failures(for: "a").map(\.failureReason), ["full"])
    XCTAssertEqual(queue.failures(for: "b").count, 0)
    XCTAssertEqual(queue.newest(for: "a")?.change.text, "5")
  }

  // MARK: Inserting

  func testPolicyAppliesToEveryInsertedChange() {
    queue.insert(Edit("a", "1"))
    queue.insert(contentsOf: [Edit("b", "1"), Edit("a", "2"), Edit("b", "2")], policy: .joined)
    XCTAssertEqual(waiting, ["a12", "b12"])
  }

  func testRemovedFollowerDoesNotAffectEquality() throws {
    func made(_ policy: EditQueue.Policy) -> EditQueue {
      var queue = EditQueue()
      queue.insert(Edit("a", "1"))
      _ = queue.begin()
      queue.remove(id: queue.insert(Edit("a", "2"), policy: policy).id)
      return queue
    }
    XCTAssertEqual(made(.replace), made(.keep))
  }

  func testPastFailureDoesNotAffectEquality() throws {
    func made(_ reason: String?) throws -> EditQueue {
      var queue = EditQueue()
      queue.insert(Edit("a"))
      queue.fail(try XCTUnwrap(queue.begin()).id, reason: reason)
      queue.complete(try XCTUnwrap(queue.begin()).id)
      return queue
    }
    XCTAssertEqual(try made("busy"), try made(nil))
  }

  func testIdentifiableChangeUsesItsIDAsKey() {
    struct Command: PendingChange, Identifiable {
      let id: Int
    }
    var queue = PendingChangeQueue<Command>()
    queue.insert(contentsOf: [Command(id: 1), Command(id: 2), Command(id: 1)])
    XCTAssertEqual(queue.waiting.map(\.key), [1, 2])
  }

  func testInsertionResultsWithTheSameContentsAreEqual() {
    queue.insert(Edit("a"))
    let added = queue.insert(Edit("b"))
    var busy = EditQueue()
    busy.insert(Edit("b"))
    _ = busy.begin()
    let follower = busy.insert(Edit("b"))
    XCTAssertEqual(added, follower)
    XCTAssertEqual(added.hashValue, follower.hashValue)
    XCTAssertNotEqual(added, queue.insert(Edit("b")))
  }

  func testInsertBeginAndCompleteHashTheKeyOnce() {
    struct Change: PendingChange {
      let key: CountedKey
    }
    let calls = CountedKey.Calls()
    var queue = PendingChangeQueue<Change>()
    queue.insert(contentsOf: (0..<100).map { Change(key: CountedKey(number: $0, calls: calls)) })
    calls.hashes = 0
    for number in 100..<1100 {
      queue.insert(Change(key: CountedKey(number: number, calls: calls)))
      if let entry = queue.begin() { queue.complete(entry.id) }
    }
    #if !InternalChecks
      XCTAssertEqual(calls.hashes, 1000)
    #endif
    XCTAssertEqual(queue.next?.change.key.number, 1000)
  }

  // MARK: In flight

  func testResultOfBeginByIDCanBeDiscarded() throws {
    queue.insert(Edit("a"))
    let seen = try XCTUnwrap(queue.next)
    queue.begin(seen.id)
    XCTAssertEqual(queue.status(of: seen.id), .inFlight)
  }

  /// The slots are renumbered when more than a quarter of them are gaps.
  ///
  /// Here this happens when the first change leaves.
  func testCompletingTheFirstOfManyInFlightSkipsNoWaitingChange() throws {
    queue.insert(contentsOf: (0..<40).map { Edit("\($0)") })
    let begun = try (0..<12).map { _ in try begin() }
    for entry in begun[2...] { queue.complete(entry.id) }
    queue.complete(begun[0].id)
    XCTAssertEqual(queue.next?.change.thing, "12")
    XCTAssertEqual(waiting, (12..<40).map { "\($0)" })
  }

  // MARK: Failing

  func testDefaultRetryEndsAfterFiveAttempts() throws {
    queue.insert(Edit("a"))
    var attempts = 0
    while let entry = queue.begin() {
      attempts += 1
      queue.fail(entry.id)
    }
    XCTAssertEqual(attempts, 5)
    XCTAssertEqual(queue.failures.map(\.attempts), [5])
  }

  func testReleasedChangeDoesNotCountAsAnAttempt() throws {
    queue.insert(contentsOf: [Edit("a"), Edit("b")])
    queue.fail(try begin().id, reason: "busy")
    let entry = try begin()
    XCTAssertEqual(entry.attempts, 2)
    guard let back = queue.release(entry.id), queue.status(of: back.id) == .waiting else { return XCTFail("not back") }
    XCTAssertEqual(back.attempts, 1)
    XCTAssertEqual(back.failureReason, "busy")
    XCTAssertEqual(waiting, ["a", "b"])
    XCTAssertNil(queue.release(entry.id))
    XCTAssertNil(queue.release(PendingChangeID(rawValue: 9)))
  }

  func testChangesThatFailInAnyOrderReturnToTheirPlaces() throws {
    withSeeds(20) { random in
      var queue = EditQueue()
      for number in 0..<100 { queue.insert(Edit("\(number)")) }
      var running: [EditQueue.Entry] = []
      while let entry = queue.begin() { running.append(entry) }
      for entry in running.shuffled(using: &random) { queue.fail(entry.id) }
      // Begin out of turn, so that the heap contains changes that no longer wait.
      for entry in running.shuffled(using: &random).prefix(300) {
        expectEqual(queue.begin(entry.id)?.id, entry.id)
        queue.fail(entry.id, attempts: nil)
        if random.chance(oneIn: 3) { queue.remove(id: entry.id) }
      }
      let expected = queue.waiting.map(\.id)
      expectEqual(expected, expected.sorted())
      var begun: [PendingChangeID] = []
      while let entry = queue.begin() { begun.append(entry.id) }
      expectEqual(begun, expected)
    }
  }

  func testRepeatedFailureOutOfTurnDoesNotGrowMemory() throws {
    for number in 0..<50 { queue.insert(Edit("\(number)")) }
    var running: [EditQueue.Entry] = []
    while let entry = queue.begin() { running.append(entry) }
    for entry in running { queue.fail(entry.id) }
    let last = try XCTUnwrap(running.last).id
    for _ in 0..<1000 {
      XCTAssertNotNil(queue.begin(last))
      queue.fail(last, attempts: nil)
    }
    XCTAssertLessThanOrEqual(queue.returnedCount, 2 * 50 + 1)
  }

  // MARK: Failures

  func testFailuresOfAKeyAreRequeuedInOrder() throws {
    queue.insert(Edit("a", "1"))
    let first = try begin()
    queue.insert(Edit("a", "2"), policy: .keep)
    queue.fail(first.id, attempts: 1)
    let second = try begin()
    queue.fail(second.id, attempts: 1)
    XCTAssertEqual(queue.failures.map(\.id), [first.id, second.id])
    XCTAssertTrue(queue.requeue(id: first.id))
    XCTAssertTrue(queue.requeue(id: second.id))
    XCTAssertEqual(queue.status(of: second.id), .waitingForKey)
    XCTAssertEqual(waiting, ["a1", "a2"])
  }

  // MARK: Removing

  func testRemoveAllReturnsEveryUnfinishedChange() throws {
    queue.insert(contentsOf: [Edit("a", "1"), Edit("b"), Edit("c"), Edit("d")])
    let a = try begin()
    queue.fail(try begin().id, attempts: 1)
    queue.insert(Edit("a", "2"))
    queue.complete(try begin().id)
    XCTAssertEqual(queue.removeAll().map(\.change.description), ["a1", "a2", "d", "b"])
    XCTAssertTrue(queue.isEmpty)
    XCTAssertEqual(queue.failureCount, 0)
    XCTAssertNil(queue.complete(a.id))
    XCTAssertGreaterThan(queue.insert(Edit("a")).id, a.id)
  }

  // MARK: Values

  func testEqualQueuesHaveEqualEntriesInEqualStates() {
    func made(_ build: (inout EditQueue) -> Void) -> EditQueue {
      var queue = EditQueue()
      queue.insert(contentsOf: [Edit("a"), Edit("b")])
      build(&queue)
      return queue
    }
    checkHashable(equivalenceClasses: [
      [EditQueue()],
      [made { _ in }, made { _ in }],
      [made { _ = $0.begin() }],
      [
        made {
          _ = $0.begin(); $0.cancel("a")
        }
      ],
      [made { $0.fail($0.begin()!.id) }],
      [made { $0.fail($0.begin()!.id, attempts: 1) }],
      [made { $0.complete($0.next!.id) }],
      [made { $0.insert(Edit("b", "2")) }],
    ])
  }

  func testCountsAndDescriptionReportEachState() throws {
    queue.insert(contentsOf: [Edit("a"), Edit("b"), Edit("c")])
    _ = try begin()
    queue.fail(try begin().id, attempts: 1)
    queue.insert(Edit("a", "2"))
    XCTAssertEqual([queue.count, queue.waitingCount, queue.inFlightCount, queue.failureCount], [3, 2, 1, 1])
    XCTAssertEqual(
      String(reflecting: queue),
      "PendingChangeQueue(waiting: [#3 c, #4 a2], inFlight: [#1 a (attempts: 1)], failures: [#2 b (attempts: 1)])")
  }

  func testMirrorShowsTheEntriesByTheirState() throws {
    queue.insert(contentsOf: [Edit("a"), Edit("b"), Edit("c")])
    queue.fail(try begin().id, attempts: 1)
    _ = try begin()
    let children = Mirror(reflecting: queue).children
    XCTAssertEqual(children.map(\.label), ["waiting", "inFlight", "failures"])
    XCTAssertEqual(
      children.map { ($0.value as? [EditQueue.Entry])?.map(\.change.thing) }, [["c"], ["b"], ["a"]])
  }

  func testQueueIsSendableWhenItsChangesAre() {
    func requireSendable(_: some Sendable) {}
    requireSendable(queue)
  }
}
