import EditingSessions
import Foundation
import Journals
import TestSupport
import Testing
import UndoHistories

/// Restored values without a named part are identified by the names of their properties.
@MainActor
struct EditingSessionRestoringTests {
  private struct Note: Codable, Sendable, Equatable {
    struct View: Codable, Sendable, Equatable { var zoom = 1, caret = 0 }

    var text = String(repeating: "x", count: 10_000)
    var title = ""
    var caret = 0
    var view = View()
    var selection = ""
  }

  private typealias Configure = @Sendable (inout UndoHistory<Note>) -> Void

  private func open(
    _ folder: TemporaryFolder, _ configure: @escaping Configure = { $0.restoreOnUndo(\.caret) }
  ) async throws -> EditingSession<Note> {
    try await EditingSession(
      file: folder.file("note.json"), recovery: folder.file("recovery"), format: .json(Note.self), new: Note(),
      system: PosixFileSystem(), configure: configure)
  }

  /// The byte count of the log, without the zeros at its end.
  private func size(_ folder: TemporaryFolder) throws -> Int {
    let recovery = folder.file("recovery")
    return try FileManager.default.contentsOfDirectory(atPath: recovery.path).reduce(0) {
      try $0 + (Data(contentsOf: recovery.appending(path: $1)).lastIndex { $0 != 0 } ?? 0)
    }
  }

  private func expectTheSame(_ next: EditingSession<Note>, _ history: UndoHistory<Note>) {
    expect(next.recovery.isIntact)
    expectEqual(next.currentItem, history.currentItem)
    expectEqual([next.history.undoCount, next.history.redoCount], [history.undoCount, history.redoCount])
    var (history, other) = (history, next.history)
    for isBack in [true, false, true] {
      while (isBack ? history.undo() : history.redo()) != nil {
        expect((isBack ? other.undo() : other.redo()) != nil)
        expectEqual(other.currentItem, history.currentItem, "step \(history.undoCount)")
      }
    }
  }

  @Test func unnamedCaretTakesAFewBytesAndIsRestored() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let session = try await open(folder)
    func type(_ caret: Int) async {
      session.edit("Key") {
        $0.text.append("a")
        $0.caret = caret
      }
      await session.isSynchronized()
    }
    await type(1)
    let before = try size(folder)
    for caret in 2...40 { await type(caret) }
    // Only the caret moves.
    session.edit { $0.caret = 7 }
    await session.isSynchronized()
    let after = try size(folder)
    let next = try await open(try folder.copy())
    #expect(next.currentItem == session.currentItem)
    #expect(next.currentItem.caret == 7)
    #expect(after - before < 40 * 120)
    next.undo()
    #expect(next.currentItem.caret == 39)
    next.redo()
    #expect(next.currentItem.caret == 40)
    try await next.close()
    try await session.close()
  }

  /// Without open steps: with them, the log may need an archive, which doesn't have values without a named part.
  @Test func nextSessionHasTheSameRestoredValues() async throws {
    try await withSeeds(60) { @MainActor random in
      let folder = try TemporaryFolder(isInMemory: true)
      let configure: Configure = { history in
        history.restoreOnUndo(\.caret)
        history.restoreOnUndo(\.view.caret)
        history.restoreOnUndo(\.selection)
      }
      let session = try await open(folder, configure)
      for number in 0..<random.int(in: 1..<60) {
        switch random.int(in: 0..<9) {
        case 0: session.undo()
        case 1: session.redo()
        case 2: session.edit { $0.caret = number }
        case 3: session.currentItem.view.caret = number
        case 4: session.edit { $0.selection.set("s\(number)") }
        case 5:
          session.edit("Key") {
            $0.title.append("a")
            $0.caret = number
            $0.view.caret = number
          }
        case 6: session.currentItem.title.append("b")
        case 7: session.edit { $0.view.zoom = number }
        default: session.edit { $0.title.append("c") }
        }
        if random.chance(oneIn: 6) { await session.isSynchronized() }
      }
      await session.isSynchronized()
      let next = try await open(try folder.copy(), configure)
      expectTheSame(next, session.history)
      try await next.close()
      try await session.close()
    }
  }

  /// A version of the app with other restored values has the same steps, without the values of the other version.
  @Test func versionWithOtherRestoredValuesHasTheSameSteps() async throws {
    let (some, none): (Configure, Configure) = ({ $0.restoreOnUndo(\.caret) }, { _ in })
    for (first, second) in [(some, none), (none, some)] {
      let folder = try TemporaryFolder(isInMemory: true)
      let session = try await open(folder, first)
      for number in 1..<6 {
        session.edit("Title") { $0.title.append("a") }
        session.edit { $0.caret = number }
        session.edit("Zoom") { $0.view.zoom = number }
        session.edit { $0.caret = 10 * number }
        if number % 2 == 0 { session.undo() }
      }
      await session.isSynchronized()
      let next = try await open(try folder.copy(), second)
      #expect(next.recovery.isIntact)
      #expect(next.currentItem == session.currentItem)
      #expect(next.history.steps.compactMap(\.label) == session.history.steps.compactMap(\.label))
      while next.undo() != nil {}
      #expect(next.currentItem.title.isEmpty && next.currentItem.view.zoom == 1)
      try await next.close()
      try await session.close()
    }
  }
}
