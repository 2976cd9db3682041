import UndoHistories
import XCTest

/// A step whose edits cancel each other out isn't recorded, and the redo steps stay.
final class UndoHistoryNoChangeTests: XCTestCase {
  private struct Sheet {
    var text = ""
    var size = 5.0
    var count = 1
    var isOpen = false
    var rows = ["a", "b"]
    var names = ["a": "b"]
    var marks: Set<Int> = [1]
    var note: String?
  }

  /// Makes the edits in an open step and in a transaction, and checks that neither records a step or drops a redo step.
  private func check(
    line: UInt = #line, _ edits: [(inout UndoHistory<Sheet>.Editor) -> Void]
  ) {
    for label in [nil, "Label"] {
      var history = UndoHistory(initialValue: Sheet())
      history.edit.text.append("first")
      history.markSaved()
      history.edit.text.append("\nsecond")
      history.undo()
      let step = history.beginStep(label)
      for edit in edits { edit(&history.edit) }
      XCTAssertTrue(history.endStep(step), line: line)
      XCTAssertEqual([history.undoCount, history.redoCount], [1, 1], "open step", line: line)
      history.transaction(label) { editor in
        for edit in edits { edit(&editor) }
      }
      XCTAssertEqual([history.undoCount, history.redoCount], [1, 1], "transaction", line: line)
      XCTAssertFalse(history.needsSave, line: line)
      XCTAssertEqual(history.redone().text, "first\nsecond", line: line)
      history.transaction(label) { editor in
        for edit in edits { edit(&editor) }
      }
      XCTAssertEqual([history.undoCount, history.redoCount], [2, 0], "transaction without redo", line: line)
      while history.undo() != nil {}
      XCTAssertEqual("\(history.currentItem)", "\(Sheet())", line: line)
    }
  }

  func testEditsThatCancelOutRecordNoStep() {
    check([{ $0.size = 6 }, { $0.size = 7 }, { $0.size = 5 }])
    check([{ $0.isOpen = true }, { $0.isOpen = false }])
    check([{ $0.size = 6 }, { $0.count = 2 }, { $0.size = 5 }, { $0.count = 1 }])
    check([{ $0.text.insert("!", atUTF8: 5) }, { $0.text.removeSubrange(utf8: 5..<6) }])
    check([
      { $0.text.insert("a", atUTF8: 5) }, { $0.text.insert("b", atUTF8: 6) }, { $0.text.removeSubrange(utf8: 6..<7) },
      { $0.text.removeSubrange(utf8: 5..<6) },
    ])
    check([{ $0.text.removeSubrange(utf8: 4..<5) }, { $0.text.insert("t", atUTF8: 4) }])
    check([{ $0.rows.append("c") }, { $0.rows.removeLast() }])
    check([{ $0.rows.append(contentsOf: ["c", "d"]) }, { $0.rows.removeSubrange(2..<4) }])
    check([{ $0.rows.append(contentsOf: ["c", "d"]) }, { $0.rows.removeLast() }, { $0.rows.removeLast() }])
    check([{ $0.rows.swapAt(0, 1) }, { $0.rows.swapAt(1, 0) }])
    check([{ $0.rows.swapAt(0, 1) }, { $0.rows.move(from: 0, to: 1) }])
    check([{ $0.rows.move(from: 0, to: 1) }, { $0.rows.move(from: 1, to: 0) }])
    check([
      { $0.rows[1].append("c") }, { $0.rows.append("c") }, { $0.rows.removeLast() },
      { $0.rows[1].removeSubrange(utf8: 1..<2) },
    ])
    check([{ $0.names["x"] = "y" }, { $0.names["x"] = nil }])
    check([{ $0.names["a"] = "y" }, { $0.names["a"] = "b" }])
    check([{ $0.marks.insert(2) }, { $0.marks.remove(2) }])
    check([{ $0.note = "a" }, { $0.note = nil }])
  }

  func testEditsThatDoNotCancelOutRecordAStep() {
    func expectStep(line: UInt = #line, _ edits: (inout UndoHistory<Sheet>.Editor) -> Void) {
      var history = UndoHistory(initialValue: Sheet())
      history.transaction("Label", edits)
      XCTAssertEqual(history.undoCount, 1, line: line)
      history.undo()
      let step = history.beginStep()
      edits(&history.edit)
      history.endStep(step)
      XCTAssertEqual(history.undoCount, 1, line: line)
      history.undo()
      XCTAssertEqual("\(history.currentItem)", "\(Sheet())", line: line)
    }
    expectStep { ($0.size, $0.size) = (6, 7) }
    expectStep {
      $0.size = 6
      $0.count = 2
      $0.size = 5
    }
    expectStep {
      $0.rows[1] = "c"
      $0.rows.removeLast()
    }
    expectStep {
      $0.rows.append("c")
      $0.rows.remove(at: 0)
    }
    expectStep {
      $0.text.append("ab")
      $0.text.removeSubrange(utf8: 0..<1)
    }
  }

  func testOuterTransactionIsOneStepWhenAnInnerOneCancelsOut() {
    var history = UndoHistory(initialValue: Sheet())
    history.transaction { editor in
      editor.count = 2
      editor.transaction { inner in
        inner.size = 6
        inner.size = 5
      }
    }
    XCTAssertEqual(history.undoCount, 1)
    history.undo()
    XCTAssertEqual(history.count, 1)
  }

  func testEndingAStepUnderALimitOfZeroKeepsItsEdit() {
    var history = UndoHistory(initialValue: Sheet())
    history.limit = .steps(0)
    let step = history.beginStep()
    history.edit.size = 6
    history.endStep(step)
    XCTAssertEqual([history.size, Double(history.undoCount)], [6, 0])
  }

  /// Comparing two dictionaries would hash each key.
  func testTransactionOnOneKeyDoesNotHashTheWholeDictionary() {
    final class Count { var hashes = 0 }
    struct Key: Hashable {
      let number: Int
      let count: Count

      static func == (a: Key, b: Key) -> Bool { a.number == b.number }
      func hash(into hasher: inout Hasher) {
        count.hashes += 1
        hasher.combine(number)
      }
    }
    let count = Count()
    func key(_ number: Int) -> Key { Key(number: number, count: count) }
    var history = UndoHistory(initialValue: Dictionary(uniqueKeysWithValues: (0..<1000).map { (key($0), $0) }))
    func expect(_ undoCount: Int, line: UInt = #line, _ edits: (inout UndoHistory<[Key: Int]>.Editor) -> Void) {
      count.hashes = 0
      history.transaction(nil, edits)
      XCTAssertLessThan(count.hashes, 100, line: line)
      XCTAssertEqual(history.undoCount, undoCount, line: line)
    }
    expect(1) { ($0[key(5)], $0[key(5)]) = (-1, -2) }
    expect(2) { ($0[key(5)], $0[key(7)], $0[key(5)]) = (-3, -3, -4) }
    expect(3) { ($0[key(5)], $0[key(5)]) = (nil, -5) }
    expect(4) { ($0[key(-1)], $0[key(-1)]) = (1, 2) }
    history.transaction { ($0[key(5)], $0[key(5)]) = (nil, -5) }
    history.transaction { ($0[key(5)], $0[key(7)], $0[key(5)], $0[key(7)]) = (1, 1, -5, -3) }
    XCTAssertEqual(history.undoCount, 4)
  }

  func testRemoteEditThatCancelsOutStillBlocksUndo() {
    var history = UndoHistory(initialValue: Sheet())
    history.edit.size = 6
    history.applyRemote {
      $0.size = 7
      $0.size = 6
    }
    XCTAssertNotNil(history.blockingRemoteEdit)
  }
}
