// How the ring takes elements in and gives them out.

extension _UnsafeRing {
  /// Appends an element that is not in the ring, which must have room.
  @inlinable
  @inline(__always)
  func append(_ element: Element, _ word: _HashWord) {
    let slot = slot(at: state.span)
    put(element, in: slot)
    if isIndexed { file(slot, word) }
    state.span &+= 1
  }

  /// Takes the oldest element out of a ring that is not empty.
  @inlinable
  @inline(__always)
  func removeFirst() -> Element {
    let slot = state.head
    if isIndexed { unfile(slot) }
    dropFirstSlot()
    return take(from: slot)
  }

  /// Takes an element out: a ring with an index gets a gap, to be settled, one without closes up.
  @inlinable
  func remove(at slot: Int) -> Element {
    if slot == state.head { return removeFirst() }
    let element = take(from: slot)
    if isIndexed {
      unfile(slot)
      state.gapCount += 1
    } else {
      closeGap(at: slot)
    }
    return element
  }

  /// Moves an element behind the newest one.
  ///
  /// A ring with an index must have room, unless the element is the oldest: a full ring just turns. Another one leaves
  /// a gap, to be settled.
  @inlinable
  func moveToEnd(_ slot: Int) {
    guard isIndexed else { return append(remove(at: slot), .gap) }
    let end = self.slot(at: state.span)
    if slot != end { relocate(from: slot, to: end) }
    state.span += 1
    if slot == state.head { dropFirstSlot() } else { state.gapCount += 1 }
  }

  @inlinable
  func dropFirstSlot() {
    state.head = slot(after: state.head)
    state.firstOrdinal &+= 1
    state.span &-= 1
  }

  /// Drops the gaps at the ends, and closes up those in between when they are more than a quarter.
  @inlinable
  @inline(never)
  func trimEnds() {
    while state.span > 0, isGap(state.head) {
      dropFirstSlot()
      state.gapCount -= 1
    }
    if state.span > 0, isGap(slot(at: state.span - 1)) { dropLastGaps() }
    if hasManyGaps { compact() }
  }

  /// Drops the gaps behind the newest element: their numbers are given again.
  @inlinable
  func dropLastGaps() {
    repeat {
      state.span -= 1
      state.gapCount -= 1
    } while state.span > 0 && isGap(slot(at: state.span - 1))
    state.recallCount &+= 1
  }

  @inlinable
  var hasManyGaps: Bool { state.gapCount * 4 > state.span }

  /// Closes up the gaps.
  @inlinable
  func compact() {
    var target = state.head
    var source = state.head
    for _ in 0..<state.span {
      if !isGap(source) {
        if source != target { relocate(from: source, to: target) }
        target = slot(after: target)
      }
      source = slot(after: source)
    }
    state.span = count
    state.gapCount = 0
    state.epoch += 1
  }

  /// Moves an element to an empty slot, and its place in the index with it.
  @inlinable
  func relocate(from source: Int, to target: Int) {
    shift(from: source, to: target)
    let word = word(at: source)
    setSlot(group(of: source, word), word.lane, to: target)
    setWord(at: target, to: word)
    setWord(at: source, to: .gap)
  }

  /// Moves the elements behind an empty slot one slot forward, in a ring without an index.
  @inlinable
  func closeGap(at slot: Int) {
    var gap = slot
    let newest = self.slot(at: state.span - 1)
    while gap != newest {
      let next = self.slot(after: gap)
      shift(from: next, to: gap)
      gap = next
    }
    state.span -= 1
    state.epoch += 1
  }

  @inlinable
  func removeAll() {
    deinitializeElements()
    state.firstOrdinal += state.span
    state.span = 0
    state.gapCount = 0
    state.epoch += 1
    if isIndexed { clearIndex() }
  }

  /// Calls `body` with every longest range of slots that hold elements, oldest first.
  @inlinable
  func forEachRun(_ body: (Range<Int>) -> Void) {
    let head = state.head
    let beforeEnd = min(state.span, state.capacity - head)
    forEachRun(in: head..<head + beforeEnd, body)
    forEachRun(in: 0..<state.span - beforeEnd, body)
  }

  @inlinable
  func forEachRun(in slots: Range<Int>, _ body: (Range<Int>) -> Void) {
    if state.gapCount == 0 {
      if !slots.isEmpty { body(slots) }
      return
    }
    var slot = slots.lowerBound
    while slot < slots.upperBound {
      let start = slot
      while slot < slots.upperBound, !isGap(slot) { slot += 1 }
      if start < slot { body(start..<slot) }
      while slot < slots.upperBound, isGap(slot) { slot += 1 }
    }
  }
}
