import TestSupport
import UniqueQueues
import XCTest

/// Operations at the front for adding and at the back for removing, and operations on many elements.
final class UniqueQueueEndsTests: XCTestCase {
  func testPrependKeepsAnEqualElementInItsPlace() {
    var queue: UniqueQueue = [Named(1, "one"), Named(2, "two")]
    let second = queue.prepend(Named(2, "deux"))
    XCTAssertFalse(second.inserted)
    XCTAssertEqual(second.memberAfterPrepend.name, "two")
    XCTAssertEqual(queue.map(\.name), ["one", "two"])
  }

  func testStackOfSteadyDepthKeepsItsStorage() {
    for depth in [5, 500] {
      var queue = UniqueQueue(0..<depth)
      queue.reserveCapacity(depth + 1)
      let storage = queue.storageIdentity
      for element in depth..<depth * 10 {
        queue.append(element)
        XCTAssertEqual(queue.popLast(), element)
        queue.prepend(element)
        XCTAssertEqual(queue.removeFirst(), element)
      }
      XCTAssertEqual(queue.storageIdentity, storage)
    }
  }

  func testQueueWithNegativeOrdinalsIsReadCorrectly() {
    for count in [4, 24] {
      var queue = UniqueQueue(0..<count)
      for element in 1...count { queue.prepend(-element) }
      checkBidirectionalCollection(queue, expected: Array(-count..<count))
      XCTAssertEqual(queue.removeLast(), count - 1)
      queue.removeAll { $0 % 5 == 2 }
      queue.moveToEnd(-1)
      let expected = (-count..<count - 1).filter { $0 % 5 != 2 && $0 != -1 } + [-1]
      checkBidirectionalCollection(queue, expected: expected)
      queue.reserveCapacity(0)
      XCTAssertEqual(Array(queue), expected)
    }
  }

  func testRemoveLastAlsoRemovesTheGapsBeforeIt() {
    var queue = UniqueQueue(0..<100)
    for element in 90..<99 { queue.remove(element) }
    XCTAssertEqual(queue.removeLast(), 99)
    XCTAssertEqual(queue.last, 89)
    XCTAssertEqual(queue.gapCount, 0)
    queue.append(200)
    XCTAssertEqual(Array(queue.suffix(2)), [89, 200])
  }

  func testSubtractRemovesElementsThatArePresent() {
    for count in [5, 100] {
      var queue = UniqueQueue(0..<count)
      queue.subtract(stride(from: -10, to: count, by: 2))
      XCTAssertEqual(Array(queue), Array(stride(from: 1, to: count, by: 2)))
      queue.subtract(queue)
      XCTAssertTrue(queue.isEmpty)
    }
  }

  func testFilterReturnsElementsInOrderAndKeepsTheOriginal() {
    for count in [5, 100] {
      let queue = UniqueQueue(0..<count)
      let odd: UniqueQueue<Int> = queue.filter { $0 % 2 == 1 }
      XCTAssertEqual(Array(odd), Array(stride(from: 1, to: count, by: 2)))
      for element in 0..<count { XCTAssertEqual(odd.contains(element), element % 2 == 1) }
      XCTAssertEqual(Array(queue), Array(0..<count))
      XCTAssertEqual(queue.filter { _ in true }.storageIdentity, queue.storageIdentity)
    }
  }

  func testFilterRethrowsTheErrorOfItsPredicate() {
    struct Stop: Error {}
    let queue = UniqueQueue(0..<20)
    XCTAssertThrowsError(try queue.filter { if $0 == 7 { throw Stop() } else { $0 > 3 } }) { XCTAssertTrue($0 is Stop) }
    XCTAssertEqual(queue.count, 20)
  }

  func testAppendOrMoveToEndKeepsTheExistingElement() {
    var queue: UniqueQueue = [Named(1, "one"), Named(2, "two")]
    let moved = queue.appendOrMoveToEnd(Named(1, "un"))
    XCTAssertFalse(moved.inserted)
    XCTAssertEqual(moved.memberAfterAppend.name, "one")
    let appended = queue.appendOrMoveToEnd(Named(3, "three"))
    XCTAssertTrue(appended.inserted)
    XCTAssertEqual(appended.memberAfterAppend.name, "three")
    XCTAssertEqual(queue.map(\.name), ["two", "one", "three"])
  }

  func testOperationsAtBothEndsHashAtMostOnce() {
    let calls = Calls()
    let elements = (0..<300).map { Counted(number: $0, calls: calls) }
    var queue = UniqueQueue(elements[..<100])
    calls.reset()
    for element in elements[100..<200] { queue.prepend(element) }
    for element in elements[..<300] { queue.appendOrMoveToEnd(element) }
    #if !InternalChecks
      XCTAssertEqual(calls.hashes, 400)
    #endif
    calls.reset()
    let kept = queue.filter { $0.number % 3 == 0 }
    for element in elements.reversed() { XCTAssertEqual(queue.popLast()?.number, element.number) }
    XCTAssertEqual(kept.count, 100)
    #if !InternalChecks
      XCTAssertEqual(calls.hashes, 0)
      XCTAssertEqual(calls.comparisons, 0)
    #endif
  }

  func testGenericCodeFindsElementsByTheIndex() {
    func isIn<Elements: Collection>(_ elements: Elements, _ element: Elements.Element) -> Bool
    where Elements.Element: Equatable {
      elements.contains(element)
    }
    func offset<Elements: BidirectionalCollection>(_ elements: Elements, _ element: Elements.Element) -> Int?
    where Elements.Element: Equatable {
      guard let index = elements.firstIndex(of: element), index == elements.lastIndex(of: element) else { return nil }
      return elements.distance(from: elements.startIndex, to: index)
    }
    let calls = Calls()
    let elements = (0..<2000).map { Counted(number: $0, calls: calls) }
    let queue = UniqueQueue(elements[..<1000])
    calls.reset()
    for number in [0, 500, 999] {
      XCTAssertTrue(isIn(queue, elements[number]))
      XCTAssertEqual(offset(queue, elements[number]), number)
    }
    XCTAssertFalse(isIn(queue, elements[1500]))
    XCTAssertNil(offset(queue, elements[1500]))
    XCTAssertLessThan(calls.comparisons, 100)
  }

  func testEndOperationsWithoutEffectDoNotCopyTheStorage() {
    for count in [5, 50] {
      var queue = UniqueQueue(0..<count)
      let copy = queue
      queue.prepend(3)
      queue.appendOrMoveToEnd(count - 1)
      queue.subtract([-1, count])
      XCTAssertEqual(queue.storageIdentity, copy.storageIdentity)
    }
    var empty = UniqueQueue<Int>()
    XCTAssertNil(empty.popLast())
    XCTAssertNil(empty.storageIdentity)
  }
}
