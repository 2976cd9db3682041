import TestSupport
import UndoHistories
import XCTest

/// Remote edits, which aren't steps, so that undo skips them.
final class UndoRemoteEditsTests: XCTestCase {
  private struct Note: Equatable {
    var title = ""
    var count = 0
    var lines: [String] = []
  }

  private var history = UndoHistory(initialValue: Note())

  func testUndoAndRedoSkipARemoteEdit() {
    history.edit.lines.append("Flour")
    history.edit.lines.append("Milk")
    history.applyRemote { $0.lines.insert("Server", at: 0) }
    XCTAssertEqual(history.undoCount, 2)
    XCTAssertEqual(history.undo()?.edits.map(\.kind), [.elements(.range(old: 2..<3, new: 2..<2))])
    XCTAssertEqual(history.lines, ["Server", "Flour"])
    XCTAssertEqual(history.undo()?.edits.map(\.kind), [.elements(.range(old: 1..<2, new: 1..<1))])
    XCTAssertEqual(history.lines, ["Server"])
    XCTAssertNil(history.undo())
    history.redo()
    XCTAssertEqual(history.redone().lines, ["Server", "Flour", "Milk"])
    XCTAssertNil(history.redo())
  }

  func testTypingJoinsAcrossARemoteEdit() {
    history.edit.title.append("ab", as: .typing)
    history.applyRemote { $0.title.insert("server ", atUTF8: 0) }
    history.edit.title.append("c")
    history.applyRemote { $0.lines.append("x") }
    history.edit.title.append("d")
    XCTAssertEqual(history.undoCount, 1)
    XCTAssertEqual(history.title, "server abcd")
    XCTAssertEqual(history.undone(), Note(title: "server ", lines: ["x"]))
    XCTAssertEqual(history.redone().title, "server abcd")
  }

  /// The steps lie in several chunks, and the first dropped step may lie anywhere in a chunk.
  func testRemoteEditDropsConflictingRedoStepsAtAnyPosition() {
    for steps in 18..<24 {
      for undone in 1..<steps {
        history = UndoHistory(initialValue: Note(lines: Array(repeating: "", count: steps)))
        for step in 0..<steps { history.edit.lines[step] = "\(step)" }
        for _ in 0..<undone { history.undo() }
        let kept = steps - undone
        history.applyRemote { $0.lines[kept] = "server" }
        XCTAssertEqual(history.redoCount, 0)
        history.undo()
        history.redo()
        XCTAssertEqual(history.undoCount, kept)
        for step in 0..<steps { history.edit.lines[step] = "again" }
        while history.undo() != nil {}
        XCTAssertEqual(history.undoCount, 0)
        XCTAssertEqual(history.lines.filter { $0 != "" }, ["server"])
      }
    }
  }

  func testConflictingRemoteEditBlocksUndoUntilItIsRecorded() {
    history.edit.count = 1
    history.edit.title = "a"
    history.applyRemote { $0.title = "server" }
    XCTAssertFalse(history.canUndo)
    XCTAssertNil(history.undo())
    XCTAssertNotNil(history.blockingRemoteEdit)
    XCTAssertEqual(history.title, "server")
    XCTAssertTrue(history.recordRemoteEdit())
    XCTAssertFalse(history.recordRemoteEdit())
    XCTAssertNil(history.blockingRemoteEdit)
    XCTAssertEqual(history.undoCount, 3)
    XCTAssertEqual(history.undone(), Note(title: "a", count: 1))
    history.undo()
    XCTAssertEqual(history.undone(), Note())
    XCTAssertEqual(history.allRedone(), Note(title: "server", count: 1))
  }

  func testBlockingRemoteEditKeepsItsIDAsAStep() {
    history.edit.title = "a"
    history.applyRemote { $0.title = "server" }
    let blockingEditID = history.blockingRemoteEdit
    history.recordRemoteEdit()
    XCTAssertEqual(history.steps.map(\.stepID).last, blockingEditID)
  }

  func testUndoStopsAtABlockingRemoteEditFurtherDown() {
    history.edit.count = 1
    history.edit.title = "a"
    history.applyRemote { $0.count = 2 }
    XCTAssertTrue(history.canUndo)
    history.undo()
    XCTAssertFalse(history.canUndo)
    XCTAssertNil(history.undo())
    XCTAssertEqual(history.currentItem, Note(count: 2))
    XCTAssertEqual(history.redone().title, "a")
    history.go(to: .step(0))
    XCTAssertEqual(history.currentItem, Note(count: 2))
  }

  func testSavedPointLiesAfterARecordedRemoteEdit() {
    for isSavedFirst in [true, false] {
      var history = UndoHistory(initialValue: Note())
      history.edit.count = 1
      if isSavedFirst { history.markSaved() }
      history.applyRemote(saved: isSavedFirst) { $0.count = 2 }
      if !isSavedFirst { history.markSaved() }
      XCTAssert(!history.isDirty)
      history.recordRemoteEdit()
      XCTAssert(!history.isDirty)
      history.undo()
      XCTAssertTrue(history.isDirty)
      XCTAssertTrue(history.go(to: .savedPoint))
      XCTAssertEqual(history.count, 2)
    }
  }

  func testSavedPointBeforeARecordedRemoteEditIsOutOfReach() {
    history.edit.lines.append("saved")
    history.markSaved()
    history.edit.count = 1
    history.applyRemote(saved: true) { $0.count = 2 }
    history.recordRemoteEdit()
    history.undo()
    history.undo()
    XCTAssertTrue(history.isDirty, "the store has the recorded edit")
    XCTAssertFalse(history.go(to: .savedPoint))
  }

  func testRemoteDocumentIsAppliedAsItsDifferences() {
    history.edit.title = "a"
    history.edit.lines.append("b")
    history.applyRemote(Note(title: "a", count: 7, lines: ["server", "b"]), saved: true)
    history.undo()
    XCTAssertEqual(history.undone(), Note(count: 7, lines: ["server"]))
  }

  func testRemoteEditThatThrowsIsNotApplied() {
    history.edit.title = "a"
    XCTAssertThrowsError(
      try history.applyRemote { edit in
        edit.count = 1
        throw Refused()
      })
    XCTAssertEqual(history.currentItem, Note(title: "a"))
    history.edit.title.append("b")
    XCTAssertEqual(history.undoCount, 1)
  }

  func testOnlyTheConflictingRemoteEditIsRecorded() {
    history.edit.title = "a"
    history.applyRemote { $0.title = "server" }
    let blockingEditID = history.blockingRemoteEdit
    history.applyRemote { $0.count = 5 }
    XCTAssertEqual(history.blockingRemoteEdit, blockingEditID)
    history.recordRemoteEdit()
    XCTAssertEqual(history.undone(), Note(title: "a", count: 5))
    XCTAssertEqual(history.undone(), Note(count: 5))
  }

  func testRemoteEditThatDependsOnABlockingOneIsRecordedFirst() {
    history.edit.lines.append("a")
    history.applyRemote { $0.lines[0] = "server" }
    let first = history.blockingRemoteEdit
    history.applyRemote { $0.lines[0] = "again" }
    let second = history.blockingRemoteEdit
    XCTAssertNotEqual(first, second)
    history.recordRemoteEdit()
    XCTAssertEqual(history.undone().lines, ["server"])
    XCTAssertEqual(history.blockingRemoteEdit, first)
    history.recordRemoteEdit()
    history.undo()
    XCTAssertEqual(history.undone().lines, [])
  }

  func testUndoSkipsManyRemoteEditsAcrossChunks() {
    for number in 0..<3_000 {
      history.edit.lines.append("\(number)")
      if number % 100 == 0 { history.applyRemote { $0.lines.insert("server \(number)", at: 0) } }
    }
    while history.undo() != nil {}
    XCTAssertEqual(history.lines.count, 30)
    XCTAssert(history.lines.allSatisfy { $0.hasPrefix("server") })
    while history.redo() != nil {}
    XCTAssertEqual(history.lines.count, 3_030)
    XCTAssertEqual(history.lines.last, "2999")
  }

  func testPushBecomesPartOfTheStepAfterABlockingRemoteEdit() {
    history.edit.title = "a"
    history.applyRemote { $0.title = "server" }
    history.edit.count = 1
    history.markSaved()
    history.rebase(onto: Note(title: "server", count: 7))
    XCTAssertEqual(history.steps.map(\.label), [nil])
    XCTAssertEqual(history.undone(), Note(title: "server"))
    XCTAssertNotNil(history.blockingRemoteEdit)
    history.recordRemoteEdit()
    XCTAssertEqual(history.allUndone(), Note())
  }

  func testUndoByOriginSkipsARemoteEditUnlessItConflicts() {
    history[as: "agent"].lines.append("agent")
    history.edit.title = "a"
    history.applyRemote { $0.lines.insert("server", at: 0) }
    guard case .undone = history.undo(by: "agent") else { return XCTFail("it is blocked") }
    XCTAssertEqual(history.currentItem, Note(title: "a", lines: ["server"]))
    history[as: "agent"].count = 1
    history.applyRemote { $0.count = 2 }
    XCTAssertEqual(history.undo(by: "agent"), .blocked(by: [history.blockingRemoteEdit].compactMap(\.self)))
  }

  func testCancelingAStepKeepsASavedPointBelowHiddenSteps() {
    struct Numbers: Equatable { var a = 0, b = 0, c = 0 }
    var history = UndoHistory(initialValue: Numbers())
    history.edit.a = 1
    history.edit.b = 1
    history.undo()
    history.applyRemote(saved: true) { $0.a = 5 }
    let step = history.beginStep()
    history.edit.c = 3
    history.cancelStep(step)
    XCTAssertFalse(history.touches(\.c, since: .savedPoint))
    history.rebase(onto: Numbers(a: 5, b: 0, c: 7))
    XCTAssertEqual(history.c, 7)
  }

  func testLimitCountsHiddenSteps() {
    struct Count { var count = 0 }
    for limit in [UndoLimit.bytes(1000), .steps(3)] {
      var history = UndoHistory(initialValue: Count())
      history.limit = limit
      for number in 1...1000 {
        history.edit.count = number
        history.applyRemote { $0.count = -number }
      }
      XCTAssertLessThanOrEqual(history.byteCount, 1000, "\(limit)")
      history.edit.count = 3
      XCTAssertEqual(history.undoCount, 1)
      history.undo()
      XCTAssertEqual(history.count, -1000)
    }
    var history = UndoHistory(initialValue: Count())
    for number in 1...100 { history.edit.count = number }
    history.applyRemote { $0.count = -1 }
    history.limit = .bytes(160)
    XCTAssertLessThanOrEqual(history.byteCount, 160)
  }

  func testUndoByOriginContinuesAfterALimitDropsHiddenSteps() {
    struct Pair { var a = 0, b = 0 }
    for isSetBefore in [false, true] {
      var history = UndoHistory(initialValue: Pair())
      for number in 1...40 { history.edit.a = number }
      history.applyRemote { $0.a = -1 }
      if isSetBefore { history.limit = .steps(43) }
      for number in 1...2 { history[as: "agent"].b = number }
      func undo() -> Bool {
        guard case .undone = history.undo(by: "agent") else { return false }
        return true
      }
      XCTAssertTrue(undo())
      if !isSetBefore { history.limit = .steps(20) }
      XCTAssertTrue(undo())
      XCTAssertEqual(history.b, 0)
      XCTAssertEqual(history.undoCount, 4)
    }
  }

  func testRemoteEditThatCommutesWithABlockingOneDoesNotBlock() {
    history.edit.count = 1
    history.applyRemote { $0.count = 2 }
    history.edit.title = "a"
    history.applyRemote { $0.lines.append("server") }
    history.applyRemote { $0.lines[0] = "again" }
    history.undo()
    XCTAssertEqual(history.undoCount, 0)
    history.recordRemoteEdit()
    XCTAssertEqual(history.undone(), Note(count: 1, lines: ["again"]))
    XCTAssertNil(history.blockingRemoteEdit)
    XCTAssertEqual(history.undone(), Note(lines: ["again"]))
    for _ in 0..<2 { history.redo() }
    XCTAssertEqual(history.currentItem, Note(count: 2, lines: ["again"]))
  }

  func testAssignmentThatCancelsOutKeepsABlockingRemoteEditBelowIt() {
    history.coalescing = .typing.values(within: .seconds(1000))
    history.edit.title = "a"
    history.edit.count = 1
    history.applyRemote { $0.title = "server" }
    history.edit.count = 0
    XCTAssertNil(history.undo())
    XCTAssertEqual(history.currentItem, Note(title: "server"))
  }
}
