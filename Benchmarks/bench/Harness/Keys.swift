import Foundation

/// The keys that a benchmark of size n works with.
///
/// The first n keys are *resident*: a container of size n holds them at first. The subscript is an endless stream of
/// the other keys. A resident key appears in it only after all others, so an incoming key is always new if the oldest
/// key is removed each time. `hit` is an endless random choice of resident keys. All three repeat only after at least
/// `Keys.fewest` keys.
///
/// ```
/// pool  [ r0 r1 … rn-1 | k0 k1 k2 …            ]   a power of two, at least 2n and `Keys.fewest`, all distinct
///         resident       keys[0], keys[1], …   → wraps to r0
/// ```
struct Keys<Key> {
  /// The size that the keys were made for.
  let n: Int
  private let pool: [Key]
  private let choices: [Int32]

  /// The keys that a container of size n holds at first, in order.
  var resident: ArraySlice<Key> { pool[..<n] }

  /// The i-th incoming key.
  subscript(i: Int) -> Key {
    pool[(n &+ i) & (pool.count &- 1)]
  }

  /// The i-th random choice among the resident keys.
  func hit(_ i: Int) -> Key {
    pool[Int(choices[i & (choices.count &- 1)])]
  }

  /// Makes keys for size n.
  ///
  /// `make` receives a seeded source of random words and the number of the key, and must never return the same key
  /// twice.
  init(_ n: Int, seed: UInt64 = 0, make: (_ random: inout SplitMix64, _ number: Int) -> Key) {
    precondition(n > 0, "Keys are for a size above zero")
    self.n = n
    var random = SplitMix64(seed: seed)
    let capacity = max(2 * n, KeyPool.fewest).nextPowerOfTwo
    pool = (0..<capacity).map { make(&random, $0) }
    choices = (0..<max(n, KeyPool.fewest).nextPowerOfTwo).map { _ in Int32(random.next(upperBound: UInt64(n))) }
  }
}

/// Constants for keys of every type.
enum KeyPool {
  /// The branch predictor could learn fewer keys than this.
  static let fewest = 16_384
}

extension Keys<Int> {
  /// Random integers.
  static func ints(_ n: Int, seed: UInt64 = 0) -> Keys {
    // SplitMix64 does not repeat a word.
    Keys(n, seed: seed) { random, _ in Int(truncatingIfNeeded: random.next()) }
  }
}

extension Keys<String> {
  /// File names of 37 bytes, which is too long for a small string.
  static func strings(_ n: Int, seed: UInt64 = 0) -> Keys {
    Keys(n, seed: seed) { random, _ in "Documents/draft-" + random.nextDigits() + ".json" }
  }
}

extension Keys<UUID> {
  /// Random UUIDs.
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

  mutating func nextUUID() -> UUID {
    let words = SIMD2(next(), next())
    return UUID(uuid: unsafe unsafeBitCast(words, to: uuid_t.self))
  }
}

extension Int {
  /// The smallest power of two that is at least this number.
  var nextPowerOfTwo: Int {
    self <= 1 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount)
  }
}
