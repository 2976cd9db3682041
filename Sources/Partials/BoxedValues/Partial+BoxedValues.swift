// Values whose key paths have no offset in the root.
extension Partial {
  /// The value boxed under `keyPath`; otherwise, if the root is present as a whole, the root's value.
  ///
  /// Over an original with a constant set, the root isn't present. A value that was set is then read from the edited
  /// original.
  @usableFromInline
  func _boxedValue<Value>(for keyPath: KeyPath<Root, Value>) -> Value? {
    if let value = _storage.boxed.value(for: keyPath) { return value }
    if let root = _wholeRoot { return root[keyPath: keyPath] }
    guard let changes = _storage.changes, changes.boxed.contains(keyPath) else { return nil }
    return _editedOriginal?[keyPath: keyPath]
  }

  @usableFromInline
  func _containsBoxed(_ keyPath: AnyKeyPath) -> Bool {
    let isBoxed = _storage.changes?.boxed.contains(keyPath) ?? false || _storage.boxed.contains(keyPath)
    guard let field = _PartialField(\Root.self) else { return isBoxed || _storage.boxed.contains(\Root.self) }
    return isBoxed || _storage.isPresent(field, as: Root.self)
  }

  @usableFromInline
  mutating func _box<Value>(_ value: Value, for keyPath: any KeyPath<Root, Value> & Sendable) {
    let box = _PartialBoxedValue(value, for: keyPath)
    if _storage.state.hasTexts { _forgetTexts(at: keyPath) }
    _makeUnique()
    guard let original = _storage.original, var changes = _takeChanges() else { return _box(box) }
    let isNew = !changes._storage.boxed.contains(keyPath)
    changes._box(box)
    // The newest setter runs last, so on a root that has the effects of the others, only this setter has to run.
    let isDone = box.effect != .setter || isNew && _withWholeRoot { box.write(to: &$0) } != nil
    guard isDone else { return _layer(changes._storage, over: original) }
    _storage.makeExtras().changes = changes._storage
    if box.effect != .setter { _overrideRead(with: box) }
  }

  /// Boxes a value as the last that was set; this partial has no original.
  ///
  /// If the root is present as a whole, the value's setter runs on it instead, unless other setters still need a root.
  /// Its effects on the root come after the values that are already boxed.
  ///
  /// Parts of an optional are written to its value, if there is one. If some have no place in it, the box is kept.
  mutating func _box(_ box: any _PartialBox) {
    var box = _withOlderParts(box)
    // A value that is only shown writes nothing, so it must not replace one that does.
    if box.effect == .follows, _wholeRoot != nil || _storage.boxed.writes(box.keyPath) { return }
    _makeUnique()
    if box.effect == .setter {
      let needsRoot = _storage.boxed.hasSetters
      if let isLost = box.parts?.write(to: &self, at: box.keyPath) {
        if !isLost { return _removeBox(box.keyPath) }
        if !needsRoot, _withWholeRoot({ _ in }) != nil { box = box.withoutEffect }
      } else if !needsRoot {
        _removeBox(box.keyPath)
        let isLost = _withWholeRoot { box.write(to: &$0) && box.parts?.areLost(in: $0, at: box.keyPath) ?? false }
        if let isLost {
          guard isLost else { return _putBytesAfterBoxes() }
          box = box.withoutEffect
        }
      }
    }
    if _storage.makeExtras().boxed.replaceLast(by: box) { return }
    _removeBox(box.keyPath)
    _append(box)
  }

  private mutating func _append(_ box: any _PartialBox) {
    let before = _storage.boxed.isEmpty ? _bytesAlone : nil
    _storage.makeExtras().boxed.append(box, before: before)
  }

  /// The same box, with the parts of an optional that were set before, unless its whole was set since.
  private func _withOlderParts(_ box: any _PartialBox) -> any _PartialBox {
    guard let older = _storage.boxed.boxes[box.keyPath], let parts = box.parts,
      let keyPath = box.keyPath as? PartialKeyPath<Root>, let schema = _schema,
      !_wasSet(schema.declared(keyPath), after: keyPath)
    else { return box }
    return parts.boxed(box, following: older.erasedValue, in: Root.self)
  }

  /// Whether a stored property was set after the value boxed under another key path.
  func _wasSet(_ keyPath: PartialKeyPath<Root>, after boxed: AnyKeyPath) -> Bool {
    guard let field = _PartialField(erased: keyPath) else { return false }
    return _storage.boxed.bytes(after: boxed).contains { bytes in
      !Partial(_storage: unsafe .typed(bytes))._storage.isVacant(field)
    }
  }

  @usableFromInline
  mutating func _removeBoxedValue<Value>(for keyPath: KeyPath<Root, Value>) -> Value? {
    if _storage.state.hasTexts { _forgetTexts(at: keyPath, isRemoved: true) }
    if _hasOriginal { return _change { $0._removeBoxedValue(for: keyPath) } }
    let value = _storage.boxed.value(for: keyPath)
    _removeBox(keyPath)
    return value
  }

  mutating func _removeBox(_ keyPath: AnyKeyPath) {
    guard _storage.boxed.contains(keyPath) else { return }
    _makeUnique()
    _storage.makeExtras().boxed.remove(keyPath) { first, second in
      var merged = Partial(_storage: unsafe .typed(first))
      merged._mergeBytes(of: unsafe .typed(second))
      return merged._storage
    }
  }

  /// Shows `value` under `keyPath`: it is read and encoded, but the value set there, if any, is the one that is
  /// written.
  mutating func _show<Value>(_ value: Value, for keyPath: any KeyPath<Root, Value> & Sendable) {
    _makeUnique()
    let older = _storage.boxed.boxes[keyPath]
    let source = older?.written
    let shown = _PartialBoxedValue<Root, Value>(value, at: keyPath, effect: source?.effect ?? .follows, source: source)
    guard let older else { return _append(shown) }
    _storage.makeExtras().boxed.replace(older, by: shown)
  }

  /// Replaces shown values with those that were set, because a partial that has a root reads better values from it.
  mutating func _hideShown() {
    for box in _storage.boxed.assignments.map(\.box) where box.written !== box {
      if let written = box.written {
        _makeUnique()
        _storage.makeExtras().boxed.replace(box, by: written)
      } else {
        _removeBox(box.keyPath)
      }
    }
  }

  /// The value at `keyPath`, or the one that is shown there because the whole must not be set.
  func _namedValue<Value>(for keyPath: KeyPath<Root, Value>) -> Value? {
    if let value = _value(for: keyPath) { return value }
    return _storage.state.hasExtras ? _storage.boxed.value(for: keyPath) : nil
  }

  /// Reads the value in the box whatever the root has, because the value is never written to the root that reads use.
  mutating func _overrideRead(with box: any _PartialBox) {
    let extras = _storage.makeExtras()
    extras.boxed.remove(box.keyPath) { first, _ in first }
    extras.boxed.append(box, before: nil)
  }

  /// The whole root, if it is present.
  var _wholeRoot: Root? {
    guard let field = _PartialField(\Root.self) else { return _storage.boxed.value(for: \Root.self) }
    return _storage.isPresent(field, as: Root.self) ? unsafe _storage.value(at: field, as: Root.self) : nil
  }

  /// Changes the whole root in place; nil if it isn't present, or was set through a read-only key path.
  private mutating func _withWholeRoot<Result>(_ body: (inout Root) -> Result) -> Result? {
    guard let field = _PartialField(\Root.self), _storage.isPresent(field, as: Root.self),
      let entry = _storage.entry(around: field), !entry.isConstant
    else { return nil }
    var root = unsafe _storage.move(from: field, as: Root.self)
    defer { unsafe _storage.initialize(at: field, to: root) }
    return body(&root)
  }
}

// Values that were set in the root's bytes before and after a value was boxed.
extension Partial {
  /// Changes the values set after the last boxed value, if a value is boxed.
  ///
  /// - Parameter isRoot: Whether the whole root is set, which replaces every boxed value instead.
  mutating func _changeAfterwards(isRoot: Bool, _ body: (inout Partial) -> Void) {
    guard !_storage.boxed.isEmpty else { return }
    let extras = _storage.makeExtras()
    if isRoot { return extras.boxed = _PartialBoxedValues() }
    var afterwards = extras.boxed.afterwards.take().map { Partial(_storage: unsafe .typed($0)) } ?? Partial()
    body(&afterwards)
    extras.boxed.afterwards = afterwards._storage
  }

  /// Removes the value in the field of `entry` from the bytes set before and after each boxed value.
  @usableFromInline
  mutating func _removeFromAssignments(_ entry: _UnsafePartialEntry) {
    guard !_storage.boxed.isEmpty else { return }
    _storage.makeExtras().boxed.changeBytes { bytes in
      var bytes = Partial(_storage: unsafe .typed(bytes))
      guard !bytes._storage.isVacant(entry.field) else { return bytes._storage }
      bytes._makeUnique()
      bytes._storage.remove(entry)
      return bytes.isEmpty ? nil : bytes._storage
    }
  }

  /// Sets the values in the root's bytes before every boxed value, and once more after them all.
  ///
  /// So the result doesn't depend on an order that isn't known: a setter reads the final values, and can't undo them.
  mutating func _putBytesAroundBoxes() {
    guard !_storage.boxed.isEmpty else { return }
    _makeUnique()
    let bytes = _bytesAlone
    _storage.makeExtras().boxed.putBytesAround(bytes)
  }

  /// Sets the values in the root's bytes once more after every boxed value.
  private mutating func _putBytesAfterBoxes() {
    guard !_storage.boxed.isEmpty, let bytes = _bytesAlone else { return }
    _storage.makeExtras().boxed.afterwards = bytes
  }

  /// A buffer with only the values set in the root's bytes; nil if there are none.
  var _bytesAlone: _UnsafePartialStorage<Root>? {
    guard _storage.entryCount > 0 else { return nil }
    var alone = self
    // The copy has its own extras.
    alone._makeUnique()
    guard alone._storage.state.hasExtras else { return alone._storage }
    alone._texts = []
    let extras = alone._storage.makeExtras()
    extras.boxed = _PartialBoxedValues()
    extras.original = nil
    extras.changes = nil
    return alone._storage
  }
}
