extension PendingChangeQueue {
  /// The entry to run next, or nil when nothing is ready.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var next: Entry? {
    _line.next.flatMap { _line[$0].current }
  }

  /// Where the change with this generation is, or nil when it is not in the queue.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func status(of id: PendingChangeID) -> Status? {
    _index(of: id).flatMap { _line[$0].status(of: id) }
  }

  /// The entry with this generation, or nil when it is not in the queue.
  ///
  /// - Complexity: O(1).
  @inlinable
  public subscript(id: PendingChangeID) -> Entry? {
    guard let index = _index(of: id) else { return nil }
    switch _line[index].status(of: id) {
    case .waiting, .inFlight, .inFlightCancelled: return _line[index].current
    case .waitingForKey: return _line[index].follower
    case .deadLetter: return _line[index].deadLetters.first { $0.id == id }
    case nil: return nil
    }
  }

  /// The newest entry of a key that is waiting or in flight.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func newest(for key: Change.Key) -> Entry? {
    _line.index(of: key).flatMap { _line[$0].follower ?? _line[$0].current }
  }

  /// The entries that wait, in the order in which they would run.
  ///
  /// - Complexity: O(*n*), O(1) when there is none.
  public var waiting: [Entry] {
    guard _pendingCount > 0 else { return [] }
    return _line.slots.compactMap { $0.isReady ? $0.current : nil } + _line.slots.compactMap(\.follower)
  }

  /// The entries begun and neither completed nor failed, in the order of their places.
  ///
  /// - Complexity: O(*n*), O(1) when there is none.
  public var inFlight: [Entry] {
    _inFlightCount == 0 ? [] : _line.slots.compactMap { $0.isInFlight ? $0.current : nil }
  }

  /// The changes that failed for good and wait for a decision: ``requeue(_:)`` or ``discard(_:)``.
  ///
  /// - Complexity: O(*n*), O(1) when there is none.
  public var deadLetters: [Entry] {
    _deadLetterCount == 0 ? [] : _line.slots.flatMap(\.deadLetters)
  }

  @inlinable
  func _index(of id: PendingChangeID) -> _Line.Index? {
    _keys[id].flatMap { _line.index(of: $0) }
  }

  /// Whether this generation was given to a change before.
  @inlinable
  func _wasAccepted(_ id: PendingChangeID) -> Bool { 1..<_nextID ~= id.rawValue }
}
