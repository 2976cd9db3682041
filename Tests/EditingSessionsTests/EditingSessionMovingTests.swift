import EditingSessions
import FileChanges
import Foundation
import Journals
import TestSupport
import UndoHistories
import XCTest

/// Saving a document as another file, and moving its file.
@MainActor
final class EditingSessionMovingTests: XCTestCase, NoteSessions {
  /// Waits until the log has everything, and releases the session without closing it, as a kill does.
  private func abandon(_ session: inout EditingSession<String>?) async throws {
    try await session?.synchronize()
    session = nil
  }

  private func logs(_ recovery: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: recovery.path).filter { $0.hasSuffix(".session") }
  }

  func testSavingAsAnotherFileKeepsTheSteps() async throws {
    try await withFile("a") { file, recovery in
      let copy = file.deletingLastPathComponent().appending(path: "copy.txt")
      var session: EditingSession<String>? = try await open(file, recovery)
      session?.edit("First") { $0.append("b") }
      try await session?.save()
      session?.edit("Second") { $0.append("c") }
      try await session?.save(as: copy)
      XCTAssertEqual(session?.file, copy)
      XCTAssertEqual(try text(file), "ab")
      XCTAssertEqual(try text(copy), "abc")
      XCTAssertTrue(session?.isSaved ?? false)
      session?.edit("Third") { $0.append("d") }
      XCTAssertFalse(session?.isSaved ?? true)
      try await abandon(&session)

      XCTAssertEqual(try logs(recovery).count, 1)
      let old = try await open(file, recovery)
      XCTAssertEqual(old.currentItem, "ab")
      XCTAssertFalse(old.recovered.hasLog)
      let next = try await open(copy, recovery)
      XCTAssertEqual(next.currentItem, "abcd")
      XCTAssertEqual(next.history.steps.map(\.label), ["First", "Second", "Third"])
      for _ in 0..<3 { next.undo() }
      XCTAssertEqual(next.currentItem, "a")
    }
  }

  /// The session knows what the file had, so it finds what the other program has changed.
  func testChangeOfAFileThatWasSavedAsIsMergedAsThatOfAnyOther() async throws {
    for isSavedAs in [false, true] {
      try await withFile("a\n") { file, recovery in
        let copy = file.deletingLastPathComponent().appending(path: "copy.txt")
        var session: EditingSession<String>? = try await open(file, recovery)
        session?.edit { $0.append("b\n") }
        if isSavedAs { try await session?.save(as: copy) } else { try await session?.save() }
        session?.edit { $0.append("c\n") }
        try await abandon(&session)
        try write("their a\nb\n", isSavedAs ? copy : file)
        let next = try await open(isSavedAs ? copy : file, recovery)
        XCTAssertEqual(next.currentItem, "their a\nb\nc\n", "\(isSavedAs)")
        XCTAssertFalse(next.hasConflict)
      }
    }
  }

  func testMovingKeepsUnsavedEdits() async throws {
    try await withFile("a") { file, recovery in
      let folder = file.deletingLastPathComponent()
      let target = folder.appending(path: "moved.txt")
      var session: EditingSession<String>? = try await open(file, recovery)
      session?.edit("First") { $0.append("b") }
      try await session?.move(to: target)
      XCTAssertEqual(try text(target), "a")
      XCTAssertFalse(FileManager.default.fileExists(atPath: file.path))
      XCTAssertFalse(session?.isSaved ?? true)
      XCTAssertFalse(session?.hasConflict ?? true)
      try await abandon(&session)
      let next = try await open(target, recovery)
      XCTAssertEqual(next.currentItem, "ab")
      XCTAssertFalse(next.hasConflict)
      try await next.save()
      XCTAssertEqual(try text(target), "ab")
      XCTAssertEqual(try logs(recovery).count, 1)
    }
  }

  func testDocumentWithoutAFileIsMovedAndCreatedThere() async throws {
    let folder = try TemporaryFolder()
    let session = try await open(folder.file("untitled.txt"), folder.file("recovery"))
    session.edit { $0.append("text") }
    try await session.move(to: folder.file("named.txt"))
    XCTAssertEqual(folder.names, ["recovery"])
    try await session.save()
    XCTAssertEqual(folder.names, ["named.txt", "recovery"])
  }

  func testFileIsReplacedOnlyInTheGivenVersion() async throws {
    try await withFile("mine") { file, recovery in
      let other = file.deletingLastPathComponent().appending(path: "other.txt")
      for isMove in [false, true] {
        try write("mine", file)
        try write("other", other)
        let session = try await open(file, recovery)
        func go(_ version: FileChange.Version?) async throws {
          if isMove {
            try await session.move(to: other, replacing: version)
          } else {
            try await session.save(as: other, replacing: version)
          }
        }
        let version = try FileChange.Version(of: other)
        var reason = await refusal { try await go(nil) }
        XCTAssertEqual(reason, "fileExists")
        try write("changed by another", other)
        reason = await refusal { try await go(version) }
        XCTAssertEqual(reason, "conflict")
        XCTAssertEqual(session.file, file)
        XCTAssertEqual(try text(file), "mine")
        XCTAssertEqual(try text(other), "changed by another")
        session.edit { $0.append("!") }
        try await session.save()
        XCTAssertEqual(try text(file), "mine!")
        try await go(FileChange.Version(of: other))
        XCTAssertEqual(session.file, other)
        XCTAssertEqual(try text(other), "mine!")
        XCTAssertTrue(isSaved(session))
        session.keepsSteps = false
        try await session.close()
      }
    }
  }

  func testPlaceOfAnotherSessionIsRefused() async throws {
    try await withFile("a") { file, recovery in
      let other = file.deletingLastPathComponent().appending(path: "other.txt")
      let (session, second) = (try await open(file, recovery), try await open(other, recovery))
      second.edit { $0.append("unsaved") }
      try await second.synchronize()
      for isMove in [false, true] {
        let reason = await refusal {
          if isMove { try await session.move(to: other) } else { try await session.save(as: other) }
        }
        XCTAssertEqual(reason, "log")
      }
      XCTAssertFalse(FileManager.default.fileExists(atPath: other.path))
      XCTAssertEqual(try text(file), "a")
    }
  }

  func testUnsavedEditsInTheLogOfAReplacedFileAreKept() async throws {
    try await withFile("a") { file, recovery in
      let other = file.deletingLastPathComponent().appending(path: "other.txt")
      var second: EditingSession<String>? = try await open(other, recovery)
      second?.edit { $0.append("unsaved") }
      try await abandon(&second)
      let session = try await open(file, recovery)
      try await session.save(as: other)
      try await session.close()
      let kept = try FileManager.default.contentsOfDirectory(atPath: recovery.path).filter { $0.contains(".damaged-") }
      XCTAssertEqual(kept.count, 1)
      let document = try await EditingSession<String>.document(inLog: recovery.appending(path: kept.first ?? ""))
      XCTAssertEqual(document, "unsaved")
    }
  }

  func testConflictEndsWhenTheDocumentIsSavedAsAnotherFile() async throws {
    try await withFile("a\n") { file, recovery in
      let copy = file.deletingLastPathComponent().appending(path: "copy.txt")
      let session = try await open(file, recovery)
      session.currentItem = "mine\n"
      try write("theirs\n", file)
      await assertConflict { () throws(EditingSessionError) in try await session.save() }
      try await session.save(as: copy)
      XCTAssertTrue(isSaved(session))
      XCTAssertEqual(try text(file), "theirs\n")
      XCTAssertEqual(try text(copy), "mine\n")
    }
  }

  func testEditsDuringASaveAsAreNotSavedButKept() async throws {
    try await withFile("a") { file, recovery in
      let copy = file.deletingLastPathComponent().appending(path: "copy.txt")
      var session: EditingSession<String>? = try await open(file, recovery)
      session?.edit("First") { $0.append("b") }
      let saving = Task { [session] in try await session?.save(as: copy) }
      while session?.file == file {
        session?.edit { $0.append(".") }
        await Task.yield()
      }
      try await saving.value
      let written = try text(copy)
      let newest = session?.currentItem ?? ""
      XCTAssertTrue(newest.hasPrefix(written))
      XCTAssertEqual(session?.isSaved, newest == written)
      try await abandon(&session)
      let next = try await open(copy, recovery)
      XCTAssertEqual(next.currentItem, newest)
      XCTAssertFalse(next.hasConflict)
    }
  }

  func testSavingAsTheOwnFileSaves() async throws {
    try await withFile("a") { file, recovery in
      let link = file.deletingLastPathComponent().appending(path: "link.txt")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
      let session = try await open(file, recovery)
      session.edit { $0.append("b") }
      try await session.save(as: link)
      XCTAssertEqual(try text(file), "ab")
      try await session.move(to: link)
      XCTAssertEqual(session.file, file)
      XCTAssertTrue(isSaved(session))
    }
  }

  func testMovedLinkKeepsItsTargetAndItsLog() async throws {
    try await withFile("a") { file, recovery in
      let folder = file.deletingLastPathComponent()
      let (link, moved) = (folder.appending(path: "link.txt"), folder.appending(path: "moved.txt"))
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
      var session: EditingSession<String>? = try await open(link, recovery)
      session?.edit { $0.append("b") }
      try await session?.move(to: moved)
      XCTAssertEqual(session?.file, moved)
      XCTAssertEqual(try FileManager.default.destinationOfSymbolicLink(atPath: moved.path), file.path)
      XCTAssertEqual(try logs(recovery).count, 1)
      try await abandon(&session)
      let next = try await open(file, recovery)
      XCTAssertEqual(next.currentItem, "ab")
      try await next.save()
      XCTAssertEqual(try text(moved), "ab")
    }
  }

  func testSessionWithoutALogIsMoved() async throws {
    for isMove in [false, true] {
      let folder = try TemporaryFolder()
      let (file, recovery) = (try folder.put("a", "note.txt"), try folder.put("not a folder", "recovery"))
      var session: EditingSession<String>? = try await open(file, recovery)
      XCTAssertNotNil(session?.logFailure)
      session?.edit { $0.append("b") }
      if isMove {
        try await session?.move(to: folder.file("new.txt"))
        XCTAssertEqual(folder.text("new.txt"), "a")
      } else {
        try await session?.save(as: folder.file("new.txt"))
        XCTAssertEqual(folder.text("new.txt"), "ab")
      }
      XCTAssertEqual(session?.file, folder.file("new.txt"))
      XCTAssertNotNil(session?.logFailure)
      // The log begins at the new place as soon as it can.
      try FileManager.default.removeItem(at: recovery)
      session?.edit { $0.append("c") }
      try await abandon(&session)
      let next = try await open(folder.file("new.txt"), recovery)
      XCTAssertEqual(next.currentItem, "abc")
      XCTAssertTrue(next.recovery.hasUnfinishedChanges)
    }
  }

  func testMoveToAnotherFileSystemIsRefused() async throws {
    let (folder, other) = (try TemporaryFolder(), try TemporaryFolder(isInMemory: true))
    func device(_ folder: TemporaryFolder) throws -> Int? {
      try FileManager.default.attributesOfFileSystem(forPath: folder.url.path)[.systemNumber] as? Int
    }
    try XCTSkipIf(try device(folder) == device(other), "there is only one file system")
    let session = try await open(try folder.put("a", "note.txt"), folder.file("recovery"))
    session.edit { $0.append("b") }
    let reason = await refusal { try await session.move(to: other.file("note.txt")) }
    XCTAssertEqual(reason, "file")
    XCTAssertEqual(session.file, folder.file("note.txt"))
    try await session.save(as: other.file("note.txt"))
    XCTAssertEqual(other.text("note.txt"), "ab")
    XCTAssertEqual(folder.text("note.txt"), "a")
    try await session.close()
  }

  func testMoveThatChangesOnlyTheCaseOfTheName() async throws {
    for system in [FoldingFileSystem(), PosixFileSystem()] as [any FileSystem] {
      try await withFile("a") { file, recovery in
        let target = file.deletingLastPathComponent().appending(path: "Note.txt")
        let session = try await EditingSession(file: file, recovery: recovery, format: .text, system: system)
        session.edit { $0.append("b") }
        try await session.move(to: target)
        XCTAssertEqual(try text(target), "a")
        try await session.close()
        let next = try await EditingSession(file: target, recovery: recovery, format: .text, system: system)
        XCTAssertEqual(next.currentItem, "ab")
      }
    }
  }

  func testOnePathHasEveryEditWhicheverCallFailsOrIsTheLast() async throws {
    for (isMove, isKill) in [(false, true), (true, true), (false, false), (true, false)] {
      var (number, isOver) = (0, false)
      while !isOver {
        let folder = try TemporaryFolder(isInMemory: true)
        let (file, target) = (try folder.put("a", "note.txt"), folder.file("target.txt"))
        let fuse = Counter()
        let limit = number
        let system = ScriptedFileSystem(isArmed: false) { _, _ in
          let count = fuse.next()
          if isKill { return count > limit ? .death : nil }
          return count == limit + 1 ? .failure(EIO) : nil
        }
        let session = try await EditingSession(
          file: file, recovery: folder.file("recovery"), format: .text, system: system, clock: ShortClock())
        session.edit("First") { $0.append("b") }
        try await session.synchronize()
        system.arm()
        let reason = await refusal {
          if isMove { try await session.move(to: target) } else { try await session.save(as: target) }
        }
        isOver = fuse.count <= number
        XCTAssertEqual(session.file, reason == nil ? target : file, "\(isMove) \(isKill) \(number): \(reason ?? "")")
        // A copy, because the session goes on.
        let copy = try folder.copy()
        var texts: [String] = []
        for name in ["note.txt", "target.txt"] {
          let next = try await open(copy.file(name), copy.file("recovery"))
          texts.append(next.currentItem + (next.history.steps.first?.label.map { " " + $0 } ?? ""))
        }
        XCTAssertTrue(texts.contains("ab First"), "\(isMove) \(isKill) \(number): \(texts)")
        number += 1
      }
      XCTAssertGreaterThan(number, 20)
    }
  }
}
