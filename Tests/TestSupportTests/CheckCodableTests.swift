import TestSupport
import XCTest

final class CheckCodableTests: XCTestCase {
  func testRoundTripPasses() throws {
    XCTAssertEqual(try checkCodable([1, 2, 3]), [1, 2, 3])
  }

  func testRoundTripThatLosesAFieldIsReported() throws {
    struct Forgetful: Codable, Equatable {
      var kept = 1
      var lost = 1
      enum CodingKeys: CodingKey { case kept }
    }
    let failures = try capturingFailures { try checkCodable(Forgetful(kept: 2, lost: 2)) }
    XCTAssertEqual(failures.count, 1)
  }

  func testUnexpectedDecodingSuccessIsReported() {
    XCTAssertEqual(capturingFailures { expectDecodingError([Int].self, from: "[1]") }.count, 1)
  }

  func testDecodingErrorsAreMatchedByTheirText() {
    XCTAssertEqual(
      capturingFailures { expectDecodingError([Int].self, from: #"["x"]"#, mentioning: "Int") }.count, 0)
    XCTAssertEqual(
      capturingFailures { expectDecodingError([Int].self, from: #"["x"]"#, mentioning: "no such words") }.count, 1)
  }

  func testOtherErrorsAreReported() {
    struct Stubborn: Decodable {
      struct Refusal: Error {}
      init(from decoder: any Decoder) throws { throw Refusal() }
    }
    XCTAssertEqual(capturingFailures { expectDecodingError(Stubborn.self, from: "1") }.count, 1)
  }
}
