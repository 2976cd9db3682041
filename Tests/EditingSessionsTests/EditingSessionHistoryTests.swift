import EditingSessions
import Foundation
import TestSupport
import UndoHistories
import XCTest

/// A session's history that is modified in place, or copied, changed and assigned.
@MainActor
final class EditingSessionHistoryTests: XCTestCase, NoteSessions {
  private typealias Path = ReferenceWritableKeyPath<EditingSession<String>, UndoHistory<String>>

  /// Does something to a session, and compares it with the next one; returns how many bytes its snapshot has, and how
  /// many were written behind that.
  @discardableResult
  private func check(
    _ body: (EditingSession<String>) async throws -> Void, line: UInt = #line
  ) async throws -> (snapshot: Int, rest: Int) {
    let text = String(repeating: "A long line.\n", count: 100)
    var counts = (snapshot: 0, rest: 0)
    try await withFile(text) { file, recovery in
      let session = try await open(file, recovery)
      session.edit("First") { $0.append("1") }
      await session.isSynchronized()
      let old = session.logByteCounts.written
      try await body(session)
      await session.isSynchronized()
      counts = (session.logByteCounts.snapshot, session.logByteCounts.written - old)
      try await session.close()
      let next = try await open(file, recovery)
      XCTAssert(next.history == session.history, line: line)
      XCTAssertEqual(!next.history.isDirty, !session.history.isDirty, line: line)
      XCTAssertTrue(next.recovery.isIntact, line: line)
      try await next.close()
    }
    return counts
  }

  /// By get and set, as `@Bindable` and an undo driver write.
  func testAKeyThroughAKeyPathIsAFewBytes() async throws {
    let path: Path = \.history
    let counts = try await check { session in
      for key in ["a", "b", "c"] { session[keyPath: path].currentItem.append(key) }
      session[keyPath: path].undo()
      session[keyPath: path].redo()
      session[keyPath: path].transaction("Label") { $0.insert("x", atUTF8: 0) }
      XCTAssertEqual(session.history.undoCount, 3)
    }
    XCTAssertLessThan(counts.rest, 200)
  }

  func testSeveralStepsAtOnceAreSeveralSteps() async throws {
    func change(_ history: inout UndoHistory<String>) {
      history.undo()
      history.transaction("Second") { edit in
        edit.append("2")
        edit.insert("0", atUTF8: 0)
      }
      history.edit.append("3")
      history.edit.insert("4", atUTF8: 7)
      history.undo()
    }
    let counts = try await check { session in
      change(&session.history)
      XCTAssertEqual([session.history.undoCount, session.history.redoCount], [2, 1])
      XCTAssertEqual(session.history.steps.map(\.label), ["Second", nil, nil])
    }
    XCTAssertLessThan(counts.rest, 200)
  }

  func testWhatAClosureDidThatThrewIsThere() async throws {
    func fail(_ history: inout UndoHistory<String>) throws {
      history.edit.append("2")
      throw CancellationError()
    }
    let counts = try await check { session in
      XCTAssertThrowsError(try fail(&session.history))
      XCTAssert(session.currentItem.hasSuffix("12"))
    }
    XCTAssertLessThan(counts.rest, 200)
  }

  func testACopyThatWasChangedGoesOn() async throws {
    let counts = try await check { session in
      var copy = session.history
      copy.edit.append("2")
      copy.undo()
      session.history = copy
      // It is what was written then, and may go on once more.
      session.history.redo()
    }
    XCTAssertLessThan(counts.rest, 200)
  }

  /// The log begins anew.
  func testAnEarlierCopyTakesThePlaceOfAll() async throws {
    try await check { session in
      let copy = session.history
      session.edit("Second") { $0.append("2") }
      session.history = copy
      XCTAssertEqual(session.history.undoCount, 1)
    }
    try await check { session in
      var copy = session.history
      copy.edit.append("2")
      session.history = copy
      session.edit("Third") { $0.append("3") }
      copy.edit.append("4")
      session.history = copy
      XCTAssert(session.currentItem.hasSuffix("124"))
    }
  }

  func testAnotherHistoryTakesThePlaceOfAll() async throws {
    try await check { session in
      session.history = UndoHistory(initialValue: "new")
      session.edit { $0.append("er") }
      XCTAssertEqual(session.currentItem, "newer")
    }
  }

  /// What another session's history has is not in this log, however alike the two are.
  func testTheHistoryOfAnotherSessionTakesThePlaceOfAll() async throws {
    try await withFile("other") { file, recovery in
      let other = try await open(file, recovery)
      other.edit("First") { $0.append("1") }
      try await check { session in
        session.history = other.history
        XCTAssertEqual(session.currentItem, "other1")
      }
      try await other.close()
    }
  }

  func testLimitsAndEditsOfOthersAreInTheLog() async throws {
    try await check { session in
      for number in 0..<9 { session.edit("\(number)") { $0.append("\(number)") } }
      session.history.limit = .steps(3)
      XCTAssertEqual(session.history.undoCount, 3)
      session.history.applyRemote { $0.insert("theirs", atUTF8: 0) }
      session.history.undo(by: nil)
      session.history.limit = .unlimited
    }
    try await check { session in
      session.history.limit = .steps(0)
      session.edit("Second") { $0.append("2") }
      XCTAssertFalse(session.history.canUndo)
      session.history.limit = .unlimited
    }
  }

  /// A limit keeps to itself in a copy that goes its own way.
  func testALimitHoldsInACopy() async throws {
    try await check { session in
      session.history.limit = .steps(10)
      var copy = session.history
      for number in 0..<100 { copy.transaction("\(number)") { $0.append("x") } }
      XCTAssertEqual(copy.undoCount, 10)
      session.history = copy
      session.history.limit = .unlimited
    }
  }

  /// Steps of one access that a limit has dropped before they were read are gone, and none of them is read.
  func testStepsThatALimitDropsUnreadAreNotRead() async throws {
    func change(_ history: inout UndoHistory<String>) {
      for number in 0..<5 {
        history.transaction("\(number)") { edit in
          edit.insert(String(repeating: "A long line.\n", count: 9), atUTF8: 0)
          edit.removeSubrange(utf8: 9..<99)
        }
      }
    }
    try await check { session in
      session.history.limit = .steps(2)
      change(&session.history)
      XCTAssertEqual(session.history.steps.map(\.label), ["3", "4"])
      session.history.limit = .unlimited
    }
  }

  /// A step that was edited and taken back within one access leaves what could be redone.
  func testACancelledStepIsNone() async throws {
    func drag(_ history: inout UndoHistory<String>) {
      let step = history.beginStep("Drag")
      history.edit.append("x")
      history.cancelStep(step)
    }
    try await check { session in
      session.undo()
      drag(&session.history)
      XCTAssert(session.history.canRedo)
    }
    try await check { session in
      let step = session.history.beginStep("Drag")
      session.history.edit.append("x")
      await session.isSynchronized()
      session.history.cancelStep(step)
      XCTAssertEqual(session.history.undoLabel, "First")
    }
    try await check { session in
      let step = session.history.beginStep("Drag")
      session.history.edit.append("x")
      session.history.endStep(step)
      XCTAssertEqual(session.history.undoLabel, "Drag")
    }
  }

  /// A transaction that throws in an open step leaves what could be redone, and the next session has it.
  func testATransactionThatThrowsInAnOpenStepLeavesRedo() async throws {
    try await check { session in
      session.undo()
      let step = session.history.beginStep("Drag")
      try? session.history.transaction { edit in
        edit.append("x")
        throw CancellationError()
      }
      XCTAssert(session.history.canRedo)
      session.history.endStep(step)
    }
  }

  /// A step that was read and is none any more is lost to who reads; the copy is held while it is read.
  func testValuesThatComeBackInACopyAreNoStep() async throws {
    struct Sound: Codable, Equatable, Sendable { var level = 0 }
    let folder = try TemporaryFolder()
    let (file, recovery) = (folder.file("sound.json"), folder.file("recovery"))
    let session = try await EditingSession(file: file, recovery: recovery, format: .json(Sound.self), new: Sound())
    session.history.coalescing = .typing.values(within: .seconds(3600))
    session.history.edit.level = 1
    var copy = session.history
    copy.edit.level = 0
    XCTAssertFalse(copy.canUndo)
    session.history = copy
    XCTAssertFalse(session.history.canUndo)
    session.history.edit.level = 3
    await session.isSynchronized()
    try await session.close()
    let next = try await EditingSession(file: file, recovery: recovery, format: .json(Sound.self), new: Sound())
    XCTAssertEqual([next.currentItem.level, next.history.undoCount, next.history.redoCount], [3, 1, 0])
    next.undo()
    XCTAssertEqual([next.currentItem.level, copy.currentItem.level], [0, 0])
    try await next.close()
  }
}
