import Foundation
import Journals
import Outboxes
import PendingChanges
import TestSupport
import XCTest

/// An outbox state machine whose writes and answers are finished by the test, step by step.
struct Steps<Change: Numbers> {
  var machine: Outbox<Change>._StateMachine
  private(set) var journal: JournalBytes
  private(set) var sent: [[Int]] = []
  private(set) var hasClosed = false
  /// The results that callers received, by their tickets.
  private(set) var results: [Int: Outbox<Change>._StateMachine.Result] = [:]
  /// The attempts under way, oldest first.
  private(set) var running: [(id: PendingChangeID, values: [Int])] = []
  private var write: JournalWrite<_OutboxRecord>?

  /// - Parameter journal: The bytes that an earlier machine has written.
  init(
    parallelKeys: Int, opening: UInt64 = 1, date: Double = 0, _ journal: JournalBytes = JournalBytes(),
    _ configure: (inout Outbox<Change>.Configuration) -> Void = { _ in },
    isReadable: @escaping @Sendable ([Int]) -> Bool = { _ in true }
  ) throws {
    var configuration = Outbox<Change>.Configuration()
    configuration.parallelKeys = parallelKeys
    configure(&configuration)
    self.journal = journal
    let contents = try XCTUnwrap(journal.contents)
    (machine, write) = try Outbox<Change>.machine(
      configuration, opening: opening, date: Date(timeIntervalSince1970: date), contents: contents,
      coding: .json { change in
        guard isReadable(change.values) else { throw Refused() }
        return change
      })
    record()
  }

  var isWriting: Bool { write != nil }

  mutating func insert(_ change: Change, ticket: Int = 0) throws {
    perform(try machine.insert(change, contents: .of(change), ticket: ticket))
  }

  /// Inserts a change, and records it in the journal.
  mutating func accept(_ change: Change) throws {
    try insert(change)
    record()
  }

  mutating func record(_ error: OutboxError? = nil) {
    guard let write else { return }
    self.write = nil
    if error == nil { journal.write(write) }
    perform(machine.finishWrite(error: error))
  }

  /// Fails the append and the rewrite that follows it.
  mutating func failToRecord(_ reason: OutboxError.Reason = .deviceFailure) {
    for _ in 0..<2 { record(OutboxError(path: "/journal", reason: reason)) }
  }

  mutating func answer(
    _ verdict: Outbox<Change>._StateMachine.Verdict, to index: Int = 0, date: Double = 0
  ) {
    guard !running.isEmpty else { return }
    let id = running.remove(at: index).id
    perform(machine.answer(id, verdict, at: .zero, date: Date(timeIntervalSince1970: date)))
  }

  mutating func wake(at now: Duration = .seconds(3600)) { perform(machine.wake(at: now)) }

  mutating func perform(_ actions: [Outbox<Change>._StateMachine.Action]) {
    for action in actions {
      switch action {
      case .send(let id, let entry):
        running.append((id, entry.change.values))
        sent.append(entry.change.values)
      case .record(let write):
        self.write = write
        if write.records.allSatisfy(\.isBeginning) { record() }
      case .acknowledge(let ticket, let result): results[ticket] = result
      case .closeJournal: hasClosed = true
      case .cancelAttempts, .end: break
      }
    }
  }

  /// The changes that the next outbox recovers from the journal.
  var found: (pending: [[Int]], letters: [[Int]]) {
    get throws {
      let next = try Steps(parallelKeys: 1, opening: 2, journal)
      return (next.machine.pending.map(\.change.values), next.machine.failures.map(\.change.values))
    }
  }
}

extension JournalRecord<_OutboxRecord> {
  /// Whether the record says that an attempt begins.
  fileprivate var isBeginning: Bool {
    if case .begun = body { true } else { false }
  }
}
