import Foundation
import PendingChanges
import TestSupport
import XCTest

/// That a lease cannot be used twice is what the refused example of its documentation is for.
final class PendingChangeQueueLeaseTests: XCTestCase {
  var queue = EditQueue()

  func testALeaseBeginsTheNextChange() {
    queue.insert(contentsOf: [Edit("a"), Edit("b")])
    guard let lease = queue.lease() else { return XCTFail("nothing to begin") }
    XCTAssertEqual(lease.change, Edit("a"))
    XCTAssertEqual(lease.entry.attempts, 1)
    XCTAssertEqual(queue.status(of: lease.id), .inFlight)
    let entry = lease.entry
    let completion = queue.complete(lease)
    XCTAssertEqual(completion, .done(entry))
    XCTAssertEqual(queue.waiting.map(\.change), [Edit("b")])
  }

  func testThereIsNoLeaseWhereNothingIsReady() {
    XCTAssertTrue(queue.lease() == nil)
    let id = queue.insert(Edit("a", "1")).id
    _ = queue.begin()
    let follower = queue.insert(Edit("a", "2")).id
    XCTAssertTrue(queue.lease() == nil)
    XCTAssertTrue(queue.lease(id) == nil)
    XCTAssertTrue(queue.lease(follower) == nil)
  }

  func testALeaseOutOfTurn() {
    queue.insert(contentsOf: [Edit("a"), Edit("b")])
    guard let lease = queue.lease(queue.newest(for: "b")!.id) else { return XCTFail("b is waiting") }
    XCTAssertEqual(lease.change, Edit("b"))
    queue.complete(lease)
    XCTAssertEqual(queue.waiting.map(\.change), [Edit("a")])
  }

  func testAFailedLeaseIsBackInItsPlace() {
    queue.insert(contentsOf: [Edit("a"), Edit("b")])
    guard let lease = queue.lease() else { return XCTFail("nothing to begin") }
    guard case .willRetry(let entry) = queue.fail(lease, reason: "busy") else { return XCTFail("not tried again") }
    XCTAssertEqual(entry.failureReason, "busy")
    XCTAssertEqual(queue.next, entry)
    guard let again = queue.lease() else { return XCTFail("nothing to begin") }
    let failure = queue.fail(again, retry: .never)
    XCTAssertEqual(failure.deadLetter?.attempts, 2)
  }

  func testALeaseThatIsGivenBackWasNoAttempt() {
    queue.insert(contentsOf: [Edit("a"), Edit("b")])
    guard let lease = queue.lease() else { return XCTFail("nothing to begin") }
    guard case .willRetry(let entry) = queue.giveBack(lease) else { return XCTFail("not back") }
    XCTAssertEqual(entry.attempts, 0)
    XCTAssertNil(entry.failureReason)
    XCTAssertEqual(queue.waiting.map(\.change), [Edit("a"), Edit("b")])
  }

  func testALeaseEndsLateWhereTheQueueWasDrained() {
    queue.insert(Edit("a"))
    guard let lease = queue.lease() else { return XCTFail("nothing to begin") }
    XCTAssertEqual(queue.drain().map(\.id), [lease.id])
    let completion = queue.complete(lease)
    XCTAssertEqual(completion, .late)
  }

  func testADroppedLeaseLeavesItsChangeInFlight() throws {
    queue.insert(Edit("a"))
    do { _ = queue.lease() }
    XCTAssertEqual(queue.inFlight.map(\.change), [Edit("a")])
    XCTAssertNil(queue.next)
    var restored = try JSONDecoder().decode(EditQueue.self, from: try JSONEncoder().encode(queue))
    XCTAssertEqual(restored.next?.attempts, 1)
    XCTAssertTrue(restored.lease() != nil)
    queue.giveBack(queue.inFlight[0].id)
    XCTAssertEqual(queue.next?.attempts, 0)
  }

  func testALeaseKeepsItsChangeAliveAndNoLonger() {
    struct Tracked: PendingChange {
      var thing: LifetimeTracked<Int>
      var key: Int { thing.payload }
    }
    withLifetimeTracking { tracker in
      var queue = PendingChangeQueue<Tracked>()
      for number in 0..<40 { queue.insert(Tracked(thing: tracker.instance(number))) }
      for turn in 0..<20 {
        guard let lease = queue.lease() else { return fail("nothing to begin") }
        queue.insert(Tracked(thing: tracker.instance(turn)))
        switch turn % 4 {
        case 0: queue.complete(lease)
        case 1: queue.fail(lease, retry: .never)
        case 2: queue.giveBack(lease)
        default: break
        }
      }
      expectEqual(queue.drain().isEmpty, false)
    }
  }
}

extension EditQueue.Failure {
  fileprivate var deadLetter: EditQueue.Entry? {
    if case .deadLetter(let entry) = self { entry } else { nil }
  }
}
