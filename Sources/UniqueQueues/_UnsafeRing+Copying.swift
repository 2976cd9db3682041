// Replacing a ring: by a copy for a second owner, or by one with another capacity.

extension _UnsafeRing {
  /// A ring with the same elements, which keep their ordinals.
  ///
  /// The copy has the same slots and capacity, unless the ring has far more room than it needs. Then the copy gets
  /// only the room that it needs, in O(count), and the original keeps its own.
  @inlinable
  func copied() -> _UnsafeRing {
    if isWasteful { return relaid(capacity: Self.capacity(after: state.span.count), moving: false) }
    let copy = Self.allocate(capacity: state.capacity, isIndexed: isIndexed, slotNumberSize: state.slotNumberSize)
    forEachRun { run in unsafe hand(run, to: copy, at: run.lowerBound, moving: false) }
    if isIndexed { copy.copyIndex(of: self) }
    copy.state.firstOrdinal = state.firstOrdinal
    copy.state.span = state.span
    copy.state.epoch = state.epoch
    copy.state.recallCount = state.recallCount
    return copy
  }

  /// Whether the ring has far more room than its span needs: more than four times as much.
  ///
  /// The ring that replaces a wasteful one has half as much room again as it needs, so it takes many operations until
  /// it is wasteful again.
  @inlinable
  var isWasteful: Bool { state.capacity > 4 * state.span.count + 16 }

  /// A ring with this capacity that has the same elements and gaps, beginning at its first slot.
  ///
  /// - Parameter moving: Whether to move the elements, which leaves this ring empty.
  @inlinable
  func relaid(capacity: Int, moving: Bool) -> _UnsafeRing {
    // Only an index distinguishes a gap from an element.
    let isIndexed = capacity > Self.largestUnindexed || state.span.gapCount > 0
    let ring = Self.make(capacity: capacity, isIndexed: isIndexed)
    forEachRun { run in unsafe hand(run, to: ring, at: _Slot(offset(of: run.lowerBound)), moving: moving) }
    ring.state.firstOrdinal = state.firstOrdinal
    ring.state.span.count = state.span.count
    ring.state.span.gapCount = state.span.gapCount
    ring.state.epoch = state.epoch
    ring.state.recallCount = state.recallCount
    if ring.isIndexed { ring.index(likeThatOf: self) }
    if moving { state.span = _RingSpan() }
    return ring
  }

  /// An empty ring with this capacity, for which no index of this ring is valid.
  @inlinable
  func emptied(capacity: Int) -> _UnsafeRing {
    let ring = Self.make(capacity: capacity)
    ring.state.firstOrdinal = state.firstOrdinal.advanced(by: state.span.count)
    ring.state.epoch = state.epoch + 1
    ring.state.recallCount = state.recallCount
    return ring
  }

  /// Indexes the elements, which `other` has from its head on, by the hashes that `other` has cached.
  @inlinable
  func index(likeThatOf other: _UnsafeRing) {
    guard other.isIndexed else {
      for slot in _Slot.zero..<_Slot(state.span.count) {
        file(slot, _HashWord(hashing: unsafe pointer(to: slot).pointee))
      }
      return
    }
    other.forEachRun { run in
      for slot in run { file(_Slot(other.offset(of: slot)), other.word(at: slot)) }
    }
  }
}
