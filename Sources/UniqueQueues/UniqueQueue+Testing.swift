// Access to the internals for the tests, and for nothing else.

extension UniqueQueue {
  /// A queue whose elements lie in chosen slots.
  ///
  /// - Parameters:
  ///   - elements: The elements in order, all different. Nil is a gap, which only a queue with an index can have.
  ///   - capacity: The number of slots.
  ///   - head: The slot of the first element.
  ///   - isIndexed: Whether elements are found by hash.
  ///   - slotNumberSize: How many bytes a slot number takes in the index, from two to four; by default what the
  ///     capacity needs.
  package init(layout elements: [Element?], capacity: Int, head: Int, isIndexed: Bool, slotNumberSize: Int? = nil) {
    let ring = _UnsafeRing<Element>.make(capacity: capacity, isIndexed: isIndexed, slotNumberSize: slotNumberSize)
    ring.state.span.head = _Slot(head)
    for element in elements {
      guard let element else {
        ring.state.span.count += 1
        ring.state.span.gapCount += 1
        continue
      }
      ring.append(element, isIndexed ? _HashWord(hashing: element) : .gap)
    }
    self.init(_ring: ring)
    _checkInvariants()
  }

  /// The identity of the storage, which stays the same as long as the queue keeps its storage.
  package var storageIdentity: ObjectIdentifier? { _ring.map { ObjectIdentifier($0) } }

  /// The number of slots whose elements were removed from the middle.
  package var gapCount: Int { _ring?.state.span.gapCount ?? 0 }

  /// Whether elements are found by hash.
  package var isIndexed: Bool { _ring?.isIndexed ?? false }
}
