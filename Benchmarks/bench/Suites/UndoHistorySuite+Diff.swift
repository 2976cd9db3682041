import Foundation
import UndoHistories

extension Suite {
  /// The cost of assigning a whole array.
  ///
  /// Finding the element that differs requires reading both arrays once.
  mutating func addDiff() {
    benchmark(
      "diff", "find the one element that differs in two arrays of n",
      sizes: .exactly(1000, 32_768, 1_000_000, quick: 1_000_000), state: .fresh(upTo: 1000)
    ) { n in
      (0..<2).map { version in
        var numbers = Array(0..<n)
        numbers[n / 2] = -version
        return numbers
      }
    } contenders: { race in
      race.subject("UndoHistory", setUp: { UndoHistory(initialValue: $0[0]) }) { history, versions, operations in
        for i in operations { history.currentItem = versions[(i &+ 1) & 1] }
        return operations.count
      }
      // The comparison stops at the difference and continues after it, so both arrays are read completely, once.
      race.floor("one memcmp", setUp: { $0 }) { _, versions, operations in
        for i in operations { sink(compare(versions[(i &+ 1) & 1], versions[i & 1])) }
        return operations.count
      }
      race.peer("CollectionDifference", setUp: { $0 }) { _, versions, operations in
        operations.reduce(0) { count, i in
          count &+ versions[(i &+ 1) & 1].difference(from: versions[i & 1]).insertions.count
        }
      }
    }
  }
}

/// Compares the memory of two arrays around the element in their middle.
@inline(never)
private func compare(_ a: [Int], _ b: [Int]) -> Int {
  unsafe a.withUnsafeBytes { a in
    unsafe b.withUnsafeBytes { b in
      guard let x = a.baseAddress, let y = b.baseAddress else { return 0 }
      let half = a.count / 16 * 8
      let rest = half + 8
      return unsafe Int(memcmp(x, y, half)) &+ Int(memcmp(x + rest, y + rest, a.count - rest))
    }
  }
}
