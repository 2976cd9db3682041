import Foundation
import TestSupport
import UndoHistories
import XCTest

/// Assigning an equal value is an edit if its contents differ, and isn't one if only its place in memory differs.
final class UndoHistorySamenessTests: XCTestCase {
  private let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")

  /// Assigns an equal value, and checks that this is a step, and that undo and redo restore the exact contents.
  private func expectStep<Value: Equatable>(
    from old: Value, to new: Value, _ history: UndoHistory<Value>, told: (Value) -> String,
    line: UInt = #line
  ) {
    var history = history
    XCTAssertEqual(old, new, line: line)
    XCTAssertNotEqual(told(old), told(new), "the test proves nothing", line: line)
    history.currentItem = new
    XCTAssertEqual(history.undoCount, 1, line: line)
    XCTAssertEqual(told(history.currentItem), told(new), line: line)
    history.undo()
    XCTAssertEqual(told(history.currentItem), told(old), line: line)
    history.redo()
    XCTAssertEqual(told(history.currentItem), told(new), line: line)
  }

  // MARK: Equal values with other contents

  func testAnotherUnicodeNormalFormOfATextIsAnEdit() {
    let (a, b) = (composed, decomposed)
    expectStep(from: a, to: b, UndoHistory(initialValue: a), told: bytes)
    expectStep(from: Note(text: a), to: Note(text: b), UndoHistory(initialValue: Note(text: a))) { bytes($0.text) }
    expectStep(from: [[a]], to: [[b]], UndoHistory(initialValue: [[a]])) { bytes($0[0][0]) }
    expectStep(from: [a, nil], to: [b, nil], UndoHistory(initialValue: [a, nil])) { bytes($0[0] ?? "") }
    expectStep(from: [1: [a]], to: [1: [b]], UndoHistory(initialValue: [1: [a]])) { bytes($0[1]?[0] ?? "") }
    expectStep(from: [Note(text: a)], to: [Note(text: b)], UndoHistory(initialValue: [Note(text: a)])) {
      bytes($0[0].text)
    }
    expectStep(from: Shape.label(a), to: .label(b), UndoHistory(initialValue: Shape.label(a))) { shape in
      if case .label(let text) = shape { bytes(text) } else { "" }
    }
  }

  func testAnotherUnicodeNormalFormOfASetMemberOrKeyIsAnEdit() {
    let (a, b) = (composed, decomposed)
    expectStep(from: [a, "x", "y"] as Set, to: [b, "x", "y"], UndoHistory(initialValue: [a, "x", "y"] as Set)) {
      $0.map(bytes).sorted().joined()
    }
    expectStep(from: [a: 1, "x": 2], to: [b: 1, "x": 2], UndoHistory(initialValue: [a: 1, "x": 2])) {
      $0.keys.map(bytes).sorted().joined()
    }
  }

  func testChangingTheSignOfZeroIsAnEdit() {
    expectStep(from: 0.0, to: -0.0, UndoHistory(initialValue: 0.0)) { "\($0)" }
    expectStep(from: Point(x: 0), to: Point(x: -0.0), UndoHistory(initialValue: Point(x: 0))) { "\($0.x)" }
    var history = UndoHistory(initialValue: [Point(x: 0)])
    history.edit[0].set(Point(x: -0.0))
    XCTAssertEqual(history.undoCount, 1)
    XCTAssertEqual(history[0].x.sign, .minus)
  }

  func testChangeThatACustomEqualityIgnoresIsAnEdit() {
    let (old, new) = (Item(id: 1, name: "old"), Item(id: 1, name: "new"))
    expectStep(from: old, to: new, UndoHistory(initialValue: old)) { $0.name }
    expectStep(from: [old], to: [new], UndoHistory(initialValue: [old])) { $0[0].name }
    var history = UndoHistory(initialValue: [old, old])
    history.edit[1].set(new)
    XCTAssertEqual(history.undoCount, 1)
    XCTAssertEqual(history[1].name, "new")
  }

  func testAssigningAnEqualObjectIsAnEdit() {
    let (old, new) = (Tag("a"), Tag("a"))
    var history = UndoHistory(initialValue: Tagged(tag: old))
    history.currentItem = Tagged(tag: new)
    XCTAssertEqual(history.undoCount, 1)
    history.undo()
    XCTAssertTrue(history.tag === old)
  }

  // MARK: The same contents in other memory

  func testSameTextInOtherMemoryIsNoEdit() {
    func text() -> String { (0..<40).map { "\($0)" }.joined() }
    var note = UndoHistory(initialValue: Note(text: text()))
    note.currentItem = Note(text: text())
    XCTAssertEqual(note.undoCount, 0)
    var nested = UndoHistory(initialValue: [[text()], []])
    nested.currentItem = [[text()], []]
    XCTAssertEqual(nested.undoCount, 0)
    var shape = UndoHistory(initialValue: [Shape.label(text()), .none, .line(1, 2)])
    shape.currentItem = [.label(text()), .none, .line(1, 2)]
    XCTAssertEqual(shape.undoCount, 0)
    var lines = UndoHistory(initialValue: [text(), "b"])
    lines.edit.replaceSubrange(0..<2, with: [text(), "b"])
    lines.edit[0].set(text())
    XCTAssertEqual(lines.undoCount, 0)
  }

  func testSameSetOrDictionaryInAnotherOrderIsNoEdit() {
    func text(_ number: Int) -> String { "a text that is too long to be kept inline: \(number)" }
    var sets = UndoHistory(initialValue: [Set((0..<20).map(text))])
    sets.currentItem = [Set((0..<20).reversed().map(text))]
    XCTAssertEqual(sets.undoCount, 0)
    func dictionary(_ numbers: some Sequence<Int>) -> [String: [String]] {
      Dictionary(uniqueKeysWithValues: numbers.map { (text($0), [text($0 + 1)]) })
    }
    var keyed = UndoHistory(initialValue: Keyed(texts: dictionary(0..<20)))
    keyed.currentItem = Keyed(texts: dictionary((0..<20).reversed()))
    XCTAssertEqual(keyed.undoCount, 0)
  }

  func testSwappingIdenticalElementsIsNoEdit() {
    var history = UndoHistory(initialValue: [7, 7, 8])
    history.edit.swapAt(0, 1)
    XCTAssertEqual(history.undoCount, 0)
    history.edit.swapAt(1, 2)
    XCTAssertEqual(history.undoCount, 1)
  }

  func testRowsAreComparedByTheirContents() {
    struct Row {
      var title: String, tags: [String], value: Int, ratio = 0.0, isDone = false
    }
    let title = "the name of a " + composed
    func rows() -> [Row] { (0..<200).map { Row(title: title + " \($0)", tags: ["tag \($0)"], value: $0) } }
    var history = UndoHistory(initialValue: rows())
    history.currentItem = rows()
    history.edit.set(rows())
    XCTAssertEqual(history.undoCount, 0)
    let changes: [(inout Row) -> Void] = [
      { $0.title = "the name of a \(self.decomposed) 0" }, { $0.title = "another" }, { $0.tags[0] = "new" },
      { $0.value = -1 }, { $0.ratio = -0.0 }, { $0.isDone = true },
    ]
    for (index, change) in changes.enumerated() {
      var changed = rows()
      change(&changed[index * 30])
      let told = "\(changed[index * 30]), \(bytes(changed[index * 30].title))"
      XCTAssertNotEqual(told, "\(rows()[index * 30]), \(bytes(rows()[index * 30].title))", "the test proves nothing")
      for isEdit in [false, true] {
        if isEdit { history.edit.set(changed) } else { history.currentItem = changed }
        XCTAssertEqual(history.undoCount, 1, "\(index)")
        XCTAssertEqual("\(history[index * 30]), \(bytes(history[index * 30].title))", told)
        history.undo()
        XCTAssertEqual("\(history.currentItem)", "\(rows())")
      }
    }
  }

  // MARK: Keys

  func testUpdatingAValueUnderAnEqualKeyKeepsTheOldKey() {
    var history = UndoHistory(initialValue: [composed: 1])
    history.edit[decomposed] = 2
    XCTAssertEqual(history.currentItem.keys.map(bytes), [bytes(composed)])
    history.edit.updateValue(3, forKey: decomposed)
    history.undo()
    XCTAssertEqual(history.undone().keys.map(bytes), [bytes(composed)])
    XCTAssertEqual(history.currentItem, [composed: 1])
    XCTAssertEqual(history.redone().keys.map(bytes), [bytes(composed)])
  }

  func testEqualFoundationValueInOtherMemoryIsNoEdit() {
    struct Sheet { var indices = IndexSet([1, 2]), styled = AttributedString("caf\u{e9}"), data = Data([1]) }
    var history = UndoHistory(initialValue: Sheet())
    history.currentItem.indices = IndexSet([1, 2])
    history.currentItem.styled = AttributedString("caf\u{e9}")
    history.currentItem = Sheet()
    XCTAssertFalse(history.canUndo)
    history.currentItem.indices = IndexSet([1])
    history.currentItem.styled = AttributedString("cafe\u{301}")
    XCTAssertEqual(history.undoCount, 2, "another normal form was typed")
    history.undo()
    XCTAssertEqual(history.undone().indices, IndexSet([1, 2]))
  }

  /// What `==` and a mirror can't show is stored, too: where a slice lies, and the text around it.
  func testEqualSliceOfAnotherPlaceOrTextIsAnEdit() {
    func text(_ end: String) -> Substring { ("the beginning of a long text" + end).prefix(13) }
    expectStep(from: [text("a")], to: [text("b")], UndoHistory(initialValue: [text("a")])) { $0[0].base }
    func slice(_ start: Int) -> ArraySlice<[String]> { Array(repeating: ["x"], count: 4)[start..<start + 2] }
    expectStep(from: [slice(0)], to: [slice(1)], UndoHistory(initialValue: [slice(0)])) { "\($0[0].startIndex)" }
    var history = UndoHistory(initialValue: [text("a")])
    history.currentItem = [text("a")]
    XCTAssertFalse(history.canUndo)
  }

  func testAnotherNormalFormInAnErasedKeyIsAnEdit() {
    let (old, new) = ([AnyHashable(composed)], [AnyHashable(decomposed)])
    expectStep(from: old, to: new, UndoHistory(initialValue: old)) { bytes($0[0].base as? String ?? "") }
  }

  func testEnumCaseWithoutPayloadIsTheSameByItsName() {
    enum Answer { case none, refused, given(text: String, [Int]) }
    struct Form { var answers: [Answer], text: String }
    func form(_ answers: [Answer]) -> Form {
      Form(answers: answers, text: "long enough not to be inline \(answers.count)")
    }
    var history = UndoHistory(initialValue: form([.none, .refused]))
    history.currentItem = form([.none, .refused])
    XCTAssertFalse(history.canUndo)
    history.currentItem = form([.refused, .refused])
    XCTAssertEqual(history.undoCount, 1)
  }

  func testSetsAndDictionariesWithNaNInOtherStorageAreNoEdit() {
    var sets = UndoHistory(initialValue: [Set([Double.nan, 1])])
    sets.currentItem = [Set([Double.nan, 1])]
    XCTAssertFalse(sets.canUndo)
    var keyed = UndoHistory(initialValue: [[Double.nan: "a"]])
    keyed.currentItem = [[Double.nan: "a"]]
    XCTAssertFalse(keyed.canUndo)
    keyed.currentItem = [[Double.nan: "b"]]
    XCTAssertTrue(keyed.canUndo)
  }

  func testArrayWithNaNInOtherStorageIsNoEdit() {
    struct Reading: Equatable { var values = [Double.nan] }
    struct Page: Equatable { var reading = Reading() }
    var history = UndoHistory(initialValue: Page())
    history.edit.reading.values.set([.nan])
    history.currentItem.reading = Reading()
    history.edit.reading.set(Reading())
    history.currentItem = Page()
    XCTAssertFalse(history.canUndo)
    history.edit.reading.set(Reading(values: [.nan, 1]))
    XCTAssertEqual(history.undoCount, 1)
  }
}

private func bytes(_ text: String) -> String { text.utf8.map { "\($0) " }.joined() }

private struct Note: Equatable {
  var text: String
  var number: Int?
}

private struct Point: Equatable {
  var x: Double
}

private struct Keyed: Equatable {
  var texts: [String: [String]]
}

private enum Shape: Equatable {
  case none
  case label(String)
  case line(Int, Int)
}

private struct Item: Equatable {
  var id: Int
  var name: String

  static func == (a: Item, b: Item) -> Bool { a.id == b.id }
}

private struct Tagged: Equatable {
  var tag: Tag
}

private final class Tag: Equatable, Sendable {
  let name: String

  init(_ name: String) { self.name = name }

  static func == (a: Tag, b: Tag) -> Bool { a.name == b.name }
}
