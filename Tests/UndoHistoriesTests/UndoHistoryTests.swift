import TestSupport
import UndoHistories
import XCTest

final class UndoHistoryTests: XCTestCase {
  struct Person {
    var name: String
    var age: Int
  }

  func testMemberNamedDescriptionBelongsToTheDocument() {
    struct Product: CustomStringConvertible { var description = "A teapot" }
    var history = UndoHistory(initialValue: Product())
    history.edit.description.append("s")
    XCTAssertEqual(history.description, "A teapots")
    XCTAssertEqual("\(history)", "UndoHistory(A teapots, undo: 1, redo: 0, steps: [8..<8 -> 8..<9 (was \"\")])")
    let children = Dictionary(
      uniqueKeysWithValues: Mirror(reflecting: history).children.map { ($0.label ?? "", $0.value) })
    XCTAssertEqual((children["currentItem"] as? Product)?.description, "A teapots")
    XCTAssertEqual(children["undoCount"] as? Int, 1)
    XCTAssertEqual(children["redoCount"] as? Int, 0)
  }

  /// Some ways to compute a new value from the document: a plain assignment would be an overlapping access.
  func testEditCanReadTheHistory() {
    struct Note { var body = "a", isDone = false, counts = [1] }
    final class Model { var history = UndoHistory(initialValue: Note()) }
    let model = Model()
    model.history.edit.isDone.toggle()
    model.history.edit.isDone.set(!model.history.isDone)
    model.history.edit.body.set(model.history.body + "b")
    model.history.edit.counts.append(model.history.counts.count)
    model.history.currentItem.isDone = !model.history.isDone
    model.history.transaction { edit in
      edit.isDone = !edit.isDone
      edit.body = edit.body.currentItem + "c"
    }
    XCTAssertEqual(model.history.body, "abc")
    XCTAssertEqual(model.history.counts, [1, 1])
    XCTAssertFalse(model.history.isDone)
  }

  func testHistoryOfAnIdentifiableDocumentHasItsID() {
    struct Row: Identifiable { let id: Int; var title = "" }
    func identity<Element: Identifiable>(of element: Element) -> Element.ID { element.id }
    XCTAssertEqual(identity(of: UndoHistory(initialValue: Row(id: 7))), 7)
  }

  // MARK: Steps

  func testDescriptionShowsTheEditsOrTheStepCounts() {
    var history = UndoHistory(initialValue: [1])
    history.edit.append(2)
    history.edit.append(3)
    XCTAssertEqual(history.undo()?.description, "2..<3 -> 2..<2")
    XCTAssertTrue("\(history)".hasPrefix("UndoHistory([1, 2], undo: 1, redo: 1, steps: ["), "\(history)")
    history.transaction("Sort") { $0.swapAt(0, 1) }
    XCTAssertTrue("\(history)".hasPrefix("UndoHistory([2, 1], undo: 2 \"Sort\", redo: 0, steps: ["), "\(history)")
    XCTAssertTrue("\(history)".hasSuffix("; Sort: 0 <-> 1])"), "\(history)")
    XCTAssertEqual(history.undo()?.description, "Sort: 0 <-> 1")
    XCTAssertTrue("\(history)".hasPrefix("UndoHistory([1, 2], undo: 1, redo: 1 \"Sort\", steps: ["), "\(history)")
  }

  func testHistoryIsSendableIfTheDocumentIs() {
    func check(_ value: some Sendable) {}
    check(UndoHistory(initialValue: [1]))
    var other = UndoHistory(initialValue: "")
    check(other.undo())
  }

  // MARK: The document as a variable

  func testDocumentThatIsNotEquatableCanBeAssigned() {
    var history = UndoHistory(initialValue: Person(name: "Chris", age: 31))
    history.currentItem = Person(name: "Chris", age: 31)
    XCTAssertEqual(history.undoCount, 0, "both have the same bytes")
    history.currentItem = Person(name: "A name that is longer than fifteen bytes", age: 31)
    history.currentItem.age += 1
    XCTAssertEqual(history.undoCount, 2)
    XCTAssertEqual(history.undone().age, 31)
    XCTAssertEqual(history.undone().name, "Chris")
  }

  func testArrayOfNonEquatableElementsRecordsOnlyTheDifference() {
    var history = UndoHistory(initialValue: (0..<100).map { Person(name: "\($0)", age: $0) })
    history.currentItem[17].name = "John"
    XCTAssertEqual(history.byteCount, 16 + MemoryLayout<Person>.size)
    history.currentItem.remove(at: 50)
    XCTAssertEqual(history.byteCount, 16 + MemoryLayout<Person>.size + 64 + MemoryLayout<Person>.stride)
    history.undo()
    XCTAssertEqual(history.undone().map(\.name), (0..<100).map { "\($0)" })
  }

  func testDictionariesAndSetsRecordOnlyTheDifference() {
    var ages = UndoHistory(initialValue: Dictionary(uniqueKeysWithValues: (0..<100).map { ($0, $0) }))
    ages.currentItem[7] = 8
    ages.currentItem[100] = 1
    ages.currentItem[0] = nil
    ages.currentItem[1] = 1
    XCTAssertEqual([ages.undoCount, ages.byteCount], [3, 3 * 32])
    XCTAssertEqual(ages.allUndone(), Dictionary(uniqueKeysWithValues: (0..<100).map { ($0, $0) }))

    var marks = UndoHistory(initialValue: Set(0..<100))
    marks.currentItem.remove(7)
    marks.currentItem.insert(101)
    marks.currentItem.insert(8)
    XCTAssertEqual([marks.undoCount, marks.byteCount], [2, 2 * 16])
    marks.currentItem = []
    XCTAssertEqual(marks.undoCount, 3)
    XCTAssertEqual(marks.allUndone(), Set(0..<100))
  }

  func testInPlaceMutationThatThrowsRecordsAStep() {
    func append(_ number: Int, to array: inout [Int]) throws {
      array.append(number)
      throw Refused()
    }
    var history = UndoHistory(initialValue: [1, 2, 3])
    XCTAssertThrowsError(try append(4, to: &history.currentItem))
    XCTAssertEqual(history.currentItem, [1, 2, 3, 4])
    XCTAssertEqual(history.undoCount, 1)
    XCTAssertEqual(history.undone(), [1, 2, 3])
  }

  func testDataIsEditedLikeAnArray() {
    var history = UndoHistory(initialValue: Data([1, 2, 3]))
    history.edit[1] = 7
    history.edit.append(4)
    history.currentItem[0] = 9
    XCTAssertEqual(history.currentItem, Data([9, 7, 3, 4]))
    XCTAssertEqual(history.allUndone(), Data([1, 2, 3]))
  }

  func testSliceKeepsItsIndices() {
    let numbers = [0, 1, 2, 3, 4, 5]
    var history = UndoHistory(initialValue: numbers[2..<5])
    history.edit.replaceSubrange(2..<5, with: [7, 8])
    XCTAssertEqual(history.currentItem.startIndex, 2)
    history.edit[3] = 9
    history.currentItem = [1][...]
    XCTAssertEqual(history.allUndone(), numbers[2..<5])
    XCTAssertEqual(history.currentItem.indices, 2..<5)
  }

  // MARK: Transactions

  func testTransactionIsOneStep() {
    var history = UndoHistory(initialValue: [3, 1, 2])
    history.transaction("Sort") { edit in
      edit.swapAt(0, 1)
      edit.swapAt(1, 2)
    }
    XCTAssertEqual(history.undoLabel, "Sort")
    XCTAssertNil(history.redoLabel)
    let change = history.undo()
    XCTAssertEqual(history.currentItem, [3, 1, 2])
    XCTAssertEqual(history.redoLabel, "Sort")
    XCTAssertEqual(change?.label, "Sort")
    XCTAssertEqual(change?.edits.map(\.kind), [.elements(.swap(1, 2)), .elements(.swap(0, 1))])
    XCTAssertEqual(history.redo()?.edits.map(\.kind), [.elements(.swap(0, 1)), .elements(.swap(1, 2))])
    XCTAssertEqual(history.currentItem, [1, 2, 3])
  }

  func testTransactionWithoutEditsRecordsNoStep() {
    var history = UndoHistory(initialValue: [1])
    history.edit.append(2)
    history.undo()
    let result = history.transaction("Nothing") { edit in
      edit[0] = 1
      return edit.count
    }
    XCTAssertEqual(result, 1)
    XCTAssertEqual([history.undoCount, history.redoCount], [0, 1])
    XCTAssertEqual(history.redo()?.label, nil)
  }

  // MARK: What changed

  func testChangeReportsWhereItsEditsAre() {
    struct Section { var name = "", rows = [0, 1, 2] }
    struct Document { var title = "title", sections = [Section(), Section()], numbers = [1, 2, 3] }
    var history = UndoHistory(initialValue: Document())

    func undone(_ edit: (inout UndoHistory<Document>.Editor) -> Void) -> UndoHistory<Document>.Change {
      edit(&history.edit)
      return history.undo()!
    }
    let title = undone { $0.title.insert("sub", atUTF8: 0) }
    XCTAssertEqual(title.edits(in: \.title).map(\.kind), [.elements(.range(old: 0..<3, new: 0..<0))])
    XCTAssertFalse(title.touches(\.numbers))
    let row = undone { $0.sections[1].rows[2] = 7 }
    XCTAssertEqual(row.edits(in: \.sections).map(\.kind), [.elements(.element(at: 1))])
    let numbers = undone { $0.numbers.replaceSubrange(1..<3, with: [7, 8, 9]) }
    XCTAssertEqual(numbers.edits(in: \.numbers).map(\.kind), [.elements(.range(old: 1..<4, new: 1..<3))])
    let moved = undone { $0.numbers.move(from: 0, to: 2) }
    XCTAssertEqual(moved.edits(in: \.numbers).map(\.kind), [.elements(.move(from: 2, to: 0))])
    let whole = undone { $0.set(Document(title: "x")) }
    XCTAssertTrue(whole.touches(\.title) && whole.touches(\.sections) && whole.touches(\.numbers))
    XCTAssertEqual(whole.edits.map(\.kind), [.value])
  }

  func testChangesAreEqualIfTheirEditsHaveTheSameKindAndPlace() {
    func undone(_ edit: (inout UndoHistory<[Int]>.Editor) -> Void) -> UndoHistory<[Int]>.Change {
      var history = UndoHistory(initialValue: [1, 2, 3])
      edit(&history.edit)
      return history.undo()!
    }
    checkHashable(equivalenceClasses: [
      [undone { $0[1] = 7 }, undone { $0[1] += 1 }, undone { $0.transaction { $0[1] = 7 } }],
      [undone { $0[2] = 7 }],
      [undone { $0.transaction("Label") { $0[1] = 7 } }],
      [undone { $0.append(7) }],
      [undone { $0.swapAt(0, 1) }],
      [undone { $0.move(from: 0, to: 1) }],
      [
        undone { edit in
          edit.transaction {
            $0[1] = 7
            $0[2] = 7
          }
        }
      ],
    ])
  }

  // MARK: Limits

  func testByteCountIncludesTextsOfRemovedElements() {
    let lines = [String(repeating: "x", count: 1000), "short", String(repeating: "y", count: 100)]
    func bytes(_ edit: (inout UndoHistory<[String]>) -> Void) -> Int {
      var history = UndoHistory(initialValue: lines)
      edit(&history)
      let before = history.byteCount
      history.undo()
      XCTAssertEqual(history.byteCount, 32)
      history.redo()
      XCTAssertEqual(history.byteCount, before)
      return before
    }
    XCTAssertEqual(bytes { $0.edit.remove(at: 0) }, 32 + 32 + 1000)
    XCTAssertEqual(bytes { $0.edit.removeSubrange(0..<3) }, 32 + 32 + 3 * 16 + 32 + 1000 + 32 + 100)
    XCTAssertEqual(bytes { $0.currentItem.remove(at: 2) }, 32 + 32 + 16 + 32 + 100)
  }

  func testByteCountsAddUpForTextsInExistentialsAndOptionals() {
    struct Entry {
      var key: AnyHashable = "a key that needs memory of its own"
      var value: Any = "a value that needs memory of its own"
      var note: String?? = "a note that needs memory of its own"
    }
    var history = UndoHistory(initialValue: Entry())
    history.limit = .bytes(1_000)
    for number in 0..<100 {
      history.edit.key.set(AnyHashable("another key that needs memory: \(number)"))
      history.edit.value.set("another value that needs memory: \(number)")
      history.edit.note.set("another note that needs memory: \(number)")
      history.edit.note = "an assigned note that needs memory: \(number)"
      history.edit.note = number % 2 == 0 ? .some(nil) : nil
      XCTAssertEqual(history.byteCount, history.steps.reduce(0) { $0 + $1.byteCount })
    }
    XCTAssertGreaterThan(history.undoCount, 5)
  }
}
