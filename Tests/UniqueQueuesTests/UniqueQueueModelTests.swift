import TestSupport
import UniqueQueues
import XCTest

/// Compares random histories with an array.
final class UniqueQueueModelTests: XCTestCase {
  /// A number with many hash collisions.
  struct Colliding: Hashable, CustomStringConvertible {
    let number: Int
    let buckets: Int
    var description: String { "\(number)" }
    func hash(into hasher: inout Hasher) { hasher.combine(number % buckets) }
  }

  /// Runs one history of `steps` random operations.
  ///
  /// - Parameter element: Makes the element for a number. Equal numbers give equal elements.
  static func runHistory<Element: Hashable>(
    steps: Int, random: inout SeededRandom, element: (Int) -> Element,
    file: StaticString = #filePath, line: UInt = #line
  ) {
    var queue = UniqueQueue<Element>()
    var model: [Element] = []
    var copies: [(queue: UniqueQueue<Element>, model: [Element])] = []
    let range = [4, 13, 40, 300][random.int(in: 0..<4)]
    let growth = random.int(in: 1..<5)
    for step in 0..<steps {
      let new = element(random.int(in: 0..<range))
      let offset = model.firstIndex(of: new)
      let operation = random.int(in: 0..<18 + growth)
      switch operation {
      case 0, 1, 2:
        expectEqual(queue.popFirst(), model.isEmpty ? nil : model.removeFirst(), file: file, line: line)
      case 3, 4:
        expectEqual(queue.remove(new), offset.map { model.remove(at: $0) }, file: file, line: line)
      case 5:
        expectEqual(queue.moveToEnd(new), offset != nil, file: file, line: line)
        if let offset { model.append(model.remove(at: offset)) }
      case 6:
        expectEqual(queue.updateOrAppend(new), offset.map { model[$0] }, file: file, line: line)
        if offset == nil { model.append(new) }
      case 7 where random.chance(oneIn: 4):
        let doomed = Set((0..<random.int(in: 0..<range)).map { _ in element(random.int(in: 0..<range)) })
        queue.removeAll { doomed.contains($0) }
        model.removeAll { doomed.contains($0) }
      case 8 where random.chance(oneIn: 20):
        queue.removeAll(keepingCapacity: random.chance(oneIn: 2))
        model = []
      case 9 where random.chance(oneIn: 4):
        queue.reserveCapacity(random.chance(oneIn: 4) ? 0 : random.int(in: 0..<8 * range))
      case 10:
        if copies.count > 2 { copies.removeFirst() }
        copies.append((random.chance(oneIn: 4) ? UniqueQueue(queue) : queue, model))
      case 11:
        expectEqual(
          queue.firstIndex(of: new).map { queue.distance(from: queue.startIndex, to: $0) }, offset, file: file,
          line: line)
      case 12:
        expectEqual(queue.popLast(), model.popLast(), file: file, line: line)
      case 13, 14:
        let result = queue.prepend(new)
        expectEqual(result.inserted, offset == nil, file: file, line: line)
        expectEqual(result.memberAfterPrepend, new, file: file, line: line)
        if offset == nil { model.insert(new, at: 0) }
      case 15:
        let result = queue.appendOrMoveToEnd(new)
        expectEqual(result.inserted, offset == nil, file: file, line: line)
        expectEqual(result.memberAfterAppend, new, file: file, line: line)
        if let offset { model.remove(at: offset) }
        model.append(new)
      case 16 where random.chance(oneIn: 4):
        let doomed = (0..<random.int(in: 0..<range)).map { _ in element(random.int(in: 0..<range)) }
        queue.subtract(doomed)
        model.removeAll { doomed.contains($0) }
      case 17 where random.chance(oneIn: 4):
        let kept = Set((0..<random.int(in: 0..<2 * range)).map { _ in element(random.int(in: 0..<range)) })
        queue = queue.filter { kept.contains($0) }
        model = model.filter { kept.contains($0) }
      default:
        let result = queue.append(new)
        expectEqual(result.inserted, offset == nil, file: file, line: line)
        expectEqual(result.memberAfterAppend, new, file: file, line: line)
        if offset == nil { model.append(new) }
      }
      guard
        expect(
          queue.elementsEqual(model), "step \(step), operation \(operation): \(queue) is not \(model)", file: file,
          line: line)
      else { return }
      expectEqual(queue.count, model.count, file: file, line: line)
      expectEqual(queue.first, model.first, file: file, line: line)
      expectEqual(queue.last, model.last, file: file, line: line)
      expectEqual(queue.contains(new), model.contains(new), file: file, line: line)
    }
    for copy in copies {
      expect(
        copy.queue.elementsEqual(copy.model), "a copy was changed: \(copy.queue), \(copy.model)", file: file, line: line
      )
    }
  }

  func testQueueOfNumbersMatchesAnArray() {
    withSeeds(400) { random in Self.runHistory(steps: 250, random: &random) { $0 } }
  }

  func testQueueOfStringsMatchesAnArray() {
    withSeeds(200) { random in Self.runHistory(steps: 250, random: &random) { "/Users/somebody/Documents/\($0).txt" } }
  }

  func testQueueOfCollidingHashesMatchesAnArray() {
    withSeeds(300) { random in
      let buckets = [1, 2, 7][random.int(in: 0..<3)]
      Self.runHistory(steps: 250, random: &random) { Colliding(number: $0, buckets: buckets) }
    }
  }

  func testQueueOfObjectsMatchesAnArrayAndReleasesEachOnce() {
    withSeeds(200) { random in
      withLifetimeTracking { tracker in Self.runHistory(steps: 150, random: &random) { tracker.instance($0) } }
    }
  }

  func testIndicesSurviveAppendingReservingAndCopying() {
    withSeeds(300) { random in
      var queue = UniqueQueue(0..<random.int(in: 1..<100))
      if random.chance(oneIn: 2) { queue.reserveCapacity(1000) }
      queue.removeAll { $0 % 7 == 3 }
      if random.chance(oneIn: 2) { queue.reserveCapacity(1000) }
      if random.chance(oneIn: 2) { queue.remove(random.int(in: 0..<100)) }
      let copy = random.chance(oneIn: 2) ? queue : nil
      defer { expect(copy?.allSatisfy { $0 < 200 } ?? true) }
      let indices = Array(queue.indices)
      let contents = Array(queue)
      queue.append(contentsOf: 200..<200 + random.int(in: 0..<300))
      queue.reserveCapacity(random.chance(oneIn: 2) ? 0 : random.int(in: 0..<1000))
      expectEqual(indices.map { queue[$0] }, contents)
    }
  }
}
