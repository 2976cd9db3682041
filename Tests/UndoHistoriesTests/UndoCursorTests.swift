import TestSupport
import UndoHistories
import XCTest

/// Every form of recorded edit: it changes the document, undo and redo restore it, and its step has the expected size.
///
/// Only the bytes of a step prove that the edit itself was recorded, and not a copy of a larger value.
final class UndoCursorTests: XCTestCase {
  struct Point: Equatable, UndoLeaf {
    var x = 0
    var y = 0
  }

  struct Row: Equatable {
    var title = ""
    var value = 0
    var note: String?
    var origin = Point()
    var tags: [String] = []
  }

  struct Section: Equatable {
    var name = ""
    var rows: [Row] = []
  }

  struct Document: Equatable {
    var count = 0
    var flag = false
    var byte: UInt8 = 0
    var ratio = 1.0
    var choice: Int?
    var title = ""
    var subtitle: String?
    var sections: [Section] = []
    var numbers: [Int] = []
    var names: [String] = []
    var grid: ContiguousArray<Point> = []
    var ages: [String: Int] = [:]
    var rows: [Int: Row] = [:]
    var marks: Set<Int> = []
    var frame = Point()
    var doubled: Int {
      get { count * 2 }
      set { count = newValue / 2 }
    }
    var observed = 0 {
      didSet { count += 1 }
    }
  }

  var document = Document(
    title: "title", sections: [Section(name: "s", rows: [Row(title: "r", tags: ["t"]), Row()])],
    numbers: [1, 2, 3, 4], names: ["a", "b"], grid: [Point(), Point()], ages: ["Ada": 36], rows: [1: Row()],
    marks: [1, 2])

  /// Makes an edit, compares it with the same change of a plain value, then undoes and redoes it.
  func check(
    bytes: Int, _ edit: (inout UndoHistory<Document>.Editor) -> Void, like change: (inout Document) -> Void,
    file: StaticString = #filePath, line: UInt = #line
  ) {
    var history = UndoHistory(initialValue: document)
    var expected = document
    edit(&history.edit)
    change(&expected)
    XCTAssertEqual(history.currentItem, expected, file: file, line: line)
    XCTAssertEqual(history.undoCount, 1, file: file, line: line)
    XCTAssertEqual(history.byteCount, bytes, file: file, line: line)
    for _ in 0..<2 {
      XCTAssertNotNil(history.undo(), file: file, line: line)
      XCTAssertEqual(history.currentItem, document, file: file, line: line)
      XCTAssertNotNil(history.redo(), file: file, line: line)
      XCTAssertEqual(history.currentItem, expected, file: file, line: line)
    }
  }

  /// Makes edits that change nothing, and expects that no step is recorded.
  func checkNothing(
    _ edit: (inout UndoHistory<Document>.Editor) -> Void, file: StaticString = #filePath, line: UInt = #line
  ) {
    var history = UndoHistory(initialValue: document)
    history.edit.count = 7
    history.undo()
    edit(&history.edit)
    XCTAssertEqual(history.currentItem, document, file: file, line: line)
    XCTAssertEqual(history.undoCount, 0, file: file, line: line)
    XCTAssertEqual(
      history.redoCount, 1, "an edit that changes nothing dropped the redo steps", file: file, line: line)
  }

  // MARK: Leaves

  func testLeavesAreAssigned() {
    check(bytes: 16, { $0.count = 3 }, like: { $0.count = 3 })
    check(bytes: 16, { $0.count += 3 }, like: { $0.count += 3 })
    check(bytes: 16, { $0.flag.toggle() }, like: { $0.flag.toggle() })
    check(bytes: 16, { $0.byte = 3 }, like: { $0.byte = 3 })
    check(bytes: 16, { $0.ratio *= 3 }, like: { $0.ratio *= 3 })
    check(bytes: 24, { $0.choice = 3 }, like: { $0.choice = 3 })
    check(bytes: 24, { $0.frame = Point(x: 1, y: 2) }, like: { $0.frame = Point(x: 1, y: 2) })
    check(bytes: 24, { $0.frame.x = 5 }, like: { $0.frame.x = 5 })
  }

  func testAssigningTheSameValueRecordsNoStep() {
    checkNothing {
      $0.count = 0
      $0.flag = false
      $0.ratio = 1
      $0.choice = nil
      $0.title = "title"
      $0.subtitle = nil
      $0.frame = Point()
      $0.numbers[2] = 3
      $0.names[0] = "a"
      $0.ages["Ada"] = 36
      $0.ages["Bob"] = nil
      $0.doubled = 0
      // The setter divides by 2, so it stores the old value again.
      $0.doubled = 1
    }
  }

  func testNegativeZeroIsANewValueAndNaNEqualsItself() {
    var history = UndoHistory(initialValue: 0.0)
    history.edit.set(-0.0)
    XCTAssertEqual(history.currentItem.sign, .minus)
    XCTAssertEqual(history.undoCount, 1)
    history.edit.set(.nan)
    history.edit.set(.nan)
    XCTAssertEqual(history.undoCount, 2)
  }

  func testComputedAndObservedPropertiesAreUndoneExactly() {
    let size = 8 + MemoryLayout<Document>.size.roundedUp
    check(bytes: size, { $0.doubled = 7 }, like: { $0.doubled = 7 })
    check(bytes: size, { $0.observed = 7 }, like: { $0.observed = 7 })
  }

  // MARK: Texts

  func testTextsAreAssigned() {
    check(bytes: 32, { $0.title = "x" }, like: { $0.title = "x" })
    check(bytes: 24, { $0.subtitle = "x" }, like: { $0.subtitle = "x" })
    check(bytes: 40, { $0.sections[0].rows[0].note = "x" }, like: { $0.sections[0].rows[0].note = "x" })
    check(bytes: 40, { $0.names[1] = "x" }, like: { $0.names[1] = "x" })
  }

  func testTextsAreEditedInPlace() {
    check(bytes: 32, { $0.title.append("x") }, like: { $0.title += "x" })
    check(bytes: 32, { $0.title.insert("x", atUTF8: 0) }, like: { $0.title = "xtitle" })
    check(bytes: 32, { $0.title.removeSubrange(utf8: 1..<3) }, like: { $0.title = "tle" })
    check(bytes: 32, { $0.title.replaceSubrange(utf8: 0..<2, with: "b") }, like: { $0.title = "btle" })
    check(bytes: 32, { $0.title.set("tigle") }, like: { $0.title = "tigle" })
    check(bytes: 40, { $0.names[0].append("x") }, like: { $0.names[0] += "x" })
    check(bytes: 48, { $0.sections[0].rows[0].title.append("x") }, like: { $0.sections[0].rows[0].title += "x" })
  }

  // MARK: Elements

  func testElementsAreEdited() {
    check(bytes: 24, { $0.numbers[1] = 7 }, like: { $0.numbers[1] = 7 })
    check(bytes: 24, { $0.numbers[1] += 7 }, like: { $0.numbers[1] += 7 })
    check(bytes: 32, { $0.grid[1].y = 7 }, like: { $0.grid[1].y = 7 })
    check(bytes: 32, { $0.grid[1] = Point(x: 1, y: 1) }, like: { $0.grid[1] = Point(x: 1, y: 1) })
    check(bytes: 40, { $0.sections[0].name = "x" }, like: { $0.sections[0].name = "x" })
    check(bytes: 32, { $0.sections[0].rows[1].value = 7 }, like: { $0.sections[0].rows[1].value = 7 })
    check(bytes: 48, { $0.sections[0].rows[1].title = "x" }, like: { $0.sections[0].rows[1].title = "x" })
    check(bytes: 40, { $0.sections[0].rows[1].origin.x = 7 }, like: { $0.sections[0].rows[1].origin.x = 7 })
    check(bytes: 56, { $0.sections[0].rows[0].tags[0].append("!") }, like: { $0.sections[0].rows[0].tags[0] += "!" })
    check(
      bytes: 24 + MemoryLayout<Row>.size, { $0.sections[0].rows[1].set(Row(title: "x")) },
      like: { $0.sections[0].rows[1] = Row(title: "x") })
  }

  // MARK: Arrays

  func testElementsAreAddedAndRemoved() {
    check(bytes: 32, { $0.numbers.append(7) }, like: { $0.numbers.append(7) })
    check(bytes: 32, { $0.numbers.insert(7, at: 1) }, like: { $0.numbers.insert(7, at: 1) })
    check(bytes: 32, { $0.numbers.remove(at: 1) }, like: { $0.numbers.remove(at: 1) })
    check(bytes: 32, { $0.numbers.removeLast() }, like: { $0.numbers.removeLast() })
    check(bytes: 32, { $0.numbers.append(contentsOf: [7, 8, 9]) }, like: { $0.numbers += [7, 8, 9] })
    check(
      bytes: 32, { $0.numbers.insert(contentsOf: 7...9, at: 1) }, like: { $0.numbers.insert(contentsOf: 7...9, at: 1) })
    check(bytes: 64 + 16, { $0.numbers.removeSubrange(1..<3) }, like: { $0.numbers.removeSubrange(1..<3) })
    check(bytes: 64 + 32, { $0.numbers.removeAll() }, like: { $0.numbers.removeAll() })
    check(
      bytes: 64 + 16, { $0.numbers.replaceSubrange(1..<3, with: [7]) },
      like: { $0.numbers.replaceSubrange(1..<3, with: [7]) })
    check(
      bytes: 32, { $0.names.append("a text of more than fifteen bytes") },
      like: { $0.names.append("a text of more than fifteen bytes") })
    check(bytes: 40, { $0.sections[0].rows.append(Row()) }, like: { $0.sections[0].rows.append(Row()) })
  }

  func testFirstElementIsRemoved() {
    check(bytes: 32, { XCTAssertEqual($0.numbers.removeFirst(), 1) }, like: { $0.numbers.removeFirst() })
    check(bytes: 48, { $0.sections[0].rows[0].tags.removeFirst() }, like: { $0.sections[0].rows[0].tags.removeFirst() })
    var slice = UndoHistory(initialValue: [1, 2, 3, 4][1...])
    XCTAssertEqual(slice.edit.removeFirst(), 2)
    XCTAssertEqual(slice.undone(), [2, 3, 4])
  }

  func testRemoveAllWhereUsesTheSmallestRecord() {
    document.numbers = Array(0..<100)
    document.names = ["a", "a text of more than fifteen bytes", "b", "b"] + Array(repeating: "c", count: 20)
    document.sections[0].rows = (0..<9).map { Row(value: $0) }
    // One element, or one range of elements.
    check(bytes: 32, { $0.numbers.removeAll { $0 == 7 } }, like: { $0.numbers.removeAll { $0 == 7 } })
    check(bytes: 64 + 80, { $0.numbers.removeAll { $0 >= 90 } }, like: { $0.numbers.removeAll { $0 >= 90 } })
    check(bytes: 64 + 800, { $0.numbers.removeAll { _ in true } }, like: { $0.numbers.removeAll() })
    // Several ranges: the elements, and 16 bytes for each range.
    check(
      bytes: 24 + 32 + 10 * 16 + 32 + 10 * 8, { $0.numbers.removeAll { $0 % 10 == 3 } },
      like: { $0.numbers.removeAll { $0 % 10 == 3 } })
    check(
      bytes: 24 + 32 + 2 * 16 + 32 + 33 * 8, { $0.numbers.removeAll { $0 < 30 || 96 < $0 } },
      like: { $0.numbers.removeAll { $0 < 30 || 96 < $0 } })
    check(
      bytes: 24 + 32 + 2 * 16 + 32 + 21 * 16 + 32 + 33,
      { $0.names.removeAll { $0.count > 1 || $0 == "c" } }, like: { $0.names = ["a", "b", "b"] })
    check(
      bytes: 32 + 32 + 3 * 16 + 32 + 3 * MemoryLayout<Row>.stride,
      { $0.sections[0].rows.removeAll { $0.value % 4 == 0 } },
      like: { $0.sections[0].rows.removeAll { $0.value % 4 == 0 } })
    // So many ranges that recording everything from the first to the last takes fewer bytes.
    check(
      bytes: 64 + 99 * 8, { $0.numbers.removeAll { $0.isMultiple(of: 2) } },
      like: { $0.numbers.removeAll { $0.isMultiple(of: 2) } })
    checkNothing { $0.numbers.removeAll { $0 < 0 } }
  }

  func testRemoveAllWhereIsRolledBackAndReported() {
    let numbers = Array(0..<1000)
    var history = UndoHistory(initialValue: numbers)
    XCTAssertThrowsError(
      try history.edit.removeAll { number in
        if number == 900 { throw Refused() }
        return number % 50 == 49
      })
    XCTAssertEqual(history.currentItem, numbers)
    XCTAssertEqual([history.undoCount, history.byteCount], [0, 0])

    history.transaction("Tidy") { edit in
      edit.append(1000)
      edit.removeAll { $0 % 50 == 49 }
      edit.removeFirst()
    }
    let tidied = Array(numbers.filter { $0 % 50 != 49 }.dropFirst() + [1000])
    XCTAssertEqual(history.currentItem, tidied)
    let change = history.undo()
    XCTAssertEqual(
      change?.edits.map(\.description), ["0..<0 -> 0..<1", "49..<980 -> 49..<1000", "1000..<1001 -> 1000..<1000"])
    XCTAssertEqual(history.currentItem, numbers)
    XCTAssertEqual(history.redo()?.edits.map(\.kind)[1], .elements(.range(old: 49..<1000, new: 49..<980)))
    XCTAssertEqual(history.currentItem, tidied)

    var slice = UndoHistory(initialValue: numbers[500...])
    slice.edit.removeAll { $0 % 50 == 49 }
    XCTAssertEqual(slice.undone(), numbers[500...])
  }

  func testElementsAreReordered() {
    check(bytes: 24, { $0.numbers.swapAt(0, 3) }, like: { $0.numbers.swapAt(0, 3) })
    check(bytes: 24, { $0.numbers.move(from: 0, to: 3) }, like: { $0.numbers = [2, 3, 4, 1] })
    check(bytes: 24, { $0.numbers.move(from: 3, to: 1) }, like: { $0.numbers = [1, 4, 2, 3] })
    check(bytes: 64 + 32, { $0.numbers.sort(by: >) }, like: { $0.numbers.sort(by: >) })
    check(bytes: 32, { $0.sections[0].rows.swapAt(0, 1) }, like: { $0.sections[0].rows.swapAt(0, 1) })
  }

  func testReplacedArrayRecordsOnlyDifferences() {
    check(bytes: 24, { $0.numbers.set([1, 2, 7, 4]) }, like: { $0.numbers = [1, 2, 7, 4] })
    check(bytes: 64 + 8, { $0.numbers.set([1, 2, 4]) }, like: { $0.numbers = [1, 2, 4] })
    check(bytes: 32, { $0.numbers.set([1, 2, 7, 3, 4]) }, like: { $0.numbers = [1, 2, 7, 3, 4] })
    checkNothing {
      $0.numbers.set([1, 2, 3, 4])
      $0.numbers.replaceSubrange(1..<1, with: [])
      $0.numbers.swapAt(1, 1)
      $0.numbers.move(from: 2, to: 2)
      $0.numbers.sort()
    }
  }

  func testScatteredChangesOfAnArrayAreRecordedAsRuns() {
    document.numbers = Array(0..<10_000)
    check(
      bytes: 500 * 24,
      { edit in edit.numbers.set(edit.currentItem.numbers.map { $0 % 20 == 0 ? -$0 - 1 : $0 }) },
      like: { $0.numbers = $0.numbers.map { $0 % 20 == 0 ? -$0 - 1 : $0 } })
    check(bytes: 64 + 80_000, { $0.numbers.set(Array((0..<10_000).reversed())) }, like: { $0.numbers.reverse() })
  }

  /// Tests positions around the ends of the pieces and blocks in which long collections are compared.
  func testDifferenceIsFoundAtAnyPosition() {
    let bytes = [UInt8](repeating: 7, count: 70_001)
    let ends = [0, 64, 512, 4096, 8192, 16_384, 20_480, 24_576, 28_672, 32_768, 49_152, 65_536, 69_632, 70_001]
    for place in ends.flatMap({ [$0 - 1, $0] }) where bytes.indices.contains(place) {
      var history = UndoHistory(initialValue: bytes)
      history.currentItem[place] = 8
      XCTAssertEqual(history.byteCount, 24)
      XCTAssertEqual(history.undo()?.edits.map(\.kind), [.elements(.element(at: place))])
      XCTAssertEqual(history.currentItem, bytes)

      var text = UndoHistory(initialValue: String(decoding: bytes, as: UTF8.self))
      text.currentItem = String(decoding: bytes[..<place] + [8] + bytes[(place + 1)...], as: UTF8.self)
      XCTAssertEqual(text.byteCount, 32)
      let range = place..<place + 1
      XCTAssertEqual(text.undo()?.edits.map(\.kind), [.elements(.range(old: range, new: range))])
    }
  }

  // MARK: Dictionaries and sets

  func testDictionariesAreEdited() {
    check(bytes: 40, { $0.ages["Bob"] = 7 }, like: { $0.ages["Bob"] = 7 })
    check(bytes: 40, { $0.ages["Ada"] = nil }, like: { $0.ages["Ada"] = nil })
    check(bytes: 40, { $0.ages["Ada", default: 0] += 1 }, like: { $0.ages["Ada", default: 0] += 1 })
    check(bytes: 40, { $0.ages.updateValue(1, forKey: "Ada") }, like: { $0.ages.updateValue(1, forKey: "Ada") })
    check(bytes: 40, { $0.ages.removeValue(forKey: "Ada") }, like: { $0.ages.removeValue(forKey: "Ada") })
    check(
      bytes: 16 + MemoryLayout<Row?>.size, { $0.rows[1] = Row(title: "x") }, like: { $0.rows[1] = Row(title: "x") })
  }

  func testReplacedDictionariesAndSetsRecordOnlyDifferences() {
    document.ages = ["Ada": 36, "Bob": 5, "Eve": 7, "Mallory": 9]
    document.marks = [1, 2, 3, 4, 5]
    check(
      bytes: 80, { $0.ages.set(["Ada": 37, "Bob": 5, "Eve": 7]) }, like: { $0.ages = ["Ada": 37, "Bob": 5, "Eve": 7] })
    check(bytes: 16, { $0.ages.set([:]) }, like: { $0.ages = [:] })
    check(bytes: 32, { $0.marks.set([1, 2, 3, 4, 6]) }, like: { $0.marks = [1, 2, 3, 4, 6] })
    check(bytes: 16, { $0.marks.set([]) }, like: { $0.marks = [] })
    checkNothing { [document] in
      $0.ages.set(document.ages)
      $0.marks.set(document.marks)
    }
  }

  func testSetsAreEdited() {
    check(bytes: 16, { $0.marks.insert(7) }, like: { $0.marks.insert(7) })
    check(bytes: 16, { $0.marks.remove(1) }, like: { $0.marks.remove(1) })
    checkNothing {
      XCTAssertFalse($0.marks.insert(1).inserted)
      XCTAssertNil($0.marks.remove(9))
      XCTAssertTrue($0.marks.currentItem.contains(1))
    }
  }

  func testInsertedNaNMembersAndKeysAreUndone() {
    struct Document { var members: Set<Double> = [1, 2, .nan], values: [Double: Int] = [1: 1, .nan: 2] }
    var history = UndoHistory(initialValue: Document())
    history.edit.members.insert(.nan)
    history.edit.members.update(with: .nan)
    history.edit.members.insert(3)
    history.edit.values[.nan] = 3
    history.edit.values[2] = 2
    XCTAssertEqual([history.members.count, history.values.count], [6, 4])
    while history.canUndo { history.undo() }
    XCTAssertEqual([history.members.count, history.values.count], [3, 2])
    while history.canRedo { history.redo() }
    XCTAssertEqual([history.members.count, history.values.count], [6, 4])

    var members = UndoHistory(initialValue: Set([.nan, 1, 2, 3, 4, 5, 6, 7.0]))
    members.currentItem.insert(8)
    XCTAssertEqual([members.currentItem.count, members.undoCount], [9, 1])
    XCTAssertEqual(members.undone().count, 8)
    var values = UndoHistory(initialValue: Dictionary(uniqueKeysWithValues: [.nan, 1, 2, 3, 4, 5.0].map { ($0, 0) }))
    values.currentItem[6] = 0
    XCTAssertEqual([values.currentItem.count, values.undoCount], [7, 1])
    XCTAssertEqual(values.undone().count, 6)
  }

  func testAssigningAnEqualDictionaryValueRecordsNoStep() {
    let text = "a text of more than fifteen bytes"
    document.rows[1] = Row(title: text)
    document.names = []
    checkNothing {
      $0.rows[1] = Row(title: String(Array(text)))
      $0.rows.updateValue(Row(title: String(Array(text))), forKey: 1)
    }
    var texts = UndoHistory(initialValue: [1: text, 2: "caf\u{e9}"])
    texts.edit[1] = String(Array(text))
    texts.edit.updateValue(String(Array(text)), forKey: 1)
    XCTAssertEqual(texts.undoCount, 0)
    texts.edit[2] = "cafe\u{301}"
    XCTAssertEqual(texts.undoCount, 1, "another normal form is recorded as another text")
  }

  // MARK: Whole values

  func testOptionalsAndEnumsAreReplacedAsAWhole() {
    enum Shape: Equatable { case none, circle(Int), path([Int]) }
    struct Drawing: Equatable { var shape = Shape.none, row: Row?, numbers: [Int]? }
    var history = UndoHistory(initialValue: Drawing())
    history.edit.shape.set(.circle(3))
    history.edit.shape.set(.path([1, 2, 3]))
    history.edit.shape.set(.path([1, 2, 3]))
    history.edit.row.set(Row(title: "x"))
    history.edit.numbers.set([1])
    history.edit.numbers.set(nil)
    XCTAssertEqual(history.undoCount, 5)
    let end = history.currentItem
    history.go(to: .step(3))
    XCTAssertEqual(history.currentItem, Drawing(shape: .path([1, 2, 3]), row: Row(title: "x")))
    history.go(to: .step(0))
    XCTAssertEqual(history.currentItem, Drawing())
    history.go(to: .step(5))
    XCTAssertEqual(history.currentItem, end)
  }

  // MARK: Reading

  func testHistoryAndCursorReadTheDocument() {
    var history = UndoHistory(initialValue: document)
    XCTAssertEqual(history.sections[0].rows[0].title, "r")
    XCTAssertEqual(history.numbers.count, 4)
    history.transaction { edit in
      XCTAssertEqual(edit.count, 0)
      XCTAssertEqual(edit.numbers.count, 4)
      XCTAssertEqual(edit.sections[0].rows.currentItem.map(\.title), ["r", ""])
      XCTAssertEqual(edit.ages["Ada"], 36)
      XCTAssertFalse(edit.marks.isEmpty)
    }
    XCTAssertEqual(history.undoCount, 0)
  }

  func testEditingInPlaceDoesNotCopyTheArray() {
    var history = UndoHistory(initialValue: Array(0..<1000))
    let address = unsafe history.currentItem.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    for index in 0..<1000 { history.edit[index] += 1 }
    while history.canUndo { history.undo() }
    XCTAssertEqual(address, unsafe history.currentItem.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) })
  }

  func testUpdatingASetWithTheSameMemberRecordsNoStep() {
    let text = "a member of more than fifteen bytes"
    var history = UndoHistory(initialValue: Set([text]))
    history.edit.update(with: String(decoding: Array(text.utf8), as: UTF8.self))
    XCTAssertEqual(history.undoCount, 0)
  }
}

extension Int {
  fileprivate var roundedUp: Int { (self + 7) / 8 * 8 }
}
