extension UniqueQueue {
  /// Whether an element that equals this one is in the queue.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func contains(_ member: Element) -> Bool {
    _slot(of: member) != nil
  }

  /// The index of the element that equals this one.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func firstIndex(of member: Element) -> Index? {
    _slot(of: member).map { _index(of: $0) }
  }

  /// The index of the element that equals this one.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func lastIndex(of member: Element) -> Index? {
    firstIndex(of: member)
  }

  @inlinable
  func _slot(of member: Element) -> Int? {
    // Not `guard let ring`: that binding costs a retain and a release.
    guard _ring != nil else { return nil }
    return _ring!.isIndexed
      ? _ring!.indexedSlot(of: member, _HashWord(hashing: member)) : _ring!.comparedSlot(of: member)
  }

  /// The index of the element in a slot.
  @inlinable
  func _index(of slot: Int) -> Index {
    Index(_ordinal: _ordinal(of: slot), epoch: _ring!.indexEpoch)
  }
}
