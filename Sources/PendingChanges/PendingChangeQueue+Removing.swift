public import UniqueQueues

extension PendingChangeQueue {
  /// Removes the change with this generation, whether it is waiting, in flight or a failure.
  ///
  /// A change in flight frees its key at once, although its work may go on; ``cancel(_:)`` keeps the key until it ends.
  ///
  /// - Returns: The entry, or nil if the queue doesn't have this generation.
  /// - Complexity: At most O(log *n*) amortized, O(1) if changes leave in order; the failures of its key are
  ///   searched. O(*n*) when the storage is shared.
  @inlinable
  @inline(__always)
  @discardableResult
  public mutating func remove(id: PendingChangeID) -> Entry? {
    defer { _checkInvariants() }
    guard let ordinal = _schedule.forget(id) else { return nil }
    guard let (current, isReady) = _schedule.firstAlone(ordinal) else { return _removeAnywhere(id, at: ordinal) }
    _schedule.removeFirst(wasReady: isReady)
    if isReady { _waitingCount &-= 1 } else { _inFlightCount &-= 1 }
    return Entry(id: current.id, change: current.change, attempts: current.attempts)
  }

  /// Removes an entry whose generation has already been removed.
  @inlinable
  @inline(never)
  mutating func _removeAnywhere(_ id: PendingChangeID, at ordinal: _Ordinal) -> Entry? {
    if _schedule.read(ordinal, { $0.current?.id == id }) {
      let entry = _schedule.current(at: ordinal)
      _free(ordinal)
      return entry
    }
    if _schedule.extras(at: ordinal)?.follower?.id == id { return _takeFollower(at: ordinal) }
    let failure = _schedule.extras(at: ordinal)?.failure(id)
    _schedule.updateExtras(ordinal) { $0.failures.removeAll { $0.id == id } }
    _failureCount -= 1
    if _schedule.read(ordinal, { $0.state == .idle && !$0.hasExtras }) { _schedule.remove(ordinal) }
    return failure
  }

  /// Withdraws the unfinished changes of a key, except its failures.
  ///
  /// Waiting changes are removed. A change in flight can't be stopped: it keeps its key until it is completed or fails,
  /// and isn't tried again.
  ///
  /// - Returns: The withdrawn entries, oldest first.
  /// - Complexity: At most O(log *n*) amortized, O(1) if changes leave in order; the failures of its key are
  ///   searched. O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func cancel(_ key: Change.Key) -> [Entry] {
    defer { _checkInvariants() }
    guard let ordinal = _schedule.ordinal(of: key) else { return [] }
    let state = _schedule.read(ordinal) { $0.state }
    let follower = _takeFollower(at: ordinal)
    if let follower { _schedule.forget(follower.id) }
    let current = state == .cancelled ? nil : _schedule.current(at: ordinal)
    if state == .inFlight { _schedule.update(ordinal) { $0.state = .cancelled } }
    if state == .ready, let current {
      _schedule.forget(current.id)
      _free(ordinal)
    }
    return [current, follower].compactMap(\.self)
  }

  /// Removes the entry that waits for a key, but not its generation.
  @inlinable
  mutating func _takeFollower(at ordinal: _Ordinal) -> Entry? {
    guard _schedule.extras(at: ordinal)?.follower != nil else { return nil }
    _waitingCount -= 1
    return _schedule.updateExtras(ordinal) { $0.takeFollower() }
  }

  /// Removes all entries.
  ///
  /// - Returns: The unfinished entries: those in flight or waiting, in order, each followed by the entry that waits for
  ///   its key, then the failures. Entries that were cancelled in flight aren't included.
  /// - Complexity: O(*n*).
  @discardableResult
  public mutating func removeAll() -> [Entry] {
    defer { _checkInvariants() }
    let entries = _schedule.slots.flatMap { slot in
      let current = slot.state == .cancelled ? nil : _schedule.current(of: slot)
      return [current, _schedule.extras(of: slot)?.follower].compactMap(\.self)
    }
    let (drained, nextGeneration) = (entries + failures, _nextGeneration)
    self = PendingChangeQueue()
    _nextGeneration = nextGeneration
    return drained
  }
}
