import Foundation
import TestSupport

extension ScriptedFileSystem {
  /// - Parameters:
  ///   - isArmed: Whether the script applies from the beginning, and not only after ``arm()``.
  ///   - call: The call that waits until the gate is open.
  ///   - fault: The fault of the call after its wait.
  convenience init(isArmed: Bool = true, holding call: Call, at gate: BlockingGate, then fault: Fault? = nil) {
    self.init(isArmed: isArmed) { made, _ in
      guard made == call else { return nil }
      gate.pass()
      return fault
    }
  }
}

/// Returns true a given number of times.
///
/// Threads may share it.
final class Countdown: @unchecked Sendable {
  private let lock = NSLock()
  private var left: Int

  init(_ count: Int) { left = count }

  func next() -> Bool {
    lock.withLock {
      left -= 1
      return left >= 0
    }
  }
}
