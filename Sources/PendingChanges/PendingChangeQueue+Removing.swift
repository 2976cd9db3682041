extension PendingChangeQueue {
  /// Takes the change with this generation from the queue, wherever it is.
  ///
  /// - Returns: the entry, or nil when the queue does not have this generation.
  /// - Complexity: O(log *n*) amortised at most, O(1) in a line that moves on; its key's dead letters are searched. O(*n*) when the storage is
  ///   shared.
  @inlinable
  @discardableResult
  public mutating func remove(_ id: PendingChangeID) -> Entry? {
    defer { _checkInvariants() }
    guard let place = _line.forget(id) else { return nil }
    guard _line.read(place, { $0.current?.id == id }) else { return _removeOther(id, at: place) }
    let entry = _line.current(at: place)
    _free(place)
    return entry
  }

  /// Takes out a follower or a dead letter, whose generation is gone already.
  @inlinable
  @inline(never)
  mutating func _removeOther(_ id: PendingChangeID, at place: Int) -> Entry? {
    if _line.others(at: place)?.follower?.id == id { return _takeFollower(at: place) }
    let letter = _line.others(at: place)?.deadLetter(id)
    _line.updateOthers(place) { $0.deadLetters.removeAll { $0.id == id } }
    _deadLetterCount -= 1
    if _line.read(place, { $0.state == .idle && !$0.hasOthers }) { _line.remove(place) }
    return letter
  }

  /// Withdraws what was accepted for a key and is not done.
  ///
  /// What waits is gone. What is in flight cannot be called back: it keeps its key until it is completed or fails, and is not tried again.
  /// Dead letters stay.
  ///
  /// - Returns: what was withdrawn, oldest first.
  /// - Complexity: O(log *n*) amortised at most, O(1) in a line that moves on; its key's dead letters are searched. O(*n*) when the storage is
  ///   shared.
  @inlinable
  @discardableResult
  public mutating func cancel(_ key: Change.Key) -> [Entry] {
    defer { _checkInvariants() }
    guard let place = _line.place(of: key) else { return [] }
    let state = _line.read(place) { $0.state }
    let follower = _takeFollower(at: place)
    if let follower { _line.forget(follower.id) }
    guard state == .ready || state == .inFlight, let current = _line.current(at: place) else {
      return [follower].compactMap(\.self)
    }
    if state == .ready {
      _line.forget(current.id)
      _free(place)
    } else {
      _line.update(place) { $0.state = .cancelled }
    }
    return [current] + [follower].compactMap(\.self)
  }

  /// Takes out what waits for a key, but not its generation.
  @inlinable
  mutating func _takeFollower(at place: Int) -> Entry? {
    guard _line.others(at: place)?.follower != nil else { return nil }
    _waitingCount -= 1
    return _line.updateOthers(place) { $0.takeFollower() }
  }

  /// Empties the queue.
  ///
  /// - Returns: everything that was accepted and is not done: what is in flight or waiting, in the order of its places, each followed by
  ///   what waited for its key, then the dead letters. What was cancelled in flight is not among them.
  /// - Complexity: O(*n*).
  public mutating func drain() -> [Entry] {
    defer { _checkInvariants() }
    let entries = _line.slots.flatMap { slot in
      [slot.state == .cancelled ? nil : _line.current(of: slot), _line.others(of: slot)?.follower].compactMap(\.self)
    }
    let drained = entries + deadLetters
    _line = _Line()
    _waitingCount = 0
    _inFlightCount = 0
    _deadLetterCount = 0
    return drained
  }
}

extension PendingChangeQueue where Change: Equatable {
  /// Takes a change from the queue by its content.
  ///
  /// - Returns: the entry, or nil when what is waiting or in flight for this key is another change: a newer one is never dropped.
  /// - Complexity: O(log *n*) amortised at most, O(1) in a line that moves on; its key's dead letters are searched. O(*n*) when the storage is
  ///   shared.
  @inlinable
  @discardableResult
  public mutating func remove(_ change: Change) -> Entry? {
    guard let place = _line.place(of: change.key) else { return nil }
    let entries = [_line.current(at: place), _line.others(at: place)?.follower]
    return entries.compactMap(\.self).first { $0.change == change }.flatMap { remove($0.id) }
  }
}
