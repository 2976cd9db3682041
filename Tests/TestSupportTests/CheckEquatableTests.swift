import TestSupport
import XCTest

final class CheckEquatableTests: XCTestCase {
  func testCorrectConformancePasses() {
    let failures = capturingFailures { checkHashable(equivalenceClasses: [[1, 1], [2], [3]]) }
    XCTAssertEqual(failures.map(\.description), [])
  }

  func testEqualityThatIgnoresAFieldIsReported() {
    struct Half: Equatable {
      var seen: Int
      var unseen: Int
      static func == (left: Half, right: Half) -> Bool { left.seen == right.seen }
    }
    let classes = [[Half(seen: 1, unseen: 1)], [Half(seen: 1, unseen: 2)]]
    XCTAssertFalse(capturingFailures { checkEquatable(equivalenceClasses: classes) }.isEmpty)
  }

  func testEqualityThatIsNotReflexiveIsReported() {
    XCTAssertFalse(capturingFailures { checkEquatable(equivalenceClasses: [[Double.nan]]) }.isEmpty)
  }

  func testEqualityThatIsNotSymmetricIsReported() {
    struct Below: Equatable {
      var number: Int
      static func == (left: Below, right: Below) -> Bool { left.number <= right.number }
    }
    let classes = [[Below(number: 1)], [Below(number: 2)]]
    XCTAssertFalse(capturingFailures { checkEquatable(equivalenceClasses: classes) }.isEmpty)
  }

  func testHashThatDiffersForEqualValuesIsReported() {
    struct Loose: Hashable {
      var number: Int
      static func == (left: Loose, right: Loose) -> Bool { abs(left.number) == abs(right.number) }
    }
    let classes = [[Loose(number: 1), Loose(number: -1)]]
    XCTAssertFalse(capturingFailures { checkHashable(equivalenceClasses: classes) }.isEmpty)
  }

  func testHashThatLeavesOutAFieldIsReported() {
    struct Lazy: Hashable {
      var number: Int
      func hash(into hasher: inout Hasher) {}
    }
    let classes = [[Lazy(number: 1)], [Lazy(number: 2)]]
    XCTAssertFalse(capturingFailures { checkHashable(equivalenceClasses: classes) }.isEmpty)
  }
}
