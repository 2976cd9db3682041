public import UniqueQueues

/// A map from the generations in a queue to the ordinals of their slots, which doesn't hash.
///
///     number   4     5     –     7     8     –     11          in the order given; "–" has left
///     ordinal    0     1           0     2           4           of the slot in the line
///
/// Numbers are given one after another. So the distance of two records is at most the distance of their numbers. If no
/// number is missing, the distance from the first or the last number gives the record, with nothing to search.
/// Otherwise a binary search between the two finds it.
///
/// **Layout.** A ring of records. A number that leaves is marked as a gap, and its record is dropped once it is the
/// first or the last. A full ring drops its gaps if they are half of it, and doubles otherwise. A large ring of which
/// less than a quarter is used drops its gaps and halves its size. A copy takes time in proportion to the capacity,
/// because an array is copied whole.
@usableFromInline
package struct _Generations: Sendable {
  @frozen
  @usableFromInline
  struct Location: Sendable {
    @usableFromInline let number: UInt64

    /// The ordinal, or `gone`, which no slot has because nothing is prepended to the slots.
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

  /// The slots from the first record to the last, neither of which is gone.
  @usableFromInline var span = _RingSpan()

  package init() {}
}

// MARK: - Reading

extension _Generations {
  package var count: Int { span.elementCount }

  /// The number of records that fit, including those that are gone.
  @inlinable
  package var capacity: Int { ring.count }

  /// The ordinal of the generation with this number, or nil if it isn't here.
  @inlinable
  package func ordinal(of number: UInt64) -> _Ordinal? {
    slot(of: number).map { self[$0].ordinal }
  }

  /// The slot of the record at an offset from the first.
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
    // First tries the place it has if no number is missing after it, as among those added since gaps were dropped.
    let (end, distance) = (span.count &- 1, last &- number)
    let lower = distance < UInt64(truncatingIfNeeded: end) ? end &- Int(truncatingIfNeeded: distance) : 0
    let slot = self.slot(at: lower)
    let record = self[slot]
    guard record.number != number else { return record.isGone ? nil : slot }
    return searchedSlot(of: number, behind: lower, first: first)
  }

  /// The slot of a number that is greater than that of the record at this offset.
  @inlinable
  func searchedSlot(of number: UInt64, behind offset: Int, first: UInt64) -> _Slot? {
    var lower = span.head.position &+ offset &+ 1
    var upper = span.head.position &+ min(Int(clamping: number &- first), span.count &- 1)
    // The span may continue at slot 0: the search stays in the part that has the number.
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
  /// Adds a generation, whose number must be greater than all before.
  @inlinable
  @inline(__always)
  package mutating func append(_ number: UInt64, at ordinal: _Ordinal) {
    if span.count == capacity { makeRoom() }
    self[slot(at: span.count)] = Location(number: number, ordinal: ordinal)
    span.count &+= 1
  }

  /// Updates the ordinal of a generation, if it is here.
  @inlinable
  package mutating func move(_ number: UInt64, to ordinal: _Ordinal) {
    if let slot = slot(of: number) { self[slot].ordinal = ordinal }
  }

  /// Removes a generation.
  ///
  /// - Returns: Its ordinal, or nil if it isn't here.
  @inlinable
  @inline(__always)
  package mutating func remove(_ number: UInt64) -> _Ordinal? {
    // If changes leave in order, it is the first. Then nothing is searched, and nothing is written into the ring.
    if span.gapCount == 0, span.count > 0, case let record = self[span.head], record.number == number {
      span.dropFirst(capacity: capacity)
      if 4 &* span.count < capacity { shrink() }
      return record.ordinal
    }
    return removeAnywhere(number)
  }

  @usableFromInline
  mutating func removeAnywhere(_ number: UInt64) -> _Ordinal? {
    guard let slot = slot(of: number) else { return nil }
    let ordinal = self[slot].ordinal
    self[slot].ordinal = Location.gone
    span.gapCount &+= 1
    var trimmed = span
    _ = trimmed.trimEnds(capacity: capacity) { self[$0].isGone }
    span = trimmed
    if 4 &* count < capacity { shrink() }
    return ordinal
  }

  /// Makes room for one more record.
  @usableFromInline
  mutating func makeRoom() {
    if span.gapCount > 0, span.gapCount >= span.count / 2 { return compact() }
    relay(capacity: max(2 * span.count, 8))
  }

  /// Halves a large ring if less than a quarter of it is used.
  @usableFromInline
  mutating func shrink() {
    // A short queue allocates nothing while changes come and go.
    guard capacity > 64 else { return }
    compact()
    relay(capacity: ring.count / 2)
  }

  /// Copies the records into a ring of another size.
  private mutating func relay(capacity: Int) {
    var other: [Location] = []
    other.reserveCapacity(capacity)
    for offset in 0..<span.count { other.append(self[slot(at: offset)]) }
    other.append(contentsOf: repeatElement(Location(number: 0, ordinal: Location.gone), count: capacity - span.count))
    ring = other
    span.head = .zero
  }

  /// Drops the records that are gone.
  private mutating func compact() {
    var compacted = span
    compacted.compact(capacity: capacity, isGap: { self[$0].isGone }, move: { self[$1] = self[$0] })
    span = compacted
  }
}
