import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// The times at which steps ended, and going back by time.
final class UndoHistoryTimesTests: XCTestCase {
  private let clock = ManualClock()

  private func history<Value>(_ value: Value) -> UndoHistory<Value> {
    var history = UndoHistory(initialValue: value)
    history.recordTimes { [clock] in clock.now.offset }
    return history
  }

  private func at(_ seconds: Int) { clock.advance(by: .seconds(seconds) - clock.now.offset) }

  private func times<Value>(_ history: UndoHistory<Value>) -> [Int?] {
    history.steps.map { $0.time.map { Int($0.components.seconds) } }
  }

  /// Ten steps, each of which ends 100 seconds after the one before.
  private func tenSteps() -> UndoHistory<[Int]> {
    var history = history([0])
    for number in 1...10 {
      at(number * 100)
      history.edit[0] = number
    }
    return history
  }

  /// A history with one step, which ended after a second and was undone, so that a new edit makes it a branch.
  private func undone() -> UndoHistory<Int> {
    var history = history(0)
    history.keepsBranches = true
    at(1)
    history.edit.set(1)
    history.undo()
    return history
  }

  // MARK: Times

  func testTimesDoNotCountInTheByteCount() {
    var (plain, timed) = (UndoHistory(initialValue: [0]), history([0]))
    for number in 1...10 {
      plain.edit[0] = number
      timed.edit[0] = number
    }
    XCTAssertEqual(plain.byteCount, timed.byteCount)
    XCTAssertEqual(plain, timed)
    XCTAssertEqual(plain.steps.map(\.time), Array(repeating: nil, count: 10))
  }

  func testStepsMadeBeforeRecordTimesHaveNoTime() {
    var history = UndoHistory(initialValue: [0])
    history.edit[0] = 1
    history.edit[0] = 2
    history.undo()
    at(50)
    history.recordTimes { [clock] in clock.now.offset }
    XCTAssertEqual(times(history), [nil, nil])
    history.redo()
    at(60)
    history.edit[0] = 3
    XCTAssertEqual(times(history), [nil, nil, 60])
    history.undo()
    history.undo()
    at(70)
    history.edit[0] = 4
    XCTAssertEqual(times(history), [nil, 70])
  }

  func testJoinedStepHasTheTimeOfItsLatestEdit() {
    var text = history("")
    for second in 1...5 {
      at(second * 10)
      text.edit.append("a")
    }
    XCTAssertEqual(times(text), [50])
    at(60)
    text.edit.removeSubrange(utf8: 4..<5)
    at(70)
    text.edit.removeSubrange(utf8: 3..<4)
    XCTAssertEqual(times(text), [50, 70])

    var values = history([0, 0])
    values.coalescing = .typing.values(within: .seconds(100), clock: clock)
    for second in 8...10 {
      at(second * 10)
      values.edit[0] = second
    }
    XCTAssertEqual(times(values), [100])
  }

  func testCancelingAStepKeepsTheTimesOfTheRedoSteps() {
    for isRefused in [false, true] {
      var history = UndoHistory(initialValue: [0])
      for number in 1...5 { history.edit[0] = number }
      history.recordTimes { [clock] in clock.now.offset }
      at(isRefused ? 1010 : 10)
      history.edit[0] = 6
      at(isRefused ? 1020 : 20)
      history.edit[0] = 7
      let known = times(history)
      for _ in 0..<4 { history.undo() }
      let step = history.beginStep()
      at(isRefused ? 1030 : 30)
      if isRefused {
        try? history.transaction { edit in
          edit[0] = -1
          throw Refused()
        }
      } else {
        history.edit[0] = -1
      }
      history.cancelStep(step)
      XCTAssertEqual(times(history), known)
      XCTAssertEqual(known.suffix(3), [nil] + (isRefused ? [1010, 1020] : [10, 20]))
    }
  }

  func testReattachedBranchKeepsItsTimes() {
    var history = UndoHistory(initialValue: [0])
    history.keepsBranches = true
    for number in 1...7 { history.edit[0] = number }
    for _ in 0..<4 { history.undo() }
    history.recordTimes { [clock] in clock.now.offset }
    for number in 1...5 {
      at(number * 10)
      history.edit[0] = 100 + number
    }
    let known = times(history)
    XCTAssertEqual(known.suffix(5), [10, 20, 30, 40, 50])
    history.go(to: history.branches[0])
    at(60)
    history.edit[0] = 8
    history.go(to: history.branches[0])
    XCTAssertEqual(times(history), known)
  }

  func testEditsThatChangeNothingLeaveTheTimes() {
    var history = tenSteps()
    at(3_000)
    history.edit[0] = 10
    history.transaction { _ in }
    history.currentItem = [10]
    XCTAssertEqual(times(history), (1...10).map { $0 * 100 })
  }

  func testRecordTimesWithNilStopsAndForgetsTheTimes() {
    var history = tenSteps()
    history.recordTimes(nil)
    XCTAssertEqual(times(history), Array(repeating: nil, count: 10))
    XCTAssertFalse(history.go(to: .ago(.zero)))
    history.edit[0] = 11
    history.recordTimes { [clock] in clock.now.offset }
    at(1_100)
    history.edit[0] = 12
    XCTAssertEqual(times(history), Array(repeating: nil, count: 11) + [1_100])
  }

  func testArchivesHaveNoTimes() throws {
    let history = tenSteps()
    var restored = self.history(history.currentItem)
    restored.edit[0] = 11
    restored.edit[0] = 10
    try restored.restoreSteps(from: history.archive())
    XCTAssertEqual(times(restored), Array(repeating: nil, count: 10))
  }

  // MARK: Going back by time

  func testAgoKeepsTheStepsThatHadEndedByThen() {
    let positions = [(0, 10), (99, 9), (100, 9), (101, 8), (600, 4), (899, 1), (900, 1), (901, 0), (9_000, 0)]
    for (distance, number) in positions {
      for start in [0, 4, 10] {
        var history = tenSteps()
        history.go(to: .step(start))
        XCTAssertTrue(history.go(to: .ago(.seconds(distance))))
        XCTAssertEqual(history.currentItem, [number], "\(distance) seconds ago, from \(start)")
        XCTAssertEqual(history.undoCount, number)
      }
    }
  }

  func testAgoCountsFromTheCurrentTime() {
    var history = tenSteps()
    at(1_600)
    var steps: [Int] = []
    XCTAssertTrue(history.go(to: .ago(.seconds(600))) { _ in steps.append(1) })
    XCTAssertEqual([history.currentItem, steps], [[10], []])
    at(1_650)
    history.go(to: .ago(.seconds(1_000))) { _ in steps.append(1) }
    XCTAssertEqual([history.currentItem, steps], [[6], [1, 1, 1, 1]])
  }

  func testStepsWithoutATimeCountAsEarlier() {
    var history = UndoHistory(initialValue: [0])
    history.edit[0] = 1
    history.edit[0] = 2
    at(100)
    history.recordTimes { [clock] in clock.now.offset }
    XCTAssertTrue(history.go(to: .ago(.seconds(1_000))))
    XCTAssertEqual(history.currentItem, [2])
    history.edit[0] = 3
    history.go(to: .ago(.seconds(1_000)))
    XCTAssertEqual(history.currentItem, [2])
    XCTAssertEqual(history.redone(), [3])
  }

  func testAgoFailsInAHistoryWithoutTimes() {
    var history = UndoHistory(initialValue: [0])
    history.edit[0] = 1
    XCTAssertFalse(history.go(to: .ago(.zero)))
    XCTAssertTrue(history.touches(\.self, since: .ago(.zero)))
    history.recordTimes { .zero }
    XCTAssertTrue(history.go(to: .ago(.seconds(600))))
    XCTAssertEqual(history.currentItem, [1])
    XCTAssertFalse(history.touches(\.self, since: .ago(.zero)))
  }

  func testAgoGoesNoFurtherThanTheOldestStepWithinALimit() {
    var history = tenSteps()
    history.limit = .steps(3)
    XCTAssertTrue(history.go(to: .ago(.seconds(600))))
    XCTAssertEqual([history.undoCount, history.currentItem[0]], [0, 7])
    XCTAssertTrue(history.go(to: .ago(.seconds(100))))
    XCTAssertEqual([history.undoCount, history.currentItem[0]], [2, 9])
  }

  func testAgoEndsAnOpenStep() {
    var history = history([0])
    at(100)
    history.edit[0] = 1
    at(200)
    let step = history.beginStep("Drag")
    history.edit[0] = 2
    at(210)
    XCTAssertTrue(history.go(to: .ago(.seconds(50))))
    XCTAssertEqual(history.currentItem, [1])
    XCTAssertFalse(history.endStep(step))
    XCTAssertEqual(history.redone(), [2])
  }

  func testChangedPartsCanBeQueriedByTime() {
    struct Contact { var name = "", email = "" }
    var history = history(Contact())
    at(100)
    history.edit.email.append("a")
    at(200)
    history.edit.name.append("b")
    XCTAssertEqual(history.changed(among: \.name, \.email, since: .ago(.seconds(50))), [\.name])
    XCTAssertEqual(history.changed(among: \.name, \.email, since: .ago(.seconds(150))), [\.name, \.email])
    XCTAssertFalse(history.touches(\.name, since: .ago(.zero)))
  }

  func testTimesBeyondTheRangeOfNanosecondsAreClamped() {
    var history = UndoHistory(initialValue: [0])
    history.recordTimes { .seconds(Int64.max) }
    history.edit[0] = 1
    history.recordTimes { .seconds(Int64.min) }
    history.edit[0] = 2
    XCTAssertEqual(history.steps.map(\.time), [nil, .nanoseconds(Int64.min)])
  }

  func testSettingAnotherClockForgetsTheTimesOfBranches() {
    var history = undone()
    history.edit.set(2)
    XCTAssertEqual(history.branches.map(\.time), [.seconds(1)])
    history.recordTimes(nil)
    XCTAssertEqual(history.branches.map(\.time), [nil])
    history.recordTimes { .seconds(1_000_000) }
    history.go(to: history.branches[0])
    XCTAssertEqual(history.steps.map(\.time), [nil])
  }

  func testSettingAnotherClockForgetsTimesThatAnOpenStepDetached() {
    var history = undone()
    let step = history.beginStep()
    history.edit.set(2)
    history.recordTimes { .seconds(1_000_000) }
    history.endStep(step)
    XCTAssertEqual(history.branches.map(\.time), [nil])
  }

  func testTimeOfACanceledStepIsNotGivenToAnotherStep() {
    var history = UndoHistory(initialValue: [0])
    history.keepsBranches = true
    history.edit[0] = 1
    history.recordTimes { [clock] in clock.now.offset }
    at(10)
    history.edit[0] = 2
    at(20)
    let step = history.beginStep()
    history.edit[0] = 3
    history.cancelStep(step)
    for _ in 0..<2 { history.undo() }
    at(30)
    history.edit[0] = 9
    history.go(to: history.branches[0])
    XCTAssertNotEqual(times(history).first, 10, "the step from before the clock has no time")
    XCTAssertFalse(times(history).contains(20))
  }

  func testBranchKeepsTheTimesOfItsStepsThatHaveOne() {
    var history = UndoHistory(initialValue: [0])
    history.keepsBranches = true
    history.edit[0] = 1
    history.edit[0] = 2
    history.recordTimes { [clock] in clock.now.offset }
    at(10)
    history.edit[0] = 3
    history.go(to: .step(0))
    at(20)
    history.edit[0] = 9
    XCTAssertEqual(history.branches.map(\.time), [.seconds(10)])
    XCTAssertTrue(history.go(to: history.branches[0]))
    XCTAssertEqual(times(history), [nil, nil, 10])
    XCTAssertEqual(history.branches.map(\.time), [.seconds(20)])
  }

  func testManyStepsKeepTheirTimesAndIDsAfterRollbacksAndBranching() {
    var history = history([0])
    history.keepsBranches = true
    for number in 1...200 {
      at(number)
      history[as: number.isMultiple(of: 2) ? "agent" : "server"][0] = number
    }
    let (copy, ids) = (history, history.steps.map(\.stepID))
    for position in [3, 64, 65, 128, 199] {
      history.go(to: .step(position))
      let mark: Void? = try? history.transaction { edit in
        edit[0] = -1
        throw CancellationError()
      }
      XCTAssertNil(mark)
      let step = history.beginStep()
      history.edit[0] = -2
      history.cancelStep(step)
      history.go(to: .step(200))
      XCTAssertEqual(times(history), Array(1...200))
      XCTAssertEqual(history.steps.map(\.stepID), ids)
    }
    history.go(to: .step(100))
    at(300)
    history.edit[0] = 300
    XCTAssertEqual(times(history), Array(1...100) + [300])
    XCTAssertEqual(history.branches.map(\.time), [.seconds(200)])
    XCTAssertTrue(history.go(to: history.branches[0]))
    XCTAssertEqual(times(history), Array(1...200))
    XCTAssertEqual(history.steps.map(\.stepID), ids)
    XCTAssertEqual(times(copy), Array(1...200), "the copy has its own times")
  }

  func testStepsWithinALimitKeepTheirTimesAndOrigins() {
    var history = history([0])
    history.limit = .steps(70)
    for number in 1...300 {
      at(number)
      history[as: "agent"][0] = number
    }
    XCTAssertEqual(times(history), Array(231...300))
    XCTAssertEqual(Set(history.steps.map(\.origin)), ["agent"])
  }
}
