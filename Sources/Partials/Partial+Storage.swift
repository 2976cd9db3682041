extension Partial {
  /// What all reading and writing comes down to.
  @inlinable
  subscript<Value>(_at keyPath: any KeyPath<Root, Value> & Sendable) -> Value? {
    @inline(__always) get { _value(for: keyPath) }
    @inline(__always) set {
      defer { _checkInvariants() }
      guard let newValue else { return _ = _removeValue(for: keyPath) }
      guard let field = _PartialField(keyPath) else { return _keep(newValue, for: keyPath) }
      _set(newValue, at: field)
    }
  }

  /// Traps unless the root stores the value in bytes of its own, for otherwise the value would have to be Sendable.
  @inlinable @inline(__always)
  func _requireStored<Value>(_ keyPath: KeyPath<Root, Value>) {
    precondition(_PartialField(keyPath) != nil, "A value that is neither known to be Sendable nor stored in its root")
  }

  @inlinable @inline(__always)
  func _value<Value>(for keyPath: KeyPath<Root, Value>) -> Value? { _value(in: _PartialField(keyPath), for: keyPath) }

  @inlinable @inline(__always)
  func _value<Value>(in field: _PartialField?, for keyPath: KeyPath<Root, Value>) -> Value? {
    guard let field else { return _keptValue(for: keyPath) }
    guard _storage.isPresent(field) else { return nil }
    return _storage.value(at: field, as: Value.self)
  }

  @inlinable @inline(__always)
  func _contains(_ field: _PartialField?, _ keyPath: AnyKeyPath) -> Bool {
    guard let field else { return _containsKept(keyPath) }
    return _storage.isPresent(field)
  }

  @inlinable @inline(__always)
  mutating func _set<Value>(_ value: Value, at field: _PartialField) {
    if isKnownUniquelyReferenced(&_storage) && !_storage.hasExtras {
      if _storage.isPresent(field) { return _storage.replace(at: field, with: value) }
      if _storage.add(value, at: field) { return }
    }
    _insert(value, at: field)
  }

  @inlinable @inline(never)
  mutating func _makeUnique() { _PartialStorage.makeUnique(&_storage) }

  /// Sets a value in a shared or full buffer, where others are inside or around, or over an original.
  @inlinable @inline(never)
  mutating func _insert<Value>(_ value: Value, at field: _PartialField) {
    _makeUnique()
    if _hasOriginal { _recordChange(value, at: field) }
    if _storage.isPresent(field) { return _storage.replace(at: field, with: value) }
    _PartialStorage.makeUnique(&_storage, newEntries: 1)
    if _storage.claim(_PartialEntry(Value.self, at: field)) {
      _storage.replace(at: field, with: value)
    } else {
      _storage.initialize(at: field, to: value)
    }
  }

  @inlinable
  mutating func _removeValue<Value>(for keyPath: KeyPath<Root, Value>) -> Value? {
    guard let field = _PartialField(keyPath) else { return _removeKeptValue(for: keyPath) }
    guard !_storage.isVacant(field) else { return nil }
    if _hasOriginal { return _change { $0._removeValue(for: keyPath) } }
    let value = _storage.isPresent(field) ? _storage.value(at: field, as: Value.self) : nil
    _makeUnique()
    _storage.vacate(field)
    return value
  }

  /// Takes the value at `keyPath` out, to be changed and put back.
  ///
  /// It is moved, so that it can be changed without a copy; but copied where it is a part of a greater value, which must not
  /// be left with a hole, and where it is kept in a box.
  @inlinable @inline(__always)
  mutating func _take<Value>(from keyPath: KeyPath<Root, Value>) -> (value: Value?, isMoved: Bool) {
    guard let field = _PartialField(keyPath), _storage.isPresent(field), _storage.isSetAlone(field), !_hasOriginal
    else {
      return (_value(for: keyPath), false)
    }
    _makeUnique()
    return (_storage.move(from: field, as: Value.self), true)
  }

  /// Puts back what was taken, or its successor, or removes it where that is nil.
  @inlinable @inline(__always)
  mutating func _putBack<Value>(_ value: Value?, to keyPath: any KeyPath<Root, Value> & Sendable, isMoved: Bool) {
    defer { _checkInvariants() }
    if isMoved, let field = _PartialField(keyPath) {
      guard let value else { return _storage.removeEntries(inside: field, moved: true) }
      _storage.initialize(at: field, to: value)
    } else if value != nil || contains(keyPath) {
      // A value that was absent and remained so is not removed: that would take parts with it which were set alone.
      self[_at: keyPath] = value
    }
  }
}
