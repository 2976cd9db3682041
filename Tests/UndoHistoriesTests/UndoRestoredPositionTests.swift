import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Carets, selections and rows that undo restores, and that move with remote edits.
final class UndoRestoredPositionTests: XCTestCase {
  private struct Note: Equatable, Codable {
    var text = "", caret = 0, selection: Range<Int>? = nil, title = ""
  }

  private func makeNote(_ text: String, caret: Int = 0, unit: UndoTextUnit = .utf8) -> UndoHistory<Note> {
    var history = UndoHistory(initialValue: Note(text: text, caret: caret))
    XCTAssertTrue(history.restoreOnUndo(\.caret, in: \.text, unit: unit))
    XCTAssertTrue(history.restoreOnUndo(\.selection, in: \.text, unit: unit))
    return history
  }

  // MARK: Carets

  func testCaretMovesWithTextThatOthersInsertBeforeIt() {
    var history = makeNote("hello", caret: 5)
    history.transaction {
      $0.text.append(" world")
      $0.caret = 11
    }
    history.applyRemote { $0.text.insert(">>>> ", atUTF8: 0) }
    XCTAssertEqual(history.caret, 16)
    history.undo()
    XCTAssertEqual(history.caret, 10)
    history.redo()
    XCTAssertEqual(history.caret, 16)
  }

  func testCaretOfEachStepMovesAsUndoPassesTheRemoteEdit() {
    var history = makeNote("")
    for word in ["one ", "two ", "three"] {
      history.transaction {
        $0.text.append(word)
        $0.caret = $0.text.currentItem.utf8.count
      }
    }
    history.applyRemote { $0.text.insert("> ", atUTF8: 4) }
    var carets = [history.caret]
    while history.undo() != nil { carets.append(history.caret) }
    // The third caret is from before "two", which lies after the others' text.
    XCTAssertEqual(carets, [15, 10, 6, 0])
    XCTAssertEqual(history.text, "> ")
    carets = []
    while history.redo() != nil { carets.append(history.caret) }
    XCTAssertEqual(carets, [4, 10, 15])
  }

  func testCaretOfRedoStepsMoves() {
    var history = makeNote("ab", caret: 2)
    for word in ["c", "d"] {
      history.transaction {
        $0.text.append(word)
        $0.caret = $0.text.currentItem.utf8.count
      }
    }
    history.undo()
    history.undo()
    history.applyRemote { $0.text.insert("> ", atUTF8: 0) }
    XCTAssertEqual(history.caret, 4)
    XCTAssertEqual([history.redo() != nil ? history.caret : -1, history.redo() != nil ? history.caret : -1], [5, 6])
    history.undo()
    XCTAssertEqual(history.caret, 5)
  }

  func testCaretStaysWithTheTextOfItsStepAndElseBeforeTheInsertion() {
    // The step's text lies after the insertion, so the caret does too.
    var history = makeNote("ab", caret: 2)
    history.transaction {
      $0.text.append("cd")
      $0.caret = 2
    }
    history.applyRemote { $0.text.insert("--", atUTF8: 2) }
    XCTAssertEqual(history.text, "ab--cd")
    XCTAssertEqual(history.caret, 4)
    history.undo()
    XCTAssertEqual([history.caret], [4], "the text was inserted after the others' text")
    history.redo()
    XCTAssertEqual(history.caret, 4)

    history = makeNote("ab", caret: 2)
    history.transaction {
      $0.text.append("cd")
      $0.caret = 4
    }
    history.applyRemote { $0.text.append("--") }
    XCTAssertEqual(history.caret, 4)
    history.undo()
    XCTAssertEqual(history.caret, 2)
    history.redo()
    XCTAssertEqual(history.caret, 4)

    history = makeNote("ab", caret: 1)
    history.transaction {
      $0.title = "title"
      $0.caret = 1
    }
    history.applyRemote { $0.text.insert("--", atUTF8: 1) }
    XCTAssertEqual(history.caret, 1)
    history.undo()
    XCTAssertEqual(history.caret, 1)
  }

  func testCaretInRemovedTextMovesToItsStart() {
    var history = makeNote("abcdef", caret: 4)
    history.edit.title = "title"
    history.edit.caret = 3
    history.applyRemote { $0.text.replaceSubrange(utf8: 1..<5, with: "xyz") }
    XCTAssertEqual(history.caret, 1)
    history.undo()
    XCTAssertEqual(history.caret, 1)
  }

  func testClickedCaretMoves() {
    var history = makeNote("abc")
    history.edit.caret = 1
    history.edit.caret = 2
    history.applyRemote { $0.text.insert("--", atUTF8: 1) }
    XCTAssertEqual(history.caret, 4)
    history.applyRemote { $0.text.insert("--", atUTF8: 4) }
    XCTAssertEqual(history.caret, 4)
  }

  func testTypingAndItsCaretMove() {
    var history = makeNote("")
    for (index, letter) in ["a", "b", "c"].enumerated() {
      history.edit.text.append(letter)
      history.edit.caret = index + 1
    }
    history.applyRemote { $0.text.insert("> ", atUTF8: 0) }
    history.edit.text.append("d")
    history.edit.caret += 1
    XCTAssertEqual(history.undoCount, 1)
    history.edit.caret = 0
    history.undo()
    XCTAssertEqual(history.caret, 2)
    history.redo()
    XCTAssertEqual(history.caret, 6)
  }

  func testCanceledCompositionLeavesTheCaretOfTheStepBeforeIt() {
    var history = makeNote("ab", caret: 2)
    history.edit.text.append("c")
    history.edit.caret = 3
    history.edit.text.insert("n", atUTF8: 1, as: .composing)
    history.edit.caret = 2
    history.applyRemote { $0.text.insert("> ", atUTF8: 0) }
    XCTAssertEqual(history.caret, 4)
    history.edit.text.replaceSubrange(utf8: 3..<4, with: "", as: .composing)
    history.edit.caret = 3
    XCTAssertEqual(history.undoCount, 1)
    history.undo()
    XCTAssertEqual(history.currentItem, Note(text: "> ab", caret: 4))
    history.redo()
    XCTAssertEqual(history.currentItem, Note(text: "> abc", caret: 5))
  }

  func testCaretThatTheClosureAssignsStaysThere() {
    var history = makeNote("abc", caret: 3)
    history.edit.text.append("d")
    history.edit.caret = 4
    history.applyRemote {
      $0.text.insert("--", atUTF8: 0)
      $0.caret = 1
    }
    XCTAssertEqual(history.caret, 1)
    history.undo()
    XCTAssertEqual(history.caret, 5)
  }

  func testNumbersThatAreNoPositionStay() {
    var history = makeNote("abc", caret: -1)
    history.edit.title = "a"
    history.edit.caret = .max
    history.applyRemote { $0.text.insert("--", atUTF8: 0) }
    XCTAssertEqual(history.caret, .max)
    history.undo()
    XCTAssertEqual(history.caret, -1)
  }

  // MARK: Selections

  func testSelectionDoesNotGrow() {
    var history = makeNote("abcdef")
    history.edit.title = "a"
    history.edit.selection = 2..<4
    history.applyRemote { $0.text.insert("--", atUTF8: 4) }
    history.applyRemote { $0.text.insert("--", atUTF8: 2) }
    XCTAssertEqual(history.selection, 4..<6)
    history.applyRemote { $0.text.insert("--", atUTF8: 5) }
    XCTAssertEqual(history.selection, 4..<8)
    history.undo()
    XCTAssertNil(history.selection)
    history.redo()
    XCTAssertEqual(history.selection, 4..<8)
  }

  func testSelectionWhoseTextWasRemovedBecomesACaret() {
    var history = makeNote("abcdef")
    history.edit.title = "a"
    history.edit.selection = 2..<4
    history.applyRemote {
      $0.text.removeSubrange(utf8: 1..<5)
      $0.text.insert("--", atUTF8: 1)
    }
    XCTAssertEqual(history.selection, 1..<1)
  }

  // MARK: Units

  func testCaretInUTF16() {
    var history = makeNote("😀é", caret: 3, unit: .utf16)
    history.edit.text.append("😀")
    history.edit.caret = 5
    history.applyRemote { $0.text.insert("é😀", atUTF8: 0) }
    XCTAssertEqual(history.caret, 8)
    history.undo()
    XCTAssertEqual(history.caret, 6)
    history.redo()
    XCTAssertEqual(history.caret, 8)
  }

  func testCaretInUTF16OfAnyNumberIsRestoredAsItWas() {
    for caret in [-1, 0, 1, 2, 3, 4, 5, 9, Int.max, Int.min] {
      var history = makeNote("😀é", caret: caret, unit: .utf16)
      history.edit.text.insert("漢😀", atUTF8: 0)
      history.edit.caret = caret &- 2
      history.edit.caret = 7
      history.undo()
      XCTAssertEqual(history.caret, caret)
      history.redo()
      XCTAssertEqual(history.caret, caret &- 2)
    }
  }

  /// The document has all new values before the first of them is recorded.
  func testCaretInUTF16OfAnAssignedDocument() {
    for isReplaced in [false, true] {
      var history = makeNote("a\nb\nc\n😀", caret: 7, unit: .utf16)
      history.applyRemote { $0.title = "a" }
      let note = Note(text: "a😀😀\nb\nc😀\n😀", caret: isReplaced ? 7 : 13, title: "b")
      if isReplaced { history.replaceDocument(with: note) } else { history.currentItem = note }
      XCTAssertEqual(history.caret, 13)
      history.applyRemote { $0.text.insert("😀", atUTF8: 0) }
      XCTAssertEqual(history.caret, 15)
      history.undo()
      XCTAssertEqual(history.text, "😀a\nb\nc\n😀")
      XCTAssertEqual(history.caret, 9)
      history.redo()
      XCTAssertEqual(history.caret, 15)
    }
  }

  // MARK: Other calls

  func testUndoByOriginMovesTheCaret() {
    var history = makeNote("")
    history.transaction("Quote", as: "agent") { $0.text.insert(">>>> ", atUTF8: 0) }
    history.transaction {
      $0.text.append("hello ")
      $0.caret = 11
    }
    history.undo(by: "agent")
    XCTAssertEqual(history.text, "hello ")
    XCTAssertEqual(history.caret, 6)
    history.undo()
    XCTAssertEqual(history.caret, 11)
    history.redo()
    XCTAssertEqual(history.caret, 6)
    history.redo(by: "agent")
    XCTAssertEqual(history.caret, 11)
  }

  func testRecordedRemoteEditMovesTheCaretBackOnUndo() {
    var history = makeNote("abc", caret: 3)
    history.transaction {
      $0.text.append("def")
      $0.caret = 6
    }
    history.applyRemote { $0.text.insert("--", atUTF8: 4) }
    XCTAssertFalse(history.canUndo)
    XCTAssertEqual(history.caret, 8)
    history.recordRemoteEdit()
    history.undo()
    XCTAssertEqual(history.caret, 6)
    history.undo()
    XCTAssertEqual(history.caret, 3)
    history.redo()
    XCTAssertEqual(history.caret, 6)
    history.redo()
    XCTAssertEqual(history.caret, 8)
  }

  func testWholeDocumentsMoveTheCaretInsteadOfBringingTheirOwn() {
    var history = makeNote("abc", caret: 3)
    history.edit.title = "a"
    history.edit.caret = 2
    history.applyRemote(Note(text: "--abc", caret: 0, title: "a"))
    XCTAssertEqual(history.caret, 4)
    history.undo()
    XCTAssertEqual(history.caret, 5)
    history.replaceDocument(with: Note(text: "-abc", caret: 0, title: "b"), label: "Reload")
    XCTAssertEqual(history.caret, 4)
    history.undo()
    XCTAssertEqual(history.caret, 5)
    history.redo()
    XCTAssertEqual(history.caret, 4)
  }

  func testRebasingMovesTheCaret() {
    var history = makeNote("abc", caret: 3)
    history.markSaved()
    history.edit.title = "mine"
    history.edit.caret = 2
    history.edit.caret = 1
    history.rebase(onto: Note(text: "--abc", caret: 0))
    XCTAssertEqual(history.caret, 3)
    history.undo()
    XCTAssertEqual(history.caret, 5)
    history.redo()
    XCTAssertEqual(history.caret, 4)
    // The title conflicts, so the steps are walked.
    history.edit.caret = 3
    history.rebase(onto: Note(text: "-abc", caret: 0, title: "theirs"))
    XCTAssertEqual(history.currentItem, Note(text: "-abc", caret: 2, title: "mine"))
    history.undo()
    XCTAssertEqual(history.currentItem, Note(text: "-abc", caret: 4, title: "theirs"))
    history.redo()
    XCTAssertEqual(history.currentItem, Note(text: "-abc", caret: 3, title: "mine"))
  }

  func testCaretOfBranchesMoves() throws {
    var history = makeNote("abc", caret: 3)
    history.keepsBranches = true
    for title in ["a", "b"] {
      history.transaction {
        $0.title = title
        $0.caret = 1
      }
    }
    history.undo()
    history.undo()
    history.transaction {
      $0.title = "c"
      $0.caret = 2
    }
    history.applyRemote { $0.text.insert("--", atUTF8: 0) }
    XCTAssertEqual(history.caret, 4)
    let branch = try XCTUnwrap(history.branches.first)
    history.go(to: branch)
    XCTAssertEqual([history.title], ["b"])
    XCTAssertEqual(history.caret, 3)
    history.undo()
    XCTAssertEqual(history.caret, 3)
    history.undo()
    XCTAssertEqual(history.caret, 5)
  }

  func testCopiesMoveTheirCaretsApart() {
    var history = makeNote("abc", caret: 3)
    history.edit.title = "a"
    history.edit.caret = 2
    var copy = history
    history.applyRemote { $0.text.insert("--", atUTF8: 0) }
    copy.applyRemote { $0.text.insert("-", atUTF8: 0) }
    XCTAssertEqual([history.caret, copy.caret], [4, 3])
    history.undo()
    copy.undo()
    XCTAssertEqual([history.caret, copy.caret], [5, 4])
  }

  func testRolledBackTransactionsRestoreTheCaretExactly() {
    var history = makeNote("😀abc", caret: 1, unit: .utf16)
    history.edit.text.append("d")
    history.edit.caret = 6
    for isRemote in [false, true] {
      let body: (inout UndoHistory<Note>.Editor) throws -> Void = {
        $0.text.insert("😀", atUTF8: 0)
        $0.caret = 3
        throw Refused()
      }
      XCTAssertThrowsError(isRemote ? try history.applyRemote(body) : try history.transaction(nil, body))
      XCTAssertEqual(history.currentItem, Note(text: "😀abcd", caret: 6))
    }
    history.undo()
    XCTAssertEqual(history.caret, 1)
    history.redo()
    XCTAssertEqual(history.caret, 6)
  }

  func testDroppedStepsMoveNothing() {
    var history = makeNote("abc", caret: 3)
    history.limit = .steps(1)
    for title in ["a", "b"] {
      history.transaction {
        $0.title = title
        $0.caret -= 1
      }
    }
    history.applyRemote { $0.text.insert("--", atUTF8: 0) }
    XCTAssertEqual(history.caret, 3)
    history.undo()
    XCTAssertEqual(history.caret, 4)
    XCTAssertFalse(history.canUndo)
  }

  func testCaretOfRestoredStepsMoves() throws {
    struct Page: UndoArchivable, Equatable {
      var text = "ab", caret = 2

      static let undoParts = [UndoPart<Page>("text", \.text), UndoPart("caret", \.caret)]
    }
    var history = UndoHistory(initialValue: Page())
    history.restoreOnUndo(\.caret, in: \.text, unit: .utf16)
    for letter in ["😀", "c"] {
      history.transaction {
        $0.text.append(letter)
        $0.caret += letter.utf16.count
      }
    }
    history.undo()
    var restored = UndoHistory(initialValue: history.currentItem)
    restored.restoreOnUndo(\.caret, in: \.text, unit: .utf16)
    try restored.restoreSteps(from: history.archive())
    XCTAssertEqual(restored.restoredProperties.count, 1)
    XCTAssertTrue(restored.restoreOnUndo(\.caret, in: \.text, unit: .utf16))
    restored.applyRemote { $0.text.insert("é", atUTF8: 0) }
    XCTAssertEqual(restored.caret, 5)
    restored.redo()
    XCTAssertEqual(restored.caret, 6)
    restored.undo()
    restored.undo()
    XCTAssertEqual(restored.caret, 3)
  }

  func testValueThatIsRestoredAlreadyCannotBecomeAPosition() {
    var history = UndoHistory(initialValue: Note())
    XCTAssertTrue(history.restoreOnUndo(\.caret))
    XCTAssertFalse(history.restoreOnUndo(\.caret, in: \.text))
    XCTAssertTrue(history.restoreOnUndo(\.caret))
  }

  func testUndoWithEditsMovesTheCaret() {
    var history = makeNote("abc", caret: 3)
    history.edit.text.append("d")
    history.edit.caret = 4
    history.applyRemote { $0.text.insert("--", atUTF8: 0) }
    history.undo { _ in }
    XCTAssertEqual(history.caret, 5)
    history.redo { _ in }
    XCTAssertEqual(history.caret, 6)
  }
}
