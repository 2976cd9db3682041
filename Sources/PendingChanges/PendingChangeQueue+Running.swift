public import UniqueQueues

extension PendingChangeQueue {
  /// Begins the next change: it is in flight until it is completed or fails.
  ///
  /// - Returns: The entry, its attempt counted; nil when nothing is ready.
  /// - Complexity: O(1) amortised, O(log *f*) where *f* changes that failed wait again; O(*n*) when the storage is
  ///   shared.
  @inlinable
  @inline(__always)
  public mutating func begin() -> Entry? {
    guard let ordinal = _schedule.next else { return nil }
    return _begin(at: ordinal)
  }

  /// Begins the change with this generation, out of turn if need be.
  ///
  /// A reducer is told which change its service saw as ``next``, and begins no other: it needs no entry back.
  ///
  /// - Returns: The entry, its attempt counted; nil when that generation cannot begin: it is not waiting, or it waits
  ///   for its key.
  /// - Complexity: O(log *n*) amortised at most, O(1) in a line that moves on; its key's dead letters are searched.
  ///   O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func begin(_ id: PendingChangeID) -> Entry? {
    guard let ordinal = _schedule.ordinal(of: id), _schedule.read(ordinal, { $0.isReady && $0.current?.id == id })
    else { return nil }
    return _begin(at: ordinal)
  }

  /// Takes a change that was carried out from the queue.
  ///
  /// The change need not have been begun: a service that looks only at ``next`` completes a waiting change.
  ///
  /// - Returns: The entry that is done; nil where the queue does not have this generation any more, or never had it.
  /// - Complexity: O(log *n*) amortised at most, O(1) in a line that moves on; its key's dead letters are searched.
  ///   O(*n*) when the storage is shared.
  @inlinable
  @inline(__always)
  @discardableResult
  public mutating func complete(_ id: PendingChangeID) -> Entry? { remove(id: id) }

  /// Puts a change in flight back in its place, or among the dead letters.
  ///
  /// If a newer change of the key was accepted meanwhile with `.replace` or `.moveToEnd`, that one takes the place. If
  /// it was accepted with `.keep` or `.merge`, both stay, the older one first.
  ///
  /// - Parameters:
  ///   - id: the generation that failed.
  ///   - retry: whether it is tried again. By default until it was begun five times, as the queue has no clock: a
  ///     caller that begins at once what failed at once comes to an end, with the change among the dead letters.
  ///   - reason: why it failed, for people: kept with the entry.
  /// - Returns: The entry with what is known of it now; nil where it was not in flight, and nothing was changed.
  ///   ``status(of:)`` says where it is: it waits, or is a dead letter, or has left the queue, as a newer change has
  ///   its place or it was cancelled.
  /// - Complexity: O(log *n*) amortised at most; O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func fail(
    _ id: PendingChangeID, retry: Retry = .upTo(attempts: 5), reason: String? = nil
  ) -> Entry? {
    _end(id) { entry in
      (Entry(id: id, change: entry.change, attempts: entry.attempts, failureReason: reason), retry.allows(entry))
    }
  }

  /// Puts a change in flight back in its place as if it had not been begun: the attempt is not counted.
  ///
  /// That is for work that did not come to be tried, as when the device went offline or the task was cancelled. A newer
  /// change that waits for the key takes the place as it would after a failure.
  ///
  /// - Returns: The entry with what is known of it now; nil where it was not in flight, and nothing was changed.
  ///   ``status(of:)`` says where it is: it waits, or is a dead letter, or has left the queue, as a newer change has
  ///   its place or it was cancelled.
  /// - Complexity: O(log *n*) amortised at most; O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func giveBack(_ id: PendingChangeID) -> Entry? {
    _end(id) { entry in
      let reason = entry.failureReason
      return (Entry(id: id, change: entry.change, attempts: entry.attempts - 1, failureReason: reason), true)
    }
  }

  /// Puts a dead letter back into the line, its attempts forgotten.
  ///
  /// It goes to the end, or waits for an older change of its key.
  ///
  /// The queue does not remember what was carried out. Where a newer change of the key was, meanwhile, the older one
  /// runs after it: ``remove(id:)`` the letter then, or merge it into a newer change before that is begun.
  ///
  /// - Returns: Whether it was done. If not, the letter stays. Refused is one that the queue does not have. So is one
  ///   with a newer change of its key waiting or in flight: the older must not run after it. So is a second one that
  ///   would wait for an older change of the key.
  /// - Complexity: O(log *n*) amortised at most, O(1) in a line that moves on; its key's dead letters are searched.
  ///   O(*n*) when the storage is shared.
  @discardableResult
  public mutating func requeue(id: PendingChangeID) -> Bool {
    defer { _checkInvariants() }
    guard let ordinal = _schedule.ordinal(of: id), let extras = _schedule.extras(at: ordinal),
      let letter = extras.deadLetter(id)
    else {
      return false
    }
    let current = _schedule.read(ordinal) { $0.current?.id }
    guard extras.follower == nil, current.map({ $0 < id }) ?? true else { return false }
    let entry = Entry(id: id, change: letter.change)
    _schedule.updateExtras(ordinal) { extras in
      extras.deadLetters.removeAll { $0.id == id }
      if current != nil { extras.follower = entry }
    }
    if current == nil { _append(entry, at: ordinal) }
    _deadLetterCount -= 1
    _waitingCount += 1
    return true
  }

  /// Ends an attempt that did not succeed.
  ///
  /// - Parameter noting: Makes an entry that knows what happened, and tells whether it goes back to its place.
  @inlinable
  mutating func _end(_ id: PendingChangeID, _ noting: (Entry) -> (entry: Entry, isTriedAgain: Bool)) -> Entry? {
    defer { _checkInvariants() }
    guard let ordinal = _schedule.ordinal(of: id), _schedule.read(ordinal, { $0.isInFlight && $0.current?.id == id }),
      let begun = _schedule.current(at: ordinal)
    else { return nil }
    let (entry, isTriedAgain) = noting(begun)
    if _schedule.read(ordinal, { $0.state == .cancelled }) {
      _schedule.forget(id)
      _free(ordinal)
      return entry
    }
    if let extras = _schedule.extras(at: ordinal), extras.followerReplaces, let follower = extras.follower {
      _schedule.forget(id)
      _inFlightCount -= 1
      _schedule.updateExtras(ordinal) { _ = $0.takeFollower() }
      _schedule.setCurrent(follower, at: ordinal)
      _schedule.markReady(ordinal)
      return entry
    }
    if isTriedAgain {
      _schedule.setCurrent(entry, at: ordinal)
      _schedule.markReady(ordinal)
      _inFlightCount -= 1
      _waitingCount += 1
      return entry
    }
    _schedule.updateExtras(ordinal) { $0.deadLetters.append(entry) }
    _deadLetterCount += 1
    _free(ordinal)
    return entry
  }

  /// Begins the change of a slot that is ready.
  @inlinable
  @inline(__always)
  mutating func _begin(at ordinal: _Ordinal) -> Entry? {
    defer { _checkInvariants() }
    let (current, hasExtras) = _schedule.update(ordinal) { slot in
      slot.state = .inFlight
      slot.current!.attempts += 1
      return (slot.current!, slot.hasExtras)
    }
    _inFlightCount &+= 1
    _waitingCount &-= 1
    _schedule.advanceFrontier(past: ordinal)
    let reason = hasExtras ? _schedule.extras(at: ordinal)?.failureReason : nil
    return Entry(id: current.id, change: current.change, attempts: current.attempts, failureReason: reason)
  }

  /// Frees a key from its current entry, whose generation goes apart: the change that waited for it joins the end of
  /// the line.
  @inlinable
  mutating func _free(_ ordinal: _Ordinal) {
    let (isReady, isAlone) = _schedule.read(ordinal) { ($0.isReady, !$0.hasExtras) }
    if isReady { _waitingCount -= 1 } else { _inFlightCount -= 1 }
    if isAlone { _schedule.remove(ordinal) } else { _advance(ordinal) }
  }

  /// Gives a key, whose current entry leaves, to what waited for it.
  @inlinable
  @inline(never)
  mutating func _advance(_ ordinal: _Ordinal) {
    let follower = _schedule.updateExtras(ordinal) { extras in
      extras.failureReason = nil
      return extras.takeFollower()
    }
    if let follower {
      _append(follower, at: ordinal)
    } else if _schedule.read(ordinal, { $0.hasExtras }) {
      _schedule.setCurrent(nil, at: ordinal)
      _schedule.advanceFrontier()
    } else {
      _schedule.remove(ordinal)
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
