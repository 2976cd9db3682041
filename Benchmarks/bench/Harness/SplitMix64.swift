import Foundation

/// A small, fast, seeded source of random words, the same on every machine.
///
/// Its 2⁶⁴ words are all different: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
/// 2014.
struct SplitMix64: RandomNumberGenerator {
  /// The value of `--seed` in processes that measure, and 0 in other processes.
  static let seedOfTheRun = ProcessInfo.processInfo.environment[variable].flatMap { UInt64($0) } ?? 0
  /// The environment variable that passes the seed to a process.
  static let variable = "BENCH_SEED"

  private var state: UInt64

  /// Starts at a seed to which the seed of the run is added.
  init(seed: UInt64) {
    state = seed &+ Self.seedOfTheRun
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word &>> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word &>> 31)
  }
}
