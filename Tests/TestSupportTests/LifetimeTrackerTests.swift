import XCTest

@testable import TestSupport

final class LifetimeTrackerTests: XCTestCase {
  func testBalancedLifetimesPass() {
    let failures = capturingFailures {
      withLifetimeTracking { tracker in
        var instances = tracker.instances(0..<10)
        expectEqual(tracker.liveCount, 10)
        instances.removeFirst(3)
        expectEqual(tracker.liveCount, 7)
        expectEqual(tracker.madeCount, 10)
      }
    }
    XCTAssertEqual(failures.map(\.description), [])
  }

  func testLeakIsReported() {
    var leaked: LifetimeTracked<Int>?
    let failures = capturingFailures {
      withLifetimeTracking { tracker in leaked = tracker.instance(1) }
    }
    XCTAssertEqual(failures.map(\.description), ["1 instances leaked"])
    XCTAssertEqual(leaked?.payload, 1)
  }

  func testLeakIsReportedWhenTheBodyThrows() throws {
    struct Stop: Error {}
    var leaked: LifetimeTracked<Int>?
    let failures = try capturingFailures {
      XCTAssertThrowsError(
        try withLifetimeTracking { tracker in
          leaked = tracker.instance(1)
          throw Stop()
        })
    }
    XCTAssertEqual(failures.count, 1)
    XCTAssertNotNil(leaked)
  }

  func testDestroyingTwiceIsReported() {
    // A real double destruction is undefined behavior. The test makes the calls that the tracker would receive.
    let failures = capturingFailures {
      withLifetimeTracking { tracker in
        let serial = tracker.didInit()
        tracker.didDeinit(serial: serial)
        tracker.didDeinit(serial: -serial)
      }
    }
    XCTAssertEqual(
      failures.map(\.description),
      ["1 instances were destroyed twice", "1 more instances were destroyed than made"])
  }

  func testInstancesCompareAndHashByPayload() {
    let tracker = LifetimeTracker()
    checkHashable(equivalenceClasses: [[tracker.instance(1), tracker.instance(1)], [tracker.instance(2)]])
    XCTAssertLessThan(tracker.instance(1), tracker.instance(2))
    XCTAssertEqual("\(tracker.instance("text"))", "text")
  }
}
