import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// What callers are told of a batch that failed for good, and what comes of it when it is tried again.
final class FileChangeBatchHeldTests: XCTestCase {
  /// A batch of `a` and of a file in a folder that is not there.
  private func batch(_ text: String, in folder: TemporaryFolder) -> [FileChange] {
    [.write(text, to: folder.path("a")), .write(text, to: folder.path("\(text)/b"))]
  }

  private func makeFolder(_ name: String, in folder: TemporaryFolder) throws {
    try FileManager.default.createDirectory(at: folder.file(name), withIntermediateDirectories: false)
  }

  /// Two batches of `a` that failed.
  private func holdTwo(in folder: TemporaryFolder, with writer: FileChangeWriter) async throws {
    for text in ["older", "newer"] {
      try await writer.submit(batch: batch(text, in: folder))
      try? await writer.flush()
    }
  }

  /// A batch of `a` and `b` that failed since another program has changed `a`.
  private func conflict(in folder: TemporaryFolder, with writer: FileChangeWriter) async throws {
    try folder.put("old", "a")
    let version = try FileChange.Version(of: folder.path("a"))
    try folder.put("theirs", "a")
    try await writer.submit(batch: [
      FileChange.write("mine", to: folder.path("a")).based(on: version), .write("x", to: folder.path("b")),
    ])
    expectEqual(await unwritten { try await writer.flush() }?.failures.map(\.error.isConflict), [true])
  }

  // MARK: What is told

  func testAFlushTellsOfABatchAlsoWhereTheFileIsWrittenThatItFailedOver() async throws {
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

  func testAnOlderBatchDoesNotEndTheWaitForWhatAHeldOneHasOfTheFile() async throws {
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

  func testTheirContentsEndTheConflictThatABatchHas() async throws {
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

  func testTheContentsOfABatchThatFailedAreThoseOfTheFile() async throws {
    let folder = try TemporaryFolder(["a": "old"])
    let writer = FileChangeWriter()
    let a = try await writer.file(at: folder.path("a"))
    try await writer.submit(batch: batch("newest", in: folder))
    _ = await unwritten { try await writer.flush() }
    expectEqual(try await newestText(a), "newest")
    // They would be left behind.
    expectEqual(await reason { try await writer.submit(.move(folder.path("a"), to: folder.path("c"))) }, .noSuchFolder)
    try await writer.submit(batch: [
      .write("newer", to: folder.path("a")), .move(folder.path("a"), to: folder.path("c")),
    ])
    try? await writer.flush()
    XCTAssertEqual(folder.text("c"), "newer")
    try? await writer.close()
  }

  func testAFileThatIsOpenedBehindABatchThatFailedHasItsBase() async throws {
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

  // MARK: What is tried again

  func testOneFileIsNotTriedAgainOverNewerContentsOfAnother() async throws {
    for (hasJournal, isWritten) in [(false, false), (false, true), (true, false), (true, true)] {
      let (folder, isFull) = (try TemporaryFolder(), Flag())
      let system = ScriptedFileSystem { call, _ in call == .createFile && isFull.isSet ? .failure(ENOSPC) : nil }
      let writer = hasJournal ? try await writer(in: folder, system: system) : FileChangeWriter(system: system)
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
      // All together they are tried, in their order.
      expectEqual(await writer.retryFailures(), 1)
      try? await writer.flush()
      XCTAssertEqual(folder.text("a"), isWritten ? "older" : "newer")
      try? await writer.close()
    }
  }

  func testABatchThatFailsAgainIsStillOlderThanWhatAFileHas() async throws {
    for isRestarted in [false, true] {
      let folder = try TemporaryFolder()
      var writer = try await writer(in: folder)
      var a = try await writer.file(at: folder.path("a"))
      try await writer.submit(batch: batch("older", in: folder))
      _ = await unwritten { try await writer.flush() }
      try await a.save("newer")
      try await a.flush()
      if isRestarted {
        try? await writer.close()
        writer = try await self.writer(in: folder)
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

  func testABatchThatIsKilledWhileItIsTriedAgainIsStillOlderThanWhatAFileHas() async throws {
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
    let writer = try await writer(in: folder)
    _ = await unwritten { try await writer.flush() }
    expectEqual(await writer.failures.count, 1)
    try makeFolder("older", in: folder)
    expectEqual(try await writer.file(at: folder.path("older/b")).retry(), false)
    try? await writer.flush()
    XCTAssertEqual(folder.text("a"), "newer")
    try? await writer.close()
  }

  func testABatchThatGoesHalfBackWhenItIsTriedAgainIsAboutWhatItHasReplaced() async throws {
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
    expectEqual(await unwritten { try await writer.flush() }?.failures.map(\.isTakenBack), [false])
    XCTAssertEqual(folder.text("a"), "older")
    expectEqual(await failureOfWriting(a)?.reason, .permissionDenied)
    try? await writer.close()
  }

  func testABatchThatFailsAgainStaysBeforeThoseBehindIt() async throws {
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

  func testAllBatchesAreTriedAgainAtOnceWhereFilesAreWrittenOneByOne() async throws {
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
}
