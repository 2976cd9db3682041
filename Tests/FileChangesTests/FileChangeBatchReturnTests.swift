import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// Batches that are resumed after a kill, from a damaged journal or on another attempt: files that appeared since stay.
final class FileChangeBatchReturnTests: XCTestCase {
  private func write(
    _ bodies: [FileChangeWriter._JournalBody], damaging damaged: Set<Int>, to folder: TemporaryFolder
  ) throws {
    var bytes = JournalHeader(writer: 7, identity: 99).bytes
    for (index, body) in bodies.enumerated() {
      var record: [UInt8] = []
      FileChangeWriter._JournalRecord(sequence: UInt64(index + 1), body: body).append(to: &record, identity: 99)
      if damaged.contains(index) { record[record.count - 1] ^= record.last == 1 ? 2 : 1 }
      bytes += record
    }
    try Data(bytes).write(to: folder.file("journal"))
    XCTAssertEqual(unsafe chmod(folder.file("journal").path, 0o600), 0)
  }

  // MARK: After a kill

  func testEndOfABatchIsRecordedBeforeTheNextChangeBegins() async throws {
    let folder = try TemporaryFolder(["a": "A"])
    let (gate, once, hasDied) = (BlockingGate(), Flag(true), Flag())
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      if call == .linkFile, once.take() { gate.pass() }
      let isDone = folder.text("n") == "new" && folder.text("a") == nil
      // Now the journal is written, or the next change begins.
      guard isDone, !folder.names.contains(where: { $0.hasSuffix("-old") }), call == .overwrite else { return nil }
      hasDied.set(true)
      return .death
    }
    let first = try await journaledWriter(in: folder, system: system)
    system.arm()
    try await first.submit(batch: [.move(folder.path("a"), to: folder.path("b")), .write("new", to: folder.path("n"))])
    try await first.submit(.remove(folder.path("b")))
    gate.open()
    _ = await unwritten { try await first.flush() }
    try? await first.close()
    XCTAssertTrue(hasDied.isSet)
    XCTAssertEqual(folder.text("b"), "A")
    let second = try await journaledWriter(in: folder)
    expect(await unwritten { try await second.flush() } == nil)
    XCTAssertEqual(folder.texts, ["n": "new"])
    try? await second.close()
  }

  func testAppliedBatchIsNotPartlyRolledBackIfItsNewFileIsGone() async throws {
    let folder = try TemporaryFolder(["a": "V0", "d": "D0"])
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      guard call == .removeFile, folder.text("d") == "new d", folder.text("n") == "new n", folder.text("a") == "new a"
      else { return nil }
      return folder.names.filter { $0.hasSuffix("-old") }.count == 1 ? .death : nil
    }
    let first = try await journaledWriter(in: folder, system: system)
    system.arm()
    try await first.submit(batch: ["a", "d", "n"].map { .write("new \($0)", to: folder.path($0)) })
    _ = await unwritten { try await first.flush() }
    try? await first.close()
    XCTAssertTrue(system.isDead)
    try FileManager.default.removeItem(at: folder.file("n"))
    let full = ScriptedFileSystem { call, _ in
      call == .append && folder.names.contains { $0.hasPrefix(".unsaved-") && $0.hasSuffix("-2") }
        ? .failure(ENOSPC) : nil
    }
    let second = try await journaledWriter(in: folder, system: full)
    expectEqual(await unwritten { try await second.flush() }?.failures.map(\.isRolledBack), [false])
    XCTAssertEqual(folder.text("a"), "new a")
    XCTAssertEqual(folder.text("d"), "new d")
    try? await second.close()
  }

  func testAppliedBatchIsNotRolledBackIfItsMovedFileIsGone() async throws {
    let folder = try TemporaryFolder(["a": "A0", "c": "C0"])
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      guard call == .removeFile, folder.text("d") == "A0", folder.text("c") == "new c", folder.text("a") == nil
      else { return nil }
      return folder.names.filter { $0.hasSuffix("-old") }.count == 1 ? .death : nil
    }
    let first = try await journaledWriter(in: folder, system: system)
    system.arm()
    let move = FileChange.move(folder.path("a"), to: folder.path("d"))
    try await first.submit(batch: [move, .write("new c", to: folder.path("c"))])
    _ = await unwritten { try await first.flush() }
    try? await first.close()
    XCTAssertTrue(system.isDead)
    try FileManager.default.moveItem(at: folder.file("d"), to: folder.file("e"))
    let second = try await journaledWriter(in: folder)
    expectEqual(await unwritten { try await second.flush() }?.failures.map(\.isRolledBack), [false])
    XCTAssertEqual(folder.text("c"), "new c")
    try? await second.close()
  }

  func testFileThatAppearsAtTheSourceOfAnAppliedMoveStays() async throws {
    for others in [[], ["c"]] {
      let folder = try TemporaryFolder(["a": "A0"])
      let system = ScriptedFileSystem(isArmed: false) { call, _ in
        guard call == .overwrite, folder.text("b") == "A0", folder.text("a") == nil else { return nil }
        return folder.names.contains { $0.hasSuffix("-old") } ? nil : .death
      }
      let first = try await journaledWriter(in: folder, system: system)
      system.arm()
      let move = FileChange.move(folder.path("a"), to: folder.path("b"))
      try await first.submit(batch: [move] + others.map { .write("new \($0)", to: folder.path($0)) })
      _ = await unwritten { try await first.flush() }
      try? await first.close()
      XCTAssertTrue(system.isDead)
      try folder.put("theirs", "a")
      let second = try await journaledWriter(in: folder)
      expectEqual(await unwritten { try await second.flush() }?.failures.map(\.isRolledBack), [false])
      XCTAssertEqual(folder.text("a"), "theirs")
      XCTAssertEqual(folder.text("b"), "A0")
      try? await second.close()
    }
  }

  func testFileEditedInPlaceAfterAKillIsAConflictOfTheResumedBatch() async throws {
    for isRemoved in [false, true] {
      let folder = try TemporaryFolder(["a": "V0", "c": "C0"])
      let version = try FileChange.Version(of: folder.path("a"))
      let a = isRemoved ? FileChange.remove(folder.path("a")) : .write("mine", to: folder.path("a"))
      let (first, kill) = try await mortalWriter(in: folder, dyingAt: .moveFile)
      try await first.submit(batch: [.write("c", to: folder.path("c")), a.based(on: version)])
      await kill()
      XCTAssertEqual(folder.names.filter { $0.hasSuffix("-old") }.count, 2)
      let file = try FileHandle(forWritingTo: folder.file("a"))
      try file.seekToEnd()
      try file.write(contentsOf: Data(", edited".utf8))
      try file.close()
      let second = try await journaledWriter(in: folder)
      expectEqual(await unwritten { try await second.flush() }?.failures.map(\.error.reason), [.changedByAnother])
      XCTAssertEqual(folder.text("a"), "V0, edited")
      XCTAssertEqual(folder.text("c"), "C0")
      try? await second.close()
    }
  }

  func testFolderThatAppearsAfterAKillIsNotReplaced() async throws {
    let folder = try TemporaryFolder(["a": "V0"])
    let (first, kill) = try await mortalWriter(in: folder, dyingAt: .linkFile)
    try await first.submit(batch: [.write("mine", to: folder.path("a")), .write("x", to: folder.path("b"))])
    await kill()
    try FileManager.default.removeItem(at: folder.file("a"))
    try FileManager.default.createDirectory(at: folder.file("a"), withIntermediateDirectories: false)
    try Data("theirs".utf8).write(to: folder.file("a/precious"))
    let second = try await journaledWriter(in: folder)
    expectEqual(await unwritten { try await second.flush() }?.failures.map(\.error.reason), [.folder])
    XCTAssertEqual(folder.text("a/precious"), "theirs")
    try? await second.close()
  }

  // MARK: Between two attempts

  func testRollbackKeepsAFileThatAppearedBetweenTwoAttempts() async throws {
    let folder = try TemporaryFolder(["c": "C0"])
    let (isBusy, isRefused, clock) = (Flag(true), Flag(true), ManualClock())
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      if call == .createFile, isBusy.take() { return .failure(EBUSY) }
      return call == .moveFile && isRefused.take() ? .failure(EACCES) : nil
    }
    let writer = FileChangeWriter(clock: clock, system: system)
    system.arm()
    try await writer.submit(batch: [.write("c", to: folder.path("c")), .write("same", to: folder.path("n"))])
    await clock.waitForSleepers(1)
    try folder.put("same", "n")
    let flush = Task { try await writer.flush() }
    clock.advanceToNextDeadline()
    expectEqual(await unwritten { try await flush.value }?.failures.map(\.error.reason), [.permissionDenied])
    XCTAssertEqual(folder.texts, ["c": "C0", "n": "same"])
    try? await writer.close()
  }

  func testFailedSyncAfterTheRemovalOfOldFilesIsRetried() async throws {
    let folder = try TemporaryFolder(["a": "V0", "b": "V0"])
    let (isBroken, clock) = (Flag(true), ManualClock())
    let folders = Countdown(2)
    // The folder is synchronized with the second names, then with the new files, and then without the old ones.
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      call == .synchronizeFolder && !folders.next() && isBroken.take() ? .failure(EIO) : nil
    }
    let writer = FileChangeWriter(clock: clock, system: system)
    system.arm()
    try await writer.submit(batch: [.write("new", to: folder.path("a")), .remove(folder.path("b"))])
    await clock.waitForSleepers(1)
    let count = system.calls.count { $0 == .synchronizeFolder }
    let flush = Task { try await writer.flush() }
    clock.advanceToNextDeadline()
    expect(await unwritten { try await flush.value } == nil)
    XCTAssertEqual(system.calls.count { $0 == .synchronizeFolder }, count + 1)
    XCTAssertEqual(folder.texts, ["a": "new"])
    try await writer.close()
  }

  func testOldFileThatCannotBeRemovedAfterARollbackIsRemovedLater() async throws {
    let folder = try TemporaryFolder(["a": "A", "b": "B"])
    let (isBusy, clock, renames) = (Flag(), ManualClock(), Countdown(1))
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      if call == .moveFile, !renames.next(), !isBusy.isSet {
        isBusy.set(true)
        return .failure(EACCES)
      }
      return call == .removeFile && isBusy.isSet ? .failure(EBUSY) : nil
    }
    let writer = FileChangeWriter(clock: clock, system: system)
    system.arm()
    try await writer.submit(batch: [.write("new", to: folder.path("a")), .write("new", to: folder.path("b"))])
    await clock.waitForSleepers(1)
    XCTAssertEqual(folder.text("a"), "A")
    XCTAssertEqual(folder.names.filter { $0.hasSuffix("-old") }.count, 1)
    isBusy.set(false)
    let flush = Task { try await writer.flush() }
    clock.advanceToNextDeadline()
    let failure = await unwritten { try await flush.value }?.failures.first
    XCTAssertEqual(failure?.error.reason, .permissionDenied)
    XCTAssertEqual(failure?.isRolledBack, true)
    XCTAssertEqual(folder.names, ["a", "b"])
    try? await writer.close()
  }

  func testFolderOrPipeThatAppearsBetweenTwoAttemptsStays() async throws {
    for (isPipe, isRemoval) in [(false, false), (false, true), (true, false), (true, true)] {
      let folder = try TemporaryFolder(["a": "V0"])
      let (isBusy, clock) = (Flag(true), ManualClock())
      let system = ScriptedFileSystem(isArmed: false) { call, _ in
        call == .linkFile && isBusy.take() ? .failure(EBUSY) : nil
      }
      let writer = FileChangeWriter(clock: clock, system: system)
      system.arm()
      let a = folder.path("a")
      let change: FileChange = isRemoval ? .remove(a) : .write("mine", to: a)
      try await writer.submit(batch: [change, .write("x", to: folder.path("b"))])
      await clock.waitForSleepers(1)
      try FileManager.default.removeItem(at: folder.file("a"))
      if isPipe {
        XCTAssertEqual(unsafe mkfifo(folder.file("a").path, 0o600), 0)
      } else {
        try FileManager.default.createDirectory(at: folder.file("a"), withIntermediateDirectories: false)
      }
      let flush = Task { try await writer.flush() }
      clock.advanceToNextDeadline()
      let unwritten = await unwritten { try await flush.value }
      XCTAssertEqual(unwritten?.failures.map(\.error.reason), [isPipe ? .notAFile : .folder])
      XCTAssertEqual(folder.names, ["a"])
      try? await writer.close()
    }
  }

  func testRollbackKeepsAForeignFileWithTheSameContents() async throws {
    let folder = try TemporaryFolder(["c": "C0"])
    let once = Flag(true)
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      if call == .linkFile, once.take() { _ = try? folder.put("same", "n") }
      return call == .moveFile ? .failure(EACCES) : nil
    }
    let writer = FileChangeWriter(system: system)
    system.arm()
    try await writer.submit(batch: [.write("same", to: folder.path("n")), .write("c", to: folder.path("c"))])
    expect(await unwritten { try await writer.flush() } != nil)
    XCTAssertEqual(folder.text("n"), "same")
    try? await writer.close()
  }

  func testRollbackKeepsAFileThatAppearedBeforeTheNewOnesWereCreated() async throws {
    let folder = try TemporaryFolder(["c": "C0"])
    let once = Flag(true)
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      if call == .createFile, once.take() { _ = try? folder.put("same", "n") }
      return call == .moveFile ? .failure(EACCES) : nil
    }
    let writer = FileChangeWriter(system: system)
    system.arm()
    try await writer.submit(batch: [.write("c", to: folder.path("c")), .write("same", to: folder.path("n"))])
    expect(await unwritten { try await writer.flush() } != nil)
    XCTAssertEqual(folder.text("n"), "same")
    try? await writer.close()
  }

  func testMoveAfterANewerChangeIsNotRefusedForAnOlderFailure() async throws {
    let (folder, gate) = (try TemporaryFolder(), BlockingGate())
    let system = ScriptedFileSystem(isArmed: false, holding: .createFile, at: gate)
    let writer = FileChangeWriter(system: system)
    try await writer.submit(batch: [.write("old", to: folder.path("a")), .write("old", to: folder.path("missing/b"))])
    _ = await unwritten { try await writer.flush() }
    system.arm()
    try await writer.submit(.write("newer", to: folder.path("a")))
    let move = Task { try await writer.submit(.move(folder.path("a"), to: folder.path("c"))) }
    try await until(await writer.waitingSubmissionCount > 0)
    gate.open()
    expect(await reason { _ = try await move.value } == nil)
    _ = await unwritten { try await writer.flush() }
    XCTAssertEqual(folder.text("c"), "newer")
    try? await writer.close()
  }

  // MARK: From a journal

  func testBatchAfterAFailedOneIsApplied() async throws {
    let folder = try TemporaryFolder(["a": "newer"])
    let a = folder.path("a")
    try write(
      [
        .batch([.write("one", to: a), .write("one", to: folder.path("missing/b"))]),
        .batch([.write("two", to: a), .write("two", to: folder.path("c"))]),
        .ended(a, 1, .rolledBack), .completed(a, 3...3, leaving: try FileChange.Version(of: a)),
      ], damaging: [], to: folder)
    let writer = try await journaledWriter(in: folder)
    _ = await unwritten { try await writer.flush() }
    expectEqual(await writer.failures.map(\.error.reason), [.failedBefore])
    XCTAssertEqual(folder.texts, ["a": "two", "c": "two"])
    try? await writer.close()
  }

  func testCompletedRangeOfAllNumbersDoesNotTrap() async throws {
    let folder = try TemporaryFolder(["a": "V0"])
    let a = folder.path("a")
    let batch: [FileChange] = [.write("one", to: a), .write("one", to: folder.path("b"))]
    try write([.batch(batch), .completed(a, 0...UInt64.max, leaving: nil)], damaging: [], to: folder)
    let writer = try await journaledWriter(in: folder)
    try await writer.close()
    XCTAssertEqual(folder.text("a"), "V0")
  }

  // MARK: From a damaged journal

  func testBatchAfterOneWithAnUnreadableEndIsAppliedOrReported() async throws {
    for isDamaged in [false, true] {
      let folder = try TemporaryFolder(["a": "one", "b": "one"])
      let (a, b) = (folder.path("a"), folder.path("b"))
      let versions = (try FileChange.Version(of: a), try FileChange.Version(of: b))
      try write(
        [
          .batch([.write("one", to: a), .write("one", to: b)]), .planned(a, 1, [.absent, .absent]),
          .completed(a, 0...1, leaving: versions.0), .completed(b, 0...1, leaving: versions.1), .ended(a, 1, .done),
          .batch([.write("two", to: a), .write("two", to: b)]), .batch([.write("other", to: folder.path("c"))]),
        ], damaging: isDamaged ? [2, 3, 4] : [], to: folder)
      let writer = try await journaledWriter(in: folder)
      let unwritten = await unwritten { try await writer.flush() }
      let isDone = folder.text("a") == "two" && folder.text("b") == "two"
      XCTAssertTrue(isDone || unwritten != nil, "damaged: \(isDamaged)")
      try? await writer.close()
    }
  }

  func testOnlyCopyOfAnOriginalIsKeptIfThePlanIsUnreadable() async throws {
    let folder = try TemporaryFolder(["c": "C0", "a": "A0"])
    let versions = (try FileChange.Version(of: folder.path("a")), try FileChange.Version(of: folder.path("c")))
    // The process was killed after it removed `a`, whose contents only the second name keeps.
    let prefix = Sweeper.batchPrefix(writer: 7, sequence: 1)
    try FileManager.default.moveItem(at: folder.file("a"), to: folder.file(prefix + "0-old"))
    try FileManager.default.linkItem(at: folder.file("c"), to: folder.file(prefix + "1-old"))
    try write(
      [
        .batch([.remove(folder.path("a")), .write("c", to: folder.path("c")), .write("x", to: folder.path("n"))]),
        .planned(folder.path("a"), 1, [versions.0, versions.1, .absent]),
        .batch([.write("other", to: folder.path("z"))]),
      ], damaging: [1], to: folder)
    try FileManager.default.createDirectory(at: folder.file("n"), withIntermediateDirectories: false)
    let isBroken = Flag()
    let system = ScriptedFileSystem { call, _ in call == .moveFile && isBroken.isSet ? .failure(EACCES) : nil }
    let writer = try await journaledWriter(in: folder, system: system)
    expectEqual(await unwritten { try await writer.flush() }?.failures.map(\.isRolledBack), [false])
    try FileManager.default.removeItem(at: folder.file("n"))
    isBroken.set(true)
    await writer.retryFailures()
    _ = await unwritten { try await writer.flush() }
    XCTAssertTrue(folder.texts.values.contains("A0"), "the file is lost")
    try? await writer.close()
  }
}
