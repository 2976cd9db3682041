extension Partial {
  /// A value was asked for which the partial does not have.
  public struct MissingValueError: Error {
    /// The key path that has no value.
    public let keyPath: any PartialKeyPath<Root> & Sendable

    /// Makes the error that says that `keyPath` has no value.
    public init(_ keyPath: any PartialKeyPath<Root> & Sendable) {
      self.keyPath = keyPath
    }
  }
}

extension Partial.MissingValueError: Hashable {
  /// Whether both errors miss the same value.
  public static func == (left: Self, right: Self) -> Bool { left.keyPath == right.keyPath }

  /// Feeds the key path into `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(keyPath) }
}

extension Partial.MissingValueError: CustomStringConvertible {
  /// What is missing, and how to provide it.
  public var description: String {
    "\(keyPath) has no value in the partial: set it with update(_:to:), or ask contains(_:) before reading it"
  }
}
