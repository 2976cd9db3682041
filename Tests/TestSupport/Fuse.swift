import Foundation

#if os(Linux) || os(macOS)
  /// Kills the process at its moment.
  public final class Fuse: @unchecked Sendable {
    private let lock = NSLock()
    private var left: Int

    /// - Parameter moment: How often the process may pass before.
    public init(_ moment: Int) { left = moment }

    /// Says that the process goes on, which it does not any more when its moment has come.
    ///
    /// - Returns: Whether it may for the last time.
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
