import FileChanges
import Foundation
import Journals
import PendingChanges
import TestSupport
import XCTest

/// Changes that are cancelled.
final class FileChangeWriterCancelTests: XCTestCase {
  /// A writer that applies no change until the gate is open.
  private func writer(behind gate: BlockingGate) -> FileChangeWriter {
    var configuration = FileChangeWriter.Configuration()
    configuration.parallelFiles = 1
    return FileChangeWriter(
      configuration: configuration, clock: ContinuousClock(), random: SeededRandom(seed: 1),
      system: ScriptedFileSystem(holding: .openFolder, at: gate))
  }

  func testWaitingChangeIsCancelledAndARunningOneIsNot() async throws {
    let folder = try TemporaryFolder()
    let gate = BlockingGate()
    let writer = writer(behind: gate)
    let running = try await writer.submit(.write("1", to: folder.path("a")))
    let older = try await writer.submit(.write("2", to: folder.path("b")))
    let waiting = try await writer.submit(.write("3", to: folder.path("b")))
    var taken = await writer.remove(id: running)
    XCTAssertNil(taken)
    taken = await writer.remove(id: older)
    XCTAssertNil(taken, "a newer change has replaced it")
    taken = await writer.remove(id: waiting)
    XCTAssertEqual(taken, .write("3", to: folder.path("b")))
    taken = await writer.remove(id: waiting)
    XCTAssertNil(taken, "it is already cancelled")
    let progress = await writer.progress
    XCTAssertEqual(
      [progress.waiting, progress.inFlight, progress.cancelled, progress.coalesced], [0, 1, 1, 1])
    gate.open()
    try await writer.close()
    XCTAssertEqual(folder.names, ["a"])
    taken = await writer.remove(id: running)
    XCTAssertNil(taken)
  }

  func testChangeAfterARunningOneIsCancelled() async throws {
    let folder = try TemporaryFolder()
    let gate = BlockingGate()
    let writer = writer(behind: gate)
    try await writer.submit(.write("1", to: folder.path("a")))
    let removal = try await writer.submit(.remove(folder.path("a")))
    expectEqual(await writer.remove(id: removal), .remove(folder.path("a")))
    gate.open()
    try await writer.close()
    XCTAssertEqual(folder.text("a"), "1")
  }

  func testChangeThatSleepsUntilItsRetryIsCancelled() async throws {
    let folder = try TemporaryFolder()
    let clock = ManualClock()
    let system = ScriptedFileSystem { call, _ in call == .synchronizeFile ? .failure(EBUSY) : nil }
    let writer = FileChangeWriter(
      configuration: .init(), clock: clock, random: SeededRandom(seed: 1), system: system)
    let id = try await writer.submit(.write("1", to: folder.path("a")))
    await clock.waitForSleepers(1)
    expectEqual(await writer.remove(id: id), .write("1", to: folder.path("a")))
    XCTAssertEqual(clock.sleeperCount, 0)
    try await writer.flush()
    try await writer.close()
    XCTAssertEqual(folder.names, [])
  }

  func testFailureIsCancelled() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter()
    let id = try await writer.submit(.write("1", to: folder.path("gone/a")))
    try? await writer.flush()
    expectEqual(await writer.remove(id: id), .write("1", to: folder.path("gone/a")))
    expectEqual(await writer.failures, [])
    let progress = await writer.progress
    XCTAssertEqual([progress.failed, progress.heldFailures, progress.cancelled], [1, 0, 0])
    try await writer.close()
  }

  func testCancelledChangeDoesNotComeBackAfterAKill() async throws {
    let folder = try TemporaryFolder()
    let (first, kill) = try await mortalWriter(in: folder) { $0.parallelFiles = 1 }
    try await first.submit(.write("x", to: folder.path("busy")))
    try await first.submit(.write("1", to: folder.path("a")))
    let id = try await first.submit(.write("2", to: folder.path("a")))
    expectEqual(await first.remove(id: id), .write("2", to: folder.path("a")))
    // The journal has these bytes at the moment of the kill.
    let bytes = try [UInt8](Data(contentsOf: folder.file("journal")))
    XCTAssertEqual(try FileChangeWriter._JournalContents(bytes).unfinished.map(\.body.path), [folder.path("busy")])
    await kill()
    try await journaledWriter(in: folder).close()
    XCTAssertEqual(folder.names, ["busy"])
  }

  func testChangeIsCancelledEvenIfTheJournalCannotBeWritten() async throws {
    let folder = try TemporaryFolder()
    let isBroken = Flag()
    let gate = BlockingGate()
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      if call == .openFolder { gate.pass() }
      return call == .overwrite && isBroken.isSet ? .failure(ENOSPC) : nil
    }
    let writer = try await journaledWriter(in: folder, system: system) { $0.parallelFiles = 1 }
    system.arm()
    try await writer.submit(.write("x", to: folder.path("busy")))
    let id = try await writer.submit(.write("1", to: folder.path("a")))
    isBroken.set(true)
    expectEqual(await writer.remove(id: id), .write("1", to: folder.path("a")))
    isBroken.set(false)
    gate.open()
    try await writer.close()
    XCTAssertEqual(folder.names, ["busy"])
  }

  func testNothingIsCancelledAfterTheShutdown() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter()
    let id = try await writer.submit(.write("1", to: folder.path("gone/a")))
    try? await writer.close()
    expect(await writer.remove(id: id) == nil)
  }

  func testFlushStillWaitsForTheRunningChangeAfterACancel() throws {
    var machine = FileChangeWriter._StateMachine(
      configuration: .init(), random: SeededRandom(seed: 1))
    let running = try machine.submit(.write("1", to: "/a")).id
    let waiting = try machine.submit(.write("2", to: "/a")).id
    XCTAssertEqual(machine.wait(1), [])
    XCTAssertEqual(
      machine.cancel([waiting], ticket: 1).actions.resumed, [], "the older one is not on disk")
    XCTAssertEqual(machine.finish(running, error: nil).resumed, [1])
  }

  func testFlushDoesNotWaitForACancelledNewerChange() throws {
    var machine = FileChangeWriter._StateMachine(
      configuration: .init(), random: SeededRandom(seed: 1))
    let running = try machine.submit(.write("1", to: "/a")).id
    _ = try machine.submit(.write("2", to: "/a"))
    XCTAssertEqual(machine.wait(1), [])
    let newest = try machine.submit(.write("3", to: "/a")).id
    XCTAssertEqual(machine.cancel([newest], ticket: 1).changes, [.write("3", to: "/a")])
    XCTAssertEqual(machine.finish(running, error: nil).resumed, [1])
    XCTAssertTrue(machine.progress.isIdle)
  }
}
