public import UniqueQueues

/// The ordinals of the generations in a queue, found by generation.
///
///     number   4     5     –     7     8     –     11          in the order given; "–" has left
///     ordinal    0     1           0     2           4           of the slot in the line
///
/// Numbers are given one after another. So a number is at most as far behind the first as it is greater, and at most as
/// far before the last as it is less: where none is missing, both name one record, and there is nothing to search and
/// nothing to hash. Otherwise it is found by halves in between.
///
/// **Layout.** A ring of records. A number that leaves is marked, as a gap, and goes when it is the first or the last.
/// A ring that is full closes up if half of it has left, and doubles otherwise. A large one of which less than a
/// quarter is there closes up into half the size. A copy takes as long as there is capacity, for an array is copied
/// whole.
@usableFromInline
package struct _Generations: Sendable {
  @frozen
  @usableFromInline
  struct Location: Sendable {
    @usableFromInline let number: UInt64

    /// The ordinal, or `gone`, which is none: nothing is prepended to the slots.
    @usableFromInline var ordinal: _Ordinal

    @inlinable
    init(number: UInt64, ordinal: _Ordinal) {
      self.number = number
      self.ordinal = ordinal
    }

    @inlinable
    static var gone: _Ordinal { _Ordinal(-1) }

    @inlinable
    var isGone: Bool { ordinal == Self.gone }
  }

  @usableFromInline var ring: [Location] = []

  /// The slots from the first record to the last, which are both there.
  @usableFromInline var span = _RingSpan()

  @inlinable
  package init() {}
}

// MARK: - Reading

extension _Generations {
  @inlinable
  package var count: Int { span.elementCount }

  /// How many records there is room for, with those whose numbers have left.
  @inlinable
  package var capacity: Int { ring.count }

  /// The ordinal of the generation with this number, or nil when it is not here.
  @inlinable
  package func ordinal(of number: UInt64) -> _Ordinal? {
    slot(of: number).map { self[$0].ordinal }
  }

  /// The slot of the record that lies so many behind the first.
  @inlinable
  func slot(at offset: Int) -> _Slot { span.slot(at: offset, capacity: ring.count) }

  @inlinable
  subscript(slot: _Slot) -> Location {
    get { ring[slot.position] }
    set { ring[slot.position] = newValue }
  }

  /// The slot of the record of a number.
  @inlinable
  func slot(of number: UInt64) -> _Slot? {
    guard span.count > 0 else { return nil }
    let (first, last) = (self[span.head].number, self[self.slot(at: span.count &- 1)].number)
    guard first <= number, number <= last else { return nil }
    // First where it is if none is missing behind it, as among those that came since the ring closed up.
    let (end, distance) = (span.count &- 1, last &- number)
    let lower = distance < UInt64(truncatingIfNeeded: end) ? end &- Int(truncatingIfNeeded: distance) : 0
    let slot = self.slot(at: lower)
    let record = self[slot]
    guard record.number != number else { return record.isGone ? nil : slot }
    return searchedSlot(of: number, behind: lower, first: first)
  }

  /// The slot of a number that is greater than that of the record with this offset.
  @inlinable
  func searchedSlot(of number: UInt64, behind offset: Int, first: UInt64) -> _Slot? {
    var lower = span.head.position &+ offset &+ 1
    var upper = span.head.position &+ min(Int(clamping: number &- first), span.count &- 1)
    // The span may go on at slot 0: the search stays in the part that has the number.
    if upper >= capacity {
      if lower >= capacity || number >= ring[0].number {
        lower = max(lower &- capacity, 0)
        upper &-= capacity
      } else {
        upper = capacity &- 1
      }
    }
    while lower <= upper {
      let probe = (lower &+ upper) / 2
      let record = ring[probe]
      if record.number == number { return record.isGone ? nil : _Slot(probe) }
      if record.number < number { lower = probe &+ 1 } else { upper = probe &- 1 }
    }
    return nil
  }
}

// MARK: - Changing

extension _Generations {
  /// Notes a generation, whose number is greater than all before.
  @inlinable
  @inline(__always)
  package mutating func append(_ number: UInt64, at ordinal: _Ordinal) {
    if span.count == capacity { makeRoom() }
    self[slot(at: span.count)] = Location(number: number, ordinal: ordinal)
    span.count &+= 1
  }

  /// Notes that a generation moved, if it is here.
  @inlinable
  package mutating func move(_ number: UInt64, to ordinal: _Ordinal) {
    if let slot = slot(of: number) { self[slot].ordinal = ordinal }
  }

  /// Takes a generation out.
  ///
  /// - Returns: Its ordinal, or nil when it is not here.
  @inlinable
  @inline(__always)
  package mutating func remove(_ number: UInt64) -> _Ordinal? {
    // In a line that moves on it is the first. Then nothing is searched, and nothing is written into the ring.
    if span.gapCount == 0, span.count > 0, case let record = self[span.head], record.number == number {
      span.dropFirst(capacity: capacity)
      if 4 &* span.count < capacity { shrink() }
      return record.ordinal
    }
    return removeAnywhere(number)
  }

  @inlinable
  @inline(never)
  mutating func removeAnywhere(_ number: UInt64) -> _Ordinal? {
    guard let slot = slot(of: number) else { return nil }
    let ordinal = self[slot].ordinal
    self[slot].ordinal = Location.gone
    span.gapCount &+= 1
    trimEnds()
    if 4 &* count < capacity { shrink() }
    return ordinal
  }

  /// Drops the records at the ends whose numbers have left.
  @inlinable
  mutating func trimEnds() {
    var trimmed = span
    _ = trimmed.trimStart(capacity: capacity) { self[$0].isGone }
    _ = trimmed.trimEnd(capacity: capacity) { self[$0].isGone }
    span = trimmed
  }

  /// The size up to which a ring is never halved: a line of few that comes and goes allocates nothing.
  @inlinable
  static var smallestToShrink: Int { 64 }

  /// Makes room for one more record.
  @inlinable
  @inline(never)
  mutating func makeRoom() {
    if span.gapCount > 0, span.gapCount >= span.count / 2 { return compact() }
    relay(capacity: max(2 * span.count, 8))
  }

  /// Halves a large ring that has room for more than four times as many as are there.
  @inlinable
  @inline(never)
  mutating func shrink() {
    guard capacity > Self.smallestToShrink else { return }
    compact()
    relay(capacity: ring.count / 2)
  }

  /// Puts the records into a ring of another size.
  @inlinable
  mutating func relay(capacity: Int) {
    var other: [Location] = []
    other.reserveCapacity(capacity)
    for offset in 0..<span.count { other.append(self[slot(at: offset)]) }
    other.append(contentsOf: repeatElement(Location(number: 0, ordinal: Location.gone), count: capacity - span.count))
    ring = other
    span.head = .zero
  }

  /// Drops the records whose numbers have left.
  @inlinable
  mutating func compact() {
    var compacted = span
    compacted.compact(capacity: capacity, isGap: { self[$0].isGone }, move: { self[$1] = self[$0] })
    span = compacted
  }
}
