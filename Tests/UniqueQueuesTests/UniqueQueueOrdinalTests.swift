import UniqueQueues
import XCTest

/// Access to elements by their ordinals, for the queues that are built on this one.
final class UniqueQueueOrdinalTests: XCTestCase {
  func testOrdinalHasAnElementUnlessItIsAGapOrOutside() {
    for (count, gaps) in [(0, []), (5, []), (100, [1, 40])] {
      var queue = UniqueQueue(0..<count)
      let (first, epoch) = (queue.ordinals.lowerBound, queue.epoch)
      for gap in gaps { queue.remove(ordinal: first.advanced(by: gap)) }
      XCTAssertEqual(queue.epoch, epoch)
      for offset in -2..<count + 2 {
        let ordinal = first.advanced(by: offset)
        let isInside = 0..<count ~= offset
        let hasElement = isInside && !gaps.contains(offset)
        XCTAssertEqual(queue.hasSlot(ordinal: ordinal), isInside)
        XCTAssertEqual(queue.hasElement(ordinal: ordinal), hasElement)
        XCTAssertEqual(queue.hasElement(ordinal: ordinal) { $0 == offset }, hasElement)
        XCTAssertFalse(queue.hasElement(ordinal: ordinal) { $0 != offset })
        XCTAssertEqual(queue.ordinal(of: offset), hasElement ? ordinal : nil)
        if hasElement { XCTAssertEqual(queue.withElement(ordinal: ordinal) { $0 }, offset) }
      }
    }
  }

  func testElementIsMovedToTheEndByItsOrdinal() throws {
    for count in [1, 2, 5, 100] {
      for element in [0, count / 2, count - 1] {
        var queue = UniqueQueue(0..<count)
        let copy = queue
        queue.moveToEnd(ordinal: try XCTUnwrap(queue.ordinal(of: element)))
        XCTAssertEqual(Array(queue), (0..<count).filter { $0 != element } + [element])
        XCTAssertEqual(queue.ordinal(of: element), queue.lastOrdinal)
        XCTAssertEqual(Array(copy), Array(0..<count))
      }
    }
  }
}
