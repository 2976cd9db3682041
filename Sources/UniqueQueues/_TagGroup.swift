/// The first eight bytes of a group of the index: the tags of its eight lanes, compared all at once.
///
///     byte 7   6     5     4     3     2     1     0
///     tag      tag   tag   tag   tag   tag   tag   tag           0...0x7F: a used lane, 0x80...: a free one
///
/// Eight bytes are compared as in Knuth, "The Art of Computer Programming", 7.1.3.
@frozen
@usableFromInline
struct _TagGroup: Equatable {
  @usableFromInline
  var bits: UInt64

  @inlinable
  init(bits: UInt64) {
    self.bits = bits
  }

  @inlinable
  static var empty: Self { Self(bits: 0x8080_8080_8080_8080) }

  /// The lanes that may hold this tag.
  ///
  /// A lane right above one that does may be named as well; it is a used lane, and comparing its element settles it.
  @inlinable
  func lanes(matching tag: UInt64) -> _Lanes {
    let difference = bits ^ (tag &* 0x0101_0101_0101_0101)
    return _Lanes(bits: (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080)
  }

  @inlinable
  var freeLanes: _Lanes { _Lanes(bits: bits & 0x8080_8080_8080_8080) }

  @inlinable
  func tag(in lane: Int) -> UInt64 { bits &>> (UInt64(truncatingIfNeeded: lane) &* 8) & 0xFF }

  @inlinable
  mutating func use(_ lane: Int, for tag: UInt64) {
    let shift = UInt64(truncatingIfNeeded: lane) &* 8
    bits = bits & ~(0xFF &<< shift) | tag &<< shift
  }

  @inlinable
  mutating func free(_ lane: Int) {
    bits |= 0x80 &<< (UInt64(truncatingIfNeeded: lane) &* 8)
  }
}

/// A set of lanes of a group, taken out one by one.
@frozen
@usableFromInline
struct _Lanes {
  @usableFromInline
  var bits: UInt64

  @inlinable
  init(bits: UInt64) {
    self.bits = bits
  }

  @inlinable
  var isEmpty: Bool { bits == 0 }

  @inlinable
  var count: Int { bits.nonzeroBitCount }

  @inlinable
  var first: Int { bits.trailingZeroBitCount >> 3 }

  @inlinable
  mutating func removeFirst() -> Int {
    defer { bits &= bits &- 1 }
    return first
  }
}
