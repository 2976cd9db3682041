import Foundation
import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// A history as a value in a store: it is encoded, hashed, and saved with identities from a reducer.
final class UndoHistoryCodableTests: XCTestCase {
  private struct Note: Codable, Hashable, UndoArchivable {
    var title = ""
    var lines: [String] = []
    var caret = 0
    /// Has no named part.
    var isPinned = false
    static let undoParts = [UndoPart<Note>("title", \.title), UndoPart("lines", \.lines), UndoPart("caret", \.caret)]
  }

  private struct Plain: Codable, Equatable { var count = 0 }

  private let withSteps = JSONEncoder()

  override func setUp() { withSteps.userInfo[.undoSteps] = true }

  private func note() -> UndoHistory<Note> {
    var history = UndoHistory(initialValue: Note())
    history.edit.title = "Shopping"
    history.markSaved()
    history.transaction("Add") { $0.lines.append("Milk") }
    history.edit.lines.append("Flour")
    history.undo()
    return history
  }

  func testHistoryEncodesOnlyTheDocumentByDefault() throws {
    let history = note()
    let decoded = try JSONDecoder().decode(UndoHistory<Note>.self, from: JSONEncoder().encode(history))
    XCTAssertEqual(decoded, UndoHistory(initialValue: history.currentItem))
    XCTAssertFalse(decoded.canUndo || decoded.canRedo || decoded.isDirty)
  }

  func testHistoryEncodedWithStepsIsRestored() throws {
    let history = note()
    var decoded = try JSONDecoder().decode(UndoHistory<Note>.self, from: withSteps.encode(history))
    XCTAssertEqual(decoded.currentItem, history.currentItem)
    XCTAssertEqual([decoded.undoCount, decoded.redoCount], [2, 1])
    XCTAssertEqual(decoded.undoLabel, "Add")
    XCTAssertTrue(decoded.isDirty)
    decoded.redo()
    XCTAssertEqual(decoded.lines, ["Milk", "Flour"])
    XCTAssertTrue(decoded.go(to: .savedPoint))
    XCTAssertEqual(decoded.currentItem, Note(title: "Shopping"))
    XCTAssertTrue(decoded.go(to: .step(0)))
    XCTAssertEqual(decoded.currentItem, Note())
  }

  func testBranchesAndRestoredValuesAreEncodedWithTheSteps() throws {
    var history = UndoHistory(initialValue: Note())
    history.keepsBranches = true
    history.restoreOnUndo(\.caret)
    history.edit.title = "a"
    history.edit.caret = 1
    history.undo()
    history.edit.title = "b"
    history.edit.caret = 5
    var decoded = try JSONDecoder().decode(UndoHistory<Note>.self, from: withSteps.encode(history))
    XCTAssertTrue(decoded.keepsBranches)
    decoded.undo()
    XCTAssertEqual([decoded.title, "\(decoded.caret)"], ["", "0"])
    decoded.redo()
    XCTAssertEqual([decoded.title, "\(decoded.caret)"], ["b", "5"])
    decoded.go(to: decoded.branches[0])
    XCTAssertEqual([decoded.title, "\(decoded.caret)"], ["a", "1"])
  }

  func testPositionsMoveOnlyIfTheStepsAreRestoredAfterRegisteringThem() throws {
    var history = UndoHistory(initialValue: Note())
    history.restoreOnUndo(\.caret, in: \.title)
    history.edit.title = "abc"
    history.edit.caret = 3
    var decoded = try JSONDecoder().decode(UndoHistory<Note>.self, from: withSteps.encode(history))
    XCTAssertFalse(decoded.restoreOnUndo(\.caret, in: \.title), "it is restored as a plain value")
    var again = UndoHistory(initialValue: decoded.currentItem)
    XCTAssertTrue(again.restoreOnUndo(\.caret, in: \.title))
    try again.restoreSteps(from: decoded.archive())
    for (var restored, caret) in [(history, 5), (decoded, 3), (again, 5)] {
      restored.applyRemote { $0.title.insert("> ", atUTF8: 0) }
      XCTAssertEqual([restored.title, "\(restored.caret)"], ["> abc", "\(caret)"])
      XCTAssertNotNil(restored.undo())
      XCTAssertEqual(restored.title, "> ")
      XCTAssertNotNil(restored.redo())
      XCTAssertEqual(restored.caret, caret)
    }
  }

  func testStepThatCannotBeArchivedThrowsAnEncodingError() throws {
    var history = note()
    history.edit.isPinned = true
    XCTAssertNoThrow(try JSONEncoder().encode(history))
    XCTAssertThrowsError(try withSteps.encode(history)) { error in
      guard case EncodingError.invalidValue(_, let context) = error else { return XCTFail("\(error)") }
      XCTAssertEqual(context.codingPath.map(\.stringValue), ["steps"])
      XCTAssertTrue(context.debugDescription.contains("step 2 changed the property isPinned"), context.debugDescription)
      XCTAssertEqual(context.underlyingError as? UndoArchiveError, .unnamedPart(step: 2, property: "isPinned"))
    }
  }

  func testPartThatCannotBeArchivedIsNamedAsInSwift() {
    struct Size: Codable { var width = 0, height = 0 }
    struct Row: Codable { var text = "" }
    struct Page: Codable, UndoArchivable {
      var title = "", size = Size(), rows = [Row()]
      static let undoParts = [UndoPart<Page>("title", \.title)]
    }
    for (name, edit) in [
      ("size.height", { $0.edit.size.height = 7 }), ("rows", { $0.edit.rows[0].text = "a" }),
      ("size", { $0.edit.size.set(Size(width: 1, height: 2)) }),
    ] as [(String, (inout UndoHistory<Page>) -> Void)] {
      var page = UndoHistory(initialValue: Page())
      edit(&page)
      XCTAssertThrowsError(try withSteps.encode(page)) { error in
        guard case EncodingError.invalidValue(_, let context) = error else { return XCTFail("\(error)") }
        XCTAssertEqual(context.underlyingError as? UndoArchiveError, .unnamedPart(step: 0, property: name))
      }
    }
  }

  func testStepsOfADocumentWithoutPartsAreEncoded() throws {
    var plain = UndoHistory(initialValue: Plain())
    plain.edit.count = 1
    var decoded = try JSONDecoder().decode(UndoHistory<Plain>.self, from: withSteps.encode(plain))
    decoded.undo()
    XCTAssertEqual([decoded.count, decoded.undoCount, decoded.redoCount], [0, 0, 1])
  }

  func testStepsOfAnotherDocumentThrowADecodingError() throws {
    let file = try XCTUnwrap(String(bytes: withSteps.encode(note()), encoding: .utf8))
    let forged = file.replacingOccurrences(of: #""title":"Shopping""#, with: #""title":"Shipping""#)
    XCTAssertNotEqual(file, forged)
    XCTAssertThrowsError(try JSONDecoder().decode(UndoHistory<Note>.self, from: Data(forged.utf8))) { error in
      guard case DecodingError.dataCorrupted(let context) = error else { return XCTFail("\(error)") }
      XCTAssertEqual(context.codingPath.map(\.stringValue), ["steps"])
    }
    for broken in ["{}", "[]", #"{"document":1}"#, #"{"document":{"count":1},"steps":[1,2]}"#] {
      XCTAssertThrowsError(try JSONDecoder().decode(UndoHistory<Plain>.self, from: Data(broken.utf8)), broken)
    }
  }

  func testADigitTooMuchInTheStepsIsRefused() throws {
    var lengths = Set<Int>()
    for label in ["", "a", "ab"] {
      var history = UndoHistory(initialValue: Note())
      history.transaction(label) { $0.title = "Shopping" }
      let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(history.archive()))
      var archive = try XCTUnwrap(json as? [String: Any])
      let steps = try XCTUnwrap(archive["steps"] as? String)
      lengths.insert(steps.utf8.count % 4)
      for more in ["A", "B", "=", " "] {
        archive["steps"] = steps + more
        let forged = try JSONSerialization.data(withJSONObject: archive)
        XCTAssertThrowsError(
          try {
            var restored = UndoHistory(initialValue: history.currentItem)
            try restored.restoreSteps(from: JSONDecoder().decode(UndoHistory<Note>.Archive.self, from: forged))
          }(), more)
      }
    }
    XCTAssertTrue(lengths.contains(0), "one of the texts is a whole number of groups")
  }

  func testEqualHistoriesHaveEqualHashes() {
    let history = note()
    var other = note()
    checkHashable(equivalenceClasses: [[history, other], [UndoHistory(initialValue: Note())]])
    other.restoreOnUndo(\.caret)
    var moved = other
    moved.edit.caret = 9
    XCTAssertEqual(other, moved, "restored values are not compared")
    XCTAssertEqual(other.hashValue, moved.hashValue)
  }

  func testReducerWithGivenSaveIDsIsDeterministic() {
    struct State: Equatable { var note = UndoHistory(initialValue: Note()), settings = 0 }
    func reduce(_ state: inout State, id: UInt64) -> UndoHistory<Note>.Save {
      state.note.edit.title = "Shopping"
      return state.note.beginSave(id: .init(rawValue: id))
    }
    var (one, two) = (State(), State())
    let save = reduce(&one, id: 7)
    XCTAssertEqual(reduce(&two, id: 7), save)
    XCTAssertEqual(one, two)
    XCTAssertEqual(one.note.savesInFlight, [save])
    // The form was replaced, so the answer to its save comes too late.
    one = State()
    _ = reduce(&one, id: 8)
    XCTAssertFalse(one.note.finishSave(save))
    XCTAssertTrue(one.note.isDirty)
    XCTAssertTrue(two.note.finishSave(save))
    XCTAssertFalse(two.note.isDirty)
  }
}
