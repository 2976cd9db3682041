import Foundation
import Journals
import Outboxes
import PendingChanges
import TestSupport
import XCTest

/// Each system call fails once, with each of eight errors.
final class OutboxFaultTests: XCTestCase {
  func testAcceptedChangesSurviveAFailureOfAnySystemCall() async throws {
    let complaints = try await complaintsAfterFaults(100, mostRounds: 60) { try await Self.complaints(rounds: $1, $0) }
    XCTAssertEqual(complaints, [])
  }

  /// With an answer for each wait, a limit of time for attempts, a process that is killed during an attempt, and a
  /// newer version of the app, which opens paused and can't decode everything.
  func testAcceptedChangesSurviveAFailureWhileAllFeaturesAreUsed() async throws {
    let complaints = try await complaintsAfterFaults(100, mostRounds: 40) {
      try await Self.complaints(rounds: $1, $0, usesAll: true)
    }
    XCTAssertEqual(complaints, [])
  }

  func testAcceptedChangesSurviveATemporarilyFullDisk() async throws {
    for first in stride(from: 10, to: 60, by: 5) {
      for length in [1, 3, 20, 1000] {
        let system = ScriptedFileSystem { call, made in
          guard call == .append || call == .createFile else { return nil }
          return (first..<first + length).contains(made) ? .failure(ENOSPC) : nil
        }
        let complaints = try await Self.complaints(rounds: 8, system)
        XCTAssertEqual(complaints, [], "full from \(first) on, for \(length) calls")
      }
    }
  }

  func testNextChangeOfAKeyWaitsUntilTheJournalRecordsTheAnswer() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let (server, gate, isFirst) = (Server<Joined>(), Gate(), Flag(true))
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      [.append, .overwrite, .createFile].contains(call) ? .failure(ENOSPC) : nil
    }
    await server.answers { entry in
      await gate.pass()
      return entry.change.key == 2 && isFirst.take() ? .refused("no") : .done
    }
    let outbox = try await Outbox.open(in: folder, to: server, system: system)
    for change in [Joined(1, 1), Joined(1, 2), Joined(2, 3), Joined(2, 4)] { try await outbox.insert(change) }
    system.arm()
    expectEqual(await outboxError { try await outbox.insert(Joined(3, 5)) }?.reason, .deviceFull)
    gate.open()
    let state = await outbox.state { $0.sendingCount == 0 && $0.journalFailure != nil }
    XCTAssertEqual(state?.journalFailure?.reason, .deviceFull)
    XCTAssertEqual(state?.journalFailure?.path, folder.file("outbox").path)
    let first = await server.values
    XCTAssertEqual(Set(first), [[1], [3]], "a newer change was sent before the answer was recorded")
    system.disarm()
    try await outbox.drain()
    let values = await server.values
    XCTAssertEqual(values.count, 4, "nothing is sent twice")
    XCTAssertEqual(Set(values), [[1], [2], [3], [3, 4]])
    expect(await outbox.state { _ in true }?.journalFailure == nil)
  }

  func testChangeIsNotSentUntilItsFailedMergeIsErasedFromTheJournal() throws {
    var steps = try Steps<Joined>(parallelKeys: 1)
    try steps.insert(Joined(1, 1))
    try steps.accept(Joined(2, 2))
    steps.record()
    XCTAssertEqual(steps.sent, [[1]])
    try steps.insert(Joined(2, 3))
    // The failed record may be in the file all the same. After a restart, changes 2 and 3 would then be sent as one,
    // under another ID.
    steps.failToRecord()
    steps.answer(.answered(.done))
    XCTAssertEqual(steps.sent, [[1]])
    steps.wake()
    steps.record()
    steps.record()
    XCTAssertEqual(steps.sent, [[1], [2]])
  }

  func testChangeMergedWithARefusedOneIsNotRemovedByItsOldID() throws {
    var steps = try Steps<Joined>(parallelKeys: 1)
    try steps.accept(Joined(1, 1))
    try steps.accept(Joined(1, 2))
    // The insertion, the answer and the removal are recorded in one group.
    try steps.insert(Joined(2, 3))
    steps.answer(.answered(.refused("no")))
    let second = try XCTUnwrap(steps.machine.pending.first { $0.change.values == [2] })
    steps.perform(steps.machine.remove(second.id, ticket: 0) ?? [])
    try steps.accept(Joined(1, 4))
    steps.record()
    while steps.machine.currentState.pendingCount > 0 {
      steps.answer(.answered(.done))
      steps.record()
    }
    XCTAssertEqual(steps.sent, [[1], [3], [1, 2, 4]])
  }

  // MARK: The work

  private static func complaints(
    rounds: Int, _ system: ScriptedFileSystem, usesAll: Bool = false
  ) async throws -> [String] {
    var work = Work(usesAll: usesAll, folder: try TemporaryFolder(isInMemory: true))
    try await work.run(system, rounds: rounds)
    return try await work.finish()
  }
}

/// Outboxes of one journal, one after the other, and what they have accepted.
private struct Work {
  let usesAll: Bool
  var folder: TemporaryFolder
  let ledger = Ledger()
  let clock = ManualClock()
  /// The accepted values of each key.
  var accepted: [Int: [Int]] = [:]
  var complaints: [String] = []
  var value = 0

  init(usesAll: Bool, folder: TemporaryFolder) { (self.usesAll, self.folder) = (usesAll, folder) }

  private func open(
    _ system: any FileSystem, version: Int, _ clock: any Clock<Duration>
  ) async throws(OutboxError) -> Outbox<Joined> {
    var configuration = Outbox<Joined>.Configuration(journalByteLimit: 600)
    if usesAll {
      if version < 2 { configuration.sendTimeout = .seconds(30) }
      configuration.startsPaused = version == 1
    }
    let coding = Outbox<Joined>._Coding(version: usesAll ? version : 0) { contents, _ in
      let change = try JSONDecoder().decode(Joined.self, from: contents)
      if version == 1, change.values.contains(where: { $0 % 7 == 0 }) { throw Ledger.Away() }
      return change
    }
    return try await Outbox(
      journal: folder.file("outbox"), configuration: configuration, coding: coding, clock: clock,
      random: SeededRandom(seed: 1), system: system
    ) { [ledger, usesAll] entry in
      guard usesAll else { return try await ledger.take(entry) }
      let (hangs, process) = await ledger.hangs(at: entry)
      if hangs { try await clock.sleep(for: .seconds(3600)) }
      return try await ledger.take(entry, from: process, waits: true)
    }
  }

  mutating func run(_ system: ScriptedFileSystem, rounds: Int) async throws {
    if usesAll { try await beKilledDuringAnAttempt() }
    for version in 0..<2 {
      let outbox: Outbox<Joined>
      do throws(OutboxError) { outbox = try await open(system, version: version, clock) } catch {
        note(error)
        continue
      }
      // If the journal cannot be read, the accepted changes are lost, but the journal is moved aside and the error
      // reported.
      if let error = outbox.recovery.readError {
        if !error.contains("(errno ") { complaints.append(error) }
        accepted = [:]
      }
      for _ in 0..<rounds { await act(outbox) }
      await outbox.close()
    }
  }

  private mutating func act(_ outbox: Outbox<Joined>) async {
    value += 1
    do throws(OutboxError) {
      try await outbox.insert(Joined(value % 2, value))
      accepted[value % 2, default: []].append(value)
    } catch { note(error) }
    guard value % 3 == 0 else { return }
    // The limits of hanging attempts are over then, and most waits.
    if usesAll { clock.advance(by: .seconds(60)) }
    await outbox.resume()
  }

  private mutating func beKilledDuringAnAttempt() async throws {
    let mortal = ScriptedFileSystem()
    let outbox = try await open(mortal, version: 0, clock)
    for _ in 0..<4 { await act(outbox) }
    try await until(await isHanging(outbox))
    mortal.kill()
    await ledger.beginNextProcess()
    folder = try folder.copy()
    await outbox.close(within: .zero)
  }

  /// Whether an attempt hangs; if not, ends the waits of all others.
  private func isHanging(_ outbox: Outbox<Joined>) async -> Bool {
    if await ledger.hasHung { return true }
    clock.advance(by: .seconds(60))
    await outbox.resume()
    return false
  }

  private mutating func note(_ error: OutboxError) {
    if error.path != folder.file("outbox").path { complaints.append("\(error) names another file") }
  }

  /// The broken promises after everything was sent.
  mutating func finish() async throws -> [String] {
    await ledger.takeEverything()
    let outbox = try await open(PosixFileSystem(), version: 2, JumpingClock())
    await outbox.resume()
    for failure in await outbox.failures { await outbox.requeue(id: failure.id) }
    try await outbox.drain()
    await outbox.close()
    let applied = await ledger.applied
    for (key, values) in accepted {
      let all = applied[key] ?? []
      // A refused insertion may still be sent if the journal could not be repaired.
      if all.filter(values.contains) != values { complaints.append("of \(values), \(all) were sent") }
      if all != all.sorted() { complaints.append("the order was \(all)") }
    }
    return complaints
  }
}

/// A server that applies each ID once, and sometimes fails or refuses until `takeEverything()` is called.
actor Ledger {
  private(set) var applied: [Int: [Int]] = [:]
  private(set) var hasHung = false
  private var ids: Set<String> = []
  private var count = 0
  private var process = 0
  private var takesEverything = false

  struct Away: Error {}

  func takeEverything() { takesEverything = true }

  /// From now on, an earlier process can't reach the server.
  func beginNextProcess() { process += 1 }

  /// Whether the server doesn't answer, and the number of the process that has asked it.
  func hangs(at entry: Outbox<Joined>.Entry) -> (Bool, process: Int) {
    let hangs = !takesEverything && entry.change.values.last! % 5 == 4
    if hangs { hasHung = true }
    return (hangs, process)
  }

  /// - Parameter waits: Whether the server also asks to come back later.
  func take(
    _ entry: Outbox<Joined>.Entry, from sender: Int = 0, waits: Bool = false
  ) throws -> Outbox<Joined>.Answer {
    guard sender == process else { throw Away() }
    count += 1
    if !takesEverything {
      if count % 5 == 1 { throw Away() }
      if waits, count % 11 == 3 { return .pauseAll(for: .seconds(20)) }
      if waits, count % 6 == 3 { return .retry(after: .seconds(40)) }
      if count % 7 == 2, !ids.contains(entry.id) { return .refused("no") }
    }
    if ids.insert(entry.id).inserted { applied[entry.change.key, default: []] += entry.change.values }
    if !takesEverything, count % 5 == 2 { throw Away() }
    return .done
  }
}

/// A clock that moves on to the end of each pause.
private final class JumpingClock: Clock, @unchecked Sendable {
  private let lock = NSLock()
  private var time = ManualClock().now
  var now: ManualClock.Instant { lock.withLock { time } }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    await Task.yield()
    lock.withLock { time = max(time, deadline) }
  }
}
