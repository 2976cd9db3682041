import Foundation

/// A door that tasks wait at until a test opens it: order without sleeping.
public final class Gate: @unchecked Sendable {
  private let lock = NSLock()
  private var isOpen: Bool
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Makes a gate, closed unless said otherwise.
  public init(isOpen: Bool = false) { self.isOpen = isOpen }

  /// Lets everyone through who waits, and everyone who comes later.
  public func open() {
    let released = lock.withLock {
      isOpen = true
      defer { waiting = [] }
      return waiting
    }
    for continuation in released { continuation.resume() }
  }

  /// Closes the gate again for those who come later.
  public func close() { lock.withLock { isOpen = false } }

  /// How many tasks wait now.
  public var waiterCount: Int { lock.withLock { waiting.count } }

  /// Suspends until the gate is open.
  public func pass() async {
    await withCheckedContinuation { continuation in
      let goesOn = lock.withLock {
        if !isOpen { waiting.append(continuation) }
        return isOpen
      }
      if goesOn { continuation.resume() }
    }
  }
}

/// Runs what blocks on a thread of its own.
///
/// Tasks share as many threads as there are cores. Where tests run beside each other and each blocks one of them, none
/// is left for what would wake them.
package func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
  }
}
