extension PendingChangeQueue {
  /// Begins the next change: it is in flight until it is completed or fails.
  ///
  /// - Returns: the entry, its attempt counted; nil when nothing is ready.
  /// - Complexity: O(1) amortised; O(*n*) when the storage is shared.
  @inlinable
  public mutating func begin() -> Entry? {
    _line.next.map { _begin(at: $0) }
  }

  /// Begins the change with this generation, out of turn if need be.
  ///
  /// A reducer is told which change its service saw as ``next``, and begins no other.
  ///
  /// - Returns: the entry, its attempt counted; nil when that generation cannot begin: it is not waiting, or it waits for its key.
  /// - Complexity: O(1) amortised; O(*n*) when the storage is shared.
  @inlinable
  public mutating func begin(_ id: PendingChangeID) -> Entry? {
    guard let index = _index(of: id), _line[index].status(of: id) == .waiting else { return nil }
    return _begin(at: index)
  }

  /// Takes a change that was carried out from the queue.
  ///
  /// The change need not have been begun: a service that looks only at ``next`` completes a waiting change.
  ///
  /// - Returns: the entry that is done; or that the queue does not have this generation any more, or never had it.
  /// - Complexity: O(1) amortised; O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func complete(_ id: PendingChangeID) -> Completion {
    guard let entry = remove(id) else { return _wasAccepted(id) ? .late : .unknown }
    return .done(entry)
  }

  /// Puts a change in flight back in its place, or among the dead letters.
  ///
  /// If a newer change of the key was accepted meanwhile with `.replace` or `.moveToEnd`, that one takes the place. If it was accepted with
  /// `.keep` or `.merge`, both stay, the older one first.
  ///
  /// - Parameters:
  ///   - id: the generation that failed.
  ///   - retry: whether it is tried again.
  ///   - reason: why it failed, for people: kept with the entry.
  /// - Returns: where the change is now; `.late` when it is not in flight.
  /// - Complexity: O(log *f*) amortised for *f* changes that failed and wait; O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func fail(_ id: PendingChangeID, retry: Retry = .always, reason: String? = nil) -> Failure {
    defer { _checkInvariants() }
    guard let index = _index(of: id), _line[index].isInFlight, var entry = _line[index].current, entry.id == id else {
      return _wasAccepted(id) ? .late : .unknown
    }
    entry._failureReason = reason
    if _line[index].state == .cancelled {
      _keys[id] = nil
      _free(index)
      return .cancelled(entry)
    }
    if _line[index].followerReplaces, let follower = _line[index].follower {
      _keys[id] = nil
      _inFlightCount -= 1
      _line[index].advance()
      _line.enter(index)
      return .superseded(entry, by: follower.id)
    }
    if retry.allows(entry) {
      _line[index].current = entry
      _line[index].state = .ready
      _line.enter(index)
      _inFlightCount -= 1
      _pendingCount += 1
      return .willRetry(entry)
    }
    _line[index].deadLetters.append(entry)
    _deadLetterCount += 1
    _free(index)
    return .deadLetter(entry)
  }

  @inlinable
  mutating func _begin(at index: _Line.Index) -> Entry {
    defer { _checkInvariants() }
    _line.leave(index)
    _line[index].state = .inFlight
    _line[index].current!._attempts += 1
    _inFlightCount += 1
    _pendingCount -= 1
    return _line[index].current!
  }

  /// Frees the key of a slot from its current entry: the change that waited for it joins the end of the line.
  @inlinable
  mutating func _free(_ index: _Line.Index) {
    if _line[index].isReady {
      _line.leave(index)
      _pendingCount -= 1
    } else {
      _inFlightCount -= 1
    }
    _line[index].advance()
    if _line[index].isEmpty {
      _line.remove(index)
    } else if _line[index].isReady {
      _line.enter(_line.moveToEnd(index))
    }
  }
}

extension PendingChangeQueue.Retry {
  /// Whether a change that failed is tried again.
  @inlinable
  func allows(_ entry: PendingChangeQueue.Entry) -> Bool {
    switch self {
    case .always: true
    case .upTo(let attempts): entry.attempts < attempts
    case .never: false
    }
  }
}
