extension PendingChangeQueue {
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
  public mutating func requeue(_ id: PendingChangeID) -> Bool {
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
}
