/// What a slot of the ring knows of its element: part of its hash, and where the index has it.
///
///     31         30 ....................... 4   3      2 1 0
///     occupied   27 bits of the hash            away   lane
///
/// It is the cached hash, so that growing never hashes again, and the link back into the index, so that taking an
/// element out neither hashes nor compares nor searches. All zero is a gap.
@frozen
@usableFromInline
struct _HashWord: Equatable {
  @usableFromInline
  var bits: UInt32

  @inlinable
  init(bits: UInt32) {
    self.bits = bits
  }

  /// The word of an element that has no place in the index yet.
  ///
  /// `hashValue` is one SipHash with the seed of the process. A type that still defines `hashValue` itself may return
  /// anything, multiples of sixteen for instance; the multiplication (Knuth's multiplicative hashing, the golden ratio
  /// of 2^64) spreads that to the bits used here.
  @inlinable
  init(hashing element: borrowing some Hashable) {
    let spread = UInt64(truncatingIfNeeded: element.hashValue) &* 0x9E37_79B9_7F4A_7C15
    bits = UInt32(truncatingIfNeeded: spread >> 33) & 0x7FFF_FFF0 | Self.occupied
  }

  /// The bit that tells an element from a gap.
  @inlinable
  static var occupied: UInt32 { 0x8000_0000 }

  @inlinable
  static var gap: Self { Self(bits: 0) }

  @inlinable
  var isGap: Bool { bits == 0 }

  /// The seven bits that the index compares before it looks at an element: the lowest.
  @inlinable
  var tag: UInt64 { UInt64(bits >> 4 & 0x7F) }

  /// The group where a search begins, of so many: the hash, taken as a part of one, times their number.
  ///
  /// So the highest bits choose, and any number of groups will do. The high half of a product in place of a remainder
  /// is from Lemire, "Fast random integer generation in an interval", 2019. In an index of more than 2^20 groups the
  /// bits reach those of the tag, which is less sharp then.
  @inlinable
  func home(of groupCount: Int) -> Int {
    Int(truncatingIfNeeded: (UInt64(hash & ~Self.occupied) &* UInt64(truncatingIfNeeded: groupCount)) &>> 31)
  }

  /// Whether the element had to go to a later group than its home.
  @inlinable
  var isAway: Bool { bits & 8 != 0 }

  @inlinable
  var lane: Int { Int(bits & 7) }

  /// The word of the same element in this place of the index.
  @inlinable
  func placed(in lane: Int, isAway: Bool) -> Self {
    Self(bits: bits & ~15 | (isAway ? 8 : 0) | UInt32(truncatingIfNeeded: lane))
  }

  /// The same hash without a place.
  @inlinable
  var hash: UInt32 { bits & ~15 }
}
