internal import Journals
internal import PendingChanges
internal import UniqueQueues

// Writing to the journal, and the effects of a write. Submissions take effect in the order of their records, so that a
// start that replays the records restores the same queue.

extension Outbox._StateMachine {
  /// A submission and its record, which is nil if there is nothing left to record.
  typealias Decision = (submission: Outbox._Submission, body: _OutboxRecord?)

  /// How the submissions of a write affect one another.
  private struct Plan {
    /// The change that the next one of each key will join, as earlier submissions decide.
    var joinable: [Change.Key: _OutboxID?] = [:]
    /// The identities that earlier submissions take from their changes; no record may say that these changes leave.
    var ended: Set<_OutboxID> = []
  }

  /// The next write, if there is something to write and no write is under way.
  ///
  /// - Parameters:
  ///   - isFirst: Whether to write in any case, which creates the file.
  ///   - takesUnrecorded: Whether to include the operations that earlier writes failed to record.
  mutating func nextWrite(isFirst: Bool = false, takesUnrecorded: Bool = true) -> JournalWrite<_OutboxRecord>? {
    let hasRecords = isFirst || !unacknowledged.isEmpty
    guard inFlight == nil, hasRecords || !commits.isIdle else { return nil }
    if takesUnrecorded { endUnrecorded() }
    guard let (submissions, isWhole) = commits.begin(hasRecords: hasRecords) else { return nil }
    var bodies = isWhole ? snapshot() : unacknowledged
    unacknowledged = []
    var plan = Plan()
    let decisions = submissions.map { (submission: $0, body: decide($0, &plan)) }
    bodies += decisions.compactMap(\.body)
    let records = bodies.map { JournalRecord(sequence: commits.takeSequence(), body: $0) }
    let write = JournalWrite(records: records, isWhole: isWhole, isSynchronized: isWhole || !submissions.isEmpty)
    inFlight = (write, decisions, unsent)
    unsent = []
    return write
  }

  /// Decides the record of a submission, and holds the changes that must not begin before it takes effect.
  private mutating func decide(_ submission: Outbox._Submission, _ plan: inout Plan) -> _OutboxRecord? {
    switch submission.operation {
    case .insert(let change, let id, let contents):
      let older = plan.joinable[change.key] ?? waiting(change.key)
      if let older { hold(older) }
      if case .keep = Change.policy {
        plan.joinable[change.key] = older ?? id
      } else {
        plan.joinable[change.key] = id
        if let older { plan.ended.insert(older) }
        plan.ended.formUnion(queue.failures(for: change.key).map(\.change.id))
      }
      return .change(id, joins: older, contents)
    case .leave(let id): return item(id).map { .left($0.id) }
    case .refuse(let id, let failure, let other):
      if case .merge = Change.policy, let key = queue[id]?.key, let newer = plan.joinable[key] ?? waiting(key) {
        plan.ended.insert(newer)
        plan.joinable[key] = other
      }
      return item(id).map { .refused($0.id, failure, takenAs: other) }
    case .remove(let id):
      guard let generation = ids[id], let key = queue[generation]?.key, !running.contains(generation),
        !hasLeft(generation), !plan.ended.contains(id)
      else { return nil }
      if plan.joinable[key] ?? waiting(key) == id { plan.joinable[key] = .some(nil) }
      hold(id)
      return .left(id)
    case .settle: return nil
    case .requeue(let id):
      return ids[id].flatMap { queue.status(of: $0) } == .failure ? .requeued(id) : nil
    }
  }

  /// The change that the next one of its key will join.
  private func waiting(_ key: Change.Key) -> _OutboxID? {
    guard let newest = queue.newest(for: key) else { return nil }
    // A held change still counts as waiting.
    let waits = queue.status(of: newest.id) != .inFlight || held.contains { $0.id == newest.id && !$0.isBegun }
    return waits ? newest.change.id : nil
  }

  private mutating func hold(_ id: _OutboxID) {
    guard let generation = ids[id] else { return }
    if queue.begin(generation) != nil {
      held.append((generation, false, nil))
    } else if due.remove(generation) != nil || setAside.remove(generation) != nil {
      held.append((generation, true, nil))
    } else if let sleep = sleepers.remove(generation) {
      held.append((generation, true, sleep))
    }
  }

  /// Whether the end of a change is on its way to the journal, or has to be submitted again after a failed write.
  private func hasLeft(_ id: PendingChangeID) -> Bool {
    if case .leave = unrecorded[id] { return true }
    return switch ending[id] {
    case nil, .settle: false
    default: true
    }
  }

  private mutating func release(after error: OutboxError?) {
    let released = held
    held = []
    for change in released {
      if error != nil, case .merge = Change.policy {
        postpone(change.id, .settle(change.id))
      } else if let sleep = change.sleep {
        // A change that slept goes on sleeping, until another write decides about it again.
        sleepers.add(change.id, sleep)
      } else if change.isBegun {
        due.append(change.id)
      } else {
        queue.release(change.id)
      }
    }
  }

  /// Handles the end of a write; `error` is nil if the write succeeded.
  package mutating func finishWrite(error: OutboxError?, at now: Duration = .zero) -> [Action] {
    self.now = max(self.now, now)
    guard let (write, decisions, begun) = inFlight else { return [] }
    inFlight = nil
    state.journalFailure = error
    if let error {
      // Held changes stay held, because the file may have the records.
      if commits.finish(.failed(lacksSpace: error.lacksSpace)) {
        unsent = begun + unsent
        return proceed(hasFailed: true)
      }
      failedWriteCount += 1
    } else {
      _ = commits.finish(.written(byteCount: write.byteCount))
      failedWriteCount = 0
      groupCount += write.isSynchronized ? 1 : 0
      // In a long life, more bytes are written than 32 bits can count.
      recordedByteCount &+= write.byteCount
    }
    release(after: error)
    var actions = send(begun)
    for decision in decisions {
      if case .insert = decision.submission.operation { stagedByteCount -= decision.submission.byteCount }
      let result = apply(decision, error)
      if let ticket = decision.submission.ticket { actions.append(.acknowledge(ticket: ticket, result)) }
    }
    if let error, write.isWhole, isDrained { actions += endDraining(.failure(error)) }
    return actions + proceed(hasFailed: error != nil)
  }

  /// Makes a submission take effect.
  ///
  /// An answer of the server and a removal by a caller take effect even if the journal could not be written: it is then
  /// rewritten, without the changes that were sent or removed. But a change for which newer ones wait stays until the
  /// journal says that it has ended.
  private mutating func apply(_ decision: Decision, _ error: OutboxError?) -> Result {
    switch decision.submission.operation {
    case .insert(let change, let id, let contents):
      if let error { return .failure(error) }
      guard case .change(_, let older, _) = decision.body else { return .accepted(id.text) }
      accept(Item(change.key, change, id: id, contents: contents), joins: older != nil)
      return .accepted((queue.newest(for: change.key)?.change.id ?? id).text)
    case .leave(let id):
      if error == nil || !holdsBack(id) { leave(id) } else { postpone(id, .leave(id)) }
      return .done
    case .refuse(let id, let failure, let other):
      if error == nil || !holdsBack(id) {
        moveToFailures(id, failure, takenAs: other)
      } else {
        postpone(id, decision.submission.operation)
      }
      return .done
    case .settle(let id):
      // The change may have been removed in the meantime.
      guard case .settle = ending[id] else { return .done }
      ending[id] = nil
      if error != nil { postpone(id, .settle(id)) } else { due.append(id) }
      return .done
    case .remove(let id):
      guard decision.body != nil, let generation = ids[id] else { return .removed(nil) }
      let entry = entry(generation)
      settle(id, .removed)
      if error == nil || !holdsBack(generation) { leave(generation) } else { postpone(generation, .leave(generation)) }
      return entry.map { .removed($0) } ?? .discarded
    case .requeue(let id):
      // Otherwise it would be sent, and be a failure again after the next start.
      let generation = error == nil && decision.body != nil ? ids[id] : nil
      return .requeued(generation.map { requeueFailure($0) } ?? false)
    }
  }

  /// Whether newer changes may be sent only after the journal has the end of this one.
  ///
  /// Otherwise they would count as never sent after a crash, and others would join them.
  private func holdsBack(_ id: PendingChangeID) -> Bool {
    guard case .merge = Change.policy, let key = queue[id]?.key, let newest = queue.newest(for: key) else {
      return false
    }
    return newest.id != id
  }

  /// Submits the unrecorded operations again, oldest change first.
  mutating func endUnrecorded() {
    for (id, operation) in unrecorded.sorted(by: { $0.key < $1.key }) {
      guard sleepers.remove(id) != nil || due.remove(id) != nil else { continue }
      unrecorded[id] = nil
      end(id, operation)
    }
  }

  /// Schedules an operation that a write failed to record, for later or for the next write, whichever comes first.
  private mutating func postpone(_ id: PendingChangeID, _ operation: Outbox._Submission.Operation) {
    ending[id] = nil
    due.remove(id)
    unrecorded[id] = operation
    sleep(id, for: configuration.backoff.delay(afterFailures: failedWriteCount, using: &random))
  }

  // MARK: Snapshot

  /// The records that restore this queue.
  private mutating func snapshot() -> [_OutboxRecord] {
    var bodies: [_OutboxRecord] = [.type(configuration.typeName)]
    if let pauseWait { bodies.append(.paused(pauseWait)) }
    // Failures come first, because a failure can be made only while its key is free.
    for failure in queue.failures {
      guard let item = append(failure.id, to: &bodies) else { continue }
      let failure = item.failure ?? _OutboxRecord.Failure(attempts: 0, reason: "")
      bodies.append(.refused(item.id, failure, takenAs: item.id))
    }
    for entry in line {
      guard let item = append(entry.id, to: &bodies) else { continue }
      let isRunning = running.contains(entry.id)
      if let failure = item.failure {
        let attempts = failure.attempts - (isRunning ? 1 : 0)
        bodies.append(.failed(item.id, _OutboxRecord.Failure(attempts: attempts, reason: failure.reason)))
      }
      if let wait = item.wait { bodies.append(.delayed(item.id, wait)) }
      if item.interruptions != nil { bodies.append(.ended(item.id, interruptions: item.interruptions)) }
      if isRunning, phase == .open { bodies.append(.begun(item.id)) }
    }
    return bodies
  }

  private mutating func append(_ id: PendingChangeID, to bodies: inout [_OutboxRecord]) -> Item? {
    unite(id)
    guard let item = item(id) else { return nil }
    for (index, contents) in item.contents.enumerated() {
      bodies.append(.change(item.id, joins: index > 0 ? item.id : nil, contents))
    }
    return item
  }
}

extension Outbox {
  /// An operation that takes effect only when the journal has it.
  package struct _Submission: JournalSubmission {
    enum Operation: Sendable {
      case insert(Change, _OutboxID, contents: _OutboxContents)
      /// A change was sent, or a newer one replaces it, and another one of its key must not begin before.
      case leave(PendingChangeID)
      /// A change failed for good; a change that it is merged into gets this identity.
      case refuse(PendingChangeID, _OutboxRecord.Failure, takenAs: _OutboxID)
      /// A failed write said that others join a change, which may begin once the journal doesn't say so.
      case settle(PendingChangeID)
      case remove(_OutboxID)
      case requeue(_OutboxID)
    }

    let operation: Operation
    /// The ticket of the caller that waits.
    let ticket: Int?
    /// A number that all submissions about one key share.
    package let key: Int?
    package let byteCount: Int

    init(_ operation: Operation, ticket: Int?, key: Change.Key) {
      self.operation = operation
      self.ticket = ticket
      // Two keys with the same number keep their order as well.
      self.key = key.hashValue
      byteCount =
        switch operation {
        case .insert(_, _, let contents): _OutboxRecord.overhead + contents.bytes.count
        case .leave, .settle, .remove, .requeue: _OutboxRecord.overhead
        case .refuse(_, let failure, _): _OutboxRecord.overhead + failure.reason.utf8.count + 24
        }
    }
  }
}
