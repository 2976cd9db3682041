import TestSupport
import XCTest

final class ManualClockTests: XCTestCase {
  func testSleepersWakeInTheOrderOfTheirDeadlines() async throws {
    let clock = ManualClock()
    let (woken, continuation) = AsyncStream<Int>.makeStream()
    for seconds in [3, 1, 2] {
      Task {
        try await clock.sleep(for: .seconds(seconds))
        continuation.yield(seconds)
      }
    }
    await clock.waitForSleepers(3)
    var order: [Int] = []
    var iterator = woken.makeAsyncIterator()
    for _ in 0..<3 {
      XCTAssertEqual(clock.advanceToNextDeadline(), .seconds(1))
      if let next = await iterator.next() { order.append(next) }
    }
    XCTAssertEqual(order, [1, 2, 3])
    XCTAssertNil(clock.advanceToNextDeadline())
    XCTAssertEqual(clock.now.offset, .seconds(3))
  }

  func testSleeperDoesNotWakeBeforeItsDeadline() async {
    let clock = ManualClock()
    let task = Task { try await clock.sleep(for: .seconds(2)) }
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    XCTAssertEqual(clock.sleeperCount, 1)
    clock.advance(by: .seconds(1))
    _ = await task.result
    XCTAssertEqual(clock.sleeperCount, 0)
  }

  func testPastDeadlineDoesNotSleep() async throws {
    let clock = ManualClock()
    try await clock.sleep(until: clock.now)
    XCTAssertEqual(clock.sleeperCount, 0)
  }

  func testCancelledSleeperThrows() async {
    let clock = ManualClock()
    let sleeping = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.waitForSleepers(1)
    sleeping.cancel()
    await assertCancelled(sleeping)

    let gate = Gate()
    let cancelledBefore = Task {
      await gate.pass()
      try await clock.sleep(for: .seconds(1))
    }
    cancelledBefore.cancel()
    gate.open()
    await assertCancelled(cancelledBefore)
    XCTAssertEqual(clock.sleeperCount, 0)
  }

  private func assertCancelled(_ task: Task<Void, any Error>, line: UInt = #line) async {
    do {
      try await task.value
      XCTFail("the sleeper was not cancelled", line: line)
    } catch {
      XCTAssertTrue(error is CancellationError, line: line)
    }
  }
}
