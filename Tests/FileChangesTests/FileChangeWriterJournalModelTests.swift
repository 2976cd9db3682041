import FileChanges
import Foundation
import PendingChanges
import TestSupport
import XCTest

/// Random histories of a writer with a journal, whose process or whose power comes to its end again and again.
final class FileChangeWriterJournalModelTests: XCTestCase {
  func testWhatWasAcknowledgedSurvivesEveryCrash() {
    withSeeds(200) { random in
      var history = CrashHistory(random: &random)
      for _ in 0..<Int.random(in: 5...120, using: &random) { history.step(&random) }
      history.crash(losesPower: random.chance(oneIn: 2), &random)
      history.finishEverything()
    }
  }
}

/// A state machine, the bytes of its journal, and the disk: all contents are numbers, and a later change has a greater one.
private struct CrashHistory {
  private typealias Machine = FileChangeWriter._StateMachine
  private let configuration: FileChangeWriter.Configuration
  private let paths: [FileChange.Path]
  private var machine: Machine

  private var journal: [UInt8] = []
  private var identity: UInt64 = 0
  /// How many bytes of the journal the device has for sure.
  private var durableCount = 0
  private var disk: [FileChange.Path: Int] = [:]

  private var underWay: FileChangeWriter._Journal.Batch?
  private var running: [PendingChangeID: FileChange] = [:]
  private var sleeping: Set<PendingChangeID> = []
  private var submitted: [Int: (path: FileChange.Path, number: Int)] = [:]
  private var acknowledged: [FileChange.Path: Int] = [:]
  private var count = 0

  init(random: inout SeededRandom) {
    var configuration = FileChangeWriter.Configuration()
    configuration.parallelFiles = Int.random(in: 1...3, using: &random)
    configuration.backoff.attempts = Int.random(in: 1...3, using: &random)
    configuration.coalescing = [.replace, .moveToEnd].randomElement(using: &random)!
    configuration.journalByteLimit = [1, 300, 1000, 1 << 20].randomElement(using: &random)!
    self.configuration = configuration
    paths = (0..<Int.random(in: 1...4, using: &random)).map { FileChange.Path("/\($0)") }
    machine = Machine(configuration: configuration, random: SeededRandom(seed: 1))
    start()
  }

  mutating func step(_ random: inout SeededRandom) {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<35: submit(to: paths.randomElement(using: &random)!, isInMemory: random.chance(oneIn: 4))
    case 35..<60: finishBatch(succeeds: !random.chance(oneIn: 8))
    case 60..<82:
      let outcome: FileChangeError.Reason? = [nil, nil, nil, .busy, .readOnly].randomElement(using: &random)!
      finish(running.keys.sorted().randomElement(using: &random), outcome)
    case 82..<90: wake(sleeping.sorted().randomElement(using: &random))
    case 90..<93: perform(machine.retryFailures().actions)
    case 93..<95:
      let (removed, actions) = machine.removeFailures()
      for failure in removed { acknowledged[failure.change.path] = nil }
      perform(actions)
    case 95..<98: crash(losesPower: random.chance(oneIn: 2), &random)
    default: break
    }
  }

  // MARK: What is done

  private mutating func submit(to path: FileChange.Path, isInMemory: Bool) {
    count += 1
    let change = FileChange.write("\(count)", to: path)
    do throws(FileChangeError) {
      if machine.records(change, isInMemory ? .memory : .journal) {
        submitted[count] = (path, count)
        perform(try machine.record(change, ticket: count))
      } else {
        perform(try machine.submit(change).actions)
      }
    } catch { fail("\(error)") }
  }

  private mutating func finishBatch(succeeds: Bool) {
    guard let batch = underWay else { return }
    underWay = nil
    if succeeds { write(batch) }
    let error = FileChangeError(path: "/journal", operation: .writeJournal, reason: .noSpace)
    perform(machine.finishBatch(error: succeeds ? nil : error))
  }

  private mutating func write(_ batch: FileChangeWriter._Journal.Batch) {
    if batch.isWhole {
      identity += 1
      journal = _JournalContents.header(writer: 1, identity: identity)
    }
    for record in batch.records { record.append(to: &journal, identity: identity) }
    if batch.isSynchronized { durableCount = journal.count }
  }

  private mutating func finish(_ id: PendingChangeID?, _ reason: FileChangeError.Reason?) {
    guard let id, let change = running.removeValue(forKey: id) else { return }
    if reason == nil { carryOut(change) }
    perform(machine.finish(id, error: reason.map { FileChangeError(path: change.path, operation: .write, reason: $0) }))
  }

  private mutating func carryOut(_ change: FileChange) {
    let number = number(change)
    expect(disk[change.path].map { $0 <= number } ?? true, "\(number) was written over \(disk[change.path]!)")
    disk[change.path] = number
  }

  private mutating func wake(_ id: PendingChangeID?) {
    guard let id else { return }
    sleeping.remove(id)
    perform(machine.wake(id))
  }

  private mutating func perform(_ actions: [Machine.Action]) {
    for action in actions {
      switch action {
      case .run(let id, let change, _): running[id] = change
      case .sleep(let id, _): sleeping.insert(id)
      case .record(let batch):
        expect(underWay == nil, "two batches are under way")
        underWay = batch
      case .acknowledge(let ticket, let result):
        guard let (path, number) = submitted.removeValue(forKey: ticket) else { fail("acknowledged twice"); continue }
        if case .success = result { acknowledged[path] = max(number, acknowledged[path] ?? 0) }
      default: break
      }
    }
  }

  private func number(_ change: FileChange) -> Int {
    guard case .write(let contents) = change.action else { return 0 }
    return Int(String(decoding: contents, as: UTF8.self)) ?? 0
  }

  // MARK: The end and the beginning

  mutating func crash(losesPower: Bool, _ random: inout SeededRandom) {
    // What was being done may have been done.
    for change in running.values where random.chance(oneIn: 2) { carryOut(change) }
    if let batch = underWay {
      let before = journal
      if batch.isWhole {
        if random.chance(oneIn: 2) { write(batch) }
      } else {
        write(batch)
        let end = Int.random(in: before.count...journal.count, using: &random)
        journal.removeSubrange(end...)
        durableCount = min(durableCount, before.count)
      }
    }
    if losesPower, durableCount < journal.count {
      let end = Int.random(in: durableCount...journal.count, using: &random)
      // Bytes that never got to the device read as zeros.
      journal.replaceSubrange(end..., with: repeatElement(0, count: journal.count - end))
    }
    (underWay, running, sleeping, submitted) = (nil, [:], [], [:])
    start()
  }

  private mutating func start() {
    guard let contents = try? _JournalContents(journal) else { return fail("the journal cannot be read") }
    var final = disk
    for record in contents.unfinished {
      guard case .change(let change) = record.body else { continue }
      final[record.path] = number(change)
    }
    for (path, number) in acknowledged {
      expect(final[path].map { $0 >= number } ?? false, "\(number) was acknowledged for \(path), which gets \(final)")
    }
    for (path, number) in disk { expect(final[path]! >= number, "\(number) of \(path) is overwritten by an older one") }
    machine = Machine(configuration: configuration, random: SeededRandom(seed: 1))
    let (changes, batch) = machine.recover(contents, writer: 1, from: "/journal")
    expectEqual(changes.count, Set(contents.unfinished.map(\.path)).count)
    underWay = batch
    durableCount = min(durableCount, journal.count)
    finishBatch(succeeds: true)
  }

  mutating func finishEverything() {
    while underWay != nil || !running.isEmpty || !sleeping.isEmpty {
      finishBatch(succeeds: true)
      finish(running.keys.min(), nil)
      wake(sleeping.min())
    }
    for (path, number) in acknowledged { expect(disk[path]! >= number, "\(number) of \(path) is not on disk") }
    expect(machine.progress.isIdle, "\(machine.progress)")
    guard let contents = try? _JournalContents(journal) else { return fail("the journal cannot be read") }
    expectEqual(contents.unfinished, [])
  }
}
