import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Helpers for tests that let a recorder write edits and replay them in another history.
protocol UndoFieldPatches {}

extension UndoFieldPatches {
  /// Records an edit, replays it in a history of the original document, restores it from an archive, and compares all
  /// states.
  ///
  /// - Returns: The recorded messages.
  @discardableResult
  func check<Document: Codable & Equatable>(
    _ document: Document, line: UInt = #line, _ edit: (inout UndoHistory<Document>) throws -> Void
  ) throws -> [UInt8] {
    let (history, replayed, messages) = try withoutActuallyEscaping(edit) {
      try self.replayed(document, as: document, [$0])
    }
    XCTAssert(replayed == history, "the records differ", line: line)
    let archive = try UndoHistory<Document>.Archive(
      history.archive(keepsWhole: true, fields: .json).bytes(.json), .json)
    var restored = UndoHistory(initialValue: history.currentItem)
    try restored.restore(archive)
    for other in [replayed, restored] {
      var (other, history) = (other, history)
      while history.undo() != nil {
        other.undo()
        XCTAssertEqual(other.currentItem, history.currentItem, line: line)
      }
      while history.redo() != nil {
        other.redo()
        XCTAssertEqual(other.currentItem, history.currentItem, line: line)
      }
      XCTAssertEqual(other.undoCount, history.undoCount, line: line)
    }
    return messages
  }

  /// Records the edits one by one, and replays their messages in a history of the later document.
  func replayed<Document: Codable, Later: Codable>(
    _ document: Document, as later: Later, _ edits: [(inout UndoHistory<Document>) throws -> Void]
  ) throws -> (history: UndoHistory<Document>, replayed: UndoHistory<Later>, messages: [UInt8]) {
    var history = UndoHistory(initialValue: document)
    let recorder = UndoRecorder<Document>(.json)
    recorder.begin(with: &history)
    for edit in edits { try history.observed(by: recorder) { try edit(&$0) } }
    XCTAssertNil(recorder.error)
    var replayed = UndoHistory(initialValue: later)
    var replayer = try UndoReplayer<Later>(recorder.header, .json)
    let messages = recorder.takeMessages()
    try replayer.replay(messages, in: &replayed)
    replayer.finish(&replayed)
    return (history, replayed, messages)
  }

  /// Records and replays the edits, and compares only the coded properties of the documents.
  func check<Document: Codable, Coded: Equatable>(
    _ document: Document, by coded: (Document) -> Coded, line: UInt = #line,
    _ edits: (inout UndoHistory<Document>) throws -> Void...
  ) throws {
    var (history, replayed, _) = try replayed(document, as: document, edits)
    XCTAssertEqual(coded(replayed.currentItem), coded(history.currentItem), line: line)
    XCTAssertEqual([replayed.undoCount, replayed.redoCount], [history.undoCount, history.redoCount], line: line)
    XCTAssertEqual(replayed.steps.map(\.label), history.steps.map(\.label), line: line)
    while history.undo() != nil {
      XCTAssertNotNil(replayed.undo(), line: line)
      XCTAssertEqual(coded(replayed.currentItem), coded(history.currentItem), line: line)
    }
  }
}
