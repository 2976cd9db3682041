import Foundation
import TestSupport
import UndoHistories
import XCTest

/// Assignments of a whole text, as a text field makes them with each key, are recorded as if the key had been typed.
final class UndoHistoryAssigningTests: XCTestCase {
  struct Note: Equatable {
    var title = ""
    var body = ""
    var subtitle: String?
    var count = 0
  }

  struct Document: Equatable {
    var note = Note()
    var rows = [Note(), Note(), Note()]
  }

  // MARK: Ways to assign

  private struct Way<Value> {
    var name: String
    var initial: (String) -> Value
    var text: (Value) -> String
    var press: (inout UndoHistory<Value>, TypingSession.Key, _ whole: String) -> Void
  }

  private static func replay<Value: Equatable>(
    _ session: TypingSession, _ way: Way<Value>, steps: Int?, bytes: Int?, _ tolerance: Double, line: UInt = #line
  ) -> (steps: Int, bytes: Int) {
    let start = way.initial(session.start)
    var history = UndoHistory(initialValue: start)
    var text = session.start
    for key in session.keys {
      key.apply(to: &text)
      way.press(&history, key, text)
    }
    let end = history.currentItem
    expectEqual(way.text(end), text, way.name, line: line)
    let result = (history.undoCount, history.byteCount)
    if let steps {
      expect(abs(Double(result.0 - steps)) <= tolerance * Double(steps), "\(way.name): \(result.0) steps", line: line)
    }
    if let bytes { expect(Double(result.1) <= 1.1 * Double(bytes), "\(way.name): \(result.1) bytes", line: line) }
    for _ in 0..<2 {
      expectEqual(history.allUndone(), start, way.name, line: line)
      expectEqual(history.allRedone(), end, way.name, line: line)
    }
    return result
  }

  /// Replays a session in the document itself, in a field, in an element and in a field of an element.
  ///
  /// Each of them is written in every way that the API has.
  ///
  /// - Parameter tolerance: The allowed difference from the number of steps of inserting, as a fraction of it.
  private static func replayEveryWay(
    _ session: TypingSession, tolerance: Double, line: UInt = #line
  ) -> (steps: Int, bytes: Int) {
    typealias Key = TypingSession.Key
    func insert<Place>(_ cursor: inout UndoCursor<Place, String>, _ key: Key) {
      cursor.replaceSubrange(utf8: key.start..<key.start + key.removed, with: key.inserted)
    }
    let root = { Way<String>(name: $0, initial: { $0 }, text: { $0 }, press: $1) }
    let (steps, bytes) = Self.replay(
      session, root("insert") { history, key, _ in insert(&history.edit, key) }, steps: nil, bytes: nil, tolerance)
    let others: [Way<String>] = [
      root("set") { $0.edit.set($2) }, root("currentItem") { $0.currentItem = $2 },
    ]
    for way in others { _ = Self.replay(session, way, steps: steps, bytes: bytes, tolerance, line: line) }

    let field = {
      Way<Document>(name: $0, initial: { Document(note: Note(body: $0)) }, text: \.note.body, press: $1)
    }
    let fields: [Way<Document>] = [
      field("field, insert") { history, key, _ in insert(&history.edit.note.body, key) },
      field("field, assign") { $0.edit.note.body = $2 },
      field("field, set") { $0.edit.note.body.set($2) },
      field("field, currentItem") { $0.currentItem.note.body = $2 },
    ]
    for way in fields { _ = Self.replay(session, way, steps: steps, bytes: bytes, tolerance, line: line) }

    let element = { Way<[String]>(name: $0, initial: { ["x", $0, "y"] }, text: { $0[1] }, press: $1) }
    let (_, elementBytes) = Self.replay(
      session, element("element, insert") { history, key, _ in insert(&history.edit[1], key) },
      steps: steps, bytes: nil, tolerance)
    let elements: [Way<[String]>] = [
      element("element, assign") { $0.edit[1] = $2 },
      element("element, set") { $0.edit[1].set($2) },
      element("element, currentItem") { $0.currentItem[1] = $2 },
    ]
    for way in elements { _ = Self.replay(session, way, steps: steps, bytes: elementBytes, tolerance, line: line) }

    let row = {
      Way<Document>(
        name: $0,
        initial: {
          var document = Document()
          document.rows[2].title = $0
          return document
        }, text: \.rows[2].title, press: $1)
    }
    let rows: [Way<Document>] = [
      row("row, insert") { history, key, _ in insert(&history.edit.rows[2].title, key) },
      row("row, assign") { $0.edit.rows[2].title = $2 },
      row("row, set") { $0.edit.rows[2].title.set($2) },
      row("row, currentItem") { $0.currentItem.rows[2].title = $2 },
    ]
    for way in rows { _ = Self.replay(session, way, steps: steps, bytes: elementBytes, tolerance, line: line) }
    return (steps, bytes)
  }

  func testEveryWayToAssignTextRecordsAboutTheSameAsInserting() {
    withSeeds(4) { random in
      // The sessions have so few steps that a difference of two steps is five percent.
      let (steps, _) = Self.replayEveryWay(TypingSession(&random, keyCount: 600), tolerance: 0.06)
      expect(steps < 120, "\(steps) steps")
    }
  }

  /// Replays a recorded session.
  ///
  /// `UNSAVED_TRACE` is the path of its file.
  func testRecordedSessionIsReplayedInEveryWay() throws {
    guard let path = ProcessInfo.processInfo.environment["UNSAVED_TRACE"] else {
      throw XCTSkip("UNSAVED_TRACE is not set to the path of a session")
    }
    print("steps, bytes: \(Self.replayEveryWay(try TypingSession(contentsOf: URL(filePath: path)), tolerance: 0.02))")
  }

  // MARK: Joining

  private func type(_ texts: [String], from start: String, steps: Int, bytes: Int? = nil, line: UInt = #line) {
    var history = UndoHistory(initialValue: Document(note: Note(body: start)))
    for text in texts { history.edit.note.body = text }
    XCTAssertEqual(history.undoCount, steps, "\(texts)", line: line)
    if let bytes { XCTAssertEqual(history.byteCount, bytes, "\(texts)", line: line) }
    while history.undo() != nil {}
    XCTAssertEqual(history.note.body, start, line: line)
    while history.redo() != nil {}
    XCTAssertEqual(history.note.body, texts.last, line: line)
  }

  func testRunsOfTypingOrDeletingJoin() {
    type(["H", "He", "Hel", "Hell", "Hello"], from: "", steps: 1, bytes: 32)
    type(["abcd", "abc", "ab"], from: "abcde", steps: 1)
    type(["acd", "ad"], from: "abcd", steps: 1)
    type(["ab", "abc", "ab", "a"], from: "a", steps: 2)
  }

  /// When `xaab` becomes `xaaab`, the typed letter may be any of the three.
  ///
  /// The next key joins only one of them.
  func testRepeatedLetterIsPlacedWhereItJoins() {
    type(["xaaab", "xaqaab", "xaqraab"], from: "xaab", steps: 1)
    type(["qaab", "qaaab", "qaraab"], from: "aab", steps: 1)
    type(["\n\n\n\n", "\nx\n\n\n"], from: "\n\n\n", steps: 1)
    type(["xab", "ab"], from: "xaab", steps: 1)
    type(["ééé", "xééé"], from: "éé", steps: 2)
  }

  func testReplacedOrCompletedWordIsAStep() {
    type(["te", "teh", "the", "the "], from: "t", steps: 3)
    type(["abs", "absolute", "absolute "], from: "ab", steps: 3)
    type(["one two", "one 2", "one 2!"], from: "one", steps: 2)
    type(["a", "a\n  ", "a\n  b"], from: "", steps: 1)
  }

  /// The inserted scalars begin within the first character, which has no character before it.
  func testCompletingTheFirstCharacterIsUndoneWithIt() {
    var history = UndoHistory(initialValue: "")
    history.edit.set("\u{1112}")
    history.edit.set("\u{1112}\u{1161}\u{11ab}")
    history.undo()
    expectEqual(Array(history.currentItem.utf8), [])
  }

  func testTypingInAnOptionalTextJoinsAndClearingItIsAStep() {
    var history = UndoHistory(initialValue: Note())
    for text in ["a", "ab", "abc"] { history.edit.subtitle = text }
    XCTAssertEqual(history.undoCount, 1)
    history.edit.subtitle = nil
    history.edit.subtitle = nil
    XCTAssertEqual(history.undoCount, 2)
    XCTAssertEqual(history.undone().subtitle, "abc")
    history.undo()
    XCTAssertNil(history.subtitle)
  }

  func testTypingElsewhereOrAfterABreakDoesNotJoin() {
    var history = UndoHistory(initialValue: Document())
    history.edit.note.title = "a"
    history.edit.note.body = "b"
    history.edit.rows[0].body = "b"
    history.edit.rows[1].body = "b"
    XCTAssertEqual(history.undoCount, 4)
    history.endCoalescing()
    history.edit.rows[1].body = "bc"
    XCTAssertEqual(history.undoCount, 5)
    history.coalescing = .none
    history.edit.rows[1].body = "bcd"
    XCTAssertEqual(history.undoCount, 6)
  }

  func testTextChangedTogetherWithAnotherMemberDoesNotJoin() {
    var history = UndoHistory(initialValue: Note())
    for text in ["a", "ab"] {
      history.currentItem = Note(title: text, count: text.utf8.count)
    }
    XCTAssertEqual(history.undoCount, 2)
  }

  func testTypingJoinsUnderALimitAndASaveEndsTheStep() {
    var history = UndoHistory(initialValue: Note())
    history.limit = .steps(3, bytes: 4096)
    for count in 1...50 { history.edit.body = String(repeating: "x", count: count) }
    let save = history.beginSave()
    XCTAssertEqual(history.undoCount, 1)
    history.edit.body.append("!")
    history.finishSave(save)
    XCTAssertEqual(history.undoCount, 2)
    history.undo()
    XCTAssertFalse(history.isDirty)
  }

  // MARK: Differences

  /// Texts of at most two machine words are compared in a path of their own, so all lengths of both ends are tested.
  func testShortTextsRecordOnlyTheDifference() {
    let lengths = (0...9).flatMap { start in (0...9).map { (start, $0) } }
    let middles = (0...4).flatMap { removed in (0...4).map { (removed, $0) } }.dropFirst()
    for ((start, end), (removed, inserted)) in lengths.flatMap({ lengths in middles.map { (lengths, $0) } }) {
      let (first, last) = ("abcdefghi".prefix(start), "rstuvwxyz".suffix(end))
      let (old, new) = (first + "1234".prefix(removed) + last, first + "5678".prefix(inserted) + last)
      var history = UndoHistory(initialValue: Note(body: String(old)))
      history.edit.body = String(new)
      XCTAssertEqual(history.body, String(new))
      let range = UndoEdit.Kind.elements(.range(old: start..<start + inserted, new: start..<start + removed))
      XCTAssertEqual(history.undo()?.edits.first?.kind, range, "\(old) to \(new)")
    }
  }

  /// The lengths are around one and two machine words, and around the pieces in which long texts are compared.
  func testRandomTextsRecordOnlyTheDifference() {
    let letters = ["a", "b", "é", "e\u{301}", "€", "👍"]
    withSeeds(400) { random in
      func text(_ count: Int) -> String {
        (0..<count).reduce(into: "") { text, _ in text += letters.randomElement(using: &random) ?? "" }
      }
      let (ends, middle) = random.chance(oneIn: 2) ? (4, 4) : (40, 10)
      let (start, end) = (text(.random(in: 0...ends, using: &random)), text(.random(in: 0...ends, using: &random)))
      let middles = (0..<2).map { _ in text(.random(in: 0...middle, using: &random)) }
      let (old, new) = (start + middles[0] + end, start + middles[1] + end)
      let scalars = (Array(old.unicodeScalars), Array(new.unicodeScalars))
      let common = zip(scalars.0, scalars.1).prefix { $0 == $1 }.count
      let rest = (scalars.0.dropFirst(common), scalars.1.dropFirst(common))
      let tail = zip(rest.0.reversed(), rest.1.reversed()).prefix { $0 == $1 }.count
      func bytes(_ scalars: some Sequence<Unicode.Scalar>) -> Int { scalars.reduce(0) { $0 + UTF8.width($1) } }
      let offset = bytes(scalars.0.prefix(common))
      let lengths = (bytes(rest.0.dropLast(tail)), bytes(rest.1.dropLast(tail)))

      var history = UndoHistory(initialValue: Note())
      history.coalescing = .none
      history.edit.body = old
      history.edit.body = new
      expectEqual(history.body, new)
      expectEqual(history.undoCount, (old.isEmpty ? 0 : 1) + (old.utf8.elementsEqual(new.utf8) ? 0 : 1))
      if lengths != (0, 0) {
        let range = UndoEdit.Kind.elements(.range(old: offset..<offset + lengths.1, new: offset..<offset + lengths.0))
        expectEqual(history.undo()?.edits.first?.kind, range)
        expectEqual(history.body, old)
        history.redo()
      }
      history.edit.body = new
      expectEqual(history.body, new)
    }
  }

  /// The setter of a collection may change a new element, or ignore it.
  func testTextThatACollectionModifiesIsRecordedAsStored() {
    struct Lines: RandomAccessCollection, MutableCollection {
      var texts = ["ABC", "X"]
      var startIndex: Int { 0 }
      var endIndex: Int { texts.count }
      subscript(index: Int) -> String {
        get { texts[index] }
        set { if newValue != "refused" { texts[index] = String(newValue.uppercased().prefix(5)) } }
      }
    }
    var history = UndoHistory(initialValue: Lines())
    history.coalescing = .none
    history.edit[0] = "abcdefghi"
    history.edit[0] = "refused"
    history.edit[1] = "xyz"
    XCTAssertEqual(history.undoCount, 2)
    for _ in 0..<2 {
      XCTAssertEqual(history.texts, ["ABCDE", "XYZ"])
      XCTAssertEqual(history.undone().texts, ["ABCDE", "X"])
      XCTAssertEqual(history.undone().texts, ["ABC", "X"])
      history.go(to: .step(2))
    }
  }

  // MARK: Restored states

  /// Each state that undo restores was there before, and the states come in reverse order.
  ///
  /// The test uses few letters, so that nearly every edit can be placed in more than one way.
  func testUndoRestoresOnlyEarlierStates() {
    withSeeds(400) { random in
      var history = UndoHistory(initialValue: Note())
      history.coalescing = random.chance(oneIn: 4) ? .none : .typing
      var states = [""]
      var text = ""
      for _ in 0..<60 {
        let key = TypingSession(&random, keyCount: 1, over: text, letters: ["a", "b", "é"]).keys[0]
        key.apply(to: &text)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: history.edit.body.replaceSubrange(utf8: key.start..<key.start + key.removed, with: key.inserted)
        case 1: history.currentItem.body = text
        default: history.edit.body = text
        }
        states.append(text)
        expectEqual(history.body, text)
        if random.chance(oneIn: 12) { history.endCoalescing() }
      }
      for _ in 0..<2 {
        var index = states.count - 1
        while history.undo() != nil {
          let found = states[..<index].lastIndex(of: history.body)
          expect(found != nil, "\(history.body) was not there before \(states[index])")
          index = found ?? index
        }
        expectEqual(history.body, "")
        while history.redo() != nil {}
        expectEqual(history.body, text)
      }
    }
  }
}
