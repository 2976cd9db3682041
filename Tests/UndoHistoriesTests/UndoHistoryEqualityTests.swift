import Foundation
import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Histories are equal if they have the same document, the same steps and the same position.
final class UndoHistoryEqualityTests: XCTestCase {
  // MARK: Compared

  func testHistoriesDifferByStepsLabelsAndPosition() {
    func history(_ edit: (inout UndoHistory<[Int]>) -> Void) -> UndoHistory<[Int]> {
      var history = UndoHistory(initialValue: [1, 2])
      edit(&history)
      return history
    }
    func twice(_ edit: (inout UndoHistory<[Int]>) -> Void) -> [UndoHistory<[Int]>] { [history(edit), history(edit)] }
    let classes = [
      twice { _ in },
      twice { $0.edit.append(3) },
      twice { $0.transaction("Append") { $0.append(3) } },
      twice { $0.transaction("Add") { $0.append(3) } },
      twice {
        $0.edit.append(3)
        $0.undo()
      },
      twice {
        $0.edit.append(4)
        $0.undo()
      },
      twice { $0.edit.swapAt(0, 1) },
      twice {
        $0.transaction { edit in
          edit[0] = 2
          edit[1] = 1
        }
      },
      twice {
        $0.edit[0] = 2
        $0.edit[1] = 1
      },
    ]
    checkEquatable(equivalenceClasses: classes)
    XCTAssertEqual(Set(classes.map { "\($0[0])" }).count, classes.count, "unequal histories read the same")
  }

  func testHistoriesThatDifferOnlyInTheirEditsReadDifferently() {
    struct Row: Equatable { var text = "", count = 0 }
    struct Page: Equatable { var title = "", size = 1, rows = [Row()], notes: [String: Int] = [:] }
    func history(_ old: Page = Page(), _ edits: ((inout UndoHistory<Page>.Editor) -> Void)...) -> UndoHistory<Page> {
      var history = UndoHistory(initialValue: old)
      for edit in edits { history.transaction("Edit") { edit(&$0) } }
      if history.currentItem != Page(title: "b", size: 2) { history.undo() }
      return history
    }
    let histories = [
      history(Page(title: "a", size: 2), { $0.title.set("b") }),
      history(Page(title: "c", size: 2), { $0.title.set("b") }),
      history(Page(title: "b"), { $0.size = 2 }), history(Page(title: "b", size: 3), { $0.size = 2 }),
      history(Page(title: "b"), { $0.set(Page(title: "b", size: 2)) }),
      history(Page(title: "b", size: 2), { $0.rows[0].count = 7 }),
      history(Page(title: "b", size: 2), { $0.rows[0].text.append("7") }),
      history(Page(title: "b", size: 2), { $0.rows.append(Row()) }),
      history(Page(title: "b", size: 2), { $0.notes["a"] = 7 }),
      history(Page(title: "b", size: 2), { $0.notes["b"] = 7 }),
    ]
    for (index, history) in histories.enumerated() {
      XCTAssertEqual(history.currentItem, Page(title: "b", size: 2))
      for other in histories[..<index] {
        XCTAssertNotEqual(history, other)
        XCTAssertNotEqual("\(history)", "\(other)")
        var (text, otherText) = ("", "")
        dump(history, to: &text)
        dump(other, to: &otherText)
        XCTAssertNotEqual(text, otherText)
      }
    }
    func expect(_ text: String, at index: Int, line: UInt = #line) {
      XCTAssertTrue("\(histories[index])".hasSuffix("steps: [\(text)])"), "\(histories[index])", line: line)
    }
    expect(#"Edit: title 0..<1 -> 0..<1 (was "a")"#, at: 0)
    expect("Edit: size value (was 1)", at: 2)
    expect("Edit: rows[0]@16 value (to 7)", at: 5)
    expect(#"Edit: rows[0] 0..<0 -> 0..<1 (to "7")"#, at: 6)
    expect("Edit: notes[a] member (to Optional(7))", at: 8)
  }

  func testHistoriesWithNaNAreEqual() {
    struct Reading: Equatable { var isOld = false, value = Double.nan, notes = [Double.nan], text = "" }
    var (one, other) = (UndoHistory(initialValue: Reading()), UndoHistory(initialValue: Reading()))
    XCTAssertTrue(one == other)
    for text in ["a", "b"] {
      one.edit.text.append(text)
      other.edit.text.append(text)
    }
    one.edit.value = 1
    other.edit.value = 1
    one.undo()
    other.undo()
    XCTAssertTrue(one == other)
    other.currentItem.notes[0] = 2
    XCTAssertFalse(one == other)
    one.currentItem = one.currentItem
    one.currentItem.notes = [.nan]
    one.edit.value.set(.nan)
    XCTAssertEqual([one.undoCount, one.redoCount], [1, 1])
  }

  func testHistoriesWithNaNInSeparateStorageAreEqual() {
    struct Reading: Equatable { var notes = [Double.nan], rows = [[1, Double.nan]], last = [Double.nan] as [Double]? }
    struct Sheet: Equatable { var reading = Reading(), readings = [Reading()], named = ["a": Reading()] }
    var (one, other) = (UndoHistory(initialValue: Sheet()), UndoHistory(initialValue: Sheet()))
    XCTAssertTrue(one == other)
    one.edit.reading.notes[0] = 1
    XCTAssertFalse(one == other)
    other.edit.reading.notes[0] = 1
    XCTAssertTrue(one == other)
  }

  func testCopiesThatShareStorageAreEqualWithoutComparison() {
    struct Strict: Equatable {
      var count = 0
      static func == (left: Strict, right: Strict) -> Bool { fatalError("the documents must not be compared") }
    }
    var history = UndoHistory(initialValue: Strict())
    history.edit.count = 1
    let copy = history
    XCTAssertTrue(history == copy)
    history.edit.count = 2
    XCTAssertFalse(history == copy, "the number of steps differs")
  }

  func testTypedTextEqualsTextInsertedAtOnce() {
    var (typed, inserted) = (UndoHistory(initialValue: ""), UndoHistory(initialValue: ""))
    for letter in "a text of more than fifteen bytes" { typed.edit.append(String(letter)) }
    inserted.edit.append("a text of more than fifteen bytes")
    XCTAssertEqual(typed, inserted)
    typed.edit.set("")
    inserted.edit.set("")
    XCTAssertEqual(typed, inserted, "the records hold separate copies of equal texts")
  }

  func testRecordedValuesAreComparedExactly() {
    func history(_ old: Double, _ text: String) -> UndoHistory<Sheet> {
      var history = UndoHistory(initialValue: Sheet(text: text, ratio: old))
      history.edit.ratio = 1
      history.edit.text.set("")
      return history
    }
    checkEquatable(equivalenceClasses: [
      [history(0, "e\u{301}"), history(0, "e\u{301}")], [history(-0.0, "e\u{301}")], [history(0, "\u{e9}")],
    ])
  }

  func testDocumentsAreComparedByTheirOwnEquality() {
    XCTAssertEqual(UndoHistory(initialValue: "e\u{301}"), UndoHistory(initialValue: "\u{e9}"))
    XCTAssertNotEqual(UndoHistory(initialValue: Double.nan), UndoHistory(initialValue: 1))
    XCTAssertEqual(UndoHistory(initialValue: Double.nan), UndoHistory(initialValue: Double.nan))
  }

  func testBoxedRecordsAreComparedByValue() {
    func history(_ number: Double) -> UndoHistory<Sheet> {
      var history = UndoHistory(initialValue: Sheet())
      history.edit.vector.set(SIMD4(repeating: number))
      history.edit.vector.set(SIMD4(repeating: 0))
      return history
    }
    checkEquatable(equivalenceClasses: [[history(1), history(1)], [history(2)]])
  }

  func testStepsWithClosuresAreUnequal() {
    struct Button: Equatable {
      var name = ""
      var action: () -> Int
      static func == (left: Button, right: Button) -> Bool { left.name == right.name }
    }
    func history(_ number: Int) -> UndoHistory<Button> {
      var history = UndoHistory(initialValue: Button { number })
      history.currentItem.action = { 0 }
      return history
    }
    XCTAssertEqual(history(1).currentItem, history(1).currentItem)
    XCTAssertNotEqual(history(1), history(1))
  }

  // MARK: Not compared

  func testRestoredValuesOfBranchesAreNotCompared() {
    struct Note: Equatable { var text = "", caret = 0 }
    func history(caret: Int) -> UndoHistory<Note> {
      var history = UndoHistory(initialValue: Note())
      history.restoreOnUndo(\.caret)
      history.keepsBranches = true
      history.edit.caret = caret
      history.edit.set(Note(text: "a"))
      history.undo()
      history.edit.text = "b"
      history.edit.caret = 0
      return history
    }
    XCTAssertEqual(history(caret: 1).branches.count, 1)
    XCTAssertEqual(history(caret: 1), history(caret: 2))
  }

  func testSettingsAndTheSavedPointAreNotCompared() {
    var (one, other) = (UndoHistory(initialValue: 1), UndoHistory(initialValue: 1))
    one.edit.set(2)
    other.edit.set(2)
    one.markSaved()
    one.limit = .bytes(1_000)
    one.coalescing = .none
    _ = one.beginSave()
    XCTAssertEqual(one, other)
  }

  func testOperationOrderAndChunkBoundariesAreNotCompared() {
    var (one, other) = (UndoHistory(initialValue: Sheet()), UndoHistory(initialValue: Sheet()))
    for number in 0..<30 { other.edit.numbers.append(number) }
    other.edit.vector.set(SIMD4(repeating: 1))
    while other.undo() != nil {}
    other.edit.ratio = 2
    other.undo()
    other.removeAllSteps()
    for number in 0..<200 {
      one.edit.ratio = Double(number)
      other.edit.ratio = Double(number)
      one.edit.numbers.append(number)
      other.edit.numbers.append(number)
    }
    XCTAssertEqual(one, other)
    one.limit = .steps(50)
    XCTAssertNotEqual(one, other)
    other.limit = .steps(50)
    other.limit = .unlimited
    XCTAssertEqual(one, other, "dropped steps are not compared")
    other.go(to: .step(7))
    XCTAssertNotEqual(one, other)
    one.go(to: .step(7))
    XCTAssertEqual(one, other)
  }

  // MARK: Archives

  func testHistoriesRestoredFromOneArchiveAreEqual() throws {
    var history = UndoHistory(initialValue: [1, 2, 3])
    history.edit.append(4)
    history.transaction("Replace") { $0.replaceSubrange(0..<2, with: [7, 8, 9]) }
    history.edit.swapAt(0, 1)
    history.undo()
    func restored() throws -> UndoHistory<[Int]> {
      var restored = UndoHistory(initialValue: history.currentItem)
      try restored.restoreSteps(from: history.archive())
      return restored
    }
    var (one, other) = (try restored(), try restored())
    XCTAssertEqual(one, other)
    other.redo()
    XCTAssertNotEqual(one, other)
    one.redo()
    XCTAssertEqual(one, other)
    one.edit.append(5)
    other.edit.append(5)
    XCTAssertEqual(one, other, "both restored and new steps are equal")
    other.undo()
    other.edit.append(6)
    XCTAssertNotEqual(one, other)
  }

  func testRestoredTextHistoryEqualsTheArchivedOne() throws {
    var history = UndoHistory(initialValue: "")
    history.edit.append("a text of more than fifteen bytes")
    history.transaction("Cut") { $0.replaceSubrange(utf8: 0..<7, with: "") }
    var restored = UndoHistory(initialValue: history.currentItem)
    try restored.restoreSteps(from: history.archive())
    XCTAssertEqual(restored, history)
    history.edit.append("x")
    restored.edit.append("y")
    history.edit.set("")
    restored.edit.set("")
    XCTAssertEqual(restored.currentItem, history.currentItem)
    XCTAssertNotEqual(restored, history)
  }

  // MARK: Model

  func testReplayedEditsMakeEqualHistoriesWithEqualStates() {
    withSeeds(60) { random in
      var twins = [Twin()]
      for _ in 0..<60 {
        let index = twins.indices.randomElement(using: &random)!
        if random.chance(oneIn: 10), twins.count < 5 { twins.append(twins[index]) }
        twins[index].act(&random)
        for other in twins where other.history == twins[index].history {
          expectEqual(other.states(), twins[index].states())
        }
        for other in twins where other.edits == twins[index].edits {
          expect(other.history == twins[index].history, "the same edits made unequal histories")
        }
      }
    }
  }
}

/// An equatable document with many kinds of parts.
private struct Sheet: Equatable {
  var text = ""
  var ratio = 0.5
  var numbers: [Int] = []
  var names: [String: String] = [:]
  var marks: Set<String> = []
  /// Aligned too strictly for a record.
  var vector = SIMD4<Double>(repeating: 0)
}

/// Two histories that receive the same edits, and a log of these edits.
///
/// Between the edits, one of the two is also undone and redone, or rolls back a transaction.
private struct Twin {
  var history = UndoHistory(initialValue: Sheet())
  private var other = UndoHistory(initialValue: Sheet())
  /// The seeds of the edits.
  ///
  /// Equal arrays mean equal series of edits.
  private(set) var edits: [UInt64] = []

  mutating func act(_ random: inout SeededRandom) {
    let seed = UInt64(random.int(in: 0..<40))
    edits.append(seed)
    for isOther in [false, true] {
      var same = SeededRandom(seed: seed)
      if isOther { Twin.act(&other, &same) } else { Twin.act(&history, &same) }
    }
    if random.chance(oneIn: 2) { wander(&random) }
    expect(history == other, "the same edits made unequal histories")
  }

  private mutating func wander(_ random: inout SeededRandom) {
    let position = other.undoCount
    // Undo and redo end coalescing in one of the histories, so it must end in both.
    history.endCoalescing()
    other.endCoalescing()
    edits.append(.max)
    switch random.int(in: 0..<2) {
    case 0:
      let copy = other
      other.go(to: .step(random.int(in: 0..<other.steps.count + 1)))
      other.go(to: .step(position))
      expect(other == copy)
    default:
      var refused = other
      try? refused.transaction { edit in
        edit.ratio.set(Double(random.int(in: 2..<9)))
        edit.vector.set(edit.vector.currentItem + 1)
        throw Refused()
      }
      expect(refused == other)
      other = refused
    }
  }

  private static func act(_ history: inout UndoHistory<Sheet>, _ random: inout SeededRandom) {
    var plain = history.currentItem
    let label = random.chance(oneIn: 4) ? random.text() : nil
    switch random.int(in: 0..<12) {
    case 0: history.undo()
    case 1: history.redo()
    case 2: history.edit.ratio = [0, -0.0, 1.5].randomElement(using: &random)!
    case 3: history.edit.names[random.text()] = random.chance(oneIn: 3) ? nil : random.text()
    case 4: history.edit.marks.insert(random.text())
    case 5: history.edit.vector.set(SIMD4(repeating: Double(random.int(in: 0..<3))))
    case 6:
      history.limit = .steps(random.int(in: 3..<9))
      history.limit = .unlimited
    case 7..<9: history.edit.text.editText(&plain.text, &random)
    case 9: history.edit.numbers.editNumbers(&plain.numbers, &random)
    default:
      history.transaction(label) { edit in
        edit.text.editText(&plain.text, &random)
        edit.numbers.editNumbers(&plain.numbers, &random)
      }
    }
  }

  /// The position, the labels, and all states of the history.
  func states() -> [String] {
    var copy = history
    var states = ["\(history.undoCount)"] + history.steps.map { $0.label ?? "" }
    for position in 0...history.steps.count {
      copy.go(to: .step(position))
      let sheet = copy.currentItem
      states.append("\(Array(sheet.text.utf8)) \(sheet.ratio) \(sheet.numbers) \(sheet.vector)")
      states.append("\(sheet.names.sorted { $0.key < $1.key }) \(sheet.marks.sorted())")
    }
    return states
  }
}
