import Foundation

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

  /// The seed of a history, counted from 0.
  func seed(_ number: Int) -> UInt64 { first &+ UInt64(number) }

  // Printed before the run, because a trap would leave no other trace of the seed.
  func announce(_ test: StaticString) {
    print("model test \(test): \(count) histories from seed \(first) (UNSAVED_MODEL_SEED repeats one)")
    fflush(nil)
  }
}

/// Runs `body` once for every seed of a model test, on all cores, until a history fails.
///
/// Use `expect` and `expectEqual` in `body`: unlike the assertions of XCTest, they include the seed in a failure.
///
/// - Parameters:
///   - histories: The number of histories, unless the environment sets another one.
///   - first: The first seed. If it is nil, the seeds are random.
public func withSeeds<E: Error>(
  _ histories: Int, from first: UInt64? = nil, test: StaticString = #function,
  _ body: @Sendable (inout SeededRandom) throws(E) -> Void
) throws(E) {
  let seeds = ModelSeeds(histories: histories, from: first)
  seeds.announce(test)
  let (traces, failed) = (ExpectationContext.traces, FirstFound<(failures: [Failure], error: E?)>())
  DispatchQueue.concurrentPerform(iterations: seeds.count) { number in
    if failed.isFound(before: number) { return }
    let (recorder, seed) = (FailureRecorder(), seeds.seed(number))
    let error: E? = ExpectationContext.$recorder.withValue(recorder) {
      ExpectationContext.$traces.withValue(traces + ["seed \(seed)"]) {
        var random = SeededRandom(seed: seed)
        do throws(E) { try body(&random) } catch { return error }
        return nil
      }
    }
    if !recorder.failures.isEmpty || error != nil { failed.note((recorder.failures, error), at: number) }
  }
  try report(failed.value)
}

/// Runs an asynchronous `body` once for every seed of a model test, on all cores, until a history fails.
///
/// Use `expect` and `expectEqual` in `body`: unlike the assertions of XCTest, they include the seed in a failure.
///
/// - Parameter histories: The number of histories, unless the environment sets another one.
public func withSeeds(
  _ histories: Int, test: StaticString = #function,
  _ body: @escaping @Sendable (inout SeededRandom) async throws -> Void
) async throws {
  let seeds = ModelSeeds(histories: histories)
  seeds.announce(test)
  let (traces, failed) = (ExpectationContext.traces, FirstFound<(failures: [Failure], error: (any Error)?)>())
  try await onAllCores(seeds.count) { number in
    if failed.isFound(before: number) { return }
    let (recorder, seed) = (FailureRecorder(), seeds.seed(number))
    let error: (any Error)? = await ExpectationContext.$recorder.withValue(recorder) {
      await ExpectationContext.$traces.withValue(traces + ["seed \(seed)"]) {
        var random = SeededRandom(seed: seed)
        do { try await body(&random) } catch { return error }
        return nil
      }
    }
    if !recorder.failures.isEmpty || error != nil { failed.note((recorder.failures, error), at: number) }
  }
  try report(failed.value)
}

private func report<E: Error>(_ failed: (failures: [Failure], error: E?)?) throws(E) {
  for failure in failed?.failures.prefix(5) ?? [] { forward(failure) }
  if let error = failed?.error { throw error }
}
