/// The range of slots in a ring from its first element to its last, including the gaps among them.
///
///           head           head + count - 1
///            v                v
///     | · · |e  e  –  e  –  e| · · · |         "–" is a gap; the span may continue at slot 0 after the last slot
///
/// A span has only numbers, no memory. The ring that owns it passes its capacity (the number of slots) to every
/// operation, and says which slots are gaps. After `trimEnds`, the first and the last slot of a span hold
/// elements.
@frozen
@usableFromInline
package struct _RingSpan: Sendable {
  /// The slot of the first element.
  @usableFromInline package var head = _Slot.zero

  /// The number of slots, gaps included.
  @usableFromInline package var count = 0

  /// The number of gaps.
  @usableFromInline package var gapCount = 0

  @inlinable
  package init() {}
}

// MARK: - Places

extension _RingSpan {
  /// The number of slots that hold elements.
  @inlinable
  package var elementCount: Int { count &- gapCount }

  /// The next slot; after the last slot, slot 0.
  @inlinable
  @inline(__always)
  package static func slot(after slot: _Slot, capacity: Int) -> _Slot {
    let next = slot.advanced(by: 1)
    return next.position == capacity ? .zero : next
  }

  /// The slot at an offset from the first.
  @inlinable
  @inline(__always)
  package func slot(at offset: Int, capacity: Int) -> _Slot {
    let position = head.position &+ offset
    return _Slot(position < capacity ? position : position &- capacity)
  }

  /// The number of slots from the first to this one.
  @inlinable
  @inline(__always)
  package func offset(of slot: _Slot, capacity: Int) -> Int {
    let distance = head.distance(to: slot)
    return distance >= 0 ? distance : distance &+ capacity
  }
}

// MARK: - Changing

extension _RingSpan {
  @inlinable
  @inline(__always)
  package mutating func dropFirst(capacity: Int) {
    assert(count > 0, "An empty span has no first slot")
    head = Self.slot(after: head, capacity: capacity)
    count &-= 1
  }

  /// Drops the gaps before the first element and after the last.
  ///
  /// - Returns: How many gaps there were at each end.
  @inlinable
  package mutating func trimEnds(capacity: Int, isGap: (_Slot) -> Bool) -> (start: Int, end: Int) {
    let countBefore = count
    while count > 0, isGap(head) {
      dropFirst(capacity: capacity)
      gapCount &-= 1
    }
    let countAfterStart = count
    while count > 0, isGap(slot(at: count &- 1, capacity: capacity)) {
      count &-= 1
      gapCount &-= 1
    }
    return (countBefore - countAfterStart, countAfterStart - count)
  }

  /// Closes the gaps, so that the elements are contiguous from the head on.
  ///
  /// - Parameter move: Moves the element of the first slot to the second, which is a gap.
  @inlinable
  package mutating func compact(capacity: Int, isGap: (_Slot) -> Bool, move: (_Slot, _Slot) -> Void) {
    var source = head
    var target = head
    for _ in 0..<count {
      if !isGap(source) {
        if source != target { move(source, target) }
        target = Self.slot(after: target, capacity: capacity)
      }
      source = Self.slot(after: source, capacity: capacity)
    }
    count = elementCount
    gapCount = 0
  }
}
