extension PendingChangeQueue {
  /// Takes the change with this generation from the queue, wherever it is.
  ///
  /// - Returns: the entry, or nil when the queue does not have this generation.
  /// - Complexity: O(1) amortised; O(*n*) when the queue's storage is shared.
  @discardableResult
  public mutating func remove(_ id: PendingChangeID) -> Entry? {
    for index in slots.indices {
      if let entry = slots[index].current, entry.id == id {
        if slots[index].state == .ready, let follower = slots[index].follower {
          slots[index].current = follower
          slots[index].follower = nil
        } else {
          _free(index)
        }
        return entry
      }
      if let entry = slots[index].follower, entry.id == id {
        slots[index].follower = nil
        return entry
      }
      if let letter = slots[index].deadLetters.firstIndex(where: { $0.id == id }) {
        let entry = slots[index].deadLetters.remove(at: letter)
        if slots[index].current == nil { _free(index) }
        return entry
      }
    }
    return nil
  }

  /// Withdraws what was accepted for a key and is not done.
  ///
  /// What waits is gone. What is in flight cannot be called back: it keeps its key until it is completed or fails, and is not tried again.
  /// Dead letters stay.
  ///
  /// - Returns: what was withdrawn, oldest first.
  /// - Complexity: O(1) amortised; O(*n*) when the queue's storage is shared.
  @discardableResult
  public mutating func cancel(_ key: Change.Key) -> [Entry] {
    guard let index = slots.firstIndex(where: { $0.key == key }) else { return [] }
    let follower = slots[index].follower
    slots[index].follower = nil
    guard let current = slots[index].current, slots[index].state != .cancelled else {
      return follower.map { [$0] } ?? []
    }
    if slots[index].state == .inFlight {
      slots[index].state = .cancelled
    } else {
      _free(index)
    }
    return follower.map { [current, $0] } ?? [current]
  }

  /// Empties the queue.
  ///
  /// - Returns: everything that was accepted and is not done: what is in flight or waiting, in the order of its places, each followed by
  ///   what waited for its key, then the dead letters. What was cancelled in flight is not among them.
  /// - Complexity: O(*n*).
  public mutating func drain() -> [Entry] {
    let live = slots.flatMap { [$0.state == .cancelled ? nil : $0.current, $0.follower].compactMap(\.self) }
    let dead = deadLetters
    slots = []
    return live + dead
  }

  /// Puts a dead letter at the end of the line, its attempts forgotten.
  ///
  /// - Returns: whether it was done. It is refused, and the letter stays, when the queue has no such dead letter, or when a newer change of
  ///   its key is waiting or in flight: the older change must not run after it.
  /// - Complexity: O(1) amortised; O(*n*) when the queue's storage is shared.
  @discardableResult
  public mutating func requeue(_ id: PendingChangeID) -> Bool {
    guard let index = slots.firstIndex(where: { $0.deadLetters.contains { $0.id == id } }), slots[index].current == nil
    else {
      return false
    }
    var entry = slots[index].deadLetters.remove(at: slots[index].deadLetters.firstIndex { $0.id == id }!)
    entry.attempts = 0
    entry.failureReason = nil
    slots[index].current = entry
    slots[index].state = .ready
    slots.append(slots.remove(at: index))
    return true
  }

  /// Takes a dead letter from the queue for good.
  ///
  /// - Returns: the entry, or nil when the queue has no such dead letter.
  /// - Complexity: O(1) amortised; O(*n*) when the queue's storage is shared.
  @discardableResult
  public mutating func discard(_ id: PendingChangeID) -> Entry? {
    status(of: id) == .deadLetter ? remove(id) : nil
  }
}

extension PendingChangeQueue where Change: Equatable {
  /// Takes a change from the queue by its content.
  ///
  /// - Returns: the entry, or nil when what the queue has for this key is another change: a newer one is never dropped.
  /// - Complexity: O(1) amortised; O(*n*) when the queue's storage is shared.
  @discardableResult
  public mutating func remove(_ change: Change) -> Entry? {
    guard let slot = slots.first(where: { $0.key == change.key }) else { return nil }
    for entry in [slot.current, slot.follower].compactMap(\.self) where entry.change == change {
      return remove(entry.id)
    }
    return nil
  }
}
