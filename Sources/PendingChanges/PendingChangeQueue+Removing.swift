extension PendingChangeQueue {
  /// Takes the change with this generation from the queue, wherever it is.
  ///
  /// - Returns: the entry, or nil when the queue does not have this generation.
  /// - Complexity: O(1) amortised; O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func remove(_ id: PendingChangeID) -> Entry? {
    defer { _checkInvariants() }
    guard let index = _index(of: id), let entry = self[id] else { return nil }
    _keys[id] = nil
    if _line[index].current?.id == id {
      _free(index)
    } else if _line[index].follower?.id == id {
      _line[index].followers = []
      _pendingCount -= 1
    } else {
      _line[index].deadLetters.removeAll { $0.id == id }
      _deadLetterCount -= 1
      if _line[index].isEmpty { _line.remove(index) }
    }
    return entry
  }

  /// Withdraws what was accepted for a key and is not done.
  ///
  /// What waits is gone. What is in flight cannot be called back: it keeps its key until it is completed or fails, and is not tried again.
  /// Dead letters stay.
  ///
  /// - Returns: what was withdrawn, oldest first.
  /// - Complexity: O(1) amortised; O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func cancel(_ key: Change.Key) -> [Entry] {
    defer { _checkInvariants() }
    guard let index = _line.index(of: key) else { return [] }
    var withdrawn: [Entry] = []
    if let follower = _line[index].follower {
      withdrawn = [follower]
      _keys[follower.id] = nil
      _line[index].followers = []
      _pendingCount -= 1
    }
    guard let current = _line[index].current, _line[index].state != .cancelled else { return withdrawn }
    if _line[index].state == .inFlight {
      _line[index].state = .cancelled
    } else {
      _keys[current.id] = nil
      _free(index)
    }
    return [current] + withdrawn
  }

  /// Empties the queue.
  ///
  /// - Returns: everything that was accepted and is not done: what is in flight or waiting, in the order of its places, each followed by
  ///   what waited for its key, then the dead letters. What was cancelled in flight is not among them.
  /// - Complexity: O(*n*).
  public mutating func drain() -> [Entry] {
    defer { _checkInvariants() }
    let entries = _line.slots.flatMap { slot in
      (slot.state == .cancelled ? [] : [slot.current].compactMap(\.self)) + slot.followers
    }
    let drained = entries + deadLetters
    _line = _Line()
    _keys = [:]
    _pendingCount = 0
    _inFlightCount = 0
    _deadLetterCount = 0
    return drained
  }
}

extension PendingChangeQueue where Change: Equatable {
  /// Takes a change from the queue by its content.
  ///
  /// - Returns: the entry, or nil when what is waiting or in flight for this key is another change: a newer one is never dropped.
  /// - Complexity: O(1) amortised; O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func remove(_ change: Change) -> Entry? {
    guard let index = _line.index(of: change.key) else { return nil }
    let entries = [_line[index].current, _line[index].follower]
    return entries.compactMap(\.self).first { $0.change == change }.flatMap { remove($0.id) }
  }
}
