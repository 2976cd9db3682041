import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// Handles of files in a batch that waits or has failed: their contents and the versions that they are based on.
final class FileChangeBatchHandleTests: XCTestCase {
  /// Saves `mine, too` with a new handle, and expects a conflict with another program's contents.
  private func assertConflict(
    of folder: TemporaryFolder, in writer: FileChangeWriter, goOn: () -> Void = {}, line: UInt = #line
  ) async throws {
    try folder.put("theirs, longer", "a")
    let note = try await writer.file(at: folder.path("a"))
    expectEqual(try await newestText(note), "mine", line: line)
    try await note.save("mine, too")
    goOn()
    expectEqual(await failureOfWriting(note)?.isConflict, true, line: line)
    XCTAssertEqual(folder.text("a"), "theirs, longer", line: line)
    try? await writer.close()
  }

  private func batch(in folder: TemporaryFolder) throws -> [FileChange] {
    let version = try FileChange.Version(of: folder.path("a"))
    return [FileChange.write("mine", to: folder.path("a")).based(on: version), .write("c", to: folder.path("c"))]
  }

  func testHandleMadeWhileABatchWaitsUsesTheBaseOfTheBatch() async throws {
    let folder = try TemporaryFolder(["a": "V0"])
    let (isBusy, clock) = (Flag(true), ManualClock())
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      call == .linkFile && isBusy.isSet ? .failure(EBUSY) : nil
    }
    let writer = FileChangeWriter(clock: clock, system: system)
    system.arm()
    try await writer.submit(batch: try batch(in: folder))
    await clock.waitForSleepers(1)
    try await assertConflict(of: folder, in: writer) {
      isBusy.set(false)
      clock.advanceToNextDeadline()
    }
  }

  func testHandleMadeAfterAFailedRollbackUsesTheBaseOfTheBatch() async throws {
    for isRestarted in [false, true] {
      let folder = try TemporaryFolder(["a": "V0", "c": "C0"])
      // The second file cannot be replaced, and the first cannot be rolled back.
      let system = ScriptedFileSystem(failingRenames: [2, 3])
      var writer = try await journaledWriter(in: folder, system: system)
      system.arm()
      try await writer.submit(batch: try batch(in: folder))
      expectEqual(await unwritten { try await writer.flush() }?.failures.map(\.isRolledBack), [false])
      XCTAssertEqual(folder.text("a"), "mine")
      if isRestarted {
        try? await writer.close()
        writer = try await journaledWriter(in: folder)
      }
      try await assertConflict(of: folder, in: writer)
    }
  }

  func testHandleUsesTheBaseOfABatchWhoseRollbackIsUncertain() async throws {
    let folder = try TemporaryFolder(["a": "V0", "c": "C0"])
    // No folder can be synchronized. Everything is rolled back, but the writer cannot be sure of it.
    let isBroken = Flag(true)
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      call == .synchronizeFolder && isBroken.isSet ? .failure(EACCES) : nil
    }
    let writer = FileChangeWriter(system: system)
    system.arm()
    try await writer.submit(batch: try batch(in: folder))
    expectEqual(await unwritten { try await writer.flush() }?.failures.map(\.isRolledBack), [false])
    XCTAssertEqual(folder.text("a"), "V0")
    isBroken.set(false)
    try await assertConflict(of: folder, in: writer)
  }

  func testHandleReadsContentsSavedAfterAFailedBatchOfAnEarlierProcess() async throws {
    for (isWrittenAnew, isLeft) in [(false, false), (false, true), (true, false), (true, true)] {
      let folder = try TemporaryFolder(["a": "V0", "c": "C0"])
      // The second file cannot be replaced, and the first cannot be rolled back.
      let system = ScriptedFileSystem(failingRenames: isLeft ? [2, 3] : [])
      let first = try await journaledWriter(in: folder, system: system)
      system.arm()
      try await first.submit(batch: [
        .write("older", to: folder.path("a")), .write("older", to: folder.path(isLeft ? "c" : "missing/b")),
      ])
      expectEqual(await unwritten { try await first.flush() }?.failures.map(\.isRolledBack), [!isLeft])
      let note = try await first.file(at: folder.path("a"))
      try await note.save("newer")
      try await note.flush()
      try? await first.close()
      if isWrittenAnew {
        // Each start rewrites the journal.
        try? await journaledWriter(in: folder).close()
      }
      let second = try await journaledWriter(in: folder)
      let again = try await second.file(at: folder.path("a"))
      expectEqual(try await newestText(again), "newer")
      try await again.save("newer and more")
      expect(await failureOfWriting(again) == nil)
      XCTAssertEqual(folder.text("a"), "newer and more")
      try? await second.close()
    }
  }

  func testHandleReadsContentsAcceptedAfterAFailedBatchOfAnEarlierProcess() async throws {
    let folder = try TemporaryFolder(["a": "V0"])
    let first = try await journaledWriter(in: folder)
    try await first.submit(batch: [
      .write("older", to: folder.path("a")), .write("older", to: folder.path("missing/b")),
    ])
    _ = await unwritten { try await first.flush() }
    let note = try await first.file(at: folder.path("a"))
    try folder.put("theirs, longer", "a")
    try await note.accept(try await note.otherVersion())
    try? await first.close()
    let second = try await journaledWriter(in: folder)
    expectEqual(try await newestText(try await second.file(at: folder.path("a"))), "theirs, longer")
    try? await second.close()
  }

  func testRetriedBatchConflictsWithContentsWrittenSince() async throws {
    for isRestarted in [false, true] {
      let folder = try TemporaryFolder(["a": "V0"])
      var writer = try await journaledWriter(in: folder)
      let version = try FileChange.Version(of: folder.path("a"))
      try await writer.submit(batch: [
        FileChange.write("older", to: folder.path("a")).based(on: version), .write("older", to: folder.path("sub/b")),
      ])
      _ = await unwritten { try await writer.flush() }
      try await writer.submit(.write("newer", to: folder.path("a")))
      _ = await unwritten { try await writer.flush() }
      if isRestarted {
        try? await writer.close()
        writer = try await journaledWriter(in: folder)
      }
      try FileManager.default.createDirectory(at: folder.file("sub"), withIntermediateDirectories: false)
      await writer.retryFailures()
      expectEqual(await unwritten { try await writer.flush() }?.failures.map(\.error.isConflict), [true])
      XCTAssertEqual(folder.text("a"), "newer")
      try? await writer.close()
    }
  }

  func testSaveDuringAnAcceptIsNotCancelled() async throws {
    for hasJournal in [false, true] {
      let folder = try TemporaryFolder(["a": "V0"])
      let (holdsLook, look, work, holdsWork) = (Flag(), BlockingGate(), BlockingGate(), Flag())
      let isHeld = Flag()
      let system = ScriptedFileSystem(isArmed: false) { call, _ in
        if call == .openFolder, holdsLook.take() {
          isHeld.set(true)
          look.pass()
        }
        if call == .createFile, holdsWork.take() { work.pass() }
        return nil
      }
      let writer =
        hasJournal
        ? try await journaledWriter(in: folder, system: system) { $0.parallelFiles = 1 }
        : FileChangeWriter(configuration: .init(parallelFiles: 1), system: system)
      system.arm()
      let note = try await writer.file(at: folder.path("a"))
      try folder.put("theirs, longer", "a")
      try await note.save("mine")
      _ = await failureOfWriting(note)
      XCTAssertEqual(note.state, .conflict)
      let theirs = try await note.otherVersion()
      holdsWork.set(true)
      try await writer.submit(.write("z", to: folder.path("z")))
      try await until(!holdsWork.isSet)
      holdsLook.set(true)
      let acceptance = Task { try await note.accept(theirs) }
      try await until(isHeld.isSet)
      try await note.save("typed after that")
      look.open()
      try await acceptance.value
      work.open()
      let failure = await failureOfWriting(note)
      let contents = try await newestText(note)
      XCTAssertTrue(failure != nil || contents == "typed after that", "journal: \(hasJournal)")
      try? await writer.close()
    }
  }
}
