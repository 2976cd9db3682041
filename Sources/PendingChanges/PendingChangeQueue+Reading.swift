public import UniqueQueues

extension PendingChangeQueue {
  /// The entry to run next, or nil if no change is ready.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var next: Entry? {
    _schedule.next.flatMap { _schedule.current(at: $0) }
  }

  /// The place of the change with this generation, or nil if it isn't in the queue.
  ///
  /// - Complexity: At most O(log *n*) to find the generation, O(1) if changes leave in order; the failures of its
  ///   key are searched.
  @inlinable
  package func status(of id: PendingChangeID) -> Status? {
    guard let ordinal = _schedule.ordinal(of: id) else { return nil }
    let (current, state) = _schedule.read(ordinal) { ($0.current?.id, $0.state) }
    guard current == id else { return _schedule.extras(at: ordinal)?.follower?.id == id ? .waitingForKey : .failure }
    switch state {
    case .idle: return nil
    case .ready: return .waiting
    case .inFlight: return .inFlight
    case .cancelled: return .inFlightCancelled
    }
  }

  /// The entry with this generation, or nil if it isn't in the queue.
  ///
  /// - Complexity: At most O(log *n*) to find the generation, O(1) if changes leave in order; the failures of its
  ///   key are searched.
  @inlinable
  public subscript(id: PendingChangeID) -> Entry? {
    guard let ordinal = _schedule.ordinal(of: id) else { return nil }
    if _schedule.read(ordinal, { $0.current?.id == id }) { return _schedule.current(at: ordinal) }
    let extras = _schedule.extras(at: ordinal)
    return extras?.follower?.id == id ? extras?.follower : extras?.failure(id)
  }

  /// The newest entry of a key that is waiting or in flight.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func newest(for key: Change.Key) -> Entry? {
    _schedule.ordinal(of: key).flatMap { _schedule.extras(at: $0)?.follower ?? _schedule.current(at: $0) }
  }

  /// The waiting entries, in the order in which they would run.
  ///
  /// - Complexity: O(*n*), O(1) if there are none.
  public var waiting: [Entry] {
    guard _waitingCount != 0 else { return [] }
    return _schedule.slots.compactMap { $0.isReady ? _schedule.current(of: $0) : nil }
      + _schedule.slots.compactMap { _schedule.extras(of: $0)?.follower }
  }

  /// The entries that were begun and have neither completed nor failed, in order.
  ///
  /// - Complexity: O(*n*), O(1) if there are none.
  public var inFlight: [Entry] {
    _inFlightCount == 0 ? [] : _schedule.slots.compactMap { $0.isInFlight ? _schedule.current(of: $0) : nil }
  }

  /// The changes that failed for good and wait for a decision: ``requeue(id:)`` or ``remove(id:)``.
  ///
  /// - Complexity: O(*n*), O(1) if there are none.
  public var failures: [Entry] {
    _failureCount == 0 ? [] : _schedule.slots.flatMap { _schedule.extras(of: $0)?.failures ?? [] }
  }

  /// The changes of the key that failed for good, oldest first.
  package func failures(for key: Change.Key) -> [Entry] {
    guard _failureCount > 0 else { return [] }
    return _schedule.ordinal(of: key).flatMap { _schedule.extras(at: $0)?.failures } ?? []
  }

  /// The number of stored ordinals of returned keys, for tests.
  package var returnedCount: Int { _schedule.returned.count }
}
