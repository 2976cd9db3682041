import Foundation
import Unsaved
import XCTest

/// An editor with undo, autosave and a real file: what is on disk is always a state that the document had.
final class EditorStoryTests: XCTestCase {
  /// A text with its history, the file it is saved to, and what must still be written.
  ///
  /// The three do not know each other. The editor only maps each generation of the queue to a save of the history.
  private struct Editor {
    let file: FileChange.Path
    var history = UndoHistory(initialValue: "")
    var unwritten = PendingChangeQueue<FileChange>()
    var saves: [PendingChangeID: UndoHistory<String>.Save] = [:]

    mutating func save() {
      let save = history.beginSave()
      let insertion = unwritten.insert(.write(history.currentItem, to: file))
      saves[insertion.id] = save
      if let displaced = insertion.displaced { saves[displaced.id] = nil }
    }

    mutating func didWrite(_ id: PendingChangeID) {
      unwritten.complete(id)
      if let save = saves.removeValue(forKey: id) { history.finishSave(save) }
    }

    /// Writes the waiting changes, and completes each one when it is on disk; `meanwhile` runs during each write.
    mutating func write(with writer: FileChangeWriter, meanwhile: (inout Editor) -> Void = { _ in }) async throws {
      while let entry = unwritten.begin() {
        do {
          try await writer.submit(entry.change)
          meanwhile(&self)
          try await writer.flush()
          didWrite(entry.id)
        } catch {
          // The save stays in flight, because the queue keeps the change for another attempt.
          unwritten.fail(entry.id, reason: "\(error)")
          throw error
        }
      }
    }
  }

  func testUndoToTheSavedFileLeavesTheHistoryClean() async throws {
    try await withTemporaryFolder { folder in
      let url = folder.appending(path: "note.txt")
      let writer = FileChangeWriter()
      var editor = Editor(file: FileChange.Path(url))

      for character in "Buy milk" { editor.history.edit.append(String(character)) }
      XCTAssertTrue(editor.history.isDirty)
      editor.save()
      try await editor.write(with: writer)
      XCTAssertEqual(try String(contentsOf: url, encoding: .utf8), "Buy milk")
      XCTAssertFalse(editor.history.isDirty)

      editor.history.edit.append(" and flour")
      XCTAssertTrue(editor.history.isDirty)
      editor.history.undo()
      XCTAssertFalse(editor.history.isDirty)
      XCTAssertEqual(editor.history.currentItem, try String(contentsOf: url, encoding: .utf8))

      // The text typed before the save is one step. Undoing it leaves the saved state, so the document is dirty.
      editor.history.undo()
      XCTAssertEqual(editor.history.currentItem, "")
      XCTAssertTrue(editor.history.isDirty)
      editor.save()
      try await editor.write(with: writer)
      XCTAssertEqual(try String(contentsOf: url, encoding: .utf8), "")
      try await writer.close()
    }
  }

  func testWaitingSavesBecomeOneChangeOfTheFile() async throws {
    try await withTemporaryFolder { folder in
      let url = folder.appending(path: "note.txt")
      var editor = Editor(file: FileChange.Path(url))
      for number in 1...100 {
        editor.history.currentItem = "Version \(number)"
        editor.save()
      }
      XCTAssertEqual(editor.unwritten.count, 1)
      XCTAssertEqual(editor.saves.count, 1)

      let writer = FileChangeWriter()
      try await editor.write(with: writer)
      let progress = await writer.progress
      XCTAssertEqual(progress.written, 1)
      XCTAssertEqual(try String(contentsOf: url, encoding: .utf8), "Version 100")
      XCTAssertEqual(editor.history.undoCount, 100)
      XCTAssertTrue(!editor.history.isDirty && editor.history.savesInFlight.isEmpty)
      try await writer.close()
    }
  }

  func testEditMadeDuringASaveIsNotSaved() async throws {
    try await withTemporaryFolder { folder in
      let url = folder.appending(path: "note.txt")
      let writer = FileChangeWriter()
      var editor = Editor(file: FileChange.Path(url))
      editor.history.edit.append("Buy milk")
      editor.save()
      try await editor.write(with: writer) { $0.history.edit.append(" and flour") }

      XCTAssertEqual(try String(contentsOf: url, encoding: .utf8), "Buy milk")
      XCTAssertEqual(editor.history.currentItem, "Buy milk and flour")
      XCTAssertTrue(editor.history.isDirty)
      editor.history.undo()
      XCTAssertFalse(editor.history.isDirty, "undone to what is on disk")
      editor.history.redo()
      editor.save()
      try await editor.write(with: writer)
      XCTAssertEqual(try String(contentsOf: url, encoding: .utf8), "Buy milk and flour")
      XCTAssertFalse(editor.history.isDirty)
      try await writer.close()
    }
  }

  /// The disk is pulled out in the middle of an editing session, and put back.
  func testFailedDiskLosesNoEdits() async throws {
    try await withTemporaryFolder { folder in
      let disk = folder.appending(path: "disk")
      let pulled = folder.appending(path: "pulled out")
      try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: false)
      let url = disk.appending(path: "note.txt")
      let writer = FileChangeWriter()
      var editor = Editor(file: FileChange.Path(url))
      editor.history.edit.append("Buy milk")
      editor.save()
      try await editor.write(with: writer)
      XCTAssertFalse(editor.history.isDirty)

      try FileManager.default.moveItem(at: disk, to: pulled)
      editor.history.edit.append(" and flour")
      editor.save()
      do {
        try await editor.write(with: writer) { $0.history.edit.append(" and eggs") }
        XCTFail("There is no folder to write to")
      } catch let error as FileChangeWriter.UnwrittenError {
        XCTAssertEqual(error.failures.map(\.error.reason), [.noSuchFolder])
      }
      XCTAssertEqual(editor.unwritten.next?.change, .write("Buy milk and flour", to: url))
      XCTAssertEqual(editor.unwritten.next?.attempts, 1)
      XCTAssertTrue(editor.history.isDirty)
      editor.history.undo()
      XCTAssertTrue(editor.history.isDirty, "a failed write is not a save")
      editor.history.undo()
      XCTAssertFalse(editor.history.isDirty, "the file has what was written before")
      editor.history.redo()
      editor.history.redo()

      // The application restarts with the queue that it kept, and the disk is back.
      editor.unwritten = try JSONDecoder().decode(
        PendingChangeQueue<FileChange>.self, from: JSONEncoder().encode(editor.unwritten))
      try FileManager.default.moveItem(at: pulled, to: disk)
      XCTAssertEqual(try String(contentsOf: url, encoding: .utf8), "Buy milk")
      try await editor.write(with: writer)
      XCTAssertEqual(try String(contentsOf: url, encoding: .utf8), "Buy milk and flour")
      XCTAssertTrue(editor.history.isDirty, "the eggs are not saved")
      editor.history.undo()
      XCTAssertFalse(editor.history.isDirty)
      editor.history.redo()

      editor.save()
      try await editor.write(with: writer)
      XCTAssertEqual(try String(contentsOf: url, encoding: .utf8), "Buy milk and flour and eggs")
      XCTAssertFalse(editor.history.isDirty)
      XCTAssertTrue(editor.unwritten.isEmpty && editor.saves.isEmpty && editor.history.savesInFlight.isEmpty)
      try await writer.close()
    }
  }

  /// Undo within a draft: the draft has the value of the history, and each commit writes the source once.
  func testHistoryUndoesTheEditsOfADraft() throws {
    final class Library { var note = "Buy milk" }
    let library = Library()
    var draft = Draft(of: library, \.note)
    var history = UndoHistory(initialValue: draft.current)
    func show(_ edit: () -> Void) {
      edit()
      draft.current = history.currentItem
    }
    show { history.edit.append(" and flour") }
    XCTAssertTrue(draft.isDirty)
    show { history.undo() }
    XCTAssertFalse(draft.isDirty)
    show { history.redo() }
    XCTAssertEqual(library.note, "Buy milk")
    try draft.commit()
    XCTAssertEqual(library.note, "Buy milk and flour")
    XCTAssertFalse(draft.isDirty)
    show { history.undo() }
    XCTAssertTrue(draft.isDirty, "undone to before the commit")
    draft.rollback()
    XCTAssertEqual(draft.current, "Buy milk and flour")
  }

  func testEachDocumentIsAutosavedOnceInTheOrderOfItsFirstEdit() async throws {
    try await withTemporaryFolder { folder in
      var texts = ["a": "", "b": "", "c": ""]
      var edited = UniqueQueue<String>()
      for (name, word) in [("b", "two"), ("a", "one"), ("b", " and more"), ("c", "three"), ("a", " more")] {
        texts[name, default: ""] += word
        edited.append(name)
      }
      edited.remove("c")  // closed without saving

      let writer = FileChangeWriter()
      var saved: [String] = []
      while let name = edited.popFirst() {
        try await writer.submit(.write(texts[name, default: ""], to: folder.appending(path: name)))
        saved.append(name)
      }
      try await writer.close()
      XCTAssertEqual(saved, ["b", "a"])
      XCTAssertEqual(try String(contentsOf: folder.appending(path: "a"), encoding: .utf8), "one more")
      XCTAssertEqual(try String(contentsOf: folder.appending(path: "b"), encoding: .utf8), "two and more")
      XCTAssertFalse(FileManager.default.fileExists(atPath: folder.appending(path: "c").path))
    }
  }

  private func withTemporaryFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "unsaved-story-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }
}
