import Foundation

/// A Boolean value that threads can share.
public final class Flag: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Bool

  /// - Parameter value: The initial value.
  public init(_ value: Bool = false) { self.value = value }

  /// The current value.
  public var isSet: Bool { lock.withLock { value } }

  /// Changes the value.
  public func set(_ value: Bool) { lock.withLock { self.value = value } }

  /// Sets the value to false, and returns whether it was true.
  public func take() -> Bool {
    lock.withLock {
      defer { value = false }
      return value
    }
  }
}
