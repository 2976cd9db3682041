/// An endless stream of keys, most of which are among the last n that were new.
struct Arrivals {
  let keys: Keys<Int>
  /// How many new keys before the next one to come lies the one that comes again; 0 where a new one comes.
  private let distances: [Int32]

  /// - Parameter turns: One in so many is new, in random order.
  init(_ n: Int, oneNewOf turns: Int) {
    keys = Keys.ints(n)
    var random = SplitMix64(seed: 1)
    distances = (0..<max(n, KeyPool.fewest).nextPowerOfTwo).map { _ in
      random.next(upperBound: UInt64(turns)) == 0 ? 0 : 1 + Int32(random.next(upperBound: UInt64(n)))
    }
  }

  /// The i-th key to come, when so many new ones came before.
  func key(_ i: Int, newCount: Int) -> Int {
    keys[newCount &- Int(distances[i & (distances.count &- 1)])]
  }
}
