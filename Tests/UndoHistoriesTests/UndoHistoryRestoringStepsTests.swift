import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Restored values in transactions, in open steps, and in values that are assigned as a whole.
final class UndoHistoryRestoringStepsTests: XCTestCase {
  private struct Editor: Equatable {
    var text = ""
    var caret = 0
    var count = 0
    var view = View()
    var selected: [Int] = []
    var title = ""
    var size = 0
    var lines = ["", ""]

    struct View: Equatable { var zoom = 1.0, scroll = 0 }
  }

  private func history() -> UndoHistory<Editor> {
    var history = UndoHistory(initialValue: Editor())
    history.restoreOnUndo(\.caret)
    history.restoreOnUndo(\.view.scroll)
    history.restoreOnUndo(\.selected)
    return history
  }

  /// Changes every restored value, which records no step.
  private func wander(_ history: inout UndoHistory<Editor>) {
    let count = history.undoCount + history.redoCount
    for number in 900..<903 {
      history.edit.caret = number
      history.edit.view.scroll = number
      history.edit.selected.set([number])
    }
    XCTAssertEqual(history.undoCount + history.redoCount, count)
  }

  /// Checks that undo and redo of the newest step lead to these documents, even if restored values changed in between.
  private func checkStep(
    _ history: UndoHistory<Editor>, from start: Editor, to end: Editor, line: UInt = #line
  ) {
    for wanders in [false, true] {
      var history = history
      for _ in 0..<2 {
        if wanders { wander(&history) }
        history.undo()
        XCTAssertEqual(history.currentItem, start, "wanders: \(wanders)", line: line)
        if wanders { wander(&history) }
        history.redo()
        XCTAssertEqual(history.currentItem, end, "wanders: \(wanders)", line: line)
      }
    }
  }

  // MARK: Transactions

  func testRestoredPropertyWithoutAnArchiveNameRecordsNoStep() throws {
    struct Note: UndoArchivable, Equatable {
      var text = ""
      var caret = 0

      static let undoParts = [UndoPart<Note>("text", \.text)]
    }
    var history = UndoHistory(initialValue: Note())
    history.restoreOnUndo(\.caret)
    history.edit.text = "a"
    history.undo()
    history.currentItem.caret = 3
    XCTAssertEqual([history.undoCount, history.redoCount], [0, 1])
    // Typing joins although the caret is assigned with the text.
    for count in 1...3 { history.currentItem = Note(text: String(repeating: "b", count: count), caret: count) }
    XCTAssertEqual([history.undoCount, history.redoCount], [1, 0])
    history.undo()
    XCTAssertEqual(history.text, "")
    XCTAssertNoThrow(try history.archive())
  }

  /// Each place of a collection that differs is recorded once the collection has all of its new elements.
  func testRestoredCollectionSetInSeveralPlacesIsRestoredExactly() {
    struct Page: Equatable {
      var text = ""
      var numbers = [1, 2, 3, 4, 5]
      var names = ["a", "b", "c", "d", "e"]
      var marks: Set<Int> = [1, 2, 3, 4, 5]
      var sizes = [1: 1, 2: 2, 3: 3, 4: 4, 5: 5]
      var list = NamedList()
    }
    let ways: [(inout UndoHistory<Page>.Editor) -> Void] = [
      { $0.numbers.set([9, 2, 3, 4, 8]) }, { $0.names.set(["x", "b", "c", "d", "y"]) },
      { $0.marks.set([2, 3, 4, 8, 9]) }, { $0.sizes.set([1: 9, 2: 2, 3: 3, 4: 4, 5: 8]) },
      { $0.list.set(NamedList(name: "b", items: [2])) },
    ]
    for (index, set) in ways.enumerated() {
      for isInTransaction in [true, false] {
        var history = UndoHistory(initialValue: Page())
        history.restoreOnUndo(\.numbers)
        history.restoreOnUndo(\.names)
        history.restoreOnUndo(\.marks)
        history.restoreOnUndo(\.sizes)
        history.restoreOnUndo(\.list)
        history.edit.text.append("a")
        history.endCoalescing()
        let before = history.currentItem
        if isInTransaction {
          history.transaction { edit in
            set(&edit)
            edit.text.append("b")
          }
        } else {
          set(&history.edit)
          history.edit.text.append("b")
        }
        let behind = history.currentItem
        history.undo()
        var expected = isInTransaction ? before : behind
        expected.text = "a"
        XCTAssertEqual(history.currentItem, expected, "\(index) \(isInTransaction)")
        history.redo()
        XCTAssertEqual(history.currentItem, behind, "\(index) \(isInTransaction)")
        history.undo()
        history.undo()
        history.redo()
        XCTAssertEqual(history.text, "a")
      }
    }
  }

  func testFirstAssignmentAfterATransactionJoinsItsStepIfItHadNone() {
    var history = history()
    history.transaction { edit in
      edit.text.append("a")
      edit.count = 1
    }
    history.edit.caret = 6
    let end = history.currentItem
    history.edit.caret = 7
    history.undo()
    history.redo()
    XCTAssertEqual(history.currentItem, end)
    checkStep(history, from: Editor(), to: end)
  }

  func testTransactionOfOnlyRestoredValuesRecordsNoStep() {
    var history = history()
    history.edit.count = 1
    history.edit.count = 2
    history.undo()
    history.markSaved()
    let bytes = history.byteCount
    history.transaction("Select") { edit in
      edit.caret = 5
      edit.selected.append(contentsOf: [1, 2, 3])
      edit.transaction { $0.view.scroll = 4 }
    }
    XCTAssertEqual([history.undoCount, history.redoCount, history.byteCount], [1, 1, bytes])
    XCTAssertEqual([history.caret, history.view.scroll] + history.selected, [5, 4, 1, 2, 3])
    XCTAssertFalse(history.isDirty)
    history.redo()
    XCTAssertEqual([history.count, history.caret], [2, 0])
  }

  func testWholeDocumentAssignmentIncludesItsRestoredValue() {
    var history = history()
    history.edit.count = 1
    let start = history.currentItem
    let end = Editor(text: "x", count: 1, view: .init(zoom: 2, scroll: 5))
    for isInTransaction in [false, true] {
      var history = history
      if isInTransaction { history.transaction { $0.set(end) } } else { history.currentItem = end }
      for _ in 0..<2 {
        history.undo()
        XCTAssertEqual(history.currentItem, start)
        history.redo()
        XCTAssertEqual(history.currentItem, end)
      }
      history.go(to: .step(0))
      history.redo()
      XCTAssertEqual(history.currentItem, start)
    }
  }

  func testTransactionThatThrowsRollsBackAValueWhoseContainerWasSet() {
    var history = history()
    history.transaction { edit in
      try? edit.transaction { edit in
        edit.view.set(.init(zoom: 2, scroll: 5))
        edit.view.scroll = 7
        throw Refused()
      }
      XCTAssertEqual(edit.currentItem, Editor())
    }
    let step = history.beginStep()
    history.edit.text.append("a")
    try? history.transaction { edit in
      edit.view.set(.init(zoom: 2, scroll: 5))
      edit.view.scroll = 7
      throw Refused()
    }
    XCTAssertEqual(history.currentItem, Editor(text: "a"))
    XCTAssertTrue(history.endStep(step))
  }

  func testAssignmentInAnInnerTransactionThatThrowsIsNotPartOfTheStep() {
    var history = history()
    history.transaction { edit in
      edit.text.append("a")
      try? edit.transaction { edit in
        edit.caret = 5
        throw Refused()
      }
    }
    // The first assignment after the step's edits belongs to the step; the next one doesn't.
    history.edit.caret = 1
    history.edit.caret = 9
    history.undo()
    XCTAssertEqual(history.caret, 0)
    history.redo()
    XCTAssertEqual(history.caret, 1)
  }

  func testTypingJoinsAcrossATransactionThatRecordedNothing() {
    for isRefused in [false, true] {
      var history = history()
      history.edit.text.append("a")
      try? history.transaction { edit in
        edit.caret = 5
        if isRefused { edit.count = 2 }
        edit.selected.append(4)
        if isRefused { throw Refused() }
      }
      history.edit.text.append("b")
      XCTAssertEqual(history.undoCount, 1)
      history.undo()
      XCTAssertEqual(history.text, "")
    }
  }

  // MARK: Open steps

  func testOpenStepIncludesEveryRestoredValueAssignedInIt() {
    var history = history()
    history.edit.caret = 3
    let start = history.currentItem
    let step = history.beginStep("Drag")
    for number in 1...100 {
      history.edit.count = number
      history.edit.caret = number
      history.edit.view.scroll = -number
      history.edit.caret = number + 1
      history.transaction { $0.selected.append(number) }
      history.currentItem.caret += 1
    }
    history.edit.caret = 500
    let end = history.currentItem
    XCTAssertEqual(history.undoCount, 1)
    XCTAssertTrue(history.endStep(step))
    history.edit.caret = 600
    history.undo()
    XCTAssertEqual(history.currentItem, start)
    history.redo()
    XCTAssertEqual(history.currentItem, end, "an assignment after the open step belonged to it")
    checkStep(history, from: start, to: end)
  }

  func testRestoredValueIsRecordedOnceInAnOpenStep() {
    var (plain, restoring) = (UndoHistory(initialValue: Editor()), UndoHistory(initialValue: Editor()))
    restoring.restoreOnUndo(\.caret)
    _ = (plain.beginStep("Drag"), restoring.beginStep("Drag"))
    for number in 1...1_000 {
      plain.edit.count = number
      restoring.edit.count = number
      restoring.edit.caret = number
      restoring.edit.size = -number
      plain.edit.size = -number
      restoring.edit.caret -= 1
    }
    XCTAssertEqual(restoring.byteCount, plain.byteCount + 16)
  }

  func testOpenStepOfOnlyRestoredValuesRecordsNoStep() {
    var history = history()
    history.edit.count = 1
    history.undo()
    let step = history.beginStep("Select")
    history.edit.caret = 3
    history.transaction { $0.selected.append(3) }
    XCTAssertEqual([history.undoCount, history.redoCount], [0, 1])
    XCTAssertTrue(history.endStep(step))
    XCTAssertEqual([history.undoCount, history.redoCount, history.caret], [0, 1, 3])
  }

  // MARK: Assigning the container of a restored value

  func testUndoOfWholeDocumentAssignmentsRestoresTheCaret() {
    struct Point: Equatable { var x = 0, caret = 0, y = 0 }
    var history = UndoHistory(initialValue: Point())
    history.restoreOnUndo(\.caret)
    var states = [Point()]
    for number in 1...5 {
      let point = Point(x: number, caret: 10 * number, y: -number)
      history.currentItem = point
      states.append(point)
      history.edit.caret = number
    }
    let all = states
    for wanders in [false, true] {
      for point in all.dropLast().reversed() {
        history.undo()
        // Before the step, the caret was where the assignment after the previous step had left it.
        XCTAssertEqual(history.currentItem, Point(x: point.x, caret: point.x, y: point.y))
        if wanders { history.edit.caret = 99 }
      }
      for point in all.dropFirst() {
        history.redo()
        XCTAssertEqual([history.x, history.y], [point.x, point.y])
        if wanders { history.edit.caret = 99 }
      }
    }
  }

  func testSettingTheContainerOfARestoredValueIsUndoneExactly() {
    for isOpen in [false, true] {
      var history = history()
      history.edit.view.scroll = 3
      let start = history.currentItem
      let step = isOpen ? history.beginStep() : nil
      for number in 1...5 {
        history.transaction { edit in
          edit.view.scroll = 50 + number
          edit.view.set(Editor.View(zoom: Double(2 * number), scroll: 60 + number))
          edit.view.scroll = 70 + number
          try? edit.transaction { edit in
            edit.view.set(Editor.View(zoom: 90, scroll: 90))
            throw Refused()
          }
        }
        history.edit.view.set(Editor.View(zoom: Double(2 * number + 1), scroll: 80 + number))
      }
      let end = history.currentItem
      XCTAssertEqual(end.view, Editor.View(zoom: 11, scroll: 85))
      if let step {
        var cancelled = history
        cancelled.cancelStep(step)
        XCTAssertEqual(cancelled.currentItem, start)
        history.endStep(step)
        checkStep(history, from: start, to: end)
      }
      let count = history.undoCount
      XCTAssertEqual(count, isOpen ? 1 : 10)
      while history.canUndo { history.undo() }
      XCTAssertEqual(history.currentItem, start)
      while history.canRedo { history.redo() }
      XCTAssertEqual(history.currentItem, end)
    }
  }

  func testNestedValuesCanBothBeRestored() {
    var history = UndoHistory(initialValue: Editor())
    history.restoreOnUndo(\.view)
    history.restoreOnUndo(\.view.scroll)
    history.restoreOnUndo(\.view.zoom)
    for number in 1...3 {
      history.edit.count = number
      history.edit.view.scroll = number
      history.edit.view.zoom = 2
      history.currentItem.view = Editor.View(zoom: 5, scroll: 5)
    }
    XCTAssertEqual(history.undoCount, 3)
    history.undo()
    XCTAssertEqual(history.view, Editor.View(zoom: 5, scroll: 5))
    while history.canUndo { history.undo() }
    XCTAssertEqual(history.currentItem, Editor())
  }

  func testValuesAreRestoredAcrossManyChunks() {
    var history = history()
    for number in 1...5_000 {
      history.edit.lines[number % 2] = "a text of more than fifteen bytes: \(number)"
      history.edit.caret = number
    }
    let fork = history
    for position in [2_500, 1, 4_999, 5_000] {
      history.go(to: .step(position))
      XCTAssertEqual(history.caret, position)
      history.edit.caret = -1
    }
    XCTAssertEqual(fork.caret, 5_000)
  }
}

/// A collection with a property besides its elements.
private struct NamedList: MutableCollection, RangeReplaceableCollection, RandomAccessCollection, Equatable {
  var name = ""
  var items: [Int] = []

  init() {}

  init(name: String, items: [Int]) { (self.name, self.items) = (name, items) }

  var startIndex: Int { 0 }
  var endIndex: Int { items.count }

  subscript(index: Int) -> Int {
    get { items[index] }
    set { items[index] = newValue }
  }

  mutating func replaceSubrange(_ range: Range<Int>, with elements: some Collection<Int>) {
    items.replaceSubrange(range, with: elements)
  }
}
