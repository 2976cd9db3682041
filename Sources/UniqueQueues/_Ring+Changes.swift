// How the ring takes elements in and gives them out.

extension _Ring {
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

  /// Takes an element out: a ring with an index gets a hole, to be settled, one without closes up.
  @inlinable
  func remove(at slot: Int) -> Element {
    if slot == state.head { return removeFirst() }
    let element = take(from: slot)
    if isIndexed {
      unfile(slot)
      state.holeCount += 1
    } else {
      closeGap(at: slot)
    }
    return element
  }

  /// Moves an element behind the newest one.
  ///
  /// A ring with an index must have room, unless the element is the oldest: a full ring just turns. Another one leaves a hole, to be settled.
  @inlinable
  func moveToEnd(_ slot: Int) {
    guard isIndexed else { return append(remove(at: slot), .hole) }
    let end = self.slot(at: state.span)
    if slot != end { relocate(from: slot, to: end) }
    state.span += 1
    if slot == state.head { dropFirstSlot() } else { state.holeCount += 1 }
  }

  @inlinable
  func dropFirstSlot() {
    state.head = slot(after: state.head)
    state.sequence &+= 1
    state.span &-= 1
  }

  /// Drops the holes at the ends, and closes up those in between when they are more than a quarter.
  @inlinable
  @inline(never)
  func settle() {
    while state.span > 0, isHole(state.head) {
      dropFirstSlot()
      state.holeCount -= 1
    }
    if state.span > 0, isHole(slot(at: state.span - 1)) { dropLastHoles() }
    if hasManyHoles { compact() }
  }

  /// Drops the holes behind the newest element: their numbers are given again.
  @inlinable
  func dropLastHoles() {
    repeat {
      state.span -= 1
      state.holeCount -= 1
    } while state.span > 0 && isHole(slot(at: state.span - 1))
    state.recallCount &+= 1
  }

  @inlinable
  var hasManyHoles: Bool { state.holeCount * 4 > state.span }

  /// Closes up the holes.
  @inlinable
  func compact() {
    var target = state.head
    var source = state.head
    for _ in 0..<state.span {
      if !isHole(source) {
        if source != target { relocate(from: source, to: target) }
        target = slot(after: target)
      }
      source = slot(after: source)
    }
    state.span = count
    state.holeCount = 0
    state.layout += 1
  }

  /// Moves an element to an empty slot, and its place in the index with it.
  @inlinable
  func relocate(from source: Int, to target: Int) {
    shift(from: source, to: target)
    let word = word(at: source)
    setEntry(group(of: source, word), word.lane, to: target)
    setWord(at: target, to: word)
    setWord(at: source, to: .hole)
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
    state.layout += 1
  }

  @inlinable
  func removeAll() {
    deinitializeElements()
    state.sequence += state.span
    state.span = 0
    state.holeCount = 0
    state.layout += 1
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
    if state.holeCount == 0 {
      if !slots.isEmpty { body(slots) }
      return
    }
    var slot = slots.lowerBound
    while slot < slots.upperBound {
      let start = slot
      while slot < slots.upperBound, !isHole(slot) { slot += 1 }
      if start < slot { body(start..<slot) }
      while slot < slots.upperBound, isHole(slot) { slot += 1 }
    }
  }
}
