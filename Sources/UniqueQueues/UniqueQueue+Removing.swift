extension UniqueQueue {
  /// Removes the first element.
  ///
  /// - Returns: The element, or nil when the queue is empty.
  /// - Complexity: O(1) amortized; O(*n*) when the storage is shared.
  @inlinable
  public mutating func popFirst() -> Element? { isEmpty ? nil : removeFirst() }

  /// Removes the first element.
  ///
  /// - Precondition: The queue is not empty.
  /// - Complexity: O(1) amortized; O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func removeFirst() -> Element { takeFirst() }

  /// Removes the first element, inlined in the caller.
  @inlinable
  @inline(__always)
  package mutating func takeFirst() -> Element {
    defer { _checkInvariants() }
    precondition(!isEmpty, "Can't remove the first element of an empty queue")
    _makeUnique()
    let element = _ring!.removeFirst()
    _settle()
    return element
  }

  /// Removes the last element.
  ///
  /// - Returns: The element, or nil when the queue is empty.
  /// - Complexity: O(1) amortized; O(*n*) when the storage is shared.
  @inlinable
  public mutating func popLast() -> Element? { isEmpty ? nil : removeLast() }

  /// Removes the last element.
  ///
  /// - Precondition: The queue is not empty.
  /// - Complexity: O(1) amortized; O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func removeLast() -> Element {
    defer { _checkInvariants() }
    precondition(!isEmpty, "Can't remove the last element of an empty queue")
    _makeUnique()
    let element = _ring!.removeLast()
    _settle()
    return element
  }

  /// Removes the element that equals this one.
  ///
  /// - Returns: The element that was in the queue, or nil if there was none.
  /// - Complexity: O(1) amortized; O(*n*) when the storage is shared and the element is there.
  @inlinable
  @discardableResult
  public mutating func remove(_ member: Element) -> Element? {
    defer { _checkInvariants() }
    guard let slot = _slot(of: member) else { return nil }
    return _remove(at: slot)
  }

  /// Removes every element that equals one of these.
  ///
  /// ```swift
  /// var queue: UniqueQueue = ["mail", "notes", "photos"]
  /// queue.subtract(["photos", "music"])
  /// assert(queue == ["mail", "notes"])
  /// ```
  ///
  /// - Complexity: O(*m*) amortized for *m* elements in `other`; O(*n* + *m*) when the storage is shared.
  @inlinable
  public mutating func subtract(_ other: some Sequence<Element>) {
    for member in other { remove(member) }
  }

  /// Removes the element at an index.
  ///
  /// - Precondition: `index` is an index of an element in the queue.
  /// - Complexity: O(1) amortized; O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func remove(at index: Index) -> Element {
    defer { _checkInvariants() }
    return _remove(at: _slot(at: index))
  }

  /// Removes every element that satisfies a condition.
  ///
  /// If the condition throws, the elements for which it was true until then are removed. If the remaining elements need
  /// less than a quarter of the room, the queue shrinks, even if the room was reserved.
  ///
  /// - Complexity: O(*n*). No element is hashed.
  @inlinable
  public mutating func removeAll<Failure: Error>(
    where shouldBeRemoved: (Element) throws(Failure) -> Bool
  ) throws(Failure) {
    defer { _checkInvariants() }
    guard !isEmpty else { return }
    let count = count
    defer {
      // If all elements stay, the storage may still be shared and must not be changed.
      if self.count < count {
        _settle()
        _shrinkIfWasteful()
      }
    }
    // By ordinal, because offsets change when the first element is removed.
    var ordinal = _ring!.state.firstOrdinal
    while case let offset = _ring!.state.firstOrdinal.distance(to: ordinal), offset < _ring!.state.span.count {
      var slot = _ring!.slot(at: offset)
      guard !_ring!.isGap(slot), unsafe try shouldBeRemoved(_ring![slot]) else {
        ordinal = ordinal.advanced(by: 1)
        continue
      }
      _makeUnique(following: &slot)
      let closesUp = offset > 0 && !_ring!.isIndexed
      _ = _ring!.remove(at: slot)
      if !closesUp { ordinal = ordinal.advanced(by: 1) }
    }
  }

  /// A queue of the elements that satisfy a condition, in their order.
  ///
  /// - Complexity: O(*n*). No element is hashed.
  @inlinable
  public func filter<Failure: Error>(_ isIncluded: (Element) throws(Failure) -> Bool) throws(Failure) -> UniqueQueue {
    var filtered = self
    try filtered.removeAll { element throws(Failure) in try !isIncluded(element) }
    return filtered
  }

  /// Removes every element.
  ///
  /// - Parameter keepCapacity: Whether to keep the room for new elements.
  /// - Complexity: O(*c*) if a capacity of *c* is kept; otherwise O(*n*), or O(1) if the storage is shared.
  @inlinable
  public mutating func removeAll(keepingCapacity keepCapacity: Bool = false) {
    defer { _checkInvariants() }
    guard let capacity = _ring?.state.capacity, capacity > 0 else { return }
    if keepCapacity, isKnownUniquelyReferenced(&_ring) {
      _ring!.removeAll()
    } else {
      // Not nil: an empty ring continues the ordinals, so that no old index is mistaken for a new one.
      _ring = _ring!.emptied(capacity: keepCapacity ? capacity : 0)
    }
  }

  @inlinable
  mutating func _remove(at slot: _Slot) -> Element {
    var slot = slot
    _makeUnique(following: &slot)
    let element = _ring!.remove(at: slot)
    _settle()
    return element
  }

  /// Removes the gaps at the ends of the ring, and closes all gaps if there are too many.
  @inlinable
  mutating func _settle() {
    if _ring!.state.span.gapCount != 0 { _ring!.trimEnds() }
  }
}
