import TestSupport
import XCTest

/// A type without value semantics: it shares its storage with its copies.
private struct SharedBox: Equatable, CustomDebugStringConvertible {
  final class Storage {
    var value = 0
  }

  let storage = Storage()

  static func == (left: SharedBox, right: SharedBox) -> Bool { left.storage.value == right.storage.value }
  var debugDescription: String { "\(storage.value)" }
}

final class HiddenCopiesTests: XCTestCase {
  func testMutationThatReachesACopyIsReported() {
    let failures = capturingFailures {
      var box = SharedBox()
      withHiddenCopies(if: true, of: &box) { $0.storage.value += 1 }
    }
    XCTAssertEqual(failures.count, 1)
    XCTAssertTrue(failures[0].description.contains("reached a copy"))
  }

  func testMutationOfAValueIsNotReported() {
    let failures = capturingFailures {
      withEvery("is shared", in: [false, true]) { isShared in
        var array = [1, 2, 3]
        withHiddenCopies(if: isShared, of: &array) { $0.append(4) }
        expectEqual(array, [1, 2, 3, 4])
      }
    }
    XCTAssertEqual(failures.map(\.description), [])
  }

  func testCopyIsKeptWhileTheBodyRuns() {
    var array = [LifetimeTracker()]
    withHiddenCopies(if: true, of: &array, contents: { $0.count }) { array in
      XCTAssertFalse(isKnownUniquelyReferenced(&array[0]))
    }
    withHiddenCopies(if: false, of: &array, contents: { $0.count }) { array in
      XCTAssertTrue(isKnownUniquelyReferenced(&array[0]))
    }
  }
}
