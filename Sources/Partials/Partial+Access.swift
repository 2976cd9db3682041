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
      guard let value = _keptValue(for: keyPath()) else { throw MissingValueError(keyPath()) }
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
    guard let field = _PartialField(keyPath) else { return _containsKept(keyPath) }
    return _storage.isPresent(field, as: Value.self)
  }
}
