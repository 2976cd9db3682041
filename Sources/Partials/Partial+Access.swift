extension Partial {
  /// Sets the value at `keyPath`.
  ///
  /// - Complexity: O(1), and O(`count`) where others have been set inside or around it; a copy of all values when the partial is
  ///   shared.
  @inlinable @inline(__always)
  public mutating func update<Value: Sendable>(_ keyPath: any KeyPath<Root, Value> & Sendable, to value: Value) {
    self[_at: keyPath] = value
  }

  /// The value at `keyPath`; nil when there is none, and nil removes it.
  ///
  /// To change a value in place, as by `partial[\.tags]?.append("new")`, does not copy it, unless it was set as a part of a
  /// greater value or its key path has no offset.
  @inlinable
  public subscript<Value: Sendable>(keyPath: any KeyPath<Root, Value> & Sendable) -> Value? {
    @inline(__always) get { self[_at: keyPath] }
    @inline(__always) set { self[_at: keyPath] = newValue }
    @inline(__always) _modify {
      var (value, isMoved) = _take(from: keyPath)
      defer { _putBack(value, to: keyPath, isMoved: isMoved) }
      yield &value
    }
  }

  /// The value of the member; nil when there is none, and nil removes it.
  @inlinable
  public subscript<Value: Sendable>(dynamicMember keyPath: any KeyPath<Root, Value> & Sendable) -> Value? {
    @inline(__always) get { self[_at: keyPath] }
    @inline(__always) set { self[_at: keyPath] = newValue }
    @inline(__always) _modify {
      var (value, isMoved) = _take(from: keyPath)
      defer { _putBack(value, to: keyPath, isMoved: isMoved) }
      yield &value
    }
  }

  /// The value at `keyPath`, which is required.
  ///
  /// - Throws: `MissingValueError`, which names the key path, when there is none: it is then evaluated once more.
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
    guard _storage.isPresent(field) else { throw MissingValueError(keyPath()) }
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
    _contains(_PartialField(keyPath), keyPath)
  }

  /// Removes the value at `keyPath` with all its parts, and returns it.
  ///
  /// - Returns: The value, or nil when there was none.
  /// - Complexity: O(`count`); a copy of all values when the partial is shared.
  @discardableResult
  @inlinable
  public mutating func removeValue<Value>(for keyPath: KeyPath<Root, Value>) -> Value? {
    defer { _checkInvariants() }
    return _removeValue(for: keyPath)
  }
}

// A partial is Sendable when its root is. A value that the root does not store need not be as Sendable as the root, so that it
// must be so itself: of a type that is not known to be, the setters take no other values than those which the root stores. They
// cannot ask whether the root is Sendable, for generic code may not know.
extension Partial {
  /// Sets the value at `keyPath`, which must lead to a stored property, for the value's type is not Sendable.
  @inlinable @inline(__always)
  public mutating func update<Value>(_ keyPath: any KeyPath<Root, Value> & Sendable, to value: Value) {
    _requireStored(keyPath)
    self[_at: keyPath] = value
  }

  /// The value at `keyPath`, which must lead to a stored property to be set, for the value's type is not Sendable.
  @inlinable
  public subscript<Value>(keyPath: any KeyPath<Root, Value> & Sendable) -> Value? {
    @inline(__always) get { self[_at: keyPath] }
    @inline(__always) set {
      if newValue != nil { _requireStored(keyPath) }
      self[_at: keyPath] = newValue
    }
    @inline(__always) _modify {
      _requireStored(keyPath)
      var (value, isMoved) = _take(from: keyPath)
      defer { _putBack(value, to: keyPath, isMoved: isMoved) }
      yield &value
    }
  }

  /// The value of the member, which must be a stored property to be set, for the value's type is not Sendable.
  @inlinable
  public subscript<Value>(dynamicMember keyPath: any KeyPath<Root, Value> & Sendable) -> Value? {
    @inline(__always) get { self[_at: keyPath] }
    @inline(__always) set {
      if newValue != nil { _requireStored(keyPath) }
      self[_at: keyPath] = newValue
    }
    @inline(__always) _modify {
      _requireStored(keyPath)
      var (value, isMoved) = _take(from: keyPath)
      defer { _putBack(value, to: keyPath, isMoved: isMoved) }
      yield &value
    }
  }
}
