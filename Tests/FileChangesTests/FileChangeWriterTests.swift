import FileChanges
import Foundation
import Journals
import PendingChanges
import TestSupport
import XCTest

final class FileChangeWriterTests: XCTestCase {
  private func writer(
    parallelFiles: Int = 4, attempts: Int = 5, clock: any Clock<Duration> = ContinuousClock(),
    system: any FileSystem = PosixFileSystem()
  ) -> FileChangeWriter {
    let configuration = FileChangeWriter.Configuration(
      parallelFiles: parallelFiles,
      backoff: .init(attempts: attempts, firstDelay: .seconds(1), longestDelay: .seconds(60)))
    return FileChangeWriter(configuration: configuration, clock: clock, random: SeededRandom(seed: 1), system: system)
  }

  func testConfigurationCanBeMadeAtOnceOrPropertyByProperty() {
    let made = FileChangeWriter.Configuration(
      options: FileChange.Options(symbolicLinks: .refuse), coalescing: .keep, parallelFiles: 2,
      backoff: Backoff(attempts: 3), journalByteLimit: 6)
    var changed = FileChangeWriter.Configuration()
    XCTAssertNotEqual("\(made)", "\(changed)")
    changed.options.symbolicLinks = .refuse
    changed.coalescing = .keep
    changed.parallelFiles = 2
    changed.backoff = Backoff(attempts: 3)
    changed.journalByteLimit = 6
    XCTAssertEqual("\(made)", "\(changed)")
  }

  func testFlushedChangesAreOnDisk() async throws {
    let folder = try TemporaryFolder()
    try folder.put("old", "b", permissions: 0o600)
    try folder.put("old", "c")
    let writer = FileChangeWriter()
    try await writer.submit(.write("new", to: folder.file("a")))
    try await writer.submit(.write("new", to: folder.path("b")))
    try await writer.submit(.remove(folder.file("c")))
    try await writer.flush()
    XCTAssertEqual(folder.names, ["a", "b"])
    XCTAssertEqual(folder.text("a"), "new")
    XCTAssertEqual(folder.text("b"), "new")
    XCTAssertEqual(folder.permissions("b"), 0o600)
    let progress = await writer.progress
    XCTAssertTrue(progress.isIdle)
    XCTAssertEqual([progress.accepted, progress.written, progress.removed], [3, 2, 1])
  }

  func testChangesOfOneFileKeepTheirOrder() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter()
    for round in 0..<50 {
      try await writer.submit(.write("\(round)", to: folder.path("a")))
      try await writer.submit(.remove(folder.path("a")))
      try await writer.submit(.write("\(round)!", to: folder.path("a")))
      if round % 10 == 0 { try await writer.flush() }
    }
    try await writer.close()
    XCTAssertEqual(folder.text("a"), "49!")
  }

  func testOneParallelFileKeepsTheOrderOfAllChanges() async throws {
    let folder = try TemporaryFolder()
    let writer = writer(parallelFiles: 1)
    let events = await writer.events()
    var expected: [FileChange.Path] = []
    for number in 0..<30 {
      expected.append(folder.path("\(number * 7 % 30)"))
      try await writer.submit(.write("x", to: expected[number]))
    }
    try await writer.close()
    var written: [FileChange.Path] = []
    for await event in events { written.append(event.path) }
    XCTAssertEqual(written, expected)
  }

  func testAThousandSavesAreCoalescedIntoAFewWrites() async throws {
    let folder = try TemporaryFolder()
    let gate = BlockingGate()
    let system = ScriptedFileSystem(holding: .openFolder, at: gate)
    let writer = writer(system: system)
    for number in 0..<1000 { try await writer.submit(.write("\(number)", to: folder.path("\(number % 4)"))) }
    gate.open()
    try await writer.close()
    XCTAssertEqual((0..<4).map { folder.text("\($0)") }, ["996", "997", "998", "999"])
    XCTAssertEqual(system.calls.count { $0 == .moveFile }, 8)
    let progress = await writer.progress
    XCTAssertEqual([progress.accepted, progress.coalesced, progress.written], [1000, 992, 8])
  }

  func testNoMoreFilesAreWrittenAtOnceThanAllowed() async throws {
    let folder = try TemporaryFolder()
    let crowd = Crowd()
    let system = ScriptedFileSystem { call, _ in
      if call == .openFolder { crowd.enter() }
      if call == .synchronizeFolder { crowd.leave() }
      return nil
    }
    let writer = writer(parallelFiles: 3, system: system)
    for number in 0..<60 { try await writer.submit(.write("x", to: folder.path("\(number)"))) }
    try await writer.close()
    XCTAssertLessThanOrEqual(crowd.most, 3)
    XCTAssertEqual(folder.names.count, 60)
  }

  // MARK: Failures

  func testTransientFailureIsRetriedAfterItsDelay() async throws {
    let folder = try TemporaryFolder()
    let clock = ManualClock()
    let failures = Countdown(2)
    let system = ScriptedFileSystem { call, _ in
      call == .synchronizeFile && failures.next() ? .failure(EBUSY) : nil
    }
    let writer = writer(clock: clock, system: system)
    let events = await writer.events()
    let id = try await writer.submit(.write("new", to: folder.path("a")))
    for _ in 0..<2 {
      await clock.waitForSleepers(1)
      XCTAssertNil(folder.text("a"))
      clock.advanceToNextDeadline()
    }
    try await writer.close()
    XCTAssertEqual(folder.text("a"), "new")
    var outcomes: [FileChangeWriter.Event.Outcome] = []
    for await event in events {
      XCTAssertEqual(event.id, id)
      outcomes.append(event.outcome)
    }
    let error = FileChangeError(path: folder.path("a"), operation: .synchronize, error: SystemError(code: EBUSY))
    guard outcomes.count == 3, case .retrying(error, let first) = outcomes[0],
      case .retrying(error, let second) = outcomes[1]
    else { return XCTFail("\(outcomes)") }
    XCTAssertTrue((.seconds(0.5))...(.seconds(1)) ~= first, "\(first)")
    XCTAssertTrue((.seconds(1))...(.seconds(2)) ~= second, "\(second)")
    XCTAssertEqual(outcomes[2], .done)
  }

  func testPauseThatWasCutShortDoesNotEndALaterSleep() async throws {
    let folder = try TemporaryFolder()
    let (clock, gate) = (ManualClock(), BlockingGate())
    let (successes, failures) = (Countdown(1), Countdown(1))
    let system = ScriptedFileSystem { call, _ in
      guard call == .synchronizeFile else { return nil }
      gate.pass()
      return !successes.next() && failures.next() ? .failure(EBUSY) : nil
    }
    let writer = writer(clock: clock, system: system)
    var events = await writer.events().makeAsyncIterator()
    for text in ["1", "2"] { try await writer.submit(.write(text, to: folder.path("a"))) }
    gate.open()
    await clock.waitForSleepers(1)
    // The flush ends the pause. Then the change fails, and sleeps.
    let flush = Task { try await writer.flush() }
    var delay: Duration?
    while delay == nil, let event = await events.next() {
      if case .retrying(_, let after) = event.outcome { delay = after }
    }
    await clock.waitForSleepers(1)
    XCTAssertEqual(clock.advanceToNextDeadline(), delay)
    try await flush.value
    XCTAssertEqual(folder.text("a"), "2")
  }

  func testFailureIsReportedKeptAndRetriedOnRequest() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter()
    let change = FileChange.write("new", to: folder.path("gone/a"))
    let id = try await writer.submit(change)
    try await writer.submit(.write("new", to: folder.path("b")))
    let flushed = await unwritten { try await writer.flush() }
    let unwritten = try XCTUnwrap(flushed)
    XCTAssertEqual(unwritten.failures.map(\.id), [id])
    XCTAssertEqual(unwritten.failures.map(\.change), [change])
    XCTAssertEqual(unwritten.failures.map(\.error.reason), [.noSuchFolder])
    XCTAssertTrue(unwritten.description.contains("gone/a: there is no such folder"), "\(unwritten)")
    XCTAssertFalse("\(unwritten) \(String(reflecting: unwritten))".contains("110, 101, 119"))
    XCTAssertEqual(folder.text("b"), "new", "the other file was written")

    try FileManager.default.createDirectory(at: folder.file("gone"), withIntermediateDirectories: false)
    expectEqual(await writer.retryFailures(), 1)
    try await writer.flush()
    XCTAssertEqual(folder.text("gone/a"), "new")
    expectEqual(await writer.failures, [])
  }

  func testRemovedFailureIsForgotten() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter()
    try await writer.submit(.write("new", to: folder.path("gone/a")))
    try? await writer.flush()
    expectEqual(await writer.removeFailures().map(\.change.path), [folder.path("gone/a")])
    try await writer.close()
  }

  func testInvalidPathIsRefusedAtSubmission() async throws {
    let writer = FileChangeWriter()
    expectEqual(await reason { try await writer.submit(.write("new", to: "a/../b")) }, .relativePath)
  }

  // MARK: Shutdown

  func testShutdownRunsPendingRetriesAtOnce() async throws {
    let folder = try TemporaryFolder()
    let clock = ManualClock()
    let failures = Countdown(3)
    let system = ScriptedFileSystem { call, _ in call == .openFolder && failures.next() ? .failure(EMFILE) : nil }
    let writer = writer(clock: clock, system: system)
    for name in ["a", "b", "c"] { try await writer.submit(.write(name, to: folder.path(name))) }
    await clock.waitForSleepers(3)
    // The clock stands still, so only the shutdown can wake the retries.
    try await writer.close()
    XCTAssertEqual(folder.names, ["a", "b", "c"])
    XCTAssertEqual(clock.sleeperCount, 0)
  }

  func testLimitOfAShutdownMayExceedTheRangeOfTheClock() async throws {
    let folder = try TemporaryFolder()
    let failures = Countdown(3)
    let system = ScriptedFileSystem { call, _ in call == .openFolder && failures.next() ? .failure(EMFILE) : nil }
    let writer = writer(system: system)
    try await writer.submit(.write("a", to: folder.path("a")))
    try await writer.close(within: .seconds(Int64.max))
    XCTAssertEqual(folder.names, ["a"])
  }

  func testLimitOfAShutdownHoldsEvenIfItsTaskIsCancelled() async throws {
    let folder = try TemporaryFolder()
    let (gate, clock) = (BlockingGate(), ManualClock())
    let writer = FileChangeWriter(
      configuration: .init(parallelFiles: 1), clock: clock, system: ScriptedFileSystem(holding: .createFile, at: gate))
    let events = await writer.events()
    for name in ["a", "b"] { try await writer.submit(.write("x", to: folder.path(name))) }
    let first = Task { try await writer.close(within: .seconds(1)) }
    await clock.waitForSleepers(1)
    first.cancel()
    expectEqual(await unwritten { try await first.value }?.unfinished.count, 2)
    let second = Task { try await writer.close() }
    try await until(await writer.waiterCount == 1)
    clock.advance(by: .seconds(1))
    expectEqual(await unwritten { try await second.value }?.unfinished.count, 2)
    gate.open()
    for await _ in events {}
    XCTAssertEqual(folder.names, ["a"], "nothing more is begun")
  }

  func testShutdownLeavesNoTimerBehind() async throws {
    let clock = ManualClock()
    let writer = FileChangeWriter(clock: clock)
    try await writer.close(within: .seconds(1))
    try await until(clock.sleeperCount == 0)
  }

  func testShutdownReportsFailedChanges() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter()
    let change = FileChange.write("new", to: folder.path("gone/a"))
    try await writer.submit(change)
    for _ in 0..<2 {
      expectEqual(await unwritten { try await writer.close() }?.failures.map(\.change), [change])
    }
  }

  func testNothingIsAcceptedAfterTheShutdown() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter()
    try await writer.close()
    expectEqual(await reason { try await writer.submit(.write("new", to: folder.path("a"))) }, .closed)
    for await event in await writer.events() { XCTFail("\(event)") }
    XCTAssertEqual(folder.names, [])
  }

  func testReleasedWriterFinishesItsWork() async throws {
    let folder = try TemporaryFolder()
    let gate = BlockingGate()
    let last = Countdown(9)
    let done = expectation(description: "all ten are written")
    let system = ScriptedFileSystem { call, _ in
      if call == .openFolder { gate.pass() }
      if call == .synchronizeFolder && !last.next() { done.fulfill() }
      return nil
    }
    do {
      let writer = writer(parallelFiles: 2, system: system)
      for number in 0..<10 { try await writer.submit(.write("x", to: folder.path("\(number)"))) }
    }
    gate.open()
    await fulfillment(of: [done], timeout: 60)
    XCTAssertEqual(folder.names.count, 10)
  }

  // MARK: Events

  func testEveryReaderGetsEventsInOrder() async throws {
    let folder = try TemporaryFolder()
    let writer = writer(parallelFiles: 2)
    let readers = [await writer.events(), await writer.events()]
    for number in 0..<20 { try await writer.submit(.write("x", to: folder.path("\(number)"))) }
    try await writer.close()
    var events: [[FileChangeWriter.Event]] = [[], []]
    for (index, reader) in readers.enumerated() {
      for await event in reader { events[index].append(event) }
    }
    XCTAssertEqual(Set(events[0].map(\.id)).count, 20)
    XCTAssertEqual(events[0], events[1])
  }

  func testSlowReaderMissesTheOldestEvents() async throws {
    let folder = try TemporaryFolder()
    var configuration = FileChangeWriter.Configuration()
    (configuration.eventLimit, configuration.parallelFiles) = (3, 1)
    let writer = FileChangeWriter(configuration: configuration)
    let reader = await writer.events()
    for number in 0..<10 { try await writer.submit(.write("x", to: folder.path("\(number)"))) }
    try await writer.close()
    var numbers: [UInt64] = []
    for await event in reader { numbers.append(event.id.rawValue) }
    XCTAssertEqual(numbers, [8, 9, 10])
  }

  func testEventsEndWithTheWriter() async throws {
    let reader: AsyncStream<FileChangeWriter.Event>
    do { reader = await FileChangeWriter().events() }
    for await event in reader { XCTFail("\(event)") }
  }

  func testReaderThatStopsDoesNotAffectOthers() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter()
    let stays = await writer.events()
    do {
      let leaves = await writer.events()
      try await writer.submit(.write("x", to: folder.path("a")))
      for await _ in leaves { break }
    }
    try await writer.submit(.write("x", to: folder.path("b")))
    try await writer.close()
    var paths: Set<FileChange.Path> = []
    for await event in stays { paths.insert(event.path) }
    XCTAssertEqual(paths, [folder.path("a"), folder.path("b")])
  }

  func testEventsHideTheContents() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter()
    let reader = await writer.events()
    try await writer.submit(.write("secret", to: folder.path("a")))
    try await writer.submit(.write("secret", to: folder.path("gone/b")))
    try await writer.submit(.remove(folder.path("c")))
    try? await writer.close()
    var text = ""
    for await event in reader { dump(event, to: &text); print(event, to: &text) }
    XCTAssertFalse(text.contains("secret"), text)
    XCTAssertTrue(text.contains("a: done") && text.contains("c: done"), text)
  }

  // MARK: Many at once

  func testManyTasksWriteManyFiles() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    try await checkManyTasks(FileChangeWriter(), in: folder)
    XCTAssertEqual(folder.names.count, Self.files)
  }

  func testManyTasksShareAJournal() async throws {
    let (folder, place) = (try TemporaryFolder(isInMemory: true), try TemporaryFolder(isInMemory: true))
    try await checkManyTasks(FileChangeWriter(journal: place.path("journal")), in: folder)
    XCTAssertEqual(folder.names.count, Self.files)
    XCTAssertEqual(place.names, [])
  }

  /// The number of submitted changes.
  ///
  /// `UNSAVED_FILE_CHANGES` sets another number.
  private static let changes = Int(ProcessInfo.processInfo.environment["UNSAVED_FILE_CHANGES"] ?? "") ?? usualChanges
  private static let files = changes >= 100_000 ? 1000 : 40

  #if InternalChecks
    private static let usualChanges = 1000
  #else
    private static let usualChanges = 4000
  #endif

  private func checkManyTasks(_ writer: FileChangeWriter, in folder: TemporaryFolder) async throws {
    let (tasks, count) = (8, Self.changes)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask {
          // Each task has its own files, so that each file's last change is known.
          for number in 0..<(count / tasks) {
            let path = folder.path("\(task) \(number % (Self.files / tasks))")
            try await writer.submit(number % 5 == 4 ? .remove(path) : .write("\(number)", to: path))
            if number % 100 == 0 { try await writer.flush() }
          }
          for file in 0..<(Self.files / tasks) {
            try await writer.submit(.write("last", to: folder.path("\(task) \(file)")))
          }
        }
      }
      try await group.waitForAll()
    }
    try await writer.close()
    for name in folder.names { XCTAssertEqual(folder.text(name), "last") }
    let progress = await writer.progress
    XCTAssertEqual(progress.accepted, count / tasks * tasks + Self.files)
    XCTAssertEqual(progress.accepted, progress.coalesced + progress.written + progress.removed)
  }
}

/// Counts how many changes run at a time, and the most that did.
private final class Crowd: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0
  private(set) var most = 0

  func enter() {
    lock.withLock {
      count += 1
      most = max(most, count)
    }
  }

  func leave() { lock.withLock { count -= 1 } }
}
