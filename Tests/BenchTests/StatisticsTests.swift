import Foundation
import XCTest

@testable import bench

final class StatisticsTests: XCTestCase {
  func testEmptySampleIsNil() {
    XCTAssertNil(Sample([Double]()))
  }

  func testMedianIsTheMiddleValueInAnyOrder() throws {
    XCTAssertEqual(try XCTUnwrap(Sample([9, 1, 5])).median, 5)
    XCTAssertEqual(try XCTUnwrap(Sample([7])).median, 7)
  }

  func testMedianOfAnEvenCountIsTheMeanOfTheMiddleTwo() throws {
    XCTAssertEqual(try XCTUnwrap(Sample([4, 1, 100, 2])).median, 3)
  }

  func testOneOutlierMovesNeitherMedianNorDeviation() throws {
    let calm = try XCTUnwrap(Sample([10, 11, 12, 13, 14]))
    let disturbed = try XCTUnwrap(Sample([10, 11, 12, 13, 1e9]))
    XCTAssertEqual(calm.median, disturbed.median)
    XCTAssertEqual(calm.medianAbsoluteDeviation, disturbed.medianAbsoluteDeviation)
    XCTAssertEqual(calm.medianAbsoluteDeviation, 1)
  }

  func testEqualValuesDoNotDeviate() throws {
    let sample = try XCTUnwrap(Sample(Array(repeating: 2.5, count: 9)))
    XCTAssertEqual(sample.medianAbsoluteDeviation, 0)
    XCTAssertEqual(sample.medianInterval(), 2.5...2.5)
  }

  /// Known coverages: for n = 10, the median is between the 2nd and the 9th value with 97.9 %, and between the 3rd and
  /// the 8th with only 89.1 %.
  ///
  /// For n = 20, it is between the 6th and the 15th with 95.9 %.
  func testMedianIntervalUsesTheKnownOrderStatistics() throws {
    let ten = try XCTUnwrap(Sample((1...10).map(Double.init)))
    XCTAssertEqual(ten.medianInterval(), 2...9)
    XCTAssertEqual(ten.medianInterval(confidence: 0.89), 3...8)
    let twenty = try XCTUnwrap(Sample((1...20).map(Double.init)))
    XCTAssertEqual(twenty.medianInterval(), 6...15)
  }

  func testMedianIntervalOfFewValuesIsTheirRange() throws {
    for count in 1...5 {
      let sample = try XCTUnwrap(Sample((1...count).map(Double.init)))
      XCTAssertEqual(sample.medianInterval(), 1...Double(count))
    }
  }

  func testMedianIntervalHasItsStatedCoverage() throws {
    var random = SplitMix64(seed: 7)
    var holding = 0
    let experiments = 2000
    for _ in 0..<experiments {
      // An exponential distribution is far from symmetric. Its median is ln 2.
      let values = (0..<25).map { _ in -log(Double.random(in: Double.leastNonzeroMagnitude..<1, using: &random)) }
      if try XCTUnwrap(Sample(values)).medianInterval().contains(log(2)) { holding += 1 }
    }
    XCTAssertGreaterThan(Double(holding) / Double(experiments), 0.94)
    XCTAssertLessThan(Double(holding) / Double(experiments), 0.99)
  }

  // MARK: Bootstrap

  func testBootstrapIntervalOfFewValuesIsTheirRange() throws {
    for values in [[3], [3, 5], [3, 5, 4], [7, 3, 5, 4, 6]] as [[Double]] {
      let sample = try XCTUnwrap(Sample(values))
      XCTAssertEqual(sample.bootstrapInterval(), sample.range)
    }
  }

  func testBootstrapIntervalOfManyValuesIsNarrowAndReproducible() throws {
    let sample = try XCTUnwrap(Sample((1...25).map(Double.init)))
    let interval = sample.bootstrapInterval()
    XCTAssertTrue(interval.contains(13))
    XCTAssertGreaterThan(interval.lowerBound, 6)
    XCTAssertLessThan(interval.upperBound, 20)
    XCTAssertEqual(interval, sample.bootstrapInterval())
    let wider = sample.bootstrapInterval(confidence: 0.999)
    XCTAssertTrue(wider.lowerBound < interval.lowerBound && interval.upperBound < wider.upperBound)
  }

  func testOneOutlyingProcessHardlyMovesTheMedian() throws {
    let calm = Results.Ratio([2.0, 2.1, 2.05, 2.1, 2.05].map { Results.Ratio(median: $0, low: $0, high: $0) })
    let disturbed = Results.Ratio([2.0, 2.1, 9.0, 2.1, 2.05].map { Results.Ratio(median: $0, low: $0, high: $0) })
    XCTAssertEqual(try XCTUnwrap(calm).median, 2.05)
    XCTAssertEqual(try XCTUnwrap(disturbed).median, 2.1)
    XCTAssertEqual(try XCTUnwrap(disturbed).high, 9, "but the interval does not hide it")
    XCTAssertEqual(try XCTUnwrap(disturbed).low, 2)
  }

  func testOneProcessKeepsTheIntervalOfItsRounds() throws {
    let one = Results.Ratio(median: 2, low: 1.9, high: 2.2)
    let ratio = try XCTUnwrap(Results.Ratio([one]))
    XCTAssertEqual(ratio.low, 1.9)
    XCTAssertEqual(ratio.high, 2.2)
    XCTAssertNil(Results.Ratio([]))
  }

  func testFiguresKeepFiveSignificantDigits() throws {
    func rounded(_ value: Double) -> Double? {
      Results.Ratio([value, value].map { Results.Ratio(median: $0, low: $0, high: $0) })?.median
    }
    XCTAssertEqual(rounded(0.000123456), 0.00012346)
    XCTAssertEqual(rounded(1_234_567), 1_234_600)
    XCTAssertEqual(rounded(12.34567), 12.346)
    XCTAssertEqual(rounded(0), 0)
  }

  // MARK: Growth

  private func series(
    _ sizes: [Int], processes: Int = 5, marks: [Results.Mark] = [], time: (Int, Int) -> Double
  ) -> [Results.Case] {
    sizes.map { size in
      Results.Case(
        suite: "S", benchmark: "b", operation: "", unit: .operation, size: size,
        lanes: [
          Results.Lane(
            contender: Contender(name: "a", role: .subject),
            processes: (0..<processes).map {
              .init(median: time(size, $0), medianAbsoluteDeviation: 0, rounds: 20, operations: 1)
            }, marks: marks)
        ])
    }
  }

  func testGrowthIsTheExponentOfTheUpperHalfOfTheSizes() throws {
    // Below a thousand, the time does not grow.
    let sizes = Sizes.sweep.all
    let growth = Results.Growth.all(
      in: series(sizes) { n, process in
        n < 1000 ? 50 : pow(Double(n), 1.5) * (1 + 0.01 * Double(process))
      })
    XCTAssertEqual(growth.count, 1)
    XCTAssertEqual(growth[0].exponent, 1.5)
    XCTAssertEqual(growth[0].low, 1.5)
    XCTAssertEqual(growth[0].sizes, Array(sizes.suffix(5)))
    XCTAssertEqual(growth[0].description, "~ n^1.50 (1.50 to 1.50)")
  }

  func testIntervalOfAGrowthComesFromItsProcesses() throws {
    let growth = try XCTUnwrap(
      Results.Growth.all(in: series([64, 256, 1024, 4096]) { pow(Double($0), 0.9 + 0.05 * Double($1)) }).first)
    XCTAssertEqual(growth.exponent, 1)
    XCTAssertEqual(growth.low, 0.9)
    XCTAssertEqual(growth.high, 1.1)
    let single = try XCTUnwrap(Results.Growth.all(in: series([1, 2, 4], processes: 1) { n, _ in Double(n) }).first)
    XCTAssertNil(single.low)
    XCTAssertEqual(single.description, "~ n^1.00")
  }

  func testTwoSizesAndDoubtfulFiguresHaveNoGrowth() {
    XCTAssertEqual(Results.Growth.all(in: series([16, 64]) { n, _ in Double(n) }), [])
    XCTAssertEqual(Results.Growth.all(in: series([16, 64, 256], marks: [.optimisedAway]) { n, _ in Double(n) }), [])
    XCTAssertEqual(Results.Growth.all(in: series([16, 64, 256]) { _, _ in 0 }), [], "log of nothing")
  }

  // MARK: Pairs

  func testPairRatiosAreTakenPairByPair() {
    XCTAssertEqual(pairRatios(of: [1, 2, 4], to: [3, 6, 12]), [3, 3, 3])
    XCTAssertEqual(pairRatios(of: [1, 2], to: [3, 6, 12]), [3, 3])
  }

  func testSlowdownOfBothInAPairKeepsTheRatio() throws {
    // The machine is ten times slower for the second half.
    let subject = (0..<10).map { $0 < 5 ? 1.0 : 10.0 }
    let peer = subject.map { $0 * 2 }
    XCTAssertEqual(try XCTUnwrap(Sample(pairRatios(of: subject, to: peer))).medianInterval(), 2...2)
  }
}
