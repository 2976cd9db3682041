import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Carried values in transactions, in open steps, and where the whole around them is assigned.
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

  /// Moves every carried value, which belongs to no step.
  private func wander(_ history: inout UndoHistory<Editor>) {
    let count = history.undoCount + history.redoCount
    for number in 900..<903 {
      history.edit.caret = number
      history.edit.view.scroll = number
      history.edit.selected.set([number])
    }
    XCTAssertEqual(history.undoCount + history.redoCount, count)
  }

  /// Proves that the newest step leads from one document to another and back, however the carried values moved.
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

  func testACarriedPropertyWithoutANameIsNoStepHoweverItIsAssigned() throws {
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
    // With a text it is typing all the same.
    for count in 1...3 { history.currentItem = Note(text: String(repeating: "b", count: count), caret: count) }
    XCTAssertEqual([history.undoCount, history.redoCount], [1, 0])
    history.undo()
    XCTAssertEqual(history.text, "")
    XCTAssertNoThrow(try history.archive())
  }

  /// A collection is recorded in all places that differ, when it has the new elements everywhere.
  func testACarriedCollectionThatIsSetInSeveralPlacesComesBackAsItWas() {
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

  func testEveryAssignmentInATransactionBelongsToItsStep() {
    var history = history()
    history.edit.caret = 3
    let start = history.currentItem
    history.transaction("Type") { edit in
      edit.caret = 4
      edit.text.append("a")
      edit.caret = 5
      edit.selected.append(1)
      edit.view.scroll = 7
      edit.count = 1
      edit.caret = 6
      edit.selected.append(2)
      edit.view.scroll += 1
    }
    let end = history.currentItem
    XCTAssertEqual([history.undoCount, history.caret, history.view.scroll], [1, 6, 8])
    history.edit.caret = 60
    XCTAssertEqual(history.undo()?.edits.count, 2)
    XCTAssertEqual(history.currentItem, start)
    XCTAssertEqual(history.redo()?.label, "Type")
    XCTAssertEqual(history.currentItem, end, "an assignment behind the transaction had a turn of its own")
    checkStep(history, from: start, to: end)
  }

  func testTheFirstAssignmentBehindATransactionWithoutOneBelongsToIt() {
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

  func testATransactionOfCarriedValuesAloneIsNoStep() {
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

  func testARefusedTransactionRestoresCarriedValues() {
    var history = history()
    history.edit.count = 1
    history.edit.caret = 3
    history.edit.selected.append(3)
    history.edit.view.scroll = 3
    let before = history.currentItem
    // With the values after the latest step, which are written down when the transaction begins.
    var settled = history
    settled.settle()
    let bytes = settled.byteCount
    for isStep in [false, true] {
      XCTAssertThrowsError(
        try history.transaction { edit in
          edit.caret = 4
          edit.selected.removeAll()
          if isStep { edit.text.append("a") }
          edit.view.scroll = 9
          edit.caret = 5
          throw Refused()
        })
      XCTAssertEqual(history.currentItem, before)
      XCTAssertEqual([history.undoCount, history.byteCount], [1, bytes])
      checkStep(history, from: Editor(), to: before)
    }
  }

  func testARefusedTransactionRestoresWhatAnInnerOneOfAnInnerOneAssigned() {
    var history = history()
    history.edit.caret = 2
    XCTAssertThrowsError(
      try history.transaction { edit in
        edit.text.append("a")
        edit.caret = 3
        edit.transaction { edit in edit.transaction { $0.caret = 5 } }
        XCTAssertEqual(edit.currentItem.caret, 5)
        throw Refused()
      })
    XCTAssertEqual([history.caret, history.undoCount], [2, 0])
  }

  func testAnAssignmentInSeveralPartsKeepsTheValueInsideOfOneOfThem() {
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

  func testARefusedTransactionRestoresTheValueFromBeforeAnEditAroundIt() {
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

  func testWhatARefusedInnerTransactionAssignedIsNoneOfTheSteps() {
    var history = history()
    history.transaction { edit in
      edit.text.append("a")
      try? edit.transaction { edit in
        edit.caret = 5
        throw Refused()
      }
    }
    // So this is the first assignment behind the step's edits, and belongs to it; the next one does not.
    history.edit.caret = 1
    history.edit.caret = 9
    history.undo()
    XCTAssertEqual(history.caret, 0)
    history.redo()
    XCTAssertEqual(history.caret, 1)
  }

  func testARefusedInnerTransactionRestoresCarriedValuesAsTheyWereInTheOuterOne() {
    for leads in [false, true] {
      var history = history()
      history.edit.caret = 2
      let start = history.currentItem
      history.transaction { edit in
        if leads { edit.text.append("a") }
        edit.caret = 4
        edit.selected.append(4)
        try? edit.transaction { edit in
          edit.caret = 5
          edit.selected.removeAll()
          edit.view.scroll = 5
          edit.count = 5
          try edit.transaction { edit in
            edit.caret = 6
            throw Refused()
          }
        }
        XCTAssertEqual(edit.currentItem.caret, 4)
        XCTAssertEqual(edit.currentItem.selected, [4])
        edit.text.append("b")
      }
      XCTAssertEqual([history.caret, history.view.scroll, history.count], [4, 0, 0])
      XCTAssertEqual(history.selected, [4])
      checkStep(history, from: start, to: history.currentItem)
    }
  }

  func testTypingGoesOnBehindATransactionThatLeftNothing() {
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

  func testARefusedTransactionLeavesWhatCanBeRedone() {
    var history = history()
    history.edit.count = 1
    history.edit.caret = 1
    history.undo()
    XCTAssertThrowsError(
      try history.transaction("Refused") { edit in
        edit.caret = 5
        edit.text.append("a")
        throw Refused()
      })
    XCTAssertEqual([history.caret, history.redoCount], [0, 1])
    history.redo()
    XCTAssertEqual([history.caret, history.count], [1, 1])
  }

  // MARK: Open steps

  func testEveryAssignmentInAnOpenStepBelongsToIt() {
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
    XCTAssertEqual(history.currentItem, end, "an assignment behind the open step belonged to it")
    checkStep(history, from: start, to: end)
  }

  func testARestoredValueIsKeptOnceInAnOpenStep() {
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

  func testCancellingAnOpenStepRestoresCarriedValues() {
    var history = history()
    history.edit.count = 1
    history.edit.caret = 1
    history.undo()
    history.edit.selected.append(8)
    let before = history.currentItem
    let step = history.beginStep()
    for number in 1...10 {
      history.edit.text.append("a")
      history.edit.caret = number
      history.edit.selected.append(number)
    }
    XCTAssertTrue(history.cancelStep(step))
    XCTAssertEqual(history.currentItem, before)
    history.redo()
    XCTAssertEqual([history.count, history.caret], [1, 1])
  }

  func testCarriedValuesAloneAreNoOpenStep() {
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

  // MARK: The whole around a carried value

  func testASmallDocumentIsKeptAsAWholeAroundACarriedValue() {
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
        // The caret of before the step is where the assignment behind the step before it left it.
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

  func testAWholeAroundACarriedValueInTransactionsAndOpenSteps() {
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

  func testValuesWithinEachOtherCanBeCarried() {
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

  func testTheNextStepBeginsWithWhereverTheValueWas() {
    var history = history()
    for number in 1...20 {
      switch number % 4 {
      case 0: history.edit.lines[0].append("a")
      case 1: history.transaction { $0.count = number }
      case 2: history.currentItem.lines.append("\(number)")
      default: history.edit.count = -number
      }
      history.edit.caret = number
      history.edit.caret = 100 + number
    }
    XCTAssertEqual(history.undoCount, 20)
    for number in (1...20).reversed() {
      history.undo()
      XCTAssertEqual(history.caret, number == 1 ? 0 : 99 + number)
      history.redo()
      XCTAssertEqual(history.caret, number)
      history.undo()
    }
    XCTAssertEqual(history.currentItem, Editor())
  }

  func testStepsOverManyChunksBringTheValuesBack() {
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

/// A collection that has more than its elements.
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
