import Foundation
import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Edits of stored properties that the enclosing value doesn't encode by their names, so it is written too.
final class UndoFieldPatchAroundTests: XCTestCase, UndoFieldPatches {
  private struct Renamed: Codable, Equatable {
    var text = ""
    enum CodingKeys: String, CodingKey { case text = "content" }
  }

  /// A decoded value lacks the property `found`.
  private struct Partly: Codable, Equatable {
    var text = ""
    var found: [Int] = []
    enum CodingKeys: CodingKey { case text }
  }

  /// Has a key for a property that it doesn't encode, and omits a count of zero.
  private struct Sparse: Codable, Equatable {
    var text = ""
    var count = 0
    var found: [Int] = []
    enum CodingKeys: CodingKey { case text, count, found }
    init() {}
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      text = try container.decode(String.self, forKey: .text)
      count = try container.decodeIfPresent(Int.self, forKey: .count) ?? 0
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(text, forKey: .text)
      if count != 0 { try container.encode(count, forKey: .count) }
    }
  }

  private struct Single: Codable, Equatable {
    var text = ""
    init() {}
    init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }

  private struct Listed: Codable, Equatable {
    var text = ""
    init() {}
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      text = try container.decode(String.self)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(text)
    }
  }

  /// Accepts any text as a key.
  private struct Loose: Codable, Equatable {
    struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }
    var text = ""
    init() {}
    init(from decoder: any Decoder) throws {
      text = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: Key(stringValue: "t"))
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(text, forKey: Key(stringValue: "t"))
    }
  }

  func testPropertyNotCodedByItsNameIsWrittenWithTheWholeDocument() throws {
    func isWhole(_ messages: [UInt8]) -> Bool { messages.starts(with: [16, 0, 14]) }
    XCTAssert(isWhole(try check(Renamed()) { $0.edit.text.append("a") }))
    XCTAssert(isWhole(try check(Single()) { $0.edit.text.append("a") }))
    XCTAssert(isWhole(try check(Listed()) { $0.edit.text.append("a") }))
    XCTAssert(isWhole(try check(Loose()) { $0.edit.text.append("a") }))
    XCTAssertFalse(isWhole(try check(Partly()) { $0.edit.text.append("a") }))

    XCTAssertFalse(isWhole(try check(Sparse()) { $0.edit.count = 1 }))
    try check(Sparse()) { history in for count in [1, 0, 2] { history.edit.count = count } }

    XCTAssert(isWhole(try replayed(Partly(), as: Partly(), [{ $0.edit.found.append(1) }]).messages))
    XCTAssert(isWhole(try replayed(Sparse(), as: Sparse(), [{ $0.edit.found.append(1) }]).messages))
  }

  /// From the enclosing value alone, these edits would be found by comparison, which can't tell equal letters or rows
  /// apart.
  func testPropertiesWithOtherCodingKeysAreRestoredRecordByRecord() throws {
    struct Row: Codable, Equatable {
      enum CodingKeys: String, CodingKey { case text = "t", marks = "m" }
      var text = "aaa", marks: [Int] = [1, 1]
    }
    struct Page: Codable, Equatable {
      enum CodingKeys: String, CodingKey { case title = "name", rows = "lines", first, tags = "labels", date = "due" }
      var title = "aaaa", rows = [Row(), Row(), Row()], first = Row(), tags: Set<String> = []
      var date: Date?
    }
    try check(Page()) { $0.edit.title.insert("a", atUTF8: 1) }
    try check(Page()) { $0.edit.title.removeSubrange(utf8: 1..<2) }
    try check(Page()) { $0.edit.rows.insert(Row(), at: 1) }
    try check(Page()) { $0.edit.rows.remove(at: 0) }
    try check(Page()) { $0.edit.rows.swapAt(0, 2) }
    try check(Page()) { $0.edit.rows[1].text.insert("a", atUTF8: 1) }
    try check(Page()) { $0.edit.rows[1].marks.insert(1, at: 0) }
    try check(Page()) { $0.edit.first.text.insert("a", atUTF8: 2) }
    try check(Page()) { $0.edit.first.set(Row(text: "b")) }
    try check(Page()) { $0.edit.tags.insert("new") }
    try check(Page()) { $0.edit.date.set(Date(timeIntervalSinceReferenceDate: 5)) }
    try check(Page()) { history in
      for letter in "aab" { history.edit.title.insert(String(letter), atUTF8: 2) }
      for _ in 0..<2 { history.edit.title.removeSubrange(utf8: 1..<2) }
      history.edit.rows[2].text.append("a")
      history.edit.rows[2].text.append("b")
      history.transaction { edit in
        edit.title.append("!")
        edit.rows[0].marks.removeAll()
        edit.first.text.set("x")
      }
    }
  }

  /// Adjoining keystrokes become one record.
  func testTypingInATextWithAnotherCodingKeyIsRestored() throws {
    for offset in 0...3 {
      try check(Renamed(text: "aaa")) { history in
        for index in 0..<3 { history.edit.text.insert("a", atUTF8: offset + index) }
      }
      try check(Renamed(text: "aaaaaaaa")) { history in
        for index in 0..<3 { history.edit.text.removeSubrange(utf8: 4 + offset - index..<5 + offset - index) }
      }
    }
  }

  /// The key of a property wrapper's value is the property's name, and its mirror's label begins with an underscore.
  func testWrappedPropertyIsRestored() throws {
    struct Level: Codable, Equatable {
      @Capped var number = 1
      var other = ""
    }
    var level = Level()
    level.number = 12
    let messages = try check(Level()) { $0.currentItem = level }
    XCTAssertEqual(Array(messages.prefix(11)), [16, 0, 14, 7] + Array("_number".utf8))
  }

  /// A comparison with `==` would find that decoded objects and uncoded properties differ.
  func testDecodedValuesMatchIfTheyEncodeTheSame() throws {
    struct Links: Codable, Equatable {
      enum CodingKeys: String, CodingKey { case text = "t", links, days }
      var text = "aaa", links = [URL(string: "https://a.b")], days = DateComponents(day: 1)
    }
    try check(Links()) { $0.edit.text.insert("a", atUTF8: 1) }

    struct Row: Codable, Equatable {
      enum CodingKeys: String, CodingKey { case text = "t" }
      let id = UUID()
      var text = "aaa"
      static func == (left: Row, right: Row) -> Bool { left.text == right.text }
    }
    // Only the encoded properties can match; the records match anyway.
    try check([Row()], by: { $0.map(\.text) }, { $0.edit[0].text.insert("a", atUTF8: 1) })
    let (history, replayed, _) = try replayed(
      Row(), as: Row(),
      [{ $0.transaction("mine") { $0.text.insert("a", atUTF8: 1) } }, { $0.applyRemote { $0.text.append("a") } }])
    XCTAssertEqual([history.undoCount, replayed.undoCount], [1, 1])
  }

  /// The enclosing value that is written with the text already contains the caret that is set after it.
  func testTypingWithARestoredCaretIsReplayed() throws {
    struct Page: UndoArchivable, Equatable {
      enum CodingKeys: String, CodingKey { case caret = "c", body = "b", rows = "r", note }
      static let undoParts = [UndoPart<Page>("caret", \.caret), UndoPart("note", \.note)]
      var caret = 0, body = "aaaa", rows = ["a"], note = "aa"
    }
    var history = UndoHistory(initialValue: Page())
    history.restoreOnUndo(\.caret)
    let recorder = UndoRecorder<Page>(.json)
    recorder.begin(with: &history)
    var replayed = history
    for index in 0..<3 {
      history.observed(by: recorder) { history in
        history.joiningTransaction { edit in
          edit.body.insert("a", atUTF8: 1 + index)
          edit.caret.set(2 + index)
        }
      }
    }
    history.observed(by: recorder) { $0.applyRemote { $0.body.removeSubrange(utf8: 5..<7) } }
    try recorder.replay(recorder.takeMessages(), in: &replayed)
    XCTAssert(replayed == history, "the records differ")
    XCTAssertEqual([history.undoCount, replayed.undoCount], [1, 1])
  }

  /// `_items` isn't encoded, so its edit must not be applied to `items`.
  func testUncodedPropertyIsNotMistakenForOneWithASimilarName() throws {
    struct List: Codable, Equatable {
      enum CodingKeys: CodingKey { case items, title }
      var items = [3, 1, 2], title = "", _items: [Int] = []
    }
    let (_, replayed, _) = try replayed(List(), as: List(), [{ $0.edit._items.set([1, 2, 3]) }])
    XCTAssertEqual(replayed.currentItem, List())
  }

  /// Otherwise a deeply nested text would be written with each of its enclosing values.
  func testOnlyOneEnclosingValueIsWritten() throws {
    struct Node: Codable, Equatable {
      enum CodingKeys: String, CodingKey { case name = "n", children = "c" }
      var name = "a", children: [Node] = []
    }
    func chain(_ depth: Int) -> Node { Node(children: depth == 0 ? [] : [chain(depth - 1)]) }
    let near = try check(chain(40)) { $0.edit.children[0].name.append("b") }
    let far = try check(chain(40)) { $0.edit.children[0].children[0].children[0].children[0].name.append("b") }
    XCTAssertLessThan(far.count, near.count + 100)
  }

  /// A value that encodes nothing can't be written as a document of its own, but its enclosing value can.
  func testEnclosingValueIsWrittenIfAPieceCannotBeEncoded() throws {
    struct Filter: Codable, Equatable {
      enum CodingKeys: CodingKey { case level }
      var level = 0, text = ""
      init(level: Int = 0) { self.level = level }
      init(from decoder: any Decoder) throws {
        let container = try? decoder.container(keyedBy: CodingKeys.self)
        level = try container?.decodeIfPresent(Int.self, forKey: .level) ?? 0
      }
      func encode(to encoder: any Encoder) throws {
        if level == 0 { return }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(level, forKey: .level)
      }
    }
    struct Renamed: Codable, Equatable {
      enum CodingKeys: String, CodingKey { case filter = "f", title }
      var filter = Filter(level: 1), title = ""
    }
    struct Named: Codable, Equatable { var filter = Filter(level: 1), title = "" }
    try check(Renamed(), by: { $0.filter }, { $0.edit.filter.set(Filter()) })
    try check(Named(), by: { $0.filter }, { $0.edit.filter.set(Filter()) })
  }

  /// Endless nesting must not overflow the stack.
  func testNestedEnclosingValuesAreRefused() throws {
    for depth in [1, 200_000] {
      var history = UndoHistory(initialValue: Renamed())
      var replayer = try UndoReplayer<Renamed>(UndoRecorder<Renamed>(.json).header, .json)
      let messages: [UInt8] = [16, 0] + (0...depth).flatMap { _ in [14, 0, 0] as [UInt8] } + [1, 2, 0x7b, 0x7d]
      XCTAssertThrowsError(try replayer.replay(messages, in: &history)) {
        guard case .damaged? = $0 as? UndoFormError else { return XCTFail("\($0)") }
      }
    }
  }

  /// The later version has another name for the property, but finds it in the enclosing value by its key.
  func testLaterVersionReadsARenamedPropertyFromTheEnclosingValue() throws {
    struct Later: Codable, Equatable {
      enum CodingKeys: String, CodingKey { case body = "content" }
      var body = ""
    }
    let (_, replayed, _) = try replayed(
      Renamed(), as: Later(), [{ $0.edit.text.append("a") }, { $0.edit.text.append("b") }, { $0.edit.text.set("c") }])
    XCTAssertEqual(replayed.currentItem, Later(body: "c"))
    XCTAssertEqual(replayed.undoCount, 2)
  }

  /// The later version gave the name to another property, so only the enclosing value says what was edited.
  func testEnclosingValueTakesPrecedenceOverThePropertyName() throws {
    struct Earlier: Codable, Equatable {
      enum CodingKeys: String, CodingKey { case first = "x", second = "y" }
      var first = "a", second = "a"
    }
    struct Later: Codable, Equatable {
      enum CodingKeys: String, CodingKey { case first = "y", second = "x" }
      var first = "a", second = "a"
    }
    let (history, replayed, _) = try replayed(Earlier(), as: Later(), [{ $0.edit.first.append("b") }])
    XCTAssertEqual(history.currentItem, Earlier(first: "ab"))
    XCTAssertEqual(replayed.currentItem, Later(second: "ab"))
    XCTAssertEqual(replayed.undoCount, 1)
  }

  func testDamageBeforeTheEnclosingValueNeverYieldsAWrongDocument() throws {
    let messages = try replayed(Renamed(), as: Renamed(), [{ $0.edit.text.append("a") }]).messages
    let header = UndoRecorder<Renamed>(.json).header
    for index in 4..<messages.count {
      for bit in 0..<8 {
        var damaged = messages
        damaged[index] ^= 1 << bit
        var replayed = UndoHistory(initialValue: Renamed())
        var replayer = try UndoReplayer<Renamed>(header, .json)
        guard (try? replayer.replay(damaged, in: &replayed)) != nil else {
          XCTAssertEqual(replayed.currentItem, Renamed())
          continue
        }
        // The digest of the log detects damage of the value itself.
        if index < 16 { XCTAssertEqual(replayed.currentItem, Renamed(text: "a"), "byte \(index), bit \(bit)") }
      }
    }
  }
}

@propertyWrapper
private struct Capped: Codable, Equatable {
  private var value: Int
  init(wrappedValue: Int) { value = min(10, wrappedValue) }
  var wrappedValue: Int {
    get { value }
    set { value = min(10, newValue) }
  }
}
