import TestSupport
import UndoHistories
import XCTest

/// How the edits of an open step join, so that a part that is edited again and again is recorded once.
final class UndoHistoryOpenStepJoiningTests: XCTestCase {
  private struct Frame: Equatable {
    var x = 0.0
    var y = 0.0
    var width = 1.0
  }

  private struct Style: Equatable {
    var size = 0
    var indent = 0
    var spacing = 0
    var weight = 0
    var margins = (0, 0, 0, 0)

    static func == (a: Style, b: Style) -> Bool { (a.size, a.indent, a.margins.0) == (b.size, b.indent, b.margins.0) }
  }

  private struct Item: Equatable {
    var x = 0
    var y = 0
    var name = ""
  }

  private struct Page: Equatable {
    var frame = Frame()
    var items = [Item(), Item(), Item()]
    var text = ""
    var flags: [Bool] = []
  }

  /// The number of records in the newest step.
  private func recordCount<Value>(_ history: UndoHistory<Value>) -> Int {
    var (copy, count) = (history, 0)
    copy.undo { _ in count += 1 }
    return count
  }

  /// Makes the edits in an open step, and checks that they are one step with that many records, that undo and redo are
  /// exact, and that canceling the step restores the start.
  private func check<Value: Equatable>(
    _ start: Value, records: Int, bytes: Int? = nil, line: UInt = #line, _ edit: (inout UndoHistory<Value>) -> Void
  ) {
    var history = UndoHistory(initialValue: start)
    let step = history.beginStep()
    edit(&history)
    let end = history.currentItem
    XCTAssertEqual(history.undoCount, 1, line: line)
    XCTAssertEqual(recordCount(history), records, line: line)
    if let bytes { XCTAssertEqual(history.byteCount, bytes, line: line) }
    var cancelled = history
    XCTAssertTrue(cancelled.cancelStep(step), line: line)
    XCTAssertEqual(cancelled.currentItem, start, line: line)
    XCTAssertEqual(cancelled.byteCount, 0, line: line)
    XCTAssertTrue(history.endStep(step), line: line)
    for _ in 0..<2 {
      history.undo()
      XCTAssertEqual(history.currentItem, start, line: line)
      history.redo()
      XCTAssertEqual(history.currentItem, end, line: line)
    }
  }

  // MARK: Leaves

  func testWholeValueSetAgainAfterAnElementEditIsRedoneExactly() {
    final class Owner: Sendable {}
    struct Row { var x = 0 }
    struct Page {
      var owner = Owner()
      var rows = [Row]()
    }
    struct Book { var page = Page() }

    var history = UndoHistory(initialValue: Book())
    let step = history.beginStep("Fill")
    history.edit.page.set(Page(rows: Array(repeating: Row(), count: 10)))
    history.edit.page.rows[9].x = 1
    history.edit.page.set(Page(rows: [Row(x: 2)]))
    history.endStep(step)
    history.undo()
    XCTAssertEqual(history.page.rows.count, 0)
    history.redo()
    XCTAssertEqual(history.page.rows.map(\.x), [2])
  }

  func testLeafAssignedManyTimesIsRecordedOnce() {
    check(Frame(), records: 1, bytes: 16) { history in
      for distance in 1...1_000 { history.edit.x = Double(distance) }
    }
    check([0, 0, 0], records: 1, bytes: 24) { history in
      for number in 1...1_000 { history.edit[1] = number }
    }
    check(Frame(), records: 1, bytes: 16) { history in
      for _ in 1...1_001 { history.edit.x += 0.5 }
    }
  }

  func testLeavesAssignedInTurnAreRecordedOnceEach() {
    for count in [2, 3, 15, 16, 17, 18, 40, 300] {
      check(Array(repeating: 0, count: count), records: count, bytes: count * 24) { history in
        for round in 1...8 {
          for index in 0..<count { history.edit[index] = round * 1_000 + index }
        }
      }
      check(Array(repeating: 0, count: count), records: count, bytes: count * 24) { history in
        for index in 0..<count { history.edit[index] = 1 }
        for round in 2...8 {
          for index in (0..<count).reversed() { history.edit[index] = round * 1_000 + index }
        }
      }
    }
  }

  func testManyLeavesAreRecordedOnceEachWhileALimitDropsOlderSteps() {
    var history = UndoHistory(initialValue: Array(repeating: 0, count: 300))
    history.limit = .bytes(6_000)
    for index in 0..<200 { history.edit[index] = -1 }
    let old = history.currentItem
    let step = history.beginStep("Drag")
    for round in 1...3 {
      for index in 100..<250 { history.edit[index] = round * 1_000 + index }
    }
    history.endStep(step)
    XCTAssertLessThan(history.undoCount, 201, "no step was dropped")
    var records = 0
    XCTAssertNotNil(history.undo(onEdit: { _ in records += 1 }))
    XCTAssertEqual(records, 150)
    XCTAssertEqual(history.currentItem, old)
  }

  func testLeavesOfElementsAreRecordedOnceEach() {
    check(Page(), records: 3) { history in
      for number in 1...1_000 {
        history.edit.items[0].x = number
        history.edit.items[2].x = -number
        history.edit.items[2].y = number
      }
    }
    check(Page(), records: 2) { history in
      for number in 1...300 {
        history.transaction { edit in
          edit.items[1].x = number
          edit.frame.x = Double(number)
        }
      }
    }
  }

  func testElementsOfDifferentRowsAreRecordedSeparately() {
    check([[0, 0], [0, 0]], records: 4) { history in
      for number in 1...100 {
        for (row, column) in [(0, 1), (1, 0), (1, 1), (0, 0)] { history.edit[row][column] = number }
      }
    }
  }

  func testLeavesOfDifferentTypesAreRecordedSeparately() {
    struct Note: Equatable { var isDone = false, count = Optional<Int>.none, size: UInt8 = 0 }
    check(Note(), records: 3) { history in
      for number in 1...100 {
        history.edit.isDone.toggle()
        history.edit.count = number % 3 == 0 ? nil : number
        history.edit.size = UInt8(number)
      }
      history.edit.isDone = true
    }
  }

  func testLeafSetBackToItsOldValueCountsWhileTheStepIsOpen() {
    check(Frame(), records: 1) { history in
      history.edit.x = 5
      history.edit.x = 0
      XCTAssertEqual(history.undoCount, 1)
    }
  }

  // MARK: Assigning the document

  func testMembersAssignedThroughCurrentItemAreRecordedOnceEach() {
    check(Frame(), records: 1) { history in
      for distance in 1...1_000 { history.currentItem.x = Double(distance) }
    }
    check(Frame(), records: 2) { history in
      for distance in 1...1_000 {
        history.currentItem.x = Double(distance)
        history.currentItem.y = Double(distance)
      }
    }
  }

  func testStructAssignedManyTimesIsRecordedOnce() {
    // Recording a small struct as a whole takes no more bytes than recording each member.
    check(Frame(), records: 1, bytes: 32) { history in
      for distance in 1...1_000 { history.currentItem = Frame(x: Double(distance), y: Double(-distance)) }
    }
    check(Style(), records: 2, bytes: 32) { history in
      for distance in 1...1_000 { history.currentItem = Style(size: distance, indent: -distance) }
    }
    check(Page(), records: 1) { history in
      for distance in 1...500 {
        history.currentItem.frame = Frame(x: Double(distance), y: Double(-distance), width: Double(distance + 1))
      }
    }
  }

  func testEditsThroughCursorAndCurrentItemJoin() {
    check(Style(), records: 2, bytes: 32) { history in
      for distance in 1...300 {
        history.edit.size = distance
        history.currentItem.size += 1
        history.currentItem = Style(size: distance, indent: distance)
        history.edit.indent -= 1
        history.transaction { edit in
          edit.indent = distance + 3
          edit.size = distance + 7
        }
      }
    }
  }

  // MARK: Barriers

  func testAssignmentsDoNotJoinAcrossAnInsertionOrRemoval() {
    check(Page(), records: 6) { history in
      for number in 1...100 { history.edit.items[1].x = number }
      history.edit.items.insert(Item(x: -1), at: 0)
      for number in 1...100 { history.edit.items[1].x = -number }  // the element that was first
      for number in 1...100 { history.edit.items[2].x = -number }
      history.edit.items.remove(at: 0)
      for number in 1...100 { history.edit.items[1].x = number }
    }
  }

  func testUndoIsExactAfterRandomEditsInOpenSteps() {
    withSeeds(60) { random in
      var history = UndoHistory(initialValue: Page())
      var states: [Page] = []
      for _ in 0..<4 {
        let before = history.currentItem
        let step = history.beginStep()
        for _ in 0..<random.int(in: 1..<40) {
          let (number, count) = (random.int(in: 0..<1_000), history.items.count)
          let index = random.int(in: 0..<max(count, 1))
          switch random.int(in: 0..<9) {
          case 0 where count > 1: history.edit.items.swapAt(index, count - 1)
          case 1 where count > 1: history.edit.items.move(from: index, to: 0)
          case 2 where count > 1: history.edit.items.remove(at: index)
          case 3: history.edit.items.insert(Item(x: number), at: index)
          case 4: history.currentItem.items[index].name = "\(number)"
          case 5: history.transaction { $0.items[index].x = number }
          case 6: history.edit.frame.x = Double(number)
          case 7: history.edit.frame.set(Frame(x: Double(number)))
          default: history.edit.items[index].x = number
          }
        }
        if random.chance(oneIn: 4) {
          history.cancelStep(step)
          expectEqual(history.currentItem, before)
        } else {
          history.endStep(step)
          if history.undoCount > states.count { states.append(before) }
        }
      }
      let end = history.currentItem
      for state in states.reversed() {
        history.undo()
        expectEqual(history.currentItem, state)
      }
      expect(!history.canUndo)
      while history.canRedo { history.redo() }
      expectEqual(history.currentItem, end)
    }
  }

  func testValueThatIsNotALeafIsRecordedOncePerRun() {
    check(Page(), records: 1) { history in
      for number in 1...100 { history.edit.frame.set(Frame(x: Double(number), y: Double(number))) }
    }
    check(Page(), records: 3) { history in
      for number in 1...100 { history.edit.frame.set(Frame(x: Double(number), y: Double(number))) }
      history.edit.items.removeLast()
      for number in 1...100 { history.edit.frame.set(Frame(x: Double(number), y: Double(number))) }
    }
  }

  // MARK: Typing

  func testTypingAndDraggingAreOneStep() {
    let clock = ManualClock()
    check(Page(), records: 3) { history in
      history.coalescing = .typing(within: .seconds(1), clock: clock)
      for letter in ["a", "b", "c"] {
        history.edit.text.append(letter)
        clock.advance(by: .seconds(600))
      }
      for distance in 1...100 {
        history.edit.frame.x = Double(distance)
        clock.advance(by: .seconds(600))
      }
      history.edit.text.append("d")
    }
  }

  func testTypingJoinsInAnOpenStepAfterAnyPause() {
    let clock = ManualClock()
    for rule: UndoCoalescing in [.typing(within: .seconds(1), clock: clock), .typing, .none] {
      var history = UndoHistory(initialValue: "")
      history.coalescing = rule
      let step = history.beginStep("Dictate")
      for _ in 0..<100 {
        history.edit.append("a")
        clock.advance(by: .seconds(10_000))
      }
      XCTAssertEqual([history.undoCount, recordCount(history)], [1, 1])
      XCTAssertTrue(history.endStep(step))
      XCTAssertEqual(history.coalescing, rule)
      history.edit.append("b")
      XCTAssertEqual(history.undoCount, 2)
      clock.advance(by: .seconds(2))
      history.edit.append("c")
      XCTAssertEqual(history.undoCount, rule == .typing ? 2 : 3)
      while history.canUndo { history.undo() }
      XCTAssertEqual(history.currentItem, "")
    }
  }

  func testEndCoalescingEndsTheTypingButNotTheStep() {
    check(Page(), records: 2) { history in
      history.edit.text.append("a")
      history.edit.text.append("b")
      history.endCoalescing()
      history.edit.text.append("c")
      history.edit.text.append("d")
    }
    check(Frame(), records: 1) { history in
      history.edit.x = 1
      history.endCoalescing()
      history.edit.x = 2
    }
  }

  func testChangingTheCoalescingRuleLeavesTheStepOpen() {
    check(Page(), records: 2) { history in
      history.edit.frame.x = 1
      history.coalescing = .none
      history.edit.frame.x = 2
      history.edit.text.append("a")
      history.edit.text.append("b")
    }
  }

  // MARK: Transactions

  func testRollingBackATransactionKeepsTheOpenStep() {
    check(Page(), records: 2) { history in
      for number in 1...50 {
        history.edit.frame.x = Double(number)
        let before = history.currentItem
        try? history.transaction("Refused") { edit in
          edit.frame.x = -1
          edit.items.removeAll()
          edit.text.append("x")
          throw Refused()
        }
        XCTAssertEqual(history.currentItem, before)
        history.transaction("Kept") { edit in
          edit.frame.y = Double(number)
          try? edit.transaction { edit in
            edit.frame.x = -2
            throw Refused()
          }
        }
      }
    }
  }

  func testLeafAssignedTwiceInATransactionIsRecordedOnce() {
    check(Frame(), records: 2) { history in
      history.edit.x = 200
      for distance in 1...100 {
        history.transaction { edit in
          edit.x = Double(distance)
          edit.x = Double(distance) / 2
          edit.y = 3
        }
        history.edit.y = Double(distance)
      }
    }
  }

  // MARK: Limits

  func testLimitNeverDropsTheOpenStep() {
    var history = UndoHistory(initialValue: Page())
    for number in 1...10 { history.transaction("\(number)") { $0.items[0].x = number } }
    history.limit = .steps(3)
    let step = history.beginStep("Resize")
    for number in 1...10 { history.edit.items.append(Item(x: number)) }
    XCTAssertEqual(history.steps.map(\.label), ["9", "10", "Resize"])
    history.limit = .bytes(1)
    XCTAssertEqual(history.steps.map(\.label), ["Resize"])
    for number in 1...10 { history.edit.items.append(Item(x: number, name: "a text of more than fifteen bytes")) }
    XCTAssertEqual(history.undoCount, 1)
    XCTAssertTrue(history.endStep(step))
    XCTAssertEqual(history.steps.map(\.label), ["Resize"])
    history.undo()
    XCTAssertEqual(history.items, [Item(x: 10), Item(), Item()])
  }

  func testOpenStepCanSpanManyChunks() {
    var history = UndoHistory(initialValue: Array(repeating: 0, count: 10_000))
    history.edit[0] = -1
    history.limit = .steps(10_000)
    let step = history.beginStep("Fill")
    for round in 1...2 {
      for index in 0..<10_000 { history.edit[index] = round * index + 1 }
    }
    XCTAssertEqual(recordCount(history), 10_000)
    history.limit = .steps(1)
    for index in 0..<10_000 { history.edit[index] = 3 * index }
    XCTAssertEqual(history.undoCount, 1)
    XCTAssertEqual(recordCount(history), 10_000)
    var cancelled = history
    cancelled.cancelStep(step)
    XCTAssertEqual(cancelled.currentItem.prefix(3), [-1, 0, 0])
    XCTAssertEqual(cancelled.byteCount, 0)
    history.undo()
    XCTAssertEqual(history.currentItem, cancelled.currentItem)
  }
}
