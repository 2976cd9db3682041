import FileChanges
import Foundation
import Journals
import PendingChanges
import TestSupport
import XCTest

/// Journals that cannot be written, or that another program or writer has changed.
final class FileChangeWriterJournalFaultTests: XCTestCase {
  func testFailingJournalRefusesChangesAndAcceptsLaterOnes() async throws {
    for faults in [[ScriptedFileSystem.Call.overwrite], [.synchronizeData, .synchronizeFile]] {
      let folder = try TemporaryFolder()
      let isBroken = Flag()
      let system = ScriptedFileSystem { call, _ in faults.contains(call) && isBroken.isSet ? .lateFailure(ENOSPC) : nil
      }
      let first = try await journaledWriter(in: folder, system: system)
      try await first.submit(.write("kept", to: folder.path("gone/a")))
      try? await first.flush()
      isBroken.set(true)
      for name in ["b", "c"] {
        do {
          try await first.submit(.write("lost", to: folder.path(name)))
          XCTFail("the journal cannot be written")
        } catch {
          XCTAssertEqual(error.reason, .deviceFull)
          XCTAssertEqual(error.path, folder.path("journal"))
          XCTAssertEqual(error.operation, .writeJournal)
        }
        // Even if the process ended now, the refused changes would not come back.
        let bytes = try [UInt8](Data(contentsOf: folder.file("journal")))
        XCTAssertEqual(
          try FileChangeWriter._JournalContents(bytes).unfinished.map(\.body.path), [folder.path("gone/a")])
      }
      isBroken.set(false)
      try await first.submit(.write("new", to: folder.path("d")))
      try? await first.close()
      XCTAssertEqual(folder.names, ["d", "journal"])
      try FileManager.default.createDirectory(at: folder.file("gone"), withIntermediateDirectories: false)
      try await journaledWriter(in: folder).close()
      XCTAssertEqual(folder.text("gone/a"), "kept")
      XCTAssertEqual(folder.names, ["d", "gone"])
    }
  }

  func testRemovedJournalIsRecreated() async throws {
    let folder = try TemporaryFolder()
    let first = try await journaledWriter(in: folder)
    try await first.submit(.write("kept", to: folder.path("gone/a")))
    try? await first.flush()
    try FileManager.default.removeItem(at: folder.file("journal"))
    try await first.submit(.write("y", to: folder.path("b")))
    try? await first.close()
    XCTAssertEqual(folder.names, ["b", "journal"])
    let second = try await journaledWriter(in: folder)
    XCTAssertEqual(second.recovery?.changeCount, 1)
    try? await second.close()
  }

  func testTruncatedJournalIsRecreatedBeforeAnythingIsAcknowledged() async throws {
    for size in [0, 100] {
      let folder = try TemporaryFolder()
      let first = try await journaledWriter(in: folder)
      try await first.submit(.write("kept", to: folder.path("gone/a")))
      try? await first.flush()
      XCTAssertEqual(unsafe truncate(folder.file("journal").path, off_t(size)), 0)
      try await first.submit(.write("y", to: folder.path("b")))
      // A kill at this moment would leave these bytes.
      let bytes = [UInt8](try Data(contentsOf: folder.file("journal")))
      let paths = try FileChangeWriter._JournalContents(bytes).unfinished.map(\.body.path)
      XCTAssertTrue(paths.contains(folder.path("gone/a")), "\(size) bytes: \(paths)")
      try? await first.close()
      XCTAssertEqual(folder.names.count { $0.hasPrefix("journal.damaged-") }, size == 0 ? 0 : 1)
      let second = try await journaledWriter(in: folder)
      XCTAssertEqual(second.recovery?.changeCount, 1)
      XCTAssertEqual(second.recovery?.isIntact, true)
      try? await second.close()
    }
  }

  func testRemovedJournalIsRecreatedWhenACompletionIsRecorded() async throws {
    let (folder, once) = (try TemporaryFolder(), Flag(true))
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      if call == .moveFile, once.take() { try? FileManager.default.removeItem(at: folder.file("journal")) }
      return nil
    }
    let first = try await journaledWriter(in: folder, system: system)
    try await first.submit(.write("kept", to: folder.path("gone/a")))
    try? await first.flush()
    system.arm()
    try await first.submit(.write("y", to: folder.path("b")))
    try? await first.flush()
    // Nothing else is submitted.
    try await until(folder.names.contains("journal"))
    try? await first.close()
    let second = try await journaledWriter(in: folder)
    XCTAssertEqual(second.recovery?.changeCount, 1)
    try? await second.close()
  }

  func testJournalCreatedByAnotherWriterMeanwhileIsNotReplaced() async throws {
    let (folder, once) = (try TemporaryFolder(), Flag(true))
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      let isLast = call == .linkFile || call == .moveFile
      if isLast, once.take() { _ = try? folder.put("another's", "journal", permissions: 0o600) }
      return nil
    }
    let writer = try await journaledWriter(in: folder, system: system)
    try FileManager.default.removeItem(at: folder.file("journal"))
    system.arm()
    expectEqual(await reason { try await writer.submit(.write("x", to: folder.path("b"))) }, .journalInUse)
    try? await writer.close()
    XCTAssertEqual(folder.text("journal"), "another's")
    XCTAssertEqual(folder.names, ["journal"])
  }

  func testJournalIsRecreatedAlthoughTheLinkCallReportsAFailure() async throws {
    for code in [EEXIST, EIO, EACCES] {
      let folder = try TemporaryFolder()
      let system = ScriptedFileSystem(isArmed: false) { call, _ in
        guard call == .linkFile else { return nil }
        return code == EACCES ? .failure(code) : .lateFailure(code)
      }
      let first = try await journaledWriter(in: folder, system: system)
      try FileManager.default.removeItem(at: folder.file("journal"))
      system.arm()
      try await first.submit(.write("kept", to: folder.path("gone/a")))
      XCTAssertEqual(folder.names, ["journal"])
      try? await first.close()
      let second = try await journaledWriter(in: folder)
      XCTAssertEqual(second.recovery?.changeCount, 1, "\(code)")
      try? await second.close()
    }
  }

  func testCloseDoesNotRemoveAnotherWritersJournal() async throws {
    let folder = try TemporaryFolder()
    let first = try await journaledWriter(in: folder)
    try FileManager.default.moveItem(at: folder.file("journal"), to: folder.file("moved"))
    let second = try await journaledWriter(in: folder)
    try await first.close()
    XCTAssertEqual(folder.names, ["journal", "moved"])
    try await second.close()
    XCTAssertEqual(folder.names, ["moved"])
  }

  func testRecoveredChangesAreAppliedIfTheJournalCannotBeWritten() async throws {
    let folder = try TemporaryFolder()
    try await leave([.write("x", to: folder.path("a"))], in: folder)
    // The first file that is created is the journal's own.
    let first = Countdown(1)
    let system = ScriptedFileSystem { call, _ in call == .createFile && first.next() ? .failure(ENOSPC) : nil }
    let writer = try await journaledWriter(in: folder, system: system)
    try await writer.flush()
    XCTAssertEqual(folder.text("a"), "x")
    try await writer.close()
    XCTAssertEqual(folder.names, ["a"])
  }

  func testMovedJournalIsNoLongerWritten() async throws {
    let folder = try TemporaryFolder()
    let first = try await journaledWriter(in: folder)
    try FileManager.default.moveItem(at: folder.file("journal"), to: folder.file("moved"))
    let bytes = try Data(contentsOf: folder.file("moved"))
    try await first.submit(.write("y", to: folder.path("b")))
    try await first.close()
    XCTAssertEqual(folder.names, ["b", "moved"])
    XCTAssertEqual(try Data(contentsOf: folder.file("moved")), bytes)
  }

  func testAnotherWritersJournalIsNotReplaced() async throws {
    let folder = try TemporaryFolder()
    let first = try await journaledWriter(in: folder)
    try FileManager.default.removeItem(at: folder.file("journal"))
    let second = try await journaledWriter(in: folder)
    try await second.submit(.write("kept", to: folder.path("gone/a")))
    for _ in 0..<2 {
      expectEqual(await reason { try await first.submit(.write("x", to: folder.path("b"))) }, .journalInUse)
    }
    try await first.close()
    try? await second.close()
    XCTAssertEqual(folder.names, ["journal"])
    let third = try await journaledWriter(in: folder)
    XCTAssertEqual(third.recovery?.changeCount, 1)
    try? await third.close()
  }

  func testJournalIsRecreatedIfItsFolderIsRecreated() async throws {
    let (folder, place) = (try TemporaryFolder(), try TemporaryFolder())
    let journal = folder.path("d/journal")
    try FileManager.default.createDirectory(
      at: folder.file("d"), withIntermediateDirectories: false)
    let first = try await FileChangeWriter(journal: journal)
    for isMoved in [false, true] {
      if isMoved {
        try FileManager.default.moveItem(at: folder.file("d"), to: folder.file("moved"))
      } else {
        try FileManager.default.removeItem(at: folder.file("d"))
      }
      expectEqual(await reason { try await first.submit(.write("x", to: place.path("a"))) }, .noSuchFolder)
      try FileManager.default.createDirectory(
        at: folder.file("d"), withIntermediateDirectories: false)
      try await first.submit(.write("kept", to: place.path("gone/a")))
      let bytes = try [UInt8](Data(contentsOf: folder.file("d/journal")))
      XCTAssertEqual(
        Set(try FileChangeWriter._JournalContents(bytes).unfinished.map(\.body.path)), [place.path("gone/a")])
    }
    try? await first.close()
  }

  func testJournalWritableByOthersIsRefused() async throws {
    let folder = try TemporaryFolder()
    try await leave([.write("x", to: folder.path("a"))], in: folder)
    for permissions in [0o620, 0o602, 0o666] {
      XCTAssertEqual(unsafe chmod(folder.file("journal").path, mode_t(permissions)), 0)
      expectEqual(await reason { _ = try await journaledWriter(in: folder) }, .insecureJournal)
    }
    XCTAssertEqual(unsafe chmod(folder.file("journal").path, 0o600), 0)
    if geteuid() == 0 {
      XCTAssertEqual(unsafe chown(folder.file("journal").path, 1234, 0), 0)
      expectEqual(await reason { _ = try await journaledWriter(in: folder) }, .insecureJournal)
      XCTAssertEqual(unsafe chown(folder.file("journal").path, 0, 0), 0)
    }
    try await journaledWriter(in: folder).close()
    XCTAssertEqual(folder.names, ["a"])
  }

  func testFilesBesideTheJournalAreNotTouched() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    try folder.put("mine", "journal.new")
    let writer = try await journaledWriter(in: folder) { $0.journalByteLimit = 1 }
    for number in 0..<5 { try await writer.submit(.write("x", to: folder.path("\(number % 2)"))) }
    try await writer.close()
    XCTAssertEqual(folder.names, ["0", "1", "journal.new"])
    XCTAssertEqual(folder.text("journal.new"), "mine")
  }

  func testShutdownRecordsACompletionThatCouldNotBeWritten() async throws {
    let folder = try TemporaryFolder()
    let isBroken = Flag()
    // While this is set, the only write to the journal is the completion of a change.
    let system = ScriptedFileSystem { call, _ in
      if call == .moveFile, folder.names.contains("gone") == false { isBroken.set(true) }
      return call == .overwrite && isBroken.isSet ? .failure(ENOSPC) : nil
    }
    let first = try await journaledWriter(in: folder, system: system)
    isBroken.set(false)
    try await first.submit(.write("kept", to: folder.path("gone/a")))
    try? await first.flush()
    try await first.submit(.write("done", to: folder.path("b")))
    try? await first.flush()
    try await until(await first.progress.journalFailures != 0)
    isBroken.set(false)
    try? await first.close()
    try folder.put("another's", "b")
    let second = try await journaledWriter(in: folder)
    XCTAssertEqual(second.recovery?.changeCount, 1)
    try? await second.close()
    XCTAssertEqual(folder.text("b"), "another's")
  }

  func testChangeTooLargeForARecordIsRefused() async throws {
    let folder = try TemporaryFolder()
    let writer = try await journaledWriter(in: folder)
    // Address space without memory, which every system has enough of.
    let size = 1 << 32
    let zeros = unsafe mmap(nil, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    let start = try unsafe XCTUnwrap(zeros == MAP_FAILED ? nil : zeros)
    let contents = unsafe Data(bytesNoCopy: start, count: size, deallocator: .unmap)
    expectEqual(await reason { try await writer.submit(.write(contents, to: folder.path("a"))) }, .tooLarge)
    try await writer.close()
  }

  func testRecoveredChangeOfTheJournalItselfIsAFailure() async throws {
    let folder = try TemporaryFolder()
    try await leave([.write("x", to: folder.path("moved")), .write("y", to: folder.path("b"))], in: folder)
    try FileManager.default.moveItem(at: folder.file("journal"), to: folder.file("moved"))
    var configuration = FileChangeWriter.Configuration()
    configuration.backoff.attempts = 1
    let writer = try await FileChangeWriter(journal: folder.path("moved"), configuration: configuration)
    expectEqual(await unwritten { try await writer.close() }?.failures.map(\.error.reason), [.isTheJournal])
    XCTAssertEqual(folder.names, ["b", "moved"])
  }

  func testKeptChangeBecomesAsDurableAsTheDroppedOne() async throws {
    let folder = try TemporaryFolder()
    let (first, kill) = try await mortalWriter(in: folder) {
      $0.coalescing = .keep
      $0.parallelFiles = 1
    }
    try await first.submit(.write("x", to: folder.path("busy")))
    let kept = try await first.submit(.write("kept", to: folder.path("a")), durability: .memory)
    let second = try await first.submit(.write("not accepted", to: folder.path("a")))
    XCTAssertEqual(kept, second)
    await kill()
    try await journaledWriter(in: folder).close()
    XCTAssertEqual(folder.text("a"), "kept")
  }
}
