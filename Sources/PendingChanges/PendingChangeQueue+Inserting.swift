extension PendingChangeQueue {
  /// Accepts a change.
  ///
  /// When a change of the same key is waiting, the policy decides between the two. A change in flight is not affected: the new one waits until
  /// the key is free.
  ///
  /// A change accepted with `.replace` or `.moveToEnd` also takes away the dead letters of its key, since carrying them out later would
  /// overwrite it.
  ///
  /// - Returns: the generation that stands for the change, what was done, and the waiting entry that gave way, if any.
  /// - Complexity: O(1) amortised; O(*n*) when the queue's storage is shared.
  @discardableResult
  public mutating func insert(_ change: Change, policy: Policy = .replace) -> Insertion {
    let replaces =
      switch policy {
      case .keep, .merge: false
      case .replace, .moveToEnd: true
      }
    let key = change.key
    guard let index = slots.firstIndex(where: { $0.key == key }) else {
      slots.append(_Slot(key: key, current: _accept(change)))
      return Insertion(id: slots.last!.current!.id, outcome: .added)
    }
    if replaces { slots[index].deadLetters = [] }
    guard let current = slots[index].current else {
      let entry = _accept(change)
      var slot = slots.remove(at: index)
      slot.current = entry
      slot.state = .ready
      slots.append(slot)
      return Insertion(id: entry.id, outcome: .added)
    }
    let waitsForKey = slots[index].follower != nil || slots[index].state != .ready
    guard let waiting = waitsForKey ? slots[index].follower : current else {
      let entry = _accept(change)
      slots[index].follower = entry
      slots[index].followerReplaces = replaces
      return Insertion(id: entry.id, outcome: .added)
    }
    let result: (change: Change, outcome: Insertion.Outcome)
    switch policy {
    case .keep: return Insertion(id: waiting.id, outcome: .kept)
    case .replace: result = (change, .replaced)
    case .moveToEnd: result = (change, .movedToEnd)
    case .merge(let merge):
      result = (merge(waiting.change, change), .merged)
      precondition(result.change.key == key, "A merged change must keep its key")
    }
    let entry = _accept(result.change)
    if waitsForKey {
      slots[index].follower = entry
      if replaces { slots[index].followerReplaces = true }
    } else {
      slots[index].current = entry
      if case .moveToEnd = policy { slots.append(slots.remove(at: index)) }
    }
    return Insertion(id: entry.id, outcome: result.outcome, displaced: waiting)
  }

  /// Accepts changes in order.
  ///
  /// - Complexity: O(*m*) amortised for *m* changes.
  public mutating func insert(contentsOf changes: some Sequence<Change>, policy: Policy = .replace) {
    for change in changes {
      insert(change, policy: policy)
    }
  }

  mutating func _accept(_ change: Change) -> Entry {
    defer { nextID += 1 }
    return Entry(id: PendingChangeID(rawValue: nextID), change: change)
  }
}
