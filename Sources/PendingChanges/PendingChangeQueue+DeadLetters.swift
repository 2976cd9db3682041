extension PendingChangeQueue {
  /// Puts a dead letter back into the line, its attempts forgotten.
  ///
  /// It goes to the end, or waits for an older change of its key.
  ///
  /// - Returns: whether it was done. It is refused, and the letter stays, when the queue has no such dead letter, or when a newer change of
  ///   its key is waiting or in flight: the older change must not run after it.
  /// - Complexity: O(1) amortised; O(*n*) when the storage is shared.
  @discardableResult
  public mutating func requeue(_ id: PendingChangeID) -> Bool {
    defer { _checkInvariants() }
    guard let index = _index(of: id), let position = _line[index].deadLetters.firstIndex(where: { $0.id == id }) else {
      return false
    }
    guard _line[index].follower == nil, _line[index].current.map({ $0.id < id }) ?? true else { return false }
    let letter = Entry(id: id, change: _line[index].deadLetters.remove(at: position).change)
    _deadLetterCount -= 1
    _pendingCount += 1
    if _line[index].current == nil {
      _appendAgain(letter, at: index)
    } else {
      _line[index].followers = [letter]
    }
    return true
  }

  /// Takes a dead letter from the queue for good.
  ///
  /// - Returns: the entry, or nil when the queue has no such dead letter.
  /// - Complexity: O(1) amortised; O(*n*) when the storage is shared.
  @discardableResult
  public mutating func discard(_ id: PendingChangeID) -> Entry? {
    status(of: id) == .deadLetter ? remove(id) : nil
  }
}
