import Foundation
import XCTest

@testable import bench

final class StatisticsTests: XCTestCase {
  func testNothingHasNoStatistics() {
    XCTAssertNil(Sample([Double]()))
  }

  func testMedianIsTheMiddleWhateverTheOrder() throws {
    XCTAssertEqual(try XCTUnwrap(Sample([9, 1, 5])).median, 5)
    XCTAssertEqual(try XCTUnwrap(Sample([7])).median, 7)
  }

  func testMedianOfAnEvenNumberIsHalfwayBetweenTheTwoInTheMiddle() throws {
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

  /// Known coverages: for n = 10 the 2nd and the 9th value hold the median with 97.9 %, the 3rd and the 8th with only
  /// 89.1 %; for n = 20 the 6th and the 15th with 95.9 %.
  func testIntervalTakesTheKnownOrderStatistics() throws {
    let ten = try XCTUnwrap(Sample((1...10).map(Double.init)))
    XCTAssertEqual(ten.medianInterval(), 2...9)
    XCTAssertEqual(ten.medianInterval(confidence: 0.89), 3...8)
    let twenty = try XCTUnwrap(Sample((1...20).map(Double.init)))
    XCTAssertEqual(twenty.medianInterval(), 6...15)
  }

  func testFewValuesGiveTheirWholeRange() throws {
    for count in 1...5 {
      let sample = try XCTUnwrap(Sample((1...count).map(Double.init)))
      XCTAssertEqual(sample.medianInterval(), 1...Double(count))
    }
  }

  func testIntervalHoldsTheTrueMedianAsOftenAsItSays() throws {
    var random = SplitMix64(seed: 7)
    var holding = 0
    let experiments = 2000
    for _ in 0..<experiments {
      // Exponential, so far from symmetric; its median is ln 2.
      let values = (0..<25).map { _ in -log(Double.random(in: Double.leastNonzeroMagnitude..<1, using: &random)) }
      if try XCTUnwrap(Sample(values)).medianInterval().contains(log(2)) { holding += 1 }
    }
    XCTAssertGreaterThan(Double(holding) / Double(experiments), 0.94)
    XCTAssertLessThan(Double(holding) / Double(experiments), 0.99)
  }

  func testPairRatiosAreTakenPairByPair() {
    XCTAssertEqual(pairRatios(of: [1, 2, 4], to: [3, 6, 12]), [3, 3, 3])
    XCTAssertEqual(pairRatios(of: [1, 2], to: [3, 6, 12]), [3, 3])
  }

  func testWhatSlowsBothOfAPairLeavesTheRatio() throws {
    // The machine is ten times slower for the second half.
    let subject = (0..<10).map { $0 < 5 ? 1.0 : 10.0 }
    let peer = subject.map { $0 * 2 }
    XCTAssertEqual(try XCTUnwrap(Sample(pairRatios(of: subject, to: peer))).medianInterval(), 2...2)
  }
}
