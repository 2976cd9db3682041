import Foundation
import Journals
import Outboxes
import PendingChanges
import TestSupport
import XCTest

/// Random histories of an outbox whose process is killed or loses power again and again, and of a server that remembers
/// IDs.
final class OutboxModelTests: XCTestCase {
  func testMergedChangesAreAppliedOnceAndInOrder() {
    withSeeds(60) { random in
      var history = History<Joined>(&random)
      history.run(&random)
      history.finishEverything()
      history.checkThatAllIsAppliedOnce()
    }
  }

  func testReplacePolicyAppliesTheNewestChangeLast() {
    withSeeds(25) { random in
      var history = History<Newest>(&random)
      history.run(&random)
      history.finishEverything()
      history.checkThatTheNewestIsLast()
    }
  }

  func testMoveToEndPolicyAppliesTheNewestChangeLast() {
    withSeeds(25) { random in
      var history = History<NewestLast>(&random)
      history.run(&random)
      history.finishEverything()
      history.checkThatTheNewestIsLast()
    }
  }

  func testOutboxWithKeepPolicyDrainsCompletely() {
    withSeeds(25) { random in
      var history = History<Oldest>(&random)
      history.run(&random)
      history.finishEverything()
    }
  }
}

/// A state machine, the bytes of its journal, and a server.
private struct History<Change: Numbers> {
  private typealias Machine = Outbox<Change>._StateMachine
  private let configuration: Outbox<Change>.Configuration
  private let keyCount: Int
  private var machine: Machine
  private var journal = JournalBytes()
  private var openings: UInt64 = 0
  private var now = Duration.zero

  private var inFlight: JournalWrite<_OutboxRecord>?
  private var running: [PendingChangeID: Outbox<Change>.Entry] = [:]
  private var hasFaults = true

  private var count = 0
  /// The calls that have not returned yet, by their tickets.
  private var inserting: [Int: Change] = [:]
  private var removing: [Int: [Int]] = [:]
  private var requeuing: Set<Int> = []
  /// The ids whose outcome is asked for, by the tickets of the calls.
  private var asking: [Int: String] = [:]
  private var askCount = 0

  /// The accepted values of each key, in order, and the values that may have been accepted.
  private var accepted: [Int: [Int]] = [:]
  private var uncertain: Set<Int> = []
  private var removed: Set<Int> = []
  private var forgotten: Set<Int> = []
  /// The contents with which each ID was sent, and the values that the server has applied for each key.
  private var sent: [String: Change] = [:]
  private var applied: [Int: [Int]] = [:]
  private var appliedIDs: Set<String> = []
  /// The IDs that the server refuses from now on.
  private var refused: Set<String> = []

  init(_ random: inout SeededRandom) {
    var configuration = Outbox<Change>.Configuration()
    configuration.parallelKeys = random.int(in: 1..<4)
    configuration.journalByteLimit = [1, 300, 1000, 1 << 20].randomElement(using: &random)!
    configuration.backoff.firstDelay = .seconds(1)
    // A failure may have been applied, and is merged with a newer change under another ID.
    configuration.maximumInterruptions = Change.self == Joined.self ? .max : random.int(in: 1..<4)
    self.configuration = configuration
    keyCount = random.int(in: 1..<5)
    machine = Machine(
      configuration: configuration, path: "/journal", opening: 0, random: SeededRandom(seed: 1), coding: .json())
    start()
  }

  mutating func run(_ random: inout SeededRandom) {
    for _ in 0..<random.int(in: 5..<150) {
      step(&random)
      checkReplay()
    }
    crash(&random)
  }

  private mutating func step(_ random: inout SeededRandom) {
    count += 1
    switch random.int(in: 0..<100) {
    case 0..<35: insert(&random)
    case 35..<60: finishWrite(&random)
    case 60..<80: answer(&random)
    case 80..<86:
      now += .milliseconds(random.int(in: 0..<3000))
      perform(machine.wake(at: now))
    case 86..<89: remove((machine.pending + machine.failures).randomElement(using: &random))
    case 89..<92: requeue(machine.failures.randomElement(using: &random)?.id)
    case 92: perform(machine.pause())
    case 93..<96: perform(machine.resume())
    case 96..<99: crash(&random)
    default: close(&random)
    }
  }

  // MARK: Callers

  private mutating func insert(_ random: inout SeededRandom) {
    let change = Change(random.int(in: 0..<keyCount), count)
    inserting[count] = change
    uncertain.insert(count)
    do {
      perform(try machine.insert(change, contents: .of(change), ticket: count))
    } catch { fail("\(error)") }
  }

  private mutating func remove(_ entry: Outbox<Change>.Entry?) {
    guard let entry, let actions = machine.remove(entry.id, ticket: count) else { return }
    removing[count] = entry.change.values
    perform(actions)
  }

  private mutating func requeue(_ id: String?) {
    guard let id, let actions = machine.requeue(id, ticket: count) else { return }
    requeuing.insert(count)
    perform(actions)
  }

  private mutating func ask(_ id: String) {
    askCount -= 1
    asking[askCount] = id
    perform(machine.outcome(of: id, ticket: askCount))
  }

  private mutating func check(_ outcome: Outbox<Change>.Outcome?, of id: String) {
    switch outcome {
    case .sent: expect(appliedIDs.contains(id), "\(id) was not sent")
    case .failed(let reason):
      let found = machine.failures.filter { $0.id == id }.map(\.failureReason)
      // The same write may have merged it with a newer change.
      if found.isEmpty { ask(id) } else { expectEqual(found, [reason], "the reason of \(id)") }
    case .replaced(let newer):
      expect(newer != id, "\(id) replaces itself")
      ask(newer)
    case .removed: expect(!machine.pending.contains { $0.id == id && $0.attempts == 0 }, "\(id) was not removed")
    case nil: fail("nothing is known of \(id)")
    }
  }

  private mutating func acknowledge(_ ticket: Int, _ result: Machine.Result) {
    if let id = asking.removeValue(forKey: ticket) {
      if case .outcome(let outcome) = result { check(outcome, of: id) }
      return
    }
    switch result {
    case .accepted(let id):
      ask(id)
      guard let change = inserting.removeValue(forKey: ticket) else { return fail("accepted twice") }
      accepted[change.key, default: []].append(ticket)
      uncertain.remove(ticket)
    case .failure(let error):
      expect(inserting.removeValue(forKey: ticket) != nil, "\(error)")
    // The change is not accepted. It can only come back if the journal is never repaired.
    case .removed(let entry):
      expect(removing.removeValue(forKey: ticket) != nil, "removed twice")
      removed.formUnion(entry?.change.values ?? [])
      // If the journal could not be written, the change may come back at a start.
      if machine.currentState.journalFailure == nil { forgotten.formUnion(entry?.change.values ?? []) }
    case .requeued: expect(requeuing.remove(ticket) != nil, "requeued twice")
    case .discarded, .outcome, .done: break
    }
  }

  // MARK: The journal

  private mutating func perform(_ actions: [Machine.Action]) {
    for action in actions {
      switch action {
      case .send(let id, let entry): send(id, entry)
      case .record(let write):
        expect(inFlight == nil, "two writes are under way")
        inFlight = write
      case .acknowledge(let ticket, let result): acknowledge(ticket, result)
      case .closeJournal(let removing):
        if removing { journal = JournalBytes() }
        perform(machine.closedJournal())
      case .cancelAttempts, .end: break
      }
    }
  }

  private mutating func finishWrite(_ random: inout SeededRandom) {
    guard let write = inFlight else { return }
    inFlight = nil
    let succeeds = !hasFaults || !random.chance(oneIn: 8)
    // A failed write may have reached the file: the folder, or the file, just could not be synchronized.
    if succeeds || random.chance(oneIn: 3) { journal.write(write) }
    let reason: OutboxError.Reason = random.chance(oneIn: 2) ? .deviceFull : .deviceFailure
    perform(machine.finishWrite(error: succeeds ? nil : OutboxError(path: "/journal", reason: reason)))
  }

  /// Checks that replaying the journal gives the same queue.
  private func checkReplay() {
    // The attempts under way are interrupted in the other queue, which must not make them failures.
    var configuration = configuration
    configuration.maximumInterruptions = .max
    guard inFlight == nil, let contents = journal.contents,
      let (other, _) = try? Outbox<Change>.machine(configuration, opening: .max, contents: contents)
    else { return }
    guard machine.currentState.journalFailure == nil else { return }
    expectEqual(other.pending.map(\.id), machine.pending.map(\.id), "the pending changes")
    expectEqual(other.pending.map(\.change), machine.pending.map(\.change), "the pending changes")
    let letters = [other, machine].map { $0.failures.map { "\($0) \($0.failureReason ?? "")" }.sorted() }
    expectEqual(letters[0], letters[1], "the failures")
  }

  // MARK: The server

  private mutating func send(_ id: PendingChangeID, _ entry: Outbox<Change>.Entry) {
    expect(!running.values.contains { $0.change.key == entry.change.key }, "two of one key are sent")
    if let before = sent.updateValue(entry.change, forKey: entry.id) {
      expectEqual(entry.change, before, "contents of \(entry.id)")
    }
    expect(forgotten.isDisjoint(with: entry.change.values), "\(entry) was removed")
    expect(entry.attempts >= 1, "\(entry) was begun")
    running[id] = entry
  }

  private mutating func apply(_ entry: Outbox<Change>.Entry) {
    guard appliedIDs.insert(entry.id).inserted else { return }
    let before = applied[entry.change.key]?.last ?? 0
    expect(before < entry.change.values[0] || Change.self == Oldest.self, "\(entry) comes after \(before)")
    applied[entry.change.key, default: []] += entry.change.values
  }

  private mutating func answer(_ random: inout SeededRandom) {
    guard let id = running.keys.sorted().randomElement(using: &random), let entry = running.removeValue(forKey: id)
    else { return }
    let verdict: Machine.Verdict
    if !hasFaults {
      refused.remove(entry.id)
      apply(entry)
      verdict = .answered(.done)
    } else if refused.contains(entry.id) || !appliedIDs.contains(entry.id) && random.chance(oneIn: 6) {
      refused.insert(entry.id)
      verdict = .answered(.refused("number \(count)"))
    } else {
      switch random.int(in: 0..<7) {
      case 4: verdict = .answered(.pauseAll(for: .seconds(2)))
      case 0: verdict = .failed(reason: "no connection")
      case 1:
        apply(entry)
        verdict = .failed(reason: "the connection was dropped")
      case 2: verdict = .cancelled
      case 3: verdict = .answered(.retry(after: .seconds(2)))
      default:
        apply(entry)
        verdict = .answered(.done)
      }
    }
    perform(machine.answer(id, verdict, at: now))
  }

  // MARK: The end and the beginning

  private mutating func crash(_ random: inout SeededRandom) {
    // Changes in flight may have reached the server.
    for entry in running.values where random.chance(oneIn: 2) && !refused.contains(entry.id) { apply(entry) }
    journal.crash(during: inFlight, losesPower: random.chance(oneIn: 2), &random)
    start()
  }

  private mutating func close(_ random: inout SeededRandom) {
    perform(machine.close(ticket: count))
    while !running.isEmpty || inFlight != nil {
      answer(&random)
      finishWrite(&random)
    }
    expect(machine.phase == .closed, "it is closed")
    start()
  }

  private mutating func start() {
    // The journal may contain removals whose callers have no answer yet.
    removed.formUnion(removing.values.joined())
    (inFlight, running) = (nil, [:])
    (inserting, removing, requeuing, asking) = ([:], [:], [], [:])
    openings += 1
    guard let contents = journal.contents else { return fail("the journal cannot be read") }
    do throws(OutboxError) {
      let (machine, write) = try Outbox<Change>.machine(configuration, opening: openings, contents: contents)
      self.machine = machine
      inFlight = write
    } catch { return fail("\(error)") }
    // An opening synchronizes what it has read.
    if let write = inFlight { journal.write(write) }
    inFlight = nil
    checkThatNothingIsLost()
    perform(machine.finishWrite(error: nil))
  }

  /// Checks that each accepted value is in the queue, was removed, or was applied.
  private func checkThatNothingIsLost() {
    guard Change.self == Joined.self else { return }
    let there = Set((machine.pending + machine.failures).flatMap(\.change.values))
    for (key, numbers) in accepted {
      let lost = numbers.filter { !there.contains($0) && !removed.contains($0) && applied[key]?.contains($0) != true }
      expectEqual(lost, [], "lost of \(key)")
    }
  }

  mutating func finishEverything() {
    hasFaults = false
    var random = SeededRandom(seed: 1)
    perform(machine.resume())
    var rounds = 0
    while !machine.queue.isEmpty || inFlight != nil, rounds < 10_000 {
      count += 1
      // A failure can't be requeued while a newer change of its key waits, so it is requeued when the queue is
      // idle.
      if machine.currentState.pendingCount == 0 { requeue(machine.failures.first?.id) }
      finishWrite(&random)
      answer(&random)
      now += .seconds(60)
      perform(machine.wake(at: now))
      rounds += 1
    }
    expect(machine.currentState.pendingCount == 0, "\(machine.pending) are left")
    expectEqual(machine.failures.map(\.id), [], "failures")
    expectEqual(asking, [:], "calls that never end")
    checkThatNothingIsLost()
    perform(machine.close(ticket: 0))
    finishWrite(&random)
    expectEqual(journal.bytes, [], "nothing is left to do")
  }

  func checkThatAllIsAppliedOnce() {
    for key in 0..<keyCount {
      let numbers = applied[key] ?? []
      expectEqual(numbers, Array(Set(numbers)).sorted(), "not applied once and in order")
      let due = accepted[key, default: []].filter { !removed.contains($0) }
      expect(Set(due).isSubset(of: numbers), "\(due) were accepted, and \(numbers) applied")
      let known = uncertain.union(accepted[key] ?? [])
      expect(Set(numbers).isSubset(of: known), "\(numbers) were applied")
    }
  }

  func checkThatTheNewestIsLast() {
    for key in 0..<keyCount {
      guard let newest = accepted[key]?.last(where: { !removed.contains($0) }) else { continue }
      // A removed change may have replaced older ones.
      let replaced = removed.contains { $0 > newest }
      expect(replaced || applied[key]?.last ?? 0 >= newest, "\(newest) was accepted, \(applied[key] ?? []) applied")
    }
  }
}
