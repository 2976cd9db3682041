// Adding, moving and removing elements of a ring.

extension _UnsafeRing {
  /// Appends an element that is not in the ring, which must have room.
  ///
  /// - Parameter word: The word of its hash, or a gap if the ring has no index.
  @inlinable
  @inline(__always)
  func append(_ element: consuming Element, _ word: _HashWord) {
    assert(word.isGap != isIndexed, "an index needs the hash of each element")
    let slot = slot(at: state.span.count)
    unsafe put(element, in: slot)
    if !word.isGap { file(slot, word) }
    state.span.count &+= 1
  }

  /// Moves the last element before the first.
  ///
  /// The new ordinal of the element may be one that a removed element had. In a full ring the element stays in its
  /// slot, and only the head moves.
  @inlinable
  func moveLastToStart() {
    let last = slot(at: state.span.count - 1)
    let start = slot(at: state.capacity &- 1)
    if last != start {
      if isIndexed { relocate(from: last, to: start) } else { unsafe shift(from: last, to: start) }
    }
    state.span.head = start
    state.firstOrdinal = state.firstOrdinal.advanced(by: -1)
    state.recallCount &+= 1
  }

  /// Removes the first element of a ring that isn't empty.
  @inlinable
  @inline(__always)
  func removeFirst() -> Element {
    let slot = state.span.head
    if isIndexed { unfile(slot) }
    dropFirstSlot()
    return unsafe take(from: slot)
  }

  /// Removes the last element of a ring that isn't empty; its ordinal will be reused.
  @inlinable
  func removeLast() -> Element {
    let slot = self.slot(at: state.span.count - 1)
    if isIndexed { unfile(slot) }
    state.span.count &-= 1
    state.recallCount &+= 1
    return unsafe take(from: slot)
  }

  /// Removes an element and, in a ring without an index, closes the gap; with an index, the caller has to trim the gap.
  @inlinable
  @inline(__always)
  func remove(at slot: _Slot) -> Element {
    slot == state.span.head ? removeFirst() : removeBehindFirst(at: slot)
  }

  @inlinable
  @inline(never)
  func removeBehindFirst(at slot: _Slot) -> Element {
    let element = unsafe take(from: slot)
    if isIndexed {
      unfile(slot)
      state.span.gapCount += 1
    } else {
      closeGap(at: slot)
    }
    return element
  }

  /// Moves an element after the last one.
  ///
  /// A ring with an index must have room, unless the element is the first: then a full ring only moves its head. Any
  /// other element leaves a gap, which the caller has to trim.
  @inlinable
  func moveToEnd(_ slot: _Slot) {
    guard isIndexed else { return append(remove(at: slot), .gap) }
    let end = self.slot(at: state.span.count)
    if slot != end { relocate(from: slot, to: end) }
    state.span.count += 1
    if slot == state.span.head { dropFirstSlot() } else { state.span.gapCount += 1 }
  }

  @inlinable
  func dropFirstSlot() {
    state.span.dropFirst(capacity: state.capacity)
    state.firstOrdinal = state.firstOrdinal.advanced(by: 1)
  }

  /// Drops the gaps at the ends, and closes those in between when they are more than a quarter of the slots.
  ///
  /// The ordinals of the gaps after the last element will be reused.
  @inlinable
  @inline(never)
  func trimEnds() {
    var span = state.span
    let trimmed = span.trimEnds(capacity: state.capacity) { isGap($0) }
    state.firstOrdinal = state.firstOrdinal.advanced(by: trimmed.start)
    if trimmed.end > 0 { state.recallCount &+= 1 }
    state.span = span
    if hasManyGaps { compact() }
  }

  @inlinable
  var hasManyGaps: Bool { state.span.gapCount * 4 > state.span.count }

  @inlinable
  func compact() {
    var span = state.span
    span.compact(capacity: state.capacity, isGap: { isGap($0) }, move: { relocate(from: $0, to: $1) })
    state.span = span
    state.epoch += 1
  }

  /// Moves an element to an empty slot and updates its entry in the index.
  @inlinable
  func relocate(from source: _Slot, to target: _Slot) {
    unsafe shift(from: source, to: target)
    let word = word(at: source)
    setSlot(group(of: source, word), word.lane, to: target)
    setWord(at: target, to: word)
    setWord(at: source, to: .gap)
  }

  /// Moves the elements after an empty slot one slot toward the head, in a ring without an index.
  @inlinable
  func closeGap(at slot: _Slot) {
    var gap = slot
    let last = self.slot(at: state.span.count - 1)
    while gap != last {
      let next = self.slot(after: gap)
      unsafe shift(from: next, to: gap)
      gap = next
    }
    state.span.count -= 1
    state.epoch += 1
  }

  @inlinable
  func removeAll() {
    deinitializeElements()
    state.firstOrdinal = state.firstOrdinal.advanced(by: state.span.count)
    state.span.count = 0
    state.span.gapCount = 0
    state.epoch += 1
    if isIndexed { clearIndex() }
  }

  /// Calls `body` with every run of slots that hold elements, in order, each run as long as possible.
  @inlinable
  func forEachRun(_ body: (Range<_Slot>) -> Void) {
    let head = state.span.head
    let beforeEnd = min(state.span.count, state.capacity - head.position)
    forEachRun(in: head..<head.advanced(by: beforeEnd), body)
    forEachRun(in: .zero..<_Slot(state.span.count - beforeEnd), body)
  }

  @inlinable
  func forEachRun(in slots: Range<_Slot>, _ body: (Range<_Slot>) -> Void) {
    if state.span.gapCount == 0 {
      if !slots.isEmpty { body(slots) }
      return
    }
    var slot = slots.lowerBound
    while slot < slots.upperBound {
      let start = slot
      while slot < slots.upperBound, !isGap(slot) { slot = slot.advanced(by: 1) }
      if start < slot { body(start..<slot) }
      while slot < slots.upperBound, isGap(slot) { slot = slot.advanced(by: 1) }
    }
  }
}
