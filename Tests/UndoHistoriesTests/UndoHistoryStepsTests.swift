import TestSupport
import UndoHistories
import XCTest

/// Going to a position, looking at the steps, and joining them by time.
final class UndoHistoryStepsTests: XCTestCase {
  // MARK: Going to a position

  func testGoesToAnyPosition() {
    var history = UndoHistory(initialValue: [0])
    for number in 1...3000 { history.edit[0] = number }
    for position in [2999, 0, 1500, 1501, 3000, 7] {
      history.go(to: .step(position))
      XCTAssertEqual(history.currentItem, [position])
      XCTAssertEqual([history.undoCount, history.redoCount], [position, 3000 - position])
    }
  }

  func testGoReportsTheChangeOfEachStep() {
    var history = UndoHistory(initialValue: [3, 1, 2])
    history.transaction("Sort") { $0.sort() }
    history.edit.append(4)
    history.edit.remove(at: 0)
    var told: [String] = []
    history.go(to: .step(0)) { told.append($0.description) }
    XCTAssertEqual(told, ["0..<0 -> 0..<1", "3..<4 -> 3..<3", "Sort: 0..<3 -> 0..<3"])
    told = []
    history.go(to: .step(0)) { told.append($0.description) }
    XCTAssertEqual(told, [])
    history.go(to: .step(2)) { told.append($0.description) }
    XCTAssertEqual(told, ["Sort: 0..<3 -> 0..<3", "3..<3 -> 3..<4"])
  }

  // MARK: Steps

  func testStepsHaveLabelsAndByteCounts() {
    var history = UndoHistory(initialValue: [3, 1, 2])
    XCTAssertTrue(history.steps.isEmpty)
    history.edit[0] = 4
    history.transaction("Sort") { edit in
      edit.swapAt(0, 1)
      edit.swapAt(1, 2)
    }
    history.edit.append(7)
    XCTAssertEqual(history.steps.map(\.label), [nil, "Sort", nil])
    XCTAssertEqual(history.steps.map(\.byteCount), [24, 24 + 48 + 24, 32])
    XCTAssertEqual(history.steps.reduce(0) { $0 + $1.byteCount }, history.byteCount)
    history.go(to: .step(1))
    XCTAssertEqual(history.steps.map(\.label), [nil, "Sort", nil], "the redo steps are included")
    XCTAssertEqual(history.steps.prefix(history.undoCount).count, 1)
  }

  func testStepsAreListedAcrossChunksAndAfterALimit() {
    var history = UndoHistory(initialValue: [""])
    (history.limit, history.coalescing) = (.steps(5_000), .none)
    for number in 0..<20_000 {
      if number % 3 == 0 {
        history.transaction("step \(number), with a label that does not fit into sixteen bytes") { $0[0] = "\(number)" }
      } else {
        history.edit[0] = "\(number)"
      }
    }
    for position in [5_000, 2_345, 0] {
      history.go(to: .step(position))
      let steps = history.steps
      XCTAssertEqual(steps.count, 5_000)
      let labels = (15_000..<20_000).map {
        $0 % 3 == 0 ? "step \($0), with a label that does not fit into sixteen bytes" : nil
      }
      XCTAssertEqual(steps.map(\.label), labels)
      XCTAssertEqual(steps.reduce(0) { $0 + $1.byteCount }, history.byteCount)
    }
  }

  func testStepsAreAnIndependentCollection() {
    var history = UndoHistory(initialValue: [1])
    for label in ["a", "b", "c", "d"] { history.transaction(label) { $0.append(0) } }
    let steps = history.steps
    history.removeAllSteps()
    XCTAssertEqual(steps.map(\.label), ["a", "b", "c", "d"])
    checkBidirectionalCollection(steps, expected: steps.map { $0 })
  }

  // MARK: Time

  func testTypingJoinsUnlessThePauseIsTooLong() {
    let clock = ManualClock()
    var history = UndoHistory(initialValue: "")
    history.coalescing = .typing(within: .seconds(1), clock: clock)
    for (pause, character) in [(0, "a"), (900, "b"), (1000, "c"), (1001, "d"), (10, "e")] {
      clock.advance(by: .milliseconds(pause))
      history.edit.append(character)
    }
    XCTAssertEqual(history.undoCount, 2, "the pause counts from the edit before, not from the first of the step")
    XCTAssertEqual(history.undone(), "abc")
  }

  func testDeletingJoinsUnlessThePauseIsTooLong() {
    let clock = ManualClock()
    var history = UndoHistory(initialValue: "abcdef")
    history.coalescing = .typing(within: .seconds(1), clock: clock)
    for offset in [5, 4, 3] { history.edit.removeSubrange(utf8: offset..<offset + 1) }
    clock.advance(by: .seconds(2))
    history.edit.removeSubrange(utf8: 2..<3)
    XCTAssertEqual(history.undoCount, 2)
    XCTAssertEqual(history.undone(), "abc")
  }

  func testTimeDoesNotMatterWithinATransaction() {
    let clock = ManualClock()
    var history = UndoHistory(initialValue: "")
    history.coalescing = .typing(within: .seconds(1), clock: clock)
    history.transaction { edit in
      edit.append("a")
      clock.advance(by: .seconds(5))
      edit.append("b")
    }
    XCTAssertEqual([history.undoCount, history.byteCount], [1, 32])
    history.edit.append("c")
    XCTAssertEqual(history.undoCount, 2, "an edit joined a transaction")
  }

  func testTimedCoalescingEqualsOnlyItself() {
    let clock = ManualClock()
    let timed = UndoCoalescing.typing(within: .seconds(1), clock: clock)
    XCTAssertEqual(timed, timed)
    XCTAssertNotEqual(timed, .typing(within: .seconds(1), clock: clock))
    XCTAssertNotEqual(timed, .typing)
    XCTAssertNotEqual(UndoCoalescing.typing, .none)
    checkHashable(equivalenceClasses: [[.typing], [.none], [timed]])
  }

  func testSettingTheCoalescingRuleEndsTheStep() {
    var history = UndoHistory(initialValue: "")
    history.edit.append("a")
    history.coalescing = .typing
    history.edit.append("b")
    XCTAssertEqual(history.undoCount, 2)
  }

  func testLongBackwardDeletionIsSplitIntoAFewSteps() {
    let text = String(repeating: "0123456789", count: 2_000)
    var history = UndoHistory(initialValue: text)
    for offset in (0..<20_000).reversed() { history.edit.removeSubrange(utf8: offset..<offset + 1) }
    XCTAssertEqual(history.currentItem, "")
    XCTAssertEqual(history.undoCount, 5, "a step ends after 4 KB, because each character moves them")
    XCTAssertEqual(history.allUndone(), text)
  }

  func testStepsCanBeReversedFromEveryPosition() {
    var history = UndoHistory(initialValue: [0])
    for number in 1...2_000 {
      history.transaction(number.isMultiple(of: 3) ? "Step \(number)" : nil) { items in
        for _ in 0...number % 3 { items.append(number) }
      }
    }
    let labels = history.steps.map(\.label)
    for position in [2_000, 1_999, 1_234, 1, 0] {
      history.go(to: .step(position))
      XCTAssertEqual(history.steps.reversed().map(\.label), labels.reversed())
    }
    history.go(to: .step(2_000))
    history.limit = .steps(500)
    history.go(to: .step(100))
    XCTAssertEqual(history.steps.reversed().map(\.label), history.steps.map(\.label).reversed())
    XCTAssertEqual(history.steps.last?.id, 2_000)
    XCTAssertEqual(history.steps.map(\.id), Array(1_501...2_000))
    XCTAssertNil(UndoHistory(initialValue: 0).steps.last)
  }

  func testReplacingTheDocumentIsOneStepThatRecordsTheDifference() {
    struct Note: Equatable { var title = "", lines = Array(repeating: "line", count: 1_000) }
    var history = UndoHistory(initialValue: Note())
    history.edit.title = "a"
    var other = history.currentItem
    other.title = "b"
    other.lines[500] = "other"
    history.replaceDocument(with: other, label: "Reload")
    XCTAssertEqual([history.undoCount, history.steps.count], [2, 2])
    XCTAssertEqual(history.undoLabel, "Reload")
    XCTAssertLessThan(history.byteCount, 500)
    history.edit.title.append("c")
    XCTAssertEqual(history.undoCount, 3, "typing joined the step")
    history.undo()
    history.undo()
    XCTAssertEqual(history.currentItem, Note(title: "a"))
    history.redo()
    XCTAssertEqual(history.currentItem, other)
    history.replaceDocument(with: other, label: "Reload")
    XCTAssertEqual([history.undoCount, history.redoCount], [2, 1], "an equal document was recorded as a step")
  }

  func testReplacedDocumentIsRecordedInEachPlaceThatDiffers() {
    struct Row: Hashable, Identifiable { var id: Int, text = "a row of some length" }
    struct Page: Equatable { var body = "", words: [String] = [], rows: [Row] = [] }
    let lines = (1...1_000).map { "line \($0)" }
    let rows = lines.indices.map { Row(id: $0) }
    let old = Page(body: lines.joined(separator: "\n"), words: lines, rows: rows)
    var (words, new) = (lines, old)
    words[1] = "theirs"
    words.insert("theirs, too", at: 998)
    new.body = words.joined(separator: "\n")
    new.words = words
    new.rows.remove(at: 3)
    new.rows[900].text.append("!")
    var history = UndoHistory(initialValue: old)
    history.edit.words[500] = "mine"
    history.undo()
    history.replaceDocument(with: new, label: "Reload")
    XCTAssertEqual(history.currentItem, new)
    XCTAssertLessThan(history.byteCount, 1_000)
    XCTAssertEqual(history.steps.map(\.label), ["Reload"])
    history.undo()
    XCTAssertEqual(history.currentItem, old)
    history.redo()
    XCTAssertEqual(history.currentItem, new)
    let count = history.byteCount
    history.currentItem = old
    XCTAssertGreaterThan(history.byteCount, count + 10_000, "a plain assignment aligns nothing")
  }
}
