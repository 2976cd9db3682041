/// The 32-bit entry that the ring keeps for each slot: part of the element's hash, and where the index has the slot.
///
///     31         30 ....................... 4   3      2 1 0
///     occupied   27 bits of the hash            away   lane
///
/// It caches the hash, so that growing never hashes again. It links back to the index, so that removing an element
/// neither hashes nor compares nor searches. A gap is all zeros.
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
  /// anything, for example multiples of sixteen; the multiplication (Knuth's multiplicative hashing, with the golden
  /// ratio of 2^64) spreads that to the bits used here.
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

  /// The lowest seven bits of the hash, which the index compares before it reads an element.
  @inlinable
  var tag: UInt64 { UInt64(bits >> 4 & 0x7F) }

  /// The group where a search begins: the hash, as a fraction of one, times the number of groups.
  ///
  /// The highest bits decide, and any number of groups works. Taking the high half of a product instead of a remainder
  /// is from Lemire, "Fast random integer generation in an interval", 2019. In an index of more than 2^20 groups, the
  /// home shares bits with the tag, so the tag distinguishes less.
  @inlinable
  func home(of groupCount: Int) -> Int {
    Int(truncatingIfNeeded: (UInt64(hash & ~Self.occupied) &* UInt64(truncatingIfNeeded: groupCount)) &>> 31)
  }

  /// Whether the element is in a later group than its home, because its home was full.
  @inlinable
  var isAway: Bool { bits & 8 != 0 }

  @inlinable
  var lane: Int { Int(bits & 7) }

  /// The word of the same element at another place in the index.
  @inlinable
  func placed(in lane: Int, isAway: Bool) -> Self {
    Self(bits: bits & ~15 | (isAway ? 8 : 0) | UInt32(truncatingIfNeeded: lane))
  }

  /// The hash bits, without the place in the index.
  @inlinable
  var hash: UInt32 { bits & ~15 }
}
