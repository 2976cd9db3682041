import TestSupport
import UndoHistories
import UndoManagers
import XCTest

/// An edit of a text view becomes the same edit of the document, in whatever order the view calls its delegate.
final class TextViewBridgeTests: XCTestCase {
  typealias Edit = TextViewDouble.Edit

  // MARK: Orders of calls

  func testAnyOrderOfCallsGivesTheSameDocument() {
    let events: [(edits: [Edit], text: String)] = [
      ([Edit(9..<9, "!")], "one two a!😀 three"),
      ([Edit(4..<7, "")], "one  a😀 three"),
      ([Edit(4..<7, "to")], "one to a😀 three"),
      ([Edit(4..<7, "six")], "one six a😀 three"),
      ([Edit(0..<3, "1"), Edit(2..<5, "2"), Edit(8..<13, "3")], "1 2 a😀 3"),
      ([Edit(12..<17, "3"), Edit(4..<7, "2"), Edit(0..<3, "1")], "1 2 a😀 3"),
      ([Edit(0..<0, "x"), Edit(18..<18, "y")], "xone two a😀 threey"),
      ([Edit(0..<4, ""), Edit(13..<13, "one ")], "two a😀 threeone "),
      ([Edit(8..<8, "b"), Edit(8..<9, "")], "one two a😀 three"),
      ([Edit(0..<1, "O"), Edit(16..<17, "E")], "One two a😀 threE"),
      ([Edit(0..<17, "")], ""),
    ]
    for (edits, text) in events {
      for order in TextViewDouble.Order.all {
        let view = TextViewDouble("one two a😀 three")
        view.event(edits, order: order)
        XCTAssertEqual(view.text, text)
        guard view.expectSame("\(edits), \(order)") else { return }
        view.type("z", order: order)
        guard view.expectSame("\(edits), then z, \(order)") else { return }
        _ = view.undoAll()
        XCTAssertEqual(view.text, "one two a😀 three")
        guard view.expectSame("\(edits), undone, \(order)") else { return }
      }
    }
  }

  func testReportsInAnotherOrderThanTheEditsHideNoEdit() {
    let view = TextViewDouble("one two three")
    view.units = Array("1 two 3".utf16)
    view.bridge.didEdit(6..<7, changeInLength: -4)  // the second edit
    view.bridge.didEdit(0..<1, changeInLength: -2)
    view.record()
    XCTAssertEqual(view.history.body, "1 two 3")
    XCTAssertEqual(view.undoAll(), ["one two three"])
  }

  func testQuestionWithoutAChangeRecordsNothing() {
    let view = TextViewDouble("one")
    XCTAssertTrue(view.mayChange(Edit(0..<3, "two")))
    view.endEvent()
    XCTAssertEqual(view.history.body, "one")
    XCTAssertFalse(view.history.canUndo)
    view.type("!")
    XCTAssertEqual(view.history.body, "one!")
  }

  func testChangeOfAttributesRecordsNothing() {
    let view = TextViewDouble("one")
    view.type("!")
    view.event([], order: TextViewDouble.Order(attributes: (before: true, after: true)))
    XCTAssertEqual(view.history.undoCount, 1)
    view.type("!")
    XCTAssertEqual(view.history.undoCount, 1)
  }

  func testSeveralRangesInOneReportAreOneStep() {
    let view = TextViewDouble("a a a")
    view.event([Edit(0..<1, "bb"), Edit(3..<4, "bb"), Edit(6..<7, "bb")])
    XCTAssertEqual(view.history.body, "bb bb bb")
    XCTAssertEqual(view.undoAll(), ["a a a"])
  }

  func testReportsThatCannotBeTrueAreIgnored() {
    let reports: [(Range<Int>, Int)] = [
      (5..<9, 1), (0..<1, .min), (0..<1, .max), (-3..<1, 1), (0..<0, 5), (2..<2, 1), (.min ..< .max, 1),
      (0 ..< .max, 1), (0 ..< .max, -1), (1..<1, .min + 2),
    ]
    for (range, growth) in reports {
      for (isAfter, hasUpdate) in [(true, false), (false, false), (true, true), (false, true)] {
        let view = TextViewDouble("abc")
        if hasUpdate {
          view.type("x")
          view.undo()
        }
        view.units.append(0x64)
        if isAfter { view.bridge.didEdit(3..<4, changeInLength: 1) }
        view.bridge.didEdit(range, changeInLength: growth)
        if !isAfter { view.bridge.didEdit(3..<4, changeInLength: 1) }
        view.record()
        XCTAssertEqual(view.history.body, "abcd", "\(range) \(growth)")
        view.caret = 4
        view.type("e")
        XCTAssertEqual(view.history.body, "abcde", "\(range) \(growth)")
      }
    }
  }

  func testReportThatMakesNoSenseHidesNoEdit() {
    for isFirst in [true, false] {
      let view = TextViewDouble("abc")
      view.units = Array("xby".utf16)
      if isFirst { view.bridge.didEdit(2..<3, changeInLength: .min) }
      view.bridge.didEdit(0..<1, changeInLength: 0)
      if !isFirst { view.bridge.didEdit(2..<3, changeInLength: 5) }
      view.record()
      XCTAssertEqual(view.history.body, "xby")
    }
  }

  func testPlacesInLongTextsAreFound() {
    var random = SeededRandom.announced("testPlacesInLongTextsAreFound")
    for piece in ["a", "é", "漢", "😀", "aé漢😀", String(repeating: "a", count: 5000) + "é"] {
      let view = TextViewDouble(String(repeating: piece, count: 10_000 / piece.utf16.count + 1))
      let text = view.text
      for _ in 0..<60 {
        let start = random.int(in: 0..<view.units.count)
        let range = start..<min(start + random.int(in: 0..<9), view.units.count)
        view.event([Edit(range, random.text())], order: TextViewDouble.Order(processing: .each))
        guard view.expectSame(piece) else { return }
      }
      XCTAssertEqual(view.undoAll().last, text)
      XCTAssertTrue(view.isEqual)
    }
  }

  func testEditAtTheReportedPlaceIsRecordedThere() {
    let view = TextViewDouble("aa")
    view.caret = 1
    view.type("a")
    XCTAssertEqual(view.bridge.undo(&view.history, text: \.body)?.replacements.map(\.range), [1..<2])
  }

  func testViewThatReportsNoRangesIsCompared() {
    let view = TextViewDouble("one")
    view.units = Array("one more".utf16)
    view.record()
    XCTAssertEqual(view.history.body, "one more")
    XCTAssertEqual(view.undoAll(), ["one"])
  }

  func testViewWithOtherTextThanTheDocumentIsRecordedAsItIs() {
    let view = TextViewDouble("one")
    view.history.edit.body.append(" two")  // the view was not told
    view.type("!")
    XCTAssertEqual(view.history.body, "one!")
    XCTAssertEqual(view.undoAll(), ["one two", "one"])
  }

  func testReportFromBeforeAnUndoIsNotTrusted() {
    let view = TextViewDouble("one two three")
    view.history.edit.body.removeSubrange(utf8: 0..<4)
    view.show(view.bridge.update(from: view.units, to: view.history.body))
    view.units.insert(0x21, at: 9)
    view.bridge.didEdit(9..<10, changeInLength: 1)  // and not recorded
    guard let update = view.bridge.undo(&view.history, text: \.body) else { return XCTFail("nothing to undo") }
    view.show(update)
    view.record()
    XCTAssertEqual(view.history.body, "one two three!")
    XCTAssertTrue(view.isEqual)
  }

  // MARK: Steps

  func testTypingJoinsAndAPasteIsAStep() {
    let view = TextViewDouble()
    view.type("one ")
    view.event([Edit(4..<4, "pasted text")])
    view.type(" two")
    XCTAssertEqual(view.undoAll(), ["one pasted text", "one ", ""])
  }

  func testTypingInReportsOfAParagraphJoins() {
    let view = TextViewDouble("one\ntwo")
    view.type("abc", order: TextViewDouble.Order(processing: .paragraph))
    XCTAssertEqual(view.undoAll(), ["one\ntwo"])
  }

  func testPauseOfASecondEndsARun() {
    let view = TextViewDouble()
    view.type("a")
    view.clock.advance(by: .milliseconds(1000))
    view.type("b")
    view.clock.advance(by: .milliseconds(1001))
    view.type("c")
    XCTAssertEqual(view.undoAll(), ["ab", ""])
  }

  func testHistoryWithARuleOfItsOwnKeepsIt() {
    let view = TextViewDouble()
    view.history.coalescing = .none
    view.type("ab")
    XCTAssertEqual(view.undoAll(), ["a", ""])
    XCTAssertEqual(view.history.coalescing, .none)
  }

  func testIntentOfTheViewIsRecorded() {
    var history = UndoHistory(initialValue: "")
    var bridge = TextViewBridge()
    bridge.record("f".utf16, in: &history.edit)
    bridge.record("f()".utf16, as: .typing, in: &history.edit)
    XCTAssertEqual(history.undoCount, 1)
    bridge.record("f()x".utf16, as: .separate, in: &history.edit)
    XCTAssertEqual(history.undoCount, 2)
  }

  /// Between equal letters, the text alone doesn't tell which one was typed.
  func testTypingBesideEqualLettersJoinsInEveryOrderOfCalls() {
    for order in TextViewDouble.Order.all {
      let view = TextViewDouble("xa")
      view.caret = 1
      view.type("bac", order: order)
      XCTAssertEqual(view.undoAll(), ["xa"], "\(order)")
    }
  }

  func testTypingAfterAnUndoBesideEqualLettersIsRecordedAtTheCaret() {
    let view = TextViewDouble("xaa")
    view.caret = 1
    view.type("b")
    view.undo()
    view.units.insert(0x61, at: 1)
    view.record()
    XCTAssertEqual(view.bridge.undo(&view.history, text: \.body)?.replacements.map(\.range), [1..<2])
  }

  func testLetterOverASelectionThatHasItIsTyped() {
    for letter in ["a", "b", "c", "q"] {
      let view = TextViewDouble("x abc y")
      view.event([Edit(2..<5, letter)])
      view.type("d")
      XCTAssertEqual(view.undoAll(), ["x abc y"], letter)
    }
    let typed = TextViewDouble("x")
    typed.type("abc")
    typed.event([Edit(1..<4, "a")])
    typed.type("d")
    XCTAssertEqual(typed.undoAll(), ["xabc", "x"])
    let view = TextViewDouble("x😀bc y")
    view.event([Edit(1..<5, "😀")])
    view.type("d")
    XCTAssertEqual(view.undoAll(), ["x😀bc y"])
  }

  func testTypingAtTwoCaretsJoinsIfItIsReportedAsTyping() {
    var history = UndoHistory(initialValue: "x y")
    var bridge = TextViewBridge()
    for text in ["ax ya", "abx yab", "abcx yabc"] { bridge.record(text.utf16, as: .typing, in: &history.edit) }
    XCTAssertEqual(history.undoCount, 1)
    XCTAssertEqual(bridge.undo(&history, text: \.self)?.replacements.map(\.text), ["x y"])
  }

  func testTextOfAnElementIsRecordedAndFollowed() {
    var history = UndoHistory(initialValue: [TextViewDouble.Document(body: "é one"), .init()])
    var bridge = TextViewBridge()
    bridge.didEdit(5..<6, changeInLength: 1)
    bridge.record("é one!".utf16, in: &history.edit[0].body)
    XCTAssertEqual(history.currentItem[0].body, "é one!")
    XCTAssertEqual(bridge.undo(&history, text: \.[0].body)?.replacements.map(\.range), [5..<6])
    XCTAssertEqual(bridge.redo(&history, text: \.[1].body)?.replacements, [])
  }

  // MARK: Refusals

  func testRefusedEditIsReplacedInTheView() {
    for order in TextViewDouble.Order.all {
      let view = TextViewDouble("1234")
      view.type("5", order: order)
      view.undo()
      view.allows = { $2 != "6" }
      view.event([Edit(1..<3, "6")], order: order)
      XCTAssertEqual(view.text, "1234", "\(order)")
      XCTAssertEqual(view.caret, 3, "\(order)")
      XCTAssertTrue(view.isEqual && view.history.canRedo && !view.history.canUndo, "\(order)")
    }
  }

  func testHostIsAskedWithTheRangeInTheDocument() {
    let view = TextViewDouble("one two")
    var asked: [(document: String, range: Range<Int>, text: String)] = []
    view.allows = {
      asked.append(($0, $1, $2))
      return true
    }
    view.event([Edit(4..<7, "3")], order: TextViewDouble.Order(processing: .paragraph, questions: 0))
    XCTAssertEqual(asked.map(\.document), ["one two"])
    XCTAssertEqual(asked.map(\.range), [4..<7])
    XCTAssertEqual(asked.map(\.text), ["3"])
  }

  // MARK: Undo and redo

  func testUndoReplacesEachRangeOfTheView() {
    let view = TextViewDouble("one two three")
    view.history.transaction { edit in
      edit.body.replaceSubrange(utf8: 8..<13, with: "3")
      edit.title.append("numbers")
      edit.body.replaceSubrange(utf8: 4..<7, with: "2")
    }
    view.show(view.bridge.update(from: view.units, to: view.history.body))
    XCTAssertEqual(view.text, "one 2 3")
    view.undo()
    XCTAssertEqual(view.repairs.suffix(2).map(\.range), [4..<5, 8..<9])
    XCTAssertEqual(view.text, "one two three")
    XCTAssertEqual(view.caret, 13)
    view.redo()
    XCTAssertEqual(view.repairs.suffix(2).map(\.range), [8..<13, 4..<7])
    XCTAssertEqual(view.text, "one 2 3")
    XCTAssertEqual(view.caret, 5)
    XCTAssertFalse(view.redo())
  }

  func testUndoOfAnotherPartReplacesNothing() {
    let view = TextViewDouble("one")
    view.history.edit.title.append("Friday")
    let update = view.bridge.undo(&view.history, text: \.body)
    XCTAssertEqual(update?.replacements, [])
    XCTAssertNil(update?.selection)
    XCTAssertNil(view.bridge.undo(&view.history, text: \.body))
  }

  func testViewFollowsOtherChangesOfTheDocument() {
    let view = TextViewDouble("a😀b")
    view.history.edit.body.set("a😁b")
    view.show(view.bridge.update(from: view.units, to: view.history.body))
    XCTAssertEqual(view.repairs.map(\.range), [1..<3])
    XCTAssertTrue(view.isEqual)
    XCTAssertEqual(view.bridge.update(from: view.units, to: view.history.body).replacements, [])
  }

  // MARK: Reports of the view's own replacements

  /// The view may also report what it replaced because the bridge told it to.
  func testReportsOfTheViewsOwnRepairsRecordNothing() {
    let view = TextViewDouble("one")
    view.type(" two")
    guard let update = view.bridge.undo(&view.history, text: \.body) else { return XCTFail("nothing to undo") }
    view.show(update)
    view.bridge.didEdit(3..<3, changeInLength: -4)
    view.record()
    XCTAssertEqual(view.text, "one")
    XCTAssertTrue(view.isEqual && view.history.canRedo)
  }

  /// If the report counted for the next edit, the letter would be recorded after its equal neighbour.
  func testEditAfterReportedReplacementsIsRecordedWhereItWasMade() {
    for reports in TextViewDouble.RepairReports.allCases {
      for cause in ["undo", "command", "refusal"] {
        let view = TextViewDouble("hello")
        view.repairReports = reports
        switch cause {
        case "undo":
          view.history.transaction { edit in
            edit.body.append(" Ada")
            edit.body.insert("Oh, ", atUTF8: 0)
          }
          view.show(view.bridge.update(from: view.units, to: view.history.body))
          view.undo()
          XCTAssertEqual(view.repairs.count, 3)
        case "command":
          view.history.edit.body.append(" Ada")
          view.show(view.bridge.update(from: view.units, to: view.history.body))
        default:
          view.allows = { _, _, _ in false }
          view.event([Edit(5..<5, " Ada")])
          view.allows = { _, _, _ in true }
        }
        view.caret = 3
        view.type("l")
        XCTAssertEqual(
          view.bridge.undo(&view.history, text: \.body)?.replacements.map(\.range), [3..<4], "\(reports) \(cause)")
      }
    }
  }

  func testEditThatLooksLikeAReplacementOfTheBridgeIsRecorded() {
    let view = TextViewDouble("one")
    view.event([Edit(0..<0, "x")])
    view.undo()  // and not reported
    view.event([Edit(0..<1, "")])
    XCTAssertEqual(view.history.body, "ne")
    XCTAssertTrue(view.isEqual)
    XCTAssertEqual(view.undoAll(), ["one"])
  }

  /// A report that is ignored must not make the next one the only one, which would be trusted.
  func testEditBesideOneThatLooksLikeAReplacementOfTheBridgeIsRecorded() {
    let view = TextViewDouble("cat hat")
    view.event([Edit(0..<1, "b")])
    view.undo()  // and not reported
    view.event([Edit(0..<1, "b"), Edit(4..<5, "m")], order: TextViewDouble.Order(processing: .each))
    XCTAssertEqual(view.history.body, "bat mat")
    XCTAssertTrue(view.isEqual)
  }

  func testLateReportIsNotTakenForOneOfTheNextEdit() {
    let view = TextViewDouble("xyz")
    view.units = Array("axyz".utf16)
    view.record()
    for end in 4..<9 {
      view.bridge.didEdit(end == 4 ? 0..<1 : end - 1..<end, changeInLength: 1)  // of the recorded edit
      view.units.append(end < 6 ? 0x61 : 0x62)
      view.record()
      XCTAssertEqual(view.history.body, view.text)
    }
  }

  /// A text that counts how many of its units are read.
  private struct CountedUnits: RandomAccessCollection {
    final class Count { var value = 0 }

    let units: [UInt16]
    let count = Count()
    var startIndex: Int { 0 }
    var endIndex: Int { units.count }

    subscript(index: Int) -> UInt16 {
      count.value += 1
      return units[index]
    }
  }

  func testOnlyTheReportedRangeIsReadUnlessReportsCanBeWrong() {
    let view = TextViewDouble(String(repeating: "a", count: 10_000))
    func unitsRead(_ reports: Int) -> Int {
      view.units[5000] += 1
      for _ in 0..<reports { view.bridge.didEdit(5000..<5001, changeInLength: 0) }
      let units = CountedUnits(units: view.units)
      view.bridge.record(units, in: &view.history.edit.body)
      XCTAssertTrue(view.isEqual)
      return units.count.value
    }
    XCTAssertLessThan(unitsRead(1), 10)
    XCTAssertGreaterThan(unitsRead(2), 9_990)
    XCTAssertLessThan(unitsRead(1), 10)
    XCTAssertGreaterThan(unitsRead(0), 9_990)
    XCTAssertGreaterThan(unitsRead(1), 9_990, "the report can be that of the change before")
    for isReported in [true, false] {
      XCTAssertGreaterThan(unitsRead(0), 9_990)
      if isReported { view.bridge.didEdit(5000..<5001, changeInLength: 0) }
      view.record()
      XCTAssertLessThan(unitsRead(1), 10, "nothing was recorded before its report")
    }
  }

  func testRemovalBesideOneReportedUnitIsNotTyping() {
    // The attributes of the letter before have changed, and a line becomes empty.
    for (text, removed, reports) in [("xb", 1, [(1..<1, -1), (0..<1, 0)]), ("a\nb", 0, [(0..<1, -1)])] {
      let view = TextViewDouble(text)
      let letter = String(decoding: [view.units.remove(at: removed)], as: UTF16.self)
      for (range, growth) in reports { view.bridge.didEdit(range, changeInLength: growth) }
      view.record()
      XCTAssertEqual(view.bridge.undo(&view.history, text: \.body)?.replacements.map(\.text), [letter])
    }
  }

  func testRemovalThatLeavesOneUnitOfAWiderReportJoinsRemovals() {
    let reports: [(text: String, start: Int, reports: [[(range: Range<Int>, growth: Int)]])] = [
      ("ab\nc", 2, [[(0..<2, -1)], [(0..<1, -1)]]),  // the line becomes empty
      ("abc", 3, [[(0..<2, -1)], [(0..<1, -1)]]),
      ("xbc", 3, [[(2..<2, -1)], [(1..<1, -1), (0..<1, 0)]]),  // the attributes of the letter before have changed
    ]
    for (text, start, events) in reports {
      let view = TextViewDouble(text)
      for (index, event) in events.enumerated() {
        view.units.remove(at: start - 1 - index)
        for report in event { view.bridge.didEdit(report.range, changeInLength: report.growth) }
        view.record()
      }
      XCTAssertEqual(view.undoAll(), [text])
    }
  }

  func testTypingWhereTheUserHasMovedTheCaretJoins() {
    let view = TextViewDouble("Xhel")
    view.history.applyRemote { $0.body.removeSubrange(utf8: 0..<1) }
    view.show(view.bridge.update(from: view.units, to: view.history.body))
    view.caret = 3
    view.type("lo", order: TextViewDouble.Order(processing: .paragraph))
    XCTAssertEqual(view.undoAll(), ["hel"])
  }

  // MARK: Surrogate pairs

  /// 😀 and 😁 begin with the same unit.
  func testNeighbourThatBeginsWithTheSameUnitIsNotReplaced() {
    let edits = [
      ("😀😁", "😁", 0..<0), ("😀😁", "😀", 2..<2), ("😁", "😀😁", 0..<2), ("a😁b", "a😀😁b", 1..<3),
    ]
    for (old, new, range) in edits {
      let view = TextViewDouble(old)
      view.units = Array(new.utf16)
      view.record()
      let ranges = view.bridge.undo(&view.history, text: \.body)?.replacements.map(\.range)
      XCTAssertEqual(ranges, [range], "\(old) \(new)")
    }
  }
}
