import Foundation

/// A value that is true or false; threads may share it.
public final class Flag: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Bool

  /// - Parameter value: What it is at first.
  public init(_ value: Bool = false) { self.value = value }

  /// What it is.
  public var isSet: Bool { lock.withLock { value } }

  /// Makes it that.
  public func set(_ value: Bool) { lock.withLock { self.value = value } }

  /// Whether it was true; it is false then.
  public func take() -> Bool {
    lock.withLock {
      defer { value = false }
      return value
    }
  }
}
