import TestSupport
import UniqueQueues
import XCTest

/// Elements of many kinds, sizes and hashes.
final class UniqueQueueElementTests: XCTestCase {
  func checkQueue<Element: Hashable>(_ elements: [Element], file: StaticString = #filePath, line: UInt = #line) {
    var queue = UniqueQueue<Element>()
    for element in elements { expect(queue.append(element).inserted, "\(element)", file: file, line: line) }
    for element in elements { expect(!queue.append(element).inserted, "\(element)", file: file, line: line) }
    expectEqual(Array(queue), elements, file: file, line: line)
    for element in elements { expect(queue.contains(element), "\(element)", file: file, line: line) }
    var rest = elements
    for (offset, element) in elements.enumerated() where offset % 2 == 1 {
      expectEqual(queue.remove(element), element, file: file, line: line)
      rest.removeAll { $0 == element }
    }
    expectEqual(Array(queue), rest, file: file, line: line)
    for element in rest { expectEqual(queue.popFirst(), element, file: file, line: line) }
    expect(queue.isEmpty, file: file, line: line)
  }

  func testQueueHoldsElementsOfSizeZero() {
    struct Unit: Hashable {}
    checkQueue([Unit()])
    var queue = UniqueQueue(layout: [Unit()], capacity: 16, head: 15, isIndexed: true)
    XCTAssertFalse(queue.append(Unit()).inserted)
    XCTAssertEqual(queue.popFirst(), Unit())
  }

  func testQueueHoldsBytesAndElementsOfOddSize() {
    struct Triple: Hashable {
      var a, b, c: UInt8
    }
    checkQueue(Array(UInt8.min...UInt8.max))
    checkQueue((0..<300).map { Triple(a: UInt8($0 & 255), b: UInt8($0 >> 8), c: 1) })
  }

  func testQueueHoldsElementsWithALargeAlignment() {
    XCTAssertGreaterThan(MemoryLayout<SIMD16<Float>>.alignment, MemoryLayout<Int>.alignment)
    checkQueue((0..<100).map { SIMD16<Float>(repeating: Float($0)) })
  }

  func testQueueHoldsEnumsWithPayloads() {
    enum Change: Hashable {
      case write(path: String, bytes: [UInt8])
      case remove(path: String)
      case sync
    }
    checkQueue([.sync] + (0..<50).flatMap { [Change.write(path: "\($0)", bytes: [1]), .remove(path: "\($0)")] })
  }

  func testCanonicallyEquivalentStringsAreEqual() {
    var queue: UniqueQueue = ["caf\u{E9}"]
    XCTAssertFalse(queue.append("cafe\u{301}").inserted)
    XCTAssertEqual(Array(queue.first!.unicodeScalars).count, 4)
  }

  func testQueueWorksWhenAllHashesAreEqual() {
    struct Constant: Hashable {
      let number: Int
      func hash(into hasher: inout Hasher) {}
    }
    checkQueue((0..<600).map(Constant.init(number:)))
    var queue = UniqueQueue((0..<600).map(Constant.init(number:)))
    for number in 600..<1200 {
      XCTAssertEqual(queue.popFirst()?.number, number - 600)
      queue.append(Constant(number: number))
    }
    XCTAssertFalse(queue.contains(Constant(number: 5)))
    XCTAssertTrue(queue.contains(Constant(number: 1199)))
  }

  func testHashValuesWithoutLowBitsAreDistinguished() {
    // A type may still define a bad `hashValue` itself.
    struct Aligned: Hashable {
      let number: Int
      let calls: Calls
      static func == (left: Aligned, right: Aligned) -> Bool {
        left.calls.comparisons += 1
        return left.number == right.number
      }
      var hashValue: Int { number << 12 }
      func hash(into hasher: inout Hasher) { hasher.combine(hashValue) }
    }
    let calls = Calls()
    let elements = (0..<600).map { Aligned(number: $0, calls: calls) }
    checkQueue(elements)
    calls.comparisons = 0
    XCTAssertEqual(UniqueQueue(elements).count, 600)
    #if !InternalChecks
      XCTAssertLessThan(calls.comparisons, 60, "the hashes cause too many comparisons")
    #endif
  }

  func testElementsThatDoNotEqualThemselvesAreAppendedEachTime() {
    for count in [3, 40] {
      var queue = UniqueQueue(Array(repeating: Double.nan, count: count))
      XCTAssertEqual(queue.count, count)
      XCTAssertFalse(queue.contains(.nan))
      XCTAssertNil(queue.remove(.nan))
      for _ in 0..<count { XCTAssertEqual(queue.popFirst()?.isNaN, true) }
      XCTAssertNil(queue.popFirst())
    }
  }

  func testElementIsHashedOnceAndNotComparedOnRemoval() {
    let calls = Calls()
    var queue = UniqueQueue<Counted>()
    for number in 0..<2000 { queue.append(Counted(number: number, calls: calls)) }
    #if !InternalChecks
      XCTAssertEqual(calls.hashes, 2000)
      // Some are compared by chance, because one lane in 128 has the same tag.
      XCTAssertLessThan(calls.comparisons, 200)
    #endif
    calls.hashes = 0
    calls.comparisons = 0
    queue.reserveCapacity(20_000)
    var copy = queue
    copy.removeAll { $0.number % 2 == 0 }
    while queue.popFirst() != nil {}
    while copy.popFirst() != nil {}
    #if !InternalChecks
      XCTAssertEqual(calls.hashes, 0)
      XCTAssertEqual(calls.comparisons, 0)
    #endif
  }

  func testSmallQueueDoesNotHash() {
    struct Unhashed: Hashable {
      let number: Int
      func hash(into hasher: inout Hasher) { XCTFail("hashed") }
    }
    checkQueue((0..<12).map(Unhashed.init(number:)))
  }
}
