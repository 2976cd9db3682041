import EditingSessions
import FileChanges
import Foundation
import Journals
import TestSupport
import UndoHistories
import XCTest

/// Recovery folders that can't be used, or that were removed.
@MainActor
final class EditingSessionRecoveryFolderTests: XCTestCase, NoteSessions {
  func testAFileOpensWithoutAUsableRecoveryFolder() async throws {
    let obstacles: [(String, (URL) throws -> Void)] = [
      ("a file in its place", { try Data().write(to: $0) }),
      (
        "everybody may write it",
        {
          try FileManager.default.createDirectory(at: $0, withIntermediateDirectories: false)
          XCTAssertEqual(unsafe chmod($0.path, 0o777), 0)
        }
      ),
    ]
    for (name, obstruct) in obstacles {
      try await withFile("one\n") { file, recovery in
        try obstruct(recovery)
        let session = try await open(file, recovery)
        XCTAssertEqual(session.currentItem, "one\n", name)
        guard case .log? = session.logFailure?.reason else { return XCTFail(name) }
        session.edit { $0.append("two\n") }
        expectEqual(await session.isSynchronized(), false, name)
        expectEqual(await refusal { try await session.close() }, "log")
        try await session.save()
        XCTAssertEqual(try text(file), "one\ntwo\n", name)
        try await session.close()
      }
    }
  }

  func testLogInAGroupWritableFolderIsInASubfolderOfTheUser() async throws {
    try XCTSkipUnless(geteuid() == 0, "only root can give a folder to any group")
    try await withFile("one\n") { file, recovery in
      try FileManager.default.createDirectory(at: recovery, withIntermediateDirectories: false)
      XCTAssertEqual(unsafe chown(recovery.path, 0, 1234), 0)
      XCTAssertEqual(unsafe chmod(recovery.path, 0o775), 0)
      let session = try await open(file, recovery)
      XCTAssertNil(session.logFailure)
      session.edit { $0.append("two\n") }
      expect(await session.isSynchronized())
      XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: recovery.path), [".unsaved-user-0"])
      try await session.close()
      let next = try await open(file, recovery)
      XCTAssertEqual(next.currentItem, "one\ntwo\n")
      XCTAssertTrue(next.recovery.hasUnfinishedChanges)
      try await next.close()
    }
  }

  func testReadOnlyFileIsReplacedOnlyIfReplacesReadOnlyIsSet() async throws {
    for isAsked in [false, true] {
      try await withFile("one\n") { file, recovery in
        XCTAssertEqual(unsafe chmod(file.path, 0o444), 0)
        let session = try await EditingSession(
          file: file, recovery: recovery, format: .text, options: FileChange.Options(replacesReadOnly: isAsked))
        session.edit { $0.append("two\n") }
        do throws(EditingSessionError) {
          try await session.save()
          XCTAssertTrue(isAsked)
        } catch {
          guard case .file(let cause) = error.reason else { return XCTFail("\(error)") }
          XCTAssertEqual(cause.reason, .permissionDenied)
          XCTAssertFalse(isAsked)
        }
        XCTAssertEqual(try text(file), isAsked ? "one\ntwo\n" : "one\n")
        try await session.close()
      }
    }
  }

  func testFileOpensIfTheLogCannotBeCreated() async throws {
    let faults: [(ScriptedFileSystem.Call, Int32)] = [
      (.openJournal, EROFS), (.openJournal, ENOSPC), (.lock, ENOTSUP), (.makeFolder, EACCES), (.openJournal, EISDIR),
    ]
    for (call, code) in faults {
      try await withFile("one\n") { file, recovery in
        let system = ScriptedFileSystem { $0 == call && $1 >= 0 ? .failure(code) : nil }
        let session = try await open(file, recovery, system)
        XCTAssertEqual(session.currentItem, "one\n")
        guard case .log(let error)? = session.logFailure?.reason else { return XCTFail("\(call)") }
        XCTAssertEqual(error.code, code)
        try await session.close()
      }
    }
  }

  func testLogIsCreatedOnceTheSystemAllowsIt() async throws {
    try await withFile("one\n") { file, recovery in
      let system = ScriptedFileSystem { call, _ in call == .openJournal ? .failure(EROFS) : nil }
      let session = try await open(file, recovery, system)
      session.edit { $0.append("two\n") }
      var isDurable = await session.isSynchronized()
      XCTAssertFalse(isDurable)
      system.disarm()
      isDurable = await session.isSynchronized()
      XCTAssertTrue(isDurable)
      XCTAssertNil(session.logFailure)
      session.edit("Three") { $0.append("three\n") }
      try await session.close()
      let next = try await open(file, recovery)
      XCTAssertEqual(next.currentItem, "one\ntwo\nthree\n")
      XCTAssertEqual(next.undo()?.label, "Three")
      try await next.close()
    }
  }

  func testUnreadableLogIsNotOverwritten() async throws {
    try await withFile("one\n") { file, recovery in
      let first = try await open(file, recovery)
      first.edit { $0.append("unsaved\n") }
      try await first.close()
      let system = ScriptedFileSystem { call, _ in call == .openJournal ? .failure(EMFILE) : nil }
      let session = try await open(file, recovery, system)
      XCTAssertEqual(session.currentItem, "one\n")
      session.edit { $0.insert("zero\n", atUTF8: 0) }
      system.disarm()
      expectEqual(await session.isSynchronized(), false)
      guard case .log(let error)? = session.logFailure?.reason else { return XCTFail("no failure") }
      XCTAssertEqual(error.reason, .tooManyOpenFiles)
      try await session.save()
      try await session.close()
      let next = try await open(file, recovery)
      XCTAssertEqual(next.currentItem, "zero\none\nunsaved\n")
      try await next.close()
    }
  }

  // MARK: Removed while open

  func testRemovedRecoveryFolderIsRecreated() async throws {
    try await withFile("one\n") { file, recovery in
      let session = try await open(file, recovery)
      session.edit { $0.append("two\n") }
      var isDurable = await session.isSynchronized()
      XCTAssertTrue(isDurable)
      try FileManager.default.removeItem(at: recovery)
      session.edit { $0.append("three\n") }
      isDurable = await session.isSynchronized()
      XCTAssertTrue(isDurable, "\(String(describing: session.logFailure))")
      try await session.close()
      let next = try await open(file, recovery)
      XCTAssertEqual(next.currentItem, "one\ntwo\nthree\n")
      try await next.close()
    }
  }

  func testRemovedLogIsRecreatedWithTheNextEdit() async throws {
    try await withFile("one\n") { file, recovery in
      let session = try await open(file, recovery)
      session.edit { $0.append("two\n") }
      await session.isSynchronized()
      for name in try FileManager.default.contentsOfDirectory(atPath: recovery.path) {
        try FileManager.default.removeItem(at: recovery.appending(path: name))
      }
      session.edit { $0.append("three\n") }
      expect(await session.isSynchronized(), "\(String(describing: session.logFailure))")
      try await session.close()
      let next = try await open(file, recovery)
      XCTAssertEqual(next.currentItem, "one\ntwo\nthree\n")
      try await next.close()
    }
  }

  private func open(
    _ file: URL, _ recovery: URL, _ system: any FileSystem
  ) async throws(EditingSessionError) -> EditingSession<String> {
    try await EditingSession(
      file: file, recovery: recovery, format: .text, system: system, clock: ManualClock())
  }
}
