import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// Reports and retries of a batch that failed for good.
final class FileChangeBatchHeldTests: XCTestCase {
  /// A batch of `a` and of a file in a missing folder.
  private func batch(_ text: String, in folder: TemporaryFolder) -> [FileChange] {
    [.write(text, to: folder.path("a")), .write(text, to: folder.path("\(text)/b"))]
  }

  private func makeFolder(_ name: String, in folder: TemporaryFolder) throws {
    try FileManager.default.createDirectory(at: folder.file(name), withIntermediateDirectories: false)
  }

  /// Submits two batches of `a` that fail.
  private func holdTwo(in folder: TemporaryFolder, with writer: FileChangeWriter) async throws {
    for text in ["older", "newer"] {
      try await writer.submit(batch: batch(text, in: folder))
      try? await writer.flush()
    }
  }

  /// Submits a batch of `a` and `b` that fails because another program has changed `a`.
  private func conflict(in folder: TemporaryFolder, with writer: FileChangeWriter) async throws {
    try folder.put("old", "a")
    let version = try FileChange.Version(of: folder.path("a"))
    try folder.put("theirs", "a")
    try await writer.submit(batch: [
      FileChange.write("mine", to: folder.path("a")).based(on: version), .write("x", to: folder.path("b")),
    ])
    expectEqual(await unwritten { try await writer.flush() }?.failures.map(\.error.isConflict), [true])
  }

  // MARK: Reports

  func testFlushReportsAFailedBatchEvenIfTheConflictingFileIsWritten() async throws {
    let (folder, gate) = (try TemporaryFolder(), BlockingGate())
    let system = ScriptedFileSystem(isArmed: false, holding: .createFile, at: gate)
    let writer = FileChangeWriter(system: system)
    try await conflict(in: folder, with: writer)
    system.arm()
    try await writer.submit(.write("merged", to: folder.path("a")))
    let flush = Task { try await writer.flush() }
    try await until(await writer.waiterCount != 0)
    gate.open()
    let unwritten = await unwritten { try await flush.value }
    let failures = await writer.failures
    XCTAssertEqual(failures.count, 1)
    XCTAssertEqual(unwritten?.failures, failures)
    XCTAssertEqual(folder.text("a"), "merged")
    try? await writer.close()
  }

  func testFlushOfAFileWaitsForTheNewestOfItsRetriedBatches() async throws {
    let (folder, gate) = (try TemporaryFolder(), BlockingGate())
    let system = ScriptedFileSystem(isArmed: false, holding: .createFile, at: gate)
    let writer = FileChangeWriter(system: system)
    let note = try await writer.file(at: folder.path("a"))
    try await holdTwo(in: folder, with: writer)
    try makeFolder("older", in: folder)
    system.arm()
    await writer.retryFailures()
    let wait = Task { await failureOfWriting(note)?.reason }
    try await until(await writer.waiterCount != 0)
    gate.open()
    expectEqual(await wait.value, .noSuchFolder)
    XCTAssertEqual(folder.text("a"), "older")
    try? await writer.close()
  }

  func testAcceptingTheirContentsEndsTheConflictOfABatch() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter()
    let note = try await writer.file(at: folder.path("a"))
    try await conflict(in: folder, with: writer)
    XCTAssertEqual(note.state, .conflict)
    try await note.accept(note.otherVersion())
    XCTAssertEqual(note.state, .saved)
    try await note.flush()
    try await note.save("theirs and mine")
    try await note.flush()
    XCTAssertEqual(folder.text("a"), "theirs and mine")
    expectEqual(await writer.failures.count, 1, "of its other file it is still one")
    try? await writer.close()
  }

  func testContentsOfAFailedBatchAreTheNewestOfTheFile() async throws {
    let folder = try TemporaryFolder(["a": "old"])
    let writer = FileChangeWriter()
    let a = try await writer.file(at: folder.path("a"))
    try await writer.submit(batch: batch("newest", in: folder))
    _ = await unwritten { try await writer.flush() }
    expectEqual(try await newestText(a), "newest")
    // A move alone would leave the newest contents behind.
    expectEqual(await reason { try await writer.submit(.move(folder.path("a"), to: folder.path("c"))) }, .noSuchFolder)
    try await writer.submit(batch: [
      .write("newer", to: folder.path("a")), .move(folder.path("a"), to: folder.path("c")),
    ])
    try? await writer.flush()
    XCTAssertEqual(folder.text("c"), "newer")
    try? await writer.close()
  }

  func testFileOpenedAfterAFailedBatchUsesTheBaseOfTheBatch() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter()
    try await conflict(in: folder, with: writer)
    let a = try await writer.file(at: folder.path("a"))
    expectEqual(try await newestText(a), "mine")
    try await a.save("mine, too")
    expectEqual(await failureOfWriting(a)?.isConflict, true)
    XCTAssertEqual(folder.text("a"), "theirs")
    try? await writer.close()
  }

  // MARK: Retries

  func testRetryOfOneFileIsRefusedIfItsBatchIsOlderThanAnotherFile() async throws {
    for (hasJournal, isWritten) in [(false, false), (false, true), (true, false), (true, true)] {
      let (folder, isFull) = (try TemporaryFolder(), Flag())
      let system = ScriptedFileSystem { call, _ in call == .createFile && isFull.isSet ? .failure(ENOSPC) : nil }
      let writer = hasJournal ? try await journaledWriter(in: folder, system: system) : FileChangeWriter(system: system)
      let (a, b) = (try await writer.file(at: folder.path("a")), try await writer.file(at: folder.path("older/b")))
      try await writer.submit(batch: batch("older", in: folder))
      _ = await unwritten { try await writer.flush() }
      isFull.set(!isWritten)
      try await a.save("newer")
      expectEqual(await failureOfWriting(a)?.reason, isWritten ? nil : .deviceFull)
      isFull.set(false)
      try makeFolder("older", in: folder)
      expectEqual(await b.retry(), false, "journal: \(hasJournal), written: \(isWritten)")
      try? await writer.flush()
      expectEqual(try await newestText(a), "newer", "journal: \(hasJournal), written: \(isWritten)")
      // A retry of all failures keeps their order.
      expectEqual(await writer.retryFailures(), 1)
      try? await writer.flush()
      XCTAssertEqual(folder.text("a"), isWritten ? "older" : "newer")
      try? await writer.close()
    }
  }

  func testBatchThatFailsAgainStaysOlderThanContentsSavedSince() async throws {
    for isRestarted in [false, true] {
      let folder = try TemporaryFolder()
      var writer = try await journaledWriter(in: folder)
      var a = try await writer.file(at: folder.path("a"))
      try await writer.submit(batch: batch("older", in: folder))
      _ = await unwritten { try await writer.flush() }
      try await a.save("newer")
      try await a.flush()
      if isRestarted {
        try? await writer.close()
        writer = try await journaledWriter(in: folder)
        a = try await writer.file(at: folder.path("a"))
      } else {
        expectEqual(await writer.retryFailures(), 1)
        _ = await unwritten { try await writer.flush() }
        XCTAssertEqual(a.state, .saved)
        try await a.flush()
      }
      try makeFolder("older", in: folder)
      expectEqual(try await writer.file(at: folder.path("older/b")).retry(), false, "restarted: \(isRestarted)")
      XCTAssertEqual(folder.text("a"), "newer")
      try? await writer.close()
    }
  }

  func testBatchKilledDuringItsRetryStaysOlderThanContentsSavedSince() async throws {
    let folder = try TemporaryFolder()
    let (dying, kill) = try await mortalWriter(
      in: folder, dyingAt: .moveFile,
      after: { writer in
        try await writer.submit(batch: self.batch("older", in: folder))
        _ = await unwritten { try await writer.flush() }
        let a = try await writer.file(at: folder.path("a"))
        try await a.save("newer")
        try await a.flush()
        try self.makeFolder("older", in: folder)
      })
    await dying.retryFailures()
    await kill()
    try FileManager.default.removeItem(at: folder.file("older"))
    let writer = try await journaledWriter(in: folder)
    _ = await unwritten { try await writer.flush() }
    expectEqual(await writer.failures.count, 1)
    try makeFolder("older", in: folder)
    expectEqual(try await writer.file(at: folder.path("older/b")).retry(), false)
    try? await writer.flush()
    XCTAssertEqual(folder.text("a"), "newer")
    try? await writer.close()
  }

  func testFileFailsIfARetriedBatchReplacedItAndWasNotRolledBack() async throws {
    let (folder, first) = (try TemporaryFolder(), Countdown(1))
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      call == .moveFile && !first.next() ? .failure(EACCES) : nil
    }
    let writer = FileChangeWriter(system: system)
    let a = try await writer.file(at: folder.path("a"))
    try await writer.submit(batch: batch("older", in: folder))
    _ = await unwritten { try await writer.flush() }
    try await a.save("newer")
    try await a.flush()
    try makeFolder("older", in: folder)
    system.arm()
    await writer.retryFailures()
    expectEqual(await unwritten { try await writer.flush() }?.failures.map(\.isRolledBack), [false])
    XCTAssertEqual(folder.text("a"), "older")
    expectEqual(await failureOfWriting(a)?.reason, .permissionDenied)
    try? await writer.close()
  }

  func testBatchThatFailsAgainIsStillRetriedBeforeNewerOnes() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter()
    try await holdTwo(in: folder, with: writer)
    await writer.retryFailures()
    try? await writer.flush()
    for name in ["older", "newer"] { try makeFolder(name, in: folder) }
    for text in ["older", "newer"] {
      expectEqual(await writer.retryFailures(), 1)
      try? await writer.flush()
      XCTAssertEqual(folder.text("a"), text)
    }
    try? await writer.close()
  }

  func testAllFailedBatchesAreRetriedTogetherWithOneParallelFile() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter(configuration: FileChangeWriter.Configuration(parallelFiles: 1))
    let names = ["x", "y", "z"]
    for name in names {
      try await writer.submit(batch: [.write(name, to: folder.path(name)), .write(name, to: folder.path("\(name)s/1"))])
      try? await writer.flush()
    }
    for name in names { try makeFolder("\(name)s", in: folder) }
    expectEqual(await writer.retryFailures(), 3)
    try await writer.flush()
    for name in names { XCTAssertEqual(folder.text("\(name)s/1"), name) }
    try await writer.close()
  }

  func testBatchIsDoneAlthoughItsOldFileIsNeverRemovedAndAttemptsHaveNoLimit() async throws {
    let folder = try TemporaryFolder()
    try folder.put("old", "a")
    let isPut = Flag()
    let system = ScriptedFileSystem { call, _ in
      if call == .removeFile, folder.text("a") == "new" { isPut.set(true) }
      return call == .removeFile && isPut.isSet ? .failure(EACCES) : nil
    }
    let writer = FileChangeWriter(
      configuration: FileChangeWriter.Configuration(
        backoff: Backoff(firstDelay: .milliseconds(1), longestDelay: .milliseconds(1))), system: system)
    try await writer.submit(batch: [.write("new", to: folder.path("a")), .write("b", to: folder.path("b"))])
    try await writer.flush()
    XCTAssertTrue(isPut.isSet)
    XCTAssertEqual(folder.text("b"), "b")
    try await writer.close()
  }
}
