import Foundation
import Journals
import Outboxes
import PendingChanges
import TestSupport
import XCTest

/// Journals that are truncated, have a flipped bit, or hold changes whose keys became equal.
final class OutboxReplayTests: XCTestCase {
  /// This happens if a new version of an app combines several fields of a record in one change.
  func testChangesWhoseKeysBecameEqualAreAllRecovered() throws {
    for fails in [false, true] {
      var steps = try Steps<Joined>(parallelKeys: 8)
      for key in 10..<14 { try steps.accept(Joined(key, key)) }
      if fails {
        for _ in 10..<14 { steps.answer(.failed(reason: "away")) }
        while steps.isWriting { steps.record() }
      }
      let machine = try opened(steps) { Joined(key: $0.key / 10, values: $0.values) }
      XCTAssertEqual(machine.pending.flatMap(\.change.values), [10, 11, 12, 13])
      // The server may know each of them by its previous ID.
      let sent = Dictionary(uniqueKeysWithValues: steps.machine.pending.map { ($0.id, $0.change.values) })
      XCTAssertEqual(sent.count, 4)
      for entry in machine.pending { XCTAssertEqual(entry.change.values, sent[entry.id] ?? entry.change.values) }
    }
  }

  /// Changes that were not removed must survive, and removed ones must not come back.
  func testRemovalOfAChangeKeepsOthersWhoseKeysBecameEqual() throws {
    for sent in [[10], [11], [12], [10, 11], [10, 12], [11, 12], [12, 11], [10, 11, 12]] {
      var steps = try Steps<Joined>(parallelKeys: 8)
      for key in 10..<13 { try steps.accept(Joined(key, key)) }
      let identities = Dictionary(uniqueKeysWithValues: steps.machine.pending.map { ($0.change.key, $0.id) })
      for _ in 10..<13 { steps.answer(.failed(reason: "away")) }
      while steps.isWriting { steps.record() }
      for key in sent {
        let id = try XCTUnwrap(identities[key])
        steps.perform(steps.machine.remove(id, ticket: key) ?? [])
        while steps.isWriting { steps.record() }
      }
      let left = steps.machine.pending.flatMap(\.change.values)
      XCTAssertEqual(left, (10..<13).filter { !sent.contains($0) })
      let machine = try opened(steps) { Joined(key: $0.key / 10, values: $0.values) }
      let found = machine.pending.flatMap(\.change.values)
      // A change that was removed while others took its place may come back under another ID, but never alone.
      XCTAssertEqual(found.filter(left.contains), left, "\(sent)")
      XCTAssertTrue(!left.isEmpty || found.isEmpty, "\(sent): \(found)")
    }
  }

  func testKeepPolicyLosesNoChangeWhoseKeyBecameEqual() throws {
    for isWaiting in [false, true] {
      var steps = try Steps<Oldest>(parallelKeys: isWaiting ? 1 : 8)
      for key in 10..<13 { try steps.accept(Oldest(key, key)) }
      if !isWaiting {
        for _ in 10..<13 { steps.answer(.failed(reason: "away")) }
        while steps.isWriting { steps.record() }
      }
      let machine = try opened(steps) { Oldest(key: $0.key / 10, values: $0.values) }
      let all = machine.pending + machine.failures
      XCTAssertEqual(all.flatMap(\.change.values).sorted(), [10, 11, 12])
      XCTAssertTrue(machine.failures.allSatisfy { $0.failureReason != nil })
    }
  }

  /// A machine of the next version of an app, which decodes the changes differently.
  private func opened<Change: Numbers>(
    _ steps: Steps<Change>, _ change: @escaping @Sendable (Change) -> Change
  ) throws -> Outbox<Change>._StateMachine {
    let contents = try XCTUnwrap(steps.journal.contents)
    var machine = Outbox<Change>._StateMachine(
      configuration: .init(), path: "/journal", opening: 2,
      random: SeededRandom(seed: 1), coding: .json(change))
    _ = try machine.recover(contents)
    return machine
  }

  /// The journal of a random history, with the queue after each write.
  private struct Day {
    var journal = JournalBytes()
    /// The length of the journal after a write, and the pending changes at that time.
    var moments: [(byteCount: Int, pending: [String])] = []
    var known: Set<[Int]> = []

    init(steps: Int, _ random: inout SeededRandom) throws {
      let configuration = Outbox<Joined>.Configuration(parallelKeys: 2)
      var (machine, write) = try Outbox<Joined>.machine(
        configuration, opening: 1, contents: XCTUnwrap(journal.contents))
      var running: [PendingChangeID] = []
      var ticket = 0
      func take(_ actions: [Outbox<Joined>._StateMachine.Action]) {
        for action in actions {
          if case .send(let id, let entry) = action {
            running.append(id)
            known.insert(entry.change.values)
          }
          if case .record(let next) = action { write = next }
        }
      }
      for _ in 0..<steps {
        ticket += 1
        switch random.int(in: 0..<8) {
        case 0..<5:
          let change = Joined(random.int(in: 0..<3), ticket)
          take(try machine.insert(change, contents: .of(change), ticket: ticket))
        case 5: take(machine.resume())
        default:
          guard let id = running.popLast() else { break }
          let answers: [Outbox<Joined>.Answer] = [.done, .refused("no"), .retry(after: .seconds(1))]
          let answer = answers.randomElement(using: &random)!
          take(machine.answer(id, .answered(answer), at: .zero))
        }
        if random.chance(oneIn: 4) { take(machine.requeue(machine.failures.first?.id ?? "", ticket: ticket) ?? []) }
        while let next = write {
          write = nil
          journal.write(next)
          take(machine.finishWrite(error: nil))
        }
        known.formUnion((machine.pending + machine.failures).map(\.change.values))
        moments.append((journal.bytes.count, Self.describe(machine)))
      }
    }

    static func describe(_ machine: Outbox<Joined>._StateMachine) -> [String] {
      machine.pending.map { "\($0.id) \($0.change.values)" }
        + machine.failures.map { "\($0.id) \($0.change.values) \($0.failureReason ?? "")" }.sorted()
    }
  }

  private static func recovered(_ bytes: [UInt8]) throws -> (Outbox<Joined>._StateMachine, isDamaged: Bool)? {
    let contents: JournalContents<_OutboxRecord>
    do throws(JournalRefusal) { contents = try JournalContents(bytes) } catch { return nil }
    return (try Outbox<Joined>.machine(.init(parallelKeys: 2), opening: 2, contents: contents).0, contents.isDamaged)
  }

  func testJournalCutOffAnywhereRestoresTheQueueOfItsLastRecord() throws {
    try withSeeds(2) { random in
      let day = try Day(steps: 25, &random)
      var whole: (end: Int, queue: [String]) = (0, [])
      // A header is never torn: a new file gets its name after the header is written.
      for count in JournalHeader.byteCount...day.journal.bytes.count {
        guard let (machine, isDamaged) = try Self.recovered(Array(day.journal.bytes.prefix(count))) else {
          return fail("refused with \(count) bytes")
        }
        expect(!isDamaged, "a torn tail is no damage: \(count) bytes")
        if day.journal.ends.contains(count) { whole = (count, Day.describe(machine)) }
        expectEqual(Day.describe(machine), whole.queue, "\(count) bytes, \(whole.end) without the torn tail")
        guard let moment = day.moments.last(where: { $0.byteCount == count }) else { continue }
        expectEqual(Day.describe(machine), moment.pending, "\(count) bytes")
      }
    }
  }

  /// `UNSAVED_KILLS=1000` tries every bit instead of one bit of each byte.
  func testEveryFlippedBitIsDetectedAndNoChangeIsCorrupted() throws {
    let isThorough = ProcessInfo.processInfo.environment["UNSAVED_KILLS"].flatMap { Int($0) } ?? 0 >= 1000
    try withSeeds(1) { random in
      let day = try Day(steps: 14, &random)
      let intact = Day.describe(try Self.recovered(day.journal.bytes)!.0)
      for index in day.journal.bytes.indices {
        for bit in isThorough ? Array(0..<8) : [random.int(in: 0..<8)] {
          var bytes = day.journal.bytes
          bytes[index] ^= 1 << bit
          guard let (machine, isDamaged) = try Self.recovered(bytes) else {
            expect(index < JournalHeader.byteCount, "refused with bit \(bit) of \(index)")
            continue
          }
          // The frame of the last record may look like a torn tail.
          let isLast = index >= day.journal.ends[day.journal.ends.count - 2]
          expect(isDamaged || isLast, "bit \(bit) of \(index) was not found")
          guard day.journal.ends.count > 3, index >= JournalHeader.byteCount else {
            expectEqual(Day.describe(machine), intact)
            continue
          }
          // A record is lost, but no value has changed, and the values of each key still ascend.
          let numbers = Set(day.known.joined())
          for entry in machine.pending + machine.failures {
            expect(numbers.isSuperset(of: entry.change.values), "\(entry.change.values)")
            expectEqual(entry.change.values, entry.change.values.sorted(), "bit \(bit) of \(index)")
          }
        }
      }
    }
  }
}
