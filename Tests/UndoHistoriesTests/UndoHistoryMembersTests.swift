import Foundation
import TestSupport
import UndoHistories
import XCTest

/// An assignment of `currentItem` records only the changed members of a struct, at any depth.
final class UndoHistoryMembersTests: XCTestCase {
  private let pages = Array(0..<1_000)
  private let longText = "a text that is longer than fifteen bytes"

  private func document() -> Book {
    Book(
      title: longText, pages: pages,
      cover: Cover(isHard: true, caption: longText, size: Size(width: 1, height: 2)),
      chapters: (0..<5).map { Chapter(name: "\($0) \(longText)", notes: pages) })
  }

  /// Makes a change through `currentItem`, and expects one step of this size that is undone and redone exactly.
  private func check(
    bytes: Int, file: StaticString = #filePath, line: UInt = #line, _ change: (inout Book) -> Void
  ) {
    var history = UndoHistory(initialValue: document())
    var expected = document()
    change(&expected)
    change(&history.currentItem)
    XCTAssertEqual([history.undoCount, history.byteCount], [1, bytes], file: file, line: line)
    for _ in 0..<2 {
      XCTAssertEqual(history.undone().description, document().description, file: file, line: line)
      XCTAssertEqual(history.redone().description, expected.description, file: file, line: line)
    }
  }

  func testOnlyTheChangedMemberIsRecorded() {
    check(bytes: 16) { $0.year += 1 }
    check(bytes: 16) { $0.isLent = true }
    check(bytes: 24) { $0.price = 3 }
    check(bytes: 32) { $0.title.append("!") }
    check(bytes: 32 + 32 + longText.utf8.count) { $0.title = "" }
    check(bytes: 24) { $0.pages[17] = -1 }
    check(bytes: 32) { $0.pages.append(1) }
    check(bytes: 40) { $0.index["x"] = 1 }
  }

  func testOnlyTheChangedNestedMemberIsRecorded() {
    check(bytes: 16) { $0.cover.isHard = false }
    check(bytes: 32) { $0.cover.caption += "!" }
    check(bytes: 16) { $0.cover.size.width = 3 }
    check(bytes: 16) { $0.span.1 = 3 }
    check(bytes: 40) { $0.chapters[3].name += "!" }
    check(bytes: 32) { $0.chapters[3].notes[7] = -1 }
    check(bytes: 32) { $0.sequel = Sequel(name: "x", number: 2) }
  }

  func testMembersThatChangeTogetherAreOneStep() {
    check(bytes: 16 + 32 + 40) {
      $0.year = 1
      $0.title += "!"
      $0.chapters[0].name += "!"
    }
    var history = UndoHistory(initialValue: document())
    history.currentItem.year = 1
    history.currentItem.year = 1
    history.currentItem = history.currentItem
    XCTAssertEqual(history.undoCount, 1)
    XCTAssertEqual(history.undo()?.touches(\.year), true)
    XCTAssertEqual(history.redo()?.touches(\.title), false)
  }

  func testSmallMembersThatAllChangeAreRecordedAsOne() {
    var history = UndoHistory(initialValue: Size(width: 1, height: 2))
    history.currentItem = Size(width: 3, height: 4)
    XCTAssertEqual([history.undoCount, history.byteCount], [1, 8 + MemoryLayout<Size>.size])
    XCTAssertEqual(history.undone().description, Size(width: 1, height: 2).description)
  }

  func testGenericCodeRecordsOnlyTheChange() {
    func bytes<Value>(_ value: Value, _ change: (inout Value) -> Void) -> [Int] {
      var history = UndoHistory(initialValue: value)
      change(&history.currentItem)
      return [history.undoCount, history.byteCount]
    }
    XCTAssertEqual(bytes(document()) { $0.cover.size.height = 7 }, [1, 16])
    XCTAssertEqual(bytes(pages) { $0[3] = 7 }, [1, 24])
    XCTAssertEqual(bytes(longText) { $0 += "x" }, [1, 32])
    XCTAssertEqual(bytes(["a": 1, "b": 2, "c": 3]) { $0["a"] = 7 }, [1, 40])
    XCTAssertEqual(bytes(Data(repeating: 7, count: 1_000)) { $0[3] = 8 }, [1, 24])
    XCTAssertEqual(bytes(Optional(document())) { $0?.year = 7 }, [1, 16])
  }

  // MARK: Members that are recorded together

  func testStrongUnownedAndWeakReferencesAreUndoneAndRedone() {
    withLifetimeTracking { tracker in
      let objects = tracker.instances(0..<4).map { Node($0) }
      var history = UndoHistory(initialValue: Referring(strong: objects[0], unowned: objects[0], weak: objects[0]))
      history.currentItem.strong = objects[1]
      history.currentItem.unowned = objects[2]
      history.currentItem.weak = objects[3]
      history.currentItem.optional = objects[1]
      history.currentItem.action = { 7 }
      history.currentItem.name = "a name that is longer than fifteen bytes"
      XCTAssertEqual(history.undoCount, 6)
      for _ in 0..<3 {
        while history.canUndo { history.undo() }
        XCTAssertTrue(history.strong === objects[0] && history.unowned === objects[0] && history.weak === objects[0])
        XCTAssertTrue(history.optional == nil && history.action() == 1 && history.name == "")
        while history.canRedo { history.redo() }
        XCTAssertTrue(history.strong === objects[1] && history.unowned === objects[2] && history.weak === objects[3])
        XCTAssertTrue(history.optional === objects[1] && history.action() == 7 && history.name != "")
      }
      history.removeAllSteps()
      history.currentItem.strong = objects[0]
      withExtendedLifetime(objects) {}
    }
  }

  func testWeakAndUnownedReferencesDoNotRetainTheirObjects() {
    withLifetimeTracking { tracker in
      let objects = tracker.instances(0..<2).map { Node($0) }
      func check<Value>(_ old: Value, _ new: Value, told: (Value) -> Node?, line: UInt = #line) {
        var history = UndoHistory(initialValue: old)
        history.currentItem = new
        XCTAssertEqual(history.undoCount, 1, line: line)
        for _ in 0..<4 {
          history.undo()
          XCTAssertTrue(told(history.currentItem) === told(old), line: line)
          history.redo()
          XCTAssertTrue(told(history.currentItem) === told(new), line: line)
        }
      }
      struct Unowned {
        var name = ""
        unowned var node: Node?
      }
      struct WeakExistential {
        var name = ""
        weak var node: (any Named)?
      }
      struct UnownedExistential {
        var name = ""
        unowned var node: (any Named)?
      }
      struct UnownedNamed {
        var name = ""
        unowned var node: any Named
      }
      check(Unowned(node: objects[0]), Unowned(node: objects[1])) { $0.node }
      check(Unowned(node: objects[0]), Unowned(node: nil)) { $0.node }
      check(Unowned(node: nil), Unowned(node: objects[1])) { $0.node }
      check(WeakExistential(node: objects[0]), WeakExistential(node: objects[1])) { $0.node as? Node }
      check(WeakExistential(node: objects[0]), WeakExistential(node: nil)) { $0.node as? Node }
      check(WeakExistential(node: nil), WeakExistential(node: objects[0])) { $0.node as? Node }
      check(UnownedExistential(node: objects[0]), UnownedExistential(node: objects[1])) { $0.node as? Node }
      check(UnownedExistential(node: nil), UnownedExistential(node: objects[1])) { $0.node as? Node }
      check(UnownedNamed(node: objects[0]), UnownedNamed(node: objects[1])) { $0.node as? Node }
      // Otherwise the optimizer would release the objects before the last check, because only the array owns them.
      withExtendedLifetime(objects) { XCTAssertEqual(tracker.liveCount, 2) }
    }
  }

  /// The offsets of the properties are computed once, here before there is an object.
  func testReferencesAssignedLaterDoNotAffectNeighboringMembers() {
    struct Watching {
      var name = ""
      weak var weak: Node?
      var count: Int8 = 0
      unowned var unowned: Node?
      weak var named: (any Named)?
      var strong: Node?
      var sequel: Sequel?
      var any: Any = 0
      var size = (1, 2.0)
    }
    withLifetimeTracking { tracker in
      let objects = tracker.instances(0..<3).map { Node($0) }
      var history = UndoHistory(initialValue: Watching())
      var states = [history.currentItem]
      for (number, object) in (objects + [objects[0]]).enumerated() {
        func assign(_ change: (inout Watching) -> Void) {
          change(&history.currentItem)
          states.append(history.currentItem)
        }
        assign { $0.name += "a name that is longer than fifteen bytes" }
        assign { ($0.count, $0.sequel) = (Int8(number + 1), Sequel(name: "sequel", number: number)) }
        assign { $0.weak = object }
        assign { ($0.name, $0.size.1) = ("\(number)", Double(number)) }
        assign { $0.unowned = object }
        assign { $0.sequel?.name += " of the sequel, which is long enough" }
        assign { ($0.named, $0.count) = (object, -1) }
        assign { $0.any = "any \(number)" }
        assign { ($0.strong, $0.name) = (object, "with an object \(number)") }
        assign { ($0.any, $0.size.0) = (number, number) }
      }
      XCTAssertEqual(history.undoCount, states.count - 1)
      for position in Array(states.indices.reversed()) + Array(states.indices) + [7, 31, 2, 25, 12] {
        history.go(to: .step(position))
        let (found, wanted) = (history.currentItem, states[position])
        XCTAssertEqual("\(found)", "\(wanted)")
        XCTAssertTrue(found.weak === wanted.weak && found.unowned === wanted.unowned, "\(position)")
        XCTAssertTrue(found.named === wanted.named && found.strong === wanted.strong, "\(position)")
      }
      withExtendedLifetime(objects) { XCTAssertEqual(tracker.liveCount, 3) }
    }
  }

  func testEveryAssignmentUsesTheLeafsOwnIsSame() {
    struct Rough: UndoLeaf {
      var value: Int
      static func isSame(_ a: Rough, _ b: Rough) -> Bool { a.value / 10 == b.value / 10 }
    }
    struct Document { var one = Rough(value: 1), table = ["a": Rough(value: 1)] }
    var history = UndoHistory(initialValue: Document())
    history.edit.one = Rough(value: 2)
    history.edit.one.set(Rough(value: 3))
    history.edit.table["a"] = Rough(value: 2)
    history.edit.table.updateValue(Rough(value: 3), forKey: "a")
    XCTAssertEqual(history.undoCount, 0)
    XCTAssertEqual([history.one.value, history.table["a"]?.value], [1, 1])
    history.edit.one.set(Rough(value: 13))
    history.edit.table.updateValue(Rough(value: 13), forKey: "a")
    XCTAssertEqual(history.undoCount, 2)
  }

  func testValueAsLargeAsItsExistentialIsUndoneAndRedone() {
    struct Texts: CustomStringConvertible {
      var first: String?
      var second: String?
      var description: String { "\(first ?? "") \(second ?? "")" }
    }
    struct More: CustomStringConvertible {
      var first: String?
      var second: (String, Int)
      var description: String { "\(first ?? "") \(second)" }
    }
    struct Holder { var name = "", any: Any }
    func text(_ number: Int) -> String { "a text that is longer than fifteen bytes: \(number)" }
    func check<Value>(_ make: (Int) -> Value, line: UInt = #line) {
      var history = UndoHistory(initialValue: make(0))
      history.coalescing = .none
      for number in 1...3 { history.currentItem = make(number) }
      for position in [0, 3, 1, 2] {
        history.go(to: .step(position))
        XCTAssertEqual("\(history.currentItem)", "\(make(position))", line: line)
      }
    }
    check { [Texts(first: text($0), second: text(-$0)) as Any] }
    check { Texts(first: text($0), second: text(-$0)) as Any }
    check { More(first: text($0), second: (text(-$0), $0)) as any CustomStringConvertible }
    check { Holder(any: Texts(first: text($0), second: text(-$0))) }
    check { Holder(any: text($0).dropFirst()) }
    check { text($0).dropFirst() as Any }
  }

  func testDeeplyNestedValuesAreUndone() {
    struct Tree {
      var name = ""
      var children: [Tree] = []
      init(depth: Int, name: String) {
        (self.name, children) = depth == 0 ? (name, []) : ("", [Tree(depth: depth - 1, name: name)])
      }
      var last: String { children.first?.last ?? name }
    }
    indirect enum List {
      case end(String)
      case node(List)
      init(depth: Int, name: String) {
        self = .end(name)
        for _ in 0..<depth { self = .node(self) }
      }
      var last: String {
        var list = self
        while case .node(let next) = list { list = next }
        if case .end(let name) = list { return name }
        return ""
      }
    }
    func check<Value>(_ make: (String) -> Value, told: (Value) -> String, line: UInt = #line) {
      var history = UndoHistory(initialValue: make("old"))
      history.limit = .bytes(1_000_000)
      history.currentItem = make("new")
      history.edit.set(make("newest"))
      XCTAssertEqual(history.undoCount, 2, line: line)
      history.go(to: .step(0))
      XCTAssertEqual(told(history.currentItem), "old", line: line)
      history.go(to: .step(1))
      XCTAssertEqual(told(history.currentItem), "new", line: line)
    }
    check({ Tree(depth: 300, name: $0) }, told: \.last)
    check({ List(depth: 2_000, name: $0) }, told: \.last)
  }

  func testDataWithNonzeroStartIndexIsUndone() {
    struct File { var name = "", data: Data }
    var history = UndoHistory(initialValue: File(data: Data([1, 2, 3])))
    history.currentItem.data.removeFirst()
    var data = UndoHistory(initialValue: Data([1, 2, 3]))
    data.currentItem.removeFirst()
    data.edit.set(Data([7, 8, 9])[2...])
    XCTAssertEqual([history.undoCount, data.undoCount], [1, 2])
    XCTAssertEqual(history.undone().data, Data([1, 2, 3]))
    data.go(to: .step(0))
    XCTAssertEqual(data.currentItem, Data([1, 2, 3]))
    data.go(to: .step(2))
    XCTAssertEqual(Array(data.currentItem), [9])
  }

  func testOnlyTheChangedExistentialIsRecorded() {
    struct Mixed {
      var pages: [Int]
      var value: Any = 1
      var printable: any CustomStringConvertible = "x"
      var optional: (any CustomStringConvertible)?
      var name = ""
    }
    var history = UndoHistory(initialValue: Mixed(pages: pages))
    history.currentItem.value = "two"
    history.currentItem.printable = [1, 2, 3]
    history.currentItem.optional = 7
    history.currentItem.name = "x"
    XCTAssertEqual(history.steps.map(\.byteCount), [8 + 32, 8 + 40, 8 + 40, 32])
    while history.canUndo { history.undo() }
    XCTAssertEqual(history.value as? Int, 1)
    XCTAssertEqual(history.currentItem.printable.description, "x")
    XCTAssertNil(history.currentItem.optional)
    while history.canRedo { history.redo() }
    XCTAssertEqual(history.value as? String, "two")
    XCTAssertEqual(history.currentItem.printable.description, "[1, 2, 3]")
  }
}

private struct Size: CustomStringConvertible {
  var width: Int
  var height: Int
  var description: String { "\(width) \(height)" }
}

private struct Cover {
  var isHard: Bool
  var caption: String
  var size: Size
}

private struct Chapter {
  var name: String
  var notes: [Int]
}

private struct Sequel {
  var name: String
  var number: Int
}

private struct Book: CustomStringConvertible {
  var isLent = false
  var title: String
  var year: Int32 = 1815
  var price: Double?
  var pages: [Int]
  var cover: Cover
  var span = (1, 2)
  var chapters: [Chapter]
  var index = ["a": 1, "b": 2, "c": 3]
  var sequel: Sequel?

  var description: String {
    "\(isLent) \(title) \(year) \(price ?? -1) \(pages.hashValue) \(cover) \(span) "
      + chapters.map { "\($0.name) \($0.notes.hashValue)" }.joined()
      + "\(index.sorted { $0.key < $1.key }) \(String(describing: sequel))"
  }
}

private protocol Named: AnyObject {}

private final class Node: Named {
  let instance: LifetimeTracked<Int>

  init(_ instance: LifetimeTracked<Int>) { self.instance = instance }
}

private struct Referring {
  var name = ""
  var strong: Node
  unowned var unowned: Node
  weak var weak: Node?
  var optional: Node?
  var action: () -> Int = { 1 }
}
