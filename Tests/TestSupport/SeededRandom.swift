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

/// The seeds of a model test: random by default, or a given one that reproduces a failure.
///
/// In continuous integration, where `CI` is set, the seeds are always the same, so that only a change of the code can
/// make a test fail.
struct ModelSeeds {
  /// The first seed.
  ///
  /// Each further history adds one.
  let first: UInt64
  let count: Int

  /// Takes the number of histories from `UNSAVED_MODEL_HISTORIES` and the seed from `UNSAVED_MODEL_SEED` if they are
  /// set.
  ///
  /// A seed alone runs only its history. Without optimization, where a history takes about five times as long, a
  /// quarter of 40 or more histories is run; the optimized tests run all of them.
  init(
    histories: Int, from fixed: UInt64? = nil, isOptimized: Bool = Self.isOptimized,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    let seed = environment["UNSAVED_MODEL_SEED"].flatMap { UInt64($0) }
    first = seed ?? fixed ?? (environment["CI"] == nil ? .random(in: .min ... .max) : 1)
    let expected = isOptimized || histories < 40 ? histories : histories / 4
    count = environment["UNSAVED_MODEL_HISTORIES"].flatMap { Int($0) } ?? (seed == nil ? expected : 1)
  }

  #if DEBUG
    static let isOptimized = false
  #else
    static let isOptimized = true
  #endif

  var seeds: some Sequence<UInt64> { (0..<count).lazy.map { [first] in first &+ UInt64($0) } }

  // Printed before the run, because a trap would leave no other trace of the seed.
  func announce(_ test: StaticString) {
    print("model test \(test): \(count) histories from seed \(first) (UNSAVED_MODEL_SEED repeats one)")
    fflush(nil)
  }
}

/// Runs `body` once for every seed of a model test, and stops at the first history that fails.
///
/// Use `expect` and `expectEqual` in `body`: unlike the assertions of XCTest, they include the seed in a failure.
///
/// - Parameters:
///   - histories: The number of histories, unless the environment sets another one.
///   - first: The first seed. If it is nil, the seeds are random.
public func withSeeds(
  _ histories: Int, from first: UInt64? = nil, test: StaticString = #function,
  _ body: (inout SeededRandom) throws -> Void
) rethrows {
  let seeds = ModelSeeds(histories: histories, from: first)
  seeds.announce(test)
  for seed in seeds.seeds {
    let recorder = FailureRecorder()
    defer { report(recorder) }
    try ExpectationContext.$recorder.withValue(recorder) {
      var random = SeededRandom(seed: seed)
      try withTrace("seed \(seed)") { try body(&random) }
    }
    if !recorder.failures.isEmpty { return }
  }
}

/// Runs an asynchronous `body` once for every seed of a model test, and stops at the first history that fails.
///
/// Use `expect` and `expectEqual` in `body`: unlike the assertions of XCTest, they include the seed in a failure.
///
/// - Parameter histories: The number of histories, unless the environment sets another one.
public func withSeeds(
  _ histories: Int, test: StaticString = #function,
  _ body: (inout SeededRandom) async throws -> Void
) async rethrows {
  let seeds = ModelSeeds(histories: histories)
  seeds.announce(test)
  for seed in seeds.seeds {
    let recorder = FailureRecorder()
    defer { report(recorder) }
    let traces = ExpectationContext.traces + ["seed \(seed)"]
    try await ExpectationContext.$recorder.withValue(recorder) {
      try await ExpectationContext.$traces.withValue(traces) {
        var random = SeededRandom(seed: seed)
        try await body(&random)
      }
    }
    if !recorder.failures.isEmpty { return }
  }
}

private func report(_ recorder: FailureRecorder) {
  for failure in recorder.failures.prefix(5) { forward(failure) }
}
