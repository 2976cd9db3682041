import TestSupport
import XCTest

@testable import UndoHistories

/// Transactions of one edit, which must record the same steps as the edit alone.
final class UndoHistoryJoiningTransactionTests: XCTestCase {
  private struct Note: Equatable {
    var text = ""
    var lines: [String] = ["", ""]
    var caret = 0
  }

  func testTypingJoinsAcrossATransactionThatChangedNothing() {
    struct Refusal: Error {}
    let transactions: [(inout UndoHistory<Note>) -> Void] = [
      { $0.transaction { _ in } },
      { history in try? history.transaction { _ throws(Refusal) in throw Refusal() } },
      { history in
        try? history.transaction("Paste") { editor throws(Refusal) in
          editor.text.append("pasted")
          editor.lines[0] = "pasted"
          throw Refusal()
        }
      },
      { history in try? history.joiningTransaction { _ throws(Refusal) in throw Refusal() } },
    ]
    for transaction in transactions {
      for isRestored in [false, true] {
        var history = UndoHistory(initialValue: Note())
        if isRestored { history.restoreOnUndo(\.caret) }
        history.edit.text.append("a")
        transaction(&history)
        history.edit.text.append("b")
        XCTAssertEqual(history.undoCount, 1)
        XCTAssertEqual(history.currentItem, Note(text: "ab"))
        XCTAssertEqual(history.undone(), Note())
        XCTAssertEqual(history.redone(), Note(text: "ab"))
      }
    }
  }

  func testTransactionOfTwoEditsIsItsOwnStep() {
    var history = UndoHistory(initialValue: Note())
    history.edit.text.append("a")
    history.joiningTransaction { edit in
      edit.text.append("b")
      edit.lines[0].append("c")
    }
    XCTAssertEqual(history.undoCount, 2)
    XCTAssertEqual(history.undone(), Note(text: "a"))
  }

  /// Makes the same random edits in two histories, in one of them each in a transaction.
  func testTransactionsOfOneEditMatchPlainEdits() {
    withSeeds(300) { random in
      var (alone, joining) = (UndoHistory(initialValue: Note()), UndoHistory(initialValue: Note()))
      var copies: [UndoHistory<Note>] = []
      let restores = random.chance(oneIn: 2)
      if restores {
        alone.restoreOnUndo(\.caret)
        joining.restoreOnUndo(\.caret)
      }
      if random.chance(oneIn: 4) {
        alone.limit = .bytes(1000)
        joining.limit = .bytes(1000)
      }
      for _ in 0..<random.int(in: 1..<300) {
        switch random.int(in: 0..<12) {
        case 0:
          alone.undo()
          joining.undo()
        case 1:
          alone.redo()
          joining.redo()
        case 2: copies = [joining]
        case 3: joining.joiningTransaction { _ in }
        case 4:
          try? joining.joiningTransaction { edit in
            edit.text.type(&random)
            throw Refused()
          }
          alone.endCoalescing()
          joining.endCoalescing()
        default:
          let caret = joining.text.utf8.count
          let (isInLine, clicks) = (random.chance(oneIn: 3), restores && random.chance(oneIn: 4))
          var (first, second) = (random, random)
          if isInLine { alone.edit.lines[1].type(&first) } else { alone.edit.text.type(&first) }
          if restores { alone.edit.caret = caret }
          if clicks { alone.edit.caret = 100 }
          joining.joiningTransaction { edit in
            if isInLine { edit.lines[1].type(&second) } else { edit.text.type(&second) }
            if restores { edit.caret = caret }
          }
          if clicks { joining.joiningTransaction { $0.caret = 100 } }
          random = second
        }
        expectEqual(joining.currentItem, alone.currentItem)
        expectEqual(joining.undoCount, alone.undoCount)
        expectEqual(joining.redoCount, alone.redoCount)
      }
      while alone.undo() != nil {
        expectEqual(joining.undone(), alone.currentItem)
      }
      expectEqual(joining.canUndo, false)
      while alone.redo() != nil {
        expectEqual(joining.redone(), alone.currentItem)
      }
      withExtendedLifetime(copies) {}
    }
  }
}

extension UndoCursor where Target == String {
  /// Types like a person: mostly at the last key, often next to an equal letter, and sometimes by assigning the text.
  fileprivate mutating func type(_ random: inout SeededRandom) {
    let count = currentItem.utf8.count
    let (letter, other) = (random.letter(), random.letter())
    switch random.int(in: 0..<14) {
    case 10: insert(letter, atUTF8: max(0, count - random.int(in: 0..<4)))
    case 11..<14:
      var text = readTarget { $0 }
      let index = text.index(text.endIndex, offsetBy: -random.int(in: 0..<4), limitedBy: text.startIndex)
      let start = index ?? text.startIndex
      if random.chance(oneIn: 3), start < text.endIndex {
        text.remove(at: start)
      } else {
        text.insert(contentsOf: random.chance(oneIn: 4) ? letter + other : letter, at: start)
      }
      set(text)
    case 0..<5: append(letter)
    case 5..<7 where count > 0:
      let text = readTarget { $0 }
      remove(at: text.index(before: text.endIndex))
    case 7 where count > 0:
      let text = readTarget { $0 }
      remove(at: text.startIndex)
    case 8: insert(letter, atUTF8: 0)
    default: replaceSubrange(utf8: 0..<0, with: letter + other)
    }
  }
}

extension SeededRandom {
  /// A letter, chosen from so few that equal letters are often next to each other.
  fileprivate mutating func letter() -> String { ["a", "a", "b", " "].randomElement(using: &self)! }
}
