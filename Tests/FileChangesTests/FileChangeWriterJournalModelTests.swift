import FileChanges
import Foundation
import Journals
import PendingChanges
import TestSupport
import XCTest

/// Random histories of a writer with a journal, with many crashes and power failures.
final class FileChangeWriterJournalModelTests: XCTestCase {
  func testAcknowledgedChangesSurviveEveryCrash() {
    withSeeds(200) { random in
      var history = CrashHistory(random: &random)
      for _ in 0..<Int.random(in: 5...120, using: &random) { history.step(&random) }
      history.crash(losesPower: random.chance(oneIn: 2), &random)
      history.finishEverything()
    }
  }
}

/// A state machine, the bytes of its journal, and the disk.
///
/// All contents are numbers, and a later change has a greater one.
private struct CrashHistory: ~Copyable {
  private typealias Machine = FileChangeWriter._StateMachine
  private let configuration: FileChangeWriter.Configuration
  private let paths: [FileChange.Path]
  /// Whether changes are based on versions.
  ///
  /// Then no change is in memory only, because the journal could not record the version that it leaves.
  private let hasVersions: Bool
  private var machine: Machine

  private var journal: [UInt8] = []
  /// The file that the journal has replaced, until the device surely has the replacement.
  private var replaced: [UInt8]?
  private var identity: UInt64 = 0
  /// The number of bytes of the journal that the device surely has.
  private var durableCount = 0
  private var disk: [FileChange.Path: (number: Int, version: FileChange.Version)] = [:]
  /// The versions of each file that were read since the writer was made.
  private var read: [FileChange.Path: [FileChange.Version]] = [:]

  private var inFlight: FileChangeWriter._JournalWrite?
  private var running: [PendingChangeID: (change: FileChange, leftovers: _Leftovers)] = [:]
  private var sleeping: Set<PendingChangeID> = []
  private var isWatching = false
  private var submitted: [Int: (path: FileChange.Path, number: Int, durability: FileChangeWriter.Durability)] = [:]
  private var acknowledged: [FileChange.Path: Int] = [:]
  private var ids: [FileChange.Path: PendingChangeID] = [:]
  /// The changes that are being cancelled or removed, and those that the journal has surely forgotten.
  private var cancelling: [Int: [Int]] = [:]
  private var cancelled: Set<Int> = []
  private var count = 0
  private var hasFaults = true
  private var isExceeded = false

  init(random: inout SeededRandom) {
    var configuration = FileChangeWriter.Configuration()
    configuration.parallelFiles = Int.random(in: 1...3, using: &random)
    configuration.backoff.attempts = Int.random(in: 1...3, using: &random)
    configuration.coalescing = [.replace, .moveToEnd].randomElement(using: &random)!
    configuration.journalByteLimit = [1, 300, 1000, 1 << 20].randomElement(using: &random)!
    configuration.idleTime = random.chance(oneIn: 3) ? .zero : .milliseconds(20)
    configuration.longestDelay = configuration.idleTime * random.int(in: 1..<4)
    configuration.waitingByteLimit = [1, 90, 200, 64 << 20].randomElement(using: &random)!
    self.configuration = configuration
    paths = (0..<Int.random(in: 1...4, using: &random)).map { FileChange.Path("/\($0)") }
    hasVersions = random.chance(oneIn: 2)
    machine = Machine(configuration: configuration, random: SeededRandom(seed: 1))
    start(&random)
  }

  mutating func step(_ random: inout SeededRandom) {
    if isWatching, random.chance(oneIn: 5) { tick() }
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<35: submit(&random)
    case 35..<60: finishWrite(&random)
    case 60..<80: finish(running.keys.sorted().randomElement(using: &random), &random)
    case 80..<88: wake(sleeping.sorted().randomElement(using: &random))
    case 88..<91:
      let (count, actions) = machine.retryFailures()
      if count > 0 { isExceeded = true }
      perform(actions)
    case 91..<93:
      count += 1
      let (removed, isRecorded, actions) = machine.removeFailures(ticket: count)
      for failure in removed { acknowledged[failure.change.path] = nil }
      if isRecorded { cancelling[count] = removed.map { number($0.change) } }
      perform(actions)
    case 93..<95: cancel(&random)
    case 95..<98: crash(losesPower: random.chance(oneIn: 2), &random)
    case 98: shutDown(&random)
    case 99 where !submitted.isEmpty: perform(machine.withdraw(submitted.keys.randomElement(using: &random)!))
    default: break
    }
    checkRoom()
  }

  /// Waiting changes stay within the limit, except for one large change, and for recovered and retried ones.
  private mutating func checkRoom() {
    let byteCount = machine.progress.waitingBytes
    if byteCount <= configuration.waitingByteLimit { isExceeded = false }
    // No change here is larger.
    expect(isExceeded || byteCount <= max(configuration.waitingByteLimit, 110), "\(byteCount) bytes wait")
  }

  // MARK: Steps

  private mutating func submit(_ random: inout SeededRandom) {
    count += 1
    let path = paths.randomElement(using: &random)!
    var change = FileChange.write("\(count)", to: path)
    if hasVersions, random.chance(oneIn: 2) {
      read[path, default: []].append(version(of: path))
      change = change.based(on: read[path]!.randomElement(using: &random)!)
    }
    do throws(FileChangeError) {
      let durability: FileChangeWriter.Durability = !hasVersions && random.chance(oneIn: 4) ? .memory : .journal
      if machine.waits(change, durability) {
        submitted[count] = (path, count, durability)
        perform(try machine.submit(change, durability, ticket: count))
      } else {
        let (id, actions) = try machine.submit(change)
        ids[path] = id
        perform(actions)
      }
    } catch { fail("\(error)") }
  }

  private mutating func cancel(_ random: inout SeededRandom) {
    count += 1
    guard let id = ids[paths.randomElement(using: &random)!] else { return }
    let (changes, isRecorded, actions) = machine.cancel([id], ticket: count)
    if let change = changes.first {
      acknowledged[change.path] = nil
      if isRecorded { cancelling[count] = [number(change)] }
    }
    perform(actions)
  }

  private mutating func finishWrite(_ random: inout SeededRandom) {
    guard let write = inFlight else { return }
    inFlight = nil
    let succeeds = !hasFaults || !random.chance(oneIn: 8)
    if succeeds {
      carryOut(write)
      replaced = nil
      if write.isSynchronized { durableCount = journal.count }
    } else if write.isWhole, random.chance(oneIn: 3) {
      // The new file has the name, but may lose it if the power fails.
      let before = journal
      carryOut(write)
      replaced = replaced ?? before
    }
    let reason: FileChangeError.Reason = [.deviceFull, .deviceFailure].randomElement(using: &random)!
    let error = FileChangeError(path: "/journal", operation: .writeJournal, reason: reason)
    perform(machine.finishWrite(error: succeeds ? nil : error))
  }

  private mutating func carryOut(_ write: FileChangeWriter._JournalWrite) {
    if write.isWhole {
      identity += 1
      journal = JournalHeader(writer: 1, identity: identity).bytes
    }
    for record in write.records { record.append(to: &journal, identity: identity) }
    if write.isWhole { durableCount = journal.count }
  }

  private mutating func finish(_ id: PendingChangeID?, _ random: inout SeededRandom) {
    guard let id, let (change, leftovers) = running.removeValue(forKey: id) else { return }
    let reason: FileChangeError.Reason? =
      hasFaults ? [nil, nil, nil, .busy, .readOnly].randomElement(using: &random)! : nil
    // A failed change may still have been applied.
    let isDone = reason == nil || reason == .busy && random.chance(oneIn: 2)
    if isDone { carryOut(change, leftovers) }
    let error = reason.map { FileChangeError(path: change.path, operation: .write, reason: $0) }
    perform(machine.finish(id, error: error, version: isDone ? version(of: change.path) : nil))
  }

  private mutating func carryOut(_ change: FileChange, _ leftovers: _Leftovers) {
    let (path, number) = (change.path, number(change))
    let before = disk[path]
    expect(before.map { $0.number <= number } ?? true, "\(number) was written over \(before!.number)")
    if let base = change.base, let before, before.number != number {
      // No other program has touched the file.
      let isLeftBehind = leftovers.attempts.contains {
        $0.action == FileChange.write("\(before.number)", to: path).action
      }
      let isExpected = [base, leftovers.version].contains(before.version)
      expect(isExpected || isLeftBehind, "\(number) of \(path) conflicts with our own \(before.number)")
    }
    count += 1
    let stamp = FileStamp(
      device: 1, number: UInt64(count), size: 1, seconds: 1, nanoseconds: 1, changeSeconds: 1, changeNanoseconds: 1)
    disk[path] = (number, FileChange.Version(stamp: stamp))
  }

  private func version(of path: FileChange.Path) -> FileChange.Version { disk[path]?.version ?? .absent }

  private mutating func wake(_ id: PendingChangeID?) {
    guard let id else { return }
    sleeping.remove(id)
    perform(machine.wake(id))
  }

  private mutating func tick() {
    isWatching = false
    perform(machine.tick())
  }

  private mutating func perform(_ actions: [Machine.Action]) {
    for action in actions {
      switch action {
      case .run(let id, let change, let leftovers): running[id] = (change, leftovers)
      case .sleep(let id, _), .pause(let id, _): expect(sleeping.insert(id).inserted)
      case .watch:
        expect(!isWatching, "it is watched already")
        isWatching = true
      case .awaken(let id): expect(sleeping.remove(id) != nil, "\(id) is awake")
      case .record(let write):
        expect(inFlight == nil, "two writes of the journal run at once")
        inFlight = write
      case .acknowledge(let ticket, let result): acknowledge(ticket, result)
      case .closeJournal(let removing):
        if removing { (journal, replaced) = ([], nil) }
        perform(machine.closedJournal())
      default: break
      }
    }
  }

  private mutating func acknowledge(_ ticket: Int, _ result: Result<PendingChangeID?, FileChangeError>) {
    if let numbers = cancelling.removeValue(forKey: ticket) {
      if case .success = result { cancelled.formUnion(numbers) }
      return
    }
    guard let (path, number, durability) = submitted.removeValue(forKey: ticket) else {
      return fail("acknowledged twice")
    }
    guard case .success(let id) = result else { return }
    ids[path] = id
    // A change that only waited for the byte limit may be in memory only.
    guard durability == .journal else { return }
    acknowledged[path] = max(number, acknowledged[path] ?? 0)
  }

  private func number(_ change: FileChange) -> Int {
    guard case .write(let contents) = change.action else { return 0 }
    return Int(String(decoding: contents, as: UTF8.self)) ?? 0
  }

  // MARK: Ends and starts

  mutating func crash(losesPower: Bool, _ random: inout SeededRandom) {
    // Running changes may have been applied.
    for (change, leftovers) in running.values where random.chance(oneIn: 2) { carryOut(change, leftovers) }
    if let write = inFlight {
      let before = journal
      if write.isWhole {
        if random.chance(oneIn: 2) { carryOut(write) }
      } else {
        carryOut(write)
        let end = Int.random(in: before.count...journal.count, using: &random)
        journal.removeSubrange(end...)
        durableCount = min(durableCount, before.count)
      }
    }
    if losesPower, let replaced, random.chance(oneIn: 2) {
      journal = replaced
    } else if losesPower, durableCount < journal.count {
      let end = Int.random(in: durableCount...journal.count, using: &random)
      // Bytes that never reached the device read as zeros.
      journal.replaceSubrange(end..., with: repeatElement(0, count: journal.count - end))
    }
    start(&random)
  }

  /// Shuts the writer down, sometimes without waiting for its changes, and starts another.
  private mutating func shutDown(_ random: inout SeededRandom) {
    perform(machine.shutDown(count))
    if random.chance(oneIn: 2) { perform(machine.abandon()) }
    expect(sleeping.isEmpty, "\(sleeping) sleep on")
    drain(&random)
    start(&random)
  }

  private mutating func drain(_ random: inout SeededRandom) {
    while inFlight != nil || !running.isEmpty || !sleeping.isEmpty {
      finishWrite(&random)
      finish(running.keys.min(), &random)
      wake(sleeping.min())
    }
  }

  private mutating func start(_ random: inout SeededRandom) {
    (inFlight, running, sleeping, submitted, isWatching) = (nil, [:], [], [:], false)
    (ids, read, cancelling, replaced) = ([:], [:], [:], nil)
    guard let contents = try? FileChangeWriter._JournalContents(journal) else {
      return fail("the journal cannot be read")
    }
    var final = disk.mapValues(\.number)
    for record in contents.unfinished {
      guard case .change(let change) = record.body else { continue }
      final[record.body.path] = number(change)
      expect(!cancelled.contains(number(change)), "\(number(change)) was cancelled, and comes back")
    }
    for (path, number) in acknowledged {
      expect(final[path].map { $0 >= number } ?? false, "\(number) was acknowledged for \(path), which gets \(final)")
    }
    for (path, (number, _)) in disk {
      expect(final[path]! >= number, "\(number) of \(path) is overwritten by an older one")
    }
    machine = Machine(configuration: configuration, random: SeededRandom(seed: 1))
    let (changes, write) = machine.recover(contents, writer: 1, from: "/journal")
    isExceeded = true
    expectEqual(changes.count, Set(contents.unfinished.map(\.body.path)).count)
    inFlight = write
    // A writer synchronizes the journal that it opens.
    durableCount = journal.count
    finishWrite(&random)
  }

  mutating func finishEverything() {
    hasFaults = false
    var random = SeededRandom(seed: 1)
    perform(machine.retryFailures().actions)
    drain(&random)
    var tickCount = 0
    while isWatching, tickCount < 9 {
      tick()
      drain(&random)
      tickCount += 1
    }
    expect(tickCount <= 2, "\(tickCount) ticks held changes back")
    expectEqual(machine.progress.waiting, 0, "held back changes begin by themselves")
    perform(machine.shutDown(0))
    drain(&random)
    for (path, number) in acknowledged {
      expect(disk[path].map { $0.number >= number } ?? false, "\(number) of \(path) is not on disk")
    }
    expect(machine.progress.isIdle, "\(machine.progress)")
    expectEqual(journal, [], "nothing is left to do")
  }
}
