import TestSupport
import XCTest

final class ExpectationsTests: XCTestCase {
  func testFailuresIncludeTheirTraces() {
    let failures = capturingFailures {
      withTrace("outer") {
        withEvery("choice", in: [1, 2]) { choice in
          expectEqual(choice, 1, "a note")
        }
      }
    }
    XCTAssertEqual(failures.map(\.description), ["outer > choice: 2 > 2 is not 1: a note"])
  }

  func testExpectationsThatHoldReportNoFailure() {
    let failures = capturingFailures {
      XCTAssertTrue(expect(true))
      XCTAssertTrue(expectEqual(1, 1))
    }
    XCTAssertEqual(failures.count, 0)
  }

  func testNestedCapturesDoNotLeakOutwards() {
    var inner: [Failure] = []
    let outer = capturingFailures {
      inner = capturingFailures { expect(false, "inner") }
      expect(false, "outer")
    }
    XCTAssertEqual(inner.map(\.description), ["inner"])
    XCTAssertEqual(outer.map(\.description), ["outer"])
  }
}
