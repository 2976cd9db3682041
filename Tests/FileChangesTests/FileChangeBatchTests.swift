import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// Several changes that are applied wholly or not at all, by a writer that is not interrupted.
final class FileChangeBatchTests: XCTestCase {
  private func texts(in folder: TemporaryFolder) -> [String: String] {
    Dictionary(uniqueKeysWithValues: folder.names.filter { $0 != "journal" }.map { ($0, folder.text($0) ?? "?") })
  }

  /// Parses `a = text` as a write, `a > b` as a move and `- a` as a removal.
  private func changes(_ lines: [String], in folder: TemporaryFolder) -> [FileChange] {
    lines.map { line in
      let words = line.split(separator: " ").map(String.init)
      switch words[words.count - 2] {
      case "=": return .write(words[2], to: folder.path(words[0]))
      case ">": return .move(folder.path(words[0]), to: folder.path(words[2]))
      default: return .remove(folder.path(words[1]))
      }
    }
  }

  /// Runs with and without a journal, and with and without hard links.
  func testChangesAreAppliedInOrder() async throws {
    let batches: [(files: [String: String], changes: [String], expected: [String: String])] = [
      (
        ["a": "old", "b": "gone", "c": "moved"], ["a = new", "- b", "c > d", "e = made", "- never"],
        ["a": "new", "d": "moved", "e": "made"]
      ),
      (["a": "A", "b": "B"], ["a > c", "b > a", "c > b"], ["a": "B", "b": "A"]),
      (["a": "A", "b": "B"], ["- b", "a > b", "a = again"], ["a": "again", "b": "A"]),
      (["a": "A"], ["a = new", "a > b"], ["b": "new"]),
      (["a": "A"], ["a > b", "b > a"], ["a": "A"]),
      // The new contents equal those that are moved away.
      (["log": "x"], ["log > log.1", "log = x"], ["log": "x", "log.1": "x"]),
    ]
    for (files, lines, expected) in batches {
      for (hasLinks, hasJournal) in [(true, true), (true, false), (false, true), (false, false)] {
        let folder = try TemporaryFolder(files)
        let system = ScriptedFileSystem { call, _ in call == .linkFile && !hasLinks ? .failure(EPERM) : nil }
        let writer =
          hasJournal ? try await journaledWriter(in: folder, system: system) : FileChangeWriter(system: system)
        try await writer.submit(batch: changes(lines, in: folder))
        try await writer.flush()
        XCTAssertEqual(texts(in: folder), expected, "\(lines), links: \(hasLinks), journal: \(hasJournal)")
        try await writer.close()
        XCTAssertEqual(folder.names.count, expected.count, "\(folder.names)")
      }
    }
  }

  func testMovedFileKeepsItsInodeAndPermissions() async throws {
    let folder = try TemporaryFolder(["a": "A"])
    unsafe chmod(folder.file("a").path, 0o640)
    let before = try FileManager.default.attributesOfItem(atPath: folder.file("a").path)[.systemFileNumber] as? Int
    let writer = FileChangeWriter()
    try await writer.submit(.move(folder.file("a"), to: folder.file("b")))
    try await writer.flush()
    let after = try FileManager.default.attributesOfItem(atPath: folder.file("b").path)[.systemFileNumber] as? Int
    XCTAssertEqual(before, after)
    XCTAssertEqual(folder.permissions("b"), 0o640)
    try await writer.close()
    XCTAssertNil(FileChange.move(folder.path("b"), to: folder.path("c")).refusal())
    XCTAssertEqual(texts(in: folder), ["c": "A"])
  }

  func testMoveMovesALinkAndNotItsTarget() async throws {
    let folder = try TemporaryFolder(["a": "A"])
    try FileManager.default.createSymbolicLink(at: folder.file("l"), withDestinationURL: folder.file("a"))
    XCTAssertNil(FileChange.move(folder.path("l"), to: folder.path("m")).refusal())
    XCTAssertEqual(folder.names, ["a", "m"])
    XCTAssertEqual(
      try FileManager.default.destinationOfSymbolicLink(atPath: folder.file("m").path), folder.file("a").path)
  }

  // MARK: Failures

  /// The error of a batch that fails.
  ///
  /// All files must be as before.
  private func refusal(
    _ files: [String: String], _ changes: (TemporaryFolder) throws -> [FileChange], file: StaticString = #filePath,
    line: UInt = #line
  ) async throws -> FileChangeError? {
    let folder = try TemporaryFolder(files)
    let changes = try changes(folder)
    let before = texts(in: folder)
    let writer = try await journaledWriter(in: folder)
    do {
      try await writer.submit(batch: changes)
    } catch {
      XCTAssertEqual(texts(in: folder), before, file: file, line: line)
      try await writer.close()
      return error
    }
    let unwritten = await unwritten { try await writer.flush() }
    XCTAssertEqual(unwritten?.failures.count, 1, file: file, line: line)
    let failures = await writer.failures
    XCTAssertEqual(unwritten?.failures, failures, file: file, line: line)
    XCTAssertEqual(failures.first?.batch, changes, file: file, line: line)
    XCTAssertEqual(failures.first?.isRolledBack, true, file: file, line: line)
    XCTAssertEqual(texts(in: folder), before, file: file, line: line)
    await writer.removeFailures()
    try await writer.close()
    XCTAssertEqual(folder.names, before.keys.sorted(), file: file, line: line)
    return failures.first?.error
  }

  func testFailedBatchReportsItsReasonAndChangesNoFile() async throws {
    let start = ["a": "A", "b": "B"]
    func write(_ folder: TemporaryFolder) -> FileChange { .write("new", to: folder.path("a")) }
    var error = try await refusal(start) { [write($0), .write("x", to: $0.path("missing/c")), .remove($0.path("b"))] }
    XCTAssertEqual(error?.reason, .noSuchFolder)
    expectEqual(try await refusal(start) { [write($0), .move($0.path("c"), to: $0.path("d"))] }?.reason, .noSuchFile)
    error = try await refusal(start) { [.move($0.path("a"), to: $0.path("b"))] }
    XCTAssertEqual(error?.reason, .targetExists)
    XCTAssertEqual(error?.path.string.hasSuffix("/b"), true)
    error = try await refusal(start) { [.remove($0.path("a")), .move($0.path("a"), to: $0.path("c"))] }
    XCTAssertEqual(error?.reason, .noSuchFile)
    expectEqual(try await refusal(start) { [write($0), .move($0.path("b"), to: $0.path("a"))] }?.reason, .targetExists)
    expectEqual(try await refusal(start) { [.move($0.path("a"), to: $0.path("a"))] }?.reason, .targetExists)
    error = try await refusal(start) { folder in
      try FileManager.default.createDirectory(at: folder.file("f"), withIntermediateDirectories: false)
      return [write(folder), .remove(folder.path("f"))]
    }
    XCTAssertEqual(error?.reason, .folder)
    error = try await refusal(start) { folder in
      let version = try FileChange.Version(of: folder.path("b"))
      try folder.put("theirs", "b")
      return [write(folder), FileChange.remove(folder.path("b")).based(on: version)]
    }
    XCTAssertEqual(error?.isConflict, true)
    expectEqual(try await refusal(start) { [write($0), .write("x", to: "relative")] }?.reason, .relativePath)
    error = try await refusal(start) { [write($0), .move($0.path("b"), to: $0.path("journal"))] }
    XCTAssertEqual(error?.reason, .isTheJournal)
    guard FileManager.default.isWritableFile(atPath: "/dev/shm") else { return }
    let target = "/dev/shm/unsaved-\(UUID())"
    error = try await refusal(start) { [write($0), .move($0.path("b"), to: FileChange.Path(target))] }
    XCTAssertEqual(error?.reason, .otherFileSystem)
    XCTAssertEqual(error?.path.string, target)
    XCTAssertFalse(FileManager.default.fileExists(atPath: target))
  }

  func testEmptyBatchIsIgnoredAndAClosedWriterRefusesBatches() async throws {
    let writer = FileChangeWriter()
    expect(try await writer.submit(batch: []) == nil)
    try await writer.close()
    let folder = try TemporaryFolder()
    expectEqual(await reason { try await writer.submit(batch: [.remove(folder.path("a"))]) }, .closed)
  }

  func testFailedBatchIsRetriedAsAWhole() async throws {
    for hasJournal in [true, false] {
      let folder = try TemporaryFolder(["a": "A"])
      let writer = hasJournal ? try await journaledWriter(in: folder) : FileChangeWriter()
      let changes: [FileChange] = [.write("new", to: folder.path("a")), .write("x", to: folder.path("d/b"))]
      let submitted = try await writer.submit(batch: changes)
      let id = try XCTUnwrap(submitted)
      var unwritten = await unwritten { try await writer.flush() }
      XCTAssertEqual(unwritten?.failures.map(\.id), [id])
      XCTAssertEqual(folder.text("a"), "A")
      // A newer change of one of its files does not take its place.
      try await writer.submit(.write("newer", to: folder.path("a")))
      unwritten = await self.unwritten { try await writer.flush() }
      XCTAssertEqual(unwritten?.failures.map(\.id), [id])
      XCTAssertEqual(folder.text("a"), "newer")
      try FileManager.default.createDirectory(at: folder.file("d"), withIntermediateDirectories: false)
      expectEqual(await writer.retryFailures(), 1)
      try await writer.flush()
      XCTAssertEqual(folder.text("a"), "new")
      XCTAssertEqual(folder.text("d/b"), "x")
      expectEqual(await writer.progress.heldFailures, 0)
      try await writer.close()
      XCTAssertEqual(folder.names, ["a", "d"])
    }
  }

  func testBatchTakesTwoJournalGroups() async throws {
    let folder = try TemporaryFolder(["a": "A", "b": "B"])
    let writer = try await journaledWriter(in: folder)
    let before = await writer.progress.journalGroups
    try await writer.submit(batch: [
      .write("new", to: folder.path("a")), .move(folder.path("b"), to: folder.path("c")),
    ])
    try await writer.flush()
    expectEqual(await writer.progress.journalGroups - before, 2)
    try await writer.close()
  }

  func testOldFilesAreSyncedBeforeAnythingIsReplaced() async throws {
    let folder = try TemporaryFolder(["a": "A", "b": "B"])
    let system = ScriptedFileSystem()
    let writer = FileChangeWriter(system: system)
    try await writer.submit(batch: [.write("new", to: folder.path("a")), .remove(folder.path("b"))])
    try await writer.close()
    let calls = system.calls.filter {
      [.synchronizeFile, .linkFile, .synchronizeFolder, .moveFile, .removeFile].contains($0)
    }
    XCTAssertEqual(
      calls,
      [
        .synchronizeFile, .linkFile, .linkFile, .synchronizeFolder, .moveFile, .removeFile, .synchronizeFolder,
        .removeFile, .removeFile, .removeFile, .removeFile, .synchronizeFolder,
      ])
  }

  func testSecondNamesOfAKilledProcessAreSyncedBeforeAnythingIsReplaced() async throws {
    let (folder, journals) = (try TemporaryFolder(["a": "A"]), try TemporaryFolder())
    try FileManager.default.createDirectory(at: folder.file("d"), withIntermediateDirectories: false)
    let (first, kill) = try await mortalWriter(in: journals, dyingAt: .synchronizeFolder)
    try await first.submit(.move(folder.path("a"), to: folder.path("d/b")))
    await kill()
    XCTAssertEqual(folder.names.filter { $0.hasSuffix("-old") }.count, 1)
    let system = ScriptedFileSystem()
    try await journaledWriter(in: journals, system: system).close()
    XCTAssertEqual(folder.text("d/b"), "A")
    XCTAssertEqual(folder.names, ["d"])
    let before = system.calls.prefix { $0 != .linkFile }
    XCTAssertLessThan(before.count, system.calls.count, "the file got its new name")
    let opened = try XCTUnwrap(before.lastIndex(of: .openFolder))
    XCTAssertTrue(before[opened...].contains(.synchronizeFolder), "\(before)")
  }

  private func number(_ name: String, in folder: TemporaryFolder) throws -> UInt64? {
    try FileChange.Version(of: folder.path(name)).stamp?.number
  }

  private func triesAtOnceAgain(_ configuration: inout FileChangeWriter.Configuration) {
    configuration.backoff = .init(firstDelay: .zero, longestDelay: .zero)
  }

  /// A file system where the first sync of an opened file fails, but no sync of a created one.
  private func failingOnceToSynchronizeWhatWasRead(isArmed: Bool = true) -> (ScriptedFileSystem, Countdown) {
    let (isReading, first) = (Flag(), Countdown(1))
    let system = ScriptedFileSystem(isArmed: isArmed) { call, _ in
      if call == .openFile || call == .createFile { isReading.set(call == .openFile) }
      return call == .synchronizeFile && isReading.isSet && first.next() ? .failure(EIO) : nil
    }
    return (system, first)
  }

  /// A device reports only once that it could not store contents, so they must be written again.
  func testExistingContentsThatFailToSyncAreWrittenAgain() async throws {
    let folder = try TemporaryFolder(["a": "new"])
    let theirs = try number("a", in: folder)
    let (system, first) = failingOnceToSynchronizeWhatWasRead(isArmed: false)
    let writer = try await journaledWriter(in: folder, system: system, triesAtOnceAgain)
    system.arm()
    try await writer.submit(batch: [.write("new", to: folder.path("a")), .write("new", to: folder.path("b"))])
    try await writer.close()
    XCTAssertFalse(first.next())
    XCTAssertEqual(texts(in: folder), ["a": "new", "b": "new"])
    XCTAssertNotEqual(try number("a", in: folder), theirs)
  }

  func testForeignContentsAfterAKillAreWrittenAgainIfTheyFailToSync() async throws {
    let folder = try TemporaryFolder(["a": "old"])
    let (dying, kill) = try await mortalWriter(in: folder, dyingAt: .linkFile)
    try await dying.submit(batch: [.write("new", to: folder.path("a"))])
    await kill()
    try Data("new".utf8).write(to: folder.file("a"), options: .atomic)
    let theirs = try number("a", in: folder)
    let (system, first) = failingOnceToSynchronizeWhatWasRead()
    try await journaledWriter(in: folder, system: system, triesAtOnceAgain).close()
    XCTAssertFalse(first.next())
    XCTAssertEqual(texts(in: folder), ["a": "new"])
    XCTAssertNotEqual(try number("a", in: folder), theirs)
  }

  func testBatchOpensItsFolderOnlyTwice() async throws {
    let (folder, system) = (try TemporaryFolder(), ScriptedFileSystem())
    let writer = FileChangeWriter(system: system)
    try await writer.submit(batch: (0..<100).map { .write("x", to: folder.path("\($0)")) })
    try await writer.close()
    XCTAssertEqual(folder.names.count, 100)
    XCTAssertEqual(system.calls.count { $0 == .openFolder }, 2, "once to check, and once to apply")
  }

  #if os(Linux)
    func testFoldersWithCanonicallyEqualNamesAreDifferent() async throws {
      let (folder, writer) = (try TemporaryFolder(), FileChangeWriter())
      let names = ["caf\u{e9}", "cafe\u{301}"]
      for name in names {
        let path = folder.path("").string + "/" + name
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      }
      let paths = names.map { FileChange.Path(folder.path("").string + "/" + $0 + "/a") }
      try await writer.submit(batch: zip(paths, ["1", "2"]).map { .write($1, to: $0) })
      try await writer.close()
      let versions = try paths.map { try FileChange.Version(of: $0) }
      XCTAssertFalse(versions.contains(.absent))
    }
  #endif

  // MARK: Order

  func testChangesBeforeAndAfterABatchKeepTheirOrder() async throws {
    for hasJournal in [true, false] {
      let folder = try TemporaryFolder(["a": "old"])
      let gate = BlockingGate()
      let system = ScriptedFileSystem(isArmed: false, holding: .createFile, at: gate)
      let writer = hasJournal ? try await journaledWriter(in: folder, system: system) : FileChangeWriter(system: system)
      system.arm()
      try await writer.submit(.write("before", to: folder.path("a")))
      let batch = Task { try await writer.submit(batch: [.move(folder.path("a"), to: folder.path("b"))]) }
      try await until(await writer.waitingSubmissionCount > 0)
      let after = Task { try await writer.submit(.write("after", to: folder.path("a"))) }
      // A change of another file does not wait.
      try await writer.submit(.remove(folder.path("c")))
      gate.open()
      let ids = (try await batch.value, try await after.value)
      XCTAssertLessThan(ids.0!, ids.1)
      try await writer.flush()
      XCTAssertEqual(texts(in: folder), ["a": "after", "b": "before"])
      try await writer.close()
    }
  }

  func testChangeThatIsBeingRecordedIsAppliedBeforeALaterBatch() async throws {
    let folder = try TemporaryFolder(["a": "old"])
    let (gate, isWriting) = (BlockingGate(), Flag())
    // Each write of the journal begins with this call.
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      if call == .identityOfPath {
        isWriting.set(true)
        gate.pass()
      }
      return nil
    }
    let writer = try await journaledWriter(in: folder, system: system)
    system.arm()
    let before = Task { try await writer.submit(.write("before", to: folder.path("a"))) }
    try await until(isWriting.isSet)
    let batch = Task { try await writer.submit(batch: [.move(folder.path("a"), to: folder.path("b"))]) }
    try await until(await writer.waitingSubmissionCount > 0)
    gate.open()
    _ = (try await before.value, try await batch.value)
    try await writer.close()
    XCTAssertEqual(texts(in: folder), ["b": "before"])
  }

  func testRollbackKeepsAForeignWriteMadeDuringTheBatch() async throws {
    let folder = try TemporaryFolder(["a": "A", "b": "B"])
    let first = Countdown(1)
    let system = ScriptedFileSystem { call, _ in
      guard call == .moveFile, !first.next() else { return nil }
      if folder.text("a") == "new" {
        _ = try? folder.put("theirs, and longer", "other")
        _ = try? FileManager.default.removeItem(at: folder.file("a"))
        _ = try? FileManager.default.moveItem(at: folder.file("other"), to: folder.file("a"))
        return .failure(EACCES)
      }
      return nil
    }
    let writer = FileChangeWriter(system: system)
    try await writer.submit(batch: [.write("new", to: folder.path("a")), .write("new", to: folder.path("b"))])
    expectEqual(await unwritten { try await writer.close() }?.failures.first?.error.reason, .permissionDenied)
    XCTAssertEqual(texts(in: folder), ["a": "theirs, and longer", "b": "B"])
  }

  func testFileWhoseNewestContentsFailedIsNotMoved() async throws {
    let folder = try TemporaryFolder(["a": "old"])
    let version = try FileChange.Version(of: folder.path("a"))
    let writer = FileChangeWriter()
    try folder.put("theirs", "a")
    try await writer.submit(FileChange.write("mine", to: folder.path("a")).based(on: version))
    _ = await unwritten { try await writer.flush() }
    let refusal = await reason { try await writer.submit(.move(folder.path("a"), to: folder.path("b"))) }
    XCTAssertEqual(refusal, .changedByAnother)
    XCTAssertEqual(texts(in: folder), ["a": "theirs"])
    await writer.removeFailures()
    try await writer.close()
  }

  func testCancellingItsTaskWithdrawsAWaitingBatch() async throws {
    let folder = try TemporaryFolder(["a": "old"])
    let gate = BlockingGate()
    let system = ScriptedFileSystem(holding: .createFile, at: gate)
    let writer = FileChangeWriter(system: system)
    try await writer.submit(.write("before", to: folder.path("a")))
    let batch = Task {
      do throws(FileChangeError) {
        try await writer.submit(batch: [.remove(folder.path("a"))])
        return nil as FileChangeError.Reason?
      } catch {
        return error.reason
      }
    }
    try await until(await writer.waitingSubmissionCount > 0)
    batch.cancel()
    expectEqual(await batch.value, .cancelled)
    gate.open()
    try await writer.close()
    XCTAssertEqual(texts(in: folder), ["a": "before"])
  }

  func testNoBatchIsCoalescedWithOneParallelFile() async throws {
    let folder = try TemporaryFolder(["a": "A"])
    let writer = FileChangeWriter(configuration: .init(parallelFiles: 1))
    let events = await writer.events()
    for round in 0..<5 {
      try await writer.submit(.write("\(round)", to: folder.path("x")))
      try await writer.submit(batch: [.write("\(round)", to: folder.path("a")), .remove(folder.path("b"))])
      try await writer.submit(.write("\(round)", to: folder.path("y")))
    }
    try await writer.close()
    var names: [String] = []
    for await event in events { names.append(event.path.url.lastPathComponent) }
    // A newer change replaces a waiting one of the same file, but never a batch.
    XCTAssertEqual(names.filter { $0 == "b" }.count, 5)
    XCTAssertEqual(names.last, "y")
  }

  func testBatchKeepsItsTurnAmongChangesWithOneParallelFile() async throws {
    let folder = try TemporaryFolder()
    let gate = BlockingGate()
    let writer = FileChangeWriter(
      configuration: .init(parallelFiles: 1), system: ScriptedFileSystem(holding: .createFile, at: gate))
    let events = await writer.events()
    for name in ["x", "y"] { try await writer.submit(.write("1", to: folder.path(name))) }
    let batch = Task { try await writer.submit(batch: [.write("1", to: folder.path("a"))]) }
    try await until(await writer.waitingSubmissionCount > 0)
    let last = Task { try await writer.submit(.write("1", to: folder.path("z"))) }
    try await until(await writer.waitingSubmissionCount >= 2)
    gate.open()
    _ = (try await batch.value, try await last.value)
    try await writer.close()
    var names: [String] = []
    for await event in events { names.append(event.path.url.lastPathComponent) }
    XCTAssertEqual(names, ["x", "y", "a", "z"])
  }

  func testBatchLargerThanTheByteLimitIsAccepted() async throws {
    let folder = try TemporaryFolder()
    var configuration = FileChangeWriter.Configuration()
    configuration.waitingByteLimit = 300
    let writer = try await FileChangeWriter(journal: folder.path("journal"), configuration: configuration)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          _ = try? await writer.submit(.write("\(number)", to: folder.path("s\(number % 5)")))
          _ = try? await writer.submit(batch: [
            .write(String(repeating: "x", count: 200), to: folder.path("b\(number % 3)")),
            .write(String(repeating: "x", count: 200), to: folder.path("c\(number % 3)")),
          ])
        }
      }
    }
    try await writer.close()
    XCTAssertEqual(folder.names, ["b0", "b1", "b2", "c0", "c1", "c2", "s0", "s1", "s2", "s3", "s4"])
  }

  func testProgressCountsTheFilesOfBatches() async throws {
    let folder = try TemporaryFolder(["a": "A", "d": "D"])
    let writer = FileChangeWriter(configuration: .init(backoff: .init(attempts: 1)))
    try await writer.submit(batch: [
      .move(folder.path("a"), to: folder.path("b")), .write("CC", to: folder.path("c")), .remove(folder.path("d")),
    ])
    try await writer.flush()
    var progress = await writer.progress
    XCTAssertEqual([progress.accepted, progress.written, progress.removed, progress.failed], [4, 2, 2, 0])
    try await writer.submit(batch: [.write("x", to: folder.path("c")), .write("x", to: folder.path("missing/e"))])
    _ = await unwritten { try await writer.flush() }
    progress = await writer.progress
    XCTAssertEqual([progress.accepted, progress.written, progress.removed, progress.failed], [6, 2, 2, 2])
    XCTAssertEqual([progress.heldFailures, progress.inFlight, progress.waitingBytes], [1, 0, 0])
    _ = await unwritten { try await writer.close() }
  }

  // MARK: Handles

  func testHandlesReportTheContentsAndFailuresOfABatch() async throws {
    let folder = try TemporaryFolder(["a": "A"])
    let writer = FileChangeWriter(configuration: .init(backoff: .init(attempts: 1)))
    let (a, b) = (try await writer.file(at: folder.path("a")), try await writer.file(at: folder.path("b")))
    try await writer.submit(.move(a.path, to: b.path))
    try await b.flush()
    expectEqual(try await newestText(b), "A")
    expect(try await a.contents() == nil)
    try await b.save("B")
    try await b.flush()
    try await writer.submit(batch: [.write("x", to: b.path), .write("x", to: folder.path("missing/c"))])
    let failure = await failureOfWriting(b)
    XCTAssertEqual(failure?.reason, .noSuchFolder)
    XCTAssertEqual(b.state, failure.map { .failed($0) })
    XCTAssertEqual(folder.text("b"), "B")
    await writer.removeFailures()
    XCTAssertEqual(b.state, .saved)
    try await writer.close()
  }

  /// The batch comes from an earlier process without a root.
  func testRecoveredBatchOutsideTheRootIsRefused() async throws {
    let folder = try TemporaryFolder(["a": "A"])
    try FileManager.default.createDirectory(at: folder.file("root"), withIntermediateDirectories: false)
    try folder.put("other", "root/a")
    let first = try await journaledWriter(in: folder)
    try await first.submit(batch: [.remove(folder.path("a")), .write("x", to: folder.path("d/b"))])
    _ = await unwritten { try await first.close() }
    try FileManager.default.createDirectory(at: folder.file("d"), withIntermediateDirectories: false)
    var options = FileChange.Options()
    options.root = folder.path("root")
    let second = try await FileChangeWriter(
      journal: folder.path("journal"), configuration: .init(options: options))
    _ = await second.retryFailures()
    expectEqual(await unwritten { try await second.flush() }?.failures.map(\.error.reason), [.outsideRoot])
    _ = await unwritten { try await second.close() }
    XCTAssertEqual(folder.text("root/a"), "other")
    XCTAssertEqual(folder.text("a"), "A")
  }
}
