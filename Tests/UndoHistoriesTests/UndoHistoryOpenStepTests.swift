import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// How long a step stays open, and what ends or cancels it.
final class UndoHistoryOpenStepTests: XCTestCase {
  private struct Frame: Equatable {
    var x = 0
    var y = 0
    var title = ""
    var numbers: [Int] = []
  }

  private func moved() -> UndoHistory<Frame> {
    var history = UndoHistory(initialValue: Frame())
    history.edit.x = 1
    history.edit.y = 2
    return history
  }

  // MARK: Identities

  func testStepWithASuppliedIdentityIsTheSameInEqualStates() {
    struct State: Equatable { var frame = UndoHistory(initialValue: Frame()), drag: UndoHistory<Frame>.OpenStep? }
    func begin(_ state: inout State, id: UInt64) {
      state.drag = state.frame.beginStep("Move", id: .init(rawValue: id))
      state.frame.edit.x = 1
    }
    var (state, expected, replaced) = (State(), State(), State())
    begin(&state, id: 7)
    begin(&expected, id: 7)
    begin(&replaced, id: 8)
    XCTAssertEqual(state, expected)
    XCTAssertNotEqual(state, replaced)
    XCTAssertEqual(Set([state.drag, expected.drag, replaced.drag]).count, 2)
    let drag = state.drag!
    XCTAssertFalse(replaced.frame.endStep(drag), "the answer came after the form was replaced")
    XCTAssertTrue(expected.frame.endStep(drag))
    XCTAssertFalse(expected.frame.endStep(drag), "the step was ended twice")
    XCTAssertTrue(state.frame.cancelStep(drag))
    XCTAssertEqual(state.frame.x, 0)
  }

  // MARK: Canceling

  func testSaveFinishedDuringAStepStaysFinishedAfterCanceling() {
    var history = moved()
    let save = history.beginSave()
    history.undo()
    let step = history.beginStep()
    history.edit.x = 7
    XCTAssertTrue(history.finishSave(save))
    XCTAssertTrue(history.cancelStep(step))
    XCTAssertTrue(history.isDirty)
    XCTAssertTrue(history.savesInFlight.isEmpty)
    history.redo()
    XCTAssertFalse(history.isDirty)
  }

  // MARK: Ends of a step

  private typealias End = (name: String, act: @Sendable (inout UndoHistory<Frame>) -> Void)

  private static let ends: [End] = [
    ("undo", { $0.undo() }),
    ("redo", { $0.redo() }),
    ("undo(onEdit:)", { $0.undo { _ in } }),
    ("redo(onEdit:)", { $0.redo { _ in } }),
    ("go(to:) where it is", { $0.go(to: .step($0.undoCount)) }),
    ("go(to: .step)", { $0.go(to: .step(0)) }),
    ("beginSave", { _ = $0.beginSave() }),
    ("markSaved", { $0.markSaved() }),
    ("beginStep", { _ = $0.beginStep() }),
    ("removeAllSteps", { $0.removeAllSteps() }),
  ]

  func testTokenIsStaleOnceItsStepHasEnded() {
    for (name, end) in Self.ends {
      for (hasEdits, canRedo) in [(false, false), (false, true), (true, false), (true, true)] {
        var history = moved()
        if canRedo { history.undo() }
        let step = history.beginStep("Resize")
        if hasEdits { history.edit.x = 5 }
        end(&history)
        let after = history
        let message = "\(name), \(hasEdits ? "with" : "without") edits, redo: \(canRedo)"
        XCTAssertFalse(history.endStep(step), message)
        XCTAssertFalse(history.cancelStep(step), message)
        XCTAssertEqual(history, after, message)
        let count = history.undoCount
        history.edit.y = 100
        history.edit.x = 100
        // `beginStep` has opened another step, which both edits join.
        XCTAssertEqual(history.undoCount, count + (name == "beginStep" ? 1 : 2), message)
      }
    }
  }

  func testEndedCanceledAndForeignTokensAreRejected() {
    var (history, other) = (UndoHistory(initialValue: Frame()), UndoHistory(initialValue: Frame()))
    let ended = history.beginStep()
    history.edit.x = 1
    XCTAssertTrue(history.endStep(ended))
    let cancelled = history.beginStep()
    history.edit.x = 2
    XCTAssertTrue(history.cancelStep(cancelled))
    let foreign = other.beginStep()
    other.edit.x = 1
    let step = history.beginStep()
    history.edit.x = 3
    for token in [ended, cancelled, foreign] {
      XCTAssertFalse(history.endStep(token))
      XCTAssertFalse(history.cancelStep(token))
    }
    history.edit.x = 4
    XCTAssertEqual([history.x, history.undoCount], [4, 2])
    XCTAssertFalse(other.endStep(step))
    XCTAssertTrue(other.cancelStep(foreign))
    XCTAssertTrue(history.cancelStep(step))
    XCTAssertEqual([history.x, history.undoCount, other.x], [1, 1, 0])
  }

  func testArchivingEndsTheOpenStepOnlyInTheArchive() throws {
    var history = UndoHistory(initialValue: [1, 2, 3])
    let step = history.beginStep("Move")
    history.edit[0] = 5
    history.edit.append(4)
    var restored = UndoHistory(initialValue: history.currentItem)
    try restored.restoreSteps(from: history.archive())
    XCTAssertEqual(restored.steps.map(\.label), ["Move"])
    XCTAssertFalse(restored.cancelStep(step))
    restored.edit[0] = 6
    XCTAssertEqual(restored.undoCount, 2)

    history.edit[0] = 7
    XCTAssertEqual(history.undoCount, 1)
    XCTAssertTrue(history.cancelStep(step))
    XCTAssertEqual(history.currentItem, [1, 2, 3])
  }

  func testEmptyOpenStepStaysOpenIfUndoAndRedoReturnToItsState() {
    var history = moved()
    let step = history.beginStep("Resize")
    history.undo()
    XCTAssertFalse(history.endStep(step))
    history.redo()
    history.edit.x = 5
    history.edit.y = 6
    XCTAssertEqual(history.undoCount, 3)
    XCTAssertEqual(history.undoLabel, "Resize")
    XCTAssertTrue(history.cancelStep(step))
    XCTAssertEqual(history.currentItem, Frame(x: 1, y: 2))

    let other = history.beginStep("Resize")
    history.undo()
    history.edit.x = 7
    XCTAssertFalse(history.endStep(other), "the edit was made at another state than the one where the step began")
    XCTAssertNil(history.undoLabel)
  }

  // MARK: Copies and tokens

  func testTokensAreHashableAndSendable() {
    func send<Token: Hashable & Sendable & Identifiable>(_ token: Token) -> Token { token }
    var history = UndoHistory(initialValue: Frame())
    let tokens = (0..<100).map { _ in history.beginStep() }
    XCTAssertEqual(Set(tokens).count, 100)
    XCTAssertEqual(Set(tokens.map(\.id)).count, 100)
    XCTAssertEqual(send(tokens[3]), tokens[3])
    XCTAssertNotEqual(tokens[3], tokens[4])
    XCTAssertTrue(history.endStep(send(tokens[99])))
  }

  @MainActor
  func testStepCanStayOpenAcrossAnAwait() async {
    var history = UndoHistory(initialValue: Frame())
    let step = history.beginStep("Import")
    let task = Task.detached {
      var numbers: [Int] = []
      for number in 0..<10 {
        await Task.yield()
        numbers.append(number)
      }
      return (numbers, step)
    }
    history.edit.x = 1
    let (numbers, token) = await task.value
    history.edit.x = 2
    history.edit.numbers.append(contentsOf: numbers)
    XCTAssertEqual(history.undoCount, 1)
    XCTAssertTrue(history.endStep(token))
    history.undo()
    XCTAssertEqual(history.currentItem, Frame())
  }

  func testValuesAreReleasedExactlyOnce() {
    withLifetimeTracking { tracker in
      var history = UndoHistory(initialValue: tracker.instances(0..<4))
      history.edit.append(tracker.instance(4))
      for isCancelled in [false, true] {
        history.undo()
        let step = history.beginStep("Replace")
        for number in 0..<10 {
          history.edit[0].set(tracker.instance(number))
          history.edit.append(tracker.instance(number))
          history.transaction { $0[1].set(tracker.instance(number)) }
        }
        let copy = history
        if isCancelled { history.cancelStep(step) } else { history.endStep(step) }
        XCTAssertEqual(copy.currentItem.count, history.currentItem.count + (isCancelled ? 10 : 0))
        history.edit.append(tracker.instance(5))
      }
      _ = history.beginStep()
      history.edit[0].set(tracker.instance(5))
    }
  }
}
