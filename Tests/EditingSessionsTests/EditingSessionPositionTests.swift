import EditingSessions
import Foundation
import Journals
import TestSupport
import Testing
import UndoArchives
import UndoHistories

/// Carets that move when another program changes the file, also in the session after a kill.
@MainActor
struct EditingSessionPositionTests {
  private struct Note: Codable, Sendable, Equatable {
    var text = "", caret = 0, title = ""
  }

  /// The same document, whose type names its parts.
  private struct NamedNote: UndoArchivable, Codable, Sendable, Equatable {
    var text = "", caret = 0, title = ""

    static let undoParts = [
      UndoPart<NamedNote>("text", \.text), UndoPart("caret", \.caret), UndoPart("title", \.title),
    ]
  }

  private func open<Document: Codable & Sendable>(
    _ folder: TemporaryFolder, _ new: Document, _ text: any WritableKeyPath<Document, String> & Sendable,
    _ caret: any WritableKeyPath<Document, Int> & Sendable
  ) async throws -> EditingSession<Document> {
    try await EditingSession(
      file: folder.file("note.json"), recovery: folder.file("recovery"), format: .json(Document.self), new: new,
      system: PosixFileSystem()
    ) { $0.restoreOnUndo(caret, in: text, unit: .utf16) }
  }

  /// Another program inserts text at the beginning of the file, and may move its caret.
  private func insert(_ text: String, caret: Int? = nil, _ folder: TemporaryFolder) throws {
    let file = folder.file("note.json")
    var note = try JSONDecoder().decode(Note.self, from: Data(contentsOf: file))
    note.text = text + note.text
    if let caret { note.caret = caret }
    try JSONEncoder().encode(note).write(to: file)
  }

  @Test func reloadMovesTheCaret() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let session = try await open(folder, Note(text: "hello", caret: 5), \.text, \.caret)
    session.edit { $0.title = "title" }
    try await session.save()
    session.edit {
      $0.title = "mine"
      $0.caret = 3
    }
    try insert("é😀 ", caret: 0, folder)
    try await session.reload()
    #expect(session.currentItem == Note(text: "é😀 hello", caret: 7, title: "mine"))
    session.undo()
    #expect(session.currentItem == Note(text: "é😀 hello", caret: 9, title: "title"))
    // Nothing is unsaved, so this reload is a step.
    try await session.save()
    try insert("- ", caret: 1, folder)
    try await session.reload()
    #expect(session.currentItem.caret == 11)
    session.undo()
    #expect(session.currentItem == Note(text: "é😀 hello", caret: 9, title: "title"))
    try await session.close()
  }

  private func expectMovedCaretAfterAKill<Document: Codable & Sendable>(
    _ new: Document, sessions count: Int, _ text: any WritableKeyPath<Document, String> & Sendable,
    _ caret: any WritableKeyPath<Document, Int> & Sendable, _ title: any WritableKeyPath<Document, String> & Sendable
  ) async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    var session = try await open(folder, new, text, caret)
    session.currentItem[keyPath: text] = "é"
    session.currentItem[keyPath: caret] = 1
    try await session.save()
    for number in 0..<count {
      if number > 0 {
        // The log of the second session begins with an archive of the steps.
        try await session.save()
        try await session.close()
        session = try await open(folder, new, text, caret)
      }
      session.currentItem[keyPath: title] += "a"
      session.currentItem[keyPath: caret] += 1
      try insert("😀", folder)
      try await session.reload()
      session.undo()
      session.redo()
      session.currentItem[keyPath: title] += "b"
      await session.isSynchronized()
      let killed = try folder.copy()
      let next = try await open(killed, new, text, caret)
      #expect(next.recovery.isIntact)
      var (mine, other) = (session.history, next.history)
      #expect(other.undoCount == mine.undoCount)
      for isBack in [true, false, true] {
        while (isBack ? mine.undo() : mine.redo()) != nil {
          #expect((isBack ? other.undo() : other.redo()) != nil)
          #expect(mine.currentItem[keyPath: text] == other.currentItem[keyPath: text])
          #expect(mine.currentItem[keyPath: caret] == other.currentItem[keyPath: caret])
        }
      }
      // It also moves from now on.
      let place = next.currentItem[keyPath: caret]
      try insert("é", killed)
      try await next.reload()
      #expect(next.currentItem[keyPath: caret] == place + 1)
      try await next.close()
    }
    try await session.close()
  }

  @Test func nextSessionHasTheMovedCarets() async throws {
    // Without a named part, the archive in the log of the second session has no carets.
    try await expectMovedCaretAfterAKill(Note(), sessions: 1, \.text, \.caret, \.title)
    try await expectMovedCaretAfterAKill(NamedNote(), sessions: 3, \.text, \.caret, \.title)
  }
}
