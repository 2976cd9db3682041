import Foundation
import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Archives written with encoders that change texts or numbers.
final class UndoHistoryArchiveExactnessTests: XCTestCase {
  struct Page: Codable {
    var title = ""
    var lines: [String] = []
    var ages: [String: [String: Int]] = [:]
    var subtitle: String?
    var widths: [Double] = []
    var height: Float = 0
    var date = Date(timeIntervalSinceReferenceDate: 0)
    var words: [Word] = []
    var ranges: [Range] = []

    /// A value without a compact form, which only an encoder can write.
    struct Word: Codable {
      var text = ""
    }

    struct Range: Codable {
      var width = 0.0
    }
  }

  /// Writes an archive and reads it again.
  struct Coding: CustomStringConvertible {
    let description: String
    let encode: (any Encodable) throws -> Data
    let decoder: any TopLevelDecoding

    static var json: Coding { json("JSON", JSONEncoder(), JSONDecoder()) }

    static func json(_ description: String, _ encoder: JSONEncoder, _ decoder: JSONDecoder) -> Coding {
      Coding(description: description, encode: { try encoder.encode($0) }, decoder: decoder)
    }

    static func propertyList(_ format: PropertyListSerialization.PropertyListFormat) -> Coding {
      let encoder = PropertyListEncoder()
      encoder.outputFormat = format
      return Coding(
        description: format == .xml ? "XML" : "binary", encode: { try encoder.encode($0) },
        decoder: PropertyListDecoder())
    }

    /// JSON whose texts are converted to one normal form on the way.
    static var normalizing: Coding {
      Coding(
        description: "normalizing",
        encode: { value in
          let text = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
          return Data(text.precomposedStringWithCanonicalMapping.utf8)
        }, decoder: JSONDecoder())
    }

    func comeBack<Value>(_ value: Value) throws -> Value where Value: Codable {
      try decoder.decode(Value.self, from: encode(value))
    }
  }

  // MARK: Texts

  func testArchiveIsRestoredExactlyOrRefused() throws {
    let (refusals, normalized) = (Counter(), Counter())
    try withSeeds(200) { random in
      let text = random.historyOfText()
      let page = random.historyOfPage()
      for coding in Self.everyCoding {
        for isExact in [try Self.check(text, through: coding), try Self.check(page, through: coding)] where !isExact {
          if coding.description == "JSON" { refusals.next() }
          if coding.description == "normalizing" { normalized.next() }
        }
      }
    }
    XCTAssertFalse(refusals.isUsed)
    XCTAssertTrue(normalized.isUsed)
  }

  func testCanonicallyEqualTextsStayDistinct() throws {
    var text = UndoHistory(initialValue: "")
    for word in ["caf\u{e9}", "cafe\u{301}", "caf\u{e9}"] { text.transaction { $0.set(word) } }
    for coding in Self.everyCoding {
      XCTAssertTrue(try Self.check(text, through: coding), "texts are written as their bytes")
    }

    // Two texts within one edit, because a binary property list merges those.
    var page = UndoHistory(initialValue: Page(words: [Page.Word(text: "caf\u{e9}"), Page.Word(text: "cafe\u{301}")]))
    page.edit.words.removeAll()
    XCTAssertTrue(try Self.check(page, through: .json))
    XCTAssertFalse(try Self.check(page, through: .normalizing))
    _ = try Self.check(page, through: .propertyList(.binary))
  }

  private static var everyCoding: [Coding] { [.json, .normalizing, .propertyList(.xml), .propertyList(.binary)] }

  func testCanonicallyEqualKeysAndLabelsStayDistinct() throws {
    var keys = UndoHistory(initialValue: Page())
    keys.edit.ages.set(["a": ["caf\u{e9}": 1], "b": ["cafe\u{301}": 1], "\u{e9}": [:]])
    keys.edit.ages.set([:])
    XCTAssertTrue(try Self.check(keys, through: .json))
    XCTAssertFalse(try Self.check(keys, through: .normalizing))
    _ = try Self.check(keys, through: .propertyList(.binary))

    var labels = UndoHistory(initialValue: "")
    for label in ["\u{e9}", "e\u{301}"] { labels.transaction(label) { $0.append("x") } }
    for coding in Self.everyCoding {
      XCTAssertTrue(try Self.check(labels, through: coding), "labels are written as bytes")
    }
  }

  func testTextDollarNullIsNotReadAsNil() throws {
    var history = UndoHistory(initialValue: Page())
    history.edit.subtitle.set("$null")
    history.edit.subtitle.set("a")
    XCTAssertTrue(try Self.check(history, through: .json))
    _ = try Self.check(history, through: .propertyList(.binary))
  }

  // MARK: Numbers

  func testNumbersAreRestoredBitByBit() throws {
    var history = UndoHistory(initialValue: Page())
    let numbers: [Double] = [
      -0.0, 0.1 + 0.2, .pi, .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, 1e22, -1 / 3,
    ]
    for number in numbers {
      history.edit.widths.append(number)
      history.edit.height.set(Float(number / 1e300))
      history.edit.date.set(Date(timeIntervalSinceReferenceDate: number))
    }
    history.edit.height.set(-0.0)
    history.edit.height.set(0.1)
    history.edit.widths.set([])
    XCTAssertTrue(try Self.check(history, through: .json))
  }

  /// JSON that writes infinity and NaN as words.
  private var naming: Coding {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return Coding.json("JSON with names", encoder, decoder)
  }

  func testInfinityAndNaNWrittenAsWordsAreRestored() throws {
    for number in [Double.infinity, -.infinity, .nan] {
      var history = UndoHistory(initialValue: Page())
      history.edit.widths.append(number)
      history.edit.widths.append(1)
      history.edit.widths.set([])
      XCTAssertTrue(try Self.check(history, through: naming), "\(number) is written as its bits")
      history.edit.ranges.append(Page.Range(width: number))
      history.edit.ranges.removeAll()
      XCTAssertTrue(try Self.check(history, through: naming), "\(number) is written by the encoder")
    }
  }

  /// JSON writes every NaN as the same word.
  func testNaNWithAnotherBitPatternIsRestoredAsNaN() throws {
    for number in [-Double.nan, Double(nan: 7, signaling: false)] {
      var history = UndoHistory(initialValue: Page())
      history.edit.widths.append(number)
      history.edit.ranges.append(Page.Range(width: number))
      history.edit.ranges.removeAll()
      var restored = UndoHistory(initialValue: try naming.comeBack(history.currentItem))
      try restored.restoreSteps(from: naming.comeBack(history.archive()))
      restored.undo()
      XCTAssertEqual(restored.ranges.map(\.width.isNaN), [true])
      restored.undo()
      restored.undo()
      XCTAssertEqual(restored.widths, [])
    }
  }

  func testArchiveWithARoundedDateIsRefused() throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let coding = Coding.json("JSON with dates in words", encoder, decoder)
    for (seconds, isExact) in [(1000.0, true), (1000.5, false)] {
      var history = UndoHistory(initialValue: Page())
      history.edit.date.set(Date(timeIntervalSinceReferenceDate: seconds))
      history.edit.date.set(Date(timeIntervalSinceReferenceDate: 0))
      XCTAssertEqual(try Self.check(history, through: coding), isExact, "\(seconds)")
    }
  }

  // MARK: Digests

  func testEachChangedCharacterOfTheStepsIsDetected() throws {
    var history = UndoHistory(initialValue: ["a"])
    history.transaction("Add") { $0.append("b") }
    history.markSaved()
    history.transaction("Swap") { $0.swapAt(0, 1) }
    history.edit.append("c")
    history.undo()
    let file = String(decoding: try JSONEncoder().encode(history.archive()), as: UTF8.self)
    let steps = try XCTUnwrap(file.firstRange(of: #/"steps":"[^"]+"/#))
    var refusals = 0
    for index in file[steps].indices.dropFirst(9).dropLast() {
      for digit in ["A", "x", "/"] where file[index] != Character(digit) {
        let changed = file.replacingCharacters(in: index...index, with: digit)
        // Either the file can't be decoded any more, or the digest detects the change.
        guard
          let archive = try? JSONDecoder().decode(UndoHistory<[String]>.Archive.self, from: Data(changed.utf8))
        else { continue }
        XCTAssertThrowsError(try history.restoreSteps(from: archive), changed) { error in
          XCTAssertEqual(error as? UndoArchiveError, .changed)
        }
        refusals += 1
      }
    }
    XCTAssertGreaterThan(refusals, 10)
    XCTAssertEqual([history.undoCount, history.redoCount], [2, 1])
    XCTAssertNoThrow(
      try history.restoreSteps(
        from: JSONDecoder().decode(UndoHistory<[String]>.Archive.self, from: Data(file.utf8))))
  }

  /// An exact encoder doesn't make a changed archive valid again.
  func testChangedArchiveIsStillRefusedAfterRewriting() throws {
    var page = UndoHistory(initialValue: Page(words: [Page.Word(text: "cafe\u{301}")]))
    page.edit.words.removeAll()
    try checkCopies(Coding.normalizing.comeBack(page.archive()), of: page, areChanged: true)
    try checkCopies(page.archive(), of: page, areChanged: false)
  }

  func testCopiesOfAChangedArchiveAreRefused() throws {
    var history = UndoHistory(initialValue: ["a"])
    history.keepsBranches = true
    history[as: "agent"].append("b")
    history.undo()
    history.edit.append("c")
    let original = try history.archive()
    try checkCopies(original, of: history, areChanged: false)
    // A letter of the origin's name, and a letter in the branch.
    for (old, new) in [("agent", "agenu"), ("\u{1}b", "\u{1}d")] {
      let changed = try original.replacing(Array(old.utf8), with: Array(new.utf8))
      try checkCopies(changed, of: history, areChanged: true)
    }
  }

  /// Writes and reads an archive several times, and restores each copy.
  private func checkCopies<Value: UndoArchivable>(
    _ archive: UndoHistory<Value>.Archive, of history: UndoHistory<Value>, areChanged: Bool
  ) throws {
    for isOfBytes in [false, true] {
      var copy = archive
      for _ in 0..<4 {
        var other = UndoHistory(initialValue: history.currentItem)
        do {
          try other.restoreSteps(from: copy)
          XCTAssertFalse(areChanged)
        } catch {
          XCTAssertTrue(areChanged)
          XCTAssertEqual(error as? UndoArchiveError, .changed)
        }
        copy = isOfBytes ? try .init(copy.bytes(.json), .json) : try Coding.json.comeBack(copy)
      }
    }
  }

  func testErrorOfAChangedArchiveNamesTheEncoders() {
    XCTAssertTrue(UndoArchiveError.changed.description.contains("JSONEncoder"))
    XCTAssertTrue(UndoArchiveError.changed.description.contains("property list"))
  }

  // MARK: Checking

  /// Writes and reads an archive, restores it onto the same document, and compares every state.
  ///
  /// - Returns: False if the archive was refused.
  private static func check<Value: UndoArchivable>(
    _ history: UndoHistory<Value>, through coding: Coding, file: StaticString = #filePath, line: UInt = #line
  ) throws -> Bool {
    let archive = try coding.comeBack(history.archive())
    var other = UndoHistory(initialValue: history.currentItem)
    do {
      try other.restoreSteps(from: archive)
    } catch UndoArchiveError.changed {
      expectEqual([other.undoCount, other.redoCount], [0, 0], file: file, line: line)
      return false
    }
    var original = history
    expectEqual(
      other.steps.map { Self.bytes(of: $0.label ?? "") }, original.steps.map { Self.bytes(of: $0.label ?? "") },
      file: file,
      line: line)
    for position in 0...original.steps.count {
      original.go(to: .step(position))
      other.go(to: .step(position))
      guard
        expectEqual(
          Self.bytes(of: other.currentItem), Self.bytes(of: original.currentItem), "\(coding)", file: file, line: line)
      else { break }
    }
    return true
  }

  /// Describes a document exactly: texts by their bytes, and numbers by their bits.
  private static func bytes(of value: Any) -> String {
    switch value {
    case let text as String: "\(Array(text.utf8))"
    case let number as Double: "\(number.bitPattern)"
    case let number as Float: "\(number.bitPattern)"
    case let date as Date: "\(date.timeIntervalSinceReferenceDate.bitPattern)"
    case let ages as [String: Any]: "\(ages.map { Self.bytes(of: $0.key) + Self.bytes(of: $0.value) }.sorted())"
    default:
      Mirror(reflecting: value).children.isEmpty
        ? "\(value)" : "\(Mirror(reflecting: value).children.map { Self.bytes(of: $0.value) })"
    }
  }
}

protocol TopLevelDecoding {
  func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}
extension JSONDecoder: TopLevelDecoding {}
extension PropertyListDecoder: TopLevelDecoding {}

extension UndoHistoryArchiveExactnessTests.Page: UndoArchivable {
  static let undoParts = [
    UndoPart<Self>("title", \.title), UndoPart("lines", \.lines), UndoPart("ages", \.ages),
    UndoPart("subtitle", \.subtitle), UndoPart("widths", \.widths), UndoPart("height", \.height),
    UndoPart("date", \.date), UndoPart("words", \.words), UndoPart("ranges", \.ranges),
  ]
}

extension SeededRandom {
  /// A text of letters in several normal forms, and line breaks.
  fileprivate mutating func textInForms() -> String {
    let pieces = [
      "e\u{301}", "\u{e9}", "a", "\u{1100}\u{1161}", "\u{ac00}", "\u{c5}", "\u{212b}", "A\u{30a}", "👨‍👩‍👧", "\n",
    ]
    return (0..<int(in: 0..<3)).map { _ in pieces[int(in: 0..<pieces.count)] }.joined()
  }

  fileprivate mutating func historyOfText() -> UndoHistory<String> {
    var history = UndoHistory(initialValue: textInForms())
    for _ in 0..<int(in: 1..<8) {
      let text = textInForms()
      let label = chance(oneIn: 3) ? textInForms() : nil
      let isWhole = chance(oneIn: 3)
      history.transaction(label) { edit in
        if isWhole { edit.set(text) } else { edit.append(text) }
      }
    }
    history.go(to: .step(int(in: 0..<history.steps.count + 1)))
    return history
  }

  fileprivate mutating func historyOfPage() -> UndoHistory<UndoHistoryArchiveExactnessTests.Page> {
    var history = UndoHistory(initialValue: UndoHistoryArchiveExactnessTests.Page())
    for _ in 0..<int(in: 1..<8) {
      let text = textInForms()
      switch int(in: 0..<4) {
      case 0: history.edit.title = text
      case 1: history.edit.lines.append(contentsOf: [text, textInForms()])
      case 2: history.edit.ages[text] = [textInForms(): int(in: 0..<2)]
      default: history.edit.subtitle.set(text)
      }
    }
    history.go(to: .step(int(in: 0..<history.steps.count + 1)))
    return history
  }
}
