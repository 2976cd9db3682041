import Foundation
import Unsaved
import XCTest

/// An editor with undo, autosave and a real file: what is on disk is always a state that the document had.
final class EditorStoryTests: XCTestCase {
  /// A text with its history, the file it is saved to, and what must still be written.
  private struct Editor {
    let file: FileChange.Path
    var history = UndoHistory(initialValue: "")
    var unwritten = PendingChangeQueue<FileChange>()

    mutating func save() {
      unwritten.insert(.write(history.currentItem, to: file))
      history.markSaved()
    }

    /// Hands over to the writer what waits, and completes it when it is on disk.
    mutating func write(with writer: FileChangeWriter) async throws {
      while let entry = unwritten.begin() {
        do {
          try await writer.submit(entry.change)
          try await writer.flush()
          unwritten.complete(entry.id)
        } catch {
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
      XCTAssertFalse(editor.history.isAtSavedPoint)
      editor.save()
      try await editor.write(with: writer)
      XCTAssertEqual(try String(contentsOf: url, encoding: .utf8), "Buy milk")
      XCTAssertTrue(editor.history.isAtSavedPoint)

      editor.history.edit.append(" and flour")
      XCTAssertFalse(editor.history.isAtSavedPoint)
      editor.history.undo()
      XCTAssertTrue(editor.history.isAtSavedPoint)
      XCTAssertEqual(editor.history.currentItem, try String(contentsOf: url, encoding: .utf8))

      // What was typed before the save is one step, and a saved state can be left backwards, too.
      editor.history.undo()
      XCTAssertEqual(editor.history.currentItem, "")
      XCTAssertFalse(editor.history.isAtSavedPoint)
      editor.save()
      try await editor.write(with: writer)
      XCTAssertEqual(try String(contentsOf: url, encoding: .utf8), "")
      try await writer.shutdown()
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

      let writer = FileChangeWriter()
      try await editor.write(with: writer)
      let progress = await writer.progress
      XCTAssertEqual(progress.written, 1)
      XCTAssertEqual(try String(contentsOf: url, encoding: .utf8), "Version 100")
      XCTAssertEqual(editor.history.undoCount, 100)
      try await writer.shutdown()
    }
  }

  func testSaveThatFailsIsStillThere() async throws {
    try await withTemporaryFolder { folder in
      let missing = folder.appending(path: "missing")
      let url = missing.appending(path: "note.txt")
      var editor = Editor(file: FileChange.Path(url))
      editor.history.edit.append("Buy milk")
      editor.save()

      let writer = FileChangeWriter()
      do {
        try await editor.write(with: writer)
        XCTFail("There is no folder to write to")
      } catch let error as FileChangeWriter.Unwritten {
        XCTAssertEqual(error.failures.map(\.error.reason), [.noSuchFolder])
      }
      XCTAssertEqual(editor.unwritten.next?.change, .write("Buy milk", to: url))
      XCTAssertEqual(editor.unwritten.next?.attempts, 1)

      try FileManager.default.createDirectory(at: missing, withIntermediateDirectories: false)
      try await editor.write(with: writer)
      XCTAssertEqual(try String(contentsOf: url, encoding: .utf8), "Buy milk")
      XCTAssertTrue(editor.unwritten.isEmpty)
      try await writer.shutdown()
    }
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
      try await writer.shutdown()
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
