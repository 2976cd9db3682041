import Foundation
import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Histories that are stored in a file and restored onto their document.
final class UndoHistoryArchiveTests: XCTestCase {
  struct Note: Codable {
    var title = ""
    var lines: [String] = []
    var numbers: [Int] = []
    var ages: [String: Int] = [:]
    var marks: Set<Int> = []
    var frame = Frame()
    var isPinned = false
    var unnamed = 0
  }

  struct Frame: Codable {
    var title = ""
    var width = 1
  }

  // MARK: Restoring

  func testTextIsRestoredStepByStep() throws {
    var history = UndoHistory(initialValue: "caf\u{e9}")
    history.edit.append("!")
    history.transaction("Shout") { edit in
      edit.replaceSubrange(utf8: 0..<5, with: "CAFE\u{301}")
      edit.append("!")
    }
    history.edit.insert("👨‍👩‍👧\r\n", atUTF8: 0)
    history.edit.set("something else")
    history.undo()
    let restored = try Self.checkRestored(history)
    XCTAssertEqual(restored.steps.map(\.label), [nil, "Shout", nil, nil])
    XCTAssertEqual([restored.undoCount, restored.redoCount], [3, 1])
  }

  func testEveryEditOfACollectionIsRestored() throws {
    var history = UndoHistory(initialValue: ["a", "b", "c", "d", "e"])
    history.edit[0].append("x")
    history.edit[1] = "a text of more than fifteen bytes"
    history.edit.swapAt(0, 4)
    history.edit.move(from: 0, to: 3)
    history.edit.append("f")
    history.edit.remove(at: 2)
    history.edit.replaceSubrange(1..<3, with: ["x", "y", "z"])
    history.edit.sort()
    history.edit.append(contentsOf: ["1", "2", "3", "4"])
    history.edit.removeAll { $0 == "a text of more than fifteen bytes" || $0 == "2" || $0 == "4" }
    history.edit.removeFirst()
    history.currentItem = []
    let restored = try Self.checkRestored(history)
    XCTAssertEqual(restored.undoCount, 12)
  }

  func testArchiveOfRemovedElementsHasNoneOfThoseBetween() throws {
    var history = UndoHistory(initialValue: ["first"] + (1...50).map { "between \($0)" } + ["last"])
    history.edit.removeAll { $0 == "first" || $0 == "last" }
    let bytes = String(decoding: try history.archive().bytes(.json), as: UTF8.self)
    XCTAssertTrue(bytes.contains("first") && bytes.contains("last"))
    XCTAssertFalse(bytes.contains("between"))
    try Self.checkRestored(history)
  }

  func testEveryEditOfNamedPartsIsRestored() throws {
    var history = UndoHistory(initialValue: Note(title: "title", lines: ["one", "two"]))
    history.edit.title.append("!")
    history.edit.title = "another title"
    history.edit.lines[1].append("!")
    history.edit.lines.insert("zero", at: 0)
    history.edit.numbers.append(contentsOf: [1, 2, 3])
    history.edit.numbers.swapAt(0, 2)
    history.edit.ages["Ada"] = 36
    history.edit.marks.insert(7)
    history.edit.frame.title.append("a text within a part")
    history.edit.frame.width = 3
    history.edit.isPinned.toggle()
    history.currentItem.title = "The document as a whole"
    for _ in 0..<4 { history.undo() }
    try Self.checkRestored(history)
  }

  func testStepThatChangesNothingIsRestored() throws {
    var history = UndoHistory(initialValue: Note(title: "title"))
    history.edit.title.append("!")
    let step = history.beginStep("Nothing")
    history.edit.title.append("?")
    history.edit.title.removeSubrange(utf8: 6..<7)
    // An undo ends an open step in the same way.
    history.endStepAsItIs(step)
    history.edit.title.append(".")
    XCTAssertEqual(history.undoCount, 3)
    try Self.checkRestored(history)
    history.undo()
    try Self.checkRestored(history)
  }

  func testRestoredHistoryContinuesWithinItsLimit() throws {
    var history = UndoHistory(initialValue: [1, 2, 3])
    history.limit = .steps(3)
    for number in 4...8 { history.edit.append(number) }
    var restored = try history.restoredFromJSON { $0.limit = .steps(3) }
    XCTAssertEqual(restored.undoCount, 3)
    restored.edit[0] = 9
    restored.currentItem[1] = 9
    XCTAssertEqual([restored.undoCount, restored.byteCount], [3, 32 + 24 + 24])
    while restored.canUndo { restored.undo() }
    XCTAssertEqual(restored.currentItem, [1, 2, 3, 4, 5, 6, 7])
  }

  func testSavedPointIsRestored() throws {
    var history = UndoHistory(initialValue: "")
    history.edit.append("a")
    history.markSaved()
    history.edit.append("b")
    var restored = try Self.checkRestored(history)
    XCTAssertTrue(restored.isDirty)
    restored.undo()
    XCTAssertFalse(restored.isDirty)
    history.removeAllSteps()
    XCTAssertTrue(try Self.checkRestored(history).isDirty)
  }

  func testRestoringReplacesEarlierStepsButNotThoseOfACopy() throws {
    var history = UndoHistory(initialValue: "ab")
    history.edit.append("c")
    let archive = try history.archive()
    var other = UndoHistory(initialValue: "")
    for _ in 0..<5 { other.transaction("typed") { $0.append("a text of more than fifteen bytes") } }
    other.edit.set("abc")
    let fork = other
    try other.restoreSteps(from: archive)
    XCTAssertEqual([other.undoCount, fork.undoCount], [1, 6])
    other.undo()
    XCTAssertEqual([other.currentItem, fork.currentItem], ["ab", "abc"])
  }

  /// Random histories of a text, an array and a document with parts, restored at a random position.
  func testRandomHistoriesAreRestoredStateByState() throws {
    try withSeeds(10) { random in
      var text = UndoHistory(initialValue: random.text())
      var numbers = UndoHistory(initialValue: [1, 2, 3])
      var note = UndoHistory(initialValue: Note())
      for _ in 0..<30 {
        text.transaction(random.chance(oneIn: 3) ? random.text() : nil) { edit in
          for _ in 0..<random.int(in: 1..<4) { edit.type(&random) }
        }
        numbers.transaction { edit in
          for _ in 0..<random.int(in: 1..<4) { edit.change(&random) }
        }
        note.edit.title.type(&random)
        note.edit.numbers.change(&random)
        note.edit.lines.append(random.text())
        note.edit.ages[random.text()] = random.int(in: 0..<9)
        if random.chance(oneIn: 8) { note.currentItem = Note(title: random.text()) }
      }
      text.go(to: .step(random.int(in: 0..<text.steps.count + 1)))
      numbers.go(to: .step(random.int(in: 0..<numbers.steps.count + 1)))
      note.go(to: .step(random.int(in: 0..<note.steps.count + 1)))
      try Self.checkRestored(text)
      try Self.checkRestored(numbers)
      try Self.checkRestored(note)
    }
  }

  // MARK: Refusals

  func testArchiveOfAnotherDocumentIsRefused() throws {
    var history = UndoHistory(initialValue: "caf\u{e9}")
    history.edit.append("!")
    let archive = try history.archive()
    for text in ["caf\u{e9}", "cafe\u{301}!", "", "caf\u{e9}! ", "!caf\u{e9}", "acf\u{e9}!"] {
      var other = UndoHistory(initialValue: text)
      other.edit.append("")
      XCTAssertThrowsError(try other.restoreSteps(from: archive)) { error in
        XCTAssertEqual(error as? UndoArchiveError, .otherDocument)
      }
      XCTAssertEqual(other.currentItem.utf8.count, text.utf8.count)
      XCTAssertEqual(other.undoCount, 0)
    }
    var numbers = UndoHistory(initialValue: [1, 2])
    numbers.edit.append(3)
    var reversed = UndoHistory(initialValue: [3, 2, 1])
    XCTAssertThrowsError(try reversed.restoreSteps(from: numbers.archive()), "the order of elements counts")
    var notes = UndoHistory(initialValue: Note(title: "a"))
    notes.edit.title.append("b")
    let archiveOfNotes = try notes.archive()
    var other = UndoHistory(initialValue: notes.currentItem)
    other.edit.unnamed = 1
    XCTAssertThrowsError(
      try other.restoreSteps(from: archiveOfNotes), "properties without a named part belong to the document as well")
    XCTAssertEqual(other.undoCount, 1)
  }

  func testTheOrderOfSetsAndDictionariesDoesNotMatter() throws {
    var history = UndoHistory(
      initialValue: Note(ages: ["a": 1, "b": 2, "c": 3, "d": 4], marks: [1, 2, 3, 4, 5, 6]))
    history.edit.title.append("x")
    let archive = try history.archive()
    var note = history.currentItem
    (note.ages, note.marks) = ([:], [])
    for key in ["d", "c", "b", "a"] { note.ages[key] = history.ages[key] }
    note.marks.reserveCapacity(1000)
    for mark in history.marks.sorted(by: >) { note.marks.insert(mark) }
    var other = UndoHistory(initialValue: note)
    XCTAssertNoThrow(try other.restoreSteps(from: archive))
  }

  func testEditOutsideAllPartsCannotBeArchived() throws {
    var history = UndoHistory(initialValue: Note())
    history.edit.title.append("a")
    history.edit.unnamed = 7
    history.edit.title.append("b")
    for position in 0...3 {
      history.go(to: .step(position))
      XCTAssertThrowsError(try history.archive()) { error in
        XCTAssertEqual(error as? UndoArchiveError, .unnamedPart(step: 1, property: "unnamed"))
      }
    }
    XCTAssertEqual([history.undoCount, history.redoCount], [3, 0], "archiving moved the document")
  }

  func testInvalidArchiveFileIsRefused() throws {
    typealias Archive = UndoHistory<String>.Archive
    let file = String(decoding: try JSONEncoder().encode(UndoHistory(initialValue: "abc").archive()), as: UTF8.self)
    // The version is the first byte.
    for (old, new, mention) in [
      ("\"steps\":\"A", "\"steps\":\"B", "version 5"), ("\"steps\":\"", "\"steps\":\"AAAA", "version 0"),
      ("\"steps\"", "\"elsewhere\"", "steps"), ("\"pieces\"", "\"elsewhere\"", "pieces"),
      ("\"steps\":\"", "\"steps\":\"-", "hold steps"),
    ] {
      let changed = file.replacingOccurrences(of: old, with: new)
      XCTAssertNotEqual(changed, file)
      expectDecodingError(Archive.self, from: changed, mentioning: mention)
    }
    expectDecodingError(Archive.self, from: "{}")
  }

  func testErrorsHaveDetailedDescriptions() {
    for error in [UndoArchiveError.unnamedPart(step: 3, property: "a"), .otherDocument, .changed, .damaged] {
      XCTAssertGreaterThan(error.description.count, 40)
    }
    let error = UndoArchiveError.unnamedPart(step: 3, property: "frame.origin")
    XCTAssertTrue(error.description.contains("step 3 changed the property frame.origin"))
  }

  // MARK: Checking

  /// Restores a history through JSON and compares both, state by state.
  @discardableResult
  private static func checkRestored<Value: UndoArchivable>(
    _ history: UndoHistory<Value>, file: StaticString = #filePath, line: UInt = #line
  ) throws -> UndoHistory<Value> {
    let data = try JSONEncoder().encode(history.archive())
    let archive = try JSONDecoder().decode(UndoHistory<Value>.Archive.self, from: data)
    // Another process has a document that shares no memory with the first.
    let document = try JSONDecoder().decode([Value].self, from: JSONEncoder().encode([history.currentItem]))[0]
    var restored = UndoHistory(initialValue: document)
    try restored.restoreSteps(from: archive)
    expectEqual(restored.undoCount, history.undoCount, file: file, line: line)
    expectEqual(restored.redoCount, history.redoCount, file: file, line: line)
    expectEqual(!restored.isDirty, !history.isDirty, file: file, line: line)
    var (a, b) = (history, restored)
    for position in [0, history.steps.count] {
      for next in stride(from: a.undoCount, through: position, by: a.undoCount < position ? 1 : -1) {
        a.go(to: .step(next))
        b.go(to: .step(next))
        try expectEqual(Self.bytes(of: b.currentItem), Self.bytes(of: a.currentItem), file: file, line: line)
      }
    }
    return restored
  }

  private static func bytes(of value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let object = try JSONSerialization.jsonObject(with: encoder.encode([value]))
    // Sets are encoded in any order.
    return "\(sorted(object))"
  }

  private static func sorted(_ object: Any) -> String {
    switch object {
    case let object as [String: Any]:
      object.map { key, value in
        key == "marks" ? "\((value as! [Int]).sorted())" : Array(key.utf8).description + sorted(value)
      }.sorted().description
    case let object as [Any]: object.map { sorted($0) }.description
    case let object as String: Array(object.utf8).description
    default: "\(object)"
    }
  }

  /// Selecting a word and typing the same word again makes a step that changes nothing but still counts.
  func testRetypedWordIsRestoredAsAStep() throws {
    var history = UndoHistory(initialValue: "say hello")
    history.edit.replaceSubrange(utf8: 4..<9, with: "h")
    for (index, key) in "ello".enumerated() { history.edit.insert(String(key), atUTF8: 5 + index) }
    history.markSaved()
    history.edit.append("!")
    history.undo()
    XCTAssertEqual([history.undoCount, history.redoCount], [1, 1])
    var restored = try history.restoredFromJSON()
    XCTAssertEqual([restored.undoCount, restored.redoCount], [1, 1])
    XCTAssertFalse(restored.isDirty)
    XCTAssertTrue(restored.go(to: .step(2)))
    XCTAssertEqual(restored.currentItem, "say hello!")
    XCTAssertTrue(restored.go(to: .step(0)))
    XCTAssertEqual(restored.currentItem, "say hello")
  }
}

extension UndoHistoryArchiveTests.Note: UndoArchivable {
  static let undoParts = [
    UndoPart<Self>("title", \.title), UndoPart("lines", \.lines), UndoPart("numbers", \.numbers),
    UndoPart("ages", \.ages), UndoPart("marks", \.marks), UndoPart("frame", \.frame), UndoPart("pinned", \.isPinned),
  ]
}
