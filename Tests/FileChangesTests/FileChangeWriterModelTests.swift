import FileChanges
import Foundation
import Journals
import PendingChanges
import TestSupport
import XCTest

/// Compares random histories of the state machine to a simple model of its promises.
final class FileChangeWriterModelTests: XCTestCase {
  #if InternalChecks
    private let histories = 200
  #else
    private let histories = 1000
  #endif

  func testAcceptedChangesAreWrittenOrReported() throws {
    try withSeeds(histories) { random in
      var history = History(random: &random)
      for _ in 0..<Int.random(in: 5...80, using: &random) { try history.step(&random) }
      try history.drive(to: { $0.running.isEmpty && $0.sleeping.isEmpty }, &random)
      history.checkEverythingIsAccountedFor()
    }
  }
}

/// A state machine, the disk it writes to, and its promises.
private struct History: ~Copyable {
  private var machine: FileChangeWriter._StateMachine
  private let parallelFiles: Int
  private let paths: [FileChange.Path]

  private(set) var running: [PendingChangeID: FileChange] = [:]
  private(set) var sleeping: Set<PendingChangeID> = []
  /// The sleeping changes that only pause, without a failure.
  private var pausing: Set<PendingChangeID> = []

  /// The newest accepted change of each file, and the newest one on disk.
  private var accepted: [FileChange.Path: PendingChangeID] = [:]
  private var durable: [FileChange.Path: PendingChangeID] = [:]
  /// The newest change of each file that was cancelled, or whose failure was removed.
  private var forgiven: [FileChange.Path: PendingChangeID] = [:]
  /// The newest changes at the beginning of each wait, which the waiter was promised.
  private var promised: [Int: [FileChange.Path: PendingChangeID]] = [:]
  private var waiterCount = 0
  private var requeuedCount = 0
  private var cancelledCount = 0
  private var isShutDown = false
  private var hasEnded = false

  /// The submissions that wait in line, in the order of the calls.
  private var line: [(ticket: Int, path: FileChange.Path)] = []
  private var withdrawn: Int?
  private var ticketCount = 0
  private let byteLimit: Int
  private var largest = 0
  /// Whether retried changes may exceed the limit.
  private var isExceeded = false

  init(random: inout SeededRandom) {
    var configuration = FileChangeWriter.Configuration()
    configuration.parallelFiles = Int.random(in: 1...3, using: &random)
    configuration.backoff.attempts = Int.random(in: 1...4, using: &random)
    configuration.firstPause = [.zero, .seconds(1)].randomElement(using: &random)!
    configuration.coalescing = [.replace, .moveToEnd, .merge { _, new in new }].randomElement(using: &random)!
    configuration.waitingByteLimit = [1, 150, 400, 64 << 20].randomElement(using: &random)!
    byteLimit = configuration.waitingByteLimit
    machine = .init(configuration: configuration, random: SeededRandom(seed: random.next()))
    parallelFiles = configuration.parallelFiles
    paths = (0..<Int.random(in: 1...5, using: &random)).map { FileChange.Path("/\($0)") }
  }

  mutating func step(_ random: inout SeededRandom) throws {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<42: submit(&random)
    case 42..<44: cancel(&random)
    case 44: withdraw(&random)
    case 45..<80: finish(&random)
    case 80..<88: wake(&random)
    case 88..<94: wait { $0.wait($1) }
    case 94..<96:
      let (count, actions) = machine.retryFailures()
      requeuedCount += count
      if count > 0 { isExceeded = true }
      perform(actions)
    case 96..<98: removeFailures()
    case 98 where random.chance(oneIn: 20):
      isShutDown = true
      wait { $0.shutDown($1) }
      expect(sleeping.isEmpty, "\(sleeping) sleep on")
    default: break
    }
    checkCounts()
  }

  mutating func drive(to isDone: (borrowing Self) -> Bool, _ random: inout SeededRandom) throws {
    while !isDone(self) {
      finish(&random)
      wake(&random)
      checkCounts()
    }
  }

  // MARK: Steps

  private mutating func submit(_ random: inout SeededRandom) {
    let path = paths.randomElement(using: &random)!
    let text = String(repeating: "x", count: Int.random(in: 0...300, using: &random))
    let change: FileChange = random.chance(oneIn: 4) ? .remove(path) : .write(text, to: path)
    largest = max(largest, change.recordByteCount)
    do {
      if !isShutDown, machine.waits(change, .journal) {
        ticketCount += 1
        line.append((ticketCount, path))
        let actions = try machine.submit(change, .journal, ticket: ticketCount)
        // A submission in line ends all pauses, even if others are before it.
        perform(actions)
        expect(pausing.isEmpty, "a caller waits, and \(pausing) pause")
        return
      }
      let (id, actions) = try machine.submit(change)
      accept(id, of: path)
      perform(actions)
    } catch {
      expect(isShutDown && error.reason == .closed, "\(error)")
    }
  }

  private mutating func accept(_ id: PendingChangeID, of path: FileChange.Path) {
    expect(!isShutDown, "a change was accepted after the shutdown")
    expect(accepted[path].map { $0 < id } ?? true, "\(id) was used before")
    accepted[path] = id
  }

  /// Cancels the task of a submission that waits in line, or that was already accepted.
  private mutating func withdraw(_ random: inout SeededRandom) {
    guard ticketCount > 0 else { return }
    let ticket = Int.random(in: 1...ticketCount, using: &random)
    let isInLine = line.contains { $0.ticket == ticket }
    let count = line.count
    withdrawn = ticket
    perform(machine.withdraw(ticket))
    withdrawn = nil
    expect(isInLine ? line.count < count : line.count == count, "the line is wrong after \(ticket) was withdrawn")
  }

  /// Checks that submissions in line are accepted in their order, or refused with the right reason.
  private mutating func acknowledge(_ ticket: Int, _ result: Result<PendingChangeID?, FileChangeError>) {
    guard let place = line.firstIndex(where: { $0.ticket == ticket }) else { return fail("\(ticket) does not wait") }
    let (_, path) = line.remove(at: place)
    switch result {
    case .success(let id?):
      expect(place == 0, "\(ticket) was accepted before \(line[0].ticket)")
      accept(id, of: path)
    case .success(nil): fail("\(ticket) was accepted without an id")
    case .failure(let error):
      let reason: FileChangeError.Reason = ticket == withdrawn ? .cancelled : .closed
      expect(error.reason == reason && error.path == path && (isShutDown || ticket == withdrawn), "\(error)")
    }
  }

  private mutating func finish(_ random: inout SeededRandom) {
    guard let (id, change) = running.sorted(by: { $0.key < $1.key }).randomElement(using: &random) else { return }
    running[id] = nil
    let reason: FileChangeError.Reason? =
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<6: nil
      case 6..<9: .busy
      default: .readOnly
      }
    let error = reason.map { FileChangeError(path: change.path, operation: .write, reason: $0) }
    if error == nil {
      expect(durable[change.path].map { $0 < id } ?? true, "\(id) was written over a newer change")
      durable[change.path] = id
    }
    perform(machine.finish(id, error: error))
  }

  private mutating func wake(_ random: inout SeededRandom) {
    guard let id = sleeping.sorted().randomElement(using: &random) else { return }
    sleeping.remove(id)
    pausing.remove(id)
    perform(machine.wake(id))
  }

  private mutating func wait(
    _ request: (inout FileChangeWriter._StateMachine, Int) -> [FileChangeWriter._StateMachine.Action]
  ) {
    waiterCount += 1
    // Submissions in line may be accepted during the call, but the wait does not include them.
    promised[waiterCount] = accepted
    perform(request(&machine, waiterCount))
    expect(pausing.isEmpty, "a caller waits, and \(pausing) pause")
  }

  private mutating func removeFailures() {
    let (removed, _, actions) = machine.removeFailures(ticket: 0)
    for failure in removed {
      forgiven[failure.change.path] = max(failure.id, forgiven[failure.change.path] ?? failure.id)
    }
    perform(actions)
  }

  /// Cancels the newest change of a file, if it is not running.
  private mutating func cancel(_ random: inout SeededRandom) {
    let path = paths.randomElement(using: &random)!
    guard let id = accepted[path] else { return }
    let failure = machine.failures.first { $0.id == id }
    let isPending = durable[path].map { $0 < id } ?? true && failure == nil && forgiven[path].map { $0 < id } ?? true
    let (changes, _, actions) = machine.cancel([id], ticket: 0)
    let change = changes.first
    expectEqual(change != nil, !isShutDown && running[id] == nil && (isPending || failure != nil))
    expect(change?.path == path || change == nil)
    if change != nil {
      forgiven[path] = id
      if failure == nil { cancelledCount += 1 }
    }
    perform(actions)
  }

  // MARK: Invariants

  private mutating func perform(_ actions: [FileChangeWriter._StateMachine.Action]) {
    for action in actions {
      expect(!hasEnded || waiterCount > 0 && isResume(action), "\(action) after the end")
      switch action {
      case .run(let id, let change, _):
        expect(!running.values.contains { $0.path == change.path }, "\(change.path) is written twice at a time")
        running[id] = change
        expect(running.count <= parallelFiles, "\(running.count) files are written")
      case .sleep(let id, let delay):
        expect(delay >= .zero)
        expect(sleeping.insert(id).inserted)
      case .pause(let id, let delay):
        expect(delay > .zero && promised.isEmpty && !isShutDown, "a pause delays a caller")
        expect(sleeping.insert(id).inserted)
        pausing.insert(id)
      case .awaken(let id):
        expect(sleeping.remove(id) != nil, "\(id) is awake")
        pausing.remove(id)
      case .emit: break
      case .resume(let waiter, let unwritten, _): check(waiter, unwritten)
      case .acknowledge(let ticket, let result): acknowledge(ticket, result)
      case .watch: fail("nothing is held without a journal")
      case .runBatch, .record, .closeJournal: fail("\(action) without a journal")
      case .end:
        hasEnded = true
        expect(isShutDown && running.isEmpty && sleeping.isEmpty && machine.progress.isIdle, "the end came early")
      }
    }
  }

  private func isResume(_ action: FileChangeWriter._StateMachine.Action) -> Bool {
    if case .resume = action { true } else { false }
  }

  /// Checks that every change that the waiter was promised is on disk, or among the reported failures.
  private mutating func check(_ waiter: Int, _ unwritten: [FileChangeWriter.Failure]) {
    guard let promises = promised.removeValue(forKey: waiter) else { return fail("waiter \(waiter) was resumed twice") }
    for (path, id) in promises {
      let isKept = [durable[path], forgiven[path]].contains { $0.map { $0 >= id } ?? false }
      let isReported = unwritten.contains { $0.change.path == path && $0.id >= id }
      expect(isKept || isReported, "\(id) of \(path) is neither on disk nor reported")
    }
    for failure in machine.failures where promises[failure.change.path].map({ $0 >= failure.id }) ?? false {
      expect(unwritten.contains(failure), "\(failure.id) of \(failure.change.path) failed and is not reported")
    }
    expect(unwritten.map(\.id) == unwritten.map(\.id).sorted(), "\(unwritten) are not oldest first")
    for failure in unwritten {
      let written = durable[failure.change.path]
      expect(written.map { $0 < failure.id } ?? true, "\(failure.id) is reported, and \(written!) is on disk")
    }
  }

  private mutating func checkCounts() {
    let progress = machine.progress
    expectEqual(progress.inFlight, running.count + sleeping.count)
    expectEqual(progress.heldFailures, machine.failures.count)
    expectEqual(
      progress.accepted + requeuedCount,
      progress.coalesced + progress.written + progress.removed + progress.failed + progress.cancelled
        + progress.waiting + progress.inFlight)
    expectEqual(progress.cancelled, cancelledCount)
    expectEqual(machine.admission.waitingCount, line.count)
    if progress.waitingBytes <= byteLimit { isExceeded = false }
    expect(isExceeded || progress.waitingBytes <= max(byteLimit, largest), "\(progress.waitingBytes) bytes wait")
    let isAlone = progress.waiting + progress.inFlight <= 1
    expect(isExceeded || progress.waitingBytes <= byteLimit || isAlone, "a large change is not alone")
    expect(line.isEmpty || !progress.isIdle, "a submission waits although it fits")
    // If another file could be written, each waiting change waits only for its own file.
    let isFull = running.count == parallelFiles
    expect(isFull || progress.waiting <= running.count + sleeping.count, "a change waits for nothing")
  }

  func checkEverythingIsAccountedFor() {
    expect(machine.progress.isIdle, "\(machine.progress)")
    expectEqual(promised.count, 0, "a caller waits forever")
    expectEqual(line.count, 0, "a submission waits in line forever")
    expectEqual(machine.progress.waitingBytes, 0)
    expectEqual(hasEnded, isShutDown)
    for (path, id) in accepted {
      let isFailure = machine.failures.contains { $0.change.path == path && $0.id >= id }
      let isDone = [durable[path], forgiven[path]].contains { $0.map { $0 >= id } ?? false }
      expect(isDone || isFailure, "\(id) of \(path) is lost")
    }
  }
}
