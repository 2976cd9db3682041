import Foundation

/// Holds up threads (not tasks) until it is opened.
public final class BlockingGate: @unchecked Sendable {
  private let condition = NSCondition()
  private var isOpen = false

  /// Makes a gate, which is closed.
  public init() {}

  /// Lets every thread through, now and later.
  public func open() {
    condition.withLock {
      isOpen = true
      condition.broadcast()
    }
  }

  /// Holds the thread up until the gate is open.
  public func pass() {
    condition.withLock {
      while !isOpen { condition.wait() }
    }
  }
}
