import EditingSessions
import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// Sessions of files that no other file can replace, because they are mounted.
@MainActor
final class EditingSessionInPlaceTests: XCTestCase, NoteSessions {
  /// - Parameter last: The call at which the process dies.
  private func mounted(_ last: FileSystemCall? = nil) -> ScriptedFileSystem {
    ScriptedFileSystem(isArmed: last == nil) { call, _ in
      call == last ? .death : call == .exchangeFiles ? .failure(EBUSY) : nil
    }
  }

  func testMountedFileIsSavedInPlaceOnlyWithTheOption() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.put("a", "note.txt")
    var options = FileChange.Options()
    for isInPlace in [false, true] {
      if isInPlace { options.fallback = .inPlace(keepingCopyIn: folder.file("copies")) }
      let session = try await EditingSession(
        file: file, recovery: folder.file("recovery"), format: .text, options: options, system: mounted())
      session.edit { $0.append("b") }
      let reason = await refusal { try await session.save() }
      XCTAssertEqual(reason, isInPlace ? nil : "file")
      XCTAssertEqual(session.isSaved, isInPlace)
      if case .failed(let error) = session.state, case .file(let cause) = error.reason {
        XCTAssertEqual(cause.reason, .notReplaceable)
      } else {
        XCTAssertTrue(isInPlace)
      }
      XCTAssertEqual(folder.text("note.txt"), isInPlace ? "abb" : "a")
      try await session.close()
    }
  }

  func testNextSessionMendsAFileWhoseSaveWasKilled() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.put("a long text", "note.txt")
    let options = FileChange.Options(fallback: .inPlace(keepingCopyIn: folder.file("copies")))
    let dying = mounted(.truncate)
    let session = try await EditingSession(
      file: file, recovery: folder.file("recovery"), format: .text, options: options, system: dying,
      clock: ManualClock())
    session.edit("Shorten") { $0.set("short") }
    try await session.synchronize()
    dying.arm()
    let saving = Task { try? await session.save() }
    try await until(dying.isDead)
    XCTAssertEqual(folder.text("note.txt"), "shortg text")

    // The copies and the file are used in their place, because a copy of the file is another one.
    let log = folder.file("logs")
    try FileManager.default.copyItem(at: folder.file("recovery"), to: log)
    let found = try await EditingSession<String>.recoverable(in: log)
    let next = try await EditingSession(recovering: XCTUnwrap(found.first), file: file, format: .text, options: options)
    XCTAssertEqual(folder.text("note.txt"), "a long text")
    XCTAssertEqual(next.currentItem, "short")
    XCTAssertFalse(next.hasConflict)
    XCTAssertEqual(next.history.steps.map(\.label), ["Shorten"])
    saving.cancel()
  }
}
