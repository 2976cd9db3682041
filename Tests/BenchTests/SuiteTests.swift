import XCTest

@testable import bench

/// Suites, their lanes, sizes and keys.
final class SuiteTests: XCTestCase {
  private final class Log {
    var lines: [String] = []
  }

  private func benchmark(
    state: Benchmark.StatePolicy = .kept, unit: Benchmark.Unit = .operation,
    _ contenders: (inout Race<Int>) -> Void
  ) -> Benchmark {
    Suite("Test") { suite in
      suite.benchmark("work", "something", sizes: .one, unit: unit, state: state, input: { $0 }, contenders: contenders)
    }.benchmarks[0]
  }

  func testIdIsSuiteAndName() {
    XCTAssertEqual(benchmark { $0.subject("a", setUp: { $0 }, run: { _, _, _ in 0 }) }.id, "Test.work")
  }

  func testIdsAreUnique() {
    let ids = Suite.all.flatMap(\.benchmarks).map(\.id)
    XCTAssertEqual(Set(ids).count, ids.count)
    XCTAssertEqual(Set(Suite.all.map { $0.name.lowercased() }).count, Suite.all.count)
  }

  func testContendersShareTheInputAndNotTheState() {
    let log = Log()
    let benchmark = benchmark { race in
      race.subject("a", setUp: { [$0] }) { state, input, operations in
        state.append(input)
        return state.count
      }
      race.peer("b", setUp: { [$0] }) { state, input, operations in
        log.lines.append("\(state)")
        return 0
      }
    }
    let lanes = benchmark.makeLanes(7)
    for lane in lanes { lane.renew() }
    XCTAssertEqual(lanes[0].run(1), 2)
    XCTAssertEqual(lanes[0].run(1), 3)
    _ = lanes[1].run(1)
    XCTAssertEqual(log.lines, ["[7]"])
  }

  func testOperationNumbersContinueUntilTheStateIsRenewed() {
    let log = Log()
    let lane = benchmark { race in
      race.subject("a", setUp: { _ in 0 }) { state, _, operations in
        log.lines.append("\(state) \(operations)")
        state += operations.count
        return 0
      }
    }.makeLanes(1)[0]
    lane.renew()
    _ = lane.run(3)
    _ = lane.run(2)
    lane.renew()
    _ = lane.run(1)
    XCTAssertEqual(log.lines, ["0 0..<3", "3 3..<5", "0 0..<1"])
  }

  func testClearReleasesTheState() {
    final class Token {}
    weak var seen: Token?
    let lane = benchmark { race in
      race.subject("a", setUp: { _ in Token() }) { token, _, _ in
        seen = token
        return 0
      }
    }.makeLanes(1)[0]
    lane.renew()
    _ = lane.run(1)
    XCTAssertNotNil(seen)
    lane.clear()
    XCTAssertNil(seen)
  }

  func testContendersOfEverySuiteDoTheSameWork() {
    // The edits under a limit have only a floor to compare with, and `bench memory` runs them.
    for benchmark in Suite.all.flatMap(\.benchmarks) where !Suite.limitedEdits.contains(benchmark.id) {
      let lanes = benchmark.makeLanes(benchmark.sizes.all.first ?? 1)
      XCTAssertNil(Agreement.disagreement(among: lanes, of: benchmark), benchmark.id)
    }
  }

  func testContendersWithDifferentResultsAreFound() {
    let benchmark = benchmark { race in
      race.subject("right", setUp: { $0 }) { _, _, operations in operations.reduce(0, +) }
      race.peer("right too", setUp: { $0 }) { _, _, operations in operations.reduce(0, +) }
      race.peer("wrong", setUp: { $0 }) { _, _, operations in operations.reduce(1, +) }
    }
    XCTAssertEqual(
      Agreement.disagreement(among: benchmark.makeLanes(1), of: benchmark),
      "right and wrong do not see the same: 120 and 121 after 16 operations")
  }

  func testAgreementIsCheckedWithinTheLimitOfAFreshState() {
    let benchmark = benchmark(state: .fresh(upTo: 5)) { race in
      race.subject("a", setUp: { $0 }) { _, _, operations in operations.count }
      race.peer("b", setUp: { $0 }) { _, _, operations in -operations.count }
    }
    XCTAssertEqual(
      Agreement.disagreement(among: benchmark.makeLanes(1), of: benchmark),
      "a and b do not see the same: 5 and -5 after 5 operations")
  }

  // MARK: Sinks

  func testEverySunkValueChangesTheResidue() {
    var residues: [UInt] = [Sink.residue]
    sink(5)
    residues.append(Sink.residue)
    sink("a string")
    residues.append(Sink.residue)
    sink((1, 2.5, UInt8(3)))
    residues.append(Sink.residue)
    XCTAssertEqual(Set(residues).count, residues.count)
    XCTAssertEqual(opaque("unchanged"), "unchanged")
  }

  func testBlockingWaitsForTheValue() {
    XCTAssertEqual(blocking { await Task { 42 }.value }, 42)
  }

  // MARK: Sizes

  func testSizesAreGeometric() {
    XCTAssertEqual(Sizes.doubling(16, 128).all, [16, 32, 64, 128])
    XCTAssertEqual(Sizes.quadrupling(16, 1000).all, [16, 64, 256])
    XCTAssertEqual(Sizes.exactly(30, 8).all, [8, 30])
    XCTAssertEqual(Sizes.one.all, [])
  }

  func testQuickSizeIsTheNamedOneOrTheLargestThatIsSmall() {
    XCTAssertEqual(Sizes.quadrupling(16, 1 << 20).quick, 4096)
    XCTAssertEqual(Sizes.exactly(8192, 65_536).quick, 8192)
    XCTAssertEqual(Sizes.quadrupling(16, 1 << 20, quick: 64).quick, 64)
  }

  func testRequestedSizesReplaceThoseOfABenchmarkThatHasSizes() {
    let sizes = Sizes.doubling(16, 64)
    XCTAssertEqual(sizes.chosen(quickly: false, asked: nil), [16, 32, 64])
    XCTAssertEqual(sizes.chosen(quickly: true, asked: nil), [64])
    XCTAssertEqual(sizes.chosen(quickly: true, asked: [5, 7]), [5, 7])
    XCTAssertEqual(Sizes.one.chosen(quickly: false, asked: [5]), [nil])
  }

  // MARK: Keys

  func testKeysAreManyAndDistinctAtEverySize() {
    for n in [1, 8, 1000, 20_000] {
      let keys = Keys.ints(n)
      XCTAssertEqual(keys.resident.count, n)
      let pool = max(2 * n, 16_384).nextPowerOfTwo
      let stream = (0..<pool).map { keys[$0] }
      XCTAssertEqual(Set(stream).count, pool)
      XCTAssertEqual(Array(stream.suffix(n)), Array(keys.resident), "residents come after all others")
      XCTAssertEqual(keys[pool], keys[0])
    }
  }

  func testHitsAreResidentAndNotInOrder() {
    let keys = Keys.strings(64)
    let resident = Set(keys.resident)
    let hits = (0..<16_384).map { keys.hit($0) }
    XCTAssertTrue(hits.allSatisfy(resident.contains))
    XCTAssertEqual(Set(hits), resident)
    XCTAssertNotEqual(Array(hits.prefix(64)), Array(keys.resident))
    XCTAssertNotEqual(Array(hits.prefix(64)), Array(hits[64..<128]))
  }

  func testKeysAreTheSameEveryTimeAndDifferBySeed() {
    XCTAssertEqual(Keys.uuids(4)[3], Keys.uuids(4)[3])
    XCTAssertNotEqual(Keys.ints(4, seed: 1)[3], Keys.ints(4, seed: 2)[3])
    XCTAssertEqual(Keys.strings(4)[3].utf8.count, 37)
  }

  /// The first words of the published reference implementation, for seed 1234567.
  func testSplitMix64MatchesThePublishedImplementation() {
    var random = SplitMix64(seed: 1_234_567)
    XCTAssertEqual(
      (0..<5).map { _ in random.next() },
      [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
        4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
      ])
  }
}
