/// Measures the time and the current speed of the core for a timing pass.
struct Timepiece {
  /// The time since an arbitrary moment.
  var now: () -> Duration
  /// Nanoseconds that a fixed calculation takes.
  var pace: () -> Double

  /// The timepiece of this machine.
  ///
  /// Its clock stops while the machine sleeps.
  static var machine: Timepiece {
    Timepiece(now: uptime) {
      let start = uptime()
      sink(arithmetic())
      return (uptime() - start).nanoseconds
    }
  }

  /// If a pace is this many times the fastest one, another program shares the core.
  ///
  /// On an unshared core, the calculation takes the same time within 2 %. On a shared core, it takes 1.3 to 1.8 times
  /// as long.
  static let shared = 1.15

  /// The fastest of `count` paces.
  func fastestPace(of count: Int) -> Double { (0..<count).reduce(.infinity) { fastest, _ in min(fastest, pace()) } }

  /// Independent multiplications, which use the core fully and don't wait for memory.
  ///
  /// The two hardware threads of a core share its arithmetic units. If another program uses the second thread, such
  /// calculations slow down most, although no interruption is counted.
  @inline(never)
  private static func arithmetic() -> Int {
    var random = SplitMix64(seed: opaque(1))  // `opaque` keeps the compiler from merging the calls.
    var folded: UInt64 = 0
    for _ in 0..<20_000 { folded ^= random.next() }
    return Int(truncatingIfNeeded: folded)
  }

  private static let origin = SuspendingClock.now

  private static func uptime() -> Duration { origin.duration(to: SuspendingClock.now) }
}

extension Duration {
  /// This duration in nanoseconds.
  var nanoseconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
  }
}
