import FileChanges
import Foundation
import Journals
import PendingChanges
import TestSupport
import XCTest

/// Batches that meet other submissions, failures, sweepers and shutdowns.
final class FileChangeBatchOvertakingTests: XCTestCase {
  private typealias Machine = FileChangeWriter._StateMachine

  // MARK: Names

  func testMovedFileHasItsOldOrNewNameAtEveryCall() async throws {
    for hasJournal in [true, false] {
      let folder = try TemporaryFolder(["a": "A"])
      let isNameless = Flag()
      let system = ScriptedFileSystem { _, _ in
        if folder.text("a") ?? folder.text("b") != "A" { isNameless.set(true) }
        return nil
      }
      let writer = hasJournal ? try await journaledWriter(in: folder, system: system) : FileChangeWriter(system: system)
      try await writer.submit(.move(folder.path("a"), to: folder.path("b")))
      try await writer.close()
      XCTAssertFalse(isNameless.isSet, "journal: \(hasJournal)")
      XCTAssertEqual(folder.text("b"), "A")
      XCTAssertNil(folder.text("a"))
    }
  }

  func testSweeperKeepsTheOldFileOfAnInterruptedMove() throws {
    for hasLinks in [true, false] {
      let folder = try TemporaryFolder(["a": "A"])
      let old = Date(timeIntervalSinceNow: -100_000)
      try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: folder.file("a").path)
      let dying = ScriptedFileSystem { call, _ in
        if call == .linkFile, !hasLinks { return .failure(EPERM) }
        return call == .synchronizeFolder ? .death : nil
      }
      XCTAssertNotNil(FileChange.move(folder.path("a"), to: folder.path("b")).refusal(in: dying))
      XCTAssertTrue(dying.isDead)
      XCTAssertEqual(folder.text("a"), hasLinks ? "A" : nil)
      try FileChange.write("C", to: folder.path("c")).apply(
        options: .init(), in: PosixFileSystem(), sweeper: Sweeper())
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasSuffix("-old") }
      XCTAssertEqual(left.map { folder.text($0) }, ["A"], "links: \(hasLinks)")
    }
  }

  /// Imitates a case-insensitive folder, in which both names appear and disappear together.
  func testFileIsMovedToANameThatDiffersOnlyInCase() throws {
    for hasLinks in [true, false] {
      let folder = try TemporaryFolder(["note": "A"])
      let areBoth = Flag()
      func mirror() {
        let names = ["note", "Note"]
        let there = names.filter { folder.text($0) != nil }
        if there.count == 1 {
          let other = names.first { $0 != there[0] }!
          if areBoth.isSet {
            try? FileManager.default.removeItem(at: folder.file(there[0]))
          } else {
            try? FileManager.default.linkItem(at: folder.file(there[0]), to: folder.file(other))
          }
        }
        areBoth.set(folder.text("note") != nil)
      }
      let system = ScriptedFileSystem { call, _ in
        mirror()
        return call == .linkFile && !hasLinks ? .failure(EPERM) : nil
      }
      XCTAssertNil(FileChange.move(folder.path("note"), to: folder.path("Note")).refusal(in: system))
      XCTAssertEqual(folder.text("Note"), "A", "links: \(hasLinks)")
      XCTAssertEqual(Set(folder.names).subtracting(["note", "Note"]), [])
    }
  }

  // MARK: Order

  private func machine(
    hasJournal: Bool = true, parallelFiles: Int = 1, byteLimit: Int = 1000
  ) throws -> Machine {
    var configuration = FileChangeWriter.Configuration(parallelFiles: parallelFiles, waitingByteLimit: byteLimit)
    configuration.backoff.attempts = 1
    configuration.idleTime = .zero
    var machine = Machine(configuration: configuration, random: SeededRandom(seed: 1))
    if hasJournal {
      _ = machine.recover(try FileChangeWriter._JournalContents([]), writer: 1, from: "/journal")
      _ = machine.finishWrite(error: nil)
    }
    return machine
  }

  func testWithdrawnBatchBlocksNoLaterSubmission() throws {
    for hasJournal in [true, false] {
      var machine = try machine(hasJournal: hasJournal, parallelFiles: 4, byteLimit: 200)
      _ = try machine.submit(.write(String(repeating: "x", count: 100), to: "/a"), .journal, ticket: 1)
      _ = machine.finishWrite(error: nil)
      let batch = try FileChange._Batch([.write(String(repeating: "x", count: 100), to: "/b")])
      XCTAssertEqual(try machine.submit(batch, ticket: 2), [], "there is no room")
      XCTAssertEqual(machine.withdraw(2).acknowledged, [2])
      let actions = try machine.submit(.write("x", to: "/c"), .journal, ticket: 3)
      XCTAssertEqual((actions + machine.finishWrite(error: nil)).acknowledged, [3], "journal: \(hasJournal)")
    }
  }

  func testFailureIsNotRetriedWhileABatchOfItsFileIsRecorded() throws {
    var machine = try machine()
    let id = try XCTUnwrap(
      (try machine.submit(.write("old", to: "/a"), .journal, ticket: 1) + machine.finishWrite(error: nil)).runs.first)
    let error = FileChangeError(path: "/a", operation: .write, reason: .readOnly)
    _ = machine.finish(id, error: error)
    _ = machine.finishWrite(error: nil)
    XCTAssertEqual(machine.failures.map(\.id), [id])
    let batch = try FileChange._Batch([.write("new", to: "/a"), .remove("/b")])
    _ = try machine.submit(batch, ticket: 2)
    XCTAssertEqual(machine.retryFailures().count, 0, "something newer is on its way")
    let actions = machine.finishWrite(error: nil)
    XCTAssertEqual(actions.acknowledged, [2])
    XCTAssertEqual(actions.runs, [])
    XCTAssertEqual(machine.failures, [], "the batch has taken its place")
    XCTAssertEqual(machine.progress.inFlight, 2)
  }

  func testChangeAfterABatchDoesNotOvertakeItOnAFullDisk() throws {
    var machine = try machine(parallelFiles: 4, byteLimit: 1 << 20)
    // A group forms while the journal is being written.
    _ = try machine.submit(.write("x", to: "/x"), .journal, ticket: 1)
    let large = String(repeating: "x", count: 10_000)
    _ = try machine.submit(FileChange._Batch([.write(large, to: "/q"), .write("old", to: "/p")]), ticket: 2)
    _ = try machine.submit(.write("new", to: "/p"), .journal, ticket: 3)
    _ = try machine.submit(.write("z", to: "/z"), .journal, ticket: 4)
    var acknowledged = machine.finishWrite(error: nil).acknowledged
    XCTAssertEqual(acknowledged, [1])
    let full = FileChangeError(path: "/journal", operation: .write, reason: .deviceFull)
    for _ in 0..<2 { acknowledged += machine.finishWrite(error: full).acknowledged }
    for _ in 0..<2 { acknowledged += machine.finishWrite(error: nil).acknowledged }
    XCTAssertEqual(acknowledged, [1, 4, 2, 3])
    XCTAssertEqual(machine.newest(of: "/p"), .write("new", to: "/p"))
  }

  // MARK: Waits that end early

  /// A writer that could not apply a move, and waits before it retries.
  private func stalled(
    _ changes: (TemporaryFolder) -> [FileChange], in folder: TemporaryFolder
  ) async throws -> FileChangeWriter {
    let system = ScriptedFileSystem { call, _ in call == .linkFile ? .failure(EBUSY) : nil }
    let configuration = FileChangeWriter.Configuration(backoff: .init(attempts: 9, firstDelay: .seconds(3600)))
    let writer = FileChangeWriter(
      configuration: configuration, clock: ManualClock(), random: SeededRandom(seed: 1), system: system)
    let events = await writer.events()
    try await writer.submit(batch: changes(folder))
    for await event in events {
      if case .retrying = event.outcome { break }
    }
    return writer
  }

  func testCancelledFlushReportsAnUnfinishedMoveAsItWasSubmitted() async throws {
    let folder = try TemporaryFolder(["a": "A"])
    let writer = try await stalled({ [.move($0.path("a"), to: $0.path("b"))] }, in: folder)
    let (a, b) = (try await writer.file(at: folder.path("a")), try await writer.file(at: folder.path("b")))
    for file in [a, b] {
      let task = Task { await failureOfWriting(file)?.reason }
      task.cancel()
      expectEqual(await task.value, .waitEnded)
    }
    let task = Task { try await writer.flush() }
    task.cancel()
    let unwritten = await unwritten { try await task.value }
    XCTAssertEqual(unwritten?.unfinished.map(\.change), [.move(a.path, to: b.path)])
    XCTAssertEqual(unwritten?.unfinished.map(\.attempts), [1])
    _ = await self.unwritten { try await writer.close(within: .zero) }
  }

  func testCancelledFlushReportsTheMovesOfAnUnfinishedBatch() async throws {
    let folder = try TemporaryFolder()
    for name in ["a", "b"] { try folder.put(name, name) }
    let changes = { (folder: TemporaryFolder) -> [FileChange] in
      [
        .move(folder.path("a"), to: folder.path("c")), .move(folder.path("b"), to: folder.path("a")),
        .move(folder.path("c"), to: folder.path("b")),
      ]
    }
    let writer = try await stalled(changes, in: folder)
    let task = Task { try await writer.flush() }
    task.cancel()
    let unwritten = await unwritten { try await task.value }
    XCTAssertEqual(unwritten?.unfinished.map(\.change), changes(folder))
    _ = await self.unwritten { try await writer.close(within: .zero) }
  }

  func testShutdownThatTimesOutEndsTheWaitsForAMove() async throws {
    let folder = try TemporaryFolder(["a": "A"])
    let writer = try await stalled({ [.move($0.path("a"), to: $0.path("b"))] }, in: folder)
    let b = try await writer.file(at: folder.path("b"))
    let theirs = try await b.otherVersion()
    let reading = Task {
      do throws(FileChangeError) {
        _ = try await b.contents()
        return nil as FileChangeError.Reason?
      } catch {
        return error.reason
      }
    }
    try await until(await writer.waiterCount != 0)
    expectEqual(await unwritten { try await writer.close(within: .zero) }?.unfinished.count, 1)
    expectEqual(await reading.value, .waitEnded)
    expectEqual(await reason { _ = try await b.contents() }, .waitEnded)
    expectEqual(await reason { try await b.accept(theirs) }, .waitEnded)
  }
}
