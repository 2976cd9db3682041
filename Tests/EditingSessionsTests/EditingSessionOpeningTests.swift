import EditingSessions
import FileChanges
import Foundation
import Journals
import TestSupport
import UndoHistories
import XCTest

/// Which log a session reads when it opens, and which files it leaves unchanged.
@MainActor
final class EditingSessionOpeningTests: XCTestCase, NoteSessions {
  private struct Note: Codable, Sendable, Equatable { var title = "" }
  private struct LaterNote: Codable, Sendable { var title: String, added: Int }

  // MARK: Openings that throw

  func testUnsavedEditsSurviveOpeningWithATypeThatCannotReadTheFile() async throws {
    let folder = try TemporaryFolder()
    let (file, recovery) = (folder.file("note.json"), folder.file("recovery"))
    let first = try await EditingSession(file: file, recovery: recovery, format: .json(), new: Note())
    try await first.save()
    first.edit { $0.title = "unsaved" }
    try await first.close()
    let names = try FileManager.default.contentsOfDirectory(atPath: recovery.path)
    do throws(EditingSessionError) {
      _ = try await EditingSession<LaterNote>(file: file, recovery: recovery, format: .json())
      XCTFail("it was opened")
    } catch {
      guard case .unreadable = error.reason else { return XCTFail("\(error)") }
    }
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: recovery.path), names)
    let next = try await EditingSession<Note>(file: file, recovery: recovery, format: .json())
    XCTAssertEqual(next.currentItem.title, "unsaved")
    XCTAssertTrue(next.recovery.hasUnfinishedChanges)
    XCTAssertTrue(next.recovery.isIntact)
    try await next.close()
  }

  func testUnsavedDocumentSurvivesOpeningWithoutANewDocument() async throws {
    let folder = try TemporaryFolder()
    let (file, recovery) = (folder.file("note.json"), folder.file("recovery"))
    let first = try await EditingSession(file: file, recovery: recovery, format: .json(), new: Note())
    first.edit { $0.title = "nowhere else" }
    try await first.close()
    do throws(EditingSessionError) {
      _ = try await EditingSession<LaterNote>(file: file, recovery: recovery, format: .json())
      XCTFail("it was opened")
    } catch {
      guard case .missing = error.reason else { return XCTFail("\(error)") }
    }
    let next = try await EditingSession<Note>(file: file, recovery: recovery, format: .json())
    XCTAssertEqual(next.currentItem.title, "nowhere else")
    try await next.close()
  }

  // MARK: Logs of other documents

  func testFoldersWithCanonicallyEqualNamesHaveSeparateLogs() async throws {
    let folder = try TemporaryFolder()
    let folders = ["caf\u{e9}", "cafe\u{301}"].map { folder.file($0) }
    for (url, text) in zip(folders, ["one\n", "two\n"]) {
      // The test makes no sense on a file system that treats both names as one.
      guard unsafe mkdir(url.path, 0o755) == 0 else { throw XCTSkip("the two names are one folder") }
      try write(text, url.appending(path: "note.txt"))
    }
    let recovery = folders[0].appending(path: "recovery")
    let first = try await open(folders[0].appending(path: "note.txt"), recovery)
    first.edit { $0.append("typed in the first\n") }
    let second = try await open(folders[1].appending(path: "note.txt"), recovery)
    XCTAssertEqual(second.currentItem, "two\n")
    XCTAssertFalse(second.recovered.hasLog)
    try await first.close()
    try await second.close()
  }

  func testTextIsNotReadFromTheLogOfAnotherFormat() async throws {
    let folder = try TemporaryFolder()
    let (file, recovery) = (folder.file("note"), folder.file("recovery"))
    let first = try await EditingSession(file: file, recovery: recovery, format: .json(), new: Note())
    first.edit { $0.title = "a title" }
    try await first.save()
    try await first.close()
    try write("a plain text now", file)
    let next = try await open(file, recovery)
    XCTAssertEqual(next.currentItem, "a plain text now")
    XCTAssertFalse(next.hasConflict)
    let kept = try XCTUnwrap(next.recovery.setAside)
    XCTAssertTrue(try Data(contentsOf: kept).range(of: Data("a title".utf8)) != nil)
    next.edit { $0.append("!") }
    try await next.close()
    XCTAssertTrue(try Data(contentsOf: kept).range(of: Data("a title".utf8)) != nil, "the log is still kept")
  }

  func testDocumentIsNotReadFromTheLogOfAText() async throws {
    let folder = try TemporaryFolder()
    let (file, recovery) = (folder.file("note"), folder.file("recovery"))
    let first = try await open(file, recovery)
    first.edit { $0.append("{\"title\": \"typed as a text\"}") }
    try await first.close()
    try write("{\"title\": \"in the file\"}", file)
    let next = try await EditingSession(file: file, recovery: recovery, format: .json(Note.self))
    XCTAssertEqual(next.currentItem.title, "in the file")
    XCTAssertFalse(next.hasConflict)
    XCTAssertNotNil(next.recovery.setAside)
    try await next.close()
  }

  func testDocumentIsNotReadFromALogWithoutItsProperties() async throws {
    struct Settings: Codable, Sendable { var color: String?, size: Int? }
    struct RenamedNote: Codable, Sendable { var title = "", added: Int? }
    let folder = try TemporaryFolder()
    let (file, recovery) = (folder.file("note.json"), folder.file("recovery"))
    let first = try await EditingSession(file: file, recovery: recovery, format: .json(), new: Note())
    first.edit { $0.title = "unsaved" }
    try await first.close()
    // A later version of the type may have another name, but it has the same key.
    let renamed = try await EditingSession(
      file: file, recovery: recovery, format: .json(), new: RenamedNote())
    XCTAssertEqual(renamed.currentItem.title, "unsaved")
    XCTAssertNil(renamed.recovery.setAside)
    try await renamed.close()
    let next = try await EditingSession(
      file: file, recovery: recovery, format: .json(), new: Settings(color: "red"))
    XCTAssertEqual(next.currentItem.color, "red")
    XCTAssertFalse(next.recovery.hasUnfinishedChanges)
    XCTAssertNotNil(next.recovery.setAside)
    try await next.close()
  }

  // MARK: Released and open sessions

  func testFileCanBeReopenedWhileItsReleasedSessionWritesTheLog() async throws {
    for isCancelled in [false, true] {
      try await withFile(String(repeating: "a line of a long text\n", count: 100_000)) { file, recovery in
        var session: EditingSession<String>? = try await open(file, recovery)
        session?.edit { $0.append("typed") }
        session = nil
        let opening = Task { try await open(file, recovery) }
        if isCancelled { opening.cancel() }
        let next = try await opening.value
        XCTAssertTrue(next.currentItem.utf8.suffix(5).elementsEqual("typed".utf8))
        next.keepsSteps = false
        try await next.close()
      }
    }
  }

  func testOpeningAnOpenFileIsRefusedBeforeItIsClosed() async throws {
    try await withFile("one\n") { file, recovery in
      let session = try await open(file, recovery)
      session.edit { $0.append("two\n") }
      do throws(EditingSessionError) {
        _ = try await open(file, recovery)
        XCTFail("it was opened twice")
      } catch {
        guard case .log(let cause) = error.reason else { return XCTFail("\(error)") }
        XCTAssertEqual(cause.reason, .journalInUse)
      }
      try await session.close()
    }
  }
}
