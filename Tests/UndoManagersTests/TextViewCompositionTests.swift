import TestSupport
import UndoHistories
import UndoManagers
import XCTest

/// The text of an input method is one step, however it is composed and committed.
final class TextViewCompositionTests: XCTestCase {
  typealias Edit = TextViewDouble.Edit

  /// The marked texts of input methods, and the text that they commit; nil if it is the last marked one.
  private let compositions: [(marked: [String], committed: String?)] = [
    (["ㅎ", "하", "한"], nil),
    (["k", "か", "かn", "かん", "かんj", "かんじ", "感じ", "漢字"], nil),
    (["k", "か", "かn", "かん", "かんj", "かんじ"], "漢字"),
    (["n", "ni", "nih", "niha", "nihao"], "你好"),
    (["n", "ni", "ni h", "ni ha", "ni hao", "ni ha"], "ni ha "),
    (["´"], "é"),
    (["´"], "´"),
    (["¨"], "ü"),
    (["😀", "😁"], "😂"),
    (["a", "ap", "app"], "apple"),
  ]

  func testCompositionIsOneStep() {
    for order in TextViewDouble.Order.all {
      for (marked, committed) in compositions {
        let view = TextViewDouble("x\n")
        view.type("é", order: order)
        for text in marked {
          view.compose(text, order: order)
          view.clock.advance(by: .seconds(5))
          guard view.expectSame("\(text) \(order)") else { return }
        }
        view.commit(committed, order: order)
        let composed = "x\né\(committed ?? marked.last!)"
        XCTAssertEqual(view.history.body, composed)
        guard view.expectSame("\(composed) \(order)") else { return }
        view.type("z", order: order)
        XCTAssertEqual(view.undoAll(), [composed, "x\né", "x\n"], "\(order)")
        XCTAssertTrue(view.isEqual)
        view.redo()
        view.redo()
        XCTAssertEqual(view.text, composed)
        XCTAssertTrue(view.isEqual)
      }
    }
  }

  func testEachSyllableIsAStepIfTheNextBeginsInTheEventThatCommits() {
    let view = TextViewDouble()
    for text in ["ㅎ", "하", "한"] { view.compose(text) }
    view.event([Edit(0..<1, "한"), Edit(1..<1, "ㄱ")], marked: 1..<2)
    for text in ["구", "국"] { view.compose(text) }
    view.commit()
    XCTAssertEqual(view.undoAll(), ["한", ""])
  }

  func testKeyAfterACommitThatWasNotReportedIsTyping() {
    let view = TextViewDouble()
    view.compose("한")
    view.marked = nil
    view.type("ab")
    XCTAssertEqual(view.undoAll(), ["한", ""])
  }

  func testClauseThatIsCommittedFirstIsAStepOfItsOwn() {
    let view = TextViewDouble()
    for text in ["き", "きょう", "きょうは"] { view.compose(text) }
    view.event([Edit(0..<4, "今日は")], marked: 2..<3)
    view.compose("歯")
    XCTAssertTrue(view.bridge.isComposing)
    view.commit()
    XCTAssertEqual(view.history.body, "今日歯")
    XCTAssertEqual(view.undoAll(), ["今日は", ""])
  }

  func testCommitBeforeTheNextMarkedTextBelongsToTheComposition() {
    let view = TextViewDouble()
    view.compose("かな")
    view.event([Edit(0..<2, "漢字かな"), Edit(4..<4, "x")], marked: 4..<5)
    view.compose("xy")
    view.commit()
    XCTAssertEqual(view.undoAll(), ["漢字かなx", ""])
  }

  func testReplacedSelectionComesBackWithTheComposition() {
    let view = TextViewDouble("one two three")
    view.event([Edit(4..<7, "n")], marked: 4..<5)
    view.compose("ni")
    view.commit("你")
    XCTAssertEqual(view.history.body, "one 你 three")
    XCTAssertEqual(view.undoAll(), ["one two three"])
  }

  func testTextThatIsMarkedAgainIsOneStep() {
    for order in TextViewDouble.Order.all {
      let view = TextViewDouble("a 漢字 b")
      view.event([], marked: 2..<4, order: order)
      XCTAssertFalse(view.history.canUndo)
      for text in ["幹字", "感じ"] { view.compose(text, order: order) }
      view.commit(order: order)
      XCTAssertEqual(view.history.body, "a 感じ b", "\(order)")
      XCTAssertEqual(view.undoAll(), ["a 漢字 b"], "\(order)")
    }
  }

  func testCompositionOfTextJustComposedIsAStepOfItsOwn() {
    let view = TextViewDouble()
    view.compose("かんじ")
    view.commit("漢字")
    view.event([], marked: 0..<2)
    view.compose("感じ")
    view.commit()
    XCTAssertEqual(view.undoAll(), ["漢字", ""])
  }

  func testCanceledCompositionLeavesNoStep() {
    for order in TextViewDouble.Order.all {
      let view = TextViewDouble("one")
      view.type("!", order: order)
      for text in ["n", "ni", ""] { view.compose(text, order: order) }
      XCTAssertEqual(view.history.body, "one!")
      XCTAssertFalse(view.bridge.isComposing)
      XCTAssertTrue(view.isEqual, "\(order)")
      XCTAssertEqual(view.undoAll(), ["one"], "\(order)")
    }
  }

  func testEditOutsideOfTheMarkedTextEndsTheComposition() {
    let view = TextViewDouble("one two")
    view.compose("한")
    view.event([Edit(0..<3, "1")])
    XCTAssertEqual(view.history.body, "1 two한")
    XCTAssertFalse(view.bridge.isComposing)
    XCTAssertEqual(view.undoAll(), ["one two한", "one two"])
  }

  func testCompositionElsewhereIsAnotherStep() {
    for place in [0, 3, 9] {
      let view = TextViewDouble("one two ")
      view.compose("한")
      view.event([Edit(place..<place, "국")], marked: place..<place + 1)
      view.compose("구")
      view.commit()
      XCTAssertEqual(view.undoAll(), ["one two 한", "one two "], "\(place)")
    }
  }

  func testUndoDuringACompositionRemovesItAsAWhole() {
    let view = TextViewDouble()
    view.type("one ")
    for text in ["n", "ni"] { view.compose(text) }
    view.undo()
    XCTAssertEqual(view.text, "one ")
    XCTAssertTrue(view.isEqual && !view.bridge.isComposing)
    view.redo()
    XCTAssertEqual(view.text, "one ni")
    view.compose("你")
    view.commit()
    XCTAssertEqual(view.undoAll(), ["one ni", "one ", ""])
  }

  func testChangeOfTheDocumentEndsTheComposition() {
    let view = TextViewDouble()
    view.compose("ni")
    XCTAssertEqual(view.bridge.undo(&view.history, text: \.body)?.replacements.map(\.range), [0..<2])
    XCTAssertFalse(view.bridge.isComposing)
    view.units = []
    view.compose("ni")
    view.history.edit.body.insert("x", atUTF8: 0)
    _ = view.bridge.update(from: view.units, to: view.history.body)
    XCTAssertFalse(view.bridge.isComposing)
  }

  func testMarkedTextThatIsKnownLateDividesNothing() {
    let view = TextViewDouble()
    view.type("a")
    view.units += Array("n".utf16)
    view.bridge.didEdit(1..<2, changeInLength: 1)
    view.record()
    view.marked = 1..<2
    view.record()
    XCTAssertTrue(view.bridge.isComposing)
    view.compose("ni")
    view.commit("你")
    XCTAssertEqual(view.history.body, "a你")
    XCTAssertTrue(view.isEqual)
    XCTAssertEqual(view.undoAll().last, "")
  }

  func testMarkedRangeBeyondTheTextIsClamped() {
    let view = TextViewDouble("a")
    for range in [-3..<9, 5..<9, 1..<1] {
      view.event([Edit(0..<1, "b")], marked: range)
      view.event([Edit(0..<1, "a")])
      XCTAssertEqual(view.history.body, "a")
    }
  }

  func testDocumentThatWasChangedDuringACompositionTakesTheText() {
    for text in ["", "x", "😀😀", "a longer text"] {
      let view = TextViewDouble("one ")
      view.compose("한국")
      view.history.edit.body.set(text)  // the view was not told
      view.compose("한국어")
      XCTAssertEqual(view.history.body, "one 한국어", text)
      view.commit()
      XCTAssertEqual(Array(view.undoAll().suffix(3)), [text, "one 한국", "one "], text)
    }
  }

  // MARK: Refusals

  func testRefusedCompositionIsRefusedAtItsEndAndLeavesNoStep() {
    for isReplaced in [true, false] {
      for order in TextViewDouble.Order.all {
        let view = TextViewDouble("1234")
        view.type("5", order: order)
        view.allows = { document, range, text in document == "12345" && range == 5..<5 && text == "n" }
        for text in ["n", "ni", "nih"] { view.compose(text, order: order) }
        XCTAssertEqual(view.text, "12345nih")
        view.commit(isReplaced ? "你好" : nil, order: order)
        XCTAssertEqual(view.text, "12345", "\(order)")
        XCTAssertTrue(view.isEqual, "\(order)")
        XCTAssertEqual(view.undoAll(), ["1234"], "\(order)")
      }
    }
  }

  func testShortCompositionIsAccepted() {
    let view = TextViewDouble("123")
    view.allows = { document, range, text in document.utf16.count - range.count + text.utf16.count <= 6 }
    for text in ["n", "ni", "nih", "niha", "nihao"] { view.compose(text) }
    view.commit("你好")
    XCTAssertEqual(view.text, "123你好")
    XCTAssertTrue(view.isEqual)
  }

  func testUpdateThatReplacesNothingLeavesTheCompositionAlone() {
    var history = UndoHistory(initialValue: "ab")
    var bridge = TextViewBridge()
    for (text, marked) in [("abㅎ", 2..<3), ("ab하", 2..<3), ("ab한", nil)] {
      bridge.record(Array(text.utf16), marked: marked, in: &history.edit) { _, _, _ in false }
      if marked != nil {
        XCTAssertEqual(bridge.update(from: Array(text.utf16), to: history.currentItem).replacements, [])
        XCTAssertTrue(bridge.isComposing)
      }
    }
    XCTAssertEqual(history.currentItem, "ab", "the composition was refused as a whole")
    XCTAssertFalse(history.canUndo)
  }

  func testRefusedCompositionTakesTheEditsOfItsLastEventWithIt() {
    let view = TextViewDouble("one")
    view.compose("한국")
    view.allows = { $2 != "한국" }
    view.event([Edit(0..<1, "1")])
    XCTAssertEqual(view.text, "one")
    XCTAssertTrue(view.isEqual && !view.history.canUndo)
  }

  /// The marked range tells where the composed text is, although its letters are also beside it.
  func testCompositionBesideEqualLettersIsOneStepInEveryOrderOfCalls() {
    for order in TextViewDouble.Order.all {
      for (end, count) in [("好", 1), ("", 0)] {
        let view = TextViewDouble("hab")
        view.caret = 0
        for text in ["h", "ha", "hao"] { view.compose(text, order: order) }
        view.commit(end, order: order)
        XCTAssertEqual(view.history.undoCount, count, "\(end) \(order)")
        XCTAssertEqual(view.undoAll(), count == 0 ? [] : ["hab"], "\(end) \(order)")
      }
    }
  }

  func testCanceledCompositionBesideOneLetterLeavesNoStep() {
    for (text, caret) in [("b", 1), ("b", 0), ("a\n\nb", 2)] {
      for order in TextViewDouble.Order.all {
        let view = TextViewDouble(text)
        view.caret = caret
        view.compose("n", order: order)
        view.compose("ni", order: order)
        view.compose("", order: order)
        view.commit("", order: order)
        XCTAssertFalse(view.history.canUndo, "\(text) \(order)")
      }
    }
  }
}
