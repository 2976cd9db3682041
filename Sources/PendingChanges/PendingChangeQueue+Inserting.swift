public import UniqueQueues

extension PendingChangeQueue {
  /// Accepts a change, by the policy of its type unless another one is given.
  ///
  /// When a change of the same key is waiting, the policy decides between the two. A change in flight is not affected:
  /// the new one waits until the key is free.
  ///
  /// A change accepted with `.replace` or `.moveToEnd` also removes the failures of its key, since carrying them
  /// out later would overwrite it.
  ///
  /// - Parameters:
  ///   - change: The change to accept.
  ///   - policy: The policy for this change; by default ``PendingChange/policy``.
  /// - Returns: The generation of the change that waits now, and the entries that it has replaced.
  /// - Precondition: `.merge` makes a change of the same key.
  /// - Complexity: O(1) amortized for a new key, O(log *n*) at most for a key that is there; O(*n*) when the storage is
  ///   shared.
  @inlinable
  @discardableResult
  public mutating func insert(_ change: Change, policy: Policy? = nil) -> Insertion {
    defer { _checkInvariants() }
    let id = PendingChangeID(rawValue: _nextGeneration)
    if let ordinal = _schedule.appendOrFind(id, change) {
      return _insert(change, at: ordinal, policy: policy ?? Change.policy)
    }
    _nextGeneration &+= 1
    _waitingCount &+= 1
    return Insertion(id: id, outcome: .added)
  }

  /// Accepts a change whose key has a slot.
  @inlinable
  @inline(never)
  mutating func _insert(_ change: Change, at ordinal: _Ordinal, policy: Policy) -> Insertion {
    // Most keys have only a waiting change: one look finds it, and nothing else has to be updated.
    guard let waiting = _schedule.read(ordinal, { $0.isReady && !$0.hasExtras ? $0.current : nil }) else {
      return _insertBeside(change, at: ordinal, policy)
    }
    guard let (decided, outcome) = policy.decide(waiting.change, change) else {
      return Insertion(id: waiting.id, outcome: .kept)
    }
    let id = PendingChangeID(rawValue: _nextGeneration)
    _nextGeneration &+= 1
    _schedule.forget(waiting.id)
    _schedule.generations.append(id.rawValue, at: ordinal)
    _schedule.update(ordinal) { $0.current = .init(id: id, change: decided) }
    if outcome == .movedToEnd { _schedule.moveToEnd(ordinal) }
    return Insertion(
      id: id, outcome: outcome,
      displaced: [Entry(id: waiting.id, change: waiting.change, attempts: waiting.attempts)])
  }

  /// Accepts a change whose key has a slot with extras, or with a change in flight.
  @inlinable
  @inline(never)
  mutating func _insertBeside(_ change: Change, at ordinal: _Ordinal, _ policy: Policy) -> Insertion {
    let failures = policy.replacesOlder ? _takeFailures(at: ordinal) : []
    let id = PendingChangeID(rawValue: _nextGeneration)
    let state = _schedule.read(ordinal) { $0.state }
    let follower = _schedule.extras(at: ordinal)?.follower
    let waiting = follower ?? (state == .ready ? _schedule.current(at: ordinal) : nil)
    var accepted = (change: change, outcome: Insertion.Outcome.added)
    if let waiting {
      guard let decided = policy.decide(waiting.change, change) else {
        return Insertion(id: waiting.id, outcome: .kept)
      }
      accepted = decided
      _schedule.forget(waiting.id)
      _waitingCount -= 1
    }
    _schedule.generations.append(id.rawValue, at: ordinal)
    _nextGeneration += 1
    _waitingCount += 1
    let entry = Entry(id: id, change: accepted.change)
    if follower != nil || state == .inFlight || state == .cancelled {
      _schedule.updateExtras(ordinal) { extras in
        extras.follower = entry
        if policy.replacesOlder { extras.followerReplaces = true }
      }
    } else if state == .idle || accepted.outcome == .movedToEnd {
      _append(entry, at: ordinal)
    } else {
      _schedule.setCurrent(entry, at: ordinal)
    }
    return Insertion(id: id, outcome: accepted.outcome, displaced: waiting.map { [$0] + failures } ?? failures)
  }

  /// Replaces the change with this id by one of the same key, wherever it is in the queue.
  package mutating func update(_ id: PendingChangeID, to change: Change) {
    defer { _checkInvariants() }
    guard let ordinal = _schedule.ordinal(of: id), let old = self[id] else { return }
    precondition(change.key == old.key, "An updated change must keep its key")
    if _schedule.read(ordinal, { $0.current?.id == id }) {
      return _schedule.update(ordinal) { $0.current = .init(id: id, change: change, attempts: old.attempts) }
    }
    let entry = Entry(id: id, change: change, attempts: old.attempts, failureReason: old.failureReason)
    _schedule.updateExtras(ordinal) { extras in
      if extras.follower?.id == id { extras.follower = entry }
      if let index = extras.failures.firstIndex(where: { $0.id == id }) { extras.failures[index] = entry }
    }
  }

  /// Gives another entry to a slot whose current entry has left, and moves the slot to the end.
  @inlinable
  mutating func _append(_ entry: Entry, at ordinal: _Ordinal) {
    _schedule.setCurrent(entry, at: ordinal)
    _schedule.moveToEnd(ordinal)
  }

  @inlinable
  mutating func _takeFailures(at ordinal: _Ordinal) -> [Entry] {
    guard _failureCount > 0, let failures = _schedule.extras(at: ordinal)?.failures, !failures.isEmpty else {
      return []
    }
    for failure in failures { _schedule.forget(failure.id) }
    _schedule.updateExtras(ordinal) { $0.failures = [] }
    _failureCount -= failures.count
    return failures
  }
}

extension PendingChangeQueue.Policy {
  /// Whether a new change makes older ones of its key unnecessary.
  @inlinable
  package var replacesOlder: Bool {
    switch self {
    case .keep, .merge: false
    case .replace, .moveToEnd: true
    }
  }

  /// The change that replaces a waiting one, with the outcome; nil if the waiting one stays.
  @inlinable
  func decide(_ waiting: Change, _ new: Change) -> (change: Change, outcome: PendingChangeQueue.Insertion.Outcome)? {
    switch self {
    case .keep: return nil
    case .replace: return (new, .replaced)
    case .moveToEnd: return (new, .movedToEnd)
    case .merge(let merge):
      let merged = merge(waiting, new)
      precondition(merged.key == new.key, "A merged change must keep its key")
      return (merged, .merged)
    }
  }
}
