/// The tags of the eight lanes of an index group, in eight bytes that are compared all at once.
///
///     lane     0     1     2     3     4     5     6     7
///     byte     tag   tag   tag   tag   tag   tag   tag   tag           0...0x7F: a used lane, 0x80: a free one
///                                                         \ bit 6 of this one: an element passed the group
///
/// Lane 7, which is the last to be used, has a tag of only six bits. Its other bit is the flag that ends most searches,
/// so reading the tags reads the flag as well.
///
/// The comparison of eight bytes at once is from Knuth, "The Art of Computer Programming", 7.1.3.
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

  @inlinable
  static var free: UInt8 { 0x80 }

  /// The lane that has the flag in its byte.
  @inlinable
  static var laneBesideFlag: Int { 7 }

  /// The bit of the flag, which isn't part of a tag.
  @inlinable
  static var passedBit: UInt64 { 0x4000_0000_0000_0000 }

  /// Whether an element that did not fit in this group is in a later one.
  @inlinable
  var wasPassed: Bool {
    get { bits & Self.passedBit != 0 }
    set { bits = newValue ? bits | Self.passedBit : bits & ~Self.passedBit }
  }

  /// The lanes that may hold this tag, as the highest bits of their bytes.
  ///
  /// The lane above a match may be included by mistake. It is always a used lane, so comparing its element settles it.
  @inlinable
  func lanes(matching tag: UInt64) -> UInt64 {
    let difference = (bits ^ (tag &* 0x0101_0101_0101_0101)) & ~Self.passedBit
    return (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
  }

  /// The free lanes, as the highest bits of their bytes.
  @inlinable
  var freeLanes: UInt64 { bits & 0x8080_8080_8080_8080 }

  /// The first of these lanes.
  @inlinable
  static func first(of lanes: UInt64) -> Int { lanes.trailingZeroBitCount >> 3 }

  /// Whether a lane is used and has this tag; lane 7 compares only six bits.
  @inlinable
  func has(_ tag: UInt64, in lane: Int) -> Bool {
    let difference = (bits & ~Self.passedBit) ^ Self.byte(tag, in: lane)
    return difference & Self.byte(0xFF, in: lane) == 0
  }

  /// Marks a free lane as used.
  @inlinable
  mutating func use(_ lane: Int, for tag: UInt64) {
    bits ^= Self.byte(tag ^ 0x80, in: lane)
  }

  /// Marks a used lane as free.
  @inlinable
  mutating func free(_ lane: Int) {
    bits = bits & ~Self.byte(0xFF, in: lane) | Self.byte(0x80, in: lane)
  }

  /// A byte moved to a lane, without the bit of the flag.
  @inlinable
  static func byte(_ value: UInt64, in lane: Int) -> UInt64 {
    value &<< (UInt64(truncatingIfNeeded: lane) &* 8) & ~passedBit
  }
}
