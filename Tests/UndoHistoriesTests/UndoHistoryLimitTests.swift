import Foundation
import TestSupport
import UndoHistories
import XCTest

/// A limit of bytes counts the memory that steps keep alive, for every kind of edit.
final class UndoHistoryLimitTests: XCTestCase {
  private let limit = 6_400

  private static func hundreds(_ count: Int, _ number: Int = 0) -> [UInt8] {
    Array(repeating: UInt8(truncatingIfNeeded: number), count: count * 100)
  }

  /// Edits of every kind that records large values.
  ///
  /// Each retains about 1 KB.
  private static let edits: [(name: String, edit: @Sendable (inout UndoHistory<Desk>, Int) -> Void)] = [
    ("currentItem of an array", { $0.currentItem.bytes = hundreds(10, $1) }),
    ("currentItem of a struct", { $0.currentItem.folder = Folder(pages: [hundreds(10, $1)], name: "\($1)") }),
    ("currentItem of data", { $0.currentItem.data = Data(hundreds(10, $1)) }),
    ("currentItem of a dictionary", { $0.currentItem.table["x"] = hundreds(10, $1) }),
    ("currentItem of an enum", { $0.currentItem.choice = .pages(hundreds(10, $1)) }),
    ("currentItem of an existential", { $0.currentItem.any = hundreds(10, $1) }),
    ("currentItem of a text", { $0.currentItem.text = String(repeating: "\($1 % 10)", count: 1_000) }),
    ("currentItem of an element", { $0.currentItem.folders[0].pages[0] = hundreds(10, $1) }),
    (
      "remove(at:) and insert",
      { history, number in
        history.edit.folders.remove(at: 0)
        history.edit.folders.insert(Folder(pages: [hundreds(10, number)], name: ""), at: 0)
      }
    ),
    (
      "replaceSubrange",
      { $0.edit.folders.replaceSubrange(0..<1, with: [Folder(pages: [hundreds(10, $1)], name: "\($1)")]) }
    ),
    (
      "removeAll(where:)",
      { history, number in
        history.edit.folders.append(contentsOf: [
          Folder(pages: [hundreds(10)], name: "-"), Folder(pages: [], name: "+"),
        ])
        history.edit.folders.append(Folder(pages: [hundreds(10)], name: "-"))
        history.edit.folders.removeAll { $0.name == "-" }
        history.edit.folders.removeAll { $0.name == "+" }
      }
    ),
    ("set of an array", { $0.edit.bytes.set(hundreds(10, $1)) }),
    ("set of a struct", { $0.edit.folder.set(Folder(pages: [hundreds(10, $1)], name: "")) }),
    ("set of an element", { $0.edit.folders[0].set(Folder(pages: [hundreds(10, $1)], name: "")) }),
    ("a key of a dictionary", { $0.edit.table["x"] = hundreds(10, $1) }),
    ("updateValue", { $0.edit.table.updateValue(hundreds(10, $1), forKey: "x") }),
    (
      "a member of a set",
      { history, number in
        history.edit.marks.insert(hundreds(10, number))
        history.edit.marks.remove(hundreds(10, number))
      }
    ),
    ("a value that is not a leaf", { $0.edit.data.set(Data(hundreds(10, $1))) }),
  ]

  func testByteLimitHoldsForEveryKindOfEdit() {
    for (name, edit) in Self.edits {
      var history = UndoHistory(initialValue: Desk())
      history.limit = .bytes(limit)
      for number in 1...50 {
        edit(&history, number)
        XCTAssertLessThanOrEqual(history.byteCount, limit, name)
      }
      XCTAssertGreaterThan(history.undoCount, 0, name)
      XCTAssertLessThan(history.undoCount, 15, "\(name): retained bytes are not counted")
      for _ in 0..<2 {
        while history.canUndo { history.undo() }
        XCTAssertEqual(history.byteCount, history.steps.reduce(0) { $0 + $1.byteCount }, name)
        while history.canRedo { history.redo() }
        XCTAssertEqual(history.byteCount, history.steps.reduce(0) { $0 + $1.byteCount }, name)
      }
    }
  }

  func testByteCountStaysConsistentWithTheSteps() {
    for (name, edit) in Self.edits {
      var history = UndoHistory(initialValue: Desk())
      history.limit = .bytes(.max - 1)
      for number in 1...20 { edit(&history, number) }
      for _ in 0..<7 { history.undo() }
      for _ in 0..<7 { history.redo() }
      let (count, fork) = (history.byteCount, history)
      XCTAssertEqual(count, history.steps.reduce(0) { $0 + $1.byteCount }, name)
      history.limit = .unlimited
      XCTAssertLessThanOrEqual(history.byteCount, count, name)
      history.limit = .bytes(.max - 1)
      XCTAssertEqual([history.byteCount, fork.byteCount], [count, count], name)
      history.limit = .bytes(1)
      XCTAssertEqual(history.undoCount, 1, name)
      history.removeAllSteps()
      XCTAssertEqual(history.byteCount, 0, name)
    }
  }

  func testByteLimitSetLaterMeasuresAllSteps() {
    for (name, edit) in Self.edits {
      var history = UndoHistory(initialValue: Desk())
      for number in 1...50 { edit(&history, number) }
      for _ in 0..<2 { history.undo() }
      let fork = history
      history.limit = .bytes(limit)
      XCTAssertLessThanOrEqual(history.byteCount, limit, name)
      XCTAssertGreaterThan(fork.undoCount, history.undoCount, name)
      edit(&history, 51)
      XCTAssertLessThanOrEqual(history.byteCount, limit, name)
    }
  }

  func testStepLimitDoesNotChangeTheByteCount() {
    var (limited, plain) = (UndoHistory(initialValue: Desk()), UndoHistory(initialValue: Desk()))
    limited.limit = .steps(1_000)
    for (_, edit) in Self.edits {
      edit(&limited, 1)
      edit(&plain, 1)
    }
    XCTAssertEqual(limited.byteCount, plain.byteCount)
  }

  func testSharedBufferCountsInFull() {
    let shared = Self.hundreds(100)
    var history = UndoHistory(initialValue: [[UInt8]]())
    history.limit = .bytes(100_000)
    for _ in 0..<100 {
      history.edit.append(shared)
      history.edit.removeLast()
    }
    XCTAssertLessThan(history.undoCount, 20)
    // A slice keeps the whole buffer alive.
    var slices = UndoHistory(initialValue: [ArraySlice<UInt8>]())
    slices.limit = .bytes(100_000)
    for _ in 0..<100 {
      slices.edit.append(shared[5_000..<5_001])
      slices.edit.removeLast()
    }
    XCTAssertLessThan(slices.undoCount, 40)
    var texts = UndoHistory(initialValue: [Substring]())
    texts.limit = .bytes(100_000)
    let text = String(repeating: "x", count: 10_000)
    for _ in 0..<100 {
      texts.edit.append(text.dropFirst(9_999))
      texts.edit.removeLast()
    }
    XCTAssertLessThan(texts.undoCount, 20)
  }

  func testByteCountOfDataStaysTheSame() {
    var history = UndoHistory(initialValue: [Data([1, 2, 3]), Data(count: 10_000)])
    history.limit = .bytes(.max - 1)
    history.edit.remove(at: 0)
    history.edit.remove(at: 0)
    XCTAssertGreaterThan(history.byteCount, 10_000)
    var kept: [[UInt8]] = []
    for size in 1..<2_000 {
      XCTAssertEqual(history.byteCount, history.steps.reduce(0) { $0 + $1.byteCount })
      kept.append(Array(repeating: 1, count: size % 97))
    }
  }

  func testByteCountIncludesDeletedTextAsItGrows() {
    var history = UndoHistory(initialValue: String(repeating: "some text ", count: 10_000))
    history.limit = .bytes(.max - 1)
    for _ in 0..<500 {
      history.edit.removeSubrange(utf8: 5_000..<5_003, as: .typing)
      XCTAssertEqual(history.byteCount, history.steps.reduce(0) { $0 + $1.byteCount })
    }
    history.transaction { edit in
      for _ in 0..<500 { edit.removeSubrange(utf8: 100..<103) }
    }
    XCTAssertEqual(history.byteCount, history.steps.reduce(0) { $0 + $1.byteCount })
    XCTAssertEqual(history.undoCount, 2)
  }

  /// The limit may remove the chunk in which the step before lies.
  func testTypingJoinsAStepThatDroppedTheOneBefore() {
    struct Page { var title = "", note: String?, names: [Int: String] = [:], lines = [""], number = 0 }
    let edits: [(Int, String, inout UndoHistory<Page>.Editor) -> Void] = [
      { key, text, edit in edit.names[key] = text },
      { _, text, edit in edit.title.append(text.last.map(String.init) ?? "") },
      { _, text, edit in edit.title = text },
      { _, text, edit in edit.note = text },
      { _, text, edit in edit.lines[0].append(text.last.map(String.init) ?? "") },
      { _, text, edit in edit.lines[0] = text },
    ]
    for (index, type) in edits.enumerated() {
      for limit in [UndoLimit.steps(1), .bytes(40)] {
        var history = UndoHistory(initialValue: Page())
        history.limit = limit
        for key in 0..<100 {
          history.edit.set(Page(number: key))
          let before = history.currentItem
          type(key, "a", &history.edit)
          type(key, "ab", &history.edit)
          history.undo()
          XCTAssertEqual(history.currentItem.title, before.title, "edit \(index), \(key)")
          XCTAssertEqual(history.currentItem.note, before.note, "edit \(index), \(key)")
          XCTAssertEqual(history.currentItem.names, before.names, "edit \(index), \(key)")
          XCTAssertEqual(history.currentItem.lines, before.lines, "edit \(index), \(key)")
          history.redo()
        }
      }
    }
  }
}

private struct Folder {
  var pages: [[UInt8]]
  var name: String
}

private enum Choice {
  case none
  case pages([UInt8])
}

private struct Desk {
  var title = "a title"
  var bytes = [UInt8](repeating: 1, count: 1_000)
  var text = String(repeating: "x", count: 1_000)
  var data = Data(repeating: 1, count: 1_000)
  var folder = Folder(pages: [[UInt8](repeating: 1, count: 1_000)], name: "a")
  var folders = [Folder(pages: [[UInt8](repeating: 1, count: 1_000)], name: "a")]
  var table = ["x": [UInt8](repeating: 1, count: 1_000)]
  var marks: Set<[UInt8]> = []
  var choice = Choice.pages([UInt8](repeating: 1, count: 1_000))
  var any: Any = [UInt8](repeating: 1, count: 1_000)
}
