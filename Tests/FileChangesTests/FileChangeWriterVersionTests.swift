import FileChanges
import Foundation
import PendingChanges
import TestSupport
import XCTest

/// A version that the writer itself has made is not a conflict, whatever happened to the writer in between.
final class FileChangeWriterVersionTests: XCTestCase {
  /// A folder with the file `a`, and its version.
  private func folderWithFile() throws -> (TemporaryFolder, FileChange.Version) {
    let folder = try TemporaryFolder(["a": "old"])
    return (folder, try FileChange.Version(of: folder.path("a")))
  }

  private func change(_ text: String, _ folder: TemporaryFolder, _ version: FileChange.Version)
    -> FileChange
  {
    .write(text, to: folder.path("a")).based(on: version)
  }

  // MARK: After a kill

  func testVersionRecordedByAKilledWriterIsNotAConflict() async throws {
    for limit in [1 << 20, 1] {
      let (folder, version) = try folderWithFile()
      let (first, kill) = try await mortalWriter(in: folder) {
        $0.journalByteLimit = limit
      } after: { first in
        try await first.submit(change("1", folder, version))
        try await first.flush()
      }
      try await first.submit(change("2", folder, version))
      // With the limit of 1, this change makes the writer rewrite the journal.
      try await first.submit(.write("x", to: folder.path("b")))
      await kill()
      XCTAssertEqual(folder.text("a"), "1")

      let second = try await journaledWriter(in: folder)
      XCTAssertEqual(second.recovery?.changeCount, 2)
      try await second.close()
      XCTAssertEqual(folder.text("a"), "2")
    }
  }

  func testVersionRecordedAfterANewerChangeIsNotAConflict() async throws {
    let (folder, version) = try folderWithFile()
    let (gate, end) = (BlockingGate(), BlockingGate())
    let opened = Countdown(1)
    // The first change goes on when the second is recorded. No other change goes on before the end.
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      guard call == .openFolder else { return nil }
      if opened.next() {
        gate.pass()
        return nil
      }
      end.pass()
      return .death
    }
    let first = try await journaledWriter(in: folder, system: system)
    system.arm()
    try await first.submit(change("1", folder, version))
    try await first.submit(change("2", folder, version))
    gate.open()
    try await until(await first.progress.written != 0)
    // The next record follows that of the version.
    try await first.submit(.write("x", to: folder.path("b")))
    end.open()
    try? await first.close()
    XCTAssertEqual(folder.text("a"), "1")
    try await journaledWriter(in: folder).close()
    XCTAssertEqual(folder.text("a"), "2")
  }

  func testVersionThatAKilledWriterCouldNotRecordIsNotAConflict() async throws {
    for isRemoved in [false, true] {
      let (folder, version) = try folderWithFile()
      // The first change is visible, but the writer dies before it can record that.
      let (first, kill) = try await mortalWriter(in: folder, dyingAt: .synchronizeFolder)
      try await first.submit(
        isRemoved ? .remove(folder.path("a")).based(on: version) : change("1", folder, version))
      try await first.submit(change("2", folder, version))
      await kill()
      XCTAssertEqual(folder.text("a"), isRemoved ? nil : "1")

      // The next writer rewrites the journal, and is killed before it does anything else.
      try await die(in: folder)
      XCTAssertEqual(folder.text("a"), isRemoved ? nil : "1")

      try await journaledWriter(in: folder).close()
      XCTAssertEqual(folder.text("a"), "2")
      XCTAssertEqual(folder.names, ["a"])
    }
  }

  func testForeignChangeAfterAKillIsAConflict() async throws {
    let (folder, version) = try folderWithFile()
    try await leave([change("1", folder, version), change("2", folder, version)], in: folder)
    try folder.put("another's", "a")
    let second = try await journaledWriter(in: folder)
    let unwritten = await unwritten { try await second.close() }
    XCTAssertEqual(unwritten?.failures.map(\.error.isConflict), [true])
    XCTAssertEqual(unwritten?.failures.map(\.change), [change("2", folder, version)])
    XCTAssertEqual(folder.text("a"), "another's")
  }

  func testOwnVersionIsNotAConflictOfAFailedBatchAfterRestarts() async throws {
    let (folder, version) = try folderWithFile()
    let first = try await journaledWriter(in: folder)
    try await first.submit(change("1", folder, version))
    try await first.flush()
    try await first.submit(batch: [change("2", folder, version), .write("x", to: folder.path("d/b"))])
    _ = await unwritten { try await first.close() }
    let second = try await journaledWriter(in: folder)
    _ = await unwritten { try await second.close() }
    try FileManager.default.createDirectory(at: folder.file("d"), withIntermediateDirectories: false)
    let third = try await journaledWriter(in: folder)
    await third.retryFailures()
    try await third.close()
    XCTAssertEqual(folder.text("a"), "2")
  }

  func testTemporaryFileIsRemovedAfterTwoKills() async throws {
    let folder = try TemporaryFolder()
    let (first, kill) = try await mortalWriter(in: folder, dyingAt: .moveFile)
    try await first.submit(.write("first", to: folder.path("a")))
    try await first.submit(.write("last", to: folder.path("a")))
    await kill()
    XCTAssertEqual(folder.names.count, 2, "\(folder.names)")
    try await die(in: folder)
    XCTAssertEqual(folder.names.count, 2, "\(folder.names)")
    try await journaledWriter(in: folder).close()
    XCTAssertEqual(folder.names, ["a"])
    XCTAssertEqual(folder.text("a"), "last")
  }

  /// Runs a writer that rewrites the journal and then dies.
  private func die(in folder: TemporaryFolder) async throws {
    let opened = Countdown(1)
    let system = ScriptedFileSystem { call, _ in
      call == .openFolder && !opened.next() ? .death : nil
    }
    let writer = try await journaledWriter(in: folder, system: system)
    try? await writer.close()
    XCTAssertTrue(system.isDead)
  }

  // MARK: Without a restart

  func testUnconditionalOwnWriteIsNotAConflict() async throws {
    let (folder, version) = try folderWithFile()
    let writer = FileChangeWriter()
    try await writer.submit(.write("1", to: folder.path("a")))
    try await writer.flush()
    try await writer.submit(change("2", folder, version))
    try await writer.flush()
    XCTAssertEqual(folder.text("a"), "2")
    try await writer.submit(.remove(folder.path("a")))
    try await writer.flush()
    try await writer.submit(change("3", folder, version))
    try await writer.close()
    XCTAssertEqual(folder.text("a"), "3")
  }

  func testChangeThatReplacesAnUnconditionalOneIsUnconditional() async throws {
    let (folder, version) = try folderWithFile()
    let (first, kill) = try await mortalWriter(in: folder) { $0.parallelFiles = 1 }
    try await first.submit(.write("x", to: folder.path("busy")))
    try await first.submit(.write("1", to: folder.path("a")))
    try folder.put("another's", "a")
    try await first.submit(change("2", folder, version))
    await kill()
    try await journaledWriter(in: folder).close()
    XCTAssertEqual(folder.text("a"), "2")
  }

  func testOwnWriteThatFailedToSyncIsNotAConflict() async throws {
    let (folder, version) = try folderWithFile()
    let clock = ManualClock()
    let failures = Countdown(1)
    let system = ScriptedFileSystem { call, _ in
      call == .synchronizeFolder && failures.next() ? .failure(EIO) : nil
    }
    let writer = FileChangeWriter(
      configuration: .init(), clock: clock, random: SeededRandom(seed: 1), system: system)
    try await writer.submit(change("1", folder, version))
    await clock.waitForSleepers(1)
    XCTAssertEqual(folder.text("a"), "1")
    try await writer.submit(change("2", folder, version))
    try await writer.close()
    XCTAssertEqual(folder.text("a"), "2")
  }

  func testOnlyTheMostRecentlyChangedFilesAreRemembered() {
    var versions = FileChangeWriter._KnownVersions(limit: 2)
    for path: FileChange.Path in ["/a", "/b", "/a", "/c"] { versions.store(.absent, of: path) }
    XCTAssertEqual(versions.count, 2)
    XCTAssertEqual(versions["/a"], .absent)
    XCTAssertNil(versions["/b"])
    XCTAssertEqual(versions["/c"], .absent)
  }
}
