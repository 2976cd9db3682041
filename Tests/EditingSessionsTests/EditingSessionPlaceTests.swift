import EditingSessions
import FileChanges
import Foundation
import Journals
import TestSupport
import UndoHistories
import XCTest

/// Which log belongs to a file, and what a recovery folder has.
@MainActor
final class EditingSessionPlaceTests: XCTestCase, NoteSessions {
  /// Writes an edit that only the log has.
  private func leaveUnsaved(
    _ text: String, _ file: URL, _ recovery: URL, in system: any FileSystem = PosixFileSystem()
  ) async throws {
    let session = try await EditingSession(file: file, recovery: recovery, format: .text, system: system)
    session.edit("Type") { $0.append(text) }
    try await session.close()
  }

  // MARK: One file by several paths

  func testLinksToAFileLeadToOneLog() async throws {
    let folder = try TemporaryFolder()
    let (file, recovery) = (try folder.put("a", "note.txt"), folder.file("recovery"))
    let (link, second) = (folder.file("link.txt"), folder.file("second.txt"))
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "note.txt")
    try FileManager.default.createSymbolicLink(at: second, withDestinationURL: link)
    try await leaveUnsaved("b", file, recovery)
    let session = try await open(second, recovery)
    XCTAssertEqual(session.currentItem, "ab")
    for other in [file, link] {
      let reason = await refusal { _ = try await open(other, recovery) }
      XCTAssertEqual(reason, "log")
    }
    try await session.save()
    XCTAssertEqual(folder.text("note.txt"), "ab")
    try await session.close()
  }

  func testLinkThatLeadsToNoFileHasTheLogOfItsTarget() async throws {
    let folder = try TemporaryFolder()
    let (file, link, recovery) = (folder.file("note.txt"), folder.file("link.txt"), folder.file("recovery"))
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "note.txt")
    try await leaveUnsaved("b", link, recovery)
    let session = try await open(file, recovery)
    XCTAssertEqual(session.currentItem, "b")
  }

  func testLinkThatLeadsToItselfIsRefused() async throws {
    let folder = try TemporaryFolder()
    let link = folder.file("link.txt")
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "link.txt")
    let reason = await refusal { _ = try await open(link, folder.file("recovery")) }
    XCTAssertEqual(reason, "file")
  }

  func testLinkThatIsReplacedIsAFileOfItsOwn() async throws {
    let folder = try TemporaryFolder()
    let (file, link, recovery) = (try folder.put("a", "note.txt"), folder.file("link.txt"), folder.file("recovery"))
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    try await leaveUnsaved("b", file, recovery)
    let session = try await EditingSession(
      file: link, recovery: recovery, format: .text, options: FileChange.Options(symbolicLinks: .replace))
    XCTAssertEqual(session.currentItem, "a")
  }

  func testHardLinksAreDifferentFiles() async throws {
    let folder = try TemporaryFolder()
    let (file, recovery) = (try folder.put("a", "note.txt"), folder.file("recovery"))
    try FileManager.default.linkItem(at: file, to: folder.file("NOTE.txt"))
    try await leaveUnsaved("b", file, recovery)
    let session = try await open(folder.file("NOTE.txt"), recovery)
    XCTAssertEqual(session.currentItem, "a")
  }

  func testOtherCasesOfANameLeadToOneLogIfTheFolderIgnoresCase() async throws {
    for folds in [true, false] {
      let folder = try TemporaryFolder()
      let system: any FileSystem = folds ? FoldingFileSystem() : PosixFileSystem()
      try FileManager.default.createDirectory(at: folder.file("Notes"), withIntermediateDirectories: false)
      try folder.put("a", "Notes/Ärger.txt")
      if !folds {
        try FileManager.default.createDirectory(at: folder.file("NOTES"), withIntermediateDirectories: false)
        try folder.put("a", "NOTES/äRGER.txt")
      }
      try await leaveUnsaved("b", folder.file("Notes/Ärger.txt"), folder.file("recovery"), in: system)
      let session = try await EditingSession(
        file: folder.file("NOTES/äRGER.txt"), recovery: folder.file("recovery"), format: .text, system: system)
      XCTAssertEqual(session.currentItem, folds ? "ab" : "a")
      try await session.close()
    }
  }

  // MARK: Listing

  func testRecoveryFolderListsFilesWithTheirUnsavedEdits() async throws {
    let folder = try TemporaryFolder()
    let recovery = folder.file("recovery")
    let none = try await EditingSession<String>.recoverable(in: recovery)
    XCTAssertEqual(none, [])
    for name in ["a.txt", "b.txt", "c.txt"] { try folder.put(name, name) }
    try await leaveUnsaved("!", folder.file("a.txt"), recovery)
    let saved = try await open(folder.file("b.txt"), recovery)
    saved.edit { $0.append("!") }
    try await saved.save()
    try await saved.close()
    try await leaveUnsaved("!", folder.file("c.txt"), recovery)
    try FileManager.default.removeItem(at: folder.file("c.txt"))
    try Data("not a log".utf8).write(to: recovery.appending(path: "other.session"))

    let found = try await EditingSession<String>.recoverable(in: recovery)
    XCTAssertEqual(found.map(\.file.path), ["a.txt", "b.txt", "c.txt"].map { folder.file($0).path })
    XCTAssertEqual(found.map(\.hasUnsavedEdits), [true, false, true])
    try FileManager.default.removeItem(at: XCTUnwrap(found.first).log)
    let rest = try await EditingSession<String>.recoverable(in: recovery)
    XCTAssertEqual(rest.map(\.file.lastPathComponent), ["b.txt", "c.txt"])
    let a = try await open(folder.file("a.txt"), recovery)
    XCTAssertEqual(a.currentItem, "a.txt")
  }

  func testRecoveryFolderThatCannotBeReadIsReported() async throws {
    let folder = try TemporaryFolder()
    try folder.put("not a folder", "recovery")
    let reason = await refusal { _ = try await EditingSession<String>.recoverable(in: folder.file("recovery")) }
    XCTAssertEqual(reason, "log")
  }

  func testLogOfAnOpenSessionIsListedAndACutLogIsNot() async throws {
    let folder = try TemporaryFolder()
    let recovery = folder.file("recovery")
    try await leaveUnsaved("b", try folder.put("a", "closed.txt"), recovery)
    let session = try await open(try folder.put("a", "open.txt"), recovery)
    session.edit { $0.append("b") }
    try await session.synchronize()
    var found = try await EditingSession<String>.recoverable(in: recovery)
    XCTAssertEqual(found.map(\.file.lastPathComponent), ["closed.txt", "open.txt"])
    let log = try FileHandle(forWritingTo: found[0].log)
    for size in [60, 40, 31, 0] as [UInt64] {
      try log.truncate(atOffset: size)
      found = try await EditingSession<String>.recoverable(in: recovery)
      XCTAssertEqual(found.map(\.file.lastPathComponent), ["open.txt"], "\(size)")
    }
    try await session.close()
  }

  func testFileInARenamedFolderIsOpenedWithItsLog() async throws {
    let folder = try TemporaryFolder()
    let recovery = folder.file("recovery")
    try FileManager.default.createDirectory(at: folder.file("old"), withIntermediateDirectories: false)
    let file = try folder.put("a", "old/note.txt")
    try await leaveUnsaved("b", file, recovery)
    try FileManager.default.moveItem(at: folder.file("old"), to: folder.file("new"))
    let moved = folder.file("new/note.txt")

    let found = try await EditingSession<String>.recoverable(in: recovery)
    XCTAssertEqual(found.map(\.file.path), [file.path])
    XCTAssertEqual(found.map(\.hasUnsavedEdits), [true])
    let session = try await EditingSession(recovering: found[0], file: moved, format: .text)
    XCTAssertEqual(session.currentItem, "ab")
    XCTAssertFalse(session.hasConflict)
    XCTAssertTrue(session.recovery.hasUnfinishedChanges)
    try await session.close()

    // From now on, the log belongs to the new path.
    let left = try await EditingSession<String>.recoverable(in: recovery)
    XCTAssertEqual(left.map(\.file.path), [moved.path])
    let next = try await open(moved, recovery)
    XCTAssertEqual(next.currentItem, "ab")
    next.undo()
    XCTAssertEqual(next.currentItem, "a")
  }

  func testRemovedFileIsRestoredFromItsLog() async throws {
    let folder = try TemporaryFolder()
    let recovery = folder.file("recovery")
    try await leaveUnsaved("b", try folder.put("a", "note.txt"), recovery)
    try FileManager.default.removeItem(at: folder.file("note.txt"))
    let found = try await EditingSession<String>.recoverable(in: recovery)
    let session = try await EditingSession(recovering: XCTUnwrap(found.first), format: .text)
    XCTAssertEqual(session.currentItem, "ab")
    XCTAssertTrue(session.hasConflict)
    try await session.save(as: folder.file("restored.txt"))
    XCTAssertEqual(folder.text("restored.txt"), "ab")
    XCTAssertEqual(folder.names, ["recovery", "restored.txt"])
  }

  func testUnsavedEditsOfTheNewFileAreNotReplaced() async throws {
    let folder = try TemporaryFolder()
    let recovery = folder.file("recovery")
    try await leaveUnsaved("b", try folder.put("a", "old.txt"), recovery)
    try await leaveUnsaved("c", try folder.put("a", "new.txt"), recovery)
    let found = try await EditingSession<String>.recoverable(in: recovery)
    XCTAssertEqual(found.map(\.file.lastPathComponent), ["new.txt", "old.txt"])
    let reason = await refusal {
      _ = try await EditingSession(recovering: found[1], file: folder.file("new.txt"), format: .text)
    }
    XCTAssertEqual(reason, "fileExists")
    let new = try await open(folder.file("new.txt"), recovery)
    XCTAssertEqual(new.currentItem, "ac")
  }

  func testLogsOfAGroupWritableFolderAreListed() async throws {
    let folder = try TemporaryFolder()
    let recovery = folder.file("recovery")
    try FileManager.default.createDirectory(at: recovery, withIntermediateDirectories: false)
    try FileManager.default.setAttributes([.posixPermissions: 0o770], ofItemAtPath: recovery.path)
    // Only root can give the folder to a group without members.
    try? FileManager.default.setAttributes([.groupOwnerAccountID: 12345], ofItemAtPath: recovery.path)
    try await leaveUnsaved("b", try folder.put("a", "note.txt"), recovery)
    try XCTSkipUnless(
      try FileManager.default.contentsOfDirectory(atPath: recovery.path).contains { $0.hasPrefix(".unsaved-user-") },
      "the group could not be set")
    let found = try await EditingSession<String>.recoverable(in: recovery)
    XCTAssertEqual(found.map(\.file.lastPathComponent), ["note.txt"])
    let session = try await EditingSession(recovering: XCTUnwrap(found.first), format: .text)
    XCTAssertEqual(session.currentItem, "ab")
  }

  // MARK: Forgetting

  /// Whether any file in the folder has the bytes.
  private func isAnywhere(_ secret: String, in folder: URL) throws -> Bool {
    let names = try XCTUnwrap(FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String])
    return names.contains { name in
      let contents = try? Data(contentsOf: folder.appending(path: name))
      return contents?.range(of: Data(secret.utf8)) != nil
    }
  }

  func testRemovedStepsLeaveNoByteInTheRecoveryFolder() async throws {
    try await withFile("a") { file, recovery in
      // A rewritten log leaves a recycled file, and damage leaves one that is set aside.
      var session: EditingSession<String>? = try await EditingSession(
        file: file, recovery: recovery, format: .text, system: PosixFileSystem(), logByteLimit: 100)
      for _ in 0..<30 {
        session?.edit("Type") { $0.append("hunter2") }
        session?.edit("Remove") { $0.set("a") }
      }
      try await session?.close()
      session = nil
      let log = try XCTUnwrap(FileManager.default.contentsOfDirectory(atPath: recovery.path).first)
      var bytes = try Data(contentsOf: recovery.appending(path: log))
      let place = try XCTUnwrap(bytes.range(of: Data("hunter2".utf8)))
      bytes[place.lowerBound - 1] ^= 1
      try bytes.write(to: recovery.appending(path: log))

      let next = try await EditingSession(
        file: file, recovery: recovery, format: .text, system: PosixFileSystem(), logByteLimit: 100)
      for _ in 0..<30 {
        next.edit("Type") { $0.append("hunter2") }
        next.edit("Remove") { $0.set("a") }
        try await next.synchronize()
      }
      XCTAssertTrue(try isAnywhere("hunter2", in: recovery))
      let kept = try FileManager.default.contentsOfDirectory(atPath: recovery.path).filter { $0.contains(".damaged-") }
      XCTAssertEqual(kept.count, 1)
      next.history.removeAllSteps()
      try await next.synchronize()
      XCTAssertFalse(try isAnywhere("hunter2", in: recovery))
      next.edit("Later") { $0.append("b") }
      try await next.close()
      let last = try await open(file, recovery)
      XCTAssertEqual(last.currentItem, "ab")
      XCTAssertEqual(last.history.steps.map(\.label), ["Later"])
    }
  }

  func testStepsOfAnEarlierSessionAreForgottenWithoutAnEdit() async throws {
    try await withFile("a") { file, recovery in
      try await leaveUnsaved("hunter2", file, recovery)
      for isCopy in [false, true] {
        let session = try await open(file, recovery)
        session.currentItem = "a"
        try await session.synchronize()
        if isCopy {
          var history = session.history
          history.currentItem = "b"
          history.removeAllSteps()
          session.history = history
        } else {
          session.history.removeAllSteps()
        }
        try await session.synchronize()
        XCTAssertFalse(try isAnywhere("hunter2", in: recovery))
        session.edit("Type") { $0.append("hunter2") }
        try await session.close()
      }
    }
  }

  func testFailureToForgetIsReportedUntilItSucceeds() async throws {
    try await withFile("a") { file, recovery in
      let system = ScriptedFileSystem(isArmed: false) { call, _ in call == .names ? .failure(EIO) : nil }
      let session = try await EditingSession(
        file: file, recovery: recovery, format: .text, system: system, clock: ManualClock())
      session.edit { $0.append("hunter2") }
      session.currentItem = "a"
      try await session.synchronize()
      system.arm()
      session.history.removeAllSteps()
      let reason = await refusal { try await session.synchronize() }
      XCTAssertEqual(reason, "log")
      system.disarm()
      try await session.synchronize()
      XCTAssertFalse(try isAnywhere("hunter2", in: recovery))
    }
  }

  func testWithoutUndoTheLogIsNotRewrittenForEachEdit() async throws {
    try await withFile("a") { file, recovery in
      let system = ScriptedFileSystem()
      let session = try await EditingSession(
        file: file, recovery: recovery, format: .text, system: system, configure: { $0.limit = .steps(0) })
      for _ in 0..<20 {
        session.edit { $0.append("b") }
        try await session.synchronize()
      }
      XCTAssertEqual(system.calls.filter { $0 == .moveFile }.count, 1)
    }
  }
}
