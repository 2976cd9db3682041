import PendingChanges
import TestSupport
import XCTest

/// What happens to a thing, named by a letter: the key is the thing.
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

extension EditQueue.Policy {
  static var joined: Self { .merge { Edit($0.thing, $0.text + $1.text) } }
}

/// Counts how often it is hashed.
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

  /// What waits, in order.
  var waiting: [String] { queue.waiting.map(\.change.description) }

  func begin(file: StaticString = #filePath, line: UInt = #line) throws -> EditQueue.Entry {
    try XCTUnwrap(queue.begin(), file: file, line: line)
  }

  // MARK: Inserting

  func testChangesOfDifferentKeysRunInOrder() throws {
    queue.insert(contentsOf: [Edit("a"), Edit("b"), Edit("c")])
    for thing in ["a", "b", "c"] {
      XCTAssertEqual(queue.next?.change.thing, thing)
      let entry = try begin()
      XCTAssertEqual(entry.change.thing, thing)
      XCTAssertEqual(queue.complete(entry.id), .done(entry))
    }
    XCTAssertNil(queue.next)
    XCTAssertTrue(queue.isEmpty)
  }

  func testReplaceKeepsThePlaceAndGivesANewGeneration() {
    let old = queue.insert(Edit("a", "1"))
    queue.insert(Edit("b"))
    let new = queue.insert(Edit("a", "2"))
    XCTAssertEqual(waiting, ["a2", "b"])
    XCTAssertEqual(new.outcome, .replaced)
    XCTAssertEqual(new.displaced?.change, Edit("a", "1"))
    XCTAssertLessThan(old.id, new.id)
    XCTAssertEqual(queue.complete(old.id), .late)
    XCTAssertEqual(waiting, ["a2", "b"])
  }

  func testKeepDoesNotAcceptTheNewChange() {
    let old = queue.insert(Edit("a", "1"))
    let new = queue.insert(Edit("a", "2"), policy: .keep)
    XCTAssertEqual(new.id, old.id)
    XCTAssertEqual(new.outcome, .kept)
    XCTAssertNil(new.displaced)
    XCTAssertEqual(waiting, ["a1"])
  }

  func testMoveToEndTakesTheNewChangeToTheEnd() {
    queue.insert(contentsOf: [Edit("a", "1"), Edit("b")])
    let new = queue.insert(Edit("a", "2"), policy: .moveToEnd)
    XCTAssertEqual(new.outcome, .movedToEnd)
    XCTAssertEqual(waiting, ["b", "a2"])
    queue.insert(Edit("a", "3"), policy: .moveToEnd)
    XCTAssertEqual(waiting, ["b", "a3"])
  }

  func testMergeMakesOneOfBothInPlace() {
    queue.insert(contentsOf: [Edit("a", "1"), Edit("b")])
    let new = queue.insert(Edit("a", "2"), policy: .joined)
    XCTAssertEqual(new.outcome, .merged)
    XCTAssertEqual(waiting, ["a12", "b"])
  }

  func testAPolicyHoldsForEachOfManyChanges() {
    queue.insert(Edit("a", "1"))
    queue.insert(contentsOf: [Edit("b", "1"), Edit("a", "2"), Edit("b", "2")], policy: .joined)
    XCTAssertEqual(waiting, ["a12", "b12"])
  }

  func testAWriteAndARemoveOfOneThingBecomeOne() throws {
    queue.insert(contentsOf: [Edit("a", " written"), Edit("b", " written")])
    queue.insert(Edit("a", " removed"))
    XCTAssertEqual(waiting, ["a removed", "b written"])
  }

  func testARemoveThenAWriteKeepTheirOrder() throws {
    queue.insert(Edit("a", " removed"))
    let removal = try begin()
    queue.insert(Edit("a", " written"))
    XCTAssertNil(queue.begin(), "the write must wait until the removal is done")
    queue.complete(removal.id)
    XCTAssertEqual(waiting, ["a written"])
  }

  func testWhatAFollowerLeftBehindDoesNotMakeQueuesUnequal() throws {
    func made(_ policy: EditQueue.Policy) -> EditQueue {
      var queue = EditQueue()
      queue.insert(Edit("a", "1"))
      _ = queue.begin()
      queue.remove(id: queue.insert(Edit("a", "2"), policy: policy).id)
      return queue
    }
    XCTAssertEqual(made(.replace), made(.keep))
  }

  func testWhatAFailureLeftBehindDoesNotMakeQueuesUnequal() throws {
    func made(_ reason: String?) throws -> EditQueue {
      var queue = EditQueue()
      queue.insert(Edit("a"))
      queue.fail(try XCTUnwrap(queue.begin()).id, reason: reason)
      queue.complete(try XCTUnwrap(queue.begin()).id)
      return queue
    }
    XCTAssertEqual(try made("busy"), try made(nil))
  }

  func testAnIdentifiableChangeIsItsOwnKey() {
    struct Command: PendingChange, Identifiable {
      let id: Int
    }
    var queue = PendingChangeQueue<Command>()
    queue.insert(contentsOf: [Command(id: 1), Command(id: 2), Command(id: 1)])
    XCTAssertEqual(queue.waiting.map(\.key), [1, 2])
  }

  func testResultsThatSayTheSameAreEqual() {
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

  func testARoundHashesItsKeyOnce() {
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

  func testAChangeInsertedWhileItsKeyIsInFlightRunsAfterIt() throws {
    queue.insert(Edit("a", "1"))
    let first = try begin()
    let second = queue.insert(Edit("a", "2"))
    XCTAssertEqual(second.outcome, .added)
    XCTAssertEqual(queue.status(of: second.id), .waitingForKey)
    XCTAssertNil(queue.begin())
    XCTAssertNil(queue.begin(second.id))
    XCTAssertEqual(queue.complete(first.id), .done(first))
    XCTAssertEqual(try begin().id, second.id)
  }

  func testTheFollowerJoinsTheEndOfTheLine() throws {
    queue.insert(contentsOf: [Edit("a", "1"), Edit("b")])
    let first = try begin()
    queue.insert(Edit("a", "2"))
    queue.insert(Edit("c"))
    XCTAssertEqual(waiting, ["b", "c", "a2"])
    queue.complete(first.id)
    XCTAssertEqual(waiting, ["b", "c", "a2"])
    XCTAssertEqual(try begin().change.thing, "b")
  }

  func testThePolicyDecidesAmongFollowers() throws {
    queue.insert(Edit("a", "1"))
    let first = try begin()
    queue.insert(Edit("a", "2"))
    XCTAssertEqual(queue.insert(Edit("a", "3"), policy: .keep).outcome, .kept)
    XCTAssertEqual(queue.insert(Edit("a", "4"), policy: .joined).displaced?.change, Edit("a", "2"))
    XCTAssertEqual(queue.insert(Edit("a", "5"), policy: .moveToEnd).displaced?.change, Edit("a", "24"))
    XCTAssertEqual(queue.inFlight, [first])
    XCTAssertEqual(waiting, ["a5"])
  }

  func testCompletingAnOldGenerationNeverDropsANewerOne() throws {
    queue.insert(Edit("a", "1"))
    let first = try begin()
    queue.insert(Edit("a", "2"))
    XCTAssertEqual(queue.complete(first.id), .done(first))
    XCTAssertEqual(queue.complete(first.id), .late)
    XCTAssertEqual(waiting, ["a2"])
    XCTAssertEqual(queue.complete(PendingChangeID(rawValue: 99)), .unknown)
    XCTAssertEqual(queue.complete(PendingChangeID(rawValue: 0)), .unknown)
  }

  func testBeginningOutOfTurn() throws {
    queue.insert(contentsOf: [Edit("a"), Edit("b"), Edit("c")])
    let b = try XCTUnwrap(queue.newest(for: "b"))
    XCTAssertEqual(queue.begin(b.id)?.change.thing, "b")
    XCTAssertNil(queue.begin(b.id))
    XCTAssertEqual(queue.begin()?.change.thing, "a")
    XCTAssertEqual(queue.begin()?.change.thing, "c")
    queue.fail(b.id)
    XCTAssertEqual(queue.next?.id, b.id)
  }

  func testReducerBeginsWhatItsServiceSawWithoutUseForTheEntry() throws {
    queue.insert(Edit("a"))
    let seen = try XCTUnwrap(queue.next)
    queue.begin(seen.id)
    XCTAssertEqual(queue.status(of: seen.id), .inFlight)
  }

  func testAttemptsAreCountedWhenBegun() throws {
    queue.insert(Edit("a"))
    XCTAssertEqual(queue.next?.attempts, 0)
    for attempt in 1...3 {
      let entry = try begin()
      XCTAssertEqual(entry.attempts, attempt)
      queue.fail(entry.id, reason: "busy")
    }
    XCTAssertEqual(queue.next?.attempts, 3)
    XCTAssertEqual(queue.next?.failureReason, "busy")
    queue.insert(Edit("a", "new"))
    XCTAssertEqual(queue.next?.attempts, 0)
  }

  // MARK: Failing

  func testAFailedChangeGoesBackToItsPlace() throws {
    queue.insert(contentsOf: [Edit("a"), Edit("b"), Edit("c"), Edit("d")])
    let a = try begin()
    let b = try begin()
    let c = try begin()
    XCTAssertEqual(queue.fail(b.id), .willRetry(b))
    XCTAssertEqual(waiting, ["b", "d"])
    queue.fail(c.id)
    queue.fail(a.id)
    XCTAssertEqual(waiting, ["a", "b", "c", "d"])
    XCTAssertEqual(try begin().id, a.id)
    XCTAssertEqual(try begin().id, b.id)
  }

  func testAFailedChangeGivesWayToTheOneThatReplacesIt() throws {
    queue.insert(contentsOf: [Edit("a", "1"), Edit("b")])
    let first = try begin()
    let second = queue.insert(Edit("a", "2"))
    XCTAssertEqual(queue.fail(first.id), .superseded(first, by: second.id))
    XCTAssertEqual(waiting, ["a2", "b"])
  }

  func testAFailedChangeStaysBeforeTheOneThatDoesNotReplaceIt() throws {
    for policy in [EditQueue.Policy.keep, .joined] {
      queue = EditQueue()
      queue.insert(contentsOf: [Edit("a", "1"), Edit("b")])
      let first = try begin()
      let second = queue.insert(Edit("a", "2"), policy: policy)
      XCTAssertEqual(queue.fail(first.id), .willRetry(first))
      XCTAssertEqual(queue.status(of: second.id), .waitingForKey)
      XCTAssertEqual(queue.insert(Edit("a", "3"), policy: .joined).displaced?.id, second.id)
      XCTAssertEqual(try begin().attempts, 2)
      queue.complete(first.id)
      XCTAssertEqual(waiting, ["b", "a23"])
    }
  }

  func testAFailureThatSaysNothingElseEndsAfterFiveAttempts() throws {
    queue.insert(Edit("a"))
    var attempts = 0
    while let entry = queue.begin() {
      attempts += 1
      queue.fail(entry.id)
    }
    XCTAssertEqual(attempts, 5)
    XCTAssertEqual(queue.deadLetters.map(\.attempts), [5])
  }

  func testAChangeIsTriedAlwaysOnRequest() throws {
    queue.insert(Edit("a"))
    for _ in 0..<100 { queue.fail(try begin().id, retry: .always) }
    XCTAssertEqual(queue.next?.attempts, 100)
  }

  func testWhatIsGivenBackWasNoAttempt() throws {
    queue.insert(contentsOf: [Edit("a"), Edit("b")])
    queue.fail(try begin().id, reason: "busy")
    let entry = try begin()
    XCTAssertEqual(entry.attempts, 2)
    guard case .willRetry(let back) = queue.giveBack(entry.id) else { return XCTFail("not back") }
    XCTAssertEqual(back.attempts, 1)
    XCTAssertEqual(back.failureReason, "busy")
    XCTAssertEqual(waiting, ["a", "b"])
    XCTAssertEqual(queue.giveBack(entry.id), .late)
    XCTAssertEqual(queue.giveBack(PendingChangeID(rawValue: 9)), .unknown)
  }

  func testWhatIsGivenBackGivesWayToTheOneThatReplacesIt() throws {
    queue.insert(Edit("a", "1"))
    let first = try begin()
    let second = queue.insert(Edit("a", "2"))
    guard case .superseded(let entry, second.id) = queue.giveBack(first.id) else { return XCTFail("still there") }
    XCTAssertEqual(entry.id, first.id)
    XCTAssertEqual(waiting, ["a2"])
    let third = try begin()
    queue.cancel("a")
    guard case .cancelled = queue.giveBack(third.id) else { return XCTFail("still there") }
    XCTAssertTrue(queue.isEmpty)
  }

  func testManyThatFailInAnyOrderComeBackInTheirPlaces() throws {
    withSeeds(20) { random in
      var queue = EditQueue()
      for number in 0..<100 { queue.insert(Edit("\(number)")) }
      var running: [EditQueue.Entry] = []
      while let entry = queue.begin() { running.append(entry) }
      for entry in running.shuffled(using: &random) { queue.fail(entry.id) }
      // Out of turn, so that the heap has some that do not wait any more.
      for entry in running.shuffled(using: &random).prefix(300) {
        expectEqual(queue.begin(entry.id)?.id, entry.id)
        queue.fail(entry.id, retry: .always)
        if random.chance(oneIn: 3) { queue.remove(id: entry.id) }
      }
      let expected = queue.waiting.map(\.id)
      expectEqual(expected, expected.sorted())
      var begun: [PendingChangeID] = []
      while let entry = queue.begin() { begun.append(entry.id) }
      expectEqual(begun, expected)
    }
  }

  func testAChangeThatFailsOutOfTurnForeverNeedsNoMoreRoom() throws {
    for number in 0..<50 { queue.insert(Edit("\(number)")) }
    var running: [EditQueue.Entry] = []
    while let entry = queue.begin() { running.append(entry) }
    for entry in running { queue.fail(entry.id) }
    let last = try XCTUnwrap(running.last).id
    for _ in 0..<1000 {
      XCTAssertNotNil(queue.begin(last))
      queue.fail(last, retry: .always)
    }
    XCTAssertLessThanOrEqual(queue.returnedCount, 2 * 50 + 1)
  }

  func testFailingTwiceIsLate() throws {
    queue.insert(Edit("a"))
    let entry = try begin()
    queue.fail(entry.id)
    XCTAssertEqual(queue.fail(entry.id), .late)
    XCTAssertEqual(queue.next?.attempts, 1)
    XCTAssertEqual(queue.fail(PendingChangeID(rawValue: 5)), .unknown)
  }

  func testALateSuccessAfterAFailureIsASuccess() throws {
    queue.insert(Edit("a"))
    let entry = try begin()
    queue.fail(entry.id)
    XCTAssertEqual(queue.complete(entry.id), .done(entry))
    XCTAssertTrue(queue.isEmpty)
  }

  // MARK: Dead letters

  func testAChangeThatFailsTooOftenBecomesADeadLetter() throws {
    queue.insert(contentsOf: [Edit("a"), Edit("b")])
    for attempt in 1...3 {
      let outcome = queue.fail(try begin().id, retry: .upTo(attempts: 3), reason: "no \(attempt)")
      if case .willRetry = outcome { XCTAssertLessThan(attempt, 3) } else { XCTAssertEqual(attempt, 3) }
    }
    XCTAssertEqual(queue.deadLetters.map(\.failureReason), ["no 3"])
    XCTAssertEqual(queue.deadLetterCount, 1)
    XCTAssertEqual(queue.count, 1)
    XCTAssertEqual(waiting, ["b"])
  }

  func testAPermanentFailureIsADeadLetterAtOnce() throws {
    queue.insert(Edit("a", "1"))
    let entry = try begin()
    queue.insert(Edit("a", "2"), policy: .keep)
    XCTAssertEqual(queue.fail(entry.id, retry: .never), .deadLetter(entry))
    XCTAssertEqual(queue.status(of: entry.id), .deadLetter)
    XCTAssertEqual(queue[entry.id], entry)
    XCTAssertEqual(waiting, ["a2"])
  }

  func testADeadLetterCanBeRequeuedOrRemoved() throws {
    queue.insert(contentsOf: [Edit("a"), Edit("b"), Edit("c")])
    for _ in 0..<2 { queue.fail(try begin().id, retry: .never) }
    let letters = queue.deadLetters
    XCTAssertTrue(queue.requeue(letters[0].id))
    XCTAssertFalse(queue.requeue(letters[0].id))
    XCTAssertEqual(waiting, ["c", "a"])
    XCTAssertEqual(queue[letters[0].id]?.attempts, 0)
    XCTAssertEqual(queue.remove(id: letters[1].id), letters[1])
    XCTAssertNil(queue.remove(id: letters[1].id))
    XCTAssertEqual(queue.deadLetterCount, 0)
  }

  func testADeadLetterIsNotRequeuedBehindANewerChange() throws {
    queue.insert(Edit("a", "1"))
    let old = try begin()
    queue.insert(Edit("a", "2"), policy: .keep)
    queue.fail(old.id, retry: .never)
    XCTAssertFalse(queue.requeue(old.id))
    XCTAssertEqual(queue.deadLetterCount, 1)
    queue.complete(try begin().id)
    XCTAssertTrue(queue.requeue(old.id))
  }

  func testDeadLettersOfAKeyAreRequeuedInOrder() throws {
    queue.insert(Edit("a", "1"))
    let first = try begin()
    queue.insert(Edit("a", "2"), policy: .keep)
    queue.fail(first.id, retry: .never)
    let second = try begin()
    queue.fail(second.id, retry: .never)
    XCTAssertEqual(queue.deadLetters.map(\.id), [first.id, second.id])
    XCTAssertTrue(queue.requeue(first.id))
    XCTAssertTrue(queue.requeue(second.id))
    XCTAssertEqual(queue.status(of: second.id), .waitingForKey)
    XCTAssertEqual(waiting, ["a1", "a2"])
  }

  func testANewChangeThatReplacesTakesTheDeadLetterAway() throws {
    queue.insert(Edit("a", "1"))
    queue.fail(try begin().id, retry: .never)
    XCTAssertEqual(queue.insert(Edit("a", "2"), policy: .keep).displacedDeadLetters, [])
    XCTAssertEqual(queue.deadLetterCount, 1)
    let new = queue.insert(Edit("a", "3"))
    XCTAssertEqual(new.displacedDeadLetters.map(\.change), [Edit("a", "1")])
    XCTAssertEqual(queue.deadLetterCount, 0)
    XCTAssertEqual(waiting, ["a3"])
  }

  // MARK: Taking out

  func testCancelWithdrawsWhatWaits() {
    queue.insert(contentsOf: [Edit("a"), Edit("b"), Edit("c")])
    XCTAssertEqual(queue.cancel("b").map(\.change.thing), ["b"])
    XCTAssertEqual(queue.cancel("b"), [])
    XCTAssertEqual(queue.cancel("a").count, 1)
    XCTAssertEqual(waiting, ["c"])
    XCTAssertEqual(queue.next?.change.thing, "c")
  }

  func testACancelledChangeInFlightIsNotTriedAgain() throws {
    queue.insert(Edit("a", "1"))
    let first = try begin()
    queue.insert(Edit("a", "2"))
    XCTAssertEqual(queue.cancel("a").map(\.change.text), ["1", "2"])
    XCTAssertEqual(queue.status(of: first.id), .inFlightCancelled)
    XCTAssertEqual(queue.inFlightCount, 1)
    queue.insert(Edit("a", "3"))
    XCTAssertNil(queue.next, "two changes of a key must not run at the same time")
    XCTAssertEqual(queue.fail(first.id), .cancelled(first))
    XCTAssertEqual(waiting, ["a3"])
  }

  func testACancelledChangeMayStillSucceed() throws {
    queue.insert(Edit("a"))
    let entry = try begin()
    queue.cancel("a")
    XCTAssertEqual(queue.complete(entry.id), .done(entry))
    XCTAssertTrue(queue.isEmpty)
  }

  func testRemoveByGenerationTakesOutThatOneAlone() throws {
    queue.insert(Edit("a", "1"))
    let first = try begin()
    let second = queue.insert(Edit("a", "2"))
    XCTAssertEqual(queue.remove(id: second.id)?.change.text, "2")
    XCTAssertNil(queue.remove(id: second.id))
    XCTAssertEqual(queue.remove(id: first.id), first)
    XCTAssertTrue(queue.isEmpty)
  }

  func testDrainReturnsEverythingThatIsNotDone() throws {
    queue.insert(contentsOf: [Edit("a", "1"), Edit("b"), Edit("c"), Edit("d")])
    let a = try begin()
    queue.fail(try begin().id, retry: .never)
    queue.insert(Edit("a", "2"))
    queue.complete(try begin().id)
    XCTAssertEqual(queue.drain().map(\.change.description), ["a1", "a2", "d", "b"])
    XCTAssertTrue(queue.isEmpty)
    XCTAssertEqual(queue.deadLetterCount, 0)
    XCTAssertEqual(queue.complete(a.id), .late)
    XCTAssertGreaterThan(queue.insert(Edit("a")).id, a.id)
  }

  // MARK: Values

  func testCopiesAreIndependent() throws {
    queue.insert(contentsOf: [Edit("a"), Edit("b")])
    let copy = queue
    let entry = try begin()
    queue.fail(entry.id)
    queue.insert(Edit("c"))
    XCTAssertEqual(copy.waiting.map(\.change.thing), ["a", "b"])
    XCTAssertEqual(copy.waiting.map(\.attempts), [0, 0])
  }

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
      [made { $0.fail($0.begin()!.id, retry: .never) }],
      [made { $0.complete($0.next!.id) }],
      [made { $0.insert(Edit("b", "2")) }],
    ])
  }

  func testCountsTellWhatIsWhere() throws {
    queue.insert(contentsOf: [Edit("a"), Edit("b"), Edit("c")])
    _ = try begin()
    queue.fail(try begin().id, retry: .never)
    queue.insert(Edit("a", "2"))
    XCTAssertEqual([queue.count, queue.waitingCount, queue.inFlightCount, queue.deadLetterCount], [3, 2, 1, 1])
    XCTAssertEqual(
      String(reflecting: queue),
      "PendingChangeQueue(waiting: [#3 c, #4 a2], inFlight: [#1 a (attempts: 1)], deadLetters: [#2 b (attempts: 1)])")
  }

  func testAQueueWithDeadLettersAloneIsIdleAndNotEmpty() throws {
    XCTAssertTrue(queue.isIdle && queue.isEmpty)
    queue.insert(Edit("a"))
    XCTAssertFalse(queue.isIdle || queue.isEmpty)
    let id = try begin().id
    XCTAssertFalse(queue.isIdle || queue.isEmpty)
    queue.fail(id, retry: .never)
    XCTAssertTrue(queue.isIdle)
    XCTAssertFalse(queue.isEmpty)
    queue.remove(id: id)
    XCTAssertTrue(queue.isIdle && queue.isEmpty)
  }

  func testTheMirrorShowsTheEntriesByTheirState() throws {
    queue.insert(contentsOf: [Edit("a"), Edit("b"), Edit("c")])
    queue.fail(try begin().id, retry: .never)
    _ = try begin()
    let children = Mirror(reflecting: queue).children
    XCTAssertEqual(children.map(\.label), ["waiting", "inFlight", "deadLetters"])
    XCTAssertEqual(
      children.map { ($0.value as? [EditQueue.Entry])?.map(\.change.thing) }, [["c"], ["b"], ["a"]])
  }

  func testAQueueIsSendableWhenItsChangesAre() {
    func requireSendable(_: some Sendable) {}
    requireSendable(queue)
  }
}
