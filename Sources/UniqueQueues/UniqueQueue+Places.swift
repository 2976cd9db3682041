// What a queue built on this one needs: to work on an element by its arrival, found without a hash.
//
// Elements and holes are numbered on from the first element ever appended. An element keeps its number as long as `layout` stays the same, and
// then it is enough to find it; the caller sees to that, for the numbers are not checked as indices are.

extension UniqueQueue {
  /// The numbers of the elements and the holes among them.
  @inlinable
  package var arrivals: Range<Int> {
    guard _ring != nil else { return 0..<0 }
    return _ring!.state.sequence..<_ring!.state.sequence + _ring!.state.span
  }

  /// What changes when elements get other numbers, as when holes are closed up.
  @inlinable
  package var layout: Int { _ring == nil ? 0 : _ring!.state.layout }

  /// The number of the element that equals this one.
  @inlinable
  package func arrival(of element: Element) -> Int? {
    _slot(of: element).map { _arrival(of: $0) }
  }

  /// Appends an element unless an equal one is in the queue.
  ///
  /// - Returns: the number of the equal one, or nil if the element was appended.
  @inlinable
  package mutating func appendOrFind(_ element: Element) -> Int? {
    defer { _checkInvariants() }
    return _appendIfNew(element).map { _arrival(of: $0) }
  }

  // Not a subscript: a large element would be copied to read a part of it, or an accessor's frame be allocated to lend it.

  /// Lets `body` read an element where it is.
  @inlinable
  @inline(__always)
  package func withElement<Result>(arrival: Int, _ body: (Element) throws -> Result) rethrows -> Result {
    try _ring!.withElement(in: _slot(arrival: arrival)) { element in try body(element) }
  }

  /// Whether an element with this number is in the queue.
  @inlinable
  package func hasElement(arrival: Int) -> Bool {
    arrivals.contains(arrival) && !_ring!.isHole(_ring!.slot(at: arrival &- _ring!.state.sequence))
  }

  /// Lets `body` change an element where it is; it must stay equal to what it was.
  @inlinable
  @inline(__always)
  package mutating func updateElement<Result>(
    arrival: Int, _ body: (inout Element) throws -> Result
  ) rethrows -> Result {
    defer { _checkInvariants() }
    _makeUnique()
    return try _ring!.withElement(in: _slot(arrival: arrival), body)
  }

  /// Takes an element out.
  @inlinable
  package mutating func remove(arrival: Int) {
    defer { _checkInvariants() }
    _ = _remove(at: _slot(arrival: arrival))
  }

  /// Moves an element to the end.
  @inlinable
  package mutating func moveToEnd(arrival: Int) {
    defer { _checkInvariants() }
    let offset = arrival - arrivals.lowerBound
    if offset == _span - 1 { return }
    if !_ring!.isIndexed || offset == 0 {
      _makeUnique()
      _ring!.moveToEnd(_slot(arrival: arrival))
    } else {
      _ = _makeRoom()
      _ring!.moveToEnd(_slot(arrival: arrival))
    }
    _settle()
  }

  /// The number of the element in a slot.
  @inlinable
  func _arrival(of slot: Int) -> Int { _ring!.state.sequence &+ _ring!.offset(of: slot) }

  /// The slot of the element with a number.
  @inlinable
  func _slot(arrival: Int) -> Int {
    precondition(arrivals.contains(arrival), "No element has this number")
    let slot = _ring!.slot(at: arrival &- _ring!.state.sequence)
    assert(!_ring!.isHole(slot), "The element with this number was taken out")
    return slot
  }
}
