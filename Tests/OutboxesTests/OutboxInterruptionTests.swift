import Foundation
import Journals
import Outboxes
import PendingChanges
import TestSupport
import Testing
import XCTest

/// A change whose attempt the end of the process has interrupted is sent alone, after the others, and not forever.
final class OutboxInterruptionTests: XCTestCase {
  private let away = OutboxError(path: "/journal", reason: .deviceFailure)

  /// Opens the journal of an outbox whose process has ended.
  private static func restarted<Change: Numbers>(
    _ steps: Steps<Change>, parallelKeys: Int = 4, limit: Int = 2, opening: UInt64 = 2
  ) throws -> Steps<Change> {
    try Steps(parallelKeys: parallelKeys, opening: opening, steps.journal) { $0.maximumInterruptions = limit }
  }

  func testBeginningIsRecordedBeforeTheChangeIsSent() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let (server, system) = (Server<Joined>(), ScriptedFileSystem())
    let journal = folder.file("outbox")
    await server.answers { entry in
      let contents = try JournalContents<_OutboxRecord>(Array(Data(contentsOf: journal)))
      guard case .begun(let id)? = contents.records.last?.body else { return .refused("not recorded") }
      return id.text == entry.id ? .done : .refused("another one is recorded")
    }
    let outbox = try await Outbox<Joined>.open(in: folder, to: server, system: system)
    try await outbox.insert(Joined(1, 1))
    try await outbox.drain()
    let before = system.calls.count
    try await outbox.insert(Joined(1, 2))
    try await outbox.drain()
    let calls = system.calls.dropFirst(before)
    expectEqual(await outbox.failures, [])
    // The insertion, the beginning and the end are a write each, and only the insertion waits for the device.
    XCTAssertEqual(calls.count { $0 == .overwrite }, 3, "\(calls)")
    XCTAssertEqual(calls.count { $0 == .synchronizeData }, 1, "\(calls)")
    await outbox.close()
  }

  func testBeginningsOfSeveralChangesShareOneWrite() throws {
    var (machine, write) = try Outbox<Joined>.machine(.init(), opening: 1, contents: XCTUnwrap(JournalBytes().contents))
    var (writes, sent) = (0, 0)
    func take(_ actions: [Outbox<Joined>._StateMachine.Action]) {
      for action in actions {
        if case .record(let next) = action { (write, writes) = (next, writes + 1) }
        if case .send = action { sent += 1 }
      }
    }
    take(machine.pause())
    take(machine.finishWrite(error: nil))
    for key in 0..<4 {
      take(try machine.insert(Joined(key, key), contents: .of(Joined(key, key)), ticket: key))
    }
    while machine.pending.count < 4 { take(machine.finishWrite(error: nil)) }
    writes = 0
    take(machine.resume())
    XCTAssertEqual(write?.records.count, 4)
    XCTAssertEqual(write?.isSynchronized, false)
    XCTAssertEqual(sent, 0)
    take(machine.finishWrite(error: nil))
    XCTAssertEqual(sent, 4)
    XCTAssertEqual(writes, 1)
  }

  func testChangeIsSentAlthoughItsBeginningCannotBeRecorded() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let server = Server<Joined>()
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      [.append, .overwrite, .createFile].contains(call) ? .failure(ENOSPC) : nil
    }
    let outbox = try await Outbox<Joined>.open(in: folder, to: server, system: system, isPaused: true)
    try await outbox.insert(Joined(1, 1))
    system.arm()
    await outbox.resume()
    await server.waitForRequests(1)
    await outbox.state { $0.sentCount == 1 }
    system.disarm()
    await outbox.close()
  }

  func testInterruptedChangesAreSentOneAtATimeAfterTheOthers() throws {
    var steps = try Steps<Joined>(parallelKeys: 3)
    for key in 0..<6 { try steps.accept(Joined(key, key)) }
    try steps.accept(Joined(3, 30))
    XCTAssertEqual(steps.sent, [[0], [1], [2]])
    var next = try Self.restarted(steps)
    // A change that comes now doesn't delay them forever.
    try next.accept(Joined(7, 7))
    XCTAssertEqual(next.sent, [[3, 30], [4], [5]])
    var sent: [[Int]] = []
    while let first = next.running.first?.values {
      sent.append(first)
      if [[0], [1], [2]].contains(first) { XCTAssertEqual(next.running.count, 1, "\(first) is not alone") }
      next.answer(.answered(.done))
      while next.isWriting { next.record() }
    }
    XCTAssertEqual(sent, [[3, 30], [4], [5], [0], [1], [2], [7]])
  }

  func testRewrittenJournalHasTheBeginningOfTheAttemptUnderWay() throws {
    var steps = try Steps<Joined>(parallelKeys: 1) { $0.journalByteLimit = 1 }
    for key in 0..<2 { try steps.accept(Joined(key, key)) }
    while steps.isWriting { steps.record() }
    XCTAssertEqual(steps.sent, [[0]])
    XCTAssertEqual(try Self.restarted(steps).sent, [[1]], "the interrupted change comes after the other")
  }

  func testOnlyAnAttemptThatWasAloneCounts() throws {
    var steps = try Steps<Joined>(parallelKeys: 3)
    for key in 0..<3 { try steps.accept(Joined(key, key)) }
    for opening in 2..<4 as Range<UInt64> {
      steps = try Self.restarted(steps, limit: 2, opening: opening)
      XCTAssertEqual(steps.sent, [[0]])
      XCTAssertEqual(steps.machine.failures.count, 0)
    }
    steps = try Self.restarted(steps, limit: 2, opening: 4)
    XCTAssertEqual(steps.machine.failures.map(\.change.values), [[0]])
    let reason = "the process ended while the change was being sent, 2 times"
    XCTAssertEqual(steps.machine.failures.map(\.failureReason), [reason])
    XCTAssertEqual(steps.machine.failures.map(\.attempts), [0])
    XCTAssertEqual(steps.sent, [[1]])
    // Tried again, it may interrupt as often as before.
    let id = try XCTUnwrap(steps.machine.failures.first?.id)
    steps.perform(steps.machine.requeue(id, ticket: 1) ?? [])
    for _ in 0..<2 {
      while steps.isWriting { steps.record() }
      steps.answer(.answered(.done))
    }
    while steps.isWriting { steps.record() }
    XCTAssertEqual(steps.running.map(\.values), [[0]])
    for (opening, count) in [(5, 0), (6, 1)] as [(UInt64, Int)] {
      steps = try Self.restarted(steps, limit: 2, opening: opening)
      XCTAssertEqual(steps.machine.failures.count, count)
    }
  }

  func testAttemptThatEndsClearsTheInterruptions() throws {
    for verdict in [Outbox<Joined>._StateMachine.Verdict.failed(reason: "away"), .answered(.retry(after: .zero))] {
      var steps = try Steps<Joined>(parallelKeys: 3)
      try steps.accept(Joined(0, 0))
      for opening in 2..<8 as Range<UInt64> {
        steps = try Self.restarted(steps, limit: 2, opening: opening)
        XCTAssertEqual(steps.sent, [[0]], "opening \(opening)")
        steps.answer(verdict)
        while steps.isWriting { steps.record() }
        steps.wake()
        while steps.isWriting { steps.record() }
      }
      XCTAssertEqual(steps.machine.failures.count, 0)
    }
  }

  func testFailureByInterruptionsIsTakenOverByANewerChange() throws {
    var steps = try Steps<Joined>(parallelKeys: 3)
    try steps.accept(Joined(0, 0))
    try steps.accept(Joined(0, 1))
    let ids = steps.machine.pending.map(\.id)
    steps = try Self.restarted(steps, limit: 1)
    XCTAssertEqual(steps.sent, [[0, 1]])
    XCTAssertFalse(ids.contains(steps.machine.pending[0].id), "changed contents need a new ID")
  }

  func testClosingEndsTheAttemptsUnderWay() throws {
    for hasEnded in [false, true] {
      var steps = try Steps<Joined>(parallelKeys: 3)
      try steps.accept(Joined(0, 0))
      for opening in 2..<5 as Range<UInt64> {
        steps.perform(steps.machine.close(ticket: 1))
        if hasEnded { steps.answer(.cancelled) }
        while steps.isWriting { steps.record() }
        XCTAssertEqual(steps.hasClosed, hasEnded)
        steps = try Self.restarted(steps, limit: 1, opening: opening)
        XCTAssertEqual(steps.sent, [[0]])
        XCTAssertEqual(steps.machine.failures.count, 0)
      }
    }
  }

  func testPauseBeforeTheBeginningIsRecordedSendsNothing() throws {
    var (machine, _) = try Outbox<Joined>.machine(.init(), opening: 1, contents: XCTUnwrap(JournalBytes().contents))
    var sent = 0
    func take(_ actions: [Outbox<Joined>._StateMachine.Action]) {
      for case .send in actions { sent += 1 }
    }
    take(machine.finishWrite(error: nil))
    take(try machine.insert(Joined(0, 0), contents: .of(Joined(0, 0)), ticket: 0))
    take(machine.finishWrite(error: nil))
    take(machine.pause())
    take(machine.finishWrite(error: nil))
    XCTAssertEqual(sent, 0)
    XCTAssertEqual(machine.currentState.sendingCount, 0)
    take(machine.resume())
    for _ in 0..<2 { take(machine.finishWrite(error: nil)) }
    XCTAssertEqual(sent, 1)
  }

  func testInterruptedChangeThatIsNeverAnsweredDoesNotKeepTheOthersForever() throws {
    var steps = try Steps<Joined>(parallelKeys: 3)
    for key in 0..<2 { try steps.accept(Joined(key, key)) }
    steps = try Self.restarted(steps)
    try steps.accept(Joined(2, 2))
    XCTAssertEqual(steps.sent, [[0]])
    for count in 2...3 {
      let next = try XCTUnwrap(steps.machine.nextWake)
      XCTAssertLessThanOrEqual(next, .seconds(20))
      steps.wake(at: next)
      while steps.isWriting { steps.record() }
      XCTAssertEqual(steps.sent.count, count)
    }
    XCTAssertNil(steps.machine.nextWake)
  }

  func testInterruptedChangeDoesNotWaitForeverForOneThatIsNeverAnswered() throws {
    var steps = try Steps<Joined>(parallelKeys: 1)
    for key in 0..<2 { try steps.accept(Joined(key, key)) }
    steps = try Self.restarted(steps)
    XCTAssertEqual(steps.sent, [[1]])
    steps.wake(at: try XCTUnwrap(steps.machine.nextWake))
    while steps.isWriting { steps.record() }
    XCTAssertEqual(steps.sent, [[1], [0]])
  }

  /// Some changes end the process when they are sent.
  ///
  /// The others are all sent, and never become failures.
  func testChangesThatEndTheProcessBecomeFailuresAndTheOthersAreSent() throws {
    try withSeeds(60) { random in
      let limit = random.int(in: 1..<4)
      let (count, poisonCount) = (random.int(in: 1..<9), random.int(in: 1..<4))
      let poisons = Set((0..<poisonCount).map { _ in random.int(in: 0..<count) })
      var done: Set<Int> = []
      var alone: [Int: Int] = [:]
      var steps = try Steps<Newest>(parallelKeys: random.int(in: 1..<5)) { $0.maximumInterruptions = limit }
      for key in 0..<count { try steps.accept(Newest(key, key)) }
      var opening: UInt64 = 1
      while steps.machine.currentState.pendingCount > 0, opening < 100 {
        while steps.isWriting { steps.record() }
        let values = steps.running.map { $0.values[0] }
        let isOver = random.chance(oneIn: 2) || poisons.isSuperset(of: values)
        if isOver, let fatal = values.first(where: poisons.contains) {
          if values.count == 1 { alone[fatal, default: 0] += 1 }
          opening += 1
          steps = try Self.restarted(steps, parallelKeys: random.int(in: 1..<5), limit: limit, opening: opening)
        } else if let index = values.indices.filter({ !poisons.contains(values[$0]) }).randomElement(using: &random) {
          let succeeds = random.chance(oneIn: 2)
          if succeeds { done.insert(values[index]) }
          steps.answer(succeeds ? .answered(.done) : .failed(reason: "away"), to: index)
        } else {
          steps.wake(at: steps.machine.nextWake ?? .zero)
        }
      }
      expectEqual(Set(steps.machine.failures.flatMap(\.change.values)), poisons)
      expect(done.isSuperset(of: Set(0..<count).subtracting(poisons)), "\(done) of \(count) were sent")
      expectEqual(alone, Dictionary(uniqueKeysWithValues: poisons.map { ($0, limit) }))
    }
  }
}

#if os(Linux) || os(macOS)
  /// Processes that end themselves while they send a change.
  @Suite(.serialized) struct OutboxAbortTests {
    @Test func changeThatAbortsTheProcessBecomesAFailureAndTheOthersAreSent() async throws {
      let folder = try TemporaryFolder()
      let stage = AbortStage(top: folder.url)
      // The first time, three other changes are being sent, so that it isn't known which one was fatal.
      await #expect(processExitsWith: .signal(SIGABRT)) { [stage = stage as AbortStage] in
        try await stage.insertAndAbort()
      }
      for _ in 0..<3 {
        await #expect(processExitsWith: .signal(SIGABRT)) { [stage = stage as AbortStage] in
          let outbox = try await stage.outbox()
          try await outbox.drain()
        }
        // Those that weren't interrupted are sent at the same time.
        let sent = try stage.sent
        #expect(sent.prefix(4).sorted() + sent.dropFirst(4) == ["4", "5", "6", "7", "0", "1", "2"])
      }
      let outbox = try await stage.outbox()
      try await outbox.drain()
      #expect(await outbox.failures.map(\.change.key) == [3])
      #expect(await outbox.failures.first?.failureReason?.contains("the process ended") == true)
      await outbox.close()
      #expect(try stage.sent.count == 7)
    }

    @Test func closingBeforeTheProcessEndsIsNoInterruption() async throws {
      let folder = try TemporaryFolder()
      let stage = AbortStage(top: folder.url)
      for _ in 0..<3 {
        await #expect(processExitsWith: .success) { [stage = stage as AbortStage] in
          let begun = Gate()
          // This attempt ignores its cancellation.
          let outbox = try await stage.outbox(limit: 1) { _ in
            begun.open()
            await Gate().pass()
            return .done
          }
          if await outbox.pending.isEmpty { try await outbox.insert(Newest(1, 1)) }
          await begun.pass()
          await outbox.close(within: .milliseconds(100))
        }
      }
      let outbox = try await stage.outbox(limit: 1)
      try await outbox.drain()
      #expect(try stage.sent == ["1"])
      #expect(await outbox.failures.isEmpty)
      await outbox.close()
    }
  }

  private struct AbortStage: Codable, Sendable {
    let top: URL
    private var log: URL { top.appending(path: "log") }

    func outbox(
      limit: Int = 3, _ send: (@Sendable (Outbox<Newest>.Entry) async throws -> Outbox<Newest>.Answer)? = nil
    ) async throws -> Outbox<Newest> {
      let log = try KillLog(log)
      let configuration = Outbox<Newest>.Configuration(maximumInterruptions: limit)
      return try await Outbox<Newest>(journal: top.appending(path: "outbox"), configuration: configuration) { entry in
        if let send { return try await send(entry) }
        if entry.change.key == 3 { abort() }
        log.write("\(entry.change.key)")
        return .done
      }
    }

    func insertAndAbort() async throws {
      let outbox = try await outbox { entry in
        if entry.change.key == 3 { abort() }
        try await ManualClock().sleep(for: .seconds(1))
        return .done
      }
      await outbox.pause()
      for key in 0..<8 { try await outbox.insert(Newest(key, key)) }
      await outbox.resume()
      try await outbox.drain()
    }

    var sent: [String] { get throws { try KillLog.lines(of: log).map(String.init) } }
  }
#endif
