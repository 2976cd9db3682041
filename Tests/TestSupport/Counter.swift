import Foundation

/// A count that threads can share.
public final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var value = 0

  /// Makes a counter at zero.
  public init() {}

  /// The current count.
  public var count: Int { lock.withLock { value } }

  /// Whether anything was counted.
  public var isUsed: Bool { count > 0 }

  /// Adds to the count.
  public func add(_ number: Int) { lock.withLock { value += number } }

  /// Adds one to the count, and returns it.
  @discardableResult
  public func next() -> Int {
    lock.withLock {
      value += 1
      return value
    }
  }
}
