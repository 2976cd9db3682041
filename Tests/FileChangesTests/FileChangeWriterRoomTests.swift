import FileChanges
import Foundation
import Journals
import PendingChanges
import TestSupport
import XCTest

/// Submissions that come faster than the disk writes.
final class FileChangeWriterRoomTests: XCTestCase {
  private typealias Machine = FileChangeWriter._StateMachine

  /// A change that counts this many bytes; the path is one letter.
  private func change(_ letter: String, _ byteCount: Int) -> FileChange {
    .write(String(repeating: "x", count: byteCount - 39), to: FileChange.Path("/\(letter)"))
  }

  private func machine(
    _ byteLimit: Int, hasJournal: Bool = false, _ configure: (inout FileChangeWriter.Configuration) -> Void = { _ in }
  ) throws -> Machine {
    var configuration = FileChangeWriter.Configuration(parallelFiles: 1, waitingByteLimit: byteLimit)
    configuration.backoff.attempts = 1
    configuration.idleTime = .zero
    configure(&configuration)
    var machine = Machine(configuration: configuration, random: SeededRandom(seed: 1))
    if hasJournal {
      _ = machine.recover(try FileChangeWriter._JournalContents([]), writer: 1, from: "/journal")
      _ = machine.finishWrite(error: nil)
    }
    return machine
  }

  private let failure = FileChangeError(path: "/a", operation: .write, reason: .readOnly)

  // MARK: The state machine

  func testWaitingSubmissionsAreAcceptedInTheOrderOfTheCalls() throws {
    var machine = try machine(100)
    let first = try machine.submit(change("a", 60)).id
    XCTAssertTrue(machine.waits(change("b", 41), .journal))
    XCTAssertEqual(try machine.submit(change("b", 41), .journal, ticket: 1), [])
    // This change would fit, but it is not its turn.
    XCTAssertTrue(machine.waits(change("c", 40), .journal))
    XCTAssertEqual(try machine.submit(change("c", 40), .journal, ticket: 2), [])
    XCTAssertEqual(try machine.submit(change("b", 40), .journal, ticket: 3), [])
    XCTAssertEqual(machine.progress.waitingBytes, 60)
    let actions = machine.finish(first, error: nil)
    XCTAssertEqual(actions.acknowledged, [1, 2, 3], "the third takes the place of the first")
    XCTAssertEqual(machine.progress.waitingBytes, 80)
  }

  func testReplacingChangeCountsOnlyTheDifference() throws {
    for hasJournal in [false, true] {
      for policy in [PendingChangeQueue<FileChange>.Policy.replace, .moveToEnd] {
        var machine = try machine(200, hasJournal: hasJournal) { $0.coalescing = policy }
        for (ticket, change) in [change("a", 50), change("b", 100)].enumerated() {
          _ = try machine.submit(change, .journal, ticket: ticket)
          _ = machine.finishWrite(error: nil)
        }
        XCTAssertEqual(machine.progress.waitingBytes, 150)
        let acknowledged =
          try machine.submit(change("b", 150), .journal, ticket: 7) + machine.finishWrite(error: nil)
        XCTAssertEqual(acknowledged.acknowledged, [7])
        XCTAssertEqual(machine.progress.waitingBytes, 200)
        XCTAssertEqual(try machine.submit(change("b", 151), .journal, ticket: 8).acknowledged, [])
        XCTAssertEqual(machine.admission.waitingCount, 1)
        // A smaller change would fit, but waits after the other.
        _ = try machine.submit(change("b", 60), .journal, ticket: 9)
        XCTAssertEqual(machine.admission.waitingCount, 2)
        XCTAssertEqual((machine.withdraw(8) + machine.finishWrite(error: nil)).acknowledged, [8, 9])
        XCTAssertEqual(machine.progress.waitingBytes, 110)
      }
    }
  }

  func testMergedChangeCountsItsMergedSize() throws {
    let merged = change("b", 90)
    var machine = try machine(200) { $0.coalescing = .merge { _, _ in merged } }
    _ = try machine.submit(change("a", 50))
    _ = try machine.submit(change("b", 50))
    // It counts in full beside the other, because the size of the merged change is not known yet.
    XCTAssertTrue(machine.waits(change("b", 101), .memory))
    XCTAssertFalse(machine.waits(change("b", 100), .memory))
    _ = try machine.submit(change("b", 100))
    XCTAssertEqual(machine.progress.waitingBytes, 140)
  }

  func testChangeLargerThanTheLimitIsAcceptedAlone() throws {
    var machine = try machine(100)
    let small = try machine.submit(change("a", 40)).id
    XCTAssertEqual(try machine.submit(change("b", 500), .journal, ticket: 1), [])
    XCTAssertEqual(try machine.submit(change("c", 40), .journal, ticket: 2), [])
    let actions = machine.finish(small, error: nil)
    XCTAssertEqual(actions.acknowledged, [1])
    XCTAssertEqual(machine.progress.waitingBytes, 500)
    let large = try XCTUnwrap(actions.begun.first)
    XCTAssertEqual(machine.finish(large, error: nil).acknowledged, [2])
    XCTAssertEqual(machine.progress.waitingBytes, 40)
  }

  func testFailureFreesItsBytesAndARetryCountsThemAgain() throws {
    var machine = try machine(100)
    let first = try machine.submit(change("a", 90)).id
    _ = try machine.submit(change("b", 90), .journal, ticket: 1)
    XCTAssertEqual(machine.finish(first, error: failure).acknowledged, [1])
    XCTAssertEqual(machine.retryFailures().count, 1)
    XCTAssertEqual(machine.progress.waitingBytes, 180)
    XCTAssertTrue(machine.waits(change("c", 40), .memory))
  }

  func testCancelledChangeFreesItsBytes() throws {
    var machine = try machine(100)
    _ = try machine.submit(change("a", 50))
    let second = try machine.submit(change("b", 50)).id
    _ = try machine.submit(change("c", 50), .journal, ticket: 1)
    XCTAssertEqual(machine.cancel([second], ticket: 2).actions.acknowledged, [1])
  }

  func testShutdownRefusesSubmissionsInLine() throws {
    var machine = try machine(100)
    let first = try machine.submit(change("a", 90)).id
    for ticket in 1...2 { _ = try machine.submit(change("b", 90), .journal, ticket: ticket) }
    let refused = machine.shutDown(1)
    XCTAssertEqual(refused.refused, [.closed, .closed])
    XCTAssertEqual(machine.finish(first, error: nil).acknowledged, [])
    XCTAssertEqual(machine.progress.accepted, 1)
  }

  func testWaitingSubmissionEndsAPause() throws {
    var machine = try machine(100) { $0.parallelFiles = 2 }
    let first = try machine.submit(change("a", 45)).id
    _ = try machine.submit(change("a", 55))
    let pause = machine.finish(first, error: nil)
    XCTAssertTrue(pause.contains { if case .pause = $0 { true } else { false } })
    let actions = try machine.submit(change("b", 50), .journal, ticket: 1)
    XCTAssertTrue(actions.contains { if case .run = $0 { true } else { false } }, "the pause goes on: \(actions)")
  }

  func testWaitingSubmissionEndsPausesOnceAndNoRetryDelays() throws {
    for hasJournal in [false, true] {
      var machine = try machine(1000, hasJournal: hasJournal) {
        $0.parallelFiles = 2
        $0.backoff.attempts = 2
      }
      var submitted = 0
      let submit = { (machine: inout Machine, change: FileChange) in
        submitted += 1
        guard machine.waits(change, .journal) else { return try machine.submit(change).actions }
        let actions = try machine.submit(change, .journal, ticket: submitted)
        return actions + machine.finishWrite(error: nil)
      }
      // Ten changes sleep until they are retried, and one pauses to spare the device.
      let busy = FileChangeError(path: "/a", operation: .write, reason: .busy)
      for letter in "bcdefghijk" {
        let begun = try submit(&machine, change("\(letter)", 50)).begun
        _ = machine.finish(try XCTUnwrap(begun.first), error: busy)
      }
      let first = try XCTUnwrap(submit(&machine, change("a", 50)).begun.first)
      _ = try submit(&machine, change("a", 50))
      XCTAssertEqual(machine.finish(first, error: nil).filter(\.isPause).count, 1)
      XCTAssertEqual(machine.progress.inFlight, 11)
      XCTAssertEqual(try submit(&machine, change("x", 500)).filter(\.isAwakening).count, 1)
      for _ in 0..<5 { XCTAssertEqual(try submit(&machine, change("x", 500)).filter(\.isAwakening), []) }
    }
  }

  func testOlderChangeDoesNotBeginOverTheLimitWhileItsSuccessorIsRecorded() throws {
    var machine = try machine(200, hasJournal: true)
    _ = try machine.submit(change("a", 60), .journal, ticket: 0)
    let first = try XCTUnwrap(machine.finishWrite(error: nil).begun.first)
    _ = try machine.submit(change("b", 100), .journal, ticket: 1)
    _ = machine.finishWrite(error: nil)
    // 60 bytes are being written. Only the larger of the other two changes counts, which is not recorded yet.
    _ = try machine.submit(change("b", 120), .journal, ticket: 7)
    XCTAssertEqual(machine.progress.waitingBytes, 180)
    XCTAssertEqual(machine.finish(first, error: nil).run, [], "both would count")
    XCTAssertEqual(machine.progress.waitingBytes, 120)
    XCTAssertEqual(machine.finishWrite(error: nil).run, [change("b", 120)])
    XCTAssertEqual(machine.progress.waitingBytes, 120)
  }

  func testSteadySubmissionsOfOneFileDoNotKeepItFromBeginning() throws {
    var machine = try machine(100, hasJournal: true)
    for ticket in 1...4 { _ = try machine.submit(change("a", 60), .journal, ticket: ticket) }
    XCTAssertEqual(machine.admission.waitingCount, 3)
    // The line is filled again as fast as it moves.
    for ticket in 5...12 {
      let begun = machine.finishWrite(error: nil).begun
      XCTAssertEqual(begun.count, 1, "a change in line replaced it before it began")
      _ = try machine.submit(change("a", 60), .journal, ticket: ticket)
      for id in begun { _ = machine.finish(id, error: nil) }
    }
  }

  func testOlderChangeCountsAgainIfItsSuccessorCannotBeRecorded() throws {
    var machine = try machine(200, hasJournal: true)
    for (ticket, change) in [change("a", 60), change("b", 100)].enumerated() {
      _ = try machine.submit(change, .journal, ticket: ticket)
      _ = machine.finishWrite(error: nil)
    }
    _ = try machine.submit(change("b", 120), .journal, ticket: 7)
    // The first failure is of the write, the second of the rewrite of the journal.
    _ = machine.finishWrite(error: failure)
    XCTAssertEqual(machine.finishWrite(error: failure).refused, [.readOnly])
    XCTAssertEqual(machine.progress.waitingBytes, 160)
  }

  // MARK: The writer

  private func slowWriter(
    in folder: TemporaryFolder, hasJournal: Bool, _ gate: BlockingGate
  ) async throws -> FileChangeWriter {
    var configuration = FileChangeWriter.Configuration(parallelFiles: 1, waitingByteLimit: 1000)
    configuration.backoff.attempts = 1
    let system = ScriptedFileSystem(isArmed: false, holding: .openFolder, at: gate)
    defer { system.arm() }
    guard hasJournal else {
      return FileChangeWriter(
        configuration: configuration, clock: ContinuousClock(), random: SeededRandom(seed: 1), system: system)
    }
    return try await FileChangeWriter(
      journal: folder.path("journal"), configuration: configuration, clock: ContinuousClock(),
      random: SeededRandom(seed: 1), system: system)
  }

  /// Waits until this many submissions are in line.
  private func untilInLine(_ count: Int, _ writer: FileChangeWriter) async throws {
    try await until(await writer.waitingSubmissionCount == count)
  }

  func testSubmissionsWaitForASlowDiskAndAllAreWritten() async throws {
    for hasJournal in [false, true] {
      let (folder, gate) = (try TemporaryFolder(), BlockingGate())
      let writer = try await slowWriter(in: folder, hasJournal: hasJournal, gate)
      let tasks = (0..<20).map { number in
        let contents = Data(repeating: UInt8(number), count: 300)
        return Task { try await writer.submit(.write(contents, to: folder.path("\(number)"))) }
      }
      // Two fit, because each counts some 90 bytes more.
      try await untilInLine(18, writer)
      let bytes = await writer.progress.waitingBytes
      XCTAssertTrue((600...1000).contains(bytes), "\(bytes)")
      gate.open()
      for task in tasks { _ = try await task.value }
      try await writer.close()
      XCTAssertEqual(folder.names.count, 20)
      for number in 0..<20 {
        XCTAssertEqual(try Data(contentsOf: folder.file("\(number)")), Data(repeating: UInt8(number), count: 300))
      }
    }
  }

  func testCancelledTaskDoesNotWaitInLineAndItsChangeIsRefused() async throws {
    for hasJournal in [false, true] {
      let (folder, gate) = (try TemporaryFolder(), BlockingGate())
      let writer = try await slowWriter(in: folder, hasJournal: hasJournal, gate)
      try await writer.submit(.write(Data(count: 800), to: folder.path("a")))
      let tasks = ["b", "c"].map { name in
        Task { try await writer.submit(.write(Data(count: 800), to: folder.path(name))) }
      }
      try await untilInLine(2, writer)
      tasks[0].cancel()
      expectEqual(await reason { _ = try await tasks[0].value }, .cancelled)
      // A task that was cancelled before does not wait, either, but a change that fits is accepted.
      let late = Task {
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        _ = try await writer.submit(.write(Data(count: 800), to: folder.path("d")))
      }
      expectEqual(await reason { try await late.value }, .cancelled)
      gate.open()
      _ = try await tasks[1].value
      try await writer.flush()
      let roomy = Task {
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        _ = try await writer.submit(.write(Data(count: 800), to: folder.path("e")))
      }
      try await roomy.value
      try await writer.close()
      XCTAssertEqual(folder.names, ["a", "c", "e"])
    }
  }

  func testShutdownRefusesWaitingSubmissions() async throws {
    for hasJournal in [false, true] {
      let (folder, gate) = (try TemporaryFolder(), BlockingGate())
      let writer = try await slowWriter(in: folder, hasJournal: hasJournal, gate)
      try await writer.submit(.write(Data(count: 800), to: folder.path("a")))
      let waiting = Task { _ = try await writer.submit(.write(Data(count: 800), to: folder.path("b"))) }
      try await untilInLine(1, writer)
      let end = Task { try await writer.close() }
      expectEqual(await reason { try await waiting.value }, .closed)
      gate.open()
      try await end.value
      expectEqual(await reason { _ = try await writer.submit(.write("x", to: folder.path("c"))) }, .closed)
      XCTAssertEqual(folder.names, ["a"])
    }
  }

  func testJournalStaysSmallWithASlowDisk() async throws {
    let (folder, gate) = (try TemporaryFolder(isInMemory: true), BlockingGate())
    var configuration = FileChangeWriter.Configuration(parallelFiles: 1, waitingByteLimit: 20_000)
    configuration.journalByteLimit = 5000
    configuration.idleTime = .zero
    let system = ScriptedFileSystem(isArmed: false, holding: .setPermissions, at: gate)
    let writer = try await FileChangeWriter(
      journal: folder.path("journal"), configuration: configuration, clock: ContinuousClock(),
      random: SeededRandom(seed: 1), system: system)
    try folder.put("", "busy", permissions: 0o640)
    system.arm()
    try await writer.submit(.write("x", to: folder.path("busy")))
    // All of them wait for the one that is being written, and only the newest of each file counts.
    for number in 0..<400 {
      try await writer.submit(.write(Data(count: 4000), to: folder.path("\(number % 4)")))
      let size = try FileManager.default.attributesOfItem(atPath: folder.file("journal").path)[.size] as? Int ?? 0
      // Twice the waiting changes with a group, another group, and the first zeros.
      XCTAssertLessThanOrEqual(size, 2 * 25_000 + 5000 + 65_536)
    }
    gate.open()
    try await writer.close()
  }
}

extension [FileChangeWriter._StateMachine.Action] {
  /// The tickets of the callers that may continue, whether their changes were accepted or not.
  var acknowledged: [Int] {
    compactMap { if case .acknowledge(let ticket, _) = $0 { ticket } else { nil } }
  }

  fileprivate var refused: [FileChangeError.Reason] {
    compactMap { if case .acknowledge(_, .failure(let error)) = $0 { error.reason } else { nil } }
  }

  fileprivate var begun: [PendingChangeID] { compactMap { if case .run(let id, _, _) = $0 { id } else { nil } } }

  fileprivate var run: [FileChange] { compactMap { if case .run(_, let change, _) = $0 { change } else { nil } } }
}

extension FileChangeWriter._StateMachine.Action {
  fileprivate var isPause: Bool { if case .pause = self { true } else { false } }

  fileprivate var isAwakening: Bool { if case .awaken = self { true } else { false } }
}
