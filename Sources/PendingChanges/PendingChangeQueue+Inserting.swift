extension PendingChangeQueue {
  /// Accepts a change.
  ///
  /// When a change of the same key is waiting, the policy decides between the two. A change in flight is not affected: the new one waits until
  /// the key is free.
  ///
  /// A change accepted with `.replace` or `.moveToEnd` also takes away the dead letters of its key, since carrying them out later would
  /// overwrite it.
  ///
  /// - Returns: the generation that stands for the change, what was done, and the entries that gave way.
  /// - Precondition: `.merge` makes a change of the same key.
  /// - Complexity: O(1) amortised; O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func insert(_ change: Change, policy: Policy = .replace) -> Insertion {
    defer { _checkInvariants() }
    let entry = Entry(id: PendingChangeID(rawValue: _nextID), change: change)
    guard let index = _line.appendOrFind(_Slot(key: change.key, current: entry)) else {
      _accept(entry)
      return Insertion(id: entry.id, outcome: .added)
    }
    return _insert(entry, at: index, policy: policy)
  }

  /// Accepts changes in order.
  ///
  /// - Complexity: O(*m*) amortised for *m* changes.
  @inlinable
  public mutating func insert(contentsOf changes: some Sequence<Change>, policy: Policy = .replace) {
    for change in changes { insert(change, policy: policy) }
  }

  /// Accepts an entry whose key has a slot.
  @inlinable
  @inline(never)
  mutating func _insert(_ entry: Entry, at index: _Line.Index, policy: Policy) -> Insertion {
    let deadLetters = policy.replacesOlder ? _takeDeadLetters(at: index) : []
    guard let waiting = _line[index].newestWaiting else {
      _accept(entry)
      if _line[index].isInFlight {
        _line[index].followers = [entry]
        _line[index].followerReplaces = policy.replacesOlder
      } else {
        _appendAgain(entry, at: index)
      }
      return Insertion(id: entry.id, outcome: .added, displacedDeadLetters: deadLetters)
    }
    guard let (change, outcome) = policy.decide(waiting.change, entry.change) else {
      return Insertion(id: waiting.id, outcome: .kept)
    }
    let new = Entry(id: entry.id, change: change)
    _keys[waiting.id] = nil
    _pendingCount -= 1
    _accept(new)
    if _line[index].follower != nil {
      _line[index].followers[0] = new
      if policy.replacesOlder { _line[index].followerReplaces = true }
    } else if outcome == .movedToEnd {
      _line.leave(index)
      _appendAgain(new, at: index)
    } else {
      _line[index].current = new
    }
    return Insertion(id: new.id, outcome: outcome, displaced: waiting, displacedDeadLetters: deadLetters)
  }

  /// Counts an entry that waits from now on.
  @inlinable
  mutating func _accept(_ entry: Entry) {
    _keys[entry.id] = entry.key
    _nextID += 1
    _pendingCount += 1
  }

  /// Moves a slot, whose current entry is not in the line any more, to the end with another one.
  @inlinable
  mutating func _appendAgain(_ entry: Entry, at index: _Line.Index) {
    _line[index].current = entry
    _line[index].state = .ready
    _line.enter(_line.moveToEnd(index))
  }

  @inlinable
  mutating func _takeDeadLetters(at index: _Line.Index) -> [Entry] {
    guard _deadLetterCount > 0 else { return [] }
    let letters = _line[index].deadLetters
    for letter in letters { _keys[letter.id] = nil }
    _line[index].deadLetters = []
    _deadLetterCount -= letters.count
    return letters
  }
}

extension PendingChangeQueue.Policy {
  /// Whether a new change makes older ones of its key superfluous.
  @inlinable
  var replacesOlder: Bool {
    switch self {
    case .keep, .merge: false
    case .replace, .moveToEnd: true
    }
  }

  /// What takes the place of a waiting change, or nil if that stays.
  @inlinable
  func decide(
    _ waiting: Change, _ new: Change
  ) -> (change: Change, outcome: PendingChangeQueue.Insertion.Outcome)? {
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
