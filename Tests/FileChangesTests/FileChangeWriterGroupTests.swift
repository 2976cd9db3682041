import FileChanges
import Foundation
import Journals
import PendingChanges
import TestSupport
import XCTest

private final class Threads: @unchecked Sendable {
  private let lock = NSLock()
  private var known: Set<ObjectIdentifier> = []

  func addCurrent() { lock.withLock { _ = known.insert(ObjectIdentifier(Thread.current)) } }

  var haveCurrent: Bool { lock.withLock { known.contains(ObjectIdentifier(Thread.current)) } }
}

/// Submissions that share a write of the journal, and what happens to them if it fails.
final class FileChangeWriterGroupTests: XCTestCase {
  typealias Machine = FileChangeWriter._StateMachine

  private let noSpace = FileChangeError(
    path: "/p/journal", operation: .writeJournal, reason: .deviceFull)

  /// A machine that is writing one change to its journal, while others wait.
  ///
  /// Each has a path and a size.
  private func machine(
    journalByteLimit: Int = 1 << 20, coalescing: PendingChangeQueue<FileChange>.Policy = .replace,
    waiting changes: [(FileChange.Path, Int)] = []
  ) throws -> Machine {
    var configuration = FileChangeWriter.Configuration()
    configuration.coalescing = coalescing
    configuration.journalByteLimit = journalByteLimit
    configuration.idleTime = .zero
    var machine = Machine(configuration: configuration, random: SeededRandom(seed: 1))
    _ = machine.recover(try FileChangeWriter._JournalContents([]), writer: 5, from: "/p/journal")
    _ = machine.finishWrite(error: nil)
    _ = try machine.submit(.write("first", to: "/first"), .journal, ticket: 0)
    for (index, (path, size)) in changes.enumerated() {
      let contents = String(repeating: "x", count: size)
      XCTAssertEqual(try machine.submit(.write(contents, to: path), .journal, ticket: index + 1), [])
    }
    return machine
  }

  /// The callers' next work must not delay the journal, and a task may continue on the thread on which the actor ran.
  func testCallersDoNotContinueOnTheThreadOfTheJournal() async throws {
    let folder = try TemporaryFolder()
    let threads = Threads()
    let system = ScriptedFileSystem { call, _ in
      if call == .synchronizeData { threads.addCurrent() }
      return nil
    }
    let writer = try await FileChangeWriter(journal: folder.path("journal"), system: system)
    await withTaskGroup(of: Void.self) { group in
      for file in 0..<4 {
        group.addTask {
          for number in 0..<100 {
            _ = try? await writer.submit(.write("\(number)", to: folder.path("\(file)")))
            XCTAssertFalse(threads.haveCurrent)
            _ = await writer.progress
            XCTAssertFalse(threads.haveCurrent)
          }
        }
      }
    }
    try await writer.close()
  }

  func testCallersOfAnyPriorityAreAnswered() async throws {
    let folder = try TemporaryFolder()
    let writer = try await FileChangeWriter(journal: folder.path("journal"))
    await withTaskGroup(of: Void.self) { group in
      for (file, priority) in [TaskPriority.background, .utility, .medium, .high].enumerated() {
        group.addTask(priority: priority) {
          for number in 0..<50 {
            do throws(FileChangeError) {
              let id = try await writer.submit(.write("\(number)", to: folder.path("\(file)")))
              if number % 5 == 0 { await writer.remove(id: id) }
            } catch {
              XCTFail("\(error)")
            }
          }
        }
      }
    }
    try await writer.flush()
    for file in 0..<4 { XCTAssertEqual(folder.text("\(file)"), "49") }
    expectEqual(await writer.answerCount, 0, "every answer has found its caller")
    try await writer.close()
  }

  func testWaitingChangesAreRecordedTogether() throws {
    var machine = try machine(waiting: [("/a", 1), ("/b", 1), ("/a", 2)])
    let actions = machine.finishWrite(error: nil)
    XCTAssertEqual(actions.tickets, [0: true])
    // Only the newest change of each file is recorded.
    XCTAssertEqual(actions.recorded, ["/b", "/a"])
    XCTAssertEqual(machine.finishWrite(error: nil).tickets, [1: true, 2: true, 3: true])
  }

  func testNewestChangeIsUnconditionalIfAnOlderOneOfItsGroupIs() throws {
    var machine = try machine()
    let changes: [FileChange] = [
      .write("1", to: "/a"), .write("2", to: "/a").based(on: .absent), .write("3", to: "/b").based(on: .absent),
    ]
    for (ticket, change) in changes.enumerated() {
      XCTAssertEqual(try machine.submit(change, .journal, ticket: ticket + 1), [])
    }
    let recorded = machine.finishWrite(error: nil).records.map(\.body)
    XCTAssertEqual(recorded, [.change(.write("2", to: "/a")), .change(changes[2])])
  }

  /// Otherwise a crash between the two records would make the writer's own version look like another program's.
  func testVersionIsRecordedBeforeTheRemovalOfAFailure() throws {
    var machine = try machine()
    guard case .acknowledge(0, .success(let id?))? = machine.finishWrite(error: nil).first else {
      return XCTFail("it is not acknowledged")
    }
    let version = FileChange.Version(
      stamp: FileStamp(
        device: 1, number: 2, size: 3, seconds: 4, nanoseconds: 5, changeSeconds: 6, changeNanoseconds: 7))
    _ = machine.finish(
      id, error: FileChangeError(path: "/first", operation: .synchronize, reason: .permissionDenied), version: version)
    let recorded = machine.removeFailures(ticket: 0).actions.records.map(\.body)
    XCTAssertEqual(recorded.count, 2)
    XCTAssertEqual(recorded.first, .completed("/first", nil, leaving: version))
    guard case .completed("/first", let range?, nil)? = recorded.last else { return XCTFail("\(recorded)") }
    XCTAssertGreaterThan(range.lowerBound, 0)
  }

  func testChangeDroppedByTheKeepPolicyIsCompletedInTheJournal() throws {
    var machine = try machine(coalescing: .keep)
    // The first change runs while two more of its file are recorded together.
    _ = machine.finishWrite(error: nil)
    _ = try machine.submit(.write("x", to: "/b"), .journal, ticket: 1)
    for ticket in 2...3 {
      XCTAssertEqual(try machine.submit(.write("\(ticket)", to: "/first"), .journal, ticket: ticket), [])
    }
    let numbers = machine.finishWrite(error: nil).records.map(\.sequence)
    XCTAssertEqual(numbers.count, 2)
    let actions = machine.finishWrite(error: nil)
    XCTAssertEqual(actions.tickets, [2: true, 3: true])
    XCTAssertEqual(actions.records.map(\.body), [.completed("/first", numbers[1]...numbers[1])])
  }

  func testGroupIsNoLargerThanTheJournalLimit() throws {
    var machine = try machine(
      journalByteLimit: 1000, waiting: [("/a", 400), ("/b", 400), ("/c", 400), ("/d", 2000)])
    XCTAssertEqual(machine.finishWrite(error: nil).recorded, ["/a", "/b"])
    var actions = machine.finishWrite(error: nil)
    XCTAssertEqual(actions.tickets, [1: true, 2: true])
    XCTAssertEqual(actions.recorded, ["/c"])
    actions = machine.finishWrite(error: nil)
    XCTAssertEqual(Set(actions.recorded), ["/first", "/a", "/b", "/c", "/d"], "the journal is rewritten")
    XCTAssertEqual(machine.finishWrite(error: nil).tickets, [4: true])
  }

  func testManySavesOfAFileShareAGroupHoweverLargeTheyAre() throws {
    var machine = try machine(journalByteLimit: 1000, waiting: (0..<50).map { ("/a", 400 + $0) })
    XCTAssertEqual(machine.finishWrite(error: nil).recorded, ["/a"])
    XCTAssertEqual(machine.finishWrite(error: nil).tickets.count, 50)
  }

  func testJournalIsRewrittenBeforeAnySubmissionIsRefused() throws {
    var machine = try machine(waiting: [("/a", 1), ("/b", 1)])
    _ = machine.finishWrite(error: nil)
    let again = machine.finishWrite(error: noSpace)
    XCTAssertEqual(again.tickets, [:])
    XCTAssertEqual(Set(again.recorded), ["/first", "/a", "/b"])
    XCTAssertEqual(machine.finishWrite(error: nil).tickets, [1: true, 2: true])
    XCTAssertEqual(machine.progress.journalFailures, 1)
  }

  func testChangesThatDoNotFitAreRefusedWithoutTheOthers() throws {
    var machine = try machine(waiting: [("/a", 1), ("/large", 9000), ("/b", 1), ("/large", 3)])
    _ = machine.finishWrite(error: nil)
    _ = machine.finishWrite(error: noSpace)
    let apart = machine.finishWrite(error: noSpace)
    XCTAssertEqual(Set(apart.recorded), ["/first", "/a", "/b"])
    let alone = machine.finishWrite(error: nil)
    XCTAssertEqual(alone.tickets, [1: true, 3: true])
    // The changes of one file are tried together, in their order.
    XCTAssertEqual(alone.recorded, ["/large"])
    XCTAssertEqual(machine.finishWrite(error: noSpace).tickets, [:])
    XCTAssertEqual(machine.finishWrite(error: noSpace).tickets, [2: false, 4: false])
    XCTAssertEqual(machine.finishWrite(error: nil), [], "no caller waits")
  }

  func testAllChangesAreRefusedSoonIfNothingFits() throws {
    var machine = try machine(waiting: (0..<100).map { (FileChange.Path("/\($0)"), $0) })
    _ = machine.finishWrite(error: nil)
    var (writings, tickets) = (0, [Int: Bool]())
    while tickets.count < 100, writings < 100 {
      tickets.merge(machine.finishWrite(error: noSpace).tickets) { first, _ in first }
      writings += 1
    }
    XCTAssertEqual(writings, 4)
    XCTAssertFalse(tickets.values.contains(true))
    XCTAssertEqual(try machine.submit(.write("x", to: "/a"), .journal, ticket: 200).recorded.count, 2)
    XCTAssertEqual(machine.finishWrite(error: nil).tickets, [200: true])
  }

  func testJournalInUseByAnotherWriterIsNotRetriedInParts() throws {
    let inUse = FileChangeError(path: "/p/journal", operation: .writeJournal, reason: .journalInUse)
    var machine = try machine(waiting: [("/a", 1), ("/b", 2)])
    _ = machine.finishWrite(error: nil)
    _ = machine.finishWrite(error: inUse)
    XCTAssertEqual(machine.finishWrite(error: inUse).tickets, [1: false, 2: false])
  }

  func testGroupWithABatchIsNoLargerThanTheLimit() throws {
    var commits = GroupCommit<FileChangeWriter._Journal.Submission>(
      nextSequence: 1, byteLimit: 1000, replacesOlder: true)
    let large = String(repeating: "x", count: 800)
    commits.stage(.batch(try FileChange._Batch([.write(large, to: "/p"), .remove("/q")]), ticket: 1))
    // The batch is recorded all the same.
    commits.stage(.change(.write("x", to: "/p"), ticket: 2))
    commits.stage(.change(.write(large, to: "/x"), ticket: 3))
    XCTAssertEqual(commits.begin(hasRecords: false)?.submissions.map(\.ticket), [1, 2])
  }
}

extension [FileChangeWriter._StateMachine.Action] {
  /// The tickets of the callers that may continue, and whether their changes were accepted.
  fileprivate var tickets: [Int: Bool] {
    reduce(into: [:]) { tickets, action in
      guard case .acknowledge(let ticket, let result) = action else { return }
      tickets[ticket] = (try? result.get()) != nil
    }
  }

  /// The records that are to be written to the journal.
  fileprivate var records: [FileChangeWriter._JournalRecord] {
    compactMap { if case .record(let write) = $0 { write.records } else { nil } }.flatMap { $0 }
  }

  /// The paths of the changes among these records.
  fileprivate var recorded: [FileChange.Path] {
    records.compactMap { if case .change(let change) = $0.body { change.path } else { nil } }
  }
}
