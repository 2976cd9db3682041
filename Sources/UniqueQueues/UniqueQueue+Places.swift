// What a queue built on this one needs: to work on an element by its index, found by one hash.

extension UniqueQueue {
  /// Appends an element unless an equal one is in the queue.
  ///
  /// - Returns: the index of the equal one, or nil if the element was appended.
  @inlinable
  package mutating func appendOrFind(_ element: Element) -> Index? {
    _appendIfNew(element).map { _index(of: $0) }
  }

  /// The element at an index, to be changed where it is; it must stay equal to what it was.
  @inlinable
  package subscript(place index: Index) -> Element {
    _read { yield _ring![_slot(at: index)] }
    _modify {
      let slot = _slot(at: index)
      _makeUnique()
      yield &_ring![slot]
    }
  }

  /// Moves the element at an index to the end.
  @inlinable
  package mutating func moveToEnd(at index: Index) {
    defer { _checkInvariants() }
    let offset = _offset(of: index)
    if offset == _span - 1 { return }
    let slot = _slot(at: index)
    if !_ring!.isIndexed || offset == 0 {
      _makeUnique()
      _ring!.moveToEnd(slot)
    } else {
      _ = _makeRoom()
      _ring!.moveToEnd(_ring!.slot(at: offset))
    }
    _settle()
  }
}

extension UniqueQueue.Index {
  /// Whether the index stands for the same element as ever, or for the place of one that was taken out.
  ///
  /// It does until elements have moved: when holes are closed up, which any removal but of the first may do.
  @inlinable
  package func isValid(in queue: UniqueQueue) -> Bool { _layout == queue.endIndex._layout }
}
