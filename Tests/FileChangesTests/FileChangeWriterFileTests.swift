import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// Saves, flushes and conflicts through the handle of a file.
final class FileChangeWriterFileTests: XCTestCase {
  func testSavedContentsAreOnDiskAfterAFlush() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter()
    let note = try await writer.file(at: folder.file("a"))
    XCTAssertEqual(note.path, folder.path("a"))
    XCTAssertEqual(note.url.path, folder.file("a").path)
    expect(try await note.contents() == nil)
    XCTAssertEqual(note.state, .saved)
    for text in ["first", "second"] {
      try await note.save(text)
      try await note.flush()
      XCTAssertEqual(folder.text("a"), text)
      XCTAssertEqual(note.state, .saved)
    }
    try await writer.close()
  }

  func testFlushesOfCoalescedSavesEndWithTheNewestSave() async throws {
    let folder = try TemporaryFolder()
    let gate = BlockingGate()
    let writer = FileChangeWriter(system: ScriptedFileSystem(holding: .createFile, at: gate))
    let note = try await writer.file(at: folder.path("a"))
    var waits: [Task<String?, any Error>] = []
    for number in 1...4 {
      try await note.save("\(number)")
      let started = Gate()
      waits.append(
        Task {
          started.open()
          try await note.flush()
          return folder.text("a")
        })
      await started.pass()
    }
    gate.open()
    for wait in waits.dropFirst() {
      expectEqual(try await wait.value, "4")
    }
    expectEqual(await writer.progress.written, 2)
    try await writer.close()
  }

  func testFlushWaitsForTheSaveThatFollowsACancelledOne() async throws {
    let folder = try TemporaryFolder()
    let gate = BlockingGate()
    let writer = FileChangeWriter(
      configuration: .init(waitingByteLimit: 1), system: ScriptedFileSystem(holding: .createFile, at: gate))
    let note = try await writer.file(at: folder.path("a"))
    try await writer.submit(.write("x", to: folder.path("busy")))
    let refused = Task { try await note.save("refused") }
    try await until(await writer.waitingSubmissionCount == 1)
    let started = Gate()
    let wait = Task {
      started.open()
      try await note.flush()
      return folder.text("a")
    }
    await started.pass()
    // Gives the flush time to begin its wait.
    for _ in 0..<100 { _ = await writer.progress }
    let newer = Task { try await note.save("newer") }
    try await until(await writer.waitingSubmissionCount == 2)
    refused.cancel()
    expectEqual(await reason { try await refused.value }, .cancelled)
    gate.open()
    expectEqual(try await wait.value, "newer")
    try await newer.value
    try await writer.close()
  }

  func testFlushAndRetryOfAHandleConcernOneFileOnly() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter(configuration: .init(backoff: .init(attempts: 1)))
    let good = try await writer.file(at: folder.path("a"))
    let bad = try await writer.file(at: folder.path("missing/b"))
    try await bad.save("x")
    let failed = await failureOfWriting(bad)
    XCTAssertEqual(failed?.reason, .noSuchFolder)
    XCTAssertEqual(failed?.path, bad.path)
    try await good.save("x")
    try await good.flush()
    XCTAssertEqual(bad.state, failed.map { .failed($0) })
    XCTAssertEqual(good.state, .saved)

    // The failure of another file is not retried.
    try await writer.submit(.write("x", to: folder.path("missing/c")))
    _ = await unwritten { try await writer.flush() }
    try FileManager.default.createDirectory(at: folder.file("missing"), withIntermediateDirectories: false)
    expect(await bad.retry())
    try await bad.flush()
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.file("missing").path), ["b"])
    expectEqual(await writer.failures.count, 1)
    expectEqual(await bad.retry(), false)
    await writer.removeFailures()
    try await writer.close()
  }

  func testFlushEndsWhenItsTaskIsCancelled() async throws {
    let folder = try TemporaryFolder()
    let gate = BlockingGate()
    let writer = FileChangeWriter(system: ScriptedFileSystem(holding: .createFile, at: gate))
    let note = try await writer.file(at: folder.path("a"))
    try await note.save("x")
    let wait = Task { await failureOfWriting(note) }
    wait.cancel()
    let error = await wait.value
    XCTAssertEqual(error?.reason, .waitEnded)
    XCTAssertEqual(error?.path, note.path)
    gate.open()
    try await note.flush()
    try await writer.close()
  }

  func testFlushEndsThePauseOfTheFile() async throws {
    let folder = try TemporaryFolder()
    let (gate, clock) = (BlockingGate(), ManualClock())
    let writer = FileChangeWriter(clock: clock, system: ScriptedFileSystem(holding: .createFile, at: gate))
    let note = try await writer.file(at: folder.path("a"))
    try await note.save("1")
    try await note.save("2")
    gate.open()
    await clock.waitForSleepers(1)
    XCTAssertEqual(note.state, .saving)
    try await note.flush()
    XCTAssertEqual(folder.text("a"), "2")
    try await writer.close()
  }

  func testStateOfAHandleFollowsChangesSubmittedToTheWriter() async throws {
    let folder = try TemporaryFolder()
    let gate = BlockingGate()
    let writer = FileChangeWriter(
      configuration: .init(parallelFiles: 1), system: ScriptedFileSystem(holding: .createFile, at: gate))
    let note = try await writer.file(at: folder.path("a"))
    try await writer.submit(.write("x", to: folder.path("busy")))
    let id = try await writer.submit(.write("x", to: folder.path("a")))
    XCTAssertEqual(note.state, .saving)
    await writer.remove(id: id)
    XCTAssertEqual(note.state, .saved)
    gate.open()
    try await writer.close()
  }

  // MARK: Conflicts

  /// A writer, and a handle whose save of `mine` failed because another program has changed the file.
  private func conflict(
    in folder: TemporaryFolder, journal: Bool = false
  ) async throws -> (FileChangeWriter, FileChangeWriter.File) {
    try folder.put("old", "a")
    let writer = journal ? try await journaledWriter(in: folder) : FileChangeWriter()
    let note = try await writer.file(at: folder.path("a"))
    try await note.save("first")
    try await note.flush()
    try folder.put("theirs", "a")
    try await note.save("mine")
    expectEqual(await failureOfWriting(note)?.isConflict, true)
    XCTAssertEqual(note.state, .conflict)
    XCTAssertEqual(folder.text("a"), "theirs")
    let mine = try await newestText(note)
    XCTAssertEqual(mine, "mine")
    return (writer, note)
  }

  func testAcceptingTheirVersionEndsTheConflict() async throws {
    for journal in [false, true] {
      let folder = try TemporaryFolder()
      let (first, note) = try await conflict(in: folder, journal: journal)
      try await note.accept(note.otherVersion())
      XCTAssertEqual(note.state, .saved)
      let theirs = try await newestText(note)
      XCTAssertEqual(theirs, "theirs")
      try await note.save("after theirs")
      try await note.flush()
      XCTAssertEqual(folder.text("a"), "after theirs")
      try await first.close()
      XCTAssertEqual(folder.names, ["a"], "the journal has forgotten the dropped save")
    }
  }

  func testContentsAreReadAgainIfTheFileChangesMeanwhile() async throws {
    let folder = try TemporaryFolder(["a": "old"])
    let changes = Countdown(3)
    let system = ScriptedFileSystem { call, number in
      if call == .read, changes.next() { _ = try? folder.put("changed at \(number)", "a") }
      return nil
    }
    let writer = FileChangeWriter(system: system)
    let note = try await writer.file(at: folder.path("a"))
    let read = try await newestText(note)
    XCTAssertEqual(read, folder.text("a"))
    try await note.save("mine")
    try await note.flush()
    XCTAssertEqual(folder.text("a"), "mine")
    try await writer.close()

    let other = FileChangeWriter(
      system: ScriptedFileSystem { call, number in
        if call == .read { _ = try? folder.put("changed at \(number), again", "a") }
        return nil
      })
    let busy = try await other.file(at: folder.path("a"))
    expectEqual(await reason { _ = try await busy.contents() }, .busy)
    try await other.close()
  }

  func testReadReturnsContentsThatWereSavedMeanwhile() async throws {
    let folder = try TemporaryFolder(["a": "old"])
    let (gate, isReading) = (BlockingGate(), Flag())
    let system = ScriptedFileSystem { call, _ in
      if call == .read {
        isReading.set(true)
        gate.pass()
      }
      return nil
    }
    let writer = FileChangeWriter(system: system)
    let note = try await writer.file(at: folder.path("a"))
    let read = Task { try await newestText(note) }
    try await until(isReading.isSet)
    try await note.save("new")
    try await note.flush()
    gate.open()
    expectEqual(try await read.value, "new")
    try await writer.close()
  }

  func testFileCreatedByAnotherProgramIsAConflict() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter()
    let note = try await writer.file(at: folder.path("new/a"))
    expect(try await note.contents() == nil)
    try FileManager.default.createDirectory(at: folder.file("new"), withIntermediateDirectories: false)
    try folder.put("theirs", "new/a")
    try await note.save("mine")
    expectEqual(await failureOfWriting(note)?.isConflict, true)
    await writer.removeFailures()
    try await writer.close()
  }

  func testHandlesOfOneFileDoNotConflictWithEachOther() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter()
    let (first, second) = (
      try await writer.file(at: folder.path("a")), try await writer.file(at: folder.file("a"))
    )
    for note in [first, second, first] {
      try await note.save("x")
      try await note.flush()
    }
    try await writer.submit(.write("by the writer", to: folder.path("a")))
    XCTAssertNotEqual(second.state, .conflict)
    try await first.flush()
    try await second.save("y")
    try await first.flush()
    XCTAssertEqual(folder.text("a"), "y")
    try await writer.close()
  }

  func testOwnWritesAreNotAConflictAfterThousandsOfOtherFiles() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let writer = FileChangeWriter(configuration: .init(parallelFiles: 1))
    let note = try await writer.file(at: folder.path("a"))
    try await note.save("1")
    try await note.flush()
    for number in 0..<4100 {
      try await writer.submit(.remove(folder.path("\(number)")))
      if number % 50 == 49 { try await writer.flush() }
    }
    try await note.save("2")
    try await note.flush()
    try await writer.close()
  }

  /// A save that the journal doesn't have yet may still be lost.
  func testCancelledFlushDoesNotReportSuccess() async throws {
    let folder = try TemporaryFolder()
    let gate = BlockingGate()
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      if [.append, .overwrite].contains(call) { gate.pass() }
      return nil
    }
    let writer = try await FileChangeWriter(journal: folder.path("journal"), system: system)
    let note = try await writer.file(at: folder.path("a"))
    system.arm()
    let save = Task { try await note.save("x") }
    try await until(note.state != .saved)
    let wait = Task { await failureOfWriting(note) }
    wait.cancel()
    expectEqual(await wait.value?.reason, .waitEnded)
    gate.open()
    try await save.value
    try await note.flush()
    try await writer.close()
  }

  func testNewerSaveEndsTheFailureOfABatchForTheFile() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter()
    let note = try await writer.file(at: folder.path("a"))
    try await writer.submit(batch: [.write("old", to: folder.path("a")), .write("x", to: folder.path("d/b"))])
    try? await writer.flush()
    guard case .failed = note.state else { return XCTFail("\(note.state)") }
    try await note.save("new")
    try await note.flush()
    XCTAssertEqual(note.state, .saved)
    try FileManager.default.createDirectory(at: folder.file("d"), withIntermediateDirectories: false)
    expectEqual(await note.retry(), false)
    XCTAssertEqual(folder.text("a"), "new")
    try? await writer.close()
  }

  func testOlderBatchDoesNotEndTheFailureOfANewerOne() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter()
    let note = try await writer.file(at: folder.path("a"))
    for text in ["older", "newer"] {
      try await writer.submit(batch: [.write(text, to: folder.path("a")), .write("x", to: folder.path("\(text)/b"))])
      try? await writer.flush()
    }
    try FileManager.default.createDirectory(at: folder.file("older"), withIntermediateDirectories: false)
    await writer.retryFailures()
    try? await writer.flush()
    XCTAssertEqual(folder.text("a"), "older")
    guard case .failed = note.state else { return XCTFail("the newer one is not done: \(note.state)") }
    try? await writer.close()
  }

  func testAcceptIsRefusedAfterTheShutdown() async throws {
    let folder = try TemporaryFolder(["a": "old"])
    let writer = FileChangeWriter()
    let note = try await writer.file(at: folder.path("a"))
    _ = try await note.contents()
    try Data("theirs".utf8).write(to: folder.file("a"), options: .atomic)
    try await note.save("mine")
    expectEqual(await failureOfWriting(note)?.reason, .changedByAnother)
    try? await writer.close()
    let theirs = try await note.otherVersion()
    do throws(FileChangeError) {
      try await note.accept(theirs)
      XCTFail("a closed writer accepted the version")
    } catch { XCTAssertEqual(error.reason, .closed) }
  }
}
