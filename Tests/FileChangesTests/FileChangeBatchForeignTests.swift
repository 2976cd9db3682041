import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// A batch does not overwrite, roll back or claim newer contents, or those of other programs.
final class FileChangeBatchForeignTests: XCTestCase {
  private func submit(_ changes: [FileChange], to writer: FileChangeWriter) async throws -> FileChangeWriter
    .UnwrittenError?
  {
    try await writer.submit(batch: changes)
    return await unwritten { try await writer.flush() }
  }

  func testRetriedBatchRestoresContentsSavedAfterItsFailedRollback() async throws {
    for hasJournal in [false, true] {
      let folder = try TemporaryFolder(["a": "V0", "c": "C0"])
      // The second file cannot be replaced, and the first cannot be rolled back. The second fails again on the retry.
      let system = ScriptedFileSystem(failingRenames: [2, 3, 6])
      let writer = hasJournal ? try await journaledWriter(in: folder, system: system) : FileChangeWriter(system: system)
      system.arm()
      let first = try await submit(
        [.write("b", to: folder.path("a")), .write("c", to: folder.path("c"))], to: writer)
      XCTAssertEqual(first?.failures.map(\.isRolledBack), [false])
      let a = try await writer.file(at: folder.path("a"))
      try await a.save("V2")
      try await a.flush()
      await writer.retryFailures()
      expectEqual(await unwritten { try await writer.flush() }?.failures.map(\.isRolledBack), [true])
      XCTAssertEqual(folder.texts, ["a": "V2", "c": "C0"], "journal: \(hasJournal)")
      _ = await unwritten { try await writer.close() }
    }
  }

  /// The journal forgets the batch, but the old file's name has the batch's number, so no later batch may get it.
  func testLaterBatchDoesNotDestroyTheOnlyCopyOfAnOriginal() async throws {
    let folder = try TemporaryFolder(["a": "V0", "c": "C0"])
    // Two processes end without releasing the journal.
    for failing in [[2, 3], []] as [Set<Int>] {
      let isDead = Flag()
      let system = ScriptedFileSystem(failingRenames: failing, dyingAt: isDead)
      let mortal = try await journaledWriter(in: folder, system: system)
      system.arm()
      if !failing.isEmpty {
        let changes: [FileChange] = [.write("b", to: folder.path("a")), .write("c", to: folder.path("c"))]
        expectEqual(try await submit(changes, to: mortal)?.failures.map(\.isRolledBack), [false])
        await mortal.removeFailures()
      }
      isDead.set(true)
      try? await mortal.close()
    }
    let last = try await journaledWriter(in: folder)
    expect(try await submit([.write("n", to: folder.path("n")), .write("c", to: folder.path("c"))], to: last) == nil)
    XCTAssert(folder.texts.values.contains("V0"), "\(folder.texts)")
    try await last.close()
  }

  func testRetriedMoveReportsAConflictIfAnotherFileIsAtItsPath() async throws {
    let folder = try TemporaryFolder(["a": "V0", "c": "C0"])
    let isBroken = Flag()
    // The file gets its second name. After that, nothing can be renamed or removed.
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      (call == .moveFile || call == .removeFile) && isBroken.isSet ? .failure(EACCES) : nil
    }
    let writer = FileChangeWriter(system: system)
    system.arm()
    isBroken.set(true)
    let changes: [FileChange] = [
      .move(folder.path("a"), to: folder.path("d")), .write("c", to: folder.path("c")),
    ]
    expectEqual(try await submit(changes, to: writer)?.failures.map(\.isRolledBack), [false])
    isBroken.set(false)
    try FileManager.default.removeItem(at: folder.file("a"))
    try folder.put("V2, longer", "a")
    await writer.retryFailures()
    expectEqual(await unwritten { try await writer.flush() }?.failures.map(\.error.reason), [.changedByAnother])
    XCTAssertEqual(folder.text("a"), "V2, longer")
    XCTAssertTrue(folder.texts.values.contains("V0"))
    _ = await unwritten { try await writer.close() }
  }

  func testFileThatAppearsAtTheTargetOfAMoveStays() async throws {
    for isWritten in [false, true] {
      let (folder, once) = (try TemporaryFolder(["a": "A"]), Flag(true))
      // By this call, the batch has checked the files and kept the old ones.
      let system = ScriptedFileSystem(isArmed: false) { call, _ in
        if call == .synchronizeFolder, once.take() { _ = try? folder.put("theirs", "b") }
        return nil
      }
      let writer = FileChangeWriter(system: system)
      system.arm()
      let written = isWritten ? [FileChange.write("new", to: folder.path("a"))] : []
      let unwritten = try await submit(written + [.move(folder.path("a"), to: folder.path("b"))], to: writer)
      XCTAssertEqual(unwritten?.failures.map(\.error.reason), [.targetExists])
      XCTAssertEqual(folder.texts, ["a": "A", "b": "theirs"])
      _ = await self.unwritten { try await writer.close() }
    }
  }

  func testRetryAfterAFailedRollbackStillDetectsConflicts() async throws {
    let folder = try TemporaryFolder(["a": "V0", "c": "C0"])
    let system = ScriptedFileSystem(failingRenames: [2, 3])
    let writer = try await journaledWriter(in: folder, system: system)
    system.arm()
    let version = try FileChange.Version(of: folder.path("a"))
    _ = try await submit(
      [FileChange.write("b", to: folder.path("a")).based(on: version), .write("c", to: folder.path("c"))], to: writer)
    try folder.put("theirs, longer", "a")
    expect(try await writer.file(at: folder.path("c")).retry())
    expectEqual(await unwritten { try await writer.flush() }?.failures.map(\.error.reason), [.changedByAnother])
    XCTAssertEqual(folder.texts, ["a": "theirs, longer", "c": "C0"])
    _ = await unwritten { try await writer.close() }
  }

  func testAppliedBatchIsNotAppliedAgainWhenItsOldFilesAreRemoved() async throws {
    let folder = try TemporaryFolder(["a": "V0", "c": "C0"])
    let (isBusy, clock) = (Flag(true), ManualClock())
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      call == .removeFile && isBusy.isSet && folder.text("c") == "c" ? .failure(EBUSY) : nil
    }
    let writer = FileChangeWriter(clock: clock, system: system)
    system.arm()
    try await writer.submit(batch: [.write("b", to: folder.path("a")), .write("c", to: folder.path("c"))])
    await clock.waitForSleepers(1)
    try folder.put("theirs, longer", "a")
    isBusy.set(false)
    clock.advanceToNextDeadline()
    try await writer.flush()
    XCTAssertEqual(folder.texts, ["a": "theirs, longer", "c": "c"])
    try await writer.close()
  }

  func testForeignWriteBeforeABatchEndsIsAConflictForTheNextSave() async throws {
    let (folder, once) = (try TemporaryFolder(["a": "V0"]), Flag(true))
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      if call == .synchronizeFolder, folder.text("a") == "b", once.take() { _ = try? folder.put("theirs, longer", "a") }
      return nil
    }
    let writer = FileChangeWriter(system: system)
    let a = try await writer.file(at: folder.path("a"))
    system.arm()
    let unwritten = try await submit(
      [.write("b", to: folder.path("a")), .write("c", to: folder.path("c"))], to: writer)
    XCTAssertNil(unwritten)
    try await a.save("mine")
    expectEqual(await failureOfWriting(a)?.isConflict, true)
    XCTAssertEqual(folder.texts, ["a": "theirs, longer", "c": "c"])
    try? await writer.close()
  }

  func testBatchAppliedBeforeAKillIsNotPartlyRolledBack() async throws {
    let folder = try TemporaryFolder(["a": "V0", "d": "D0"])
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      guard call == .overwrite, folder.text("d") == "new d", folder.text("n") == "new n" else { return nil }
      return folder.names.contains { $0.hasSuffix("-old") } ? nil : .death
    }
    let first = try await journaledWriter(in: folder, system: system)
    system.arm()
    let version = try FileChange.Version(of: folder.path("a"))
    _ = try await submit(
      [
        FileChange.write("new a", to: folder.path("a")).based(on: version), .write("new d", to: folder.path("d")),
        .write("new n", to: folder.path("n")),
      ], to: first)
    try? await first.close()
    XCTAssertTrue(system.isDead)
    try folder.put("theirs, longer", "a")
    let second = try await journaledWriter(in: folder)
    let unwritten = await unwritten { try await second.flush() }
    XCTAssertEqual(unwritten?.failures.map(\.error.reason), [.changedByAnother])
    XCTAssertEqual(unwritten?.failures.map(\.isRolledBack), [false])
    XCTAssertEqual(folder.texts, ["a": "theirs, longer", "d": "new d", "n": "new n"])
    try? await second.close()
  }

  func testRollbackSucceedsAlthoughAnotherProgramRemovedAFile() async throws {
    let folder = try TemporaryFolder(["a": "A", "b": "B", "c": "C"])
    let (isBusy, isBroken, clock) = (Flag(true), Flag(), ManualClock())
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      guard call == .moveFile else { return nil }
      if isBusy.take() { return .failure(EBUSY) }
      // The third file cannot be replaced.
      return isBroken.isSet && folder.text("b") == "new" && folder.text("c") == "C" && isBroken.take()
        ? .failure(EACCES) : nil
    }
    let writer = FileChangeWriter(clock: clock, system: system)
    system.arm()
    try await writer.submit(batch: [
      .remove(folder.path("a")), .write("new", to: folder.path("b")), .write("new", to: folder.path("c")),
    ])
    await clock.waitForSleepers(1)
    XCTAssertEqual(folder.texts, ["a": "A", "b": "B", "c": "C"])
    try FileManager.default.removeItem(at: folder.file("a"))
    isBroken.set(true)
    clock.advanceToNextDeadline()
    expectEqual(await unwritten { try await writer.flush() }?.failures.map(\.isRolledBack), [true])
    XCTAssertEqual(folder.texts, ["b": "B", "c": "C"])
    try? await writer.close()
  }

  func testSaveSucceedsAfterABatchWhoseRollbackFailed() async throws {
    let folder = try TemporaryFolder(["a": "V0", "c": "C0"])
    let system = ScriptedFileSystem(failingRenames: [2, 3])
    let writer = FileChangeWriter(system: system)
    system.arm()
    let version = try FileChange.Version(of: folder.path("a"))
    _ = try await submit(
      [FileChange.write("b", to: folder.path("a")).based(on: version), .write("c", to: folder.path("c"))], to: writer)
    XCTAssertEqual(folder.text("a"), "b")
    let a = try await writer.file(at: folder.path("a"))
    try await a.save("mine")
    try await a.flush()
    XCTAssertEqual(folder.text("a"), "mine")
    try? await writer.close()
  }

  func testFileThatIsWrittenAndMovedKeepsTheOldPermissions() async throws {
    let folder = try TemporaryFolder()
    for name in ["a", "c"] { try folder.put("secret", name, permissions: 0o600) }
    let writer = FileChangeWriter()
    try await writer.submit(batch: [
      .write("new", to: folder.path("a")), .move(folder.path("a"), to: folder.path("b")),
      .move(folder.path("c"), to: folder.path("d")), .write("new", to: folder.path("d")),
    ])
    try await writer.flush()
    XCTAssertEqual(folder.texts, ["b": "new", "d": "new"])
    XCTAssertEqual(["b", "d"].map { folder.permissions($0) }, [0o600, 0o600])
    try await writer.close()
  }
}
