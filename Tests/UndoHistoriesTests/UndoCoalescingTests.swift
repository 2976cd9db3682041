import TestSupport
import UndoHistories
import XCTest

/// The rule for values, by which assignments join without a transaction.
final class UndoCoalescingTests: XCTestCase {
  private struct Sound: Equatable {
    var volume = 0
    var pitch = 0
    var name = ""
    var bands = [0, 0, 0]
    var pan = 0
    var gain = 0
  }

  private let clock = ManualClock()

  private func history(_ rule: UndoCoalescing = .typing) -> UndoHistory<Sound> {
    var history = UndoHistory(initialValue: Sound())
    history.coalescing = rule.values(within: .seconds(1), clock: clock)
    return history
  }

  // MARK: Joining

  func testAssignmentsOfOneLeafJoinWithinThePause() {
    for rule in [UndoCoalescing.typing, .none, .typing(within: .seconds(5), clock: clock)] {
      var history = history(rule)
      for volume in 1...100 {
        history.edit.volume = volume
        clock.advance(by: .seconds(1))
      }
      XCTAssertEqual([history.undoCount, history.byteCount], [1, 16])
      XCTAssertEqual(history.undone(), Sound())
      XCTAssertEqual(history.redone(), Sound(volume: 100))
    }
  }

  func testAssignmentAfterThePauseBeginsAStep() {
    var history = history()
    for volume in 1...3 {
      history.edit.volume = 2 * volume
      clock.advance(by: .milliseconds(600))
      history.edit.volume = 2 * volume + 1
      clock.advance(by: .milliseconds(1_001))
    }
    XCTAssertEqual([history.undoCount, history.byteCount], [3, 48])
    XCTAssertEqual(history.undone().volume, 5)
    XCTAssertEqual(history.undone().volume, 3)
  }

  func testAssignmentsOfAnElementsPropertyJoin() {
    struct Track { var volume = 0, mute = false }
    var history = UndoHistory(initialValue: [Track(), Track()])
    history.coalescing = .typing.values(within: .seconds(1), clock: clock)
    for volume in 1...50 { history.edit[1].volume = volume }
    XCTAssertEqual(history.undoCount, 1)
    let bytes = history.byteCount
    for volume in 51...100 { history.edit[1].volume = volume }
    XCTAssertEqual([history.undoCount, history.byteCount], [1, bytes])
    history.edit[0].volume = 1
    history.edit[0].mute = true
    XCTAssertEqual(history.undoCount, 3)
    XCTAssertEqual(history.allUndone().map(\.volume), [0, 0])
  }

  func testDocumentAssignmentsJoinIfTheyChangeTheSameMembers() {
    var history = history()
    for number in 1...50 { history.currentItem.volume = number }
    XCTAssertEqual([history.undoCount, history.byteCount], [1, 16])
    for number in 51...100 { history.edit.volume = number }
    XCTAssertEqual([history.undoCount, history.byteCount], [1, 16])
    for number in 1...50 { history.currentItem = Sound(volume: 100 + number, pitch: number) }
    XCTAssertEqual([history.undoCount, history.byteCount], [2, 48])
    for number in 1...50 { history.currentItem = Sound(volume: 200, pitch: 100 + number) }
    XCTAssertEqual(history.undoCount, 3, "both members changed at first, and then only one")
    XCTAssertEqual(history.undone(), Sound(volume: 200, pitch: 101))
    XCTAssertEqual(history.undone(), Sound(volume: 100))
    XCTAssertEqual(history.undone(), Sound())
  }

  func testAssignmentsOfAValueThatIsNotALeafJoin() {
    struct Point: Equatable { var x = 0, y = 0 }
    var history = UndoHistory(initialValue: [Point(), Point()])
    history.coalescing = .typing.values(within: .seconds(1), clock: clock)
    for number in 1...100 { history.edit[1].set(Point(x: number, y: number)) }
    XCTAssertEqual(history.undoCount, 1)
    XCTAssertEqual(history.undone(), [Point(), Point()])
  }

  // MARK: Not joining

  private typealias Break = (name: String, steps: Int, act: @Sendable (inout UndoHistory<Sound>) -> Void)

  /// Actions between two assignments of one leaf, and the number of steps that each action records.
  private static let breaks: [Break] = [
    ("another leaf", 1, { $0.edit.pitch = 1 }),
    ("another leaf of the document", 1, { $0.currentItem.pitch = 1 }),
    ("typing", 1, { $0.edit.name.append("a") }),
    ("an insertion", 1, { $0.edit.bands.append(1) }),
    ("an element", 1, { $0.edit.bands[0] = 1 }),
    ("undo and redo", 0, { _ = ($0.undo(), $0.redo()) }),
    ("a save", 0, { _ = $0.beginSave() }),
    ("a saved point", 0, { $0.markSaved() }),
    ("endCoalescing", 0, { $0.endCoalescing() }),
    ("the same rule", 0, { $0.coalescing = $0.coalescing }),
    ("a transaction", 1, { $0.transaction { $0.volume = 77 } }),
    ("a labelled transaction", 1, { $0.transaction("Set") { $0.volume = 77 } }),
    (
      "an open step", 1,
      { history in
        let step = history.beginStep()
        history.edit.volume = 77
        history.endStep(step)
      }
    ),
    (
      "an open step without edits", 0,
      { history in
        let step = history.beginStep()
        history.endStep(step)
      }
    ),
    (
      "a cancelled step", 0,
      { history in
        let step = history.beginStep()
        history.edit.volume = 77
        history.cancelStep(step)
      }
    ),
    ("another step's value", 1, { $0.edit.pan = 1 }),
  ]

  func testAssignmentsDoNotJoinAcrossOtherActions() {
    for (name, steps, act) in Self.breaks {
      var history = history()
      for volume in 1...5 { history.edit.volume = volume }
      act(&history)
      let between = history.currentItem
      for volume in 11...15 { history.edit.volume = volume }
      XCTAssertEqual(history.undoCount, 2 + steps, name)
      XCTAssertEqual(history.undone(), between, name)
      XCTAssertEqual(history.allUndone(), Sound(), name)
    }
  }

  func testTransactionsDoNotJoin() {
    var history = history()
    for volume in 1...5 { history.transaction { $0.volume = volume } }
    XCTAssertEqual(history.undoCount, 5)
    history.edit.volume = 6
    XCTAssertEqual(history.undoCount, 6)
    for volume in 7...9 {
      try? history.transaction { edit in
        edit.volume = volume
        throw Refused()
      }
    }
    XCTAssertEqual([history.undoCount, history.volume], [6, 6])
  }

  func testEditAfterUndoDoesNotJoin() {
    var history = history()
    history.edit.volume = 1
    history.edit.pitch = 1
    history.undo()
    history.edit.volume = 2
    XCTAssertEqual([history.undoCount, history.redoCount], [2, 0])
    history.undo()
    history.undo()
    history.edit.volume = 3
    XCTAssertEqual(history.undone(), Sound())
  }

  func testInsertionsDoNotJoin() {
    var history = history()
    for number in 1...3 { history.edit.bands.append(number) }
    for _ in 1...3 { history.edit.bands.swapAt(0, 5) }
    XCTAssertEqual(history.undoCount, 6)
  }

  func testAssignmentsDoNotJoinWithoutTheValueRule() {
    for rule in [UndoCoalescing.typing, .none, .typing(within: .seconds(9), clock: clock)] {
      var history = history()
      history.coalescing = rule
      for volume in 1...5 { history.edit.volume = volume }
      XCTAssertEqual([history.undoCount, history.byteCount], [5, 80])
    }
  }

  // MARK: Typing

  func testTypingFollowsItsOwnRule() {
    var history = history(.typing(within: .seconds(5), clock: clock))
    for letter in ["a", "b", "c"] {
      history.edit.name.append(letter)
      clock.advance(by: .seconds(4))
    }
    XCTAssertEqual(history.undoCount, 1, "the pause of the rule for values does not apply to typing")
    clock.advance(by: .seconds(2))
    history.edit.name.append("d")
    XCTAssertEqual(history.undoCount, 2)

    history = self.history(.none)
    for letter in ["a", "b", "c"] { history.edit.name.append(letter) }
    XCTAssertEqual(history.undoCount, 3)
  }

  func testTypingDoesNotJoinAcrossAnAssignment() {
    var history = history()
    history.edit.name.append("a")
    history.edit.volume = 1
    history.edit.name.append("b")
    history.edit.volume = 2
    XCTAssertEqual(history.undoCount, 4)
    XCTAssertEqual(history.allUndone(), Sound())
  }

  // MARK: Limits, copies, equality

  func testJoinedAssignmentsDropNoSteps() {
    var history = history()
    history.limit = .steps(3)
    history.edit.pitch = 1
    history.edit.pan = 1
    for volume in 1...100 { history.edit.volume = volume }
    XCTAssertEqual([history.undoCount, history.byteCount], [3, 48])
    history.limit = .bytes(48)
    for volume in 101...200 { history.edit.volume = volume }
    XCTAssertEqual([history.undoCount, history.byteCount], [3, 48])
    history.edit.gain = 1
    XCTAssertEqual(history.undoCount, 3)
    XCTAssertEqual(history.allUndone(), Sound(pitch: 1))
  }

  func testCopyJoinsOnlyItsOwnEdits() {
    var history = history()
    history.edit.volume = 1
    var fork = history
    history.edit.volume = 2
    fork.edit.volume = 3
    fork.edit.volume = 4
    XCTAssertEqual([history.undoCount, fork.undoCount, history.volume, fork.volume], [1, 1, 2, 4])
    history.undo()
    fork.undo()
    XCTAssertEqual([history.volume, fork.volume], [0, 0])
    history.redo()
    fork.redo()
    XCTAssertEqual([history.volume, fork.volume], [2, 4])
  }

  func testRuleEqualsOnlyItsCopies() {
    let rule = UndoCoalescing.typing.values(within: .seconds(1), clock: clock)
    var history = UndoHistory(initialValue: 0)
    history.coalescing = rule
    XCTAssertEqual(history.coalescing, rule)
    XCTAssertEqual(Set([rule, history.coalescing]).count, 1)
    XCTAssertNotEqual(rule, .typing)
    XCTAssertNotEqual(rule, UndoCoalescing.typing.values(within: .seconds(1), clock: clock))
    history.coalescing = .typing
    XCTAssertEqual(history.coalescing, .typing)
  }

  func testPauseMayHaveAnyLength() {
    for (pause, wait, steps) in [
      (Duration.zero, Duration.zero, 1), (.zero, .nanoseconds(1), 2), (.seconds(Int64.max), .seconds(1_000_000), 1),
    ] {
      var history = UndoHistory(initialValue: 0)
      history.coalescing = .typing.values(within: pause, clock: clock)
      history.edit.set(1)
      clock.advance(by: wait)
      history.edit.set(2)
      XCTAssertEqual(history.undoCount, steps, "\(pause)")
    }
  }

  func testElementAssignmentsThroughCurrentItemJoin() {
    struct Sound { var bands = [0, 0, 0] }
    var numbers = UndoHistory(initialValue: [0.5])
    numbers.coalescing = .typing.values(within: .seconds(100))
    for value in 1...9 { numbers.currentItem[0] = Double(value) }
    XCTAssertEqual(numbers.undoCount, 1)
    var sound = UndoHistory(initialValue: Sound())
    sound.coalescing = .typing.values(within: .seconds(100))
    for value in 1...9 { sound.currentItem.bands[0] = value }
    XCTAssertEqual(sound.undoCount, 1)
    sound.currentItem.bands[1] = 1
    XCTAssertEqual(sound.undoCount, 2)
    sound.undo()
    XCTAssertEqual(sound.undone().bands, [0, 0, 0])
  }

  // MARK: Returning to the old value

  func testJoinedAssignmentsThatRestoreTheOldValueRemoveTheStep() {
    var history = history()
    history.recordTimes { [clock] in clock.now.offset }
    history.edit.pitch = 1
    history.markSaved()
    let time = history.steps.map(\.time)
    clock.advance(by: .seconds(5))
    for volume in [6, 7, 0] { history.edit.volume = volume }
    XCTAssertEqual([history.undoCount, history.redoCount], [1, 0])
    XCTAssertFalse(history.needsSave)
    XCTAssertEqual(history.steps.map(\.time), time)
    history.edit.volume = 6
    XCTAssertEqual(history.undoCount, 2)
    history.edit.volume = 7
    XCTAssertEqual(history.undoCount, 2)
    XCTAssertEqual(history.undone(), Sound(pitch: 1))
    XCTAssertEqual(history.redone(), Sound(volume: 7, pitch: 1))
  }

  func testRestoringTheOldValueInACopyRemovesOnlyItsStep() {
    var history = history()
    history.edit.volume = 6
    var copy = history
    copy.edit.volume = 0
    XCTAssertEqual([history.undoCount, copy.undoCount], [1, 0])
    history.edit.volume = 7
    XCTAssertEqual(history.undoCount, 1)
    history.edit.volume = 0
    XCTAssertEqual(history.undoCount, 0)
  }

  func testStepIsRemovedWhenAllItsLeavesHaveTheirOldValues() {
    var history = history()
    for (volume, pitch) in [(1, 2), (3, 0), (5, 6), (0, 0)] {
      history.currentItem = Sound(volume: volume, pitch: pitch)
      // In the second assignment only one of the two leaves has its old value again.
      XCTAssertEqual(history.undoCount, volume == 0 ? 0 : 1, "\(volume)")
    }
    XCTAssertEqual(history.undone(), Sound())
  }
}
