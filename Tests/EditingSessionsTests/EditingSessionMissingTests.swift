import EditingSessions
import Foundation
import Journals
import TestSupport
import UndoHistories
import XCTest

/// Conflicts with a file that another program has emptied or removed.
@MainActor
final class EditingSessionMissingTests: XCTestCase, NoteSessions {
  func testEmptiedFileConflictsUntilItIsWrittenAndMerged() async throws {
    try await withFile("one\n") { file, recovery in
      let session = try await open(file, recovery)
      session.edit("Mine") { $0.append("mine\n") }
      try write("", file)
      await assertConflict { () async throws(EditingSessionError) in try await session.save() }
      await assertConflict { () async throws(EditingSessionError) in try await session.save() }
      XCTAssertEqual(try text(file), "")
      try write("theirs\none\n", file)
      try await session.save()
      XCTAssertEqual(try text(file), "theirs\none\nmine\n")
      XCTAssert(isSaved(session))
      session.undo()
      XCTAssertEqual(session.history.currentItem, "theirs\none\n")
      try await session.close()
    }
  }

  func testEmptiedFileIsNotMistakenForARefusedSave() async throws {
    try await withFile("one\n") { file, recovery in
      let session = try await open(file, recovery)
      session.edit { $0.set("") }
      try write("theirs\n", file)
      await assertConflict { () async throws(EditingSessionError) in try await session.save() }
      try write("", file)
      session.undo()
      await assertConflict { () async throws(EditingSessionError) in try await session.save() }
      XCTAssertEqual(try text(file), "")
      try await session.close()
      let next = try await open(file, recovery)
      guard case .conflict = next.state else { return XCTFail("\(next.state)") }
      try await next.resolve(.mine)
      XCTAssertEqual(try text(file), "one\n")
      try await next.close()
    }
  }

  func testEmptiedAndRewrittenFileIsReadAfterARefusedSave() async throws {
    try await withFile("one\n") { file, recovery in
      let session = try await open(file, recovery)
      session.edit { $0.append("two\n") }
      session.undo()
      try write("", file)
      await assertConflict { () async throws(EditingSessionError) in try await session.save() }
      try await session.close()
      try write("one\nthree\n", file)
      let next = try await open(file, recovery)
      XCTAssert(isSaved(next))
      XCTAssertEqual(next.currentItem, "one\nthree\n")
      try await next.close()
    }
  }

  func testConflictEndsIfTheNewFileIsRemovedAgain() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("note.txt")
    let session = try await open(file, folder.file("recovery"))
    session.edit { $0.append("mine") }
    try write("theirs", file)
    await assertConflict { () async throws(EditingSessionError) in _ = try await session.reload() }
    try FileManager.default.removeItem(at: file)
    try await session.save()
    XCTAssertEqual(try text(file), "mine")
    try await session.close()
  }

  func testFileThatCouldNotBeCreatedDoesNotConflictInTheNextSession() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("later/note.txt")
    let session = try await EditingSession(
      file: file, recovery: folder.file("recovery"), format: .text, system: PosixFileSystem(), logByteLimit: 1000)
    session.edit { $0.append("mine") }
    for _ in 0..<2 {
      do throws(EditingSessionError) { try await session.save() } catch {
        guard case .file = error.reason else { return XCTFail("\(error)") }
      }
    }
    let snapshot = session.logByteCounts.snapshot
    while session.logByteCounts.snapshot == snapshot {
      session.edit { $0.append(String(repeating: "a", count: 100)) }
      await session.isSynchronized()
    }
    try await session.close()
    let next = try await open(file, folder.file("recovery"))
    XCTAssertFalse(next.recovered.wasChangedByAnother)
    guard case .edited = next.state else { return XCTFail("\(next.state)") }
    try await next.close()
  }

  func testFileThatCouldNotBeCreatedDoesNotConflict() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("later/note.txt")
    let session = try await open(file, folder.file("recovery"))
    session.edit { $0.append("mine") }
    expectEqual(await refusal { try await session.save() }, "file")
    expectEqual(try await session.reload(), false)
    guard case .failed = session.state else { return XCTFail("\(session.state)") }
    try FileManager.default.createDirectory(at: folder.file("later"), withIntermediateDirectories: false)
    try await session.save()
    XCTAssertEqual(try text(file), "mine")
    try await session.close()
  }

  func testEmptiedJSONFileIsAConflict() async throws {
    let folder = try TemporaryFolder()
    let (file, recovery) = (folder.file("list.json"), folder.file("recovery"))
    func open() async throws -> EditingSession<[Int]> {
      try await EditingSession(file: file, recovery: recovery, format: .json(), new: [])
    }
    let session = try await open()
    session.edit { $0.append(1) }
    try await session.save()
    try write("", file)
    await assertConflict { () async throws(EditingSessionError) in _ = try await session.reload() }
    try await session.close()
    let next = try await open()
    guard case .conflict = next.state else { return XCTFail("\(next.state)") }
    XCTAssertEqual(next.history.currentItem, [1])
    try await next.resolve(.mine)
    try await next.close()
  }

  func testFileThatIsEmptyForAMomentKeepsTheSteps() async throws {
    try await withFile("one\n") { file, recovery in
      let session = try await open(file, recovery)
      session.edit("Mine") { $0.append("mine\n") }
      try await session.save()
      try write("", file)
      await assertConflict { () async throws(EditingSessionError) in _ = try await session.reload() }
      try write("one\nmine\n", file)
      try await session.reload()
      XCTAssert(isSaved(session))
      XCTAssertEqual(session.undo()?.label, "Mine")
      XCTAssertEqual(session.history.currentItem, "one\n")
      try await session.close()
    }
  }

  func testFileThatIsEmptyWhenOpenedIsAConflict() async throws {
    try await withFile("one\n") { file, recovery in
      let session = try await open(file, recovery)
      session.edit("Mine") { $0.append("mine\n") }
      try await session.save()
      try await session.close()
      try write("", file)
      let next = try await open(file, recovery)
      guard case .conflict = next.state else { return XCTFail("\(next.state)") }
      XCTAssertEqual(next.history.currentItem, "one\nmine\n")
      try await next.resolve(.theirs)
      XCTAssertEqual(next.history.currentItem, "")
      XCTAssert(isSaved(next))
      try await next.close()
    }
  }

  func testRemovedFileIsNotRecreatedWithoutAResolution() async throws {
    for hasUnsavedEdits in [false, true] {
      try await withFile("one\n") { file, recovery in
        let session = try await open(file, recovery)
        session.edit("Mine") { $0.append("mine\n") }
        try await session.save()
        if hasUnsavedEdits { session.edit("More") { $0.append("more\n") } }
        try await session.close()
        try FileManager.default.removeItem(at: file)
        let next = try await open(file, recovery)
        XCTAssert(next.recovered.wasChangedByAnother)
        await assertConflict { () async throws(EditingSessionError) in try await next.save() }
        XCTAssertFalse(FileManager.default.fileExists(atPath: file.path))
        try await next.resolve(.mine)
        XCTAssertEqual(try text(file), next.history.currentItem)
        try await next.close()
      }
    }
  }
}
