extension UniqueQueue {
  /// Whether an element that equals this one is in the queue.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func contains(_ member: Element) -> Bool { _slot(of: member) != nil }

  /// The index of the element that equals this one.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func firstIndex(of member: Element) -> Index? {
    _slot(of: member).map { Index(_ordinal: _ordinal(of: $0), epoch: _ring!.indexEpoch) }
  }

  /// The index of the element that equals this one.
  ///
  /// - Complexity: O(1).
  @_documentation(visibility: internal)
  @inlinable
  public func lastIndex(of member: Element) -> Index? { firstIndex(of: member) }

  /// The hook that generic code over sequences calls for `contains(_:)`, which answers without a search.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func _customContainsEquatableElement(_ element: Element) -> Bool? {
    contains(element)
  }

  /// The hook that generic code over collections calls for `firstIndex(of:)`, which answers without a search.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func _customIndexOfEquatableElement(_ element: Element) -> Index?? {
    .some(firstIndex(of: element))
  }

  /// The hook that generic code over collections calls for `lastIndex(of:)`, which answers without a search.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func _customLastIndexOfEquatableElement(_ element: Element) -> Index?? {
    .some(firstIndex(of: element))
  }

  @inlinable
  func _slot(of member: Element) -> _Slot? {
    // Not `guard let ring`: that binding costs a retain and a release.
    guard _ring != nil else { return nil }
    return _ring!.isIndexed
      ? _ring!.indexedSlot(of: member, _HashWord(hashing: member)) : _ring!.comparedSlot(of: member)
  }
}
