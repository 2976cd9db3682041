import Foundation
import XCTest

@testable import bench

/// Which changes between two made-up runs are called worse.
final class ComparisonTests: XCTestCase {
  /// A run with one case and a single peer.
  private func aRun(
    _ processes: [Double] = [2.95, 3, 3.05, 2.98, 3.02], size: Int = 64, allocations: Int = 0, bytes: Int = 0,
    operations: Int = 1024, change: (inout Results) -> Void = { _ in }
  ) -> Results {
    var results = Results(
      kind: .full,
      environment: Environment(
        date: Date(timeIntervalSince1970: 0), cpu: "CPU", cores: 64, operatingSystem: "OS", swift: "6.3",
        linkMode: "dynamic", hashing: "deterministic", layout: "fixed", processes: processes.count,
        countsAllocations: true, traits: [], arguments: []))
    results.cases = [
      Results.Case(
        suite: "S", benchmark: "b", operation: "", unit: .operation, size: size,
        lanes: [
          Results.Lane(
            contender: Contender(name: "Mine", role: .subject),
            memory: Results.Memory(operations: operations, allocations: allocations, requestedBytes: bytes)),
          Results.Lane(
            contender: Contender(name: "Other", role: .peer),
            ratio: Results.Ratio(processes.map { Results.Ratio(median: $0, low: $0, high: $0) }),
            memory: Results.Memory(operations: operations, allocations: allocations * 7, requestedBytes: 0)),
        ])
    ]
    change(&results)
    return results
  }

  private struct Answer: Equatable {
    var code: ExitCode
    var last: String
  }

  private func compare(
    _ base: Results, _ new: Results, _ settings: CompareCommand.Settings = .init()
  ) throws -> Answer {
    var lines: [String] = []
    let console = Console(print: { lines.append($0) }, terminal: .plain, errorTerminal: .plain)
    let code = try CompareCommand.run(base: base, new: new, settings, on: console)
    return Answer(code: code, last: lines.last ?? "")
  }

  // MARK: Time

  func testRunComparedWithItselfHasNoChange() throws {
    XCTAssertEqual(
      try compare(aRun(), aRun()), Answer(code: .success, last: "0 worse, 0 better, 0 doubtful, of 3 comparisons"))
  }

  func testSubjectThatLosesAgainstItsPeerIsWorse() throws {
    let answer = try compare(aRun(), aRun([2.45, 2.5, 2.55, 2.5, 2.5]))
    XCTAssertEqual(answer, Answer(code: .fellShort, last: "1 worse, 0 better, 0 doubtful, of 3 comparisons"))
    let comparison = Comparison(base: aRun(), new: aRun([2.45, 2.5, 2.55, 2.5, 2.5]), tolerance: 0.1)
    XCTAssertEqual(comparison.changes[0].place, "S.b n=64")
    XCTAssertEqual(comparison.changes[0].figure, "ratio to Other")
    XCTAssertEqual(try XCTUnwrap(comparison.changes[0].worsening), 0.2, accuracy: 0.001)
  }

  func testImprovementIsReportedAndDoesNotFail() throws {
    XCTAssertEqual(
      try compare(aRun([2.45, 2.5, 2.55, 2.5, 2.5]), aRun()),
      Answer(code: .success, last: "0 worse, 1 better, 0 doubtful, of 3 comparisons"))
  }

  func testWorseningWithinTheToleranceIsIgnored() throws {
    let (base, new) = (aRun([3, 3, 3]), aRun([2.8, 2.8, 2.8]))
    XCTAssertEqual(try compare(base, new).code, .success)
    var settings = CompareCommand.Settings()
    settings.tolerance = 0.05
    XCTAssertEqual(try compare(base, new, settings).code, .fellShort)
  }

  func testOverlappingIntervalsAreNotAChange() throws {
    XCTAssertEqual(try compare(aRun([2.4, 3, 3, 3, 3.1]), aRun([2.3, 2.4, 2.4, 2.4, 2.45])).code, .success)
  }

  func testScatteredProcessesNeedALargerChange() throws {
    // The intervals are apart and the new run is a quarter worse, but the processes of one run differ by as much.
    XCTAssertEqual(try compare(aRun([3, 3, 3.9]), aRun([2.4, 2.4, 2.4])).code, .success)
    XCTAssertEqual(try compare(aRun([3, 3, 3.9]), aRun([2, 2, 2])).code, .fellShort)
  }

  func testSlowerMachineIsNotAChange() throws {
    // Subject and peer are both ten times slower, so the ratio is the same.
    let slower = aRun {
      $0.cases[0].lanes[1].time = Results.Time(median: 1000, medianAbsoluteDeviation: 0)
    }
    XCTAssertEqual(try compare(aRun(), slower).code, .success)
  }

  func testMarkedTimeIsReportedAsDoubtful() throws {
    let slower = [2.45, 2.5, 2.55, 2.5, 2.5]
    let told = Answer(code: .success, last: "0 worse, 0 better, 1 doubtful, of 3 comparisons")
    // The mark may be in either run, and on the peer or the subject, because the ratio depends on both.
    for mark in [Results.Mark.unstable, .busy, .optimisedAway] {
      for lane in 0...1 {
        XCTAssertEqual(try compare(aRun { $0.cases[0].lanes[lane].marks = [mark] }, aRun(slower)), told)
        XCTAssertEqual(try compare(aRun(), aRun(slower) { $0.cases[0].lanes[lane].marks = [mark] }), told)
      }
    }
    XCTAssertEqual(try compare(aRun(), aRun(slower) { $0.cases[0].lanes[1].marks = [.fewRounds] }).code, .fellShort)
    // Counts do not depend on the machine.
    XCTAssertEqual(try compare(aRun(), aRun(allocations: 1) { $0.cases[0].lanes[0].marks = [.busy] }).code, .fellShort)
  }

  func testNoiseAloneRaisesNoAlarm() {
    // Twenty runs of forty cases. Processes vary by some percent, and one in fifteen by up to a half.
    var random = SplitMix64(seed: 3)
    func noisy() -> Results {
      var results = aRun()
      results.cases = (1...40).map { number in
        aRun(
          (0..<5).map { _ in
            let isOutlier = Int.random(in: 0..<15, using: &random) == 0
            return 3 * Double.random(in: isOutlier ? 0.5...1 : 0.96...1.04, using: &random)
          }, size: number
        ).cases[0]
      }
      return results
    }
    for _ in 0..<20 {
      XCTAssertEqual(Comparison(base: noisy(), new: noisy(), tolerance: 0.1).changes, [])
    }
  }

  func testPlantedSlowdownIsFoundInNoise() {
    var random = SplitMix64(seed: 5)
    func noisy(_ ratio: Double) -> Results {
      aRun((0..<5).map { _ in ratio * Double.random(in: 0.96...1.04, using: &random) })
    }
    for _ in 0..<20 {
      XCTAssertTrue(Comparison(base: noisy(3), new: noisy(3 / 1.3), tolerance: 0.1).isWorse)
    }
  }

  // MARK: Memory

  func testOneMoreAllocationInAThousandOperationsIsWorse() throws {
    XCTAssertEqual(try compare(aRun(allocations: 0), aRun(allocations: 1)).code, .fellShort)
    XCTAssertEqual(try compare(aRun(allocations: 1), aRun(allocations: 0)).code, .success)
  }

  func testOneMoreByteIsWorse() throws {
    XCTAssertEqual(try compare(aRun(bytes: 4096), aRun(bytes: 4097)).code, .fellShort)
  }

  func testCountsAreComparedPerOperation() throws {
    XCTAssertEqual(try compare(aRun(allocations: 2, operations: 1), aRun(allocations: 4, operations: 2)).code, .success)
    XCTAssertEqual(
      try compare(aRun(allocations: 2, operations: 1), aRun(allocations: 5, operations: 2)).code, .fellShort)
  }

  func testAllocationsOfAPeerAreNotCompared() {
    var new = aRun()
    new.cases[0].lanes[1].memory?.allocations = 99
    XCTAssertEqual(Comparison(base: aRun(), new: new, tolerance: 0.1).changes, [])
  }

  func testUncountedMemoryIsNotCompared() {
    let without = aRun { $0.cases[0].lanes[0].memory = nil }
    XCTAssertEqual(Comparison(base: aRun(allocations: 1), new: without, tolerance: 0.1).comparedCount, 1)
  }

  // MARK: Runs that cannot be compared

  func testRunsWithNothingInCommonHaveTheirOwnExitCode() throws {
    let answer = try compare(aRun(size: 64), aRun(size: 65))
    XCTAssertEqual(answer, Answer(code: .nothingToCompare, last: "0 worse, 0 better, 0 doubtful, of 0 comparisons"))
  }

  func testPossibleExplanationOfAChangeIsNamed() {
    let base = aRun().environment
    var new = base
    XCTAssertEqual(new.doubts(about: base), [])
    new.seed = 7
    XCTAssertEqual(new.doubts(about: base), ["seed differs: 0 and 7"])
  }

  func testUnlikeRunsAreRefusedUnlessAllowed() throws {
    let unlike: [(inout Environment) -> Void] = [
      { $0.linkMode = "static" }, { $0.hashing = "seeded" }, { $0.swift = "6.2" },
    ]
    for change in unlike {
      let new = aRun { change(&$0.environment) }
      XCTAssertThrowsError(try compare(aRun(), new)) { error in
        XCTAssertEqual((error as? Failure)?.code, .nothingToCompare)
        XCTAssertEqual((error as? Failure)?.message.contains("--unlike"), true)
      }
      XCTAssertEqual(try compare(aRun(), new, .init(allowsUnlike: true)).code, .success)
    }
    XCTAssertEqual(try compare(aRun(), aRun { $0.environment.cpu = "Another" }).code, .success, "only reported")
  }

  func testCaseThatNoLongerWorksMakesTheComparisonInvalid() throws {
    XCTAssertEqual(try compare(aRun(), aRun { $0.cases[0].problem = "they differ" }).code, .invalidRun)
  }

  func testMissingCaseIsNamed() {
    XCTAssertEqual(Comparison(base: aRun(size: 64), new: aRun(size: 65), tolerance: 0.1).gone, ["S.b n=64"])
  }

  // MARK: Files

  func testCompareReportsInvalidFilesByExitCode() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + ".json")
    defer { try? FileManager.default.removeItem(at: url) }
    let console = Console(print: { _ in }, terminal: .plain, errorTerminal: .plain)
    func code(_ arguments: String...) -> ExitCode {
      do throws(Failure) { return try Bench.run(arguments, on: console) } catch { return error.code }
    }
    XCTAssertEqual(code("compare", "/nonexistent/a.json", "/nonexistent/b.json"), .noInput)
    try Data("{}".utf8).write(to: url)
    XCTAssertEqual(code("compare", url.path, url.path), .dataError)
    try ResultsFile.encode(aRun()).write(to: url)
    XCTAssertEqual(code("compare", url.path, url.path), .success)
    XCTAssertEqual(code("compare", url.path, url.path, "--tolerance", "-1"), .usage)
    XCTAssertEqual(code("compare", url.path), .usage)
  }
}
