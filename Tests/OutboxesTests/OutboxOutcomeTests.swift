import Foundation
import Journals
import Outboxes
import PendingChanges
import TestSupport
import XCTest

/// The outcome of one change, attempts that take too long, and calls that `send` makes.
final class OutboxOutcomeTests: XCTestCase {
  private typealias Box = Outbox<Joined>

  // MARK: Outcomes

  func testOutcomeOfASentAndARefusedChange() async throws {
    let folder = try TemporaryFolder()
    let (server, gate) = (Server<Joined>(), Gate())
    await server.answers { entry in
      await gate.pass()
      return entry.change.key == 1 ? .done : .refused("no")
    }
    let outbox = try await Box.open(in: folder, to: server)
    let ids = [try await outbox.insert(Joined(1, 1)), try await outbox.insert(Joined(2, 2))]
    let outcomes = ids.map { id in Task { try await outbox.outcome(of: id) } }
    gate.open()
    let early = [try await outcomes[0].value, try await outcomes[1].value]
    XCTAssertEqual(early, [.sent, .failed(reason: "no")])
    // It is known afterwards, too.
    let late = [try await outbox.outcome(of: ids[0]), try await outbox.outcome(of: ids[1])]
    XCTAssertEqual(late, early)
    for id in ["", "x", "0000000000000001-1"] { expect(try await outbox.outcome(of: id) == nil) }
    // A failure that is tried again has another outcome.
    await server.answers { _ in .done }
    await outbox.requeue(id: ids[1])
    let again = try await outbox.outcome(of: ids[1])
    XCTAssertEqual(again, .sent)
    await outbox.close()
    let closed = try await outbox.outcome(of: ids[0])
    XCTAssertEqual(closed, .sent)
  }

  func testOutcomeOfAReplacedAndOfARemovedChange() async throws {
    let folder = try TemporaryFolder()
    let server = Server<Newest>()
    let outbox = try await Outbox<Newest>.open(in: folder, to: server, isPaused: true)
    let first = try await outbox.insert(Newest(1, 1))
    let second = try await outbox.insert(Newest(1, 2))
    let replaced = try await outbox.outcome(of: first)
    XCTAssertEqual(replaced, .replaced(by: second))
    await outbox.remove(id: second)
    let removed = try await outbox.outcome(of: second)
    XCTAssertEqual(removed, .removed)
    await outbox.close()
  }

  func testWaitingForAnOutcomeEndsWithTheTaskAndTheOutbox() async throws {
    let folder = try TemporaryFolder()
    let outbox = try await Box.open(in: folder, to: Server(), isPaused: true)
    let id = try await outbox.insert(Joined(1, 1))
    let cancelled = Task { try await outbox.outcome(of: id) }
    cancelled.cancel()
    expectEqual(await outboxError { _ = try await cancelled.value }?.reason, .cancelled)
    let waiting = Task { try await outbox.outcome(of: id) }
    let draining = Task { try await outbox.drain() }
    await outbox.close()
    expectEqual(await outboxError { _ = try await waiting.value }?.reason, .closed)
    expectEqual(await outboxError { try await draining.value }?.reason, .closed)
    expectEqual(await outboxError { _ = try await outbox.outcome(of: id) }?.reason, .closed)
  }

  func testOnlyTheLastOutcomesAreKept() throws {
    var steps = try Steps<Joined>(parallelKeys: 1)
    var ids: [String] = []
    for value in 0..<1001 {
      try steps.accept(Joined(value, value))
      ids.append(try XCTUnwrap(steps.machine.pending.first?.id))
      steps.answer(.answered(.done))
      while steps.isWriting { steps.record() }
    }
    for (id, outcome) in [(ids[0], nil), (ids[1], .sent)] as [(String, Outbox<Joined>.Outcome?)] {
      guard case .acknowledge(_, .outcome(let found))? = steps.machine.outcome(of: id, ticket: 1).first else {
        return XCTFail("the call waits")
      }
      XCTAssertEqual(found, outcome)
    }
  }

  // MARK: Time limits

  func testAttemptThatTakesTooLongFailsAndItsAnswerIsIgnored() async throws {
    let folder = try TemporaryFolder()
    let (clock, gate) = (ManualClock(), Gate())
    let outbox = try await Outbox<Joined>(
      journal: folder.file("outbox"), configuration: .init(sendTimeout: .seconds(30)), coding: .json(), clock: clock,
      random: SeededRandom(seed: 1)
    ) { entry in
      // The first attempt ignores its cancellation.
      if entry.attempts == 1 { await gate.pass() }
      return entry.attempts == 1 ? .refused("too late") : .done
    }
    let id = try await outbox.insert(Joined(1, 1))
    await clock.waitForSleepers(1)
    XCTAssertEqual(clock.advanceToNextDeadline(), .seconds(30))
    let state = await outbox.state { $0.failure != nil }
    XCTAssertEqual(state?.failure, "no answer within 30.0 seconds")
    await outbox.resume()
    let outcome = try await outbox.outcome(of: id)
    XCTAssertEqual(outcome, .sent)
    gate.open()
    await outbox.close()
    XCTAssertEqual(folder.names, [])
  }

  func testTimeLimitCancelsTheAttempt() async throws {
    let folder = try TemporaryFolder()
    let server = Server<Joined>()
    await server.answers { entry in
      if entry.attempts == 1 { try await ManualClock().sleep(for: .seconds(1)) }
      return .done
    }
    let outbox = try await Box.open(in: folder, to: server, clock: ContinuousClock()) {
      $0.sendTimeout = .milliseconds(20)
      $0.backoff = Backoff(firstDelay: .milliseconds(1))
    }
    try await outbox.insert(Joined(1, 1))
    try await outbox.drain()
    expectEqual(await server.received.map(\.attempts), [1, 2])
    await outbox.close()
  }

  func testClosingWaitsNoLongerThanTheTimeLimit() async throws {
    let folder = try TemporaryFolder()
    let (server, clock, gate) = (Server<Joined>(), ManualClock(), Gate())
    await server.answers { _ in
      await gate.pass()
      return .done
    }
    let outbox = try await Box.open(in: folder, to: server, clock: clock) { $0.sendTimeout = .seconds(30) }
    try await outbox.insert(Joined(1, 1))
    await server.waitForRequests(1)
    await clock.waitForSleepers(1)
    await outbox.close(within: .zero)
    XCTAssertEqual(clock.advanceToNextDeadline(), .seconds(30))
    await outbox.close()
    let next = try await Box.open(in: folder, to: server, isPaused: true)
    expectEqual(await next.pending.map(\.attempts), [0])
    await next.close()
    gate.open()
  }

  // MARK: Calls of send

  func testCallsThatWouldWaitForThemselvesThrow() async throws {
    let folder = try TemporaryFolder()
    let (server, reasons) = (Server<Joined>(), Reasons())
    let outbox = try await Box.open(in: folder, to: server, isPaused: true) { $0.parallelKeys = 1 }
    await server.answers { entry in
      func note(_ body: @Sendable () async throws -> Void) async {
        do { try await body() } catch { reasons.add((error as? OutboxError)?.reason) }
      }
      await note { try await outbox.drain() }
      await note { try await outbox.drain(within: .seconds(1)) }
      await note { _ = try await outbox.outcome(of: entry.id) }
      await withTaskGroup(of: Void.self) { $0.addTask { await note { try await outbox.drain() } } }
      await Task { await note { try await outbox.drain() } }.value
      return .done
    }
    try await outbox.insert(Joined(1, 1))
    await outbox.resume()
    try await outbox.drain()
    XCTAssertEqual(reasons.all, Array(repeating: .insideSend, count: 5))
    await outbox.close()
  }

  func testOtherCallsWorkInsideOfSend() async throws {
    let folder = try TemporaryFolder()
    let server = Server<Joined>()
    let outbox = try await Box.open(in: folder, to: server, isPaused: true) { $0.parallelKeys = 1 }
    let waiting = try await outbox.insert(Joined(2, 2))
    let id = try await outbox.insert(Joined(1, 1))
    await server.answers { entry in
      guard entry.change.key == 2 else { return .done }
      await outbox.pause()
      await outbox.resume()
      expect(await outbox.remove(id: entry.id) == nil)
      expect(await outbox.requeue(id: entry.id) == false)
      expect(await outbox.removeUndecodable(id: entry.id) == false)
      expect(await outbox.remove(id: id) != nil)
      try await outbox.insert(Joined(2, 3))
      expectEqual(await outbox.pending.count, 2)
      return .done
    }
    await outbox.resume()
    let outcome = try await outbox.outcome(of: waiting)
    XCTAssertEqual(outcome, .sent)
    await server.answers { _ in .done }
    try await outbox.drain()
    expectEqual(await server.values, [[2], [3]])
    await outbox.close()
  }

  /// A server answers 401, so that the app signs out.
  func testClosingInsideOfSendReturnsAtOnceAndReleasesTheJournalAfterwards() async throws {
    for isTask in [false, true] {
      let folder = try TemporaryFolder()
      let server = Server<Joined>()
      let outbox = try await Box.open(in: folder, to: server)
      await server.answers { _ in
        if isTask { await Task { await outbox.close() }.value } else { await outbox.close() }
        return .refused("signed out")
      }
      try await outbox.insert(Joined(1, 1))
      await outbox.state { _ in false }
      await outbox.close()
      let next = try await Box.open(in: folder, to: server, isPaused: true)
      expectEqual(await next.failures.map(\.failureReason), ["signed out"])
      await next.close()
    }
  }

  func testTaskThatOutlivesItsAttemptMayWait() async throws {
    let folder = try TemporaryFolder()
    let (server, gate, tasks) = (Server<Joined>(), Gate(), Tasks())
    let outbox = try await Box.open(in: folder, to: server)
    await server.answers { _ in
      tasks.add(
        Task {
          await gate.pass()
          try await outbox.drain()
          await outbox.close()
        })
      return .done
    }
    try await outbox.insert(Joined(1, 1))
    await outbox.state { $0.sentCount == 1 }
    gate.open()
    for task in tasks.all { try await task.value }
    XCTAssertEqual(folder.names, [])
  }
}

private final class Reasons: @unchecked Sendable {
  private let lock = NSLock()
  private var reasons: [OutboxError.Reason?] = []
  func add(_ reason: OutboxError.Reason?) { lock.withLock { reasons.append(reason) } }
  var all: [OutboxError.Reason?] { lock.withLock { reasons } }
}

private final class Tasks: @unchecked Sendable {
  private let lock = NSLock()
  private var tasks: [Task<Void, any Error>] = []
  func add(_ task: Task<Void, any Error>) { lock.withLock { tasks.append(task) } }
  var all: [Task<Void, any Error>] { lock.withLock { tasks } }
}
