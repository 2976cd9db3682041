extension Partial {
  /// The value at `keyPath`, which is required.
  ///
  /// The key path is evaluated again where it has no offset, and for the error.
  ///
  /// - Throws: `MissingValueError`, which names the key path, when there is none.
  /// - Complexity: O(1)
  @inlinable @inline(__always)
  public func value<Value>(
    for keyPath: @autoclosure () -> any KeyPath<Root, Value> & Sendable
  ) throws(MissingValueError) -> Value {
    // Only the error needs the key path as an object: an autoclosure spares building one otherwise. And there is one place
    // where a stored value is read, so that a caller who only looks at it need not retain what it refers to.
    guard let field = _PartialField(keyPath()) else {
      guard let value = _boxedValue(for: keyPath()) else { throw MissingValueError(keyPath()) }
      return value
    }
    guard _storage.isPresent(field, as: Value.self) else { throw MissingValueError(keyPath()) }
    return _storage.value(at: field, as: Value.self)
  }

  /// The value at the key path of an optional property; nil when there is none as well as when it is nil.
  ///
  /// - Complexity: O(1)
  @inlinable @inline(__always)
  public func value<Value>(for keyPath: @autoclosure () -> any KeyPath<Root, Value?> & Sendable) -> Value? {
    _value(for: keyPath()) ?? nil
  }

  /// Whether there is a value at `keyPath`.
  ///
  /// Of an optional property, nil is a value, too.
  ///
  /// - Complexity: O(1)
  @inlinable @inline(__always)
  public func contains<Value>(_ keyPath: KeyPath<Root, Value>) -> Bool {
    guard let field = _PartialField(keyPath) else { return _containsBoxed(keyPath) }
    return _storage.isPresent(field, as: Value.self)
  }
}

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

/// A type that can be built from a partial.
///
/// ```swift
/// struct User {
///   let firstName: String
///   let age: Int?
/// }
///
/// extension User: PartialInitializable {
///   init(from partial: Partial<User>) throws {
///     self.firstName = try partial.value(for: \.firstName)
///     self.age = partial.value(for: \.age)
///   }
/// }
/// ```
public protocol PartialInitializable {
  /// Builds a value from `partial`, or throws when something is missing.
  init(from partial: Partial<Self>) throws
}
