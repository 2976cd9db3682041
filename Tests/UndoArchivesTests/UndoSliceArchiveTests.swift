import Foundation
import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Histories of documents whose collections don't start at index 0, but do so after they were read from a file.
final class UndoSliceArchiveTests: XCTestCase {
  private struct Doc: UndoArchivable, Equatable {
    var bytes = Data()
    var rows = Tail<Row>()

    static let undoParts = [UndoPart<Doc>("bytes", \.bytes), UndoPart("rows", \.rows)]
  }

  private struct Row: UndoArchivable, Equatable {
    var name = ""
    var marks = Tail<Int>()

    static let undoParts = [UndoPart<Row>("name", \.name), UndoPart("marks", \.marks)]
  }

  /// A collection with the indices of a slice, which is decoded as an array.
  private struct Tail<Element: Codable & Equatable>:
    MutableCollection, RangeReplaceableCollection, RandomAccessCollection, Codable, Equatable
  {
    private var elements: ArraySlice<Element> = []

    init() {}
    init(_ elements: [Element], from start: Int) {
      self.elements = (Array(repeating: elements[0], count: start) + elements)[start...]
    }
    init(from decoder: any Decoder) throws { elements = try [Element](from: decoder)[...] }
    func encode(to encoder: any Encoder) throws { try Array(elements).encode(to: encoder) }

    var startIndex: Int { elements.startIndex }
    var endIndex: Int { elements.endIndex }
    subscript(index: Int) -> Element {
      get { elements[index] }
      set { elements[index] = newValue }
    }
    mutating func replaceSubrange(_ range: Range<Int>, with new: some Collection<Element>) {
      elements.replaceSubrange(range, with: new)
    }
  }

  private static func makeDocument() -> Doc {
    let rows = (0..<5).map { Row(name: "row \($0)", marks: Tail([$0, 1, 2, 3], from: 7)) }
    return Doc(bytes: Data(0..<30).dropFirst(4), rows: Tail(rows, from: 3))
  }

  /// The same document as another process reads it.
  private static func decoded(_ document: Doc) throws -> Doc {
    let document = try JSONDecoder().decode(Doc.self, from: JSONEncoder().encode(document))
    expectEqual([document.bytes.startIndex, document.rows.startIndex], [0, 0])
    return document
  }

  /// Compares all states of both.
  private static func expectSameStates(_ restored: UndoHistory<Doc>, _ history: UndoHistory<Doc>) {
    var (restored, history) = (restored, history)
    expectEqual(restored.steps.count, history.steps.count)
    for end in [0, history.steps.count, 0] {
      while history.undoCount != end {
        _ = history.undoCount > end ? history.undo() : history.redo()
        _ = restored.undoCount > end ? restored.undo() : restored.redo()
        guard expectEqual(restored.currentItem, history.currentItem, "\(history.undoCount)") else { return }
      }
    }
  }

  private static func expectSameStates(inTheArchiveOf history: UndoHistory<Doc>) throws {
    let file = try JSONEncoder().encode(history.archive())
    var restored = UndoHistory(initialValue: try Self.decoded(history.currentItem))
    try restored.restoreSteps(from: JSONDecoder().decode(UndoHistory<Doc>.Archive.self, from: file))
    Self.expectSameStates(restored, history)
    // The same document, with its own indices.
    try Self.expectSameStates(history.restoredFromJSON(), history)
  }

  // MARK: Archives

  func testRemovedByteOfASliceIsRestoredAtItsOffset() throws {
    var history = UndoHistory(initialValue: Self.makeDocument())
    history.edit.bytes.remove(at: 4)
    let file = try JSONEncoder().encode(history.archive())
    var restored = UndoHistory(initialValue: try Self.decoded(history.currentItem))
    try restored.restoreSteps(from: JSONDecoder().decode(UndoHistory<Doc>.Archive.self, from: file))
    restored.undo()
    XCTAssertEqual(Array(restored.currentItem.bytes), Array(4..<30))
  }

  /// Edits the bytes, the rows and their properties, and checks an archive and the messages of a log.
  func testRandomEditsOfSlicesAreRestoredAndReplayed() throws {
    try withSeeds(40) { random in
      var history = UndoHistory(initialValue: Self.makeDocument())
      let recorder = UndoRecorder<Doc>(.json)
      recorder.begin(with: &history)
      let document = try Self.decoded(history.currentItem)
      for _ in 0..<20 { history.observed(by: recorder) { Self.edit(&$0, &random) } }
      try Self.expectSameStates(inTheArchiveOf: history)

      expect(recorder.error == nil)
      var replayed = UndoHistory(initialValue: document)
      try recorder.replay(recorder.takeMessages(), in: &replayed)
      Self.expectSameStates(replayed, history)
    }
  }

  private static func edit(_ history: inout UndoHistory<Doc>, _ random: inout SeededRandom) {
    let document = history.currentItem
    let index = document.rows.startIndex + random.int(in: 0..<document.rows.count)
    let (row, number) = (document.rows[index], random.int(in: 0..<256))
    switch random.int(in: 0..<6) {
    case 0: history.undo()
    case 1: history.redo()
    case 2: history.edit.bytes.edit(document.bytes, with: UInt8(number), &random)
    case 3: history.edit.rows.edit(document.rows, with: Row(name: "new", marks: Tail([1, 2, 3], from: 2)), &random)
    case 4: history.edit.rows[index].marks.edit(row.marks, with: number, &random)
    default:
      let count = row.name.utf8.count
      for offset in count..<count + random.int(in: 1..<4) { history.edit.rows[index].name.insert("x", atUTF8: offset) }
    }
  }

  func testSliceThatIsEmptiedAndRefilledIsRestored() throws {
    var history = UndoHistory(initialValue: Self.makeDocument())
    history.edit.bytes.removeAll()
    history.edit.bytes.append(contentsOf: [1, 2, 3])
    history.edit.rows.removeAll()
    history.edit.rows.append(Row(name: "a"))
    history.edit.rows[3].name.append("b")
    history.undo()
    try Self.expectSameStates(inTheArchiveOf: history)
  }
}

extension UndoCursor
where
  Target: MutableCollection & RangeReplaceableCollection & RandomAccessCollection, Target.Index == Int,
  Target.Element: Equatable
{
  /// Makes a random edit; `elements` is the current value.
  fileprivate mutating func edit(
    _ elements: Target, with new: Target.Element, _ random: inout SeededRandom
  ) {
    if elements.count < 3 { return append(contentsOf: [new, new, new]) }
    let first = elements.startIndex + random.int(in: 0..<elements.count)
    let second = elements.startIndex + random.int(in: 0..<elements.count)
    switch random.int(in: 0..<8) {
    case 0: remove(at: first)
    case 1: insert(new, at: first)
    case 2: replaceSubrange(min(first, second)..<max(first, second), with: [new, new])
    case 3: swapAt(first, second)
    case 4: move(from: first, to: second)
    case 5:
      // Removes elements that are far enough apart to be several ranges, and never all of them.
      let kept = elements[first]
      var count = 0
      removeAll {
        count += 1
        return $0 != kept && count % 3 == 0
      }
    case 6: removeFirst()
    default: append(new)
    }
  }
}
