import Foundation

#if os(Linux) || os(macOS)
  /// Kills the process after a number of calls.
  public final class Fuse: @unchecked Sendable {
    private let lock = NSLock()
    private var left: Int

    /// - Parameter moment: The number of calls of `pass()` before the process is killed.
    public init(_ moment: Int) { left = moment }

    /// Counts a call, or kills the process if all calls are used up.
    ///
    /// - Returns: Whether the next call kills the process.
    @discardableResult
    public func pass() -> Bool {
      lock.withLock {
        if left <= 0 { kill(getpid(), SIGKILL) }
        left -= 1
        return left == 0
      }
    }
  }
#endif
