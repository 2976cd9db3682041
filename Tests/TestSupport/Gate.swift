import Foundation

/// A gate at which tasks wait until a test opens it.
///
/// It puts tasks in an order without sleeping.
public final class Gate: @unchecked Sendable {
  private let lock = NSLock()
  private var isOpen: Bool
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Makes a gate, which is closed by default.
  public init(isOpen: Bool = false) { self.isOpen = isOpen }

  /// Opens the gate for the tasks that wait and for later ones.
  public func open() {
    let released = lock.withLock {
      isOpen = true
      defer { waiting = [] }
      return waiting
    }
    for continuation in released { continuation.resume() }
  }

  /// Closes the gate again for later tasks.
  public func close() { lock.withLock { isOpen = false } }

  /// The number of waiting tasks.
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

/// Runs a blocking function on a new thread.
///
/// Tasks share a pool with one thread per core. If tests that run in parallel each blocked one of these threads, no
/// thread would be left for the tasks that wake them.
package func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
  }
}
