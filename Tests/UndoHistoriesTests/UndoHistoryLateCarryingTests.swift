import Foundation
import TestSupport
import UndoHistories
import XCTest

/// Properties that are carried only after they were edited: the steps from before leave them alone.
final class UndoHistoryLateCarryingTests: XCTestCase {
  private struct Page: UndoArchivable, Equatable {
    struct View: Codable, Equatable {
      var path: [String] = []
      var zoom = 1
    }

    var title = ""
    var selection = ""
    var marks: [Int] = []
    var sizes: [String: Int] = [:]
    var tags: Set<String> = []
    var view = View()

    static let undoParts = [
      UndoPart<Page>("title", \.title), UndoPart("selection", \.selection), UndoPart("marks", \.marks),
      UndoPart("sizes", \.sizes), UndoPart("tags", \.tags), UndoPart("view", \.view),
    ]
  }

  private typealias History = UndoHistory<Page>

  private func carryAll(_ history: inout History) {
    history.carry(\.selection)
    history.carry(\.marks)
    history.carry(\.sizes)
    history.carry(\.tags)
    history.carry(\.view)
  }

  /// Assigns all that is carried, to what no record fits.
  private func assignAll(_ history: inout History) {
    let count = history.steps.count
    history.edit.selection = ""
    history.edit.marks.set([])
    history.edit.sizes.set([:])
    history.edit.tags.set([])
    history.edit.view.set(Page.View(path: [], zoom: 9))
    XCTAssertEqual(history.steps.count, count)
  }

  /// One edit of each kind, of carried properties, each a step of its own.
  private let edits: [(borrowing History.Editor) -> Void] = [
    { $0.selection.append("abc") }, { $0.selection.removeSubrange(utf8: 1..<2) }, { $0.selection.set("acd") },
    { $0.selection = "whole" }, { $0.marks.append(contentsOf: [1, 2, 3, 4]) }, { $0.marks.remove(at: 1) },
    { $0.marks.swapAt(0, 2) }, { $0.marks.move(from: 0, to: 2) }, { $0.marks[1] = 7 },
    { $0.marks.removeAll { $0 > 2 } }, { $0.marks.append(5) }, { $0.sizes["a"] = 1 }, { $0.sizes["a"] = 2 },
    { $0.tags.insert("x") }, { $0.tags.remove("x") },
    { $0.view.path.append("folder") }, { $0.view.path[0].append("s") },
    { $0.view.zoom = 3 }, { $0.view.set(Page.View(path: ["p", "q"], zoom: 2)) },
  ]

  /// A history with all those steps, every other one of a title as well.
  private func edited(upTo count: Int? = nil) -> History {
    var history = History(initialValue: Page())
    for (number, edit) in edits.prefix(count ?? edits.count).enumerated() {
      history.transaction("\(number)") { editor in
        edit(editor)
        if number % 2 == 0 { editor.title.append("\(number) ") }
      }
    }
    return history
  }

  /// Proves that all that is carried stays, and the title does not.
  private func checkWalk(_ history: History, line: UInt = #line) {
    var history = history
    let (count, bytes) = (history.undoCount, history.byteCount)
    let titles = edits.indices.map { end in (0..<end).filter { $0 % 2 == 0 }.map { "\($0) " }.joined() }
    for _ in 0..<2 {
      while history.canUndo {
        assignAll(&history)
        let label = history.undoLabel
        XCTAssertEqual(history.undo()?.label, label, line: line)
        XCTAssertEqual(history.title, label.flatMap { Int($0) }.map { titles[$0] }, line: line)
        XCTAssertEqual(history.view, Page.View(path: [], zoom: 9), line: line)
        XCTAssertEqual(history.currentItem, Page(title: history.title, view: history.view), line: line)
      }
      while history.canRedo {
        history.edit.marks.set([1])
        history.redo()
        XCTAssertEqual(history.marks, [1], line: line)
      }
      XCTAssertEqual([history.undoCount, history.byteCount], [count, bytes], line: line)
    }
  }

  // MARK: The steps

  func testStepsThatCanBeUndoneLeaveItAlone() {
    for count in 1...edits.count {
      var history = edited(upTo: count)
      carryAll(&history)
      assignAll(&history)
      XCTAssertEqual(history.undoCount, count)
      checkWalk(history)
    }
  }

  func testStepsThatCanBeRedoneLeaveItAlone() {
    for position in 0..<edits.count {
      var history = edited()
      history.go(to: position)
      carryAll(&history)
      assignAll(&history)
      while history.redo() != nil { XCTAssertEqual(history.selection, "") }
      checkWalk(history)
    }
  }

  func testStepsInBranchesLeaveItAlone() {
    for position in 0..<edits.count {
      var history = History(initialValue: Page())
      history.branches = .kept
      for edit in edits { history.transaction { edit($0) } }
      history.go(to: position)
      history.edit.title = "another"
      let fork = history
      carryAll(&history)
      assignAll(&history)
      let page = history.currentItem
      XCTAssertTrue(history.go(to: history.leaves[0]))
      XCTAssertEqual(history.currentItem, Page(view: page.view))
      XCTAssertEqual(history.undoCount, edits.count)
      while history.undo() != nil {}
      XCTAssertEqual(history.currentItem, Page(view: page.view))
      // What is the copy's as well stays as it is.
      var other = fork
      XCTAssertTrue(other.go(to: other.leaves[0]))
      var expected = edited().currentItem
      expected.title = ""
      XCTAssertEqual(other.currentItem, expected)
    }
  }

  func testAStepThatEditedNothingElseChangesNothing() {
    var history = History(initialValue: Page())
    history.edit.selection.append("abc")
    let bytes = history.byteCount
    history.carry(\.selection)
    XCTAssertLessThanOrEqual(history.byteCount, bytes)
    XCTAssertEqual(history.steps.map(\.byteCount).reduce(0, +), history.byteCount)
    history.edit.selection = "x"
    let before = history.currentItem
    var edits = 0
    let change = history.undo { _ in edits += 1 }
    XCTAssertEqual([edits, change?.edits.count], [1, 1])
    XCTAssertEqual(change?.touches(\.selection), true)
    XCTAssertEqual(history.currentItem, before)
    XCTAssertEqual(history.redo()?.edits.count, 1)
    XCTAssertEqual(history.currentItem, before)
  }

  func testWhatIsEditedNextGoesAlong() {
    var history = edited()
    carryAll(&history)
    history.edit.title.append("!")
    history.edit.selection = "after"
    history.edit.selection = "moved"
    history.undo()
    XCTAssertEqual(history.selection, "whole")
    history.redo()
    XCTAssertEqual(history.selection, "after")
  }

  func testACopyFromBeforeStillEditsIt() {
    for position in [0, 5, edits.count] {
      var history = edited()
      history.go(to: position)
      var copy = history
      carryAll(&history)
      for _ in 0..<2 {
        copy.go(to: 0)
        XCTAssertEqual(copy.currentItem, Page())
        copy.go(to: edits.count)
        XCTAssertEqual(copy.currentItem, edited().currentItem)
      }
    }
  }

  func testAnEditAroundItStays() {
    var history = History(initialValue: Page())
    history.edit.view.path.append("a")
    history.edit.view.set(Page.View(path: ["b"], zoom: 2))
    history.carry(\.view.path)
    history.edit.view.path.set([])
    history.undo()
    XCTAssertEqual(history.view, Page.View(path: ["a"], zoom: 1))
    history.edit.view.path.set([])
    history.undo()
    XCTAssertEqual(history.view, Page.View(path: [], zoom: 1))
  }

  func testALimitOfBytesHoldsAsManySteps() {
    for limit in [UndoLimit.bytes(600), .bytes(2_000), .steps(4)] {
      var history = edited()
      history.limit = limit
      let count = history.undoCount
      carryAll(&history)
      assignAll(&history)
      XCTAssertEqual(history.undoCount, count)
      checkWalk(history)
    }
  }

  func testManyChunks() {
    var history = History(initialValue: Page())
    for number in 0..<3_000 {
      history.edit.marks.append(number)
      if number % 3 == 0 { history.edit.title.set("\(number)") }
    }
    var copy = history
    history.go(to: 1_500)
    carryAll(&history)
    assignAll(&history)
    history.go(to: 0)
    XCTAssertEqual(history.currentItem, Page(view: history.view))
    history.go(to: 4_000)
    XCTAssertEqual(history.title, "2997")
    copy.go(to: 0)
    XCTAssertEqual(copy.currentItem, Page())
  }

  // MARK: What was absorbed, and origins

  func testWhatWasAbsorbedLeavesItAlone() {
    for isAdopted in [false, true] {
      var history = History(initialValue: Page())
      history.edit.title.append("a")
      history.edit.selection.append("abc")
      history.absorb { editor in
        editor.selection.insert("x", atUTF8: 1)
        if isAdopted { editor.title.set("theirs") }
      }
      history.edit.sizes["b"] = 1
      carryAll(&history)
      assignAll(&history)
      while history.canUndo || history.adopt() { history.undo() }
      XCTAssertEqual(history.selection, "")
      while history.redo() != nil {}
      XCTAssertEqual(history.selection, "")
    }
  }

  func testEditsThatDoNothingAreInNobodysWay() {
    var history = History(initialValue: Page())
    history[as: "agent"].sizes["a"] = 1
    history[as: "agent"].selection.append("abc")
    history[as: "agent"].title = "agent"
    history.edit.selection.append("d")
    history.edit.selection = "e"
    history.carry(\.selection)
    history.edit.selection = ""
    history.undo(by: "agent")
    XCTAssertEqual(history.title, "")
    history.undo(by: "agent")
    XCTAssertEqual(history.sizes, [:])
    history.redo(by: "agent")
    history.redo(by: "agent")
    XCTAssertEqual([history.title, "\(history.sizes)"], ["agent", #"["a": 1]"#])
    history.absorb { $0.title = "theirs" }
    while history.undo() != nil {}
    XCTAssertEqual(history.selection, "")
  }

  // MARK: Archives and messages

  func testAnArchiveFromBeforeIsRestoredByAHistoryThatCarriesIt() throws {
    for position in [0, 7, edits.count] {
      var history = edited()
      history.go(to: position)
      let archive = try JSONDecoder().decode(History.Archive.self, from: JSONEncoder().encode(history.archive()))
      var restored = History(initialValue: history.currentItem)
      carryAll(&restored)
      try restored.restoreSteps(from: archive)
      XCTAssertEqual([restored.undoCount, restored.redoCount], [position, edits.count - position])
      assignAll(&restored)
      restored.go(to: edits.count)
      checkWalk(restored)
    }
  }

  func testAnArchiveFromBehindItIsRestoredWithAllSteps() throws {
    for position in [0, 7, edits.count] {
      for moves in [false, true] {
        var history = edited()
        history.branches = .kept
        history.go(to: position)
        carryAll(&history)
        if moves { assignAll(&history) }
        if position == 7 {
          history.edit.title = "new"
          history.edit.selection = "b"
          history.go(to: history.leaves[0])
          history.go(to: 3)
        }
        var restored = History(initialValue: history.currentItem)
        carryAll(&restored)
        restored.branches = .kept
        try restored.restoreSteps(from: history.archive())
        XCTAssertEqual(restored, history)
        XCTAssertLessThanOrEqual(restored.byteCount, history.byteCount)
        for target in [0, edits.count, 5] {
          assignAll(&restored)
          assignAll(&history)
          restored.go(to: target)
          history.go(to: target)
          XCTAssertEqual(restored.currentItem, history.currentItem)
        }
        for leaf in history.leaves.indices {
          restored.go(to: restored.leaves[leaf])
          history.go(to: history.leaves[leaf])
          XCTAssertEqual(restored.currentItem, history.currentItem)
        }
      }
    }
  }

  /// Edits of ranges beside steps that carry the property are in no archive of this version.
  func testAForgedArchiveDoesNotTrap() throws {
    var history = UndoHistory(initialValue: Forger())
    history.branches = .kept
    history.edit.selection.append("first")
    history.transaction { $0.selection.append("second") }
    history.carry(\.carried)
    for (number, text) in ["", "a longer text", "x", ""].enumerated() {
      history.edit.selection.append("abc")
      history.edit.carried = text
      if number == 1 { history.undo() }
      history.edit.selection.append("def")
      history.edit.carried = "\(number)"
    }
    let count = history.undoCount
    var refusals = 0
    for position in 0...count {
      history.go(to: position)
      var forged = Data(try history.archive().bytes(.json))
      while let name = forged.range(of: Data("selektion".utf8)) {
        forged.replaceSubrange(name, with: Data("selection".utf8))
      }
      var restored = History(initialValue: Page(selection: history.selection))
      restored.branches = .kept
      restored.carry(\.selection)
      do { try restored.restore(History.Archive(Array(forged), .json).forged()) } catch {
        XCTAssertEqual(error as? UndoArchiveError, .damaged, "\(position) \(error)")
        refusals += 1
        continue
      }
      restored.edit.selection = ""
      while restored.undo() != nil {}
      for leaf in restored.leaves { XCTAssertTrue(restored.go(to: leaf)) }
    }
    XCTAssertLessThan(refusals, count + 1)
  }

  /// A document with a part that is written as a page's selection, and one whose name becomes the same.
  private struct Forger: UndoArchivable, Equatable {
    var selection = ""
    var carried = ""

    static let undoParts = [UndoPart<Forger>("selection", \.selection), UndoPart("selektion", \.carried)]

    init() {}
    init(from decoder: any Decoder) throws { self.init() }
    func encode(to encoder: any Encoder) throws { try Page(selection: carried).encode(to: encoder) }
  }

  func testAReplayerRepeatsIt() throws {
    var history = History(initialValue: Page())
    let recorder = UndoRecorder<Page>(.json)
    recorder.begin(with: &history)
    history.observed(by: recorder) { history in
      for edit in edits { history.transaction { edit($0) } }
      history.go(to: .step(10))
      history.carry(\.selection)
      history.carry(\.marks)
      history.carry(\.view)
      history.edit.marks.set([])
      history.edit.selection = ""
      history.redo()
    }
    var replayed = History(initialValue: Page())
    var replayer = try UndoReplayer<Page>(recorder.header, .json)
    try replayer.replay(recorder.takeMessages(), in: &replayed)
    replayer.finish(&replayed)
    XCTAssertEqual(replayed, history)
    for position in [0, edits.count, 0] {
      (replayed.edit.selection, history.edit.selection) = ("", "")
      replayed.go(to: position)
      history.go(to: position)
      XCTAssertEqual(replayed.currentItem, history.currentItem)
    }
  }

  func testAReplayerWaitsWithWhatTheRecordedHistoryDidNotCarry() throws {
    var history = History(initialValue: Page())
    history.edit.selection.append("before")
    let (page, archive) = (history.currentItem, try history.archive())
    let recorder = UndoRecorder<Page>(.json)
    recorder.begin(with: &history)
    history.observed(by: recorder) { history in
      history.edit.selection.append("abc")
      history.edit.title = "a"
      history.edit.selection.append("def")
      history.undo()
      history.undo()
      history.undo()
      history.redo()
    }
    var replayed = History(initialValue: page)
    carryAll(&replayed)
    var replayer = try UndoReplayer<Page>(recorder.header, .json)
    replayer.begin(with: &replayed)
    try replayed.restoreSteps(from: archive)
    try replayer.replay(recorder.takeMessages(), in: &replayed)
    replayer.finish(&replayed)
    XCTAssertEqual(replayed.currentItem, history.currentItem)
    XCTAssertEqual([replayed.undoCount, replayed.redoCount], [history.undoCount, history.redoCount])
    assignAll(&replayed)
    while replayed.undo() != nil {}
    XCTAssertEqual(replayed.selection, "")
    while replayed.redo() != nil {}
    XCTAssertEqual([replayed.selection, replayed.title], ["", "a"])
  }
}
