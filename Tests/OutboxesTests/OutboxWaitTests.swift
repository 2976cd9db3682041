import Foundation
import Journals
import Outboxes
import PendingChanges
import TestSupport
import XCTest

/// A time that the server asked to wait is waited, also by the next outbox, and is never extended.
final class OutboxWaitTests: XCTestCase {
  private typealias Box = Outbox<Joined>

  /// Opens the journal of an outbox whose process has ended.
  private func restarted(
    _ steps: Steps<Joined>, date: Double, opening: UInt64 = 2, byteLimit: Int = 1 << 20
  ) throws -> Steps<Joined> {
    var next = try Steps<Joined>(parallelKeys: 2, opening: opening, date: date, steps.journal) {
      $0.journalByteLimit = byteLimit
    }
    while next.isWriting { next.record() }
    return next
  }

  // MARK: One change

  private func delayed(byteLimit: Int = 1 << 20) throws -> Steps<Joined> {
    var steps = try Steps<Joined>(parallelKeys: 2) { $0.journalByteLimit = byteLimit }
    try steps.accept(Joined(1, 1))
    while steps.isWriting { steps.record() }
    steps.answer(.answered(.retry(after: .seconds(60))), date: 1000)
    while steps.isWriting { steps.record() }
    return steps
  }

  func testRestartWaitsForTheRestOfADelay() throws {
    // The clock was set back, and far ahead.
    for (date, rest) in [(1000, 60), (1020.5, 39.5), (0, 60), (999, 60), (1059.999, 0.001)] {
      for byteLimit in [1, 1 << 20] {
        var steps = try restarted(delayed(byteLimit: byteLimit), date: date, byteLimit: byteLimit)
        let next = try XCTUnwrap(steps.machine.nextWake)
        XCTAssertEqual(next / .seconds(1), rest, accuracy: 0.0001, "at \(date)")
        steps.perform(steps.machine.resume())
        steps.perform(steps.machine.drain(ticket: 1))
        XCTAssertEqual(steps.sent, [], "the server asked for the delay")
        try steps.accept(Joined(2, 2))
        XCTAssertEqual(steps.sent, [[2]])
        steps.wake(at: next)
        while steps.isWriting { steps.record() }
        XCTAssertEqual(steps.sent, [[2], [1]])
      }
    }
    for date in [1060.0, 1e9, 1e15] {
      let steps = try restarted(delayed(), date: date)
      XCTAssertEqual(steps.sent, [[1]], "at \(date)")
    }
  }

  func testDelayNeverBecomesLonger() throws {
    var steps = try restarted(delayed(), date: 1020)
    for (opening, date, rest) in [(3, 0, 40), (4, 5, 35), (5, 1, 35), (6, -100, 35), (7, -90, 25)]
      as [(UInt64, Double, Double)]
    {
      steps = try restarted(steps, date: date, opening: opening)
      XCTAssertEqual(try XCTUnwrap(steps.machine.nextWake) / .seconds(1), rest, accuracy: 0.001, "opening \(opening)")
    }
  }

  func testDelayIsOverOnceTheChangeWasSentAgain() throws {
    var steps = try delayed()
    steps.wake(at: .seconds(60))
    XCTAssertEqual(steps.sent, [[1], [1]])
    steps = try restarted(steps, date: 0)
    XCTAssertEqual(steps.sent, [[1]])
  }

  // MARK: All changes

  /// An outbox with six keys whose server asked for a pause of a minute.
  private func paused() throws -> Steps<Joined> {
    var steps = try Steps<Joined>(parallelKeys: 2)
    for key in 0..<6 { try steps.accept(Joined(key, key)) }
    try steps.accept(Joined(0, 10))
    steps.answer(.answered(.pauseAll(for: .seconds(60))), date: 1000)
    while steps.isWriting { steps.record() }
    return steps
  }

  func testPauseOfTheServerHoldsEverythingButRunningAttempts() throws {
    var steps = try paused()
    XCTAssertEqual(steps.sent, [[0], [1]])
    XCTAssertEqual(steps.machine.currentState.sendingCount, 1)
    steps.answer(.answered(.done))
    while steps.isWriting { steps.record() }
    try steps.accept(Joined(7, 7))
    XCTAssertEqual(steps.sent, [[0], [1]])
    XCTAssertTrue(steps.machine.isWaiting)
    XCTAssertEqual(steps.machine.nextWake, .seconds(60))
    steps.wake(at: .seconds(59))
    XCTAssertEqual(steps.sent, [[0], [1]])
    steps.wake(at: .seconds(60))
    while steps.isWriting { steps.record() }
    // The attempt didn't count, and its change comes first.
    XCTAssertEqual(steps.sent, [[0], [1], [0], [2]])
    XCTAssertEqual(steps.machine.pending.first?.attempts, 1)
    XCTAssertNil(steps.machine.nextWake)
  }

  func testRestartWaitsForTheRestOfAPause() throws {
    for (date, rest) in [(1000, 60), (1020, 40), (0, 60)] as [(Double, Double)] {
      var steps = try restarted(paused(), date: date)
      XCTAssertEqual(steps.sent, [])
      XCTAssertEqual(try XCTUnwrap(steps.machine.nextWake) / .seconds(1), rest, accuracy: 0.001)
      steps = try restarted(steps, date: -1e6, opening: 3)
      XCTAssertEqual(try XCTUnwrap(steps.machine.nextWake) / .seconds(1), rest, accuracy: 0.001)
      steps.wake(at: try XCTUnwrap(steps.machine.nextWake))
      while steps.isWriting { steps.record() }
      XCTAssertEqual(steps.sent.count, 2)
      // The journal knows that the pause is over, although the clock was set back.
      let next = try restarted(steps, date: -1e6, opening: 4)
      XCTAssertEqual(next.sent.count, 2)
    }
    XCTAssertEqual(try restarted(paused(), date: 1060).sent.count, 2)
  }

  func testResumeEndsAPauseOfTheServer() throws {
    var steps = try paused()
    steps.perform(steps.machine.resume())
    while steps.isWriting { steps.record() }
    XCTAssertEqual(steps.sent, [[0], [1], [0]])
    XCTAssertEqual(try restarted(steps, date: 1000).sent.count, 2)
  }

  func testLongerOfTwoPausesCounts() throws {
    for second in [10, 100] {
      var steps = try paused()
      steps.answer(.answered(.pauseAll(for: .seconds(second))), date: 1000)
      XCTAssertEqual(steps.machine.nextWake, .seconds(max(60, second)))
    }
  }

  func testImmediatePauseOfTheServerWaitsForTheBackoff() throws {
    for delay in [Duration.zero, .seconds(-9), .seconds(Int64.min), .nanoseconds(1)] {
      var steps = try Steps<Joined>(parallelKeys: 2)
      try steps.accept(Joined(1, 1))
      steps.answer(.answered(.pauseAll(for: delay)))
      while steps.isWriting { steps.record() }
      XCTAssertEqual(steps.sent.count, 1)
      XCTAssertGreaterThanOrEqual(try XCTUnwrap(steps.machine.nextWake), .milliseconds(50))
    }
  }

  func testDrainingAPausedOutboxMayTimeOut() async throws {
    let folder = try TemporaryFolder()
    let (server, clock) = (Server<Joined>(), ManualClock())
    await server.answers { $0.change.key == 1 ? .pauseAll(for: .seconds(Int64.max)) : .done }
    let outbox = try await Box.open(in: folder, to: server, clock: clock, isPaused: true) { $0.parallelKeys = 1 }
    for key in 1...20 { try await outbox.insert(Joined(key, key)) }
    await outbox.resume()
    await server.waitForRequests(1)
    let state = await outbox.state { if case .waiting = $0.activity { true } else { false } }
    XCTAssertEqual(state?.pendingCount, 20)
    expectEqual(await outboxError { try await outbox.drain(within: .zero) }?.reason, .notDrained)
    expectEqual(await server.received.count, 1)
    await server.answers { _ in .done }
    await outbox.resume()
    try await outbox.drain()
    expectEqual(await server.received.count, 21)
    await outbox.close()
  }

  func testOutboxThatStartsPausedSendsNothing() async throws {
    let folder = try TemporaryFolder()
    let server = Server<Joined>()
    for round in 1...2 {
      let outbox = try await Box.open(in: folder, to: server, isPaused: true)
      expectEqual(await outbox.state { _ in true }?.activity, .paused)
      for key in 0..<8 { try await outbox.insert(Joined(key, round)) }
      await outbox.close()
    }
    expectEqual(await server.received.count, 0)
    let outbox = try await Box.open(in: folder, to: server, isPaused: true)
    await outbox.resume()
    try await outbox.drain()
    expectEqual(await server.received.count, 16)
    await outbox.close()
  }
}
