import TestSupport
import UndoHistories
import XCTest

#if canImport(Glibc)
  import Glibc
#endif

/// Values that differ only in their dynamic type or in state that no mirror shows.
///
/// Replacing one of them by the other records a step.
final class UndoHistoryDynamicTypeTests: XCTestCase {
  /// Makes an edit in each of several ways, and expects that each records a step that can be undone and redone.
  private func expectSteps<Value>(
    from old: Value, to new: Value, told: (Value) -> String,
    _ edits: [(inout UndoHistory<Value>, Value) -> Void], line: UInt = #line
  ) {
    XCTAssertNotEqual(told(old), told(new), "the test needs two different values", line: line)
    let assignment = { (history: inout UndoHistory<Value>, value: Value) in history.currentItem = value }
    for (number, edit) in ([assignment] + edits).enumerated() {
      var history = UndoHistory(initialValue: old)
      edit(&history, new)
      XCTAssertEqual(told(history.currentItem), told(new), "edit \(number): the edit was lost", line: line)
      XCTAssertEqual(history.undoCount, 1, "edit \(number)", line: line)
      XCTAssertTrue(history.isDirty, "edit \(number)", line: line)
      history.undo()
      XCTAssertEqual(told(history.currentItem), told(old), "edit \(number)", line: line)
      history.redo()
      XCTAssertEqual(told(history.currentItem), told(new), "edit \(number)", line: line)
    }
  }

  /// Replaces the element of an array with one element in each of several ways.
  private func expectSteps<Element>(
    ofElement old: Element, to new: Element, told: (Element) -> String, line: UInt = #line
  ) {
    expectSteps(
      from: [old], to: [new], told: { told($0[0]) },
      [
        { $0.edit.replaceSubrange(0..<1, with: $1) }, { $0.edit.set($1) }, { $0.edit[0].set($1[0]) },
        {
          $0.edit.sort { _, _ in false }; $0.currentItem[0] = $1[0]
        },
      ], line: line)
  }

  // MARK: Dynamic types

  func testElementOfAnotherDynamicTypeRecordsAStep() {
    expectSteps(ofElement: Circle() as any Shape, to: Square()) { "\(type(of: $0))" }
    expectSteps(ofElement: Circle() as Any, to: Square()) { "\(type(of: $0))" }
    expectSteps(ofElement: Circle() as Any?, to: Square()) { $0.map { "\(type(of: $0))" } ?? "" }
    expectSteps(ofElement: Circle() as (any Shape)?, to: Square()) { $0.map { "\(type(of: $0))" } ?? "" }
    expectSteps(ofElement: 1 as Any, to: 1 as UInt) { "\(type(of: $0))" }
    expectSteps(ofElement: "text" as Any, to: ["text"]) { "\(type(of: $0))" }
    expectSteps(ofElement: Int?.none as Any, to: UInt?.none as Any) { "\(type(of: $0))" }
    expectSteps(ofElement: Circle.self as Any, to: Square.self) { "\($0)" }
    expectSteps(ofElement: AnyHashable(Circle()), to: AnyHashable(Square())) { "\(type(of: $0.base))" }
  }

  func testChangedDynamicTypeIsFoundAtAnyDepth() {
    func name(_ shape: (any Shape)?) -> String { shape.map { "\(type(of: $0))" } ?? "none" }
    let (old, new): (any Shape, any Shape) = (Circle(), Square())
    expectSteps(ofElement: [old], to: [new]) { name($0[0]) }
    expectSteps(ofElement: ["key": old], to: ["key": new]) { name($0["key"]) }
    expectSteps(ofElement: (old, 1), to: (new, 1)) { name($0.0) }
    expectSteps(ofElement: Drawing.one(old), to: .one(new)) { name($0.shapes[0]) }
    expectSteps(ofElement: Drawing.many([old], "x"), to: .many([new], "x")) { name($0.shapes[0]) }
    expectSteps(ofElement: Holder(shape: old), to: Holder(shape: new)) { name($0.shape) }
    expectSteps(from: Holder(shape: old), to: Holder(shape: new), told: { name($0.shape) }, [{ $0.edit.set($1) }])
    expectSteps(from: ["key": old], to: ["key": new], told: { name($0["key"]) }) {
      [{ $0.edit.set($1) }, { $0.edit.updateValue($1["key"]!, forKey: "key") }]
    }
    let nested: (any Shape, any Shape) = (Group(shapes: [old]), Group(shapes: [new]))
    expectSteps(ofElement: nested.0, to: nested.1) { name(($0 as? Group)?.shapes[0]) }
  }

  private func expectSteps<Value>(
    from old: Value, to new: Value, told: (Value) -> String,
    edits: () -> [(inout UndoHistory<Value>, Value) -> Void], line: UInt = #line
  ) {
    expectSteps(from: old, to: new, told: told, edits(), line: line)
  }

  func testCustomEqualityDoesNotHideAnEdit() {
    let (old, new) = (Sheet(id: 1, shapes: [Circle()]), Sheet(id: 1, shapes: [Square()]))
    XCTAssertEqual(old, new)
    let told = { (sheet: Sheet) in "\(type(of: sheet.shapes[0]))" }
    expectSteps(from: old, to: new, told: told, [{ $0.currentItem.shapes = $1.shapes }, { $0.edit.set($1) }])
    expectSteps(ofElement: old, to: new, told: told)
    expectSteps(from: [1: old], to: [1: new], told: { told($0[1]!) }, [{ $0.edit[1] = $1[1] }])
  }

  func testCustomMirrorDoesNotHideAnEdit() {
    expectSteps(ofElement: Secret(word: "a"), to: Secret(word: "b")) { $0.word }
    expectSteps(ofElement: Secret(word: "a") as Any, to: Secret(word: "b")) { ($0 as! Secret).word }
    expectSteps(ofElement: [Secret(word: "a")], to: [Secret(word: "b")]) { $0[0].word }
    expectSteps(from: Secret(word: "a"), to: Secret(word: "b"), told: \.word, [{ $0.edit.set($1) }])
    expectSteps(ofElement: Quiet.one, to: .two) { $0.name }
  }

  func testChangeOfACollectionsOtherPropertyIsRecorded() {
    let (old, new) = (Playlist(name: "old", songs: [1, 2, 3]), Playlist(name: "new", songs: [1, 2, 3]))
    expectSteps(from: old, to: new, told: \.name, [{ $0.edit.set($1) }, { $0.currentItem.name = $1.name }])
    expectSteps(ofElement: old, to: new, told: \.name)
    var both = UndoHistory(initialValue: old)
    both.currentItem = Playlist(name: "new", songs: [1, 7, 3])
    XCTAssertEqual(both.undone().name, "old")
    XCTAssertEqual(both.currentItem.songs, [1, 2, 3])
  }

  func testEditingElementsKeepsACollectionsOtherProperties() {
    var history = UndoHistory(initialValue: Playlist(name: "mine", songs: [1, 2, 3]))
    history.edit.replaceSubrange(0..<3, with: [1, 2, 3])
    XCTAssertEqual([history.currentItem.name, "\(history.undoCount)"], ["mine", "0"])
    history.edit.replaceSubrange(0..<3, with: [4])
    history.edit.removeAll()
    XCTAssertEqual([history.currentItem.name, "\(history.currentItem.songs)"], ["mine", "[]"])
    history.go(to: .step(0))
    XCTAssertEqual([history.currentItem.name, "\(history.currentItem.songs)"], ["mine", "[1, 2, 3]"])
  }

  // MARK: State that no mirror shows

  #if canImport(Glibc)
    func testChangedBitFieldRecordsAStep() {
      func info(_ bits: UInt8) -> tcp_info {
        var info = tcp_info()
        // The two fields of four bits lie before `tcpi_rto`; no mirror shows them.
        info.tcpi_snd_wscale = bits
        return info
      }
      expectSteps(ofElement: info(3), to: info(4)) { "\($0.tcpi_snd_wscale)" }
      expectSteps(ofElement: Connection(info: info(3)), to: Connection(info: info(4))) { "\($0.info.tcpi_snd_wscale)" }
      expectSteps(ofElement: [info(3)], to: [info(4)]) { "\($0[0].tcpi_snd_wscale)" }
    }

    func testChangedUnionRecordsAStep() {
      func address(_ last: UInt32) -> in6_addr {
        var address = in6_addr()
        unsafe address.__in6_u.__u6_addr32.3 = last
        return address
      }
      expectSteps(ofElement: address(3), to: address(4)) { unsafe "\($0.__in6_u.__u6_addr32.3)" }
      expectSteps(ofElement: (1, address(3)), to: (1, address(4))) { unsafe "\($0.1.__in6_u.__u6_addr32.3)" }
    }

    func testChangedInlineArrayRecordsAStep() {
      struct Row {
        var name = "a name that is longer than fifteen bytes"
        var numbers: InlineArray<3, Int>
        var texts: InlineArray<2, String>
      }
      func row(_ number: Int) -> Row {
        Row(numbers: [1, number, 3], texts: ["x", "a long text to be kept: \(number)"])
      }
      expectSteps(ofElement: row(1), to: row(2)) { "\($0.numbers[1]) \($0.texts[1])" }
      expectSteps(from: row(1), to: row(2), told: { "\($0.numbers[1]) \($0.texts[1])" }, [{ $0.edit.set($1) }])
      var limited = UndoHistory(initialValue: row(1))
      limited.limit = .bytes(1_000)
      limited.currentItem = row(2)
      XCTAssertEqual(limited.undoCount, 1)
    }

    private struct Connection {
      var host = "a name that is longer than fifteen bytes"
      var info: tcp_info
    }
  #endif

  // MARK: Equal values

  func testEqualValueInAnExistentialRecordsNoStep() {
    func text() -> String { (0..<40).map { "\($0)" }.joined() }
    func shapes() -> [any Shape] { [Label(text: text()), Group(shapes: [Label(text: text())])] }
    var history = UndoHistory(initialValue: shapes())
    history.edit.replaceSubrange(0..<2, with: shapes())
    XCTAssertEqual(history.undoCount, 0)
    var values = UndoHistory(initialValue: [text() as Any, [text()], Optional(text()) as Any])
    values.edit.replaceSubrange(0..<3, with: [text(), [text()], Optional(text()) as Any])
    XCTAssertEqual(values.undoCount, 0)
    var keyed = UndoHistory(initialValue: [AnyHashable(text())])
    keyed.edit.replaceSubrange(0..<1, with: [AnyHashable(text())])
    XCTAssertEqual(keyed.undoCount, 0)
  }
}

private protocol Shape {}

private struct Circle: Shape, Hashable {
  var size = 1
}

private struct Square: Shape, Hashable {
  var size = 1
}

private struct Label: Shape {
  var text: String
}

private struct Group: Shape {
  var shapes: [any Shape]
}

private struct Holder {
  var name = "a name that is longer than fifteen bytes"
  var shape: any Shape
}

private enum Drawing {
  case one(any Shape)
  case many([any Shape], String)

  var shapes: [any Shape] {
    switch self {
    case .one(let shape): [shape]
    case .many(let shapes, _): shapes
    }
  }
}

private struct Sheet: Equatable {
  var id: Int
  var shapes: [any Shape]

  static func == (a: Sheet, b: Sheet) -> Bool { a.id == b.id }
}

private struct Secret: CustomReflectable {
  var word: String
  var customMirror: Mirror { Mirror(self, children: ["word": "hidden"]) }
}

private enum Quiet: CustomStringConvertible {
  case one, two

  var description: String { "quiet" }
  var name: String { self == .one ? "one" : "two" }
}

/// A collection with a property besides its elements.
private struct Playlist: MutableCollection, RangeReplaceableCollection, RandomAccessCollection {
  var name = ""
  var songs: [Int] = []

  var startIndex: Int { 0 }
  var endIndex: Int { songs.count }
  subscript(position: Int) -> Int {
    get { songs[position] }
    set { songs[position] = newValue }
  }

  init() {}
  init(name: String, songs: [Int]) { (self.name, self.songs) = (name, songs) }

  mutating func replaceSubrange<C: Collection<Int>>(_ range: Range<Int>, with elements: C) {
    songs.replaceSubrange(range, with: elements)
  }
}
