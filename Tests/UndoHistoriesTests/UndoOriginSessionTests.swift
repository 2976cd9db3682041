import Foundation
import UndoHistories
import XCTest

/// Several authors who type in one text at the same time, each with an origin.
final class UndoOriginSessionTests: XCTestCase {
  /// `UNSAVED_AUTHORS` is the path of a recorded session, which has the author of each edit.
  func testStepsOfEachAuthorAreUndoneAndRedoneAlone() throws {
    guard let path = ProcessInfo.processInfo.environment["UNSAVED_AUTHORS"] else {
      throw XCTSkip("UNSAVED_AUTHORS names no recorded session of several authors")
    }
    let session = try AuthoredSession(contentsOf: URL(fileURLWithPath: path))
    var history = UndoHistory(initialValue: session.start)
    for edit in session.edits {
      history[as: edit.author].replaceSubrange(utf8: edit.range, with: edit.text)
    }
    XCTAssertEqual(history.currentItem, session.end)
    let stepCount = history.undoCount
    for author in session.authors {
      var copy = history
      var texts = [copy.currentItem]
      while case .undone = copy.undo(by: author) { texts.append(copy.currentItem) }
      let count = texts.count - 1
      let own = history.steps.filter { $0.origin == author }.count
      print("\(author): \(count) of \(own) steps of \(stepCount) undone before one is blocked")
      XCTAssertGreaterThan(count, 0)
      // Undo by origin has recorded steps, which can be undone like any other.
      var back = copy
      for text in texts.dropLast().reversed() {
        back.undo()
        XCTAssertTrue(back.currentItem.utf8.elementsEqual(text.utf8))
      }
      XCTAssertEqual(back.undoCount, stepCount)
      for text in texts.dropLast().reversed() {
        guard case .undone = copy.redo(by: author) else { return XCTFail("a step that was undone cannot be redone") }
        XCTAssertTrue(copy.currentItem.utf8.elementsEqual(text.utf8))
      }
      XCTAssertEqual(copy.redo(by: author), .nothing)
      XCTAssertTrue(copy.currentItem.utf8.elementsEqual(session.end.utf8))
    }
  }
}

/// A session of several authors in the format in which it was published, with positions counted in scalars.
private struct AuthoredSession {
  struct Edit {
    let author: UndoOrigin
    /// In UTF-8.
    let range: Range<Int>
    let text: String
  }

  let start: String
  let end: String
  private(set) var edits: [Edit] = []
  var authors: [UndoOrigin] { Set(edits.map(\.author)).sorted { $0.rawValue < $1.rawValue } }

  private struct Recording: Decodable {
    struct Change: Decodable {
      var agent: Int
      var patches: [Patch]
    }

    struct Patch: Decodable {
      var (start, removed, inserted) = (0, 0, "")

      init(from decoder: any Decoder) throws {
        var fields = try decoder.unkeyedContainer()
        start = try fields.decode(Int.self)
        removed = try fields.decode(Int.self)
        inserted = try fields.decode(String.self)
      }
    }

    var startContent: String
    var endContent: String
    var txns: [Change]
  }

  init(contentsOf url: URL) throws {
    let recording = try JSONDecoder().decode(Recording.self, from: Data(contentsOf: url))
    (start, end) = (recording.startContent, recording.endContent)
    var scalars = Array(start.unicodeScalars)
    for change in recording.txns {
      for patch in change.patches where patch.removed > 0 || !patch.inserted.isEmpty {
        func bytes(_ scalars: ArraySlice<Unicode.Scalar>) -> Int { scalars.reduce(0) { $0 + UTF8.width($1) } }
        let lower = bytes(scalars[..<patch.start])
        let range = patch.start..<patch.start + patch.removed
        edits.append(
          Edit(
            author: UndoOrigin(rawValue: "author \(change.agent)"), range: lower..<lower + bytes(scalars[range]),
            text: patch.inserted))
        scalars.replaceSubrange(range, with: patch.inserted.unicodeScalars)
      }
    }
  }
}
