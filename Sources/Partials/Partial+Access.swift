extension Partial {
  /// The value at `keyPath`, which is required.
  ///
  /// The key path is evaluated again where it has no offset, and for the error.
  ///
  /// - Throws: ``Error/valueNotFound(_:)``, which names the key path, when there is none.
  /// - Complexity: O(1), and O(`count`) once a constant was set.
  @inlinable @inline(__always)
  public func value<Value>(
    for keyPath: @autoclosure () -> any KeyPath<Root, Value> & Sendable
  ) throws(Error) -> Value {
    // Only the error needs the key path as an object: an autoclosure spares building one otherwise. And there is one
    // place where a stored value is read, so that a caller who only looks at it need not retain what it refers to.
    guard let field = _PartialField(keyPath()) else {
      guard let value = _boxedValue(for: keyPath()) else { throw .valueNotFound(keyPath()) }
      return value
    }
    guard _storage.isPresent(field, as: Value.self) else { throw .valueNotFound(keyPath()) }
    return unsafe _storage.value(at: field, as: Value.self)
  }

  /// The value at the key path of an optional property; nil when there is none as well as when it is nil.
  ///
  /// - Complexity: O(1), and O(`count`) once a constant was set.
  @inlinable @inline(__always)
  public func value<Value>(for keyPath: @autoclosure () -> any KeyPath<Root, Value?> & Sendable) -> Value? {
    _value(for: keyPath()) ?? nil
  }

  /// Whether there is a value at `keyPath`.
  ///
  /// Of an optional property, nil is a value, too.
  ///
  /// - Complexity: O(1), and O(`count`) once a constant was set.
  @inlinable @inline(__always)
  public func contains<Value>(_ keyPath: KeyPath<Root, Value>) -> Bool {
    guard let field = _PartialField(keyPath) else { return _containsBoxed(keyPath) }
    return _storage.isPresent(field, as: Value.self)
  }
}

// Each setter has four forms, of which the compiler takes the most special: for key paths that can be written to and
// those that cannot, and for values that are known to be Sendable and others. It would do so without the attribute for
// read-only key paths; but then an expression that reads eight properties is one of 4^8 to it, and takes minutes. A
// member has the first form alone: with a second, an expression with a misspelt member takes half a minute.

extension Partial {
  /// Sets the value at `keyPath`; nil removes it.
  ///
  /// The text of a field may be nil, so this takes an optional. To store nil in an optional property, pass
  /// `.some(nil)`.
  ///
  /// - Complexity: O(1), and O(`count`) where others have been set inside or around it; a copy of all values when the
  ///   partial is shared. Over an original a value that has a setter, set again, lets each setter run again.
  @inlinable @inline(__always)
  public mutating func update<Value: Sendable>(_ keyPath: any WritableKeyPath<Root, Value> & Sendable, to value: Value?)
  {
    self[_at: keyPath, in: _PartialField(keyPath), isConstant: false] = value
  }

  /// The value at `keyPath`; nil when there is none, and nil removes it.
  ///
  /// A change in place, as by `partial[\.tags]?.append("new")`, does not copy the value. It does over an original, and
  /// where the value was set as a part of a greater one. It does as well while any value is kept that has no offset in
  /// the root, or any text that was entered.
  ///
  /// - Complexity: That of reading and setting it; O(`count`) for a change in place.
  @inlinable
  public subscript<Value: Sendable>(keyPath: any WritableKeyPath<Root, Value> & Sendable) -> Value? {
    @inline(__always) get { self[_at: keyPath, in: _PartialField(keyPath), isConstant: false] }
    @inline(__always) set { self[_at: keyPath, in: _PartialField(keyPath), isConstant: false] = newValue }
    @inline(__always) _modify { yield &self[_at: keyPath, in: _PartialField(keyPath), isConstant: false] }
  }

  /// The value of the member; nil when there is none, and nil removes it.
  ///
  /// For a constant or another member that cannot be written, and for a value that is not `Sendable`, give the key
  /// path: `form[\.area]`.
  ///
  /// Where an optional is nil, `form.address??.town = "Bonn"` assigns nothing, as everywhere in Swift. With a default
  /// the whole is set then: `form[\.address, default: Address()].town = "Bonn"`.
  @inlinable
  public subscript<Value: Sendable>(dynamicMember keyPath: any WritableKeyPath<Root, Value> & Sendable) -> Value? {
    @inline(__always) get { self[_at: keyPath, in: _PartialField(keyPath), isConstant: false] }
    @inline(__always) set { self[_at: keyPath, in: _PartialField(keyPath), isConstant: false] = newValue }
    @inline(__always) _modify { yield &self[_at: keyPath, in: _PartialField(keyPath), isConstant: false] }
  }

  /// Removes the value at `keyPath` with all its parts, and returns it.
  ///
  /// - Returns: The value, or nil when there was none; over an original nil as well where only
  ///   parts of it were set.
  /// - Complexity: O(`count`); a copy of all values when the partial is shared. Over an original with values that have
  ///   setters, O(`count` · `count`), and each setter runs again.
  @discardableResult
  @inlinable
  public mutating func removeValue<Value>(for keyPath: WritableKeyPath<Root, Value>) -> Value? {
    defer { _checkInvariants() }
    return _removeValue(in: _PartialField(keyPath), for: keyPath, isConstant: false)
  }
}

// A read-only key path is no way to write to a whole, or its type could not vouch for it. So the part alone is set.
extension Partial {
  /// Sets the value at a read-only `keyPath`, as of a constant, after which no whole around it is present.
  ///
  /// - Complexity: O(1), and O(`count`) where it or others inside or around it have been set; a copy of all values when
  ///   the partial is shared.
  @_documentation(visibility: internal)
  @inlinable @inline(__always) @_disfavoredOverload
  public mutating func update<Value: Sendable>(_ keyPath: any KeyPath<Root, Value> & Sendable, to value: Value?) {
    self[_at: keyPath, in: _PartialField(keyPath), isConstant: true] = value
  }

  /// The value at a read-only `keyPath`; nil when there is none, and nil removes it.
  ///
  /// Once it is set, no whole around it is present.
  @_documentation(visibility: internal)
  @inlinable @_disfavoredOverload
  public subscript<Value: Sendable>(keyPath: any KeyPath<Root, Value> & Sendable) -> Value? {
    @inline(__always) get { self[_at: keyPath, in: _PartialField(keyPath), isConstant: true] }
    @inline(__always) set { self[_at: keyPath, in: _PartialField(keyPath), isConstant: true] = newValue }
    @inline(__always) _modify { yield &self[_at: keyPath, in: _PartialField(keyPath), isConstant: true] }
  }

  /// Removes the value at a read-only `keyPath` with all its parts, and returns it.
  ///
  /// - Returns: The value, or nil when there was none; over an original nil as well where only
  ///   parts of it were set.
  /// - Complexity: O(`count`); a copy of all values when the partial is shared. Over an original with values that have
  ///   setters, O(`count` · `count`), and each setter runs again.
  @_documentation(visibility: internal)
  @discardableResult
  @inlinable
  public mutating func removeValue<Value>(for keyPath: KeyPath<Root, Value>) -> Value? {
    defer { _checkInvariants() }
    return _removeValue(in: _PartialField(keyPath), for: keyPath, isConstant: true)
  }
}

// A partial is Sendable when its root is. A value that the root does not store need not be as Sendable as the root, so
// that it must be so itself: of a type that is not known to be, the setters take no other values than those which the
// root stores. They cannot ask whether the root is Sendable, for generic code may not know.
extension Partial {
  /// Sets the value at `keyPath`, which must lead to a stored property, for the value's type is not Sendable.
  @_documentation(visibility: internal)
  @inlinable @inline(__always)
  public mutating func update<Value>(_ keyPath: any WritableKeyPath<Root, Value> & Sendable, to value: Value?) {
    self[_storedAt: keyPath, in: _PartialField(keyPath), isConstant: false] = value
  }

  /// The value at `keyPath`, which must lead to a stored property to be set, for the value's type is not Sendable.
  @_documentation(visibility: internal)
  @inlinable
  public subscript<Value>(keyPath: any WritableKeyPath<Root, Value> & Sendable) -> Value? {
    @inline(__always) get { self[_storedAt: keyPath, in: _PartialField(keyPath), isConstant: false] }
    @inline(__always) set { self[_storedAt: keyPath, in: _PartialField(keyPath), isConstant: false] = newValue }
    @inline(__always) _modify { yield &self[_storedAt: keyPath, in: _PartialField(keyPath), isConstant: false] }
  }
}

extension Partial {
  /// Sets the value at a read-only `keyPath`, which must lead to a stored property, for the value's type is not
  /// Sendable.
  @_documentation(visibility: internal)
  @inlinable @inline(__always) @_disfavoredOverload
  public mutating func update<Value>(_ keyPath: any KeyPath<Root, Value> & Sendable, to value: Value?) {
    self[_storedAt: keyPath, in: _PartialField(keyPath), isConstant: true] = value
  }

  /// The value at a read-only `keyPath`, which must lead to a stored property to be set, for the value's type is not
  /// Sendable.
  @_documentation(visibility: internal)
  @inlinable @_disfavoredOverload
  public subscript<Value>(keyPath: any KeyPath<Root, Value> & Sendable) -> Value? {
    @inline(__always) get { self[_storedAt: keyPath, in: _PartialField(keyPath), isConstant: true] }
    @inline(__always) set { self[_storedAt: keyPath, in: _PartialField(keyPath), isConstant: true] = newValue }
    @inline(__always) _modify { yield &self[_storedAt: keyPath, in: _PartialField(keyPath), isConstant: true] }
  }
}

// A value where one is asked for in any case, as by the binding of a text field: `$form[\.name, default: ""]`.
extension Partial {
  /// The value at `keyPath`, or `defaultValue` while there is none.
  ///
  /// ```swift
  /// struct User { var name: String, tags: [String] }
  ///
  /// var form = Partial<User>()
  /// print(form[\.name, default: ""].isEmpty, form.contains(\.name))   // true false
  /// form[\.tags, default: []].append("new")
  /// print(form.tags!)                                                 // ["new"]
  /// ```
  /// Reading sets nothing. A change in place sets the default first.
  ///
  /// - Complexity: That of reading and setting by `subscript(_:)`.
  @inlinable
  public subscript<Value: Sendable>(
    keyPath: any WritableKeyPath<Root, Value> & Sendable, default defaultValue: Value
  ) -> Value {
    get { self[_at: keyPath, in: _PartialField(keyPath), isConstant: false] ?? defaultValue }
    set { self[_at: keyPath, in: _PartialField(keyPath), isConstant: false] = newValue }
    _modify {
      let field = _PartialField(keyPath)
      if _value(in: field, for: keyPath) == nil { self[_at: keyPath, in: field, isConstant: false] = defaultValue }
      yield &self[_at: keyPath, in: field, isConstant: false]!
    }
  }

  /// The value of the optional property at `keyPath`, or `defaultValue` while there is none or it is nil.
  ///
  /// - Complexity: That of reading and setting by `subscript(_:)`.
  @_documentation(visibility: internal)
  @inlinable
  public subscript<Value: Sendable>(
    keyPath: any WritableKeyPath<Root, Value?> & Sendable, default defaultValue: Value
  ) -> Value {
    get { (self[_at: keyPath, in: _PartialField(keyPath), isConstant: false] ?? nil) ?? defaultValue }
    set { self[_at: keyPath, in: _PartialField(keyPath), isConstant: false] = newValue }
  }

  /// The value at a read-only `keyPath`, as of a constant, or `defaultValue` while there is none.
  ///
  /// - Complexity: That of reading and setting by `subscript(_:)`.
  @_documentation(visibility: internal)
  @inlinable @_disfavoredOverload
  public subscript<Value: Sendable>(
    keyPath: any KeyPath<Root, Value> & Sendable, default defaultValue: Value
  ) -> Value {
    get { self[_at: keyPath, in: _PartialField(keyPath), isConstant: true] ?? defaultValue }
    set { self[_at: keyPath, in: _PartialField(keyPath), isConstant: true] = newValue }
  }

  /// The value of the optional constant at `keyPath`, or `defaultValue` while there is none or it is nil.
  ///
  /// - Complexity: That of reading and setting by `subscript(_:)`.
  @_documentation(visibility: internal)
  @inlinable @_disfavoredOverload
  public subscript<Value: Sendable>(
    keyPath: any KeyPath<Root, Value?> & Sendable, default defaultValue: Value
  ) -> Value {
    get { (self[_at: keyPath, in: _PartialField(keyPath), isConstant: true] ?? nil) ?? defaultValue }
    set { self[_at: keyPath, in: _PartialField(keyPath), isConstant: true] = newValue }
  }
}

extension Partial {
  /// Why a partial could not give what it was asked for.
  public enum Error: Swift.Error {
    /// There is no value at this key path, though it is required.
    case valueNotFound(any PartialKeyPath<Root> & Sendable)

    /// The key path that the error is about.
    public var keyPath: any PartialKeyPath<Root> & Sendable {
      switch self {
      case .valueNotFound(let keyPath): keyPath
      }
    }
  }
}

extension Partial.Error: Hashable {
  /// Whether both errors miss the same value.
  public static func == (left: Self, right: Self) -> Bool { left.keyPath == right.keyPath }

  /// Feeds the key path into `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(keyPath) }
}

extension Partial.Error: CustomStringConvertible {
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
