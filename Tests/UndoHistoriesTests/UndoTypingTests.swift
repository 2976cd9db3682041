import TestSupport
import UndoHistories
import XCTest

/// Typing also joins in a text that can't be edited in place: an optional that was nil, a dictionary's value, the
/// payload of an enum, or a computed property.
final class UndoTypingTests: XCTestCase {
  private enum Kind: Equatable { case none, text(String), title(String), pair(String, Int) }

  private struct Address: Equatable { var town = "", code = "" }

  private struct Sheet: Equatable {
    var nick: String?
    var notes: [String: String] = [:]
    var addresses: [Int: Address] = [:]
    var kind = Kind.none
    var kinds = [Kind.none, .none]
    var size = 5.0
    var half: String? {
      get { nick }
      set { nick = newValue }
    }
  }

  private typealias Change = (inout UndoHistory<Sheet>, String?) -> Void

  /// Every way to type in such a text.
  private let ways: [Change] = [
    { $0.edit.nick = $1 },
    { $0.currentItem.nick = $1 },
    { history, text in history.joiningTransaction { $0.nick = text } },
    { $0.edit.half = $1 },
    { $0.edit.notes["a"] = $1 },
    { $0.currentItem.notes["a"] = $1 },
    { history, text in history.joiningTransaction { $0.notes["a"] = text } },
    { $0.edit.kind.set($1.map { .text($0) } ?? .none) },
    { $0.currentItem.kind = $1.map { .text($0) } ?? .none },
    { history, text in history.joiningTransaction { $0.kind.set(text.map { .text($0) } ?? .none) } },
    { $0.edit.kinds[1].set($1.map { .text($0) } ?? .none) },
    { $0.currentItem.kinds[1] = $1.map { .text($0) } ?? .none },
  ]

  private func texts(_ text: String) -> [String] { (1...text.count).map { String(text.prefix($0)) } }

  private func history() -> UndoHistory<Sheet> { UndoHistory(initialValue: Sheet()) }

  func testTypingJoinsInOptionalsDictionariesAndEnums() {
    for (index, change) in ways.enumerated() {
      var history = history()
      for text in texts("Friday") { change(&history, text) }
      let last = history.currentItem
      XCTAssertEqual(history.undoCount, 1, "\(index)")
      XCTAssertNotEqual(last, Sheet())
      XCTAssertEqual(history.undone(), Sheet(), "\(index)")
      XCTAssertEqual(history.redone(), last, "\(index)")
    }
  }

  func testDeletingCharactersJoins() {
    for (index, change) in ways.enumerated() {
      var history = history()
      change(&history, "Friday")
      let first = history.currentItem
      history.endCoalescing()
      for text in texts("Friday").dropLast().reversed() { change(&history, text) }
      XCTAssertEqual(history.undoCount, 2, "\(index)")
      XCTAssertEqual(history.undone(), first, "\(index)")
    }
  }

  func testTypingElsewhereInTheTextIsAnotherStep() {
    for (index, change) in ways.enumerated() {
      var history = history()
      // An insertion in front, a removal at the end, an insertion after it, and a completion of several letters.
      for text in ["Fri", "aFri", "aFr", "aFry", "aFryday"] { change(&history, text) }
      XCTAssertEqual(history.undoCount, 5, "\(index)")
    }
  }

  func testTypingInDifferentTextsRecordsSeparateSteps() {
    var history = history()
    history.edit.notes["a"] = "x"
    history.edit.notes["b"] = "y"
    history.edit.notes["a"] = "xx"
    XCTAssertEqual(history.undoCount, 3)
    history.edit.kind.set(.text("a"))
    history.edit.kind.set(.title("ab"))
    XCTAssertEqual(history.undoCount, 5)
    history.edit.kind.set(.pair("a", 1))
    history.edit.kind.set(.pair("ab", 1))
    XCTAssertEqual(history.undoCount, 7)
    history.edit.kind.set(.pair("abc", 1))
    XCTAssertEqual(history.undoCount, 7)
    history.edit.kind.set(.pair("abcd", 2))
    XCTAssertEqual(history.undoCount, 8)
    history.edit.addresses[1] = Address()
    for text in texts("Ockham") { history.edit.addresses[1] = Address(town: text) }
    XCTAssertEqual(history.undoCount, 10)
    for text in texts("GU23") { history.edit.addresses[1] = Address(town: "Ockham", code: text) }
    XCTAssertEqual(history.undoCount, 11)
    for _ in 0..<2 { history.undo() }
    XCTAssertEqual(history.addresses, [1: Address()])
  }

  func testCoalescingRuleAndPauseAreRespected() {
    for change in ways {
      var (apart, history) = (history(), history())
      apart.coalescing = .none
      let clock = ManualClock()
      history.coalescing = .typing(within: .seconds(1), clock: clock)
      for text in texts("Friday") {
        change(&apart, text)
        change(&history, text)
        if text.count == 3 { clock.advance(by: .seconds(2)) }
      }
      XCTAssertEqual([apart.undoCount, history.undoCount], [6, 2])
    }
  }

  func testASaveEndsTheStep() {
    for change in ways {
      var history = history()
      for text in texts("Fri") { change(&history, text) }
      let save = history.beginSave()
      change(&history, "Frid")
      XCTAssertEqual(history.undoCount, 2)
      history.finishSave(save)
      history.undo()
      XCTAssertFalse(history.isDirty)
    }
  }

  func testTypingATextAndDeletingItIsTwoSteps() {
    for (index, change) in ways.enumerated() {
      var history = history()
      for text in texts("Fri") { change(&history, text) }
      let typed = history.currentItem
      for text in [nil, "F", "Fr"].reversed() { change(&history, text) }
      XCTAssertEqual(history.undoCount, 2, "\(index)")
      XCTAssertEqual(history.currentItem.nick, nil)
      let empty = history.currentItem
      XCTAssertEqual(history.undone(), typed, "\(index)")
      XCTAssertEqual(history.undone(), Sheet(), "\(index)")
      history.redo()
      XCTAssertEqual(history.redone(), empty, "\(index)")
    }
  }

  func testLongTypingStepKeepsOnlyOneOldValue() {
    let text = String(repeating: "a text of some length ", count: 10)
    for change in ways {
      var history = history()
      for text in texts("Fr") { change(&history, text) }
      let byteCount = history.byteCount
      for text in texts("Fr" + text).dropFirst(2) { change(&history, text) }
      XCTAssertEqual([history.undoCount, history.byteCount], [1, byteCount])
    }
  }

  func testAssignmentAfterTypingFollowsTheRuleForValues() {
    let clock = ManualClock()
    var history = history()
    history.coalescing = .typing.values(within: .seconds(1), clock: clock)
    history.recordTimes { clock.now.offset }
    history.edit.size = 1
    clock.advance(by: .seconds(9))
    for text in texts("Friday") {
      history.edit.kind.set(.text(text))
      clock.advance(by: .milliseconds(900))
    }
    history.edit.kind.set(.none)
    XCTAssertEqual(history.steps.map(\.time), [.zero], "the earlier step has not changed")
    history.edit.kind.set(.title("a"))
    clock.advance(by: .seconds(2))
    history.edit.kind.set(.none)
    XCTAssertEqual(history.undoCount, 3)
  }
}
