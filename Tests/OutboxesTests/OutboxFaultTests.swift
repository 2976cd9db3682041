import Foundation
import Journals
import Outboxes
import PendingChanges
import TestSupport
import XCTest

/// Each system call fails once, with each of eight errors.
final class OutboxFaultTests: XCTestCase {
  private static let errors = [EIO, ENOSPC, EACCES, EROFS, EMFILE, ENOMEM, ESTALE, EDQUOT]
  /// How many calls fail.
  ///
  /// `UNSAVED_FAULTS` overrides the number; the outbox then works long enough to make that many calls.
  private static let count = Int(ProcessInfo.processInfo.environment["UNSAVED_FAULTS"] ?? "") ?? 60

  func testAcceptedChangesSurviveAFailureOfAnySystemCall() async throws {
    var rounds = 4
    // Find a number of rounds that makes enough calls.
    while try await calls(rounds: rounds) < Self.count { rounds *= 2 }
    for number in 0..<Self.count {
      for error in Self.errors {
        try await check("call \(number), error \(error)", rounds: rounds) { call, made in
          guard made == number else { return nil }
          // The late failures test calls that take effect and still report an error.
          return number % 2 == 0 ? .failure(error) : .lateFailure(error)
        }
      }
    }
  }

  func testAcceptedChangesSurviveATemporarilyFullDisk() async throws {
    for first in stride(from: 10, to: 60, by: 5) {
      for length in [1, 3, 20, 1000] {
        try await check("full from \(first) on, for \(length) calls", rounds: 8) { call, made in
          guard call == .append || call == .createFile else { return nil }
          return (first..<first + length).contains(made) ? .failure(ENOSPC) : nil
        }
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

  private func calls(rounds: Int) async throws -> Int {
    let folder = try TemporaryFolder(isInMemory: true)
    let system = ScriptedFileSystem()
    _ = try await work(in: folder, system, to: Ledger(), rounds: rounds)
    return system.calls.count
  }

  private func check(
    _ name: String, rounds: Int,
    _ script: @escaping (ScriptedFileSystem.Call, Int) -> ScriptedFileSystem.Fault?
  ) async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let ledger = Ledger()
    let accepted = try await work(in: folder, ScriptedFileSystem(script), to: ledger, rounds: rounds)
    await ledger.takeEverything()
    let outbox = try await open(folder, PosixFileSystem(), ledger)
    for failure in await outbox.failures { await outbox.requeue(id: failure.id) }
    try await outbox.drain()
    let applied = await ledger.applied
    for (key, values) in accepted {
      // A refused insertion may still be sent if the journal could not be repaired.
      let found = (applied[key] ?? []).filter { values.contains($0) }
      XCTAssertEqual(found, values, "\(name), key \(key)")
      XCTAssertEqual(applied[key], applied[key]?.sorted(), "\(name), key \(key)")
    }
    await outbox.close()
  }

  private func open(
    _ folder: TemporaryFolder, _ system: any FileSystem, _ ledger: Ledger
  ) async throws(OutboxError) -> Outbox<Joined> {
    try await Outbox(
      journal: folder.file("outbox"), configuration: .init(journalByteLimit: 600),
      coding: .json(),
      clock: ManualClock(), random: SeededRandom(seed: 1), system: system
    ) { try await ledger.take($0) }
  }

  /// - Returns: The accepted values of each key.
  private func work(
    in folder: TemporaryFolder, _ system: any FileSystem, to ledger: Ledger, rounds: Int
  ) async throws -> [Int: [Int]] {
    var accepted: [Int: [Int]] = [:]
    func complain(_ error: OutboxError) { XCTAssertEqual(error.path, folder.file("outbox").path) }
    var value = 0
    for _ in 0..<2 {
      let outbox: Outbox<Joined>
      do throws(OutboxError) { outbox = try await open(folder, system, ledger) } catch {
        complain(error)
        continue
      }
      // If the journal cannot be read, the accepted changes are lost, but the journal is moved aside and the error
      // reported.
      if let error = outbox.recovery.readError {
        XCTAssertTrue(error.contains("(errno "), error)
        accepted = [:]
      }
      for _ in 0..<rounds {
        value += 1
        do throws(OutboxError) {
          try await outbox.insert(Joined(value % 2, value))
          accepted[value % 2, default: []].append(value)
        } catch { complain(error) }
        if value % 3 == 0 { await outbox.resume() }
      }
      await outbox.close()
    }
    return accepted
  }
}

/// A server that applies each ID once, and sometimes fails or refuses until `takeEverything()` is called.
actor Ledger {
  private(set) var applied: [Int: [Int]] = [:]
  private var ids: Set<String> = []
  private var count = 0
  private var takesEverything = false

  struct Away: Error {}

  func takeEverything() { takesEverything = true }

  func take(_ entry: Outbox<Joined>.Entry) throws -> Outbox<Joined>.Answer {
    count += 1
    if !takesEverything {
      if count % 5 == 1 { throw Away() }
      if count % 7 == 2, !ids.contains(entry.id) { return .refused("no") }
    }
    if ids.insert(entry.id).inserted { applied[entry.change.key, default: []] += entry.change.values }
    if !takesEverything, count % 5 == 2 { throw Away() }
    return .done
  }
}
