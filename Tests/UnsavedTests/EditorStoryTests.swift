import Foundation
import Unsaved
import XCTest

/// An editor with undo, autosave and a real file: what is on disk is always a state that the document had.
final class EditorStoryTests: XCTestCase {
  /// A text with its history, the file it is saved to, and what must still be written.
  ///
  /// The three know nothing of each other: a generation of the queue stands for a save of the history, and that is all.
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

    /// Hands over to the writer what waits, and completes it when it is on disk; `meanwhile` is done while it is
    /// written.
    mutating func write(with writer: FileChangeWriter, meanwhile: (inout Editor) -> Void = { _ in }) async throws {
      while let entry = unwritten.begin() {
        do {
          try await writer.submit(entry.change)
          meanwhile(&self)
          try await writer.flush()
          didWrite(entry.id)
        } catch {
          // The save stays in flight: nothing is given up, and the queue has the change again.
          unwritten.fail(entry.id, reason: "\(error)")
          throw error
        }
      }
    }
  }

  func testUndoBackToTheSavedFile() async throws {
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

      // What was typed before the save is one step, and a saved state can be left backwards, too.
      editor.history.undo()
      XCTAssertEqual(editor.history.currentItem, "")
      XCTAssertTrue(editor.history.isDirty)
      editor.save()
      try await editor.write(with: writer)
      XCTAssertEqual(try String(contentsOf: url, encoding: .utf8), "")
      try await writer.close()
    }
  }

  func testSavesWaitAsOneChangeOfTheFile() async throws {
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

  func testWhatIsEditedDuringASaveIsNotSaved() async throws {
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
  func testADiskThatFailsLosesNothing() async throws {
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
      XCTAssertTrue(editor.history.isDirty, "what failed to be written is not saved")
      editor.history.undo()
      XCTAssertFalse(editor.history.isDirty, "the file has what was written before")
      editor.history.redo()
      editor.history.redo()

      // The application ends and starts again with what it kept; the disk is back.
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

  /// Undo within a draft: the draft's value is what the history has, and one commit is one write to the source.
  func testADraftIsEditedThroughAHistory() throws {
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
