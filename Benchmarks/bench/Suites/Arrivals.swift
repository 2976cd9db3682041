/// An endless stream of keys.
///
/// Most of them repeat one of the last n new keys.
struct Arrivals {
  let keys: Keys<Int>
  /// For each key of the stream, how many new keys ago it arrived first.
  ///
  /// 0 if it is new.
  private let distances: [Int32]

  /// - Parameter turns: One in `turns` keys is new, at random.
  init(_ n: Int, oneNewOf turns: Int) {
    keys = Keys.ints(n)
    var random = SplitMix64(seed: 1)
    distances = (0..<max(n, KeyPool.fewest).nextPowerOfTwo).map { _ in
      random.next(upperBound: UInt64(turns)) == 0 ? 0 : 1 + Int32(random.next(upperBound: UInt64(n)))
    }
  }

  /// The i-th key, if `newCount` new keys came before it.
  func key(_ i: Int, newCount: Int) -> Int {
    keys[newCount &- Int(distances[i & (distances.count &- 1)])]
  }
}

/// A queue, and how many of the arrived keys were new.
struct ArrivalQueue<Queue: PeerQueue<Int> & ~Copyable>: ~Copyable {
  var queue: Queue
  var newCount = 0

  init(_ arrivals: Arrivals) { queue = Queue(arrivals.keys.resident) }
}
