// How one ring becomes another: a copy for a second owner, or more room.

extension _Ring {
  /// A ring with the same elements in the same slots.
  @inlinable
  func copied() -> _Ring {
    let copy = Self.allocate(capacity: state.capacity, isIndexed: isIndexed, entrySize: state.entrySize)
    forEachRun { run in hand(run, to: copy, at: run.lowerBound, moving: false) }
    if isIndexed { copy.copyIndex(of: self) }
    copy.state.head = state.head
    copy.state.sequence = state.sequence
    copy.state.span = state.span
    copy.state.holeCount = state.holeCount
    copy.state.layout = state.layout
    return copy
  }

  /// A ring with this capacity and the same elements and holes from its first slot on.
  ///
  /// - Parameter moving: whether this ring gives its elements away and is empty then.
  @inlinable
  func relaid(capacity: Int, moving: Bool) -> _Ring {
    let ring = Self.make(
      capacity: capacity, isIndexed: isIndexed || capacity > Self.largestUnindexed, entrySize: Self.entrySize(capacity))
    forEachRun { run in hand(run, to: ring, at: offset(of: run.lowerBound), moving: moving) }
    ring.state.sequence = state.sequence
    ring.state.span = state.span
    ring.state.holeCount = state.holeCount
    ring.state.layout = state.layout
    if ring.isIndexed { ring.index(likeThatOf: self) }
    if moving {
      state.span = 0
      state.holeCount = 0
    }
    return ring
  }

  /// Files the elements by the hashes that another ring knows, which has them from its head on.
  @inlinable
  func index(likeThatOf other: _Ring) {
    guard other.isIndexed else {
      for slot in 0..<state.span { file(slot, _HashWord(hashing: self[slot])) }
      return
    }
    other.forEachRun { run in
      for slot in run { file(other.offset(of: slot), other.word(at: slot)) }
    }
  }
}
