import FileChanges
import Foundation
import PendingChanges
import TestSupport
import XCTest

final class FileChangeWriterJournalTests: XCTestCase {
  // MARK: Recovery

  func testNextWriterAppliesAcceptedChanges() async throws {
    let folder = try TemporaryFolder(["c": "old"])
    try await leave(
      [
        .write("first", to: folder.path("a")), .write("x", to: folder.path("b")), .write("last", to: folder.path("a")),
        .remove(folder.path("c")),
      ], in: folder)
    XCTAssertEqual(folder.names, ["c", "journal"])

    let writer = try await journaledWriter(in: folder)
    XCTAssertEqual(writer.recovery?.changeCount, 3)
    XCTAssertEqual(writer.recovery?.isIntact, true)
    try await writer.close()
    XCTAssertEqual(folder.names, ["a", "b"])
    XCTAssertEqual(folder.text("a"), "last")
  }

  func testAppliedChangeIsNotAppliedAgain() async throws {
    let folder = try TemporaryFolder()
    let first = try await journaledWriter(in: folder)
    try await first.submit(.write("ours", to: folder.path("a")))
    try await first.flush()
    try await first.submit(.write("x", to: folder.path("gone/b")))
    try? await first.close()
    // Only the failed change stays in the journal.
    try folder.put("another's", "a")
    try FileManager.default.createDirectory(at: folder.file("gone"), withIntermediateDirectories: false)
    let second = try await journaledWriter(in: folder)
    XCTAssertEqual(second.recovery?.changeCount, 1)
    try await second.close()
    XCTAssertEqual(folder.text("a"), "another's")
    XCTAssertEqual(folder.text("gone/b"), "x")
    XCTAssertEqual(folder.names, ["a", "gone"])
  }

  func testRemovedFailuresDoNotComeBack() async throws {
    let folder = try TemporaryFolder()
    let first = try await journaledWriter(in: folder)
    try await first.submit(.write("x", to: folder.path("gone/a")))
    try? await first.flush()
    await first.removeFailures()
    try await first.close()
    XCTAssertEqual(folder.names, [])
  }

  func testChangesInMemoryAreNotInTheJournal() async throws {
    let folder = try TemporaryFolder()
    let (first, kill) = try await mortalWriter(in: folder)
    try await first.submit(.write("x", to: folder.path("a")), durability: .memory)
    try await first.submit(.write("x", to: folder.path("b")))
    // The journal has a change of this file, which must not come back over the newer one.
    try await first.submit(.write("newer", to: folder.path("b")), durability: .memory)
    await kill()
    let second = try await journaledWriter(in: folder)
    try await second.close()
    XCTAssertEqual(folder.names, ["b"])
    XCTAssertEqual(folder.text("b"), "newer")
  }

  func testEveryCoalescingPolicyWorksAcrossARestart() async throws {
    let join = PendingChangeQueue<FileChange>.Policy.merge { old, new in
      guard case .write(let before) = old.action, case .write(let after) = new.action else { return new }
      return .write(before + after, to: new.path)
    }
    for (policy, expected) in [(.replace, "cc"), (.moveToEnd, "cc"), (.keep, "bb"), (join, "aabbcc")]
      as [(PendingChangeQueue<FileChange>.Policy, String)]
    {
      let folder = try TemporaryFolder()
      let (first, kill) = try await mortalWriter(in: folder) { $0.coalescing = policy }
      for text in ["aa", "bb", "cc"] { try await first.submit(.write(text, to: folder.path("f"))) }
      await kill()
      let second = try await journaledWriter(in: folder) { $0.coalescing = policy }
      try await second.close()
      XCTAssertEqual(folder.text("f"), expected, "\(policy)")
    }
  }

  func testTemporaryFileOfAKilledWriteIsRemovedIfANewerChangeFollows() async throws {
    for isRemoved in [true, false] {
      let folder = try TemporaryFolder()
      // The first write waits before its rename until the newer change is recorded.
      let (first, kill) = try await mortalWriter(in: folder, dyingAt: .moveFile)
      try await first.submit(.write("first", to: folder.path("a")))
      try await first.submit(isRemoved ? .remove(folder.path("a")) : .write("last", to: folder.path("a")))
      await kill()
      XCTAssertEqual(folder.names.count, 2, "\(folder.names)")
      try await journaledWriter(in: folder).close()
      XCTAssertEqual(folder.names, isRemoved ? [] : ["a"])
    }
  }

  // MARK: The file

  func testJournalIsOnlyForItsOwnerAndIsRemovedAtTheEnd() async throws {
    let folder = try TemporaryFolder()
    try folder.put("", "journal", permissions: 0o644)
    let writer = try await journaledWriter(in: folder)
    XCTAssertEqual(folder.permissions("journal"), 0o600)
    try await writer.submit(.write("x", to: folder.path("a")))
    XCTAssertEqual(folder.permissions("journal"), 0o600)
    try await writer.close()
    XCTAssertEqual(folder.names, ["a"])
  }

  func testReleasedWriterLeavesItsJournal() async throws {
    let folder = try TemporaryFolder()
    do {
      let writer = try await journaledWriter(in: folder)
      try await writer.submit(.write("x", to: folder.path("a")))
      try await writer.flush()
    }
    XCTAssertEqual(folder.names, ["a", "journal"])
  }

  func testJournalMakesTheExpectedCallsInOrder() async throws {
    let folder = try TemporaryFolder()
    // A folder that a group may write would take more calls.
    XCTAssertEqual(unsafe chmod(folder.url.path, 0o755), 0)
    let system = ScriptedFileSystem()
    let first = try await journaledWriter(in: folder, system: system)
    let opening: [ScriptedFileSystem.Call] = [
      .openFolder, .inspectFile, .openSubfolder, .openJournal, .inspectFile, .lock, .inspect, .inspectFile, .names,
      .read,
    ]
    let rewriting: [ScriptedFileSystem.Call] = [
      .identityOfPath, .inspect, .createFile, .lock, .inspectFile, .overwrite, .overwrite, .synchronizeFile, .moveFile,
      .synchronizeFolder,
    ]
    XCTAssertEqual(system.calls, opening + rewriting)
    let openCount = system.calls.count
    try await first.submit(.write("x", to: folder.path("a")))
    XCTAssertEqual(system.calls[openCount...].prefix(3), [.identityOfPath, .overwrite, .synchronizeData])
    try await first.close()
    // The completion of the change is recorded without a sync, and nothing is left in the journal.
    let closing: [ScriptedFileSystem.Call] = [
      .synchronizeFolder, .identityOfPath, .overwrite, .identityOfPath, .removeFile, .synchronizeFolder, .unlock,
    ]
    XCTAssertEqual(Array(system.calls.suffix(7)), closing)

    try await leave([.write("x", to: folder.path("a"))], in: folder)
    let next = ScriptedFileSystem()
    let second = try await journaledWriter(in: folder, system: next)
    // The journal is synchronized before its changes are applied, so that it cannot lose them later.
    let reading: [ScriptedFileSystem.Call] = [.read, .synchronizeFile, .synchronizeFolder]
    XCTAssertEqual(Array(next.calls.prefix(23)), opening + reading + rewriting)
    try await second.close()
  }

  func testJournalReplacedDuringItsOpeningIsOpenedAgain() async throws {
    let folder = try TemporaryFolder()
    try await leave([.write("x", to: folder.path("a"))], in: folder)
    try FileManager.default.moveItem(at: folder.file("journal"), to: folder.file("new"))
    let first = Countdown(1)
    let system = ScriptedFileSystem { call, _ in
      // The opened file then has no name, so no later writer would find it.
      if call == .lock, first.next() {
        XCTAssertEqual(unsafe rename(folder.file("new").path, folder.file("journal").path), 0)
      }
      return nil
    }
    let writer = try await journaledWriter(in: folder, system: system)
    XCTAssertEqual(writer.recovery?.changeCount, 1)
    try await writer.close()
    XCTAssertEqual(folder.names, ["a"])
  }

  func testSecondWriterIsRefusedUntilTheFirstIsClosed() async throws {
    let folder = try TemporaryFolder()
    let first = try await journaledWriter(in: folder)
    do {
      _ = try await journaledWriter(in: folder)
      XCTFail("two writers have one journal")
    } catch {
      XCTAssertEqual(error.reason, .journalInUse)
      XCTAssertEqual(error.path, folder.path("journal"))
    }
    // A journal that was rewritten is locked as well.
    for number in 0..<20 { try await first.submit(.write(Data(count: 100_000), to: folder.path("\(number)"))) }
    try await first.flush()
    expectEqual(await reason { _ = try await journaledWriter(in: folder) }, .journalInUse)
    try await first.close()
    try await journaledWriter(in: folder).close()
  }

  func testPathThatCannotBeAJournalIsRefusedAndLeftAlone() async throws {
    let folder = try TemporaryFolder(["diary": "Dear diary"])
    try FileManager.default.createSymbolicLink(atPath: folder.file("journal").path, withDestinationPath: "diary")
    var refused = await reason { _ = try await journaledWriter(in: folder) }
    XCTAssertEqual(refused, .symbolicLink)
    try FileManager.default.removeItem(at: folder.file("journal"))
    XCTAssertEqual(unsafe mkfifo(folder.file("journal").path, 0o600), 0)
    refused = await reason { _ = try await journaledWriter(in: folder) }
    XCTAssertEqual(refused, .notAFile)
    try FileManager.default.removeItem(at: folder.file("journal"))
    try FileManager.default.createDirectory(at: folder.file("journal"), withIntermediateDirectories: false)
    refused = await reason { _ = try await journaledWriter(in: folder) }
    XCTAssertEqual(refused, .folder)
    refused = await reason { _ = try await FileChangeWriter(journal: folder.path("gone/journal")) }
    XCTAssertEqual(refused, .noSuchFolder)
    refused = await reason { _ = try await FileChangeWriter(journal: "journal") }
    XCTAssertEqual(refused, .relativePath)
    XCTAssertEqual(folder.names, ["diary", "journal"])
  }

  func testChangeOfTheJournalItselfIsRefused() async throws {
    let folder = try TemporaryFolder()
    let writer = try await journaledWriter(in: folder)
    expectEqual(await reason { try await writer.submit(.remove(folder.path("journal"))) }, .isTheJournal)
    try await writer.close()
  }

  func testJournalStaysSmall() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let writer = try await journaledWriter(in: folder) { $0.journalByteLimit = 20_000 }
    for number in 0..<200 {
      try await writer.submit(.write(Data(count: 1000), to: folder.path("\(number % 5)")))
      try await writer.flush()
      let size = try Data(contentsOf: folder.file("journal")).count
      XCTAssertEqual(size, 65_536, "the smallest size of a journal with its zeros")
    }
    try await writer.close()
  }

  func testManySubmissionsShareWritesOfTheJournal() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let isOpened = Flag()
    let gate = BlockingGate()
    let system = ScriptedFileSystem { call, _ in
      if call == .overwrite, isOpened.isSet { gate.pass() }
      return nil
    }
    let writer = try await journaledWriter(in: folder, system: system)
    isOpened.set(true)
    let last = Countdown(199)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          if !last.next() { gate.open() }
          try await writer.submit(.write("x", to: folder.path("\(number)")))
        }
      }
      try await group.waitForAll()
    }
    let progress = await writer.progress
    XCTAssertEqual(progress.accepted, 200)
    // One group for the first, one for those that came while it waited, and a few for those that came just after.
    XCTAssertLessThan(progress.journalGroups, 50)
    try await writer.close()
    XCTAssertEqual(folder.names.count, 200)
  }

  // MARK: Shutdown

  func testShutdownEndsWithinItsLimitAndTheJournalKeepsTheRest() async throws {
    let folder = try TemporaryFolder()
    let clock = ManualClock()
    let gate = BlockingGate()
    let system = ScriptedFileSystem(isArmed: false, holding: .openFolder, at: gate)
    var configuration = FileChangeWriter.Configuration()
    configuration.parallelFiles = 1
    configuration.idleTime = .zero
    let first = try await FileChangeWriter(
      journal: folder.path("journal"), configuration: configuration, clock: clock, random: SeededRandom(seed: 1),
      system: system)
    system.arm()
    for name in ["a", "b"] { try await first.submit(.write(name, to: folder.path(name))) }
    let shutdown = Task { try await first.close(within: .seconds(5)) }
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(5))
    let unwritten = await unwritten { try await shutdown.value }
    XCTAssertEqual(unwritten?.unfinished.map(\.change), ["a", "b"].map { .write($0, to: folder.path($0)) })
    XCTAssertEqual(unwritten?.failures, [])
    let events = await first.events()
    gate.open()
    // The running change ends, and then the journal is released.
    for await _ in events {}
    XCTAssertEqual(folder.names, ["a", "journal"])
    let second = try await journaledWriter(in: folder)
    XCTAssertEqual(second.recovery?.changeCount, 1)
    try await second.close()
    XCTAssertEqual(folder.names, ["a", "b"])
  }

  func testCancelledFlushStopsWaitingButCancelsNoChange() async throws {
    let folder = try TemporaryFolder()
    let gate = BlockingGate()
    let writer = FileChangeWriter(
      configuration: .init(), clock: ContinuousClock(), random: SeededRandom(seed: 1),
      system: ScriptedFileSystem(holding: .openFolder, at: gate))
    try await writer.submit(.write("x", to: folder.path("a")))
    let flush = Task { try await writer.flush() }
    flush.cancel()
    expectEqual(await unwritten { try await flush.value }?.unfinished.map(\.change.path), [folder.path("a")])
    gate.open()
    try await writer.close()
    XCTAssertEqual(folder.text("a"), "x")
  }
}
