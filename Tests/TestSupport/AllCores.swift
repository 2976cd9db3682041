import Foundation

/// Calls `body` with each number below `count`, in as many tasks as there are cores.
///
/// An error of `body` ends the work, and is thrown.
package func onAllCores(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
  let lanes = ProcessInfo.processInfo.activeProcessorCount
  try await withThrowingTaskGroup { group in
    for lane in 0..<lanes {
      group.addTask {
        for number in stride(from: lane, to: count, by: lanes) { try await body(number) }
      }
    }
    try await group.waitForAll()
  }
}

/// Calls `body` with 0, 1, and so on, in as many tasks as there are cores, until it returns false.
///
/// - Returns: The number of calls that returned true.
package func onAllCoresWhile(_ body: @escaping @Sendable (Int) async throws -> Bool) async throws -> Int {
  let (lanes, count) = (ProcessInfo.processInfo.activeProcessorCount, Counter())
  try await onAllCores(lanes) { lane in
    var number = lane
    while try await body(number) {
      count.next()
      number += lanes
    }
  }
  return count.count
}

/// The first of the values that threads find, in the order of their numbers.
package final class FirstFound<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var first: (number: Int, value: Value)?

  package init() {}

  /// The value with the lowest number so far.
  package var value: Value? { lock.withLock { first?.value } }

  /// Whether a value with a lower number was found, so that no other one can become the first.
  package func isFound(before number: Int) -> Bool { lock.withLock { first.map { $0.number < number } ?? false } }

  package func note(_ value: Value, at number: Int) {
    lock.withLock {
      if let first, first.number < number { return }
      first = (number, value)
    }
  }
}
