import TestSupport
import UniqueQueues
import XCTest

/// Every operation on every layout of the ring, with and without a copy that must not change.
final class UniqueQueueLayoutTests: XCTestCase {
  /// A queue of ascending numbers from 0, with a given layout of its ring.
  struct Layout: CustomStringConvertible {
    let ring: RingLayout
    let isIndexed: Bool
    /// The offsets of the gaps: at most a quarter of all, and not the first or the last.
    let gaps: Set<Int>

    var slots: [Int?] {
      var numbers = (0...).makeIterator()
      return (0..<ring.count).map { gaps.contains($0) ? nil : numbers.next() }
    }

    var contents: [Int] { Array(0..<ring.count - gaps.count) }

    /// The elements to test: all of a small ring; of a large one, those at the ends and where it wraps.
    var samples: [Int] {
      let wrap = contents.count * (ring.capacity - ring.start) / max(ring.count, 1)
      return ring.capacity <= 6 ? contents : contents.filter { [0, wrap - 1, wrap, contents.count - 1].contains($0) }
    }

    /// The number of bytes for a slot number in the index: 2, 3 or 4, depending on the layout.
    var slotNumberSize: Int { 2 + (ring.start + ring.count) % 3 }

    var queue: UniqueQueue<Int> {
      UniqueQueue(
        layout: slots, capacity: ring.capacity, head: ring.start, isIndexed: isIndexed, slotNumberSize: slotNumberSize)
    }

    var description: String { "\(ring), \(isIndexed ? "gaps \(gaps.sorted())" : "no index")" }
  }

  /// The capacities of the rings.
  ///
  /// Without optimization, rings of more than ten slots would take ten seconds more; CI runs the optimized tests, too.
  private static var capacities: ClosedRange<Int> {
    #if DEBUG
      1...10
    #else
      1...16
    #endif
  }

  /// Calls `body` with every layout: all rings, and, if they have an index, with gaps.
  ///
  /// Rings of up to six slots have all possible gaps, larger ones a random set. Then follow rings with so much unused
  /// capacity that a copy doesn't keep it.
  private func withEveryLayout(capacities: ClosedRange<Int> = capacities, _ body: (Layout) -> Void) {
    var random = SeededRandom(seed: 7)
    withEveryRingLayout(capacities: capacities) { ring in
      let inner = Array(1..<max(ring.count - 1, 1))
      var holeSets: [Set<Int>] = [[]]
      if ring.capacity <= 6 {
        holeSets = (0..<(1 << inner.count)).map { mask in Set(inner.filter { mask & 1 << ($0 - 1) != 0 }) }
      } else if ring.count >= 4 {
        holeSets.append(Set(inner.shuffled(using: &random).prefix(random.int(in: 1..<ring.count / 4 + 1))))
      }
      withEvery("gaps", in: holeSets.filter { $0.count * 4 <= ring.count }) { gaps in
        body(Layout(ring: ring, isIndexed: true, gaps: gaps))
      }
      body(Layout(ring: ring, isIndexed: false, gaps: []))
    }
    // A copy with fewer than seven used slots doesn't keep a capacity of 44.
    for start in [0, 20, 39, 43] {
      for count in 0...8 {
        let ring = RingLayout(capacity: 44, start: start, count: count)
        let inner = Array(1..<max(count - 1, 1))
        withEvery("gaps", in: inner.map { [$0] } + [[]] as [Set<Int>]) { gaps in
          if gaps.count * 4 <= count { body(Layout(ring: ring, isIndexed: true, gaps: gaps)) }
        }
        body(Layout(ring: ring, isIndexed: false, gaps: []))
      }
    }
  }

  /// Checks a mutation of every layout against the same mutation of an array.
  ///
  /// - Parameter label: Evaluated only on failure, because there are a hundred thousand checks.
  func check<Result: Equatable>(
    _ mutate: (inout UniqueQueue<Int>) -> Result, like oracle: (inout [Int]) -> Result,
    on layout: Layout, _ label: @autoclosure () -> String, file: StaticString = #filePath, line: UInt = #line
  ) {
    var contents = layout.contents
    let expected = oracle(&contents)
    for isShared in [false, true] {
      var queue = layout.queue
      let result = withHiddenCopies(if: isShared, of: &queue, contents: { Array($0) }) { mutate(&$0) }
      expectEqual(result, expected, "\(label()), \(layout), shared \(isShared)", file: file, line: line)
      expectEqual(Array(queue), contents, "\(label()), \(layout), shared \(isShared)", file: file, line: line)
      expectEqual(queue.last, contents.last, "\(label()), \(layout), shared \(isShared)", file: file, line: line)
      expect(contents.allSatisfy(queue.contains), "\(label()): lost in \(layout)", file: file, line: line)
      queue.append(contentsOf: 100..<103)
      expectEqual(
        Array(queue), contents + [100, 101, 102], "appended after \(label()), \(layout)", file: file, line: line)
    }
  }

  func check(
    _ mutate: (inout UniqueQueue<Int>) -> Void, like oracle: (inout [Int]) -> Void,
    on layout: Layout, _ label: @autoclosure () -> String, file: StaticString = #filePath, line: UInt = #line
  ) {
    let made = { (queue: inout UniqueQueue<Int>) in
      mutate(&queue)
      return 0
    }
    let expected = { (array: inout [Int]) in
      oracle(&array)
      return 0
    }
    check(made, like: expected, on: layout, label(), file: file, line: line)
  }

  func testEveryLayoutIsReadCorrectly() {
    withEveryLayout(capacities: 1...7) { layout in
      checkBidirectionalCollection(layout.queue, expected: layout.contents)
    }
    withEveryLayout(capacities: 8...Self.capacities.upperBound) { layout in
      expectEqual(Array(layout.queue), layout.contents)
      expectEqual(Array(layout.queue.reversed()), layout.contents.reversed())
      expectEqual(layout.queue.first, layout.contents.first)
      expectEqual(layout.queue.last, layout.contents.last)
    }
  }

  func testAppendWorksOnEveryLayout() {
    withEveryLayout { layout in
      check(
        { $0.append(99).inserted },
        like: {
          $0.append(99); return true
        }, on: layout, "append")
      for element in layout.samples {
        check({ $0.append(element).inserted }, like: { _ in false }, on: layout, "append \(element)")
      }
    }
  }

  func testRemovingTheFirstWorksOnEveryLayout() {
    withEveryLayout { layout in
      check({ $0.popFirst() }, like: { $0.isEmpty ? nil : $0.removeFirst() }, on: layout, "popFirst")
      if !layout.contents.isEmpty {
        check({ $0.removeFirst() }, like: { $0.removeFirst() }, on: layout, "removeFirst")
      }
      check(
        { queue in (0..<3).map { _ in queue.popFirst() } },
        like: { array in (0..<3).map { _ in array.isEmpty ? nil : array.removeFirst() } }, on: layout, "three popFirst")
    }
  }

  func testPrependWorksOnEveryLayout() {
    withEveryLayout { layout in
      check(
        { $0.prepend(99).inserted },
        like: {
          $0.insert(99, at: 0); return true
        }, on: layout, "prepend")
      check(
        { queue in (97..<100).map { queue.prepend($0).inserted } },
        like: {
          $0 = [99, 98, 97] + $0; return [true, true, true]
        }, on: layout, "three prepend")
      for element in layout.samples {
        check({ $0.prepend(element).inserted }, like: { _ in false }, on: layout, "prepend \(element)")
      }
    }
  }

  func testRemovingTheLastWorksOnEveryLayout() {
    withEveryLayout { layout in
      check({ $0.popLast() }, like: { $0.popLast() }, on: layout, "popLast")
      if !layout.contents.isEmpty {
        check({ $0.removeLast() }, like: { $0.removeLast() }, on: layout, "removeLast")
      }
      check(
        { queue in (0..<3).map { _ in queue.popLast() } }, like: { array in (0..<3).map { _ in array.popLast() } },
        on: layout, "three popLast")
    }
  }

  func testSubtractAndFilterWorkOnEveryLayout() {
    withEveryLayout { layout in
      for divisor in 1...3 {
        check(
          { $0.subtract(stride(from: 0, to: 20, by: divisor)) }, like: { $0.removeAll { $0 % divisor == 0 } },
          on: layout, "subtract multiples of \(divisor)")
        check(
          { $0 = $0.filter { $0 % divisor == 0 } }, like: { $0 = $0.filter { $0 % divisor == 0 } }, on: layout,
          "filter multiples of \(divisor)")
      }
    }
  }

  func testRemovingAnElementWorksOnEveryLayout() {
    withEveryLayout { layout in
      check({ $0.remove(99) }, like: { _ in Int?.none }, on: layout, "remove what is not there")
      for element in layout.samples {
        let oracle = { (array: inout [Int]) in array.remove(at: element) }
        check({ $0.remove(element)! }, like: oracle, on: layout, "remove \(element)")
        check({ $0.remove(at: $0.firstIndex(of: element)!) }, like: oracle, on: layout, "remove at \(element)")
      }
    }
  }

  func testMoveToEndWorksOnEveryLayout() {
    withEveryLayout { layout in
      check({ $0.moveToEnd(99) }, like: { _ in false }, on: layout, "move what is not there")
      check(
        { $0.appendOrMoveToEnd(99).inserted },
        like: {
          $0.append(99); return true
        }, on: layout, "append what is not there")
      for element in layout.samples {
        check(
          { $0.moveToEnd(element) },
          like: {
            $0.append($0.remove(at: element)); return true
          }, on: layout, "move \(element)")
        check(
          { $0.appendOrMoveToEnd(element).inserted },
          like: {
            $0.append($0.remove(at: element)); return false
          }, on: layout, "append or move \(element)")
      }
    }
  }

  func testReplacingAnElementWorksOnEveryLayout() {
    withEveryLayout { layout in
      for element in layout.samples {
        check({ $0.updateOrAppend(element) }, like: { _ in Int?.some(element) }, on: layout, "update \(element)")
      }
      check(
        { $0.updateOrAppend(99) },
        like: {
          $0.append(99); return Int?.none
        }, on: layout, "update what is not there")
    }
  }

  func testRemoveAllWhereWorksOnEveryLayout() {
    withEveryLayout { layout in
      for divisor in 1...3 {
        for remainder in 0..<divisor {
          check(
            { $0.removeAll { $0 % divisor == remainder } }, like: { $0.removeAll { $0 % divisor == remainder } },
            on: layout, "\(divisor)n+\(remainder)")
        }
      }
    }
  }

  func testRemoveAllAndReserveCapacityWorkOnEveryLayout() {
    withEveryLayout { layout in
      check({ $0.removeAll(keepingCapacity: true) }, like: { $0 = [] }, on: layout, "removeAll, keeping")
      check({ $0.removeAll() }, like: { $0 = [] }, on: layout, "removeAll")
      for capacity in [0, layout.ring.capacity + 1, 40] {
        check(
          {
            $0.reserveCapacity(capacity); return $0.capacity >= capacity
          }, like: { _ in true }, on: layout, "reserve")
      }
    }
  }

  func testElementsWithEqualHashesAreFoundInEveryRing() {
    struct OneHash: Hashable {
      let number: Int
      func hash(into hasher: inout Hasher) {}
    }
    // With more than eight elements, some are in a later group than the first one of their hash.
    withEveryRingLayout(capacities: [13, 16]) { ring in
      guard ring.count > 8 else { return }
      for gone in [0, 3, 7, 8, ring.count - 1] {
        var numbers = Array(0..<ring.count)
        var queue = UniqueQueue(
          layout: numbers.map(OneHash.init), capacity: ring.capacity, head: ring.start, isIndexed: true,
          slotNumberSize: 2 + gone % 3)
        let copy = queue
        expectEqual(queue.remove(OneHash(number: gone))?.number, numbers.remove(at: gone))
        expect(!queue.contains(OneHash(number: gone)))
        queue.append(OneHash(number: 99))
        expectEqual(queue.map(\.number), numbers + [99])
        for number in numbers + [99] { expect(queue.contains(OneHash(number: number)), "\(number)") }
        while queue.popFirst() != nil {}
        expect(!queue.contains(OneHash(number: 99)))
        expectEqual(copy.map(\.number), Array(0..<ring.count))
      }
    }
  }

  func testQueueWorksWithWideSlotNumbers() {
    #if DEBUG
      let lengths = [2]
    #else
      // Filling a quarter of a gigabyte takes too long in an unoptimized build.
      let lengths = [2, 3]
    #endif
    for length in lengths {
      let limit = 1 << (8 * length)
      let head = limit - 10
      let layout: [UInt8?] = [0, 1, nil, 2, 3] + (4..<20).map { $0 }
      var queue = UniqueQueue(layout: layout, capacity: limit + 8, head: head, isIndexed: true)
      let contents = Array(0..<20) as [UInt8]
      XCTAssertEqual(Array(queue), contents)
      for element in contents { XCTAssertTrue(queue.contains(element)) }
      XCTAssertEqual(queue.remove(12), 12)
      XCTAssertTrue(queue.moveToEnd(11))
      XCTAssertFalse(queue.contains(12))
      for element in contents[..<11] { XCTAssertEqual(queue.popFirst(), element) }
      XCTAssertTrue(queue.append(20).inserted)
      XCTAssertEqual(Array(queue), contents[13...] + [11, 20])
    }
  }

  func testEveryElementIsReleasedOnce() {
    withEveryRingLayout(capacities: [1, 5, 13, 16]) { ring in
      for isIndexed in [false, true] {
        withLifetimeTracking { tracker in
          var queue = UniqueQueue(
            layout: tracker.instances(0..<ring.count), capacity: ring.capacity, head: ring.start, isIndexed: isIndexed)
          var copy = queue
          copy.append(tracker.instance(99))
          queue.remove(tracker.instance(ring.count / 2))
          copy.removeAll { $0.payload % 3 == 1 }
          queue.reserveCapacity(ring.capacity + 1)
          queue.moveToEnd(tracker.instance(0))
          queue.updateOrAppend(tracker.instance(1))
          queue.prepend(tracker.instance(98))
          queue.prepend(tracker.instance(1))
          copy.prepend(tracker.instance(97))
          queue.appendOrMoveToEnd(tracker.instance(98))
          _ = copy.popLast()
          _ = copy.popFirst()
          queue.removeAll(keepingCapacity: ring.start % 2 == 0)
          queue.append(tracker.instance(1))
        }
      }
    }
  }
}
