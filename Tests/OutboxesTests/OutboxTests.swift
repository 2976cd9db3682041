import Foundation
import Journals
import Outboxes
import PendingChanges
import TestSupport
import XCTest

/// The order and the time in which an outbox sends changes, and how it is paused, drained and closed.
final class OutboxTests: XCTestCase {
  private typealias Box = Outbox<Joined>

  func testInsertedChangeIsInTheJournalBeforeItIsSent() async throws {
    let folder = try TemporaryFolder()
    let server = Server<Joined>()
    let outbox = try await Box.open(in: folder, to: server, isPaused: true)
    let id = try await outbox.insert(Joined(1, 7))
    let contents = try JournalContents<_OutboxRecord>(Array(Data(contentsOf: folder.file("outbox"))))
    guard case .change(let found, nil, let bytes)? = contents.records.last?.body else { return XCTFail("no record") }
    XCTAssertEqual(found.text, id)
    XCTAssertEqual(try JSONDecoder().decode(Joined.self, from: bytes.change), Joined(1, 7))
    expectEqual(await server.received.count, 0)
  }

  func testWaitingChangesMergeButNotWithOneInFlight() async throws {
    let folder = try TemporaryFolder()
    let (server, gate) = (Server<Joined>(), Gate())
    await server.answers { _ in
      await gate.pass()
      return .done
    }
    let outbox = try await Box.open(in: folder, to: server)
    for value in 1...4 { try await outbox.insert(Joined(1, value)) }
    expectEqual(await outbox.pending.map(\.change.values), [[1], [2, 3, 4]])
    gate.open()
    try await outbox.drain()
    expectEqual(await server.values, [[1], [2, 3, 4]])
  }

  func testOneChangePerKeyIsSentAtATimeWithinTheParallelLimit() async throws {
    let folder = try TemporaryFolder()
    let (server, gate) = (Server<Joined>(), Gate())
    await server.answers { _ in
      await gate.pass()
      return .done
    }
    let outbox = try await Box.open(in: folder, to: server, isPaused: true) { $0.parallelKeys = 3 }
    for key in 0..<10 { try await outbox.insert(Joined(key, key)) }
    await outbox.resume()
    await server.waitForRequests(3)
    for key in 0..<10 { try await outbox.insert(Joined(key, 10 + key)) }
    gate.open()
    try await outbox.drain()
    let (received, most) = (await server.received, await server.mostAtATime)
    XCTAssertEqual(most, 3)
    for key in 0..<10 {
      XCTAssertEqual(received.filter { $0.change.key == key }.flatMap(\.change.values), [key, 10 + key])
    }
    XCTAssertEqual(Set(received.map(\.id)).count, received.count)
  }

  /// A `send` function that blocks must not delay the outbox or other keys.
  func testSendFunctionRunsOutsideTheActor() async throws {
    try XCTSkipIf(ProcessInfo.processInfo.activeProcessorCount < 2, "two threads are needed")
    let folder = try TemporaryFolder()
    let meeting = Meeting(of: 2)
    @Sendable func send(_ entry: Box.Entry) throws -> Box.Answer { meeting.isHeld() ? .done : .refused("alone") }
    let outbox = try await Box(journal: folder.file("outbox"), send: send)
    for key in 0..<2 { try await outbox.insert(Joined(key, key)) }
    try await outbox.drain()
    let failures = await outbox.failures
    XCTAssertTrue(failures.isEmpty, "\(failures)")
    await outbox.close()
  }

  func testFailedAttemptIsRetriedAfterAGrowingDelay() async throws {
    let folder = try TemporaryFolder()
    let (server, clock) = (Server<Joined>(), ManualClock())
    await server.answers { entry in
      if entry.attempts < 4 { throw Server<Joined>.Away() }
      return .done
    }
    let outbox = try await Box.open(in: folder, to: server, clock: clock) { $0.backoff.longestDelay = .seconds(3) }
    try await outbox.insert(Joined(1, 1))
    for (count, range) in [(1, 0.5...1), (2, 1...2), (3, 1.5...3)] {
      await server.waitForRequests(count)
      await clock.waitForSleepers(1)
      let delay = try XCTUnwrap(clock.advanceToNextDeadline()) / .seconds(1)
      XCTAssertTrue(range.contains(delay), "\(delay) after \(count)")
    }
    try await outbox.drain()
    let received = await server.received
    XCTAssertEqual(received.map(\.attempts), [1, 2, 3, 4])
    XCTAssertEqual(Set(received.map(\.id)).count, 1)
    XCTAssertEqual(received.map(\.failureReason), [nil, "Away()", "Away()", "Away()"])
  }

  func testChangeWaitingForARetryIsNotMerged() async throws {
    let folder = try TemporaryFolder()
    let server = Server<Joined>()
    await server.answers { _ in throw Server<Joined>.Away() }
    let outbox = try await Box.open(in: folder, to: server)
    try await outbox.insert(Joined(1, 1))
    await outbox.state { $0.failure != nil && $0.sendingCount == 0 }
    try await outbox.insert(Joined(1, 2))
    await server.answers { _ in .done }
    try await outbox.drain()
    expectEqual(await server.values, [[1], [1], [2]])
  }

  func testRetryWaitsAsLongAsTheServerAsks() async throws {
    let folder = try TemporaryFolder()
    let (server, clock) = (Server<Joined>(), ManualClock())
    await server.answers { $0.attempts == 1 ? .retry(after: .seconds(30)) : .done }
    let outbox = try await Box.open(in: folder, to: server, clock: clock)
    try await outbox.insert(Joined(1, 1))
    await clock.waitForSleepers(1)
    await outbox.resume()
    let state = await outbox.state { _ in true }
    guard case .waiting? = state?.activity else { return XCTFail("\(String(describing: state))") }
    XCTAssertEqual(clock.advanceToNextDeadline(), .seconds(30))
    try await outbox.drain()
    expectEqual(await server.received.count, 2)
  }

  func testExtremeDelaysAndTimeLimitsDoNotTrap() async throws {
    let long = [Duration.seconds(Int64.max), .seconds(Int64.max) * 16]
    for delay in long + long.map({ .zero - $0 }) {
      let folder = try TemporaryFolder()
      let server = Server<Joined>()
      await server.answers { $0.attempts == 1 ? .retry(after: delay) : .done }
      let outbox = try await Box.open(in: folder, to: server, clock: ContinuousClock())
      try await outbox.insert(Joined(1, 1))
      await outbox.state { $0.failure != nil || $0.sentCount == 1 }
      if delay > .zero {
        expectEqual(await outboxError { try await outbox.drain(within: .zero - delay) }?.reason, .notDrained)
      } else {
        try await outbox.drain(within: .zero - delay)
      }
      await outbox.close()
    }
  }

  /// A time limit in a task group throws this error although the outbox hasn't canceled the attempt.
  func testCancellationErrorOfAnAttemptThatWasNotCancelledIsAFailure() async throws {
    let folder = try TemporaryFolder()
    let (server, clock) = (Server<Joined>(), ManualClock())
    await server.answers { _ in throw CancellationError() }
    let outbox = try await Box.open(in: folder, to: server, clock: clock) { $0.backoff.attempts = 3 }
    try await outbox.insert(Joined(1, 1))
    for count in 1...2 {
      await server.waitForRequests(count)
      guard await clock.waitForSleepers(1) else { return await outbox.close() }
      clock.advanceToNextDeadline()
    }
    let state = await outbox.state { $0.failureCount == 1 || $0.sendingCount == 0 && $0.failure == nil }
    XCTAssertEqual(state?.failure, "CancellationError()")
    let letters = await outbox.failures
    XCTAssertEqual(letters.map(\.attempts), [3])
    XCTAssertEqual(letters.map(\.failureReason), ["CancellationError()"])
    expectEqual(await server.received.map(\.attempts), [1, 2, 3])
    await outbox.close()
  }

  func testAttemptThatClosingCancelsDoesNotCount() async throws {
    let folder = try TemporaryFolder()
    let server = Server<Joined>()
    await server.answers { _ in
      try await ManualClock().sleep(for: .seconds(1))
      return .done
    }
    let outbox = try await Box.open(in: folder, to: server) { $0.backoff.attempts = 1 }
    try await outbox.insert(Joined(1, 1))
    await server.waitForRequests(1)
    await outbox.close()
    await server.answers { _ in .done }
    let next = try await Box.open(in: folder, to: server) { $0.backoff.attempts = 1 }
    try await next.drain()
    let received = await server.received
    XCTAssertEqual(received.map(\.attempts), [1, 1])
    XCTAssertEqual(received.map(\.failureReason), [nil, nil])
    await next.close()
  }

  func testImmediateRetryRequestWaitsForTheBackoff() async throws {
    for delay in [Duration.zero, .seconds(-5), .milliseconds(1)] {
      let folder = try TemporaryFolder()
      let (server, clock) = (Server<Joined>(), ManualClock())
      await server.answers { $0.attempts < 4 ? .retry(after: delay) : .done }
      let outbox = try await Box.open(in: folder, to: server, clock: clock)
      try await outbox.insert(Joined(1, 1))
      for (count, range) in [(1, 0.5...1), (2, 1...2)] {
        await server.waitForRequests(count)
        guard await clock.waitForSleepers(1) else { return await outbox.close() }
        let waited = try XCTUnwrap(clock.advanceToNextDeadline()) / .seconds(1)
        XCTAssertTrue(range.contains(waited), "\(waited) after \(count)")
      }
      // The server asked for at most a millisecond.
      await server.waitForRequests(3)
      await clock.waitForSleepers(1)
      clock.advance(by: .milliseconds(1))
      await outbox.resume()
      try await outbox.drain()
      expectEqual(await server.received.count, 4)
      await outbox.close()
    }
  }

  func testEveryBackoffHasADelay() {
    var random = SeededRandom(seed: 1)
    for delay in [Duration.zero, .seconds(-1), .nanoseconds(1)] {
      let backoff = Backoff(firstDelay: delay, longestDelay: delay)
      for (count, milliseconds) in [(1, 0.5...1), (2, 1...2), (100, 5...10), (.max, 5...10)] {
        let delay = backoff.delay(afterFailures: count, using: &random) / .milliseconds(1)
        XCTAssertTrue(milliseconds.contains(delay), "\(delay) after \(count)")
      }
    }
  }

  func testPausedOutboxSendsNothing() async throws {
    let folder = try TemporaryFolder()
    let server = Server<Joined>()
    let outbox = try await Box.open(in: folder, to: server, isPaused: true)
    try await outbox.insert(Joined(1, 1))
    let state = await outbox.state { _ in true }
    XCTAssertEqual(state?.activity, .paused)
    XCTAssertEqual(state?.pendingCount, 1)
    expectEqual(await server.received.count, 0)
    await outbox.resume()
    try await outbox.drain()
    expectEqual(await server.received.count, 1)
  }

  func testSendFunctionCanCallTheOutbox() async throws {
    let folder = try TemporaryFolder()
    let server = Server<Joined>()
    let outbox = try await Box.open(in: folder, to: server)
    await server.answers { entry in
      if entry.change.values[0] < 5 { try await outbox.insert(Joined(1, entry.change.values[0] + 1)) }
      return .done
    }
    try await outbox.insert(Joined(1, 1))
    await server.waitForRequests(5)
    try await outbox.drain()
    expectEqual(await server.values, [[1], [2], [3], [4], [5]])
  }

  func testConcurrentInsertionsLoseNothing() async throws {
    let folder = try TemporaryFolder()
    let server = Server<Joined>()
    let outbox = try await Box.open(in: folder, to: server) { $0.journalByteLimit = 2000 }
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<64 {
        group.addTask {
          for value in 0..<20 { _ = try? await outbox.insert(Joined(task % 40, 100 * task + value)) }
        }
      }
    }
    try await outbox.drain()
    let received = await server.received
    XCTAssertEqual(received.flatMap(\.change.values).sorted(), (0..<64).flatMap { t in (0..<20).map { 100 * t + $0 } })
    for key in 0..<40 {
      let values = received.filter { $0.change.key == key }.flatMap(\.change.values)
      for task in [key, key + 40] {
        let ofTask = values.filter { $0 / 100 == task }
        XCTAssertEqual(ofTask, ofTask.sorted())
      }
    }
  }

  // MARK: Draining and closing

  func testDrainThrowsWhenItsTimeLimitExpires() async throws {
    let folder = try TemporaryFolder()
    let (server, clock) = (Server<Joined>(), ManualClock())
    let outbox = try await Box.open(in: folder, to: server, clock: clock, isPaused: true)
    try await outbox.insert(Joined(1, 1))
    let draining = Task { try await outbox.drain(within: .seconds(10)) }
    await clock.waitForSleepers(1)
    XCTAssertEqual(clock.advanceToNextDeadline(), .seconds(10))
    let error = await outboxError { try await draining.value }
    XCTAssertEqual(error?.reason, .notDrained)
    XCTAssertEqual(error?.path, folder.file("outbox").path)
    await outbox.resume()
    try await outbox.drain(within: .seconds(10))
  }

  func testCancelledDrainLeavesTheOutboxRunning() async throws {
    let folder = try TemporaryFolder()
    let server = Server<Joined>()
    let outbox = try await Box.open(in: folder, to: server, isPaused: true)
    try await outbox.insert(Joined(1, 1))
    let draining = Task { try await outbox.drain() }
    draining.cancel()
    expectEqual(await outboxError { try await draining.value }?.reason, .cancelled)
    await outbox.resume()
    try await outbox.drain()
    expectEqual(await server.received.count, 1)
  }

  func testCloseWithALimitDoesNotWaitForAnUncancellableSend() async throws {
    let folder = try TemporaryFolder()
    let (server, gate) = (Server<Joined>(), Gate())
    await server.answers { _ in
      await gate.pass()
      return .done
    }
    let outbox = try await Box.open(in: folder, to: server)
    try await outbox.insert(Joined(1, 1))
    await server.waitForRequests(1)
    await outbox.close(within: .zero)
    expectEqual(await outboxError { try await outbox.insert(Joined(1, 2)) }?.reason, .closed)
    expectEqual(await outboxError { _ = try await Box.open(in: folder, to: server) }?.reason, .inUse)
    gate.open()
    await outbox.close()
    let other = try await Box.open(in: folder, to: server)
    try await other.drain()
    await other.close(within: .seconds(100))
  }

  func testCloseCancelsAttemptsAndReleasesTheJournal() async throws {
    let folder = try TemporaryFolder()
    let server = Server<Joined>()
    await server.answers { _ in
      try await ManualClock().sleep(for: .seconds(1))
      return .done
    }
    let outbox = try await Box.open(in: folder, to: server)
    try await outbox.insert(Joined(1, 1))
    await server.waitForRequests(1)
    let draining = Task { try await outbox.drain() }
    let states = await outbox.states()
    await outbox.state { $0.sendingCount == 1 }
    await outbox.close()
    expectEqual(await outboxError { try await draining.value }?.reason, .closed)
    expectEqual(await outboxError { try await outbox.insert(Joined(1, 2)) }?.reason, .closed)
    for await _ in states {}
    await outbox.close()

    await server.answers { _ in .done }
    let other = try await Box.open(in: folder, to: server)
    try await other.drain()
    let received = await server.received
    XCTAssertEqual(received.map(\.change.values), [[1], [1]])
    XCTAssertEqual(Set(received.map(\.id)).count, 1)
    await other.close()
    XCTAssertEqual(folder.names, [])
  }

  func testUnreferencedOutboxReleasesTheJournalDuringABackoff() async throws {
    let folder = try TemporaryFolder()
    let (server, clock) = (Server<Joined>(), ManualClock())
    await server.answers { _ in throw Server<Joined>.Away() }
    func leave() async throws {
      let outbox = try await Box.open(in: folder, to: server, clock: clock)
      try await outbox.insert(Joined(1, 1))
      await outbox.state { $0.failure != nil && $0.sendingCount == 0 }
    }
    try await leave()
    await server.answers { _ in .done }
    // The last task of the first outbox may not have ended yet.
    var other: Box?
    while other == nil {
      other = try? await Box.open(in: folder, to: server)
      await Task.yield()
    }
    try await other?.drain()
    expectEqual(await server.values, [[1], [1]])
  }

  func testStatesReportARetryASuccessAndAFailure() async throws {
    let folder = try TemporaryFolder()
    let (server, clock) = (Server<Joined>(), ManualClock())
    await server.answers { entry in
      if entry.change.key == 2 { return .refused("no") }
      if entry.attempts == 1 { throw Server<Joined>.Away() }
      return .done
    }
    let outbox = try await Box.open(in: folder, to: server, clock: clock)
    let first = await outbox.state { _ in true }
    XCTAssertEqual(first?.activity, .idle)
    XCTAssertEqual(first?.pendingCount, 0)
    try await outbox.insert(Joined(1, 1))
    let waiting = await outbox.state { $0.failure != nil && $0.sendingCount == 0 }
    guard case .waiting(let date)? = waiting?.activity else { return XCTFail("\(String(describing: waiting))") }
    XCTAssertTrue((-1...1.1).contains(date.timeIntervalSinceNow), "\(date)")
    XCTAssertEqual(waiting?.failure, "Away()")
    await clock.waitForSleepers(1)
    clock.advanceToNextDeadline()
    expect(await outbox.state { $0.sentCount == 1 }?.failure == nil)
    try await outbox.insert(Joined(2, 2))
    let last = await outbox.state { $0.failureCount == 1 }
    XCTAssertEqual(last?.activity, .idle)
    XCTAssertEqual(last?.pendingCount, 0)
    XCTAssertEqual(last?.failure, "no")
  }
}

/// A barrier: threads wait until the given number has arrived, or until a time limit.
private final class Meeting: @unchecked Sendable {
  private let condition = NSCondition()
  private var missingCount: Int

  init(of count: Int) { missingCount = count }

  func isHeld() -> Bool {
    condition.lock()
    defer { condition.unlock() }
    missingCount -= 1
    condition.broadcast()
    let end = Date(timeIntervalSinceNow: 10)
    while missingCount > 0, condition.wait(until: end) {}
    return missingCount <= 0
  }
}
