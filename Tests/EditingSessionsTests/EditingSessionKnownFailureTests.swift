import EditingSessions
import Foundation
import Journals
import TestSupport
import Testing
import UndoHistories

/// What sessions do not do as they should yet.
@MainActor
struct EditingSessionKnownFailureTests {
  private struct Note: Codable, Sendable {
    var text = String(repeating: "x", count: 10_000)
    var caret = 0
  }

  private func size(_ folder: TemporaryFolder) throws -> Int {
    let recovery = folder.file("recovery")
    return try FileManager.default.contentsOfDirectory(atPath: recovery.path).reduce(0) {
      try $0 + Data(contentsOf: recovery.appending(path: $1)).count
    }
  }

  private func killed(_ folder: TemporaryFolder) throws -> TemporaryFolder {
    let copy = try TemporaryFolder(isInMemory: true)
    for name in folder.names {
      try FileManager.default.copyItem(at: folder.file(name), to: copy.file(name))
    }
    return copy
  }

  private func open(
    _ folder: TemporaryFolder, logByteLimit: Int = 1 << 20, carries: Bool = true
  ) async throws -> EditingSession<Note> {
    try await EditingSession(
      file: folder.file("note.json"), recovery: folder.file("recovery"), format: .json(Note.self), new: Note(),
      system: PosixFileSystem(), logByteLimit: logByteLimit
    ) { if carries { $0.carry(\.caret) } }
  }

  /// Messages of an assignment of a carried value without a name have the whole document, and none says the last one.
  @Test func aCaretWithoutANameTakesAFewBytesAndComesBack() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let session = try await open(folder)
    func type(_ caret: Int) async {
      session.edit("Key") {
        $0.text.append("a")
        $0.caret = caret
      }
      await session.durable()
    }
    await type(1)
    let before = try size(folder)
    for caret in 2...40 { await type(caret) }
    let after = try size(folder)
    let next = try await open(try killed(folder))
    #expect(next.currentItem.text == session.currentItem.text)
    withKnownIssue {
      #expect(next.currentItem.caret == 40)
      #expect(after - before < 39 * 40)
    }
    try await next.close()
    try await session.close()
  }

  /// The log begins anew with a snapshot, by which a step that is open would end.
  @Test func aLogIsBoundedWhileAStepIsOpen() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let session = try await open(folder, logByteLimit: 1000, carries: false)
    let step = session.beginStep("Long")
    for count in 0..<2000 {
      session.edit {
        if count % 2 == 0 {
          $0.text.insert("abcdefghijklmnopqrstuvwxyz0123456789", atUTF8: 0)
        } else {
          $0.text.removeSubrange(utf8: 0..<36)
        }
      }
      if count % 200 == 0 { await session.durable() }
    }
    await session.durable()
    let size = try size(folder)
    // Of the document and the one step.
    withKnownIssue { #expect(size < 3 * session.currentItem.text.utf8.count) }
    session.endStep(step)
    try await session.close()
  }
}
