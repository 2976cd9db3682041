import Journals
import Outboxes
import PendingChanges
import TestSupport
import XCTest

/// Removals and answers that the journal could not record at first, and records later.
final class OutboxUnrecordedTests: XCTestCase {
  /// Returns an outbox with changes 1 and 2 of one key.
  ///
  /// An attempt of change 1 failed; then it was removed while the journal could not be written.
  ///
  /// - Parameters:
  ///   - body: Runs before the removal.
  ///   - during: Runs while the removal is being written.
  private func withRemovedChange(
    _ body: (inout Steps<Joined>) throws -> Void, during: (inout Steps<Joined>) throws -> Void = { _ in }
  ) throws -> Steps<Joined> {
    var steps = try Steps<Joined>(parallelKeys: 1)
    try steps.accept(Joined(1, 1))
    try steps.accept(Joined(1, 2))
    steps.answer(.failed(reason: "away"))
    steps.record()
    try body(&steps)
    let id = try XCTUnwrap(steps.machine.pending.first { $0.change.values == [1] }).id
    steps.perform(steps.machine.remove(id, ticket: 7) ?? [])
    try during(&steps)
    steps.failToRecord()
    guard case .removed(.some) = steps.results[7] else {
      XCTFail("the change was not removed")
      return steps
    }
    return steps
  }

  func testNextWriteOfAPausedOutboxRecordsAnUnrecordedRemoval() throws {
    var steps = try withRemovedChange { $0.perform($0.machine.pause()) }
    try steps.accept(Joined(2, 3))
    XCTAssertEqual(Set(try steps.found.pending), [[2], [3]])
    steps.perform(steps.machine.close(ticket: 8))
    while steps.isWriting { steps.record() }
    XCTAssertTrue(steps.hasClosed)
    XCTAssertEqual(Set(try steps.found.pending), [[2], [3]])
  }

  func testNextWriteDuringASendRecordsAnUnrecordedRemoval() throws {
    var steps = try withRemovedChange { try $0.accept(Joined(2, 3)) }
    XCTAssertEqual(steps.sent.last, [3])
    try steps.accept(Joined(4, 4))
    XCTAssertEqual(Set(try steps.found.pending), [[2], [3], [4]])
  }

  func testCloseRecordsAnUnrecordedRemoval() throws {
    for failures in 0...1 {
      var steps = try withRemovedChange { $0.perform($0.machine.pause()) }
      steps.wake()
      steps.perform(steps.machine.close(ticket: 8))
      for _ in 0..<failures { steps.record(OutboxError(path: "/journal", reason: .deviceFailure)) }
      while steps.isWriting { steps.record() }
      XCTAssertTrue(steps.hasClosed)
      XCTAssertEqual(try steps.found.pending, [[2]], "\(failures) writes failed")
    }
  }

  func testCloseEndsWhenTheJournalCannotBeWritten() throws {
    var steps = try withRemovedChange { $0.perform($0.machine.pause()) }
    steps.perform(steps.machine.close(ticket: 8))
    var count = 0
    while steps.isWriting, count < 20 {
      steps.record(OutboxError(path: "/journal", reason: .deviceFull))
      count += 1
    }
    XCTAssertTrue(steps.hasClosed)
    XCTAssertLessThan(count, 6)
  }

  /// Two changes were sent, each with a newer one of its key waiting, and the journal has recorded neither answer.
  func testTwoUnrecordedAnswersAreNotRetriedForever() throws {
    for isClosed in [false, true] {
      var steps = try Steps<Joined>(parallelKeys: 2)
      for change in [Joined(1, 1), Joined(2, 2), Joined(1, 3), Joined(2, 4)] { try steps.accept(change) }
      for _ in 0..<2 { steps.answer(.answered(.done)) }
      if isClosed { steps.perform(steps.machine.close(ticket: 8)) }
      var count = 0
      while steps.isWriting, count < 30 {
        steps.record(OutboxError(path: "/journal", reason: .deviceFull))
        count += 1
      }
      XCTAssertLessThan(count, 12)
      XCTAssertEqual(steps.hasClosed, isClosed)
      if isClosed { continue }
      steps.wake()
      while steps.isWriting { steps.record() }
      XCTAssertEqual(Set(steps.sent), [[1], [2], [3], [4]])
    }
  }

  func testWaitingChangeWithAnUncertainMergeCanBeRemoved() throws {
    for isAwayAgain in [false, true] {
      var steps = try Steps<Joined>(parallelKeys: 1)
      try steps.accept(Joined(9, 9))
      try steps.accept(Joined(1, 1))
      try steps.insert(Joined(1, 2), ticket: 6)
      steps.failToRecord()
      guard case .failure = steps.results[6] else { return XCTFail("the insertion did not fail") }
      let id = try XCTUnwrap(steps.machine.pending.first { $0.change.values == [1] }).id
      steps.perform(steps.machine.remove(id, ticket: 7) ?? [])
      if isAwayAgain { steps.failToRecord() }
      while steps.isWriting { steps.record() }
      guard case .removed(let entry?) = steps.results[7] else { return XCTFail("the waiting change was not removed") }
      XCTAssertEqual(entry.change.values, [1])
      steps.answer(.answered(.done))
      while steps.isWriting { steps.record() }
      steps.wake()
      while steps.isWriting { steps.record() }
      XCTAssertEqual(steps.sent, [[9]])
    }
  }

  func testCloseRecordsARemovalOnceTheJournalRecovers() throws {
    var steps = try withRemovedChange {
      $0.perform($0.machine.pause())
    } during: {
      try $0.insert(Joined(2, 3), ticket: 8)
      $0.perform($0.machine.close(ticket: 9))
    }
    while steps.isWriting { steps.record() }
    XCTAssertTrue(steps.hasClosed)
    XCTAssertEqual(Set(try steps.found.pending), [[2], [3]])
  }

  func testSentChangeCannotBeRemoved() throws {
    var steps = try Steps<Joined>(parallelKeys: 1)
    try steps.accept(Joined(1, 1))
    try steps.accept(Joined(1, 2))
    let id = try XCTUnwrap(steps.machine.pending.first).id
    steps.answer(.answered(.done))
    steps.failToRecord()
    steps.perform(steps.machine.remove(id, ticket: 7) ?? [])
    while steps.isWriting { steps.record() }
    guard case .removed(nil) = steps.results[7] else { return XCTFail("a sent change was removed") }
    XCTAssertEqual(steps.sent, [[1], [2]])
  }

  func testFailedJournalWriteIsRetriedWithGrowingDelays() throws {
    var steps = try Steps<Joined>(parallelKeys: 1)
    try steps.accept(Joined(1, 1))
    try steps.accept(Joined(1, 2))
    steps.answer(.answered(.done))
    steps.failToRecord(.deviceFull)
    var (now, delays): (Duration, [Duration]) = (.zero, [])
    for _ in 0..<8 {
      let next = try XCTUnwrap(steps.machine.nextWake)
      delays.append(next - now)
      now = next
      steps.wake(at: now)
      steps.failToRecord(.deviceFull)
    }
    XCTAssertGreaterThanOrEqual(delays[7], delays[0] * 32)
    steps.wake(at: try XCTUnwrap(steps.machine.nextWake))
    while steps.isWriting { steps.record() }
    XCTAssertEqual(steps.sent, [[1], [2]])
  }

  func testDrainWaitsUntilTheJournalRecordsTheAnswer() throws {
    for isAway in [false, true] {
      var steps = try Steps<Joined>(parallelKeys: 1)
      try steps.accept(Joined(1, 1))
      steps.perform(steps.machine.drain(ticket: 9))
      steps.answer(.answered(.done))
      steps.record(OutboxError(path: "/journal", reason: .deviceFull))
      XCTAssertNil(steps.results[9], "the journal still has the change")
      steps.record(isAway ? OutboxError(path: "/journal", reason: .deviceFull) : nil)
      XCTAssertFalse(steps.isWriting)
      switch steps.results[9] {
      case .done: XCTAssertFalse(isAway)
      case .failure(let error): XCTAssertEqual(error.reason, isAway ? .deviceFull : nil)
      default: XCTFail("draining did not end")
      }
      XCTAssertEqual(try steps.found.pending, isAway ? [[1]] : [])
    }
  }

  /// The server asked for the delay, and writing the removal again must not shorten it.
  func testPendingRemovalDoesNotShortenARetryDelay() throws {
    var steps = try Steps<Joined>(parallelKeys: 1)
    try steps.accept(Joined(1, 1))
    steps.answer(.answered(.retry(after: .seconds(3600))))
    steps.record()
    try steps.accept(Joined(2, 2))
    steps.answer(.answered(.done))
    // While this answer is being recorded, changes of two keys form the next group.
    let id = try XCTUnwrap(steps.machine.pending.first).id
    steps.perform(steps.machine.remove(id, ticket: 7) ?? [])
    try steps.insert(Joined(key: 1, values: Array(3..<300)))
    try steps.accept(Joined(4, 4))
    steps.failToRecord(.deviceFull)
    XCTAssertEqual(steps.sent, [[1], [2]])
    steps.record()
    // The next write has the removal, and the beginning of the third change.
    steps.record()
    XCTAssertEqual(steps.sent, [[1], [2], [4]], "the delayed change was sent too early")
    guard case .removed(.some) = steps.results[7] else { return XCTFail("the unsent change was not removed") }
  }
}
