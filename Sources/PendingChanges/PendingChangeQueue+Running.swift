public import UniqueQueues

extension PendingChangeQueue {
  /// Begins the next change, which is in flight until it is completed or fails.
  ///
  /// - Returns: The entry, with its attempt counted; nil if no change is ready.
  /// - Complexity: O(1) amortized, O(log *f*) if *f* failed changes wait again; O(*n*) when the storage is shared.
  @inlinable
  @inline(__always)
  public mutating func begin() -> Entry? {
    guard let ordinal = _schedule.next else { return nil }
    return _begin(at: ordinal)
  }

  /// Begins the change with this generation, even if it isn't the next.
  ///
  /// A reducer learns which change its service saw as ``next``, and begins only that one, so it doesn't need the entry.
  ///
  /// - Returns: The entry, with its attempt counted; nil if the change can't begin, because it isn't waiting or it
  ///   waits for its key.
  /// - Complexity: At most O(log *n*) amortized, O(1) if changes leave in order; the failures of its key are
  ///   searched. O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func begin(_ id: PendingChangeID) -> Entry? {
    guard let ordinal = _schedule.ordinal(of: id), _schedule.read(ordinal, { $0.isReady && $0.current?.id == id })
    else { return nil }
    return _begin(at: ordinal)
  }

  /// Removes a change that was carried out.
  ///
  /// The change need not have been begun: a service that only looks at ``next`` completes a waiting change.
  ///
  /// - Returns: The completed entry; nil if the queue no longer has this generation, or never had it.
  /// - Complexity: At most O(log *n*) amortized, O(1) if changes leave in order; the failures of its key are
  ///   searched. O(*n*) when the storage is shared.
  @inlinable
  @inline(__always)
  @discardableResult
  public mutating func complete(_ id: PendingChangeID) -> Entry? { remove(id: id) }

  /// Returns a change in flight to its place after a failure, or moves it to the failures.
  ///
  /// If a newer change of the key was accepted meanwhile with `.replace` or `.moveToEnd`, the newer one takes the
  /// place. If it was accepted with `.keep` or `.merge`, both stay, the older one first.
  ///
  /// - Parameters:
  ///   - id: The generation that failed.
  ///   - limit: How often the change may be begun before it becomes a failure, by default five times; 1 for a
  ///     permanent failure, and nil for as often as it takes. The queue has no clock, so the limit stops a caller that
  ///     begins a failed change again at once.
  ///   - reason: Why it failed, for people. The reason is kept with the entry.
  /// - Returns: The updated entry; nil if the change was not in flight, and nothing was changed. The change waits
  ///   now, is one of the ``failures``, or has left the queue, because a newer change replaced it or it was
  ///   cancelled.
  /// - Complexity: At most O(log *n*) amortized; O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func fail(_ id: PendingChangeID, attempts limit: Int? = 5, reason: String? = nil) -> Entry? {
    _end(id, attempts: limit) {
      Entry(id: id, change: $0.change, attempts: $0.attempts, failureReason: reason)
    }
  }

  /// Returns a change in flight to its place as if it had not been begun: the attempt isn't counted.
  ///
  /// Use it for work that was not tried, for example because the device went offline or the task was cancelled. A newer
  /// change that waits for the key takes the place as it would after a failure.
  ///
  /// - Returns: The updated entry; nil if the change was not in flight, and nothing was changed. The change waits
  ///   now, or has left the queue, because a newer change replaced it or it was cancelled.
  /// - Complexity: At most O(log *n*) amortized; O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func release(_ id: PendingChangeID) -> Entry? {
    _end(id, attempts: nil) {
      Entry(id: id, change: $0.change, attempts: $0.attempts - 1, failureReason: $0.failureReason)
    }
  }

  /// Returns a failure to the queue, without its earlier attempts.
  ///
  /// It goes to the end, or waits for an older change of its key.
  ///
  /// The queue doesn't remember which changes were carried out. If a newer change of the key was carried out meanwhile,
  /// the older one runs after it. To prevent that, ``remove(id:)`` the failure, or merge it into a newer change
  /// before that one begins.
  ///
  /// - Returns: Whether the failure was requeued. If not, nothing changes: the queue doesn't have it; or a newer
  ///   change of its key is waiting or in flight, and the older one must not run after it; or another change already
  ///   waits for an older change of the key.
  /// - Complexity: At most O(log *n*) amortized, O(1) if changes leave in order; the failures of its key are
  ///   searched. O(*n*) when the storage is shared.
  @discardableResult
  public mutating func requeue(id: PendingChangeID) -> Bool {
    defer { _checkInvariants() }
    guard let ordinal = _schedule.ordinal(of: id), let extras = _schedule.extras(at: ordinal),
      let failure = extras.failure(id)
    else {
      return false
    }
    let current = _schedule.read(ordinal) { $0.current?.id }
    guard extras.follower == nil, current.map({ $0 < id }) ?? true else { return false }
    let entry = Entry(id: id, change: failure.change)
    _schedule.updateExtras(ordinal) { extras in
      extras.failures.removeAll { $0.id == id }
      if current != nil { extras.follower = entry }
    }
    if current == nil { _append(entry, at: ordinal) }
    _failureCount -= 1
    _waitingCount += 1
    return true
  }

  /// Ends an attempt that did not succeed.
  ///
  /// - Parameters:
  ///   - limit: How often the change may be begun before it becomes a failure; nil for as often as it takes.
  ///   - updated: Returns the updated entry.
  @inlinable
  mutating func _end(_ id: PendingChangeID, attempts limit: Int?, updated: (Entry) -> Entry) -> Entry? {
    defer { _checkInvariants() }
    guard let ordinal = _schedule.ordinal(of: id), _schedule.read(ordinal, { $0.isInFlight && $0.current?.id == id }),
      let begun = _schedule.current(at: ordinal)
    else { return nil }
    let entry = updated(begun)
    if _schedule.read(ordinal, { $0.state == .cancelled }) {
      _schedule.forget(id)
      _free(ordinal)
    } else if let extras = _schedule.extras(at: ordinal), extras.followerReplaces, let follower = extras.follower {
      _schedule.forget(id)
      _inFlightCount -= 1
      _schedule.updateExtras(ordinal) { _ = $0.takeFollower() }
      _schedule.setCurrent(follower, at: ordinal)
      _schedule.markReady(ordinal)
    } else if limit.map({ begun.attempts < $0 }) ?? true {
      _schedule.setCurrent(entry, at: ordinal)
      _schedule.markReady(ordinal)
      _inFlightCount -= 1
      _waitingCount += 1
    } else {
      _schedule.updateExtras(ordinal) { $0.failures.append(entry) }
      _failureCount += 1
      _free(ordinal)
    }
    return entry
  }

  /// Begins the change of a ready slot.
  @inlinable
  @inline(__always)
  mutating func _begin(at ordinal: _Ordinal) -> Entry? {
    defer { _checkInvariants() }
    let (current, hasExtras) = _schedule.update(ordinal) { slot in
      slot.state = .inFlight
      slot.current!.attempts &+= 1
      return (slot.current!, slot.hasExtras)
    }
    _inFlightCount &+= 1
    _waitingCount &-= 1
    _schedule.advanceFrontier(past: ordinal)
    let reason = hasExtras ? _schedule.extras(at: ordinal)?.failureReason : nil
    return Entry(id: current.id, change: current.change, attempts: current.attempts, failureReason: reason)
  }

  /// Frees a key from its current entry, so that the change that waits for the key joins the end of the queue.
  ///
  /// The generation of the entry is removed separately.
  @inlinable
  mutating func _free(_ ordinal: _Ordinal) {
    let (isReady, isAlone) = _schedule.read(ordinal) { ($0.isReady, !$0.hasExtras) }
    if isReady { _waitingCount -= 1 } else { _inFlightCount -= 1 }
    if isAlone { _schedule.remove(ordinal) } else { _advance(ordinal) }
  }

  /// Gives the key to the change that waits for it, after the current entry has left.
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
