import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// A damaged journal is moved aside to another name.
///
/// At no moment is a byte or a readable record lost.
final class FileChangeWriterSetAsideTests: XCTestCase {
  /// A folder with a journal of changes of `a`, `b` and `c`, whose second record is damaged.
  private func folderWithDamage() throws -> (folder: TemporaryFolder, bytes: [UInt8]) {
    let folder = try TemporaryFolder(isInMemory: true)
    var bytes = JournalHeader(writer: 7, identity: 99).bytes
    for (index, name) in ["a", "b", "c"].enumerated() {
      let change = FileChange.write("new \(name)", to: folder.path(name))
      FileChangeWriter._JournalRecord(sequence: UInt64(index + 1), body: .change(change)).append(
        to: &bytes, identity: 99)
      // Not to 0, because a torn record ends with zeros.
      if name == "b" { bytes[bytes.count - 1] ^= bytes.last == 1 ? 2 : 1 }
    }
    try put(bytes, in: folder)
    return (folder, bytes)
  }

  private func put(_ bytes: [UInt8], in folder: TemporaryFolder) throws {
    try Data(bytes).write(to: folder.file("journal"))
    XCTAssertEqual(unsafe chmod(folder.file("journal").path, 0o600), 0)
  }

  /// The contents of the journals that were moved aside in the folder.
  private func setAside(in folder: TemporaryFolder) throws -> [[UInt8]] {
    try folder.names.filter { $0.hasPrefix("journal.damaged-") }.map { [UInt8](try Data(contentsOf: folder.file($0))) }
  }

  /// A file system without hard links that otherwise follows the script.
  private func systemWithoutLinks(
    _ script: @escaping (ScriptedFileSystem.Call, Int) -> ScriptedFileSystem.Fault? = { _, _ in nil }
  ) -> ScriptedFileSystem {
    ScriptedFileSystem { call, number in script(call, number) ?? (call == .linkFile ? .failure(EPERM) : nil) }
  }

  // MARK: Damage

  func testDamagedJournalIsMovedAsideAndItsOtherRecordsAreApplied() async throws {
    for hasLinks in [true, false] {
      let (folder, bytes) = try folderWithDamage()
      let system = hasLinks ? ScriptedFileSystem() : systemWithoutLinks()
      let writer = try await journaledWriter(in: folder, system: system)
      let recovery = try XCTUnwrap(writer.recovery)
      XCTAssertEqual(recovery.changeCount, 2)
      XCTAssertEqual(recovery.damage.count, 1)
      XCTAssertNil(recovery.readError)
      let path = try XCTUnwrap(recovery.setAside)
      XCTAssertEqual([UInt8](try Data(contentsOf: path)), bytes)
      XCTAssertTrue("\(recovery)".contains("damaged and dropped") && "\(recovery)".contains(path.path))
      XCTAssertEqual(folder.permissions(path.lastPathComponent), 0o600)
      let date = path.lastPathComponent.dropFirst("journal.damaged-".count)
      XCTAssertTrue(date.contains(/^20\d{6}T\d{6}/), "\(date) is no date")
      try await writer.close()
      XCTAssertEqual(folder.names, ["a", "c", path.lastPathComponent])
      XCTAssertEqual(folder.text("a"), "new a")
      XCTAssertEqual(try setAside(in: folder), [bytes])
    }
  }

  func testDamagedLastRecordIsNotTakenForATornOne() async throws {
    let folder = try TemporaryFolder()
    try await leave([.write("a", to: folder.path("a")), .write("b", to: folder.path("b"))], in: folder)
    var bytes = [UInt8](try Data(contentsOf: folder.file("journal")))
    let last = try XCTUnwrap(bytes.lastIndex { $0 != 0 })
    // Not to 0, because a torn record ends with zeros.
    bytes[last] = bytes[last] == 1 ? 2 : 1
    try put(bytes, in: folder)
    let writer = try await journaledWriter(in: folder)
    XCTAssertEqual(writer.recovery?.damage.map(\.upperBound), [last + 1])
    XCTAssertEqual(writer.recovery?.changeCount, 1)
    try await writer.close()
    XCTAssertEqual(try setAside(in: folder), [bytes])
  }

  func testTornTailIsReportedAndTheJournalIsNotMovedAside() async throws {
    let (folder, bytes) = try folderWithDamage()
    let first = try XCTUnwrap(FileChangeWriter._JournalContents(bytes).damage.first).lowerBound
    for count in first + 1..<first + 50 {
      // Zeros follow every second time. They are not counted as damage.
      let end = try XCTUnwrap(bytes[..<count].lastIndex { $0 != 0 }) + 1
      try put(Array(bytes[..<end]) + Array(repeating: 0, count: (count % 2) * 1000), in: folder)
      let writer = try await journaledWriter(in: folder)
      XCTAssertEqual(writer.recovery?.damage, [first..<end])
      XCTAssertEqual(writer.recovery?.isIntact, false)
      XCTAssertNil(writer.recovery?.setAside, "\(count)")
      try await writer.close()
      XCTAssertEqual(folder.names, ["a"])
    }
  }

  func testDamagedJournalIsSyncedUnderItsNewNameBeforeItIsReplaced() async throws {
    let expected: [ScriptedFileSystem.Call] = [
      .linkFile, .synchronizeFolder, .createFile, .overwrite, .overwrite, .synchronizeFile, .moveFile,
      .synchronizeFolder,
    ]
    let (folder, _) = try folderWithDamage()
    // The first folder that is opened is the journal's. The changes open others.
    let (first, gate) = (Countdown(1), BlockingGate())
    let system = ScriptedFileSystem { call, _ in
      if call == .openFolder, !first.next() { gate.pass() }
      return nil
    }
    let writer = try await journaledWriter(in: folder, system: system)
    let calls = system.calls.drop { $0 != .linkFile }.filter(expected.contains)
    XCTAssertEqual(calls, expected)
    gate.open()
    try await writer.close()
  }

  func testNewJournalWaitsUntilTheFolderCanBeSynchronized() async throws {
    let (folder, bytes) = try folderWithDamage()
    let isBroken = Flag()
    isBroken.set(true)
    // The folder is already synchronized once when the journal is read.
    let first = Countdown(1)
    let system = ScriptedFileSystem { call, _ in
      call == .synchronizeFolder && !first.next() && isBroken.isSet ? .failure(EIO) : nil
    }
    let writer = try await journaledWriter(in: folder, system: system) { $0.backoff.attempts = 1 }
    XCTAssertNotNil(writer.recovery?.setAside)
    XCTAssertEqual([UInt8](try Data(contentsOf: folder.file("journal"))), bytes, "it is not replaced")
    isBroken.set(false)
    try await writer.submit(.write("x", to: folder.path("d")))
    try? await writer.close()
    XCTAssertEqual(try setAside(in: folder), [bytes])
  }

  // MARK: Deaths

  func testDeathAtAnyCallLosesNoByteOrRecordAndLeavesNoFile() async throws {
    for hasLinks in [true, false] {
      for isReadable in [true, false] {
        var call = 0
        while try await dies(at: call, hasLinks: hasLinks, isReadable: isReadable) { call += 1 }
        XCTAssertGreaterThan(call, 20)
      }
    }
  }

  /// Moves a journal aside until the process dies at a call, and once more after that.
  ///
  /// - Returns: Whether the call was ever made.
  private func dies(at call: Int, hasLinks: Bool, isReadable: Bool) async throws -> Bool {
    let title = "call \(call), \(hasLinks ? "links" : "no links"), \(isReadable ? "records" : "none")"
    var (folder, bytes) = try folderWithDamage()
    if !isReadable {
      bytes = Array("Dear diary".utf8)
      try put(bytes, in: folder)
    }
    let death = { (_: ScriptedFileSystem.Call, number: Int) in number >= call ? ScriptedFileSystem.Fault.death : nil }
    let system = hasLinks ? ScriptedFileSystem(death) : systemWithoutLinks(death)
    if let writer = try? await journaledWriter(in: folder, system: system) { try? await writer.close() }
    let later = hasLinks ? ScriptedFileSystem() : systemWithoutLinks()
    later.secondsAhead = 7
    let second = try await journaledWriter(in: folder, system: later)
    XCTAssertTrue(second.recovery.map { $0.isIntact || $0.setAside != nil } ?? false, title)
    try await second.close()
    XCTAssertEqual(folder.text("a"), isReadable ? "new a" : nil, title)
    XCTAssertEqual(folder.text("c"), isReadable ? "new c" : nil, title)
    let kept = try setAside(in: folder)
    // If a copy was made just before the death, it is made again.
    XCTAssertEqual(kept, Array(repeating: bytes, count: hasLinks || !isReadable ? 1 : max(1, kept.count)), title)
    XCTAssertLessThanOrEqual(kept.count, 2, title)
    for name in folder.names where name.hasPrefix(".unsaved-") {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: folder.file(name).path)
    }
    try await journaledWriter(in: folder).close()
    XCTAssertEqual(folder.names.filter { !$0.hasPrefix("journal.damaged-") }, isReadable ? ["a", "c"] : [], title)
    return system.isDead
  }

  func testEmptyFileReservedForADamagedJournalIsRemoved() async throws {
    let (folder, bytes) = try folderWithDamage()
    try folder.put("", "journal.damaged-20200101T000000", permissions: 0o600)
    try folder.put("mine", "journal.damaged-20200101T000001")
    let writer = try await journaledWriter(in: folder)
    try await writer.close()
    XCTAssertEqual(try setAside(in: folder), [Array("mine".utf8), bytes])
  }

  func testOldUnlockedTemporaryFilesOfAJournalAreRemoved() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let names = [".unsaved-journal-1f", ".unsaved-journal-1f-copy", ".unsaved-journal-2f", ".unsaved-journal-3f"]
    for name in names + [".unsaved-journal-mine", ".unsaved-journal-"] { try folder.put("x", name, permissions: 0o600) }
    for name in folder.names where name != ".unsaved-journal-3f" {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: folder.file(name).path)
    }
    let system = PosixFileSystem()
    let held = try system.openFile(".unsaved-journal-2f", in: system.openFolder(folder.url.path))
    try system.lock(held)
    try await journaledWriter(in: folder).close()
    try system.unlock(held)
    XCTAssertEqual(
      folder.names, [".unsaved-journal-", ".unsaved-journal-2f", ".unsaved-journal-3f", ".unsaved-journal-mine"])
  }

  // MARK: Failing reads

  func testWriterStartsIfTheDeviceCannotReadTheJournal() async throws {
    for hasLinks in [true, false] {
      for code in [EIO, ENXIO, ENODEV] {
        let (folder, bytes) = try folderWithDamage()
        let script = { (call: ScriptedFileSystem.Call, _: Int) in
          call == .read ? ScriptedFileSystem.Fault.failure(code) : nil
        }
        let writer = try await journaledWriter(
          in: folder, system: hasLinks ? ScriptedFileSystem(script) : systemWithoutLinks(script))
        let recovery = try XCTUnwrap(writer.recovery)
        XCTAssertEqual(recovery.damage, [0..<bytes.count])
        XCTAssertFalse(recovery.isIntact)
        XCTAssertEqual(recovery.changeCount, 0)
        XCTAssertEqual(recovery.readError, "the device failed (errno \(code))")
        XCTAssertTrue("\(recovery)".contains("the device failed (errno \(code))"))
        try await writer.submit(.write("x", to: folder.path("d")))
        try await writer.close()
        XCTAssertEqual(folder.names, ["d", try XCTUnwrap(recovery.setAside).lastPathComponent])
        XCTAssertEqual(try setAside(in: folder), [bytes])
      }
    }
  }

  func testChangesReadBeforeADeviceFailureAreHeldUntilARetry() async throws {
    // A device that does not read may not synchronize, either.
    for fails in [false, true] {
      let (folder, bytes) = try folderWithDamage()
      let (first, synchronized) = (Countdown(1), Countdown(fails ? 1 : 0))
      let system = ScriptedFileSystem { call, _ in
        if call == .synchronizeFile, synchronized.next() { return .failure(EIO) }
        return call == .read && !first.next() ? .failure(EIO) : nil
      }
      let writer = try await journaledWriter(in: folder, system: system)
      XCTAssertEqual(writer.recovery?.readError, "the device failed (errno 5)")
      // The unread part may record that they are done, or newer contents of their files.
      expectEqual(await writer.failures.map(\.error.reason), [.deviceFailure, .deviceFailure])
      XCTAssertNil(folder.text("c"))
      await writer.retryFailures()
      try await writer.close()
      XCTAssertEqual(folder.text("c"), "new c")
      XCTAssertEqual(try setAside(in: folder), [bytes])
    }
  }

  func testReadErrorUnrelatedToTheFileIsNotTreatedAsDamage() async throws {
    for code in [EACCES, EPERM, ENOMEM, EBUSY, ESTALE, ETIMEDOUT, EBADF, EPROTO] {
      let (folder, _) = try folderWithDamage()
      let system = ScriptedFileSystem { call, _ in call == .read ? .failure(code) : nil }
      do throws(FileChangeError) {
        _ = try await journaledWriter(in: folder, system: system)
        XCTFail("\(code) is no damage")
      } catch {
        XCTAssertEqual(error.code, code)
        XCTAssertEqual(error.operation, .openJournal)
      }
      XCTAssertEqual(folder.names, ["journal"])
    }
  }

  // MARK: False failures and other writers

  func testLinkMadeButReportedAsFailedIsUsed() async throws {
    for code in [EIO, EEXIST] {
      let (folder, bytes) = try folderWithDamage()
      let system = ScriptedFileSystem { call, _ in call == .linkFile ? .lateFailure(code) : nil }
      let writer = try await journaledWriter(in: folder, system: system)
      XCTAssertNotNil(writer.recovery?.setAside)
      try await writer.close()
      XCTAssertEqual(try setAside(in: folder), [bytes])
      XCTAssertEqual(folder.names.count, 3)
    }
  }

  func testRenameDoneButReportedAsFailedIsUsed() async throws {
    for isReadable in [true, false] {
      var (folder, bytes) = try folderWithDamage()
      if !isReadable {
        bytes = Array("Dear diary".utf8)
        try put(bytes, in: folder)
      }
      let first = Countdown(1)
      let system = systemWithoutLinks { call, _ in call == .moveFile && first.next() ? .lateFailure(EIO) : nil }
      let writer = try await journaledWriter(in: folder, system: system)
      let setAside = try XCTUnwrap(writer.recovery?.setAside)
      try await writer.close()
      XCTAssertEqual([UInt8](try Data(contentsOf: setAside)), bytes)
      XCTAssertEqual(try self.setAside(in: folder), [bytes])
    }
  }

  private func replaceJournal(in folder: TemporaryFolder) {
    do {
      // The old file is kept, so that its inode number is not reused.
      try FileManager.default.moveItem(at: folder.file("journal"), to: folder.file("gone"))
      try folder.put("alive", "journal", permissions: 0o600)
    } catch { XCTFail("\(error)") }
  }

  func testJournalOfAnotherWriterThatAppearsMeanwhileIsNotTouched() async throws {
    for hasLinks in [true, false] {
      let folder = try TemporaryFolder(isInMemory: true)
      try folder.put("damaged", "journal", permissions: 0o600)
      let first = Countdown(1)
      let system = ScriptedFileSystem { call, _ in
        guard call == .linkFile else { return nil }
        if first.next() { self.replaceJournal(in: folder) }
        return hasLinks ? nil : .failure(EPERM)
      }
      expectEqual(await reason { _ = try await journaledWriter(in: folder, system: system) }, .journalInUse)
      XCTAssertEqual(folder.names, ["gone", "journal"])
      XCTAssertEqual(folder.text("journal"), "alive")
    }
  }

  // MARK: Reports

  func testReportIsNotLostIfTheNewJournalCannotBeWritten() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    try folder.put("damaged", "journal", permissions: 0o600)
    let isBroken = Flag()
    isBroken.set(true)
    let system = ScriptedFileSystem { call, _ in call == .createFile && isBroken.isSet ? .failure(ENOSPC) : nil }
    let writer = try await journaledWriter(in: folder, system: system)
    let setAside = try XCTUnwrap(writer.recovery?.setAside)
    XCTAssertEqual(folder.names, ["journal", setAside.lastPathComponent], "another name of the same file")
    expectEqual(await reason { try await writer.submit(.write("x", to: folder.path("a"))) }, .deviceFull)
    isBroken.set(false)
    try await writer.submit(.write("x", to: folder.path("a")))
    try await writer.close()
    XCTAssertEqual(folder.names, ["a", setAside.lastPathComponent])
    XCTAssertEqual(folder.text(setAside.lastPathComponent), "damaged")
  }

  func testRecordsAreAppliedIfADamagedJournalCannotBeMovedAside() async throws {
    var (folder, bytes) = try folderWithDamage()
    bytes.removeSubrange(try XCTUnwrap(FileChangeWriter._JournalContents(bytes).damage.first).upperBound...)
    try put(bytes, in: folder)
    // The first folder that is opened is the journal's. The second is that of the one change, which ends with a sync of
    // it.
    let (isBroken, isCarriedOut, first) = (Flag(), Flag(), Countdown(1))
    isBroken.set(true)
    let system = systemWithoutLinks { call, _ in
      if call == .openFolder, !first.next() {
        isBroken.set(false)
        isCarriedOut.set(true)
      }
      if call == .synchronizeFolder, isCarriedOut.isSet { isBroken.set(true) }
      return call == .createFile && isBroken.isSet ? .failure(EACCES) : nil
    }
    let writer = try await journaledWriter(in: folder, system: system)
    XCTAssertEqual(writer.recovery?.changeCount, 1)
    XCTAssertNil(writer.recovery?.setAside)
    XCTAssertEqual(writer.recovery?.isIntact, false)
    // The move is tried again when the completion of the change is recorded.
    try await until(await writer.progress.journalFailures >= 2)
    XCTAssertEqual(folder.names, ["a", "journal"])
    XCTAssertEqual([UInt8](try Data(contentsOf: folder.file("journal"))), bytes)
    isCarriedOut.set(false)
    isBroken.set(false)
    try await writer.close()
    XCTAssertEqual(try setAside(in: folder), [bytes], "it is moved aside, although none of its records is needed")
    XCTAssertEqual(folder.names.count, 2)
  }
}
