// What a queue built on this one needs: to work on an element by its ordinal, found without a hash.
//
// Elements and gaps are numbered on from the first element ever appended. What is prepended is numbered down from the
// first, also below zero. An element keeps its number as long as `epoch` stays the same, and then it is enough to find
// it. The caller sees to that, for the numbers are not checked as indices are.

extension UniqueQueue {
  /// The numbers of the elements and the gaps among them.
  @inlinable
  package var ordinals: Range<Int> {
    guard _ring != nil else { return 0..<0 }
    let first = _ring!.state.firstOrdinal
    // Unchecked: a count is never negative, and the checks cost more than the rest.
    return unsafe Range(uncheckedBounds: (first, first &+ _ring!.state.span.count))
  }

  /// What changes when elements get other numbers, as when gaps are closed up.
  @inlinable
  package var epoch: Int { _ring == nil ? 0 : _ring!.state.epoch }

  /// The number of the element that equals this one.
  @inlinable
  package func ordinal(of element: Element) -> Int? {
    _slot(of: element).map { _ordinal(of: $0) }
  }

  /// Appends an element unless an equal one is in the queue.
  ///
  /// - Returns: The number of the equal one, or nil if the element was appended.
  @inlinable
  @inline(__always)
  package mutating func appendOrFind(_ element: consuming Element) -> Int? {
    defer { _checkInvariants() }
    return _appendLikelyNew(element).map { _ordinal(of: $0) }
  }

  // Not a subscript: a large element would be copied to read a part of it, or an accessor's frame be allocated to lend
  // it.

  /// Lets `body` read an element where it is.
  @inlinable
  @inline(__always)
  package func withElement<Result, Failure: Error>(
    ordinal: Int, _ body: (Element) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try _ring!.withElement(in: _slot(ordinal: ordinal)) { element throws(Failure) in try body(element) }
  }

  /// Lets `body` read the first element where it is.
  @inlinable
  @inline(__always)
  package func withFirst<Result, Failure: Error>(
    _ body: (Element) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(!isEmpty, "An empty queue has no first element")
    return try _ring!.withElement(in: _ring!.state.span.head) { element throws(Failure) in try body(element) }
  }

  /// Whether an element with this number is in the queue.
  @inlinable
  @inline(__always)
  package func hasElement(ordinal: Int) -> Bool {
    hasSlot(ordinal: ordinal) && !_ring!.isGap(_ring!.slot(at: ordinal &- _ring!.state.firstOrdinal))
  }

  /// Whether an element or a gap between two has this ordinal.
  @inlinable
  @inline(__always)
  package func hasSlot(ordinal: Int) -> Bool {
    guard _ring != nil else { return false }
    return UInt(bitPattern: ordinal &- _ring!.state.firstOrdinal) < UInt(bitPattern: _ring!.state.span.count)
  }

  /// Lets `body` change an element where it is; it must stay equal to what it was.
  @inlinable
  @inline(__always)
  package mutating func updateElement<Result, Failure: Error>(
    ordinal: Int, _ body: (inout Element) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { _checkInvariants() }
    var slot = _slot(ordinal: ordinal)
    _makeUnique(following: &slot)
    return try _ring!.withElement(in: slot, body)
  }

  /// Takes an element out.
  @inlinable
  package mutating func remove(ordinal: Int) {
    defer { _checkInvariants() }
    _ = _remove(at: _slot(ordinal: ordinal))
  }

  /// Moves an element to the end.
  @inlinable
  package mutating func moveToEnd(ordinal: Int) {
    defer { _checkInvariants() }
    let offset = ordinal - ordinals.lowerBound
    if offset == _span - 1 { return }
    if !_ring!.isIndexed || offset == 0 {
      _makeUnique()
      _ring!.moveToEnd(_slot(ordinal: ordinal))
    } else {
      _ = _makeRoom()
      _ring!.moveToEnd(_slot(ordinal: ordinal))
    }
    _settle()
  }

  /// The number of the element in a slot.
  @inlinable
  func _ordinal(of slot: Int) -> Int { _ring!.state.firstOrdinal &+ _ring!.offset(of: slot) }

  /// The slot of the element with a number.
  @inlinable
  func _slot(ordinal: Int) -> Int {
    precondition(hasSlot(ordinal: ordinal), "No element has this number")
    let slot = _ring!.slot(at: ordinal &- _ring!.state.firstOrdinal)
    assert(!_ring!.isGap(slot), "The element with this number was taken out")
    return slot
  }
}
