import TestSupport
import UndoHistories
import XCTest

/// When steps ended, and going back by time.
final class UndoHistoryTimesTests: XCTestCase {
  private let clock = ManualClock()

  private func timed<Value>(_ history: UndoHistory<Value>) -> UndoHistory<Value> {
    var history = history
    history.keepTime { [clock] in clock.now.offset }
    return history
  }

  private func seconds<Value>(_ history: UndoHistory<Value>) -> [Int64?] {
    history.steps.map { $0.time?.components.seconds }
  }

  // MARK: Times

  func testEachStepKeepsWhenItEnded() {
    var history = timed(UndoHistory(initialValue: [0]))
    for number in 1...3 {
      clock.advance(by: .seconds(10))
      history.edit.append(number)
    }
    XCTAssertEqual(seconds(history), [10, 20, 30])
    clock.advance(by: .seconds(10))
    history.undo()
    history.undo()
    XCTAssertEqual(seconds(history), [10, 20, 30], "undoing changes no time")
    history.edit.append(4)
    XCTAssertEqual(seconds(history), [10, 40])
    history.removeAllSteps()
    XCTAssertEqual(seconds(history), [])
    history.edit.append(5)
    XCTAssertEqual(seconds(history), [40])
  }

  func testNothingIsKeptUnlessAskedFor() {
    var history = UndoHistory(initialValue: [0])
    history.edit.append(1)
    XCTAssertFalse(history.keepsTime)
    XCTAssertEqual(seconds(history), [nil])
    history = timed(history)
    XCTAssertTrue(history.keepsTime)
    history.edit.append(2)
    XCTAssertEqual(seconds(history), [nil, 0], "a step from before has no time")
    history.stopKeepingTime()
    XCTAssertFalse(history.keepsTime)
    history.edit.append(3)
    XCTAssertEqual(seconds(history), [nil, nil, nil])
  }

  func testJoinedTypingEndsWithItsLastKey() {
    var history = timed(UndoHistory(initialValue: ""))
    for letter in "abc" {
      clock.advance(by: .seconds(1))
      history.edit.append(String(letter))
    }
    XCTAssertEqual(seconds(history), [3])
    history.endCoalescing()
    clock.advance(by: .seconds(1))
    history.edit.append("d")
    XCTAssertEqual(seconds(history), [3, 4])
    for _ in 0..<2 {
      clock.advance(by: .seconds(1))
      history.edit.replaceSubrange(utf8: 3..<4, with: "")
      history.edit.append("x")
    }
    XCTAssertEqual(seconds(history).last, 6)
  }

  func testTheRuleOfJoiningStays() {
    var history = timed(UndoHistory(initialValue: ""))
    XCTAssertEqual(history.coalescing, .typing)
    history.coalescing = .none
    XCTAssertEqual(history.coalescing, .none)
    history.edit.append("a")
    history.edit.append("b")
    XCTAssertEqual(history.undoCount, 2)
    let paused = UndoCoalescing.typing(within: .seconds(5), clock: clock)
    history.coalescing = paused
    XCTAssertEqual(history.coalescing, paused)
    for pause in [1, 1, 6, 1] {
      clock.advance(by: .seconds(pause))
      history.edit.append("c")
    }
    XCTAssertEqual(seconds(history), [0, 0, 2, 9])
    history.coalescing = .typing
    history.stopKeepingTime()
    XCTAssertEqual(history.coalescing, .typing)
  }

  func testATransactionIsTimedAsItEnds() {
    var history = timed(UndoHistory(initialValue: [0]))
    history.transaction("Append") { [clock] edit in
      edit.append(1)
      clock.advance(by: .seconds(2))
      edit.transaction { $0.append(2) }
      clock.advance(by: .seconds(3))
    }
    XCTAssertEqual(seconds(history), [5])
    history.transaction { edit in edit[0] = 7 }
    XCTAssertEqual(seconds(history), [5, 5])
    history.transaction { _ in }
    XCTAssertEqual(seconds(history), [5, 5])
  }

  func testATransactionThatIsThrownBackLeavesTheTimes() {
    var history = timed(UndoHistory(initialValue: [0]))
    history.edit.append(1)
    clock.advance(by: .seconds(1))
    history.edit.append(2)
    history.undo()
    clock.advance(by: .seconds(1))
    try? history.transaction { edit in
      edit.append(3)
      throw Refused()
    }
    XCTAssertEqual(seconds(history), [0, 1], "what could be redone is there, and its time")
    history.transaction { $0.append(3) }
    XCTAssertEqual(seconds(history), [0, 2])
  }

  func testTimesOfDroppedStepsGo() {
    var history = timed(UndoHistory(initialValue: [0]))
    history.limit = .steps(5)
    for number in 1...500 {
      clock.advance(by: .seconds(1))
      if number % 3 == 0 { history.transaction { $0[0] = number } } else { history.edit[0] = number }
      XCTAssertEqual(seconds(history), (max(1, number - 4)...number).map { Int64($0) })
    }
    history.limit = .bytes(60)
    XCTAssertEqual(seconds(history), [499, 500])
  }

  func testCopiesKeepTimesOfTheirOwn() {
    var history = timed(UndoHistory(initialValue: [0]))
    history.edit.append(1)
    var copy = history
    clock.advance(by: .seconds(1))
    history.edit.append(2)
    clock.advance(by: .seconds(1))
    copy.edit.append(3)
    copy.edit.append(4)
    XCTAssertEqual(seconds(history), [0, 1])
    XCTAssertEqual(seconds(copy), [0, 2, 2])
    XCTAssertEqual(history.steps.map(\.byteCount), copy.steps.prefix(2).map(\.byteCount))
  }

  func testRestoredStepsHaveNoTime() throws {
    var history = timed(UndoHistory(initialValue: "a"))
    history.edit.append("b")
    let archive = try history.archive()
    var restored = timed(UndoHistory(initialValue: "ab"))
    restored.edit.append("x")
    restored.undo()
    try restored.restoreSteps(from: archive)
    XCTAssertEqual(seconds(restored), [nil])
    clock.advance(by: .seconds(3))
    restored.edit.set("")
    XCTAssertEqual(seconds(restored), [nil, 3])
  }

  func testTimesAreKeptToTheNanosecondAndNoFurtherThanTheyFit() {
    for (time, kept) in [
      (Duration.nanoseconds(1), Duration.nanoseconds(1)), (.seconds(-1), .seconds(-1)),
      (.seconds(Int64.max), .nanoseconds(Int64.max)), (.seconds(Int64.min), .nanoseconds(Int64.min + 1)),
    ] {
      var history = UndoHistory(initialValue: 0)
      history.keepTime { time }
      history.edit.set(1)
      XCTAssertEqual(history.steps.first?.time, kept)
    }
  }

  // MARK: Going

  func testGoesBackByTime() {
    var history = timed(UndoHistory(initialValue: [0]))
    for number in 1...10 {
      clock.advance(by: .seconds(60))
      history.edit.append(number)
    }
    for (ago, count) in [(0, 10), (59, 9), (60, 9), (61, 8), (540, 1), (541, 0), (9_999, 0), (-5, 10)] {
      XCTAssertTrue(history.go(to: .ago(.seconds(ago))))
      XCTAssertEqual(history.undoCount, count, "\(ago) seconds ago")
      XCTAssertEqual(history.redoCount, 10 - count)
    }
    XCTAssertTrue(history.touches(\.self, since: .ago(.seconds(60))))
  }

  func testWithoutTimesThereIsNoWayBackByTime() {
    var history = UndoHistory(initialValue: [0])
    history.edit.append(1)
    XCTAssertFalse(history.go(to: .ago(.seconds(60))))
    XCTAssertEqual(history.currentItem, [0, 1])
    XCTAssertTrue(history.touches(\.self, since: .ago(.zero)))
    history = timed(history)
    XCTAssertTrue(history.go(to: .ago(.seconds(60))), "steps of unknown time are older than all others")
    XCTAssertEqual(history.currentItem, [0, 1])
  }

  // MARK: Model

  func testAgainstAListOfTimes() {
    withSeeds(60) { random in
      var oracles = [TimesOracle()]
      for _ in 0..<100 {
        let index = oracles.indices.randomElement(using: &random)!
        if oracles.count < 4, random.chance(oneIn: 20) { oracles.append(oracles[index]) }
        oracles[index].act(&random)
      }
    }
  }
}

/// A history that keeps time, and the times that its steps must have.
private struct TimesOracle {
  let clock = ManualClock()
  var history = UndoHistory(initialValue: Document())
  var times: [Duration?] = []

  mutating func act(_ random: inout SeededRandom) {
    clock.advance(by: .milliseconds(random.int(in: 0..<2_000)))
    var plain = history.currentItem
    switch random.int(in: 0..<18) {
    case 0, 1: history.undo()
    case 2: history.redo()
    case 3: history.go(to: random.int(in: 0..<history.steps.count + 1))
    case 4 where random.chance(oneIn: 6):
      history.removeAllSteps()
      times = []
    case 5 where random.chance(oneIn: 3):
      history.keepTime { [clock] in clock.now.offset }
      times = times.map { _ in nil }
    case 6 where random.chance(oneIn: 6):
      history.stopKeepingTime()
      times = times.map { _ in nil }
    case 7:
      history.limit = .steps(random.int(in: 2..<30), bytes: random.int(in: 200..<20_000))
      times.removeFirst(times.count - history.steps.count)
      history.limit = random.chance(oneIn: 2) ? .unlimited : .steps(10_000, bytes: 1 << 40)
    case 8: history.coalescing = random.chance(oneIn: 3) ? .none : .typing
    case 9: history.endCoalescing()
    case 10..<13:
      let label = random.chance(oneIn: 2) ? "label" : nil
      let isRefused = random.chance(oneIn: 3)
      edit { history in
        try? history.transaction(label) { edit in
          edit.editNested(&plain, &random, depth: 0)
          if isRefused { throw Refused() }
        }
      }
    case 13: edit { $0.currentItem.text += "typed" }
    default: edit { $0.edit.edit(&plain, &random) }
    }
    check(random.int(in: -1_000..<60_000))
  }

  private mutating func edit(_ body: (inout UndoHistory<Document>) -> Void) {
    let (undoCount, document) = (history.undoCount, Exact(history.currentItem))
    body(&history)
    let now = history.keepsTime ? clock.now.offset : nil
    if history.undoCount > undoCount {
      times = times.prefix(undoCount) + [now]
    } else if Exact(history.currentItem) != document {
      times[undoCount - 1] = now
    }
  }

  private func check(_ milliseconds: Int) {
    expectEqual(history.steps.map(\.time), times)
    var copy = history
    expectEqual(copy.go(to: .ago(.milliseconds(milliseconds))), history.keepsTime)
    let then = clock.now.offset - .milliseconds(milliseconds)
    let last = times.lastIndex { time in time.map { $0 <= then } ?? true }
    expectEqual(copy.undoCount, history.keepsTime ? last.map { $0 + 1 } ?? 0 : history.undoCount)
  }
}
