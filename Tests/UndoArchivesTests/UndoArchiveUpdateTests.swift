import Foundation
import Testing
import UndoHistories

/// Archives that an earlier version of a document's type has made.
struct UndoArchiveUpdateTests {
  private struct Note: UndoArchivable {
    var title = ""
    var size = 1
    static let undoParts = [UndoPart<Note>("title", \.title), UndoPart("size", \.size)]
  }

  /// Without its size, and with a property that it did not have.
  private struct Later: UndoArchivable {
    var title = ""
    var isPinned: Bool
    static let undoParts = [UndoPart<Later>("title", \.title), UndoPart("isPinned", \.isPinned)]

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      title = try container.decode(String.self, forKey: .title)
      isPinned = try container.decodeIfPresent(Bool.self, forKey: .isPinned) ?? false
    }
  }

  /// The digest of the document is of what its type encodes.
  @Test func stepsThatStillApplyAreRestored() throws {
    var history = UndoHistory(initialValue: Note())
    history.transaction { $0.title.append("a") }
    history.transaction { $0.size = 2 }
    history.transaction { $0.title.append("b") }
    let archive = try JSONEncoder().encode(history.archive())
    let document = try JSONEncoder().encode(history.currentItem)
    let read = try JSONDecoder().decode(UndoHistory<Later>.Archive.self, from: archive)
    var later = UndoHistory(initialValue: try JSONDecoder().decode(Later.self, from: document))
    withKnownIssue {
      try later.restoreSteps(from: read)
      #expect(later.undoCount == 3)
    }
    while later.undo() != nil {}
    withKnownIssue { #expect(later.currentItem.title.isEmpty) }
  }
}
