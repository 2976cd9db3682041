import Foundation
import XCTest

@testable import TestSupport

final class SeededRandomTests: XCTestCase {
  func testNumbersMatchThePublishedGenerator() {
    // The reference sequence of SplitMix64 for seed 1234567.
    var random = SeededRandom(seed: 1_234_567)
    let numbers = (0..<5).map { _ in random.next() }
    XCTAssertEqual(
      numbers,
      [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
        4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
      ])
  }

  func testFirstFailureNamesItsSeedAndEndsTheRun() {
    let begun = FailureRecorder()
    let failures = capturingFailures {
      withSeeds(100, from: 5) { random in
        begun.record(Failure(description: "\(random.seed)", file: #filePath, line: #line))
        expect(random.seed < 7, "the history of seed \(random.seed)")
      }
    }
    XCTAssertEqual(failures.map(\.description), ["seed 7 > the history of seed 7"])
    // Each core may already have begun another history.
    XCTAssertLessThanOrEqual(begun.failures.count, 3 + ProcessInfo.processInfo.activeProcessorCount)
  }

  func testFailureIsReportedWhenTheBodyThrows() throws {
    let failures = try capturingFailures {
      XCTAssertThrowsError(
        try withSeeds(2) { _ in
          expect(false, "before the error")
          throw Refused()
        }
      ) { XCTAssertTrue($0 is Refused) }
    }
    XCTAssertEqual(failures.count, 1)
  }

  func testFirstAsynchronousFailureNamesItsSeed() async throws {
    let recorder = FailureRecorder()
    try await ExpectationContext.$recorder.withValue(recorder) {
      try await ExpectationContext.$traces.withValue(["outer"]) {
        try await withSeeds(3) { random in
          await Task.yield()
          expect(false, "seed \(random.seed)")
        }
      }
    }
    let words = try XCTUnwrap(recorder.failures.first).description.split(separator: " ")
    XCTAssertEqual(recorder.failures.count, 1)
    XCTAssertEqual(words.dropLast().joined(separator: " "), "outer > seed \(words.last!) > seed")
  }

  func testEnvironmentChoosesSeedAndCount() {
    let one = ModelSeeds(histories: 100, environment: ["UNSAVED_MODEL_SEED": "7"])
    XCTAssertEqual((0..<one.count).map(one.seed), [7])
    let many = ModelSeeds(histories: 100, environment: ["UNSAVED_MODEL_SEED": "7", "UNSAVED_MODEL_HISTORIES": "3"])
    XCTAssertEqual((0..<many.count).map(many.seed), [7, 8, 9])
    XCTAssertEqual(ModelSeeds(histories: 100, isOptimized: true, environment: [:]).count, 100)
    XCTAssertEqual(ModelSeeds(histories: 100, isOptimized: false, environment: [:]).count, 25)
    XCTAssertEqual(ModelSeeds(histories: 20, isOptimized: false, environment: [:]).count, 20)
    let last = ModelSeeds(
      histories: 2, environment: ["UNSAVED_MODEL_SEED": "\(UInt64.max)", "UNSAVED_MODEL_HISTORIES": "2"])
    XCTAssertEqual((0..<last.count).map(last.seed), [.max, 0])
    let inIntegration = ModelSeeds(histories: 3, environment: ["CI": "true"])
    XCTAssertEqual((0..<inIntegration.count).map(inIntegration.seed), [1, 2, 3])
  }
}
