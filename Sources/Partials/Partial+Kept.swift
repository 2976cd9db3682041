// The values whose key paths have no offset in the root.
extension Partial {
  /// The value that is kept under `keyPath`, or what the root answers where the whole of it is there.
  @usableFromInline
  func _keptValue<Value>(for keyPath: KeyPath<Root, Value>) -> Value? {
    _storage.changes?.kept.value(for: keyPath) ?? _storage.kept.value(for: keyPath) ?? _wholeRoot?[keyPath: keyPath]
  }

  @usableFromInline
  func _containsKept(_ keyPath: AnyKeyPath) -> Bool {
    let isKept = _storage.changes?.kept.contains(keyPath) ?? false || _storage.kept.contains(keyPath)
    guard let field = _PartialField(\Root.self) else { return isKept || _storage.kept.contains(\Root.self) }
    return isKept || _storage.isPresent(field, as: Root.self)
  }

  @usableFromInline
  mutating func _keep<Value>(_ value: Value, for keyPath: any KeyPath<Root, Value> & Sendable) {
    if _hasOriginal { return _change { $0._keep(value, for: keyPath) } }
    _makeUnique()
    _storage.withExtras { $0.kept.set(value, for: keyPath) }
  }

  @usableFromInline
  mutating func _removeKeptValue<Value>(for keyPath: KeyPath<Root, Value>) -> Value? {
    if _hasOriginal { return _change { $0._removeKeptValue(for: keyPath) } }
    guard _storage.kept.contains(keyPath) else { return nil }
    _makeUnique()
    return _storage.withExtras { $0.kept.removeValue(for: keyPath) }
  }

  private var _wholeRoot: Root? {
    guard let field = _PartialField(\Root.self) else { return _storage.kept.value(for: \Root.self) }
    return _storage.isPresent(field, as: Root.self) ? _storage.value(at: field, as: Root.self) : nil
  }
}
