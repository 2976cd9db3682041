/// What tells a timing pass the time, and how fast the core is at that moment.
struct Timepiece {
  /// The time since some moment.
  var now: () -> Duration
  /// Nanoseconds that a fixed piece of arithmetic takes.
  var pace: () -> Double

  /// The machine's own, by a clock that stands still while the machine sleeps.
  static var machine: Timepiece {
    Timepiece(now: uptime) {
      let start = uptime()
      sink(arithmetic())
      return (uptime() - start).nanoseconds
    }
  }

  /// A pace this many times the fastest is that of a core that somebody else uses as well.
  ///
  /// Alone the arithmetic takes the same time to within 2 %; on a core that is shared, 1.3 to 1.8 times as long.
  static let shared = 1.15

  /// The fastest of so many paces.
  func fastestPace(of count: Int) -> Double { (0..<count).reduce(.infinity) { fastest, _ in min(fastest, pace()) } }

  /// Independent multiplications: as much as the core can do at once, and nothing that waits for memory.
  ///
  /// The two hardware threads of a core share what calculates. While a neighbour's is at work, which no count of
  /// interruptions shows, work of this kind suffers most.
  @inline(never)
  private static func arithmetic() -> Int {
    var random = SplitMix64(seed: opaque(1))  // Or one call would do for all.
    var folded: UInt64 = 0
    for _ in 0..<20_000 { folded ^= random.next() }
    return Int(truncatingIfNeeded: folded)
  }

  private static let origin = SuspendingClock.now

  private static func uptime() -> Duration { origin.duration(to: SuspendingClock.now) }
}

extension Duration {
  /// This duration as a number of nanoseconds.
  var nanoseconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
  }
}
