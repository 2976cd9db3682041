extension PendingChangeQueue {
  /// Begins the next change: it is in flight until it is completed or fails.
  ///
  /// - Returns: the entry, its attempt counted; nil when nothing is ready.
  /// - Complexity: O(1) amortised; O(*n*) when the queue's storage is shared.
  public mutating func begin() -> Entry? {
    next.flatMap { begin($0.id) }
  }

  /// Begins the change with this generation, out of turn if need be.
  ///
  /// - Returns: the entry, its attempt counted; nil when that generation cannot begin: it is not waiting, or it waits for its key.
  /// - Complexity: O(1) amortised; O(*n*) when the queue's storage is shared.
  public mutating func begin(_ id: PendingChangeID) -> Entry? {
    guard let index = slots.firstIndex(where: { $0.current?.id == id && $0.state == .ready }) else { return nil }
    slots[index].current!.attempts += 1
    slots[index].state = .inFlight
    return slots[index].current
  }

  /// Takes a change that was carried out from the queue.
  ///
  /// The change need not have been begun: a service that looks only at ``next`` completes a waiting change.
  ///
  /// - Returns: the entry that is done; or that the queue does not have this generation any more, or never had it.
  /// - Complexity: O(1) amortised; O(*n*) when the queue's storage is shared.
  @discardableResult
  public mutating func complete(_ id: PendingChangeID) -> Completion {
    guard let entry = remove(id) else { return id.rawValue < nextID ? .late : .unknown }
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
  /// - Complexity: O(log *f*) amortised for *f* changes in flight; O(*n*) when the queue's storage is shared.
  @discardableResult
  public mutating func fail(_ id: PendingChangeID, retry: Retry = .always, reason: String? = nil) -> Failure {
    guard let index = slots.firstIndex(where: { $0.current?.id == id && $0.state != .ready }) else {
      return id.rawValue < nextID ? .late : .unknown
    }
    var entry = slots[index].current!
    entry.failureReason = reason
    if slots[index].state == .cancelled {
      _free(index)
      return .cancelled(entry)
    }
    if let follower = slots[index].follower, slots[index].followerReplaces {
      slots[index].current = follower
      slots[index].follower = nil
      slots[index].state = .ready
      return .superseded(entry, by: follower.id)
    }
    let again =
      switch retry {
      case .always: true
      case .upTo(let attempts): entry.attempts < attempts
      case .never: false
      }
    if again {
      slots[index].current = entry
      slots[index].state = .ready
      return .willRetry(entry)
    }
    slots[index].deadLetters.append(entry)
    _free(index)
    return .deadLetter(entry)
  }

  /// Frees the key of a slot: the change that waited for it joins the end of the line.
  mutating func _free(_ index: Int) {
    var slot = slots.remove(at: index)
    slot.current = slot.follower
    slot.follower = nil
    slot.state = .ready
    if slot.current != nil {
      slots.append(slot)
    } else if !slot.deadLetters.isEmpty {
      slots.insert(slot, at: index)
    }
  }
}
