import Foundation

/// A small random number generator that repeats itself for the same seed.
///
/// The generator is SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
public struct SeededRandom: RandomNumberGenerator, Sendable {
  /// The seed that the generator was made with.
  public let seed: UInt64
  private var state: UInt64

  /// Makes a generator that always returns the same numbers for the same seed.
  public init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// Makes a generator for a test with a single seed, and prints the seed.
  ///
  /// The seed is chosen as by ``withSeeds(_:from:test:_:)``.
  public static func announced(_ test: String) -> SeededRandom {
    let seed = ModelSeeds(histories: 1).first
    // Printed before the run, because a trap would leave no other trace of the seed.
    print("\(test): seed \(seed) (UNSAVED_MODEL_SEED repeats it)")
    fflush(nil)
    return SeededRandom(seed: seed)
  }

  /// The next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  /// True with a probability of 1 in `times`.
  public mutating func chance(oneIn times: Int) -> Bool { Int.random(in: 0..<times, using: &self) == 0 }

  /// A random number in `range`.
  public mutating func int(in range: Range<Int>) -> Int { Int.random(in: range, using: &self) }
}
