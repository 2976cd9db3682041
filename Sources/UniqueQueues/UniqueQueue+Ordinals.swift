// Access to elements by ordinal, without hashing, for the queues that are built on this one.
//
// An ordinal names the same element as long as `epoch` stays the same. Callers compare the epoch themselves. An ordinal
// without an element traps.

extension UniqueQueue {
  /// The ordinals of the elements and of the gaps among them.
  @inlinable
  package var ordinals: Range<_Ordinal> {
    guard _ring != nil else { return .zero ..< .zero }
    let first = _ring!.state.firstOrdinal
    // Unchecked, because a count is never negative and the checks cost more than the rest.
    return unsafe Range(uncheckedBounds: (first, first.advanced(by: _ring!.state.span.count)))
  }

  /// The ordinal of the last element of a queue that isn't empty.
  @inlinable
  package var lastOrdinal: _Ordinal { ordinals.upperBound.advanced(by: -1) }

  /// A count that changes when elements get other ordinals, for example when gaps are closed.
  @inlinable
  package var epoch: Int { _ring == nil ? 0 : _ring!.state.epoch }

  /// The ordinal of the element that equals this one.
  @inlinable
  package func ordinal(of element: Element) -> _Ordinal? {
    _slot(of: element).map { _ordinal(of: $0) }
  }

  /// Appends an element unless an equal one is in the queue.
  ///
  /// - Returns: The ordinal of the equal element, or nil if the element was appended.
  @inlinable
  @inline(__always)
  package mutating func appendOrFind(_ element: consuming Element) -> _Ordinal? {
    defer { _checkInvariants() }
    return _appendLikelyNew(element).map { _ordinal(of: $0) }
  }

  // Not a subscript, which would copy a large element to read a part of it, or allocate an accessor's frame to lend it.

  /// Calls `body` with an element in place, without copying it.
  @inlinable
  @inline(__always)
  package func withElement<Result, Failure: Error>(
    ordinal: _Ordinal, _ body: (Element) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe _ring!.withElement(in: _slot(ordinal: ordinal)) { element throws(Failure) in try body(element) }
  }

  /// Whether an element with this ordinal is in the queue and satisfies a condition, if there is one.
  @inlinable
  @inline(__always)
  package func hasElement(ordinal: _Ordinal, where condition: (Element) -> Bool = { _ in true }) -> Bool {
    guard hasSlot(ordinal: ordinal) else { return false }
    let slot = _slotOrGap(ordinal: ordinal)
    if _ring!.isGap(slot) { return false }
    return unsafe _ring!.withElement(in: slot) { element in condition(element) }
  }

  /// Calls `body` with the first element in place, without copying it.
  @inlinable
  @inline(__always)
  package func withFirst<Result, Failure: Error>(
    _ body: (Element) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(!isEmpty, "An empty queue has no first element")
    return try unsafe _ring!.withElement(in: _ring!.state.span.head) { element throws(Failure) in try body(element) }
  }

  /// Whether an element, or a gap between two, has this ordinal.
  @inlinable
  @inline(__always)
  package func hasSlot(ordinal: _Ordinal) -> Bool {
    guard _ring != nil else { return false }
    return UInt(bitPattern: _ring!.state.firstOrdinal.distance(to: ordinal)) < UInt(bitPattern: _ring!.state.span.count)
  }

  /// Calls `body` to change an element in place; the element must stay equal to what it was.
  @inlinable
  @inline(__always)
  package mutating func updateElement<Result, Failure: Error>(
    ordinal: _Ordinal, _ body: (inout Element) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { _checkInvariants() }
    var slot = _slot(ordinal: ordinal)
    _makeUnique(following: &slot)
    return try unsafe _ring!.withElement(in: slot, body)
  }

  @inlinable
  package mutating func remove(ordinal: _Ordinal) {
    defer { _checkInvariants() }
    _ = _remove(at: _slot(ordinal: ordinal))
  }

  @inlinable
  package mutating func moveToEnd(ordinal: _Ordinal) {
    defer { _checkInvariants() }
    let offset = ordinals.lowerBound.distance(to: ordinal)
    if offset == _span - 1 { return }
    if !_ring!.isIndexed || offset == 0 { _makeUnique() } else { _ = _makeRoom() }
    _ring!.moveToEnd(_slot(ordinal: ordinal))
    _settle()
  }

  /// The ordinal of the element in a slot.
  @inlinable
  func _ordinal(of slot: _Slot) -> _Ordinal { _ring!.state.firstOrdinal.advanced(by: _ring!.offset(of: slot)) }

  /// The slot of the element with this ordinal.
  @inlinable
  @inline(__always)
  func _slot(ordinal: _Ordinal) -> _Slot {
    precondition(hasSlot(ordinal: ordinal), "No element has this number")
    let slot = _slotOrGap(ordinal: ordinal)
    precondition(!_ring!.isGap(slot), "The element with this number was taken out")
    return slot
  }

  @inlinable
  @inline(__always)
  func _slotOrGap(ordinal: _Ordinal) -> _Slot { _ring!.slot(at: _ring!.state.firstOrdinal.distance(to: ordinal)) }
}
