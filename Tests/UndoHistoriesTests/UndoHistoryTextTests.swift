import TestSupport
import UndoHistories
import XCTest

final class UndoHistoryTextTests: XCTestCase {
  func testTenThousandCharactersTypedAreOneSmallRecord() {
    var history = UndoHistory(initialValue: String(repeating: "text ", count: 1000))
    for index in 0..<10_000 { history.edit.insert("é", atUTF8: 2500 + 2 * index) }
    XCTAssertEqual([history.undoCount, history.byteCount], [1, 32])
  }

  func testDeletingBackwardOrForwardIsOneStep() {
    var history = UndoHistory(initialValue: "abcdef")
    for offset in [5, 4, 3] { history.edit.removeSubrange(utf8: offset..<offset + 1) }
    XCTAssertEqual(history.undoCount, 1)
    XCTAssertEqual(history.undone(), "abcdef")
    for _ in 0..<3 { history.edit.removeSubrange(utf8: 0..<1) }
    XCTAssertEqual(history.undoCount, 1)
    XCTAssertEqual(history.currentItem, "def")
    XCTAssertEqual(history.undone(), "abcdef")
  }

  func testTypingAfterReplacingASelectionJoinsIt() {
    var history = UndoHistory(initialValue: "one two")
    history.edit.replaceSubrange(utf8: 4..<7, with: "t")
    history.edit.insert("h", atUTF8: 5)
    XCTAssertEqual(history.undoCount, 1)
    XCTAssertEqual(history.undone(), "one two")
  }

  func testEditsOfAnotherKindOrPlaceDoNotJoin() {
    var history = UndoHistory(initialValue: "abc")
    history.edit.append("d")
    history.edit.removeSubrange(utf8: 3..<4)
    history.edit.insert("x", atUTF8: 0)
    history.edit.insert("y", atUTF8: 0)
    XCTAssertEqual(history.undoCount, 4)
  }

  func testTypingDoesNotJoinAcrossABreak() {
    var history = UndoHistory(initialValue: "")
    history.edit.append("a")
    history.endCoalescing()
    history.edit.append("b")
    history.undo()
    history.redo()
    history.edit.append("c")
    history.transaction { $0.append("d") }
    history.edit.append("e")
    history.coalescing = .none
    history.edit.append("f")
    XCTAssertEqual(history.undoCount, 6)
    XCTAssertEqual(history.currentItem, "abcdef")
  }

  func testTypingInTwoPlacesOfADocumentDoesNotJoin() {
    struct Note { var title = "", body = "", lines = ["", ""] }
    var history = UndoHistory(initialValue: Note())
    history.edit.title.append("a")
    history.edit.body.append("a")
    history.edit.lines[0].append("a")
    history.edit.lines[1].append("a")
    history.edit.lines[1].append("b")
    XCTAssertEqual(history.undoCount, 4)
    while history.canUndo { history.undo() }
    XCTAssertEqual(history.lines, ["", ""])
  }

  /// Specialized code and generic code identify the types of deltas in different ways.
  func testTypingJoinsBetweenGenericAndConcreteCode() {
    var text = UndoHistory(initialValue: "")
    for _ in 0..<4 {
      text.edit.append("a")
      appendGenerically("b", to: &text.edit)
      appendGenerically("c", to: &text.edit)
      text.edit.append("d")
    }
    XCTAssertEqual(text.currentItem, "abcdabcdabcdabcd")
    XCTAssertEqual([text.undoCount, text.byteCount], [1, 32])
    for count in (4...15).reversed() {
      if count % 2 == 0 {
        text.edit.removeSubrange(utf8: count..<count + 1)
      } else {
        removeLastGenerically(from: &text.edit)
      }
    }
    XCTAssertEqual(text.currentItem, "abcd")
    XCTAssertEqual(text.undoCount, 2)
    XCTAssertEqual(text.undone(), "abcdabcdabcdabcd")
  }

  /// Typing joins by its type of delta, whatever else the log has recorded, and however those types were identified.
  func testTypingInAnotherTextFromGenericCodeDoesNotJoin() {
    struct Note { var title = "", lines = [""] }
    var history = UndoHistory(initialValue: Note())
    appendGenerically("a", to: &history.edit.title)
    history.edit.lines[0].append("a")
    history.edit.title.append("b")
    history.edit.lines[0].append("b")
    appendGenerically("c", to: &history.edit.lines[0])
    appendGenerically("d", to: &history.edit.title)
    history.edit.title.append("e")
    XCTAssertEqual(history.undoCount, 5)
    XCTAssertEqual(history.undone().title, "ab")
    while history.canUndo { history.undo() }
    XCTAssertEqual([history.title] + history.lines, ["", ""])
  }

  func testCharactersAreRemovedWhole() {
    let family = "👨‍👩‍👧"
    var history = UndoHistory(initialValue: "a\(family)e\u{301}\r\n")
    XCTAssertEqual(
      history.edit.remove(at: history.currentItem.index(after: history.currentItem.startIndex)), Character(family))
    XCTAssertEqual(history.currentItem.utf8.count, 6)
    history.edit.insert("ß", at: history.currentItem.endIndex)
    history.edit.replaceSubrange(history.currentItem.startIndex..<history.currentItem.endIndex, with: "")
    XCTAssertEqual(history.currentItem.utf8.count, 0)
    while history.canUndo { history.undo() }
    XCTAssertEqual(Array(history.currentItem.utf8), Array("a\(family)e\u{301}\r\n".utf8))
  }

  func testEditsThatChangeNothingRecordNoStep() {
    var history = UndoHistory(initialValue: "abc")
    history.edit.append("")
    history.edit.removeSubrange(utf8: 1..<1)
    history.edit.replaceSubrange(utf8: 0..<2, with: "ab")
    history.edit.set("abc")
    XCTAssertEqual(history.undoCount, 0)
  }

  /// The edits use UTF-8 offsets, and the texts have combining marks, emoji and line breaks.
  func testRandomTextEditsMatchArraysOfBytes() {
    withSeeds(300) { random in
      var history = UndoHistory(initialValue: "")
      if random.chance(oneIn: 2) { history.coalescing = .none }
      var states: [[UInt8]] = [[]]
      for _ in 0..<60 {
        let count = history.undoCount
        var text = history.currentItem
        switch random.int(in: 0..<3) {
        case 0:
          let isRefused = random.chance(oneIn: 3)
          var edited = text
          try? history.transaction { edit in
            for _ in 0..<3 { edit.editText(&edited, &random) }
            if isRefused { throw Refused() }
          }
          if !isRefused { text = edited }
        case 1:
          text = random.text() + text + random.text()
          history.currentItem = text
        default: history.edit.editText(&text, &random)
        }
        expectEqual(Array(history.currentItem.utf8), Array(text.utf8))
        if history.undoCount == count { states.removeLast() }
        states.append(Array(text.utf8))
      }
      expectEqual(history.undoCount, states.count - 1)
      for state in states.dropLast().reversed() {
        history.undo()
        expectEqual(Array(history.currentItem.utf8), state)
      }
      for state in states.dropFirst() {
        history.redo()
        expectEqual(Array(history.currentItem.utf8), state)
      }
    }
  }
}

/// Generic code that the compiler doesn't specialize for the documents of the tests, even if it optimizes.
@inline(never)
@_semantics("optimize.sil.specialize.generic.never")
private func appendGenerically<Place>(_ text: String, to cursor: inout UndoCursor<Place, String>) {
  cursor.append(text)
}

@inline(never)
@_semantics("optimize.sil.specialize.generic.never")
private func removeLastGenerically<Place>(from cursor: inout UndoCursor<Place, String>) {
  let end = cursor.currentItem.utf8.count
  cursor.removeSubrange(utf8: end - 1..<end)
}
