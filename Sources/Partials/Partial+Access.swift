extension Partial {
  /// The value at `keyPath`, which must be present.
  ///
  /// The argument is evaluated again if the key path has no offset, and to make the error.
  ///
  /// - Throws: ``Error/valueNotFound(_:)``, which names the key path, if there is no value.
  /// - Complexity: O(1), and O(`count`) once a constant was set.
  @inlinable @inline(__always)
  public func value<Value>(for keyPath: @autoclosure () -> any KeyPath<Root, Value> & Sendable) throws(Error) -> Value {
    // Only the error needs the key path as an object, so the autoclosure avoids building one otherwise. And a stored
    // value is read in only one place, so that a caller that only looks at it need not retain what it refers to.
    guard let field = _PartialField(keyPath()) else {
      guard let value = _boxedValue(for: keyPath()) else { throw .valueNotFound(keyPath()) }
      return value
    }
    guard _storage.isPresent(field, as: Value.self) else { throw .valueNotFound(keyPath()) }
    return unsafe _storage.value(at: field, as: Value.self)
  }

  /// The value of the optional property at `keyPath`; nil if there is no value, or if it is nil.
  ///
  /// - Complexity: O(1), and O(`count`) once a constant was set.
  @inlinable @inline(__always)
  public func value<Value>(for keyPath: @autoclosure () -> any KeyPath<Root, Value?> & Sendable) -> Value? {
    _value(for: keyPath()) ?? nil
  }

  /// Whether there is a value at `keyPath`.
  ///
  /// In an optional property, nil counts as a value if it was set.
  ///
  /// - Complexity: O(1), and O(`count`) once a constant was set.
  @inlinable @inline(__always)
  public func contains<Value>(_ keyPath: KeyPath<Root, Value>) -> Bool {
    guard let field = _PartialField(keyPath) else { return _containsBoxed(keyPath) }
    return _storage.isPresent(field, as: Value.self)
  }
}

// Each setter has four overloads: for writable and for read-only key paths, and for values that are known to be
// Sendable and for others. The compiler picks the most specific. It would do so without `@_disfavoredOverload` on those
// for read-only key paths. But then an expression that reads eight properties has 4^8 candidates, and takes minutes to
// compile. The member subscript has only the first overload: with a second, an expression with a misspelled member
// takes half a minute.

extension Partial {
  /// Sets the value at `keyPath`; nil removes it.
  ///
  /// The parameter is optional because the value may be, as for the text of a field. To store nil in an optional
  /// property, pass `.some(nil)`.
  ///
  /// - Complexity: O(1), and O(`count`) if others have been set inside or around it; a copy of all values if the
  ///   partial is shared. Over an original, setting a value that has a setter for the second time runs each setter
  ///   again.
  @inlinable @inline(__always)
  public mutating func update<Value: Sendable>(_ keyPath: any WritableKeyPath<Root, Value> & Sendable, to value: Value?)
  {
    self[_at: keyPath, in: _PartialField(keyPath), isConstant: false] = value
  }

  /// The value at `keyPath`; nil if there is none, and assigning nil removes it.
  ///
  /// A change in place, such as `partial[\.tags]?.append("new")`, doesn't copy the value, with these exceptions: the
  /// partial lies over an original, the value was set as a part of a greater one, or the partial keeps any entered text
  /// or any value that has no offset in the root.
  ///
  /// - Complexity: That of reading and setting the value; O(`count`) for a change in place.
  @inlinable
  public subscript<Value: Sendable>(keyPath: any WritableKeyPath<Root, Value> & Sendable) -> Value? {
    @inline(__always) get { self[_at: keyPath, in: _PartialField(keyPath), isConstant: false] }
    @inline(__always) set { self[_at: keyPath, in: _PartialField(keyPath), isConstant: false] = newValue }
    @inline(__always) _modify { yield &self[_at: keyPath, in: _PartialField(keyPath), isConstant: false] }
  }

  /// The value of the member; nil if there is none, and assigning nil removes it.
  ///
  /// For a constant or another read-only member, and for a value that isn't `Sendable`, use the key path:
  /// `form[\.area]`.
  ///
  /// If an optional is nil, `form.address??.town = "Bonn"` assigns nothing, as everywhere in Swift. With a default, the
  /// assignment sets the whole: `form[\.address, default: Address()].town = "Bonn"`.
  @inlinable
  public subscript<Value: Sendable>(dynamicMember keyPath: any WritableKeyPath<Root, Value> & Sendable) -> Value? {
    @inline(__always) get { self[_at: keyPath, in: _PartialField(keyPath), isConstant: false] }
    @inline(__always) set { self[_at: keyPath, in: _PartialField(keyPath), isConstant: false] = newValue }
    @inline(__always) _modify { yield &self[_at: keyPath, in: _PartialField(keyPath), isConstant: false] }
  }

  /// Removes the value at `keyPath` with all its parts, and returns it.
  ///
  /// - Returns: The value, or nil if there was none. Over an original, also nil if only parts of it were set.
  /// - Complexity: O(`count`); a copy of all values if the partial is shared. Over an original with values that have
  ///   setters, O(`count` · `count`), and each setter runs again.
  @discardableResult
  @inlinable
  public mutating func removeValue<Value>(for keyPath: WritableKeyPath<Root, Value>) -> Value? {
    defer { _checkInvariants() }
    return _removeValue(in: _PartialField(keyPath), for: keyPath, isConstant: false)
  }
}

// Writing to a whole through a read-only key path would make a value that its type didn't make. So only the part is
// set.
extension Partial {
  /// Sets the value at a read-only `keyPath`, such as that of a constant, after which no whole around it is present.
  ///
  /// - Complexity: O(1), and O(`count`) if it or others inside or around it have been set; a copy of all values if the
  ///   partial is shared.
  @_documentation(visibility: internal)
  @inlinable @inline(__always) @_disfavoredOverload
  public mutating func update<Value: Sendable>(_ keyPath: any KeyPath<Root, Value> & Sendable, to value: Value?) {
    self[_at: keyPath, in: _PartialField(keyPath), isConstant: true] = value
  }

  /// The value at a read-only `keyPath`; nil if there is none, and assigning nil removes it.
  ///
  /// Once the value is set, no whole around it is present.
  @_documentation(visibility: internal)
  @inlinable @_disfavoredOverload
  public subscript<Value: Sendable>(keyPath: any KeyPath<Root, Value> & Sendable) -> Value? {
    @inline(__always) get { self[_at: keyPath, in: _PartialField(keyPath), isConstant: true] }
    @inline(__always) set { self[_at: keyPath, in: _PartialField(keyPath), isConstant: true] = newValue }
    @inline(__always) _modify { yield &self[_at: keyPath, in: _PartialField(keyPath), isConstant: true] }
  }

  /// Removes the value at a read-only `keyPath` with all its parts, and returns it.
  ///
  /// - Returns: The value, or nil if there was none. Over an original, also nil if only parts of it were set.
  /// - Complexity: O(`count`); a copy of all values if the partial is shared. Over an original with values that have
  ///   setters, O(`count` · `count`), and each setter runs again.
  @_documentation(visibility: internal)
  @discardableResult
  @inlinable
  public mutating func removeValue<Value>(for keyPath: KeyPath<Root, Value>) -> Value? {
    defer { _checkInvariants() }
    return _removeValue(in: _PartialField(keyPath), for: keyPath, isConstant: true)
  }
}

// A partial is Sendable if its root is. That covers the values that the root stores; any other value must be Sendable
// itself. So for a type that isn't known to be Sendable, the setters accept only values that the root stores. They
// can't check whether the root is Sendable, because generic code may not know.
extension Partial {
  /// Sets the value at `keyPath`, which must lead to a stored property because the value's type isn't Sendable.
  @_documentation(visibility: internal)
  @inlinable @inline(__always)
  public mutating func update<Value>(_ keyPath: any WritableKeyPath<Root, Value> & Sendable, to value: Value?) {
    self[_at: keyPath, in: _stored(_PartialField(keyPath), if: value != nil), isConstant: false] = value
  }

  /// The value at `keyPath`, which must lead to a stored property to be set because the value's type isn't Sendable.
  @_documentation(visibility: internal)
  @inlinable
  public subscript<Value>(keyPath: any WritableKeyPath<Root, Value> & Sendable) -> Value? {
    @inline(__always) get { self[_at: keyPath, in: _PartialField(keyPath), isConstant: false] }
    @inline(__always) set { update(keyPath, to: newValue) }
    @inline(__always) _modify { yield &self[_at: keyPath, in: _stored(_PartialField(keyPath)), isConstant: false] }
  }
}

extension Partial {
  /// Sets the value at a read-only `keyPath`, which must lead to a stored property because the value's type isn't
  /// Sendable.
  @_documentation(visibility: internal)
  @inlinable @inline(__always) @_disfavoredOverload
  public mutating func update<Value>(_ keyPath: any KeyPath<Root, Value> & Sendable, to value: Value?) {
    self[_at: keyPath, in: _stored(_PartialField(keyPath), if: value != nil), isConstant: true] = value
  }

  /// The value at a read-only `keyPath`, which must lead to a stored property to be set because the value's type isn't
  /// Sendable.
  @_documentation(visibility: internal)
  @inlinable @_disfavoredOverload
  public subscript<Value>(keyPath: any KeyPath<Root, Value> & Sendable) -> Value? {
    @inline(__always) get { self[_at: keyPath, in: _PartialField(keyPath), isConstant: true] }
    @inline(__always) set { update(keyPath, to: newValue) }
    @inline(__always) _modify { yield &self[_at: keyPath, in: _stored(_PartialField(keyPath)), isConstant: true] }
  }
}

// These subscripts always return a value, as the binding of a text field requires: `$form[\.name, default: ""]`.
extension Partial {
  /// The value at `keyPath`, or `defaultValue` if there is none.
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

  /// The value of the optional property at `keyPath`, or `defaultValue` if there is none or it is nil.
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

  /// The value at a read-only `keyPath`, such as that of a constant, or `defaultValue` if there is none.
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

  /// The value of the optional constant at `keyPath`, or `defaultValue` if there is none or it is nil.
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
  /// The reason why a partial could not return a value.
  public enum Error: Swift.Error {
    /// There is no value at this key path, but one is required.
    case valueNotFound(any PartialKeyPath<Root> & Sendable)

    /// The key path that the error is about.
    var keyPath: any PartialKeyPath<Root> & Sendable {
      switch self {
      case .valueNotFound(let keyPath): keyPath
      }
    }
  }
}

extension Partial.Error: Hashable, CustomStringConvertible {
  /// Whether both errors are about the same key path.
  public static func == (left: Self, right: Self) -> Bool { left.keyPath == right.keyPath }

  /// Feeds the key path into `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(keyPath) }

  /// The key path without a value, and how to provide one.
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
  /// Builds a value from `partial`, or throws if something is missing.
  init(from partial: Partial<Self>) throws
}
