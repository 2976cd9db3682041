import TestSupport
import XCTest

final class CombinatoricsTests: XCTestCase {
  func testEveryRingLayoutIsVisitedOnce() {
    var seen: [RingLayout] = []
    withEveryRingLayout(capacities: [1, 4]) { seen.append($0) }
    XCTAssertEqual(seen.count, 1 * 2 + 4 * 5)
    XCTAssertEqual(Set(seen).count, seen.count)
    XCTAssertTrue(seen.contains(RingLayout(capacity: 4, start: 3, count: 2)))
    XCTAssertTrue(seen.contains { $0.start + $0.count > $0.capacity }, "no layout wraps")
  }

  func testEverySubsetIsVisitedOnce() {
    var seen: [[Int]] = []
    withEverySubset("subset", of: [1, 2, 3]) { seen.append($0) }
    XCTAssertEqual(seen.count, 8)
    XCTAssertEqual(Set(seen).count, 8)
  }
}
