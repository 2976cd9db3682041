import Foundation
import TestSupport

extension ScriptedFileSystem {
  /// - Parameters:
  ///   - isArmed: Whether the script is followed from the beginning; else from ``arm()`` on.
  ///   - call: What waits each time until the gate is open.
  ///   - fault: What goes wrong with it then.
  convenience init(isArmed: Bool = true, holding call: Call, at gate: BlockingGate, then fault: Fault? = nil) {
    self.init(isArmed: isArmed) { made, _ in
      guard made == call else { return nil }
      gate.pass()
      return fault
    }
  }
}

/// True a given number of times; threads may share it.
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
