// How one ring becomes another: a copy for a second owner, or another room.

extension _Ring {
  /// A ring with the same elements, of which none moves in the sequence.
  ///
  /// They are in the same slots, and there is as much room, unless most of it is a waste: then what was once needed, or
  /// reserved, is left to the other owner, and a copy takes O(count).
  @inlinable
  func copied() -> _Ring {
    isWasteful
      ? relaid(capacity: Self.capacity(after: state.span), moving: false) : copiedInPlace()
  }

  @inlinable
  var isWasteful: Bool { Self.isWaste(state.capacity, for: state.span) }

  /// A ring with the same elements in the same slots.
  @inlinable
  func copiedInPlace() -> _Ring {
    let copy = Self.allocate(capacity: state.capacity, isIndexed: isIndexed, entrySize: state.entrySize)
    forEachRun { run in hand(run, to: copy, at: run.lowerBound, moving: false) }
    if isIndexed { copy.copyIndex(of: self) }
    copy.state.head = state.head
    copy.state.sequence = state.sequence
    copy.state.span = state.span
    copy.state.holeCount = state.holeCount
    copy.state.layout = state.layout
    copy.state.recallCount = state.recallCount
    return copy
  }

  /// A ring with this capacity and the same elements and holes from its first slot on.
  ///
  /// - Parameter moving: whether this ring gives its elements away and is empty then.
  @inlinable
  func relaid(capacity: Int, moving: Bool) -> _Ring {
    // Only an index tells a hole from an element.
    let isIndexed = capacity > Self.largestUnindexed || state.holeCount > 0
    let ring = Self.make(capacity: capacity, isIndexed: isIndexed, entrySize: Self.entrySize(capacity))
    forEachRun { run in hand(run, to: ring, at: offset(of: run.lowerBound), moving: moving) }
    ring.state.sequence = state.sequence
    ring.state.span = state.span
    ring.state.holeCount = state.holeCount
    ring.state.layout = state.layout
    ring.state.recallCount = state.recallCount
    if ring.isIndexed { ring.index(likeThatOf: self) }
    if moving {
      state.span = 0
      state.holeCount = 0
    }
    return ring
  }

  /// A ring with this capacity and no element, in which no index of this one is valid.
  @inlinable
  func emptied(capacity: Int) -> _Ring {
    let ring = Self.make(capacity: capacity)
    ring.state.sequence = state.sequence + state.span
    ring.state.layout = state.layout + 1
    ring.state.recallCount = state.recallCount
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
