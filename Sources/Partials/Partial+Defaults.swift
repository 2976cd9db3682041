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
