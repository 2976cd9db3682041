// How one ring becomes another: a copy for a second owner, or another room.

extension _UnsafeRing {
  /// A ring with the same elements, which keep their ordinals.
  ///
  /// They are in the same slots, and there is as much room, unless most of it is a waste: then what was once needed, or
  /// reserved, is left to the other owner, and a copy takes O(count).
  @inlinable
  func copied() -> _UnsafeRing {
    isWasteful
      ? relaid(capacity: Self.capacity(after: state.span.count), moving: false) : copiedInPlace()
  }

  @inlinable
  var isWasteful: Bool { Self.isWaste(state.capacity, for: state.span.count) }

  /// A ring with the same elements in the same slots.
  @inlinable
  func copiedInPlace() -> _UnsafeRing {
    let copy = Self.allocate(capacity: state.capacity, isIndexed: isIndexed, slotNumberSize: state.slotNumberSize)
    forEachRun { run in unsafe hand(run, to: copy, at: run.lowerBound, moving: false) }
    if isIndexed { copy.copyIndex(of: self) }
    copy.state.firstOrdinal = state.firstOrdinal
    copy.state.span = state.span
    copy.state.epoch = state.epoch
    copy.state.recallCount = state.recallCount
    return copy
  }

  /// A ring with this capacity and the same elements and gaps from its first slot on.
  ///
  /// - Parameter moving: Whether this ring gives its elements away and is empty then.
  @inlinable
  func relaid(capacity: Int, moving: Bool) -> _UnsafeRing {
    // Only an index tells a gap from an element.
    let isIndexed = capacity > Self.largestUnindexed || state.span.gapCount > 0
    let ring = Self.make(capacity: capacity, isIndexed: isIndexed, slotNumberSize: Self.slotNumberSize(capacity))
    forEachRun { run in unsafe hand(run, to: ring, at: _Slot(offset(of: run.lowerBound)), moving: moving) }
    ring.state.firstOrdinal = state.firstOrdinal
    ring.state.span.count = state.span.count
    ring.state.span.gapCount = state.span.gapCount
    ring.state.epoch = state.epoch
    ring.state.recallCount = state.recallCount
    if ring.isIndexed { ring.index(likeThatOf: self) }
    if moving {
      state.span.count = 0
      state.span.gapCount = 0
    }
    return ring
  }

  /// A ring with this capacity and no element, in which no index of this one is valid.
  @inlinable
  func emptied(capacity: Int) -> _UnsafeRing {
    let ring = Self.make(capacity: capacity)
    ring.state.firstOrdinal = state.firstOrdinal.advanced(by: state.span.count)
    ring.state.epoch = state.epoch + 1
    ring.state.recallCount = state.recallCount
    return ring
  }

  /// Files the elements by the hashes that another ring knows, which has them from its head on.
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
