import Foundation
import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Edits of stored properties without a named part: a log identifies them by the names of the properties.
final class UndoFieldPatchTests: XCTestCase, UndoFieldPatches {
  private struct Size: Codable, Equatable { var width = 0.0, height = 0.0 }

  private struct Row: Codable, Equatable {
    var title = ""
    var tags: [String] = []
    var size = Size()
  }

  private struct Plain: Codable, Equatable {
    var text = ""
    var note: String?
    var rows: [Row] = []
    var numbers: [Int] = []
    var marks: Set<String> = []
    var tallies: [String: Int] = [:]
    var size = Size()
    var isDone = false
  }

  func testEditIsWrittenUnderTheNameOfItsProperty() throws {
    let text = try check(Plain()) { $0.edit.text.append("a") }
    // An edit of a field of the whole document: its name, and a patch of five bytes that inserts one byte at 0.
    XCTAssertEqual(text, [16, 0, 13, 6] + Array("text:s".utf8) + [5, 2, 0, 0, 1] + Array("a".utf8))
    let flag = try check(Plain()) { $0.edit.isDone = true }
    XCTAssertEqual(flag, [16, 0, 13, 8] + Array("isDone:o".utf8) + [2, 0, 1])
    let width = try check(Plain()) { $0.edit.size.width = 1 }
    let inner = [13, 7] + Array("width:d".utf8) + [9, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]
    XCTAssertEqual(width, [16, 0, 13, 4] + Array("size".utf8) + [UInt8(inner.count)] + inner)
  }

  func testEachKindOfEditIsRestoredRecordByRecord() throws {
    let rows = (0..<4).map { Row(title: "\($0)", tags: ["a", "b"]) }
    let document = Plain(text: "text", rows: rows, numbers: [1, 1, 2, 2], marks: ["x"], tallies: ["x": 1])
    try check(document) { $0.edit.text.append("a") }
    try check(document) { for key in ["a", "b", "é"] { $0.edit.text.append(key) } }
    try check(document) { $0.edit.text = "other" }
    try check(document) { $0.edit.note = "note" }
    try check(document) { $0.edit.numbers.swapAt(0, 3) }
    try check(document) { $0.edit.numbers.insert(1, at: 0) }
    try check(document) { $0.edit.numbers.removeAll { $0 == 2 } }
    try check(document) { $0.edit.numbers.sort(by: >) }
    try check(document) { $0.edit.rows[2].title.append("a") }
    try check(document) { $0.edit.rows[2].tags[1].append("a") }
    try check(document) { $0.edit.rows[2].tags.remove(at: 0) }
    try check(document) { $0.edit.rows[1].size.height = 3 }
    try check(document) { $0.edit.rows[1].size.set(Size(width: 1, height: 2)) }
    try check(document) { $0.edit.marks.insert("y") }
    try check(document) { $0.edit.tallies["y"] = 2 }
    try check(document) { $0.edit.tallies["x"] = nil }
    try check(document) { $0.currentItem.rows.swapAt(0, 1) }
    try check(document) { history in
      history.transaction("all") { edit in
        edit.rows[0].size.width = 2
        edit.numbers.append(7)
        edit.text.insert("a", atUTF8: 1)
      }
      history.undo()
      history.edit.set(Plain(text: "new", rows: Array(rows[1...])))
    }
  }

  private struct Lines: Codable, Equatable {
    var lines = ["aa"]
    var grid = [[1, 1]]
    var tables = [["a": 1]]
  }

  /// Texts and collections inside a field are edited in place, not assigned whole.
  func testTextsAndCollectionsInElementsAreRestoredRecordByRecord() throws {
    let key = try check(Lines()) { $0.edit.lines[0].insert("a", atUTF8: 0) }
    XCTAssertEqual(key, [16, 0, 13, 8] + Array("lines:*s".utf8) + [8, 8, 0, 0, 2, 0, 0, 1] + Array("a".utf8))
    let keys = try check(Lines()) { for text in ["x", "y", "z"] { $0.edit.lines[0].append(text) } }
    XCTAssertEqual(keys.count, key.count + 2)
    try check(Lines()) { $0.edit.grid[0].insert(1, at: 0) }
    try check(Lines()) { $0.edit.grid[0].swapAt(0, 1) }
    try check(Lines()) { $0.edit.tables[0]["b"] = 2 }
  }

  private struct Short: Codable, Equatable {
    var text = ""
    var isDone = false
    enum CodingKeys: CodingKey { case text, isDone }
    init(_ text: String) { self.text = text }
    init(from decoder: any Decoder) throws {
      if let single = try? decoder.singleValueContainer().decode(String.self) {
        text = single
        return
      }
      let container = try decoder.container(keyedBy: CodingKeys.self)
      text = try container.decode(String.self, forKey: .text)
      isDone = try container.decode(Bool.self, forKey: .isDone)
    }
    func encode(to encoder: any Encoder) throws {
      if !isDone {
        var container = encoder.singleValueContainer()
        return try container.encode(text)
      }
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(text, forKey: .text)
      try container.encode(isDone, forKey: .isDone)
    }
  }

  private struct Todo: Codable, Equatable { var items = [Short("milk")] }

  func testValueWithTwoEncodingsIsRestored() throws {
    try check(Todo()) { $0.edit.items[0].isDone = true }
    try check(Todo()) { history in
      history.transaction { edit in
        edit.items[0].isDone = true
        edit.items[0].text.append("b")
      }
      history.undo()
    }
  }

  private struct Page: Codable, Equatable { var text = "", caret = 0 }

  func testUnnamedRestoredValueIsReplayed() throws {
    var history = UndoHistory(initialValue: Page())
    let recorder = UndoRecorder<Page>(.json)
    history.restoreOnUndo(\.caret)
    recorder.begin(with: &history)
    history.observed(by: recorder) { $0.edit.caret = 5 }
    history.observed(by: recorder) { $0.edit.text.append("a") }
    var replayed = UndoHistory(initialValue: Page())
    replayed.restoreOnUndo(\.caret)
    var replayer = try UndoReplayer<Page>(recorder.header, .json)
    try replayer.replay(recorder.takeMessages(), in: &replayed)
    XCTAssertEqual(replayed.currentItem, Page(text: "a", caret: 5))
  }

  // MARK: Objects and whole documents

  private final class Object: Codable, Equatable {
    let number: Int
    init(_ number: Int) { self.number = number }
    static func == (a: Object, b: Object) -> Bool { a.number == b.number }
  }

  private struct Holder: Codable, Equatable {
    var object: Object? = Object(1)
    var title = ""
  }

  /// A property might not own the object that it refers to, so the object can't be edited as a field.
  func testReferenceToAnObjectIsWrittenWithTheWholeDocument() throws {
    var history = UndoHistory(initialValue: Holder())
    let recorder = UndoRecorder<Holder>(.json)
    recorder.begin(with: &history)
    history.observed(by: recorder) { $0.edit.object.set(Object(2)) }
    XCTAssert(recorder.takeMessages().starts(with: [16, 0, 1]))
    var replayer = try UndoReplayer<Holder>(recorder.header, .json)
    let forged: [UInt8] = [16, 0, 13, 6] + Array("object".utf8) + [2, 0, 0]
    XCTAssertThrowsError(try replayer.replay(forged, in: &history)) {
      guard case .damaged? = $0 as? UndoFormError else { return XCTFail("\($0)") }
    }
    try check(Holder()) { $0.edit.title.append("a") }
  }

  private struct Whole: UndoArchivable, Equatable {
    var text = ""
    var count = 0
    static let undoParts = [UndoPart<Whole>("all", \.self), UndoPart("text", \.text)]
  }

  func testEditsAreRestoredIfAPartIsTheWholeDocument() throws {
    try check(Whole()) { $0.edit.count = 1 }
    try check(Whole()) { $0.edit.text.append("a") }
    try check(Whole()) { $0.edit.set(Whole(text: "b", count: 2)) }
  }

  // MARK: Later versions and invalid bytes

  private struct Later: Codable, Equatable {
    var text = ""
    var count = 0.5
  }

  private struct Earlier: Codable, Equatable {
    var count = 0
    var text = ""
    var lines: [String] = []
  }

  /// A property is found by its name, wherever a later version of the document declares it.
  func testLaterVersionAppliesEditsOfThePropertiesItStillHas() throws {
    var history = UndoHistory(initialValue: Earlier())
    let recorder = UndoRecorder<Earlier>(.json)
    recorder.begin(with: &history)
    history.observed(by: recorder) { $0.edit.text.append("a") }
    var messages = recorder.takeMessages()
    var later = UndoHistory(initialValue: Later())
    var replayer = try UndoReplayer<Later>(recorder.header, .json)
    try replayer.replay(messages, in: &later)
    XCTAssertEqual(later.currentItem, Later(text: "a"))

    history.observed(by: recorder) { $0.edit.lines.append("b") }
    messages = recorder.takeMessages()
    try replayer.replay(messages, in: &later)
    XCTAssertEqual(replayer.lostCount, 1)
    XCTAssertEqual(later.undoCount, 2, "a lost edit leaves an empty step")
    XCTAssertEqual(later.currentItem, Later(text: "a"))
    // The later value 0.5 can't be converted to the earlier type, so this edit is lost.
    history.observed(by: recorder) { $0.edit.count = 1 }
    messages = recorder.takeMessages()
    try replayer.replay(messages, in: &later)
    XCTAssertEqual(replayer.lostCount, 2)
    XCTAssertEqual(later.currentItem, Later(text: "a"))
  }

  func testInvalidFieldPatchesAreRefused() throws {
    func field(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
      [16, 0, 13, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(bytes.count)] + bytes
    }
    let header = UndoRecorder<Plain>(.json).header
    var history = UndoHistory(initialValue: Plain(text: "é", rows: [Row()]))
    let document = history.currentItem
    let messages: [([UInt8], String)] = [
      (field("text:s", [2, 1, 0, 1, 97]), "inside of a scalar"), (field("text:s", [2, 0, 0, 1, 97, 0]), "more bytes"),
      (field("text:s", [2, 0, 0, 1]), "too few bytes"), (field("text:s", [13, 0]), "a field of a text"),
      (field("rows:*", [8, 1, 0, 1]), "no such row"), (field("rows:*", [8, 0, 1, 1]), "a part by number"),
      (field("size", [9, 1, 0]), "a part by number"), (field("size", [13, 0, 0]), "a field without the value"),
      (field("isDone:o", [0, 2]), "no Boolean"), (field("note:?s", []), "nothing"), ([16, 0, 13, 4, 116], "cut off"),
      ([16, 0, 9, 0, 0], "a part of the whole"),
    ]
    for (messages, name) in messages {
      var replayer = try UndoReplayer<Plain>(header, .json)
      XCTAssertThrowsError(try replayer.replay(messages, in: &history), name) {
        guard case .damaged? = $0 as? UndoFormError else { return XCTFail("\(name): \($0)") }
      }
      XCTAssertEqual(history.currentItem, document, name)
      XCTAssertFalse(history.canUndo, name)
    }
  }

  /// An archive for any encoder has no bytes for the pieces of a field patch, so it contains the whole document.
  func testArchiveForAnyEncoderRestoresUnnamedProperties() throws {
    var history = UndoHistory(initialValue: [Row(title: "a")])
    history.edit[0].size.width = 1
    var restored = try history.restoredFromJSON()
    restored.undo()
    XCTAssertEqual(restored.currentItem, [Row(title: "a")])
  }

  // MARK: Properties that aren't coded exactly

  func testPropertyWithALossyEncodingIsWrittenWithItsEnclosingValue() throws {
    struct Font: Codable, Equatable {
      var name = "Sans", size = 12.0

      init() {}
      init(from decoder: any Decoder) throws { name = try decoder.singleValueContainer().decode(String.self) }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
      }
    }
    struct Page: Codable, Equatable {
      enum CodingKeys: CodingKey { case title, font }
      var title = "", font = Font()

      init() {}
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        title = try container.decode(String.self, forKey: .title)
        let parts = try container.decode(String.self, forKey: .font).split(separator: "|")
        (font.name, font.size) = (String(parts[0]), Double(parts[1]) ?? 0)
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(title, forKey: .title)
        try container.encode("\(font.name)|\(font.size)", forKey: .font)
      }
    }
    try check(Page()) { $0.edit.font.size = 30 }
    try check(Page()) { $0.edit.title.append("a") }
  }

  /// A common mistake: an identity with a default value is part of the hash, but isn't coded.
  func testMembersWithUncodedIdentitiesAreWrittenWithTheWholeCollection() throws {
    struct Tag: Codable, Hashable, Identifiable {
      enum CodingKeys: CodingKey { case name }
      var id = UUID()
      var name = ""

      init(_ name: String) { self.name = name }
      init(from decoder: any Decoder) throws {
        name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
      }
    }
    struct Page: Codable { var title = "", tags: Set<Tag> = [], counts: [Tag: Int] = [:] }
    let (a, b) = (Tag("a"), Tag("b"))
    try check(
      Page(), by: { [$0.title, "\($0.tags.map(\.name).sorted())", "\($0.counts.map { $0.name + "\($1)" }.sorted())"] },
      {
        $0.transaction("In") {
          $0.tags.insert(a)
          $0.tags.insert(b)
          $0.counts[b] = 2
        }
      }, { $0.transaction("Out") { _ = $0.tags.remove(a) } }, { $0.transaction("Count") { $0.counts[b] = 5 } },
      { $0.transaction("Gone") { _ = $0.counts.removeValue(forKey: b) } },
      { $0.transaction("Title") { $0.title = "x" } })
  }

  /// The session that wrote the removal had another member there.
  func testRemovingAMissingMemberIsDamage() throws {
    let header = UndoRecorder<Plain>(.json).header
    for (name, bytes) in [("marks:<s", [11, 1, 97]), ("tallies:{s,i", [11, 1, 97])] as [(String, [UInt8])] {
      var history = UndoHistory(initialValue: Plain(marks: ["x"], tallies: ["x": 1]))
      var replayer = try UndoReplayer<Plain>(header, .json)
      let message = [16, 0, 13, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(bytes.count)] + bytes
      XCTAssertThrowsError(try replayer.replay(message, in: &history), name) {
        guard case .damaged? = $0 as? UndoFormError else { return XCTFail("\(name): \($0)") }
      }
      XCTAssertFalse(history.canUndo)
    }
  }

  /// Without a conversion, the same bytes would be read as another number.
  func testPropertyOfAnotherTypeIsConverted() throws {
    struct One<Value: Codable & Equatable>: Codable, Equatable {
      var value: Value
      var other = ""
    }
    func check<Old: Codable & UndoLeaf & Equatable, New: Codable & Equatable>(
      _ old: Old, _ edited: Old, _ new: New, _ expected: New, line: UInt = #line
    ) throws {
      let result = try replayed(One(value: old), as: One(value: new), [{ $0.edit.value = edited }])
      XCTAssertEqual(result.replayed.currentItem, One(value: expected), line: line)
    }
    try check(1, 5, 1 as UInt, 5)
    try check(1, 5, 1 as Int8, 5)
    try check(1, 0, 1 as Int?, 0)
    try check(true, false, true as Bool?, false)
    try check(1.0, 2.0, 1 as Int, 2)
    try check(1 as UInt8, 2, 1 as UInt, 2)
    try check(1, 5, 1 as Int32, 5)
    // A value that the later type can't represent is lost, not misread.
    try check(1, 300, 1 as Int8, 1)
    try check(1, -5, 1 as UInt, 1)
    try check(1.0, 2.5, 1, 1)
  }

  func testEditOfAnUncodedPropertyDoesNotBlockUndo() throws {
    struct Scratch: Codable, Equatable {
      enum CodingKeys: CodingKey { case title, count }
      var title = "", count = 0, scratch = 0
    }
    try check(
      Scratch(), by: { [$0.title, "\($0.count)"] }, { $0.transaction("T") { $0.title.set("Milk") } },
      { $0.applyRemote { $0.scratch = 5 } },
      { XCTAssertNotNil($0.undo()) })
    try check(
      Scratch(), by: { [$0.title, "\($0.count)"] }, { $0.transaction("T") { $0.title.set("Milk") } },
      { $0.transaction("S") { $0.scratch = 5 } },
      { $0.applyRemote { $0.count = 7 } })
  }

  func testIntegersOf128BitsAreRestored() throws {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
    struct Wide: Codable, Equatable { var title = "", big: Int128 = 5, small: UInt128 = 6, last = "l" }
    try check(Wide()) { $0.edit.title = "x" }
    try check(Wide()) { $0.edit.last.append("x") }
    try check([Wide()]) { $0.edit[0].last.append("x") }
  }
}
