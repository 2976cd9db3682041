/// The ordinals of the generations in a queue, found by generation.
///
///     number   4     5     –     7     8     –     11          in the order given; "–" has left
///     ordinal    0     1           0     2           4           of the slot in the line
///
/// Numbers are given one after another. So a number is at most as far behind the first as it is greater, and at most as
/// far before the last as it is less: where none is missing, both name one record, and there is nothing to search and
/// nothing to hash. Otherwise it is found by halves in between.
///
/// **Layout.** A ring of records, whose size is a power of two. A number that leaves is marked, and goes when it is the
/// first or the last. A ring that is full closes up if half of it has left, and doubles otherwise. A large one of which
/// less than a quarter is there closes up into half the size: a copy takes as long as there is room, for an array is
/// copied whole.
@usableFromInline
package struct _Generations: Sendable {
  @frozen
  @usableFromInline
  struct Location: Sendable {
    @usableFromInline let number: UInt64

    /// The ordinal, or `gone`.
    @usableFromInline var ordinal: Int

    @inlinable
    init(number: UInt64, ordinal: Int) {
      self.number = number
      self.ordinal = ordinal
    }

    @inlinable
    static var gone: Int { -1 }

    @inlinable
    var isGone: Bool { ordinal == Self.gone }
  }

  @usableFromInline var ring: [Location] = []

  // In an order in which those that change together are apart: loaded both at once, right after one was stored, they
  // would wait for it.

  /// The position of the first record.
  @usableFromInline var head = 0

  /// The number of the first record; greater than that of the last where there is none.
  @usableFromInline var first: UInt64 = 1

  /// The number of records from the first to the last, which are both there.
  @usableFromInline var span = 0

  /// The number of the last record.
  @usableFromInline var last: UInt64 = 0

  /// How many of the records have left.
  @usableFromInline var goneCount = 0

  @inlinable
  package init() {}
}

// MARK: - Reading

extension _Generations {
  @inlinable
  package var count: Int { span - goneCount }

  /// How many records there is room for, with those whose numbers have left.
  @inlinable
  package var capacity: Int { ring.count }

  /// The ordinal of the generation with this number, or nil when it is not here.
  @inlinable
  package func ordinal(of number: UInt64) -> Int? {
    offset(of: number).map { ring[position(at: $0)].ordinal }
  }

  /// The position of the record that lies so many behind the first.
  @inlinable
  func position(at offset: Int) -> Int { (head &+ offset) & (ring.count &- 1) }

  /// How many records lie before that of a number.
  @inlinable
  func offset(of number: UInt64) -> Int? {
    guard first <= number, number <= last else { return nil }
    var lower = max(span - 1 - Int(clamping: last - number), 0)
    var upper = min(Int(clamping: number - first), span - 1)
    // First where it is if none is missing behind it, as among those that came since the ring closed up.
    var probe = lower
    while lower <= upper {
      let record = ring[position(at: probe)]
      if record.number == number { return record.isGone ? nil : probe }
      if record.number < number { lower = probe + 1 } else { upper = probe - 1 }
      probe = (lower + upper) / 2
    }
    return nil
  }
}

// MARK: - Changing

extension _Generations {
  /// Notes a generation, whose number is greater than all before.
  @inlinable
  package mutating func append(_ number: UInt64, at ordinal: Int) {
    if span == capacity { makeRoom() }
    ring[position(at: span)] = Location(number: number, ordinal: ordinal)
    span += 1
    last = number
    if span == 1 { first = number }
  }

  /// Notes that a generation moved, if it is here.
  @inlinable
  package mutating func move(_ number: UInt64, to ordinal: Int) {
    if let offset = offset(of: number) { ring[position(at: offset)].ordinal = ordinal }
  }

  /// Takes a generation out.
  ///
  /// - Returns: Its ordinal, or nil when it is not here.
  @inlinable
  package mutating func remove(_ number: UInt64) -> Int? {
    guard let offset = offset(of: number) else { return nil }
    let position = position(at: offset)
    let ordinal = ring[position].ordinal
    ring[position].ordinal = Location.gone
    goneCount += 1
    if number == first || number == last { trimEnds() }
    if ring.count > Self.smallestToShrink, 4 &* count < ring.count { shrink() }
    return ordinal
  }

  /// Drops the records at the ends whose numbers have left.
  @inlinable
  mutating func trimEnds() {
    while span > 0, ring[head].isGone {
      head = position(at: 1)
      span -= 1
      goneCount -= 1
    }
    while span > 0, ring[position(at: span - 1)].isGone {
      span -= 1
      goneCount -= 1
    }
    first = span > 0 ? ring[head].number : 1
    last = span > 0 ? ring[position(at: span - 1)].number : 0
  }

  /// The size up to which a ring is never halved: a line of few that comes and goes allocates nothing.
  @inlinable
  static var smallestToShrink: Int { 64 }

  /// Makes room for one more record.
  @inlinable
  @inline(never)
  mutating func makeRoom() {
    if goneCount > 0, goneCount >= span / 2 { return compact() }
    relay(capacity: max(2 * span, 8))
  }

  /// Halves a ring that has room for more than four times as many as are there.
  @inlinable
  @inline(never)
  mutating func shrink() {
    compact()
    relay(capacity: ring.count / 2)
  }

  /// Puts the records into a ring of another size.
  @inlinable
  mutating func relay(capacity: Int) {
    var other: [Location] = []
    other.reserveCapacity(capacity)
    for offset in 0..<span { other.append(ring[position(at: offset)]) }
    other.append(contentsOf: repeatElement(Location(number: 0, ordinal: Location.gone), count: capacity - span))
    ring = other
    head = 0
  }

  /// Drops the records whose numbers have left.
  @inlinable
  mutating func compact() {
    var target = 0
    for source in 0..<span where !ring[position(at: source)].isGone {
      ring[position(at: target)] = ring[position(at: source)]
      target += 1
    }
    span = target
    goneCount = 0
  }
}
