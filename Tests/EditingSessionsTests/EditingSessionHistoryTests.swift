import EditingSessions
import Foundation
import TestSupport
import UndoHistories
import XCTest

/// A session's history that is modified in place, or copied, changed and assigned.
@MainActor
final class EditingSessionHistoryTests: XCTestCase, NoteSessions {
  private typealias Path = ReferenceWritableKeyPath<EditingSession<String>, UndoHistory<String>>

  /// Runs the closure with a session, and compares the session with the next one.
  ///
  /// - Returns: The byte count of the log's snapshot, and the number of bytes that the closure wrote to the log.
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

  /// `@Bindable` and an undo driver write in this way, with a getter and a setter.
  func testTypingThroughAKeyPathTakesAFewBytesInTheLog() async throws {
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

  func testCompositionsAndPastesAreTheSameStepsAfterAReopening() async throws {
    let counts = try await check { session in
      let end = session.currentItem.utf8.count
      for (removed, text) in [(0, "n"), (1, "ni"), (2, "你")] {
        session.edit { $0.replaceSubrange(utf8: end..<end + removed, with: text, as: .composing) }
      }
      session.edit { $0.append("a") }
      session.history.edit.append("´")
      session.edit { $0.set($0.currentItem.replacing("´", with: "é")) }
      session.edit { $0.append("pasted text") }
      session.edit { $0.append("()", as: .typing) }
      session.history.edit.insert("b", atUTF8: session.currentItem.utf8.count - 1, as: .typing)
      XCTAssertEqual(session.history.undoCount, 5)
      session.undo()
      XCTAssert(session.currentItem.hasSuffix("1你aépasted text"))
      session.undo()
      session.undo()
      XCTAssert(session.currentItem.hasSuffix("1你"))
      session.redo()
    }
    XCTAssertLessThan(counts.rest, 300)
  }

  func testCanceledCompositionIsNotAStepAfterAReopening() async throws {
    try await check { session in
      for (removed, text) in [(0, "n"), (1, "ni"), (2, "")] {
        session.edit { $0.replaceSubrange(utf8: 3..<3 + removed, with: text, as: .composing) }
        await session.isSynchronized()
      }
      XCTAssertEqual(session.history.undoCount, 1)
      session.edit { $0.append("x") }
    }
  }

  func testStepsOfOneAccessAreLoggedSeparately() async throws {
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

  func testEditsBeforeAThrownErrorAreLogged() async throws {
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

  func testAssigningAChangedCopyOfTheHistoryTakesAFewBytes() async throws {
    let counts = try await check { session in
      var copy = session.history
      copy.edit.append("2")
      copy.undo()
      session.history = copy
      // The assigned copy is logged, so it can be changed again.
      session.history.redo()
    }
    XCTAssertLessThan(counts.rest, 200)
  }

  /// The assigned copies lack steps that are in the log, so the log begins anew.
  func testAssigningAnEarlierCopyReplacesTheHistory() async throws {
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

  func testAssigningANewHistoryReplacesTheHistory() async throws {
    try await check { session in
      session.history = UndoHistory(initialValue: "new")
      session.edit { $0.append("er") }
      XCTAssertEqual(session.currentItem, "newer")
    }
  }

  /// The log doesn't contain the other session's history, however similar the two are.
  func testAssigningTheHistoryOfAnotherSessionReplacesTheHistory() async throws {
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

  func testLimitsAndRemoteEditsAreLogged() async throws {
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

  func testLimitHoldsInACopyThatIsAssigned() async throws {
    try await check { session in
      session.history.limit = .steps(10)
      var copy = session.history
      for number in 0..<100 { copy.transaction("\(number)") { $0.append("x") } }
      XCTAssertEqual(copy.undoCount, 10)
      session.history = copy
      session.history.limit = .unlimited
    }
  }

  /// A limit drops steps of one access before the recorder reads them, so it must not read them afterwards.
  func testStepsDroppedWithinOneAccessAreAbsentFromTheNextSession() async throws {
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

  /// A step that is edited and cancelled within one access keeps the redo steps.
  func testCancelledStepIsNotRecorded() async throws {
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

  func testTransactionThatThrowsInAnOpenStepKeepsRedo() async throws {
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

  /// The recorder has read a step that disappears in the copy, because the value returned to its start.
  ///
  /// The copy is kept alive while the recorder reads it.
  func testValueThatReturnsToItsStartInACopyRecordsNoStep() async throws {
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
