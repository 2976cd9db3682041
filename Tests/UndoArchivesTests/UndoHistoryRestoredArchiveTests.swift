import Foundation
import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Archives of histories with restored values, such as a caret.
final class UndoHistoryRestoredArchiveTests: XCTestCase {
  private struct Page: UndoArchivable, Equatable {
    struct View: Codable, Equatable { var scroll = 0.0, zoom = 1.0 }

    var text = ""
    var lines: [String] = []
    var caret = 0
    var mark: String?
    var view = View()
    var rest = 0

    static let undoParts = [
      UndoPart<Page>("text", \.text), UndoPart("lines", \.lines), UndoPart("caret", \.caret), UndoPart("mark", \.mark),
      UndoPart("view", \.view), UndoPart("rest", \.rest),
    ]
  }

  private static func copied(_ archive: UndoHistory<Page>.Archive) throws -> UndoHistory<Page>.Archive {
    try JSONDecoder().decode(UndoHistory<Page>.Archive.self, from: JSONEncoder().encode(archive))
  }

  private static func makeHistory(_ page: Page = Page(), restores: Bool = true) -> UndoHistory<Page> {
    var history = UndoHistory(initialValue: page)
    if restores {
      history.restoreOnUndo(\.caret)
      history.restoreOnUndo(\.mark)
      history.restoreOnUndo(\.view)
    }
    return history
  }

  func testUndoOfArchivedStepsRestoresTheCaret() throws {
    var history = Self.makeHistory()
    for key in ["a", "b"] {
      history.edit.text.append(key)
      history.edit.caret += 1
    }
    history.edit.caret = 0
    history.edit.lines.append("one")
    history.edit.caret = 7
    history.edit.caret = 9

    var page = history.currentItem
    page.caret = 3
    var restored = Self.makeHistory(page)
    try restored.restoreSteps(from: Self.copied(history.archive()))
    XCTAssertEqual(restored.caret, 3, "the document stays as it is")
    restored.undo()
    XCTAssertEqual(restored.caret, 0)
    restored.undo()
    XCTAssertEqual(restored.caret, 0)
    XCTAssertEqual(restored.text, "")
    restored.redo()
    XCTAssertEqual(restored.caret, 2)
    restored.edit.caret = 1
    restored.redo()
    XCTAssertEqual(restored.caret, 7)
    restored.edit.text.append("c")
    restored.undo()
    XCTAssertEqual(restored.caret, 7, "the history restores them from now on as well")
  }

  func testDigestIgnoresRestoredValues() throws {
    var history = Self.makeHistory()
    history.edit.text.append("a")
    let archive = try Self.copied(history.archive())
    var page = history.currentItem
    (page.caret, page.mark, page.view.scroll) = (5, "x", 2)
    var other = Self.makeHistory(page)
    XCTAssertNoThrow(try other.restoreSteps(from: archive))
    page.rest = 1
    var wrong = Self.makeHistory(page)
    XCTAssertThrowsError(try wrong.restoreSteps(from: archive)) {
      XCTAssertEqual($0 as? UndoArchiveError, .otherDocument)
    }
  }

  func testHistoryWithoutRestoredValuesReadsOnlyTheSteps() throws {
    var history = Self.makeHistory()
    history.edit.text.append("a")
    history.edit.caret = 1
    var plain = Self.makeHistory(history.currentItem, restores: false)
    try plain.restoreSteps(from: Self.copied(history.archive()))
    XCTAssertEqual(plain.undoCount, 1)
    plain.undo()
    XCTAssertEqual(plain.text, "")
    XCTAssertEqual(plain.caret, 1)
  }

  func testStepsRecordedBeforeRestoreOnUndoLeaveTheCaretAlone() throws {
    var history = Self.makeHistory(restores: false)
    history.edit.text.append("a")
    history.restoreOnUndo(\.caret)
    history.edit.lines.append("b")
    history.edit.caret = 2
    var restored = Self.makeHistory(history.currentItem)
    try restored.restoreSteps(from: Self.copied(history.archive()))
    restored.undo()
    XCTAssertEqual(restored.caret, 0)
    restored.edit.caret = 6
    restored.undo()
    XCTAssertEqual(restored.caret, 6)
  }

  func testArchiveWithAChangedRestoredValueIsRefused() throws {
    var history = Self.makeHistory()
    history.edit.text.append("a")
    history.edit.view.scroll = 41
    let text = try String(decoding: JSONEncoder().encode(history.archive()), as: UTF8.self)
    let changed = text.replacingOccurrences(of: ":41", with: ":42")
    XCTAssertNotEqual(text, changed)
    let archive = try JSONDecoder().decode(UndoHistory<Page>.Archive.self, from: Data(changed.utf8))
    var restored = Self.makeHistory(history.currentItem)
    XCTAssertThrowsError(try restored.restoreSteps(from: archive)) {
      XCTAssertEqual($0 as? UndoArchiveError, .changed)
    }
  }

  func testOpenStepIsEndedOnlyInTheArchive() throws {
    var history = Self.makeHistory()
    history.edit.text.append("a")
    let step = history.beginStep("Move")
    history.edit.rest = 1
    history.edit.caret = 4
    let archive = try Self.copied(history.archive())
    var restored = Self.makeHistory(history.currentItem)
    try restored.restoreSteps(from: archive)
    XCTAssertEqual(restored.undoLabel, "Move")
    XCTAssertEqual(restored.undoCount, 2)
    XCTAssertTrue(history.endStep(step))
  }

  func testRestoringKeepsTheSettingsOfTheHistory() throws {
    var history = Self.makeHistory()
    history.edit.text.append("a")
    let archive = try Self.copied(history.archive())
    var restored = Self.makeHistory(history.currentItem)
    restored.recordTimes { .seconds(5) }
    restored.coalescing = .none
    let step = restored.beginStep()
    try restored.restoreSteps(from: archive)
    XCTAssertFalse(restored.endStep(step))
    XCTAssertEqual(restored.coalescing, .none)
    restored.edit.text.append("b")
    XCTAssertEqual(restored.steps.map(\.time), [nil, .seconds(5)])
    restored.undo()
    restored.undo()
    XCTAssertEqual(restored.text, "")
  }

  /// Random histories lead to the same states after they were restored from their archives.
  func testRandomArchivesRestoreTheOriginalStates() {
    withSeeds(300) { random in
      let isArchived = random.chance(oneIn: 2)
      var history = Self.makeHistory(restores: isArchived)
      for _ in 0..<random.int(in: 1..<40) { Self.edit(&history, &random) }
      guard let archive = try? Self.copied(history.archive()) else { return fail("no archive") }
      var page = history.currentItem
      let restores = random.chance(oneIn: 4) == false
      let original = history
      if restores, isArchived { page.caret = 99 }
      var restored = Self.makeHistory(page, restores: restores)
      do { try restored.restoreSteps(from: archive) } catch { return fail("\(error)") }
      expectEqual(restored.undoCount, original.undoCount)
      expectEqual(restored.redoCount, original.redoCount)
      expectEqual(restored.steps.map(\.label), original.steps.map(\.label))
      let isSame = restores && page.caret == 99
      for _ in 0..<60 {
        let back = random.chance(oneIn: 2)
        if back {
          history.undo()
          restored.undo()
        } else {
          history.redo()
          restored.redo()
        }
        expectEqual(restored.text, history.text)
        expectEqual(restored.lines, history.lines)
        expectEqual(restored.rest, history.rest)
        if isSame, restored.caret != 99 { expectEqual(restored.caret, history.caret) }
      }
    }
  }

  private static func edit(_ history: inout UndoHistory<Page>, _ random: inout SeededRandom) {
    switch random.int(in: 0..<12) {
    case 0..<3: history.edit.text.append(random.chance(oneIn: 2) ? "é" : "a")
    case 3: history.edit.lines.append("line \(random.int(in: 0..<9))")
    case 4: history.edit.rest += 1
    case 5: history.undo()
    case 6: history.redo()
    case 7: history.edit.mark.set(random.chance(oneIn: 3) ? nil : "mark \(random.int(in: 0..<3))")
    case 8: history.edit.view.scroll += 1
    case 9:
      let number = random.int(in: 0..<99)
      history.transaction("step \(number)") { edit in
        edit.rest = number
        edit.caret = number
        edit.text.append("x")
      }
    case 10: history.endCoalescing()
    default: history.edit.caret = random.int(in: 0..<50)
    }
  }
}
