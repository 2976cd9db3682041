import FileChanges
import Foundation
import Journals
import PendingChanges
import TestSupport
import XCTest

final class FileChangeWriterStateMachineTests: XCTestCase {
  typealias Machine = FileChangeWriter._StateMachine

  private func machine(
    parallelFiles: Int = 1, attempts: Int? = 3, coalescing: PendingChangeQueue<FileChange>.Policy = .replace,
    firstPause: Duration = .zero
  ) -> Machine {
    var configuration = FileChangeWriter.Configuration()
    configuration.parallelFiles = parallelFiles
    configuration.coalescing = coalescing
    configuration.firstPause = firstPause
    configuration.longestPause = .seconds(3)
    configuration.backoff = .init(attempts: attempts, firstDelay: .seconds(1), longestDelay: .seconds(60))
    return Machine(configuration: configuration, random: SeededRandom(seed: 7))
  }

  private func error(_ reason: FileChangeError.Reason, _ path: FileChange.Path = "/a") -> FileChangeError {
    FileChangeError(path: path, operation: .write, reason: reason)
  }

  // MARK: Order and coalescing

  func testChangesRunOneAfterTheOther() throws {
    var machine = machine()
    let first = try machine.submit(.write("1", to: "/a"))
    XCTAssertEqual(first.actions, [.run(first.id, .write("1", to: "/a"))])
    let second = try machine.submit(.remove("/b"))
    XCTAssertEqual(second.actions, [])
    let actions = machine.finish(first.id, error: nil)
    XCTAssertEqual(actions.events, [.done])
    XCTAssertEqual(actions.runs, [second.id])
    XCTAssertEqual(machine.finish(second.id, error: nil).events, [.done])
    XCTAssertTrue(machine.progress.isIdle)
  }

  func testDifferentFilesRunInParallelAndChangesOfOneFileDoNot() throws {
    var machine = machine(parallelFiles: 2)
    let a = try machine.submit(.write("1", to: "/a")).id
    XCTAssertEqual(try machine.submit(.write("2", to: "/a")).actions, [])
    let b = try machine.submit(.write("1", to: "/b"))
    XCTAssertEqual(b.actions.runs, [b.id])
    let c = try machine.submit(.write("1", to: "/c"))
    XCTAssertEqual(c.actions, [], "two are running")
    XCTAssertEqual(machine.finish(b.id, error: nil).runs, [c.id])
    XCTAssertEqual(machine.finish(a, error: nil).runs.count, 1)
  }

  func testNewestChangeReplacesAWaitingOne() throws {
    var machine = machine()
    let running = try machine.submit(.write("0", to: "/a")).id
    for number in 1...1000 { _ = try machine.submit(.write("\(number)", to: "/a")) }
    let last = try machine.submit(.remove("/a")).id
    XCTAssertEqual(machine.finish(running, error: nil).dropFirst(), [.run(last, .remove("/a"))])
    XCTAssertEqual(machine.progress.accepted, 1002)
    XCTAssertEqual(machine.progress.coalesced, 1000)
  }

  func testMergeMakesOneChangeOfTwo() throws {
    var machine = machine(
      coalescing: .merge { old, new in
        guard case .write(let head) = old.action, case .write(let tail) = new.action else { return new }
        return .write(head + tail, to: new.path)
      })
    let running = try machine.submit(.write("0", to: "/a")).id
    _ = try machine.submit(.write("1", to: "/a"))
    let merged = try machine.submit(.write("2", to: "/a")).id
    XCTAssertEqual(machine.finish(running, error: nil).dropFirst(), [.run(merged, .write("12", to: "/a"))])
  }

  // MARK: Pauses

  func testFileThatIsSavedFasterThanItIsWrittenGetsPauses() throws {
    var machine = machine(parallelFiles: 2, firstPause: .seconds(1))
    var running = try machine.submit(.write("0", to: "/a")).id
    for (number, expected) in [1, 2, 3, 3].enumerated() {
      let next = try machine.submit(.write("\(number)", to: "/a")).id
      XCTAssertEqual(machine.finish(running, error: nil).last, .pause(next, .seconds(expected)))
      running = try machine.submit(.write("\(number)!", to: "/a")).id
      XCTAssertEqual(machine.wake(next), [.run(running, .write("\(number)!", to: "/a"))], "the newest counts")
    }
    XCTAssertEqual(machine.progress.coalesced, 4)
    // No change waits, so the next pause is short again.
    XCTAssertEqual(machine.finish(running, error: nil).events.count, 1)
    running = try machine.submit(.write("5", to: "/a")).id
    let next = try machine.submit(.write("6", to: "/a")).id
    XCTAssertEqual(machine.finish(running, error: nil).last, .pause(next, .seconds(1)))
    XCTAssertEqual(machine.wake(next).runs, [next], "nothing newer has come")
  }

  func testFlushOrShutdownEndsAPause() throws {
    for waits in [true, false] {
      var machine = machine(parallelFiles: 2, firstPause: .seconds(1))
      let running = try machine.submit(.write("1", to: "/a")).id
      let next = try machine.submit(.write("2", to: "/a")).id
      XCTAssertEqual(machine.finish(running, error: nil).last, .pause(next, .seconds(1)))
      let actions = waits ? machine.wait(1) : machine.shutDown(1)
      XCTAssertEqual(actions.first, .awaken(next))
      XCTAssertEqual(actions.runs, [next])
      XCTAssertEqual(machine.wake(next), [], "it has begun")
      if waits {
        let last = try machine.submit(.write("3", to: "/a")).id
        XCTAssertEqual(machine.wait(2), [])
        XCTAssertEqual(machine.finish(next, error: nil).runs, [last], "a caller waits")
      } else {
        XCTAssertEqual(machine.finish(next, error: nil).last, .resume(waiter: 1, unwritten: []))
      }
    }
  }

  func testThereIsNoPauseWithOneParallelFile() throws {
    var machine = machine(parallelFiles: 1, firstPause: .seconds(1))
    let running = try machine.submit(.write("1", to: "/a")).id
    let next = try machine.submit(.write("2", to: "/a")).id
    XCTAssertEqual(machine.finish(running, error: nil).runs, [next])
  }

  func testPauseDoesNotCountAsAFailure() throws {
    var machine = machine(parallelFiles: 2, attempts: 2, firstPause: .seconds(1))
    let running = try machine.submit(.write("1", to: "/a")).id
    let next = try machine.submit(.write("2", to: "/a")).id
    _ = machine.finish(running, error: nil)
    XCTAssertEqual(machine.wake(next).runs, [next])
    XCTAssertEqual(machine.finish(next, error: error(.busy)).events.count, 1)
    XCTAssertEqual(machine.progress.retried, 1)
    XCTAssertEqual(machine.failures, [])
  }

  // MARK: Failures

  func testTransientFailureIsRetriedWithLongerDelays() throws {
    var machine = machine(attempts: 4)
    let id = try machine.submit(.write("1", to: "/a")).id
    for expected in [1.0, 2, 4] {
      let actions = machine.finish(id, error: error(.busy))
      guard case .sleep(id, let delay) = actions.last else { return XCTFail("\(actions)") }
      XCTAssertEqual(actions.events, [.retrying(error(.busy), after: delay)])
      XCTAssertTrue((.seconds(expected / 2))...(.seconds(expected)) ~= delay, "\(delay)")
      XCTAssertEqual(machine.wake(id).runs, [id])
    }
    XCTAssertEqual(machine.finish(id, error: error(.busy)).events, [.failed(error(.busy))])
    XCTAssertEqual(machine.failures.map(\.id), [id])
    XCTAssertEqual(machine.progress.retried, 3)
  }

  func testBackoffIsCappedAndDoesNotOverflow() {
    let backoff = Backoff(attempts: .max, firstDelay: .milliseconds(50), longestDelay: .seconds(5))
    var random = SeededRandom(seed: 3)
    for failures in [8, 9, 100, .max] {
      let delay = backoff.delay(afterFailures: failures, using: &random)
      XCTAssertTrue((.seconds(2.5))...(.seconds(5)) ~= delay, "\(delay)")
    }
  }

  func testBackoffAlwaysHasADelay() {
    var random = SeededRandom(seed: 3)
    for delay in [Duration.zero, .seconds(-1), .nanoseconds(1)] {
      let backoff = Backoff(attempts: .max, firstDelay: delay, longestDelay: delay)
      for (failures, milliseconds) in [(1, 0.5...1), (2, 1...2), (100, 5...10), (.max, 5...10)] {
        let delay = backoff.delay(afterFailures: failures, using: &random) / .milliseconds(1)
        XCTAssertTrue(milliseconds.contains(delay), "\(delay) after \(failures)")
      }
    }
  }

  func testPermanentFailureIsReportedAtOnceAndOtherChangesGoOn() throws {
    var machine = machine()
    let id = try machine.submit(.write("1", to: "/a")).id
    let next = try machine.submit(.write("1", to: "/b")).id
    let actions = machine.finish(id, error: error(.deviceFull))
    XCTAssertEqual(actions.events, [.failed(error(.deviceFull))])
    XCTAssertEqual(actions.runs, [next])
    XCTAssertEqual(machine.failures.map(\.change), [.write("1", to: "/a")])
  }

  func testNewerChangeReplacesASleepingOneWhenItWakes() throws {
    var machine = machine()
    let id = try machine.submit(.write("1", to: "/a")).id
    _ = machine.finish(id, error: error(.busy))
    let newer = try machine.submit(.write("2", to: "/a"))
    XCTAssertEqual(newer.actions, [], "the file is still busy")
    XCTAssertEqual(machine.wake(id), [.run(newer.id, .write("2", to: "/a"))])
    XCTAssertEqual(machine.progress.coalesced, 1)
  }

  func testFileThatKeepsFailingIsGivenUpHoweverOftenItIsSaved() throws {
    var machine = machine(attempts: 3)
    var id = try machine.submit(.write("0", to: "/a")).id
    for number in 1...2 {
      XCTAssertEqual(machine.finish(id, error: error(.busy)).events.count, 1)
      let newer = try machine.submit(.write("\(number)", to: "/a")).id
      XCTAssertEqual(machine.wake(id).runs, [newer])
      id = newer
    }
    XCTAssertEqual(machine.finish(id, error: error(.busy)).events, [.failed(error(.busy))])
  }

  func testFailureIsReportedEvenIfANewerChangeWaits() throws {
    var machine = machine()
    let id = try machine.submit(.write("1", to: "/a")).id
    let newer = try machine.submit(.write("2", to: "/a")).id
    let actions = machine.finish(id, error: error(.readOnly))
    XCTAssertEqual(actions.events, [.failed(error(.readOnly))])
    XCTAssertEqual(actions.runs, [newer])
    XCTAssertEqual(machine.failures, [])
  }

  func testNewerChangeReplacesAFailure() throws {
    var machine = machine()
    let id = try machine.submit(.write("1", to: "/a")).id
    _ = machine.finish(id, error: error(.readOnly))
    _ = try machine.submit(.write("2", to: "/a"))
    XCTAssertEqual(machine.failures, [])
  }

  func testFailuresAreRetriedOrRemoved() throws {
    var machine = machine(parallelFiles: 4)
    var ids: [PendingChangeID] = []
    for path in ["/a", "/b"] as [FileChange.Path] {
      ids.append(try machine.submit(.write("1", to: path)).id)
      _ = machine.finish(ids.last!, error: error(.readOnly, path))
    }
    XCTAssertEqual(machine.failures.map(\.id), ids)
    let retried = machine.retryFailures()
    XCTAssertEqual(retried.count, 2)
    XCTAssertEqual(retried.actions.runs, ids)
    XCTAssertEqual(machine.failures, [])
    _ = machine.finish(ids[0], error: nil)
    _ = machine.finish(ids[1], error: error(.readOnly, "/b"))
    XCTAssertEqual(machine.removeFailures(ticket: 0).removed.map(\.id), [ids[1]])
    XCTAssertEqual(machine.failures, [])
    XCTAssertEqual(machine.retryFailures().count, 0)
  }

  // MARK: Flush and shutdown

  func testFlushWithoutChangesReturnsAtOnce() {
    var machine = machine()
    XCTAssertEqual(machine.wait(1), [.resume(waiter: 1, unwritten: [])])
  }

  func testFlushWaitsOnlyForChangesAcceptedBeforeIt() throws {
    var machine = machine()
    let a = try machine.submit(.write("1", to: "/a")).id
    XCTAssertEqual(machine.wait(1), [])
    let b = try machine.submit(.write("1", to: "/b")).id
    XCTAssertEqual(machine.wait(2), [])
    XCTAssertEqual(machine.finish(a, error: nil).resumed, [1])
    XCTAssertEqual(machine.finish(b, error: nil).resumed, [2])
  }

  #if !InternalChecks
    func testManyFlushesOfSingleFilesTakeTimeInProportionToTheirNumber() throws {
      func time(_ count: Int) throws -> clock_t {
        var machine = machine()
        let paths = (0..<count).map { FileChange.Path("/\($0)") }
        let ids = try paths.map { try machine.submit(.write("1", to: $0)).id }
        let start = clock()
        for (number, path) in paths.enumerated() { XCTAssertEqual(machine.wait(number, for: path), []) }
        for (number, id) in ids.enumerated() { XCTAssertEqual(machine.finish(id, error: nil).resumed, [number]) }
        return clock() - start
      }
      // Eight times as many, which take 64 times as long if each change looks at all of them.
      XCTAssertLessThan(try time(4000), 25 * max(1, try time(500)))
    }
  #endif

  func testFlushWaitsForARetryAndReportsTheFailure() throws {
    var machine = machine(attempts: 2)
    let id = try machine.submit(.write("1", to: "/a")).id
    XCTAssertEqual(machine.wait(1), [])
    XCTAssertEqual(machine.finish(id, error: error(.busy)).resumed, [])
    XCTAssertEqual(machine.wake(id).resumed, [])
    let failure = FileChangeWriter.Failure(id: id, change: .write("1", to: "/a"), error: error(.busy))
    XCTAssertEqual(machine.finish(id, error: error(.busy)).last, .resume(waiter: 1, unwritten: [failure]))
    XCTAssertEqual(machine.wait(2), [.resume(waiter: 2, unwritten: [failure])], "it is still not on disk")
  }

  func testFlushEndsAlthoughAFailingFileIsSavedAgain() throws {
    var machine = machine()
    let id = try machine.submit(.write("1", to: "/a")).id
    XCTAssertEqual(machine.wait(1), [])
    let newer = try machine.submit(.write("2", to: "/a")).id
    let actions = machine.finish(id, error: error(.readOnly))
    XCTAssertEqual(actions.runs, [newer])
    let failure = FileChangeWriter.Failure(id: id, change: .write("1", to: "/a"), error: error(.readOnly))
    XCTAssertEqual(actions.last, .resume(waiter: 1, unwritten: [failure]))
  }

  func testFlushWaitsForTheNewerChangeThatReplacesAFailure() throws {
    var machine = machine()
    let id = try machine.submit(.write("1", to: "/a")).id
    let newer = try machine.submit(.write("2", to: "/a")).id
    XCTAssertEqual(machine.wait(1), [])
    XCTAssertEqual(machine.finish(id, error: error(.readOnly)).resumed, [])
    let failure = FileChangeWriter.Failure(id: newer, change: .write("2", to: "/a"), error: error(.busy))
    for _ in 1...2 {
      XCTAssertEqual(machine.finish(newer, error: error(.busy)).resumed, [])
      _ = machine.wake(newer)
    }
    XCTAssertEqual(machine.finish(newer, error: error(.busy)).last, .resume(waiter: 1, unwritten: [failure]))
  }

  func testFailuresAreReportedAndRetriedOldestFirst() throws {
    var machine = machine(parallelFiles: 3)
    let paths: [FileChange.Path] = ["/a", "/b", "/c"]
    var ids: [PendingChangeID] = []
    for path in paths { ids.append(try machine.submit(.write("1", to: path)).id) }
    ids[0] = try machine.submit(.write("2", to: "/a")).id
    _ = machine.finish(PendingChangeID(rawValue: 1), error: error(.readOnly))
    XCTAssertEqual(machine.wait(1), [])
    let oldestFirst = [ids[1], ids[2], ids[0]]
    for (id, path) in [(ids[0], paths[0]), (ids[2], paths[2])] { _ = machine.finish(id, error: error(.readOnly, path)) }
    guard case .resume(1, let unwritten, _) = machine.finish(ids[1], error: error(.readOnly, "/b")).last else {
      return XCTFail("no resume")
    }
    XCTAssertEqual(unwritten.map(\.id), oldestFirst)
    XCTAssertEqual(machine.failures.map(\.id), oldestFirst)
    XCTAssertEqual(machine.retryFailures().actions.runs, oldestFirst)
  }

  func testShutdownRetriesSleepingChangesAtOnceAndThenEnds() throws {
    var machine = machine()
    let id = try machine.submit(.write("1", to: "/a")).id
    _ = machine.finish(id, error: error(.busy))
    XCTAssertEqual(machine.shutDown(1), [.awaken(id), .run(id, .write("1", to: "/a"))])
    XCTAssertEqual(machine.wake(id), [], "it is awake already")
    XCTAssertEqual(machine.finish(id, error: nil).suffix(2), [.end, .resume(waiter: 1, unwritten: [])])
    XCTAssertThrowsError(try machine.submit(.write("2", to: "/a"))) { error in
      XCTAssertEqual((error as? FileChangeError)?.reason, .closed)
    }
    XCTAssertEqual(machine.shutDown(2), [.resume(waiter: 2, unwritten: [])], "the end comes once")
    XCTAssertEqual(machine.retryFailures().count, 0)
  }

  func testRetriesDoNotGetSlowerAfterTheShutdown() throws {
    var machine = machine()
    let id = try machine.submit(.write("1", to: "/a")).id
    _ = machine.shutDown(1)
    for _ in 0..<2 {
      let delays = machine.finish(id, error: error(.busy)).compactMap { action in
        if case .sleep(_, let delay) = action { delay } else { nil }
      }
      XCTAssertEqual(delays.count, 1)
      XCTAssertTrue(delays.allSatisfy { $0 <= .seconds(1) }, "\(delays)")
      _ = machine.wake(id)
    }
  }

  func testRetriesGetSlowerAfterTheShutdownIfAttemptsHaveNoLimit() throws {
    var machine = machine(attempts: nil)
    let id = try machine.submit(.write("1", to: "/a")).id
    _ = machine.shutDown(1)
    for expected in [1.0, 2, 4] {
      let actions = machine.finish(id, error: error(.busy))
      guard case .sleep(id, let delay) = actions.last else { return XCTFail("\(actions)") }
      XCTAssertTrue((.seconds(expected / 2))...(.seconds(expected)) ~= delay, "\(delay)")
      _ = machine.wake(id)
    }
  }

  func testNoChangeBeginsAfterAShutdownTimesOut() throws {
    var machine = machine()
    let running = try machine.submit(.write("1", to: "/a")).id
    let waiting = try machine.submit(.write("2", to: "/b")).id
    _ = machine.shutDown(1)
    guard case .resume(1, [], let unfinished) = machine.abandon().first else { return XCTFail("no waiter is resumed") }
    XCTAssertEqual(unfinished.map(\.id), [running, waiting])
    XCTAssertEqual(machine.finish(running, error: error(.busy)), [.end], "it is not tried again")
    XCTAssertEqual(machine.progress.waiting, 2)
    // Later calls do not wait forever.
    for number in 2...3 {
      let actions = number == 2 ? machine.wait(number) : machine.shutDown(number)
      guard case .resume(number, [], let unfinished) = actions.first else { return XCTFail("\(actions)") }
      XCTAssertEqual(unfinished.map(\.id), [running, waiting])
    }
  }

  func testShutdownAlsoReportsAChangeThatWasBeingRecorded() throws {
    var machine = machine()
    _ = machine.recover(try FileChangeWriter._JournalContents([]), writer: 5, from: "/p/journal")
    _ = machine.finishWrite(error: nil)
    _ = try machine.submit(.write("1", to: "/a"), .journal, ticket: 1)
    XCTAssertEqual(machine.shutDown(1), [])
    guard case .acknowledge(1, .success(let id)) = machine.finishWrite(error: nil).first else {
      return XCTFail("it is not acknowledged")
    }
    guard case .resume(1, [], let unfinished) = machine.abandon().first else { return XCTFail("no waiter is resumed") }
    XCTAssertEqual(unfinished.map(\.id), [id])
  }

  func testChangesOfTheJournalsFilesAreRefused() throws {
    var machine = machine()
    _ = machine.recover(try FileChangeWriter._JournalContents([]), writer: 5, from: "/p/journal")
    _ = machine.finishWrite(error: nil)
    for path: FileChange.Path in ["/p/journal", "/p/.unsaved-journal-5"] {
      XCTAssertThrowsError(try machine.submit(.remove(path), .journal, ticket: 1)) { error in
        XCTAssertEqual((error as? FileChangeError)?.reason, .isTheJournal)
      }
    }
  }

  func testFinishIsIgnoredForChangesThatAreNotRunning() throws {
    var machine = machine(parallelFiles: 2)
    let id = try machine.submit(.write("1", to: "/a")).id
    let waiting = try machine.submit(.write("2", to: "/a")).id
    XCTAssertEqual(machine.finish(waiting, error: nil), [])
    _ = machine.finish(id, error: error(.busy))
    XCTAssertEqual(machine.finish(id, error: nil), [], "it sleeps")
    XCTAssertEqual(machine.finish(PendingChangeID(rawValue: 77), error: nil), [])
    XCTAssertEqual(machine.wake(waiting), [])
  }

  func testRelativePathIsRefused() {
    var machine = machine()
    XCTAssertThrowsError(try machine.submit(.write("1", to: "a"))) { error in
      XCTAssertEqual((error as? FileChangeError)?.reason, .relativePath)
    }
    XCTAssertEqual(machine.progress.accepted, 0)
  }
}

extension [FileChangeWriter._StateMachine.Action] {
  var events: [FileChangeWriter.Event.Outcome] {
    compactMap { if case .emit(let event) = $0 { event.outcome } else { nil } }
  }

  var runs: [PendingChangeID] {
    compactMap { if case .run(let id, _, _) = $0 { id } else { nil } }
  }

  var resumed: [Int] {
    compactMap { if case .resume(let waiter, _, _) = $0 { waiter } else { nil } }
  }
}
