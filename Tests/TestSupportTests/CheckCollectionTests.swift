import TestSupport
import XCTest

/// A collection of 0..<4 that is wrong in one way.
private struct Faulty: BidirectionalCollection {
  enum Fault: CaseIterable {
    case none, elements, count, iteratorSkips, iteratorRestarts, endIndex, distance, offset, limit, backwards,
      slice
    case contiguousStorage, isEmpty
  }

  let fault: Fault

  struct Iterator: IteratorProtocol {
    let fault: Fault
    var position = 0
    var ended = 0

    mutating func next() -> Int? {
      if fault == .iteratorSkips, position == 2 { position = 3 }
      guard position < 4 else {
        ended += 1
        return fault == .iteratorRestarts && ended == 2 ? 0 : nil
      }
      defer { position += 1 }
      return position
    }
  }

  func makeIterator() -> Iterator { Iterator(fault: fault) }
  var startIndex: Int { 0 }
  var endIndex: Int { fault == .endIndex ? 5 : 4 }
  var count: Int { fault == .count ? 5 : 4 }
  var isEmpty: Bool { fault == .isEmpty }
  func index(after i: Int) -> Int { i + 1 }
  func index(before i: Int) -> Int { fault == .backwards && i == 3 ? 1 : i - 1 }
  func distance(from start: Int, to end: Int) -> Int { end - start + (fault == .distance && end - start == 2 ? 1 : 0) }
  func index(_ i: Int, offsetBy distance: Int) -> Int { i + distance - (fault == .offset && distance == 3 ? 1 : 0) }

  func index(_ i: Int, offsetBy distance: Int, limitedBy limit: Int) -> Int? {
    let end = i + distance
    if fault == .limit { return end < limit ? end : nil }
    return distance >= 0 ? (end > limit && limit >= i ? nil : end) : (end < limit && limit <= i ? nil : end)
  }

  subscript(position: Int) -> Int { fault == .elements && position == 3 ? 7 : position }
  subscript(bounds: Range<Int>) -> Slice<Faulty> {
    Slice(base: self, bounds: fault == .slice && bounds.count == 2 ? bounds.lowerBound..<bounds.lowerBound + 1 : bounds)
  }

  func withContiguousStorageIfAvailable<R>(_ body: (UnsafeBufferPointer<Int>) throws -> R) rethrows -> R? {
    fault == .contiguousStorage ? try unsafe [0, 1, 2].withUnsafeBufferPointer(body) : nil
  }
}

final class CheckCollectionTests: XCTestCase {
  func testCorrectCollectionsPass() {
    let failures = capturingFailures {
      checkBidirectionalCollection([1, 2, 3], expected: [1, 2, 3])
      checkBidirectionalCollection(EmptyCollection<Int>(), expected: [])
      checkBidirectionalCollection("añ𝄞", expected: ["a", "ñ", "𝄞"])
      checkCollection(Set([1]), expected: [1])
      checkBidirectionalCollection(Faulty(fault: .none), expected: [0, 1, 2, 3])
    }
    XCTAssertEqual(failures.map(\.description), [])
  }

  func testEveryFaultIsReported() {
    for fault in Faulty.Fault.allCases where fault != .none {
      let failures = capturingFailures {
        checkBidirectionalCollection(Faulty(fault: fault), expected: [0, 1, 2, 3])
      }
      XCTAssertFalse(failures.isEmpty, "\(fault) was not noticed")
    }
  }

  func testWrongExpectationIsReported() {
    XCTAssertFalse(capturingFailures { checkCollection([1, 2], expected: [2, 1]) }.isEmpty)
    XCTAssertFalse(capturingFailures { checkCollection([1, 2], expected: [1]) }.isEmpty)
    XCTAssertFalse(capturingFailures { checkCollection([1], expected: [1, 2]) }.isEmpty)
  }
}
