import Foundation

/// The keys that a benchmark of size n works with.
///
/// The first n are *resident*: a container of size n holds them to start with. The subscript is an endless stream of
/// the others, in which the residents turn up only after all others have: what comes in is new, if what went in
/// longest ago goes out. `hit` is an endless random choice among the residents. All three repeat only after at least
/// `Keys.fewest` keys.
///
/// ```
/// pool  [ r0 r1 … rn-1 | k0 k1 k2 …            ]   a power of two, at least 2n and `Keys.fewest`, all distinct
///         resident       keys[0], keys[1], …   → wraps to r0
/// ```
struct Keys<Key> {
  /// The size it was made for.
  let n: Int
  private let pool: [Key]
  private let choices: [Int32]

  /// The keys that a container of size n holds to start with, in order.
  var resident: ArraySlice<Key> { pool[..<n] }

  /// The i-th key to come in.
  subscript(i: Int) -> Key {
    pool[(n &+ i) & (pool.count &- 1)]
  }

  /// The i-th random choice among the resident keys.
  func hit(_ i: Int) -> Key {
    pool[Int(choices[i & (choices.count &- 1)])]
  }

  /// Makes keys for size n; `make` gets a seeded source of random words and the number of the key, and must never
  /// repeat itself.
  init(_ n: Int, seed: UInt64 = 0, make: (_ random: inout SplitMix64, _ number: Int) -> Key) {
    precondition(n > 0, "Keys are for a size above zero")
    self.n = n
    var random = SplitMix64(seed: seed)
    let capacity = max(2 * n, KeyPool.fewest).nextPowerOfTwo
    pool = (0..<capacity).map { make(&random, $0) }
    choices = (0..<max(n, KeyPool.fewest).nextPowerOfTwo).map { _ in Int32(random.next(upperBound: UInt64(n))) }
  }
}

/// What keys of every type have in common.
enum KeyPool {
  /// Fewer keys than this could be learned by the branch predictor.
  static let fewest = 16_384
}

extension Keys<Int> {
  /// Random words.
  static func ints(_ n: Int, seed: UInt64 = 0) -> Keys {
    // A stream of SplitMix64 does not repeat a word.
    Keys(n, seed: seed) { random, _ in Int(truncatingIfNeeded: random.next()) }
  }
}

extension Keys<String> {
  /// Names of files, 37 bytes each: too long for a small string.
  static func strings(_ n: Int, seed: UInt64 = 0) -> Keys {
    Keys(n, seed: seed) { random, _ in "Documents/draft-" + random.nextDigits() + ".json" }
  }
}

extension Keys<UUID> {
  /// Identifiers.
  static func uuids(_ n: Int, seed: UInt64 = 0) -> Keys {
    Keys(n, seed: seed) { random, _ in random.nextUUID() }
  }
}

extension SplitMix64 {
  /// Sixteen hexadecimal digits.
  mutating func nextDigits() -> String {
    let digits = String(next(), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// A random identifier.
  mutating func nextUUID() -> UUID {
    let words = SIMD2(next(), next())
    return UUID(uuid: unsafe unsafeBitCast(words, to: uuid_t.self))
  }
}

extension Int {
  /// The least power of two that is not below this number.
  var nextPowerOfTwo: Int {
    self <= 1 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount)
  }
}
