extension Partial {
  /// The value at a key path, for all public ways to read and write by key path.
  ///
  /// - Parameter isConstant: Whether the static type of the key path is read-only, which is known when the caller is
  ///   compiled.
  @inlinable
  subscript<Value>(
    _at keyPath: any KeyPath<Root, Value> & Sendable, in field: _PartialField?, isConstant isConstant: Bool
  ) -> Value? {
    @inline(__always) get { _value(in: field, for: keyPath) }
    @inline(__always) set {
      defer { _checkInvariants() }
      guard let newValue else { return _ = _removeValue(in: field, for: keyPath, isConstant: isConstant) }
      guard let field else { return _box(newValue, for: keyPath) }
      _set(newValue, at: field, isConstant: isConstant)
    }
    @inline(__always) _modify {
      var (value, isMoved) = _take(from: keyPath, in: field, isConstant: isConstant)
      defer { _moveBack(value, to: keyPath, in: field, isConstant: isConstant, isMoved: isMoved) }
      yield &value
    }
  }

  /// The field of a value that isn't known to be Sendable: if a value is set, the root must store it in its bytes.
  @inlinable @inline(__always)
  func _stored(_ field: _PartialField?, if isSet: Bool = true) -> _PartialField? {
    precondition(!isSet || field != nil, "A value that is neither known to be Sendable nor stored in its root")
    return field
  }

  @inlinable @inline(__always)
  func _value<Value>(for keyPath: KeyPath<Root, Value>) -> Value? { _value(in: _PartialField(keyPath), for: keyPath) }

  @inlinable @inline(__always)
  func _value<Value>(in field: _PartialField?, for keyPath: KeyPath<Root, Value>) -> Value? {
    guard let field else { return _boxedValue(for: keyPath) }
    guard _storage.isPresent(field, as: Value.self) else { return nil }
    return unsafe _storage.value(at: field, as: Value.self)
  }

  @inlinable @inline(__always)
  mutating func _set<Value>(_ value: Value, at field: _PartialField, isConstant: Bool) {
    if isLikely(isKnownUniquelyReferenced(&_storage)) {
      if _storage.hasFirstByte(of: field, as: Value.self) {
        let entry = _UnsafePartialEntry(Value.self, at: field, isConstant: isConstant)
        let isReplaced = isConstant ? _storage.isReplaceable(entry) : _storage.state.isPlain
        if isReplaced { return unsafe _storage.replace(at: field, with: value) }
      } else if _storage.add(value, at: field, isConstant: isConstant) {
        return
      }
    }
    _insert(value, at: field, isConstant: isConstant)
  }

  @inlinable @inline(never)
  mutating func _makeUnique() { _UnsafePartialStorage.makeUnique(&_storage) }

  /// Sets a value in a shared or full buffer, inside or around other values, over an original, or beside constants.
  @inlinable @inline(never)
  mutating func _insert<Value>(_ value: Value, at field: _PartialField, isConstant: Bool) {
    let entry = _UnsafePartialEntry(Value.self, at: field, isConstant: isConstant)
    if !isKnownUniquelyReferenced(&_storage) { _makeUnique() }
    if _storage.isPresent(field) && _storage.isReplaceable(entry) {
      return unsafe _storage.replace(at: field, with: value)
    }
    if _storage.state.hasExtras && _record(value, at: field, isConstant: isConstant) { return }
    _UnsafePartialStorage.makeUnique(&_storage, newEntries: 1)
    if unsafe _storage.insert(entry) {
      unsafe _storage.replace(at: field, with: value)
    } else {
      unsafe _storage.initialize(at: field, to: value)
    }
  }

  @inlinable
  mutating func _removeValue<Value>(
    in field: _PartialField?, for keyPath: KeyPath<Root, Value>, isConstant: Bool
  ) -> Value? {
    guard let field else { return _removeBoxedValue(for: keyPath) }
    if _storage.state.hasTexts { _forgetTexts(in: field, for: Value?.none) }
    if _storage.state.hasExtras { _removeParts(in: field) }
    guard !_storage.isVacant(field) else { return nil }
    if _hasOriginal { return _change { $0._removeValue(in: field, for: keyPath, isConstant: isConstant) } }
    let value = _value(in: field, for: keyPath)
    _makeUnique()
    let entry = _UnsafePartialEntry(Value.self, at: field, isConstant: isConstant)
    _storage.remove(entry)
    if _storage.state.hasExtras { _removeFromAssignments(entry) }
    return value
  }

  /// Takes out the value at `keyPath`, so that the caller can change it and put it back.
  ///
  /// The value is moved, so that changing it makes no copy. It is copied instead if it is boxed, if setting it is
  /// recorded, or if it is a part of a greater value, which must not be left with a hole.
  @inlinable @inline(__always)
  mutating func _take<Value>(
    from keyPath: KeyPath<Root, Value>, in field: _PartialField?, isConstant: Bool
  ) -> (value: Value?, isMoved: Bool) {
    guard let field, _storage.isPresent(field),
      _storage.contains(_UnsafePartialEntry(Value.self, at: field, isConstant: isConstant)), !_isRecorded
    else {
      return (_value(in: field, for: keyPath), false)
    }
    _makeUnique()
    return (unsafe _storage.move(from: field, as: Value.self), true)
  }

  /// Puts back the value that was taken, as the caller changed it; removes it if it is nil.
  @inlinable @inline(__always)
  mutating func _moveBack<Value>(
    _ value: Value?, to keyPath: any KeyPath<Root, Value> & Sendable, in field: _PartialField?, isConstant: Bool,
    isMoved: Bool
  ) {
    defer { _checkInvariants() }
    if isMoved, let field {
      guard let value else { return unsafe _storage.removeEntries(inside: field, moved: true) }
      unsafe _storage.initialize(at: field, to: value)
    } else if value != nil || _value(in: field, for: keyPath) != nil {
      // A value that was absent and still is isn't removed: that would also remove parts that were set by themselves.
      if _storage.state.hasTexts { return _putBackAmongTexts(value, to: keyPath, in: field, isConstant: isConstant) }
      self[_at: keyPath, in: field, isConstant: isConstant] = value
    }
  }
}
