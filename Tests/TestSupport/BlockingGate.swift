import Foundation

/// A gate at which threads, not tasks, wait until it is opened.
public final class BlockingGate: @unchecked Sendable {
  private let condition = NSCondition()
  private var isOpen = false

  /// Makes a closed gate.
  public init() {}

  /// Opens the gate for the threads that wait and for later ones.
  public func open() {
    condition.withLock {
      isOpen = true
      condition.broadcast()
    }
  }

  /// Blocks the thread until the gate is open.
  public func pass() {
    condition.withLock {
      while !isOpen { condition.wait() }
    }
  }
}
