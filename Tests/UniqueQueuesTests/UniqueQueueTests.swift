import TestSupport
import UniqueQueues
import XCTest

final class UniqueQueueTests: XCTestCase {
  func testUpdateOrAppendReplacesInPlace() {
    var queue: UniqueQueue = [Named(1, "one"), Named(2, "two")]
    XCTAssertEqual(queue.updateOrAppend(Named(1, "uno"))?.name, "one")
    XCTAssertNil(queue.updateOrAppend(Named(3, "tre")))
    XCTAssertEqual(queue.map(\.name), ["uno", "two", "tre"])
  }

  func testAppendKeepsTheFirstOfEqualElements() {
    var queue: UniqueQueue = [Named(1, "one"), Named(1, "uno")]
    XCTAssertEqual(queue.first?.name, "one")
    XCTAssertEqual(queue.append(Named(1, "eins")).memberAfterAppend.name, "one")
    XCTAssertTrue(queue.moveToEnd(Named(1, "ein")))
    XCTAssertEqual(queue.remove(Named(1, "un"))?.name, "one")
  }

  func testRepeatedMoveToEndDoesNotGrowTheCapacity() {
    var queue = UniqueQueue(0..<96)
    let capacity = queue.capacity
    for _ in 0..<1000 { queue.moveToEnd(queue.first!) }
    XCTAssertEqual(queue.capacity, capacity)
    XCTAssertEqual(queue.first, 1000 % 96)
  }

  func testRemoveAllWhereKeepsItsRemovalsWhenThePredicateThrows() {
    struct Stop: Error {}
    for count in [10, 100] {
      var queue = UniqueQueue(0..<count)
      XCTAssertThrowsError(try queue.removeAll { if $0 == 7 { throw Stop() } else { $0 % 2 == 0 } })
      XCTAssertEqual(Array(queue), [1, 3, 5] + Array(7..<count))
    }
  }

  func testRemoveAllKeepsTheCapacityOnlyOnRequest() {
    var queue = UniqueQueue(0..<100)
    let capacity = queue.capacity
    queue.removeAll(keepingCapacity: true)
    XCTAssertTrue(queue.isEmpty)
    XCTAssertEqual(queue.capacity, capacity)
    XCTAssertTrue(queue.append(5).inserted)
    XCTAssertFalse(queue.contains(6))
    queue.removeAll()
    XCTAssertEqual(queue.capacity, 0)
  }

  func testAppendingWithinTheReservedCapacityKeepsTheStorage() {
    var queue = UniqueQueue<Int>(minimumCapacity: 1000)
    XCTAssertGreaterThanOrEqual(queue.capacity, 1000)
    let storage = queue.storageIdentity
    queue.append(contentsOf: 0..<queue.capacity)
    XCTAssertEqual(queue.storageIdentity, storage)
    queue.reserveCapacity(5000)
    XCTAssertGreaterThanOrEqual(queue.capacity, 5000)
    XCTAssertNotEqual(queue.storageIdentity, storage)
    XCTAssertEqual(queue.count, queue.last! + 1)
  }

  func testReservedCapacityIsRoundedUpToAMultipleOfFour() {
    for count in 1...100 {
      // The capacity is a multiple of the index's groups.
      let rounded = (count + 3) / 4 * 4
      let reserved = UniqueQueue<Int>(minimumCapacity: count)
      XCTAssertEqual(reserved.capacity, rounded)
      XCTAssertEqual(reserved.isIndexed, rounded > 12)
      XCTAssertEqual(UniqueQueue(0..<count).capacity, rounded)
      var queue: UniqueQueue = [0]
      queue.reserveCapacity(count)
      XCTAssertEqual(queue.capacity, rounded)
    }
  }

  func testAppendingGrowsTheCapacityByHalf() {
    var queue = UniqueQueue<Int>()
    var capacities: [Int] = []
    for element in 0..<200 {
      queue.append(element)
      if queue.capacity != capacities.last { capacities.append(queue.capacity) }
    }
    XCTAssertEqual(capacities, [4, 8, 12, 20, 32, 52, 80, 124, 188, 284])
  }

  func testGapsTakeUpCapacityUntilTheyExceedAQuarter() {
    var queue = UniqueQueue(0..<40)
    for count in 1...10 {
      queue.remove(2 * count)
      XCTAssertEqual(queue.gapCount, count)
      XCTAssertEqual(queue.capacity, 40 - count)
    }
    queue.remove(30)
    XCTAssertEqual(queue.gapCount, 0)
    XCTAssertEqual(queue.capacity, 40)
  }

  func testCapacityIsTheNumberOfElementsThatFit() {
    for goneCount in [0, 5, 20] {
      var queue = UniqueQueue(0..<40)
      queue.reserveCapacity(60)
      for count in 0..<goneCount { queue.remove(2 * count + 1) }
      let storage = queue.storageIdentity
      queue.reserveCapacity(queue.capacity)
      queue.append(contentsOf: 100..<100 + queue.capacity - queue.count)
      XCTAssertEqual(queue.storageIdentity, storage)
      XCTAssertEqual(queue.count, queue.capacity)
      queue.reserveCapacity(queue.capacity + 1)
      XCTAssertNotEqual(queue.storageIdentity, storage)
    }
  }

  func testReservingNothingAllocatesNothing() {
    var queue = UniqueQueue<Int>(minimumCapacity: 0)
    queue.reserveCapacity(0)
    XCTAssertNil(queue.storageIdentity)
    XCTAssertNil(UniqueQueue<Int>().storageIdentity)
    XCTAssertNil(UniqueQueue<Int>([]).storageIdentity)
  }

  func testQueueMadeFromAQueueSharesItsStorage() {
    let queue = UniqueQueue(0..<10)
    XCTAssertEqual(UniqueQueue(queue).storageIdentity, queue.storageIdentity)
  }

  func testQueueOfSteadyDepthKeepsItsStorage() {
    for depth in [5, 500] {
      var queue = UniqueQueue(0..<depth)
      queue.append(depth)
      let storage = queue.storageIdentity
      for element in depth + 1..<depth * 100 {
        XCTAssertEqual(queue.popFirst(), element - depth - 1)
        queue.append(element)
      }
      XCTAssertEqual(queue.storageIdentity, storage)
    }
  }

  func testElementsAreContiguousUnlessTheyWrapOrHaveGaps() {
    func isInOnePiece(_ queue: UniqueQueue<Int>) -> Bool {
      unsafe queue.withContiguousStorageIfAvailable { elements in unsafe elements.elementsEqual(queue) } ?? false
    }
    XCTAssertTrue(isInOnePiece([]))
    for isIndexed in [false, true] {
      for head in 0..<4 {
        let queue = UniqueQueue(layout: [1, 2, 3], capacity: 4, head: head, isIndexed: isIndexed)
        XCTAssertEqual(isInOnePiece(queue), head < 2)
      }
    }
    XCTAssertFalse(isInOnePiece(UniqueQueue(layout: [1, 2, nil, 3], capacity: 4, head: 0, isIndexed: true)))
  }

  func testIteratorIsUnaffectedByLaterMutations() {
    for count in [5, 50] {
      var queue = UniqueQueue(0..<count)
      let before = IteratorSequence(queue.makeIterator())
      queue.remove(3)
      queue.removeFirst()
      XCTAssertEqual(Array(before), Array(0..<count))
    }
  }

  func testReplacingAnElementDoesNotChangeACopy() {
    for count in [5, 50] {
      var queue = UniqueQueue((0..<count).map { Named($0, "old") })
      let copy = queue
      XCTAssertEqual(queue.updateOrAppend(Named(2, "new"))?.name, "old")
      XCTAssertEqual(queue.map(\.name).firstIndex(of: "new"), 2)
      XCTAssertFalse(copy.map(\.name).contains("new"))
    }
  }

  func testAppendContentsOfSkipsElementsAlreadyPresent() {
    var queue: UniqueQueue = [2]
    queue.append(contentsOf: [1, 2, 3, 1])
    XCTAssertEqual(Array(queue), [2, 1, 3])
  }

  func testCallsWithoutEffectDoNotCopyTheStorage() {
    for count in [5, 50] {
      var queue = UniqueQueue(0..<count)
      let copy = queue
      queue.append(3)
      queue.remove(-1)
      queue.moveToEnd(-1)
      queue.moveToEnd(count - 1)
      queue.append(contentsOf: [1, 2])
      XCTAssertEqual(queue.storageIdentity, copy.storageIdentity)
    }
  }
}

/// An element that is compared by its number only.
///
/// The `name` distinguishes equal elements.
struct Named: Hashable {
  let number: Int
  let name: String

  init(_ number: Int, _ name: String) {
    self.number = number
    self.name = name
  }

  static func == (left: Named, right: Named) -> Bool { left.number == right.number }
  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
