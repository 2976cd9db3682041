import Foundation
import TestSupport
import UndoHistories
import XCTest

/// Which edits of a text join, by what they do or by their intent.
final class UndoIntentTests: XCTestCase {
  private struct Note: Equatable { var body = "", caret = 0, nick: String?, notes: [String: String] = [:] }

  /// An edit of a range that a view reports.
  private typealias Edit = (start: Int, removed: String, inserted: String)

  /// The ways to make the same edits: by range, by assigning the text, and both in transactions that may join.
  private let ways: [(inout UndoHistory<Note>, Edit, UndoIntent) -> Void] = [
    { $0.edit.body.replace($1, $2) },
    { $0.edit.body.set($0.body.replacing($1), as: $2) },
    { history, edit, intent in history.joiningTransaction { $0.body.replace(edit, intent) } },
    { history, edit, intent in
      let text = history.body.replacing(edit)
      history.joiningTransaction { $0.body.set(text, as: intent) }
    },
  ]

  /// Makes edits in every way, and expects a number of steps that undo and redo repeat.
  private func expect(
    _ steps: Int, from start: String = "", as intent: UndoIntent = .automatic, _ edits: [Edit], line: UInt = #line
  ) {
    for (index, way) in ways.enumerated() {
      var history = UndoHistory(initialValue: Note(body: start))
      for edit in edits { way(&history, edit, intent) }
      let last = history.body
      XCTAssertEqual(history.undoCount, steps, "way \(index)", line: line)
      XCTAssertEqual(history.allUndone().body, start, line: line)
      XCTAssertEqual(history.allRedone().body, last, line: line)
    }
  }

  /// Makes edits that replace all that was composed so far, as an input method reports them.
  private func expect(
    _ steps: Int, at start: Int = 0, in text: String = "", as intent: UndoIntent = .automatic,
    composing texts: [String], line: UInt = #line
  ) {
    let edits = zip([""] + texts, texts).map { Edit(start: start, removed: $0, inserted: $1) }
    expect(steps, from: text, as: intent, edits, line: line)
  }

  private func typing(_ keys: String..., at start: Int = 0) -> [Edit] {
    var end = start
    return keys.map { key in
      defer { end += key.utf8.count }
      return (end, "", key)
    }
  }

  // MARK: Automatic

  func testCharactersOfAnyNumberOfScalarsJoin() {
    expect(1, typing("a", "é", "e\u{301}", "👩‍👩‍👧", "\r\n", "🇩🇪", "한", " ", "\n", "b"))
    expect(1, typing("e", "\u{301}", "x"))
    expect(1, typing("🇩", "🇪"))
  }

  func testLineBreakWithItsIndentationIsTyping() {
    expect(1, typing("a", "\n  ", "b", "\r\n\t\t", "c"))
    expect(2, typing("a", "\n\n"))
    expect(3, typing("a", "  \n", "b"))
    expect(3, typing("a", "\n  x", "b"))
  }

  func testPasteIsAStepOfItsOwn() {
    expect(3, typing("a", "b", "pasted text\nof two lines", "c", "d"))
    expect(2, typing("ab", "cd"))
    expect(3, typing("a", " pasted", "b"))
    expect(3, typing("é", "éé", "é"))
  }

  /// `UNSAVED_TRACE` is the path of the session's file.
  func testPastesOfARecordedSessionAreStepsOfTheirOwn() throws {
    guard let path = ProcessInfo.processInfo.environment["UNSAVED_TRACE"] else {
      throw XCTSkip("UNSAVED_TRACE is not set to the path of a session")
    }
    let session = try TypingSession(contentsOf: URL(filePath: path))
    var history = UndoHistory(initialValue: session.start)
    var (wasPaste, pasteCount) = (false, 0)
    for key in session.keys {
      let text = key.inserted
      let isLine = text.first?.isNewline == true && text.dropFirst().allSatisfy { $0 == " " || $0 == "\t" }
      let isPaste = key.removed == 0 && text.count > 1 && !isLine
      let (count, old) = (history.undoCount, history.currentItem)
      history.edit.replaceSubrange(utf8: key.start..<key.start + key.removed, with: text)
      if history.currentItem == old { continue }
      if isPaste || wasPaste { XCTAssertEqual(history.undoCount, count + 1) }
      (wasPaste, pasteCount) = (isPaste, pasteCount + (isPaste ? 1 : 0))
    }
    print("\(pasteCount) pastes, \(history.undoCount) steps")
  }

  func testTypingElsewhereBeginsAStep() {
    expect(2, from: "xy", typing("a", "b") + typing("c", "d", at: 3))
    expect(2, typing("a", "b") + typing("c"))
  }

  func testTypingOverASelectionBeginsAStepThatTypingContinues() {
    expect(1, from: "one two", [(4, "two", "x"), (5, "", "y"), (6, "", "z")])
    expect(2, from: "one two", typing("a", at: 7) + [(4, "twoa", "\n  "), (7, "", "y")])
    var history = UndoHistory(initialValue: "one two")
    history.edit.replaceSubrange(utf8: 4..<7, with: "t")
    history.edit.insert("h", atUTF8: 5)
    XCTAssertEqual(history.undoCount, 1, "the first letter is that of the selection")
  }

  func testPasteOverASelectionIsAStepOfItsOwn() {
    expect(2, from: "one two", [(4, "two", "xyz"), (7, "", "!")])
    expect(3, typing("x", "y") + [(0, "xy", "ab"), (2, "", "c")])
  }

  func testReplacingTheLastTypedCharacterContinuesTyping() {
    expect(1, typing("a", "´") + [(1, "´", "é")] + typing("f", at: 3))
    expect(1, [(0, "", "👨"), (0, "👨", "👨‍🚀"), (11, "", "x")])
    expect(2, from: "a´", [(1, "´", "é"), (3, "", "f")] + typing("x"))
  }

  func testReplacingAnotherCharacterIsAStep() {
    expect(2, typing("a", "b", "c") + [(1, "b", "x")])
    expect(2, typing("a", "b", "c") + [(1, "bc", "x"), (2, "", "y")])
    expect(2, from: "x", typing("a", at: 1) + [(0, "xa", "y")])
  }

  func testCorrectionIsAStepOfItsOwn() {
    expect(3, typing("t", "e", "h") + [(0, "teh", "the"), (3, "", " ")])
    expect(3, typing("a", "b", "s") + [(3, "", "olute"), (8, "", " ")])
    expect(3, typing("r") + [(0, "r", "are"), (3, "", " ")])
  }

  func testDeletingJoinsInOneDirection() {
    expect(1, from: "abcdef", [(5, "f", ""), (4, "e", ""), (3, "d", "")])
    expect(1, from: "abcdef", [(0, "a", ""), (0, "b", ""), (0, "c", "")])
    expect(1, from: "ae\u{301}👨‍👩‍👧\r\n", [(22, "\r\n", ""), (4, "👨‍👩‍👧", ""), (1, "e\u{301}", "")])
    expect(2, from: "abcdef", [(4, "e", ""), (3, "d", ""), (3, "f", "")])
    expect(2, from: "abcdef", [(3, "d", ""), (3, "e", ""), (2, "c", "")])
  }

  func testCutIsAStepOfItsOwn() {
    expect(2, from: "abcdef", [(5, "f", ""), (4, "e", ""), (1, "bcd", "")])
    expect(2, from: "abcdef", [(1, "bcd", ""), (0, "a", "")])
    expect(2, from: "abcdef", [(4, "ef", ""), (2, "cd", "")])
  }

  func testDeletingDoesNotJoinTyping() {
    expect(3, typing("a", "b", "c") + [(2, "c", ""), (1, "b", "")] + typing("d", at: 1))
  }

  func testEqualCharactersJoinWhereverComparingFindsThem() {
    for texts in [["a", "aa", "aaa"], ["xaa", "xa", "x"]] {
      var history = UndoHistory(initialValue: "xaaa")
      for text in texts { history.currentItem = text == "a" ? "xaaaa" : text.hasPrefix("a") ? "xaaa" + text : text }
      XCTAssertEqual(history.undoCount, 1)
    }
  }

  func testDeletingGoesOnInEitherDirectionOverEqualCharacters() {
    for texts in [["xaab", "xab", "xb", "x"], ["xaab", "xab", "xb", "b"]] {
      var history = UndoHistory(initialValue: texts[0])
      for text in texts.dropFirst() { history.currentItem = text }
      XCTAssertEqual(history.undoCount, 1, "\(texts)")
      history.undo()
      XCTAssertEqual(history.currentItem, texts[0])
    }
  }

  func testAssignedLineBreakBeginsTypingWhereverComparingFindsIt() {
    var history = UndoHistory(initialValue: "  \nz")
    // Comparing finds "  \n" after the line break, instead of "\n  " before it.
    for text in ["  \n  \nz", "  \n  k\nz"] { history.currentItem = text }
    XCTAssertEqual(history.undoCount, 1)
    history.undo()
    XCTAssertEqual(history.currentItem, "  \nz")
  }

  func testOptionalTextFollowsTheRules() {
    for (texts, steps) in [
      (["F", "Fr", "Fri"], 1), (["Friday", "Friday!"], 2), (["n", "か"], 1), (["F", "Friday"], 2), (["F", nil], 2),
    ] {
      for index in 0..<3 {
        var history = UndoHistory(initialValue: Note())
        for text in texts as [String?] {
          switch index {
          case 0: history.edit.nick = text
          case 1: history.currentItem.nick = text
          default: history.edit.notes["a"] = text
          }
        }
        XCTAssertEqual(history.undoCount, steps, "\(texts), \(index)")
        XCTAssertEqual(history.allUndone(), Note())
      }
    }
  }

  func testClearedOptionalTextJoinsOnlyItsLastCharacter() {
    for (texts, steps) in [(["Fr", "F", nil], 1), (["Fr", nil], 2), (["ri", "i", nil], 1)] as [([String?], Int)] {
      var history = UndoHistory(initialValue: Note(nick: texts[0] == "ri" ? "Fri" : "Fri"))
      for text in texts { history.edit.nick = text }
      XCTAssertEqual(history.undoCount, steps, "\(texts)")
      XCTAssertEqual(history.allUndone(), Note(nick: "Fri"))
    }
  }

  // MARK: Input methods without an intent

  func testHangulIsAtMostAStepForEachSyllable() {
    expect(1, composing: ["ㅎ", "하", "한", "한ㄱ", "한구", "한국"])
    expect(1, composing: ["ㄱ", "가", "간", "가나", "가난", "가나다", "가나달", "가나다라"])
    expect(1, composing: ["ㄷ", "다", "달", "닭", "달가"])
    expect(1, [(0, "", "ㅎ"), (0, "ㅎ", "하"), (0, "하", "한"), (3, "", "ㄱ"), (3, "ㄱ", "구"), (3, "구", "국")])
  }

  func testKanaWithConversionIsAtMostAStepForEachSyllable() {
    expect(2, composing: ["k", "か", "かn", "かな", "仮名"])
    expect(1, composing: ["k", "か", "かn", "かんk", "かんけ"])
    expect(1, composing: ["s", "sh", "しゃ", "しゃs", "しゃsh", "しゃしゅ"])
    expect(1, composing: ["g", "が", "がk", "がっk", "がっこ", "がっこu", "がっこう"])
  }

  func testCharacterBeforeATypedLetterIsAStepUnlessItIsKana() {
    for character in ["c", "é", "한", "你", "😀"] {
      expect(2, from: "x", [(1, "", "b"), (1, "", character)])
      expect(2, from: "x", [(1, "", "\t"), (1, "", character)])
    }
    expect(1, from: "x", [(1, "", "k"), (1, "", "っ")])
  }

  func testPinyinIsAtMostAStepForEachSyllable() {
    expect(2, composing: ["n", "ni", "nih", "niha", "nihao", "你好"])
    expect(2, at: 2, in: "a b", composing: ["n", "ni", "ni'", "ni'h", "ni'ha", "ni'hao", "你好"])
  }

  func testPinyinWithSpacesBetweenSyllablesIsAtMostAStepForEachSyllable() {
    expect(2, composing: ["n", "ni", "ni h", "ni ha", "ni hao", "你好"])
    expect(2, at: 2, in: "a b", composing: ["n", "ni", "ni h", "ni ha", "ni hao", "你好"])
    expect(2, composing: ["f", "fa", "fan", "fang", "fang a", "fan gan", "反感"])

    expect(2, composing: ["g", "gu", "guo", "guo r", "guo re", "guo ren", "guo ren m", "guo ren me", "国人们"])
    // A paste beside what was typed, a second space, and a space alone in the middle.
    expect(2, typing("n", "i", " ho"))
    expect(2, typing("n", "i", "  h"))
    expect(2, typing("x", "i", "a", "n") + [(2, "an", " an")])
  }

  // MARK: Typing

  func testTypingJoinsAtAnyLength() {
    expect(1, as: .typing, typing("if", " ", "let", "()"))
    expect(1, from: "abcdef", as: .typing, [(4, "ef", ""), (1, "bcd", "")])
    expect(2, from: "abcdef", as: .typing, [(3, "d", ""), (2, "c", ""), (2, "ef", "")])
  }

  func testTypingJoinsInsideOfWhatWasTyped() {
    expect(1, as: .typing, typing("f", "()") + [(2, "", "x"), (3, "", "yz"), (2, "xyz", "a")])
    expect(2, from: "f", as: .typing, typing("()", at: 1) + [(0, "f", "g")])
  }

  func testTypingWithoutAnIntentContinuesTypingWithOne() {
    var history = UndoHistory(initialValue: "")
    history.edit.append("for", as: .typing)
    history.edit.append(" ")
    history.edit.append("each", as: .typing)
    XCTAssertEqual(history.undoCount, 1)
    history.edit.append("each")
    history.edit.append(" ", as: .typing)
    XCTAssertEqual(history.undoCount, 3)
  }

  func testTypingFollowsTheRule() {
    let clock = ManualClock()
    var (apart, paused) = (UndoHistory(initialValue: ""), UndoHistory(initialValue: ""))
    apart.coalescing = .none
    paused.coalescing = .typing(within: .seconds(1), clock: clock)
    for text in ["a", "bc", "d"] {
      apart.edit.append(text, as: .typing)
      paused.edit.append(text, as: .typing)
      if text == "bc" { clock.advance(by: .seconds(2)) }
    }
    XCTAssertEqual([apart.undoCount, paused.undoCount], [3, 2])
  }

  // MARK: Composing

  func testCompositionIsOneStep() {
    for texts in [
      ["ㅎ", "하", "한"], ["n", "ni", "nihao", "ni", "nih", "nihao", "你好"], ["k", "か", "かn", "かな", "仮名"],
      ["´", "é"],
    ] {
      expect(1, as: .composing, composing: texts)
      expect(1, at: 1, in: "ab", as: .composing, composing: texts)
    }
  }

  func testInsertionAtTheEndOfACompositionBeginsTheNextOne() {
    var history = UndoHistory(initialValue: "")
    history.edit.insert("ㅎ", atUTF8: 0, as: .composing)
    history.edit.replaceSubrange(utf8: 0..<3, with: "한", as: .composing)
    history.edit.insert("ㄱ", atUTF8: 3, as: .composing)
    history.edit.replaceSubrange(utf8: 3..<6, with: "국", as: .composing)
    XCTAssertEqual(history.undoCount, 2)
    XCTAssertEqual(history.undone(), "한")
    XCTAssertEqual(history.undone(), "")
  }

  func testNothingElseJoinsAComposition() {
    var history = UndoHistory(initialValue: "")
    history.edit.append("a")
    history.edit.append("ㅎ", as: .composing)
    history.edit.replaceSubrange(utf8: 1..<4, with: "하", as: .composing)
    history.edit.append("b")
    history.edit.append("c", as: .typing)
    XCTAssertEqual(history.undoCount, 3)
    XCTAssertEqual(history.undone(), "a하")
    XCTAssertEqual(history.undone(), "a")
  }

  func testCompositionOverASelectionIsOneStep() {
    expect(1, from: "one two", as: .composing, [(4, "two", "n"), (4, "n", "ni"), (4, "ni", "你")])
    var history = UndoHistory(initialValue: "one two")
    history.edit.removeSubrange(utf8: 4..<7, as: .composing)
    history.edit.insert("n", atUTF8: 4, as: .composing)
    history.edit.replaceSubrange(utf8: 4..<5, with: "你", as: .composing)
    XCTAssertEqual(history.undoCount, 1)
    XCTAssertEqual(history.undone(), "one two")
  }

  func testCompositionIgnoresPausesAndTheRule() {
    let clock = ManualClock()
    for rule in [UndoCoalescing.none, .typing(within: .seconds(1), clock: clock)] {
      for way in ways {
        var history = UndoHistory(initialValue: Note())
        history.coalescing = rule
        for (old, new) in [("", "n"), ("n", "ni"), ("ni", "你")] {
          way(&history, (0, old, new), .composing)
          clock.advance(by: .seconds(5))
        }
        XCTAssertEqual(history.undoCount, 1)
        history.edit.body.append("a")
        XCTAssertEqual(history.undoCount, 2)
      }
    }
  }

  func testUndoTakesBackACompositionAsAWhole() {
    var history = UndoHistory(initialValue: "a")
    history.edit.append("n", as: .composing)
    history.edit.replaceSubrange(utf8: 1..<2, with: "ni", as: .composing)
    XCTAssertEqual(history.undone(), "a")
    XCTAssertEqual(history.redone(), "ani")
    history.edit.replaceSubrange(utf8: 1..<3, with: "你", as: .composing)
    XCTAssertEqual(history.undoCount, 2, "the composition was committed")
    XCTAssertEqual(history.undone(), "ani")
  }

  func testCanceledCompositionRecordsNoStep() {
    for way in ways {
      var history = UndoHistory(initialValue: Note(body: "a"))
      history.markSaved()
      way(&history, (1, "", "n"), .composing)
      way(&history, (1, "n", "ni"), .composing)
      way(&history, (1, "ni", ""), .composing)
      XCTAssertEqual([history.undoCount, history.redoCount, history.byteCount], [0, 0, 0])
      XCTAssertFalse(history.isDirty)
      way(&history, (0, "a", "k"), .composing)
      way(&history, (0, "k", "a"), .composing)
      XCTAssertEqual(history.undoCount, 0)
      way(&history, (1, "", "b"), .automatic)
      XCTAssertEqual(history.undoCount, 1)
    }
  }

  func testCanceledCompositionLeavesNoStepIfUndoRestoresValues() {
    for way in ways {
      var history = UndoHistory(initialValue: Note(body: "ab", caret: 2))
      history.restoreOnUndo(\.caret)
      history.edit.body.append("c")
      history.currentItem.caret = 3
      for (old, new) in [("", "n"), ("n", "ni"), ("ni", "")] {
        way(&history, (1, old, new), .composing)
        history.currentItem.caret = 1 + new.utf8.count
      }
      XCTAssertEqual([history.undoCount, history.redoCount], [1, 0])
      XCTAssertEqual(history.currentItem, Note(body: "abc", caret: 1), "the caret stays")
      XCTAssertEqual(history.undone(), Note(body: "ab", caret: 2))
      XCTAssertEqual(history.redone(), Note(body: "abc", caret: 3))
      way(&history, (1, "", "n"), .composing)
      history.currentItem.caret = 2
      way(&history, (1, "n", "你"), .composing)
      history.currentItem.caret = 4
      XCTAssertEqual(history.undone(), Note(body: "abc", caret: 3))
      XCTAssertEqual(history.redone(), Note(body: "a你bc", caret: 4))
    }
  }

  func testSaveDividesACompositionEvenIfItIsCanceled() {
    var history = UndoHistory(initialValue: "")
    history.edit.append("n", as: .composing)
    history.markSaved()
    history.edit.replaceSubrange(utf8: 0..<1, with: "", as: .composing)
    XCTAssertEqual(history.undoCount, 2)
    XCTAssertTrue(history.isDirty, "the store has the letter")
    XCTAssertEqual(history.undone(), "n")
    XCTAssertFalse(history.isDirty)
  }

  // MARK: Separate

  func testSeparateEditsNeverJoin() {
    expect(3, as: .separate, typing("a", "b", "c"))
    var history = UndoHistory(initialValue: "")
    history.edit.append("a")
    history.edit.append("b", as: .separate)
    history.edit.append("c")
    XCTAssertEqual(history.undoCount, 3)
  }

  // MARK: Groups

  func testIntentsHaveNoEffectInTransactionsAndOpenSteps() {
    var history = UndoHistory(initialValue: "")
    for intent in [UndoIntent.automatic, .typing, .composing, .separate] {
      history.transaction {
        $0.append("ab", as: intent)
        $0.append("c", as: intent)
        $0.removeSubrange(utf8: $0.currentItem.utf8.count - 1..<$0.currentItem.utf8.count, as: intent)
      }
      let step = history.beginStep()
      history.edit.append("xy", as: intent)
      history.edit.append("z", as: intent)
      history.endStep(step)
    }
    XCTAssertEqual(history.undoCount, 8)
    XCTAssertEqual(history.currentItem, "abxyzabxyzabxyzabxyz")
    XCTAssertEqual(history.allUndone(), "")
  }

  func testCopiesContinueARunIndependently() {
    var history = UndoHistory(initialValue: "")
    history.edit.append("´")
    var copy = history
    history.edit.replaceSubrange(utf8: 0..<2, with: "é")
    copy.edit.append("x")
    XCTAssertEqual([history.currentItem, copy.currentItem], ["é", "´x"])
    XCTAssertEqual([history.undoCount, copy.undoCount], [1, 1])
    XCTAssertEqual([history.undone(), copy.undone()], ["", ""])
    XCTAssertEqual([history.redone(), copy.redone()], ["é", "´x"])
  }
}

extension UndoCursor where Target == String {
  fileprivate mutating func replace(_ edit: (start: Int, removed: String, inserted: String), _ intent: UndoIntent) {
    replaceSubrange(utf8: edit.start..<edit.start + edit.removed.utf8.count, with: edit.inserted, as: intent)
  }
}

extension String {
  fileprivate func replacing(_ edit: (start: Int, removed: String, inserted: String)) -> String {
    let start = utf8.index(startIndex, offsetBy: edit.start)
    let end = utf8.index(start, offsetBy: edit.removed.utf8.count)
    XCTAssertEqual(String(self[start..<end]), edit.removed)
    return String(self[..<start]) + edit.inserted + String(self[end...])
  }
}
