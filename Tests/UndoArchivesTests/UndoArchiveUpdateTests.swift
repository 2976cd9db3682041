import Foundation
import Testing
import UndoArchives
import UndoHistories

/// Archives made by an earlier version of a document's type.
struct UndoArchiveUpdateTests {
  private struct Row: UndoArchivable {
    var text = "", size = 1
    static let undoParts = [UndoPart<Row>("text", \.text), UndoPart("size", \.size)]
  }

  private struct Note: UndoArchivable {
    var title = ""
    var size = 1
    var rows = [Row()]
    var flags = [true]
    static let undoParts = [
      UndoPart<Note>("title", \.title), UndoPart("size", \.size), UndoPart("rows", \.rows), UndoPart("flags", \.flags),
    ]
  }

  /// A row with an added property, and without its size.
  private struct LaterRow: UndoArchivable {
    var text = "", isDone = false
    static let undoParts = [UndoPart<LaterRow>("text", \.text), UndoPart("isDone", \.isDone)]
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      text = try container.decode(String.self, forKey: .text)
      isDone = try container.decodeIfPresent(Bool.self, forKey: .isDone) ?? false
    }
  }

  /// A note with an added property, also in its rows, and without its size.
  private struct Later: UndoArchivable {
    var title = ""
    var isPinned: Bool
    var rows: [LaterRow]
    static let undoParts = [
      UndoPart<Later>("title", \.title), UndoPart("isPinned", \.isPinned), UndoPart("rows", \.rows),
    ]

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      title = try container.decode(String.self, forKey: .title)
      isPinned = try container.decodeIfPresent(Bool.self, forKey: .isPinned) ?? false
      rows = try container.decode([LaterRow].self, forKey: .rows)
    }
  }

  /// A note whose size may have a fraction.
  private struct Wide: UndoArchivable {
    var title = ""
    var size = 1.0
    static let undoParts = [UndoPart<Wide>("title", \.title), UndoPart("size", \.size)]
  }

  private func makeHistory() -> UndoHistory<Note> {
    var history = UndoHistory(initialValue: Note())
    history.transaction { $0.title.append("a") }
    history.transaction { $0.size = 2 }
    history.transaction { $0.rows[0].text.append("row") }
    history.transaction { $0.title.append("b") }
    history.undo()
    return history
  }

  private func read<Other: UndoArchivable>(
    _ history: UndoHistory<Note>, as type: Other.Type
  ) throws -> (history: UndoHistory<Other>, archive: UndoHistory<Other>.Archive) {
    let archive = try JSONEncoder().encode(history.archive())
    let document = try JSONEncoder().encode(history.currentItem)
    return (
      UndoHistory(initialValue: try JSONDecoder().decode(Other.self, from: document)),
      try JSONDecoder().decode(UndoHistory<Other>.Archive.self, from: archive)
    )
  }

  private func lostCount<Other: UndoArchivable>(_ history: UndoHistory<Note>, as type: Other.Type) throws -> Int {
    var (later, archive) = try read(history, as: type)
    return try later.restore(archive).lostCount
  }

  @Test func stepsThatStillApplyAreRestored() throws {
    var (later, archive) = try read(makeHistory(), as: Later.self)
    try later.restoreSteps(from: archive)
    #expect(later.undoCount == 3 && later.redoCount == 1)
    later.redo()
    #expect(later.currentItem.title == "ab")
    while later.undo() != nil {}
    #expect(later.currentItem.title.isEmpty && later.currentItem.rows[0].text.isEmpty)
    while later.redo() != nil {}
    #expect(later.currentItem.title == "ab" && later.currentItem.rows[0].text == "row")
  }

  @Test func unsavedEditsOfARemovedPartCountAsLost() throws {
    var history = makeHistory()
    #expect(try lostCount(history, as: Later.self) == 1)
    #expect(try lostCount(history, as: Wide.self) == 1)
    history.go(to: .step(1))
    #expect(try lostCount(history, as: Later.self) == 0)
    history.go(to: .step(2))
    history.markSaved()
    history.redo()
    #expect(try lostCount(history, as: Later.self) == 0)
  }

  /// A note that keeps only its first row.
  private struct Short: UndoArchivable {
    var title = ""
    var rows: [LaterRow]
    static let undoParts = [UndoPart<Short>("title", \.title), UndoPart("rows", \.rows)]

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      title = try container.decode(String.self, forKey: .title)
      rows = Array(try container.decode([LaterRow].self, forKey: .rows).prefix(1))
    }
  }

  @Test func stepsUpToOneThatNoLongerAppliesAreDropped() throws {
    var history = UndoHistory(initialValue: Note(rows: [Row(), Row()]))
    history.transaction { $0.title.append("a") }
    history.transaction { $0.rows[1].text.append("second") }
    history.transaction { $0.title.append("b") }
    history.transaction { $0.title.append("c") }
    history.undo()
    var (later, archive) = try read(history, as: Short.self)
    #expect(try later.restore(archive, isOfDocument: true).missingCount == 2)
    #expect(later.undoCount == 1 && later.redoCount == 1)
    later.undo()
    #expect(later.currentItem.title == "a")
  }

  @Test func fieldOfARemovedPartIsSkipped() throws {
    enum Kind: String, Codable, UndoLeaf { case plain, bold }
    struct Style: Codable, Equatable { var kind = Kind.plain, size = 1 }
    struct Old: UndoArchivable {
      var style = Style(), other = Kind.plain
      static var undoParts: [UndoPart<Old>] { [UndoPart("style", \.style), UndoPart("other", \.other)] }
    }
    struct New: UndoArchivable {
      var other = Kind.bold
      static var undoParts: [UndoPart<New>] { [UndoPart("other", \.other)] }
    }
    var history = UndoHistory(initialValue: Old())
    history.edit.other = .bold
    history.edit.style.kind = .bold
    let bytes = try history.archive(keepsWhole: true, fields: .json).bytes(.json)
    var later = UndoHistory(initialValue: New())
    _ = try later.restore(UndoHistory<New>.Archive(bytes, .json), isOfDocument: true)
    while later.undo() != nil {}
    #expect(later.other == .plain)
  }

  @Test func editsOfAWidenedNumberAreUndoneAndRedone() throws {
    var (wide, archive) = try read(makeHistory(), as: Wide.self)
    try wide.restoreSteps(from: archive)
    while wide.undo() != nil {}
    #expect(wide.currentItem.size == 1)
    while wide.redo() != nil {}
    #expect(wide.currentItem.size == 2 && wide.currentItem.title == "ab")
  }

  @Test func archiveReadByALaterVersionCanBeWrittenAndReadAgain() throws {
    var (later, archive) = try read(makeHistory(), as: Later.self)
    let again = try JSONDecoder().decode(UndoHistory<Later>.Archive.self, from: JSONEncoder().encode(archive))
    try later.restoreSteps(from: again)
    #expect(later.undoCount == 3)
  }

  @Test func archiveOfAnotherDocumentIsRefused() throws {
    let history = makeHistory()
    var (later, archive) = try read(history, as: Later.self)
    later.currentItem.title = "another"
    #expect(throws: UndoArchiveError.otherDocument) { try later.restoreSteps(from: archive) }
    (later, archive) = try read(history, as: Later.self)
    later.edit.rows[0].text = "another"
    #expect(throws: UndoArchiveError.otherDocument) { try later.restoreSteps(from: archive) }
    (later, archive) = try read(history, as: Later.self)
    later.edit.rows.append(later.currentItem.rows[0])
    #expect(throws: UndoArchiveError.otherDocument) { try later.restoreSteps(from: archive) }
    var wide = try read(history, as: Wide.self)
    wide.history.edit.title = ""
    #expect(throws: UndoArchiveError.otherDocument) { try wide.history.restoreSteps(from: wide.archive) }
  }
}
