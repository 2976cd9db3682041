import TestSupport
import UniqueQueues
import XCTest

/// The capacity of a queue: which operations release it, and which keep it.
final class UniqueQueueRoomTests: XCTestCase {
  /// Queues with `count` elements and a capacity of a thousand, made in different ways.
  private func emptied(to count: Int) -> [UniqueQueue<Int>] {
    var popped = UniqueQueue(0..<1000)
    while popped.count > count { popped.removeFirst() }
    var removed = UniqueQueue(0..<1000)
    for element in (0..<1000).reversed() where element >= count { removed.remove(element) }
    var reserved = UniqueQueue(0..<count)
    reserved.reserveCapacity(1000)
    return [popped, removed, reserved]
  }

  // MARK: Copies

  func testFirstMutationOfACopyDoesNotCopyUnusedCapacity() {
    for count in [0, 1, 2, 10, 100] {
      for queue in emptied(to: count) {
        let changes: [(inout UniqueQueue<Int>) -> Void] = [
          { $0.append(-1) }, { _ = $0.popFirst() }, { $0.remove($0.last ?? -1) }, { $0.moveToEnd($0.first ?? -1) },
          { $0.updateOrAppend($0.last ?? -1) }, { $0.append(contentsOf: [-1, -2]) },
        ]
        for change in changes {
          var copy = queue
          change(&copy)
          if copy.storageIdentity == queue.storageIdentity { continue }
          XCTAssertLessThan(copy.capacity, 4 * count + 16)
          XCTAssertGreaterThanOrEqual(queue.capacity, 1000 - queue.gapCount)
        }
      }
    }
  }

  func testCopyCanGrowByHalfWithoutReallocation() {
    for count in [0, 1, 5, 8, 12, 13, 50, 200] {
      for queue in emptied(to: count) {
        var copy = queue
        copy.append(-1)
        let storage = copy.storageIdentity
        while copy.count < count + count / 2 { copy.append(-copy.count) }
        XCTAssertEqual(copy.storageIdentity, storage, "the copy grew at once")
      }
    }
  }

  func testCopyKeepsACapacityThatIsAQuarterFull() {
    var queue = UniqueQueue(0..<1000)
    while queue.count > 250 { queue.removeFirst() }
    var copy = queue
    copy.append(-1)
    XCTAssertEqual(copy.capacity, queue.capacity)
  }

  func testReserveCapacityAppliesToACopy() {
    for count in [0, 1, 2, 10, 100, 600] {
      for queue in emptied(to: count) {
        for capacity in [1, count, 300, 900, 5000] {
          var copy = queue
          copy.reserveCapacity(capacity)
          XCTAssertNotEqual(copy.storageIdentity, queue.storageIdentity)
          XCTAssertGreaterThanOrEqual(copy.capacity, capacity)
          XCTAssertTrue(copy.elementsEqual(queue))
        }
      }
    }
  }

  func testQueueCopiedBeforeEachChangeKeepsItsCapacity() {
    for count in [1, 5, 12, 40, 500] {
      var queue = emptied(to: count)[0]
      var capacities: [Int] = []
      for turn in 0..<200 {
        let copy = queue
        queue.append(1000 + turn)
        queue.removeFirst()
        capacities.append(queue.capacity)
        XCTAssertEqual(copy.count, count)
      }
      XCTAssertEqual(Set(capacities).count, 1, "\(count): \(capacities)")
    }
  }

  // MARK: Releasing capacity

  func testReservingZeroReleasesUnusedCapacity() {
    for count in [0, 1, 4, 5, 12, 13, 100] {
      for queue in emptied(to: count) {
        for isShared in [false, true] {
          var queue = queue
          let copy = isShared ? queue : nil
          let indices = Array(queue.indices)
          queue.reserveCapacity(0)
          XCTAssertLessThan(queue.capacity, count + 4)
          XCTAssertEqual(indices.map { queue[$0] }, Array(queue))
          XCTAssertEqual(queue.count, count)
          XCTAssertTrue(queue.allSatisfy(queue.contains))
          XCTAssertTrue(copy?.elementsEqual(queue) ?? true)
          queue.append(-1)
          XCTAssertEqual(queue.last, -1)
        }
      }
    }
  }

  func testReservingZeroKeepsStorageThatFits() {
    var queue = UniqueQueue(0..<100)
    let storage = queue.storageIdentity
    queue.reserveCapacity(0)
    XCTAssertEqual(queue.storageIdentity, storage)
  }

  func testReservingZeroWithGapsKeepsIndices() {
    var queue = UniqueQueue<Int>(minimumCapacity: 1000)
    queue.append(contentsOf: 0..<9)
    queue.remove(3)
    queue.remove(5)
    let index = queue.firstIndex(of: 7)!
    queue.reserveCapacity(0)
    XCTAssertEqual(queue[index], 7)
    XCTAssertLessThan(queue.capacity, 16)
    queue.append(contentsOf: 10..<100)
    XCTAssertEqual(Array(queue), [0, 1, 2, 4, 6, 7, 8] + Array(10..<100))
    XCTAssertEqual(queue[index], 7)
  }

  func testRemoveAllWhereReleasesUnusedCapacity() {
    for count in [0, 1, 10, 100] {
      var queue = UniqueQueue(0..<1000)
      queue.removeAll { $0 >= count }
      XCTAssertLessThan(queue.capacity, 4 * count + 16)
      XCTAssertEqual(Array(queue), Array(0..<count))
      queue.append(contentsOf: -50..<0)
      XCTAssertEqual(Array(queue), Array(0..<count) + Array(-50..<0))
    }
  }

  func testRemoveAllWhereWithoutAMatchKeepsTheStorage() {
    for queue in emptied(to: 10) {
      var queue = queue
      let storage = queue.storageIdentity
      queue.removeAll { $0 < 0 }
      XCTAssertEqual(queue.storageIdentity, storage)
    }
  }

  func testQueueMadeFromAQueueOmitsUnusedCapacity() {
    for queue in emptied(to: 10) {
      let other = UniqueQueue(queue)
      XCTAssertLessThan(other.capacity, 4 * 10 + 16)
      XCTAssertTrue(other.elementsEqual(queue))
    }
  }

  func testQueueMadeFromDuplicatesOmitsUnusedCapacity() {
    for count in [0, 1, 100] {
      let queue = UniqueQueue(Array(0..<count) + Array(repeating: 0, count: min(count, 1) * 10_000))
      XCTAssertLessThanOrEqual(queue.capacity, 4 * count + 16)
      XCTAssertTrue(queue.elementsEqual(0..<count))
    }
  }

  // MARK: Keeping capacity

  func testRemovingElementsKeepsTheCapacity() {
    for count in [0, 1, 100] {
      var queue = UniqueQueue<Int>(minimumCapacity: 1000)
      let capacity = queue.capacity
      let storage = queue.storageIdentity
      queue.append(contentsOf: 0..<1000)
      while queue.count > count { _ = queue.count % 2 == 0 ? queue.popFirst() : queue.remove(queue.last!) }
      queue.append(contentsOf: 2000..<3000 - count)
      XCTAssertEqual(queue.capacity, capacity)
      XCTAssertEqual(queue.storageIdentity, storage)
    }
  }

  func testRemoveAllKeepingCapacityKeepsItInACopyToo() {
    for queue in emptied(to: 10) {
      for isShared in [false, true] {
        var queue = queue
        let copy = isShared ? queue : nil
        queue.removeAll(keepingCapacity: true)
        XCTAssertGreaterThanOrEqual(queue.capacity, 1000)
        XCTAssertTrue(queue.isEmpty)
        XCTAssertEqual(copy?.count ?? 10, 10)
      }
    }
  }
}
