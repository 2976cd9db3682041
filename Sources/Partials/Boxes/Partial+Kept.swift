// The values whose key paths have no offset in the root.
extension Partial {
  /// The value that is kept under `keyPath`, or what the root answers where the whole of it is there.
  ///
  /// Over an original with a constant set, there is no whole, and what was set is asked of what can be applied.
  @usableFromInline
  func _keptValue<Value>(for keyPath: KeyPath<Root, Value>) -> Value? {
    if let value = _storage.kept.value(for: keyPath) { return value }
    if let root = _wholeRoot { return root[keyPath: keyPath] }
    guard let changes = _storage.changes, changes.kept.contains(keyPath) else { return nil }
    return _editedOriginal?[keyPath: keyPath]
  }

  @usableFromInline
  func _containsKept(_ keyPath: AnyKeyPath) -> Bool {
    let isKept = _storage.changes?.kept.contains(keyPath) ?? false || _storage.kept.contains(keyPath)
    guard let field = _PartialField(\Root.self) else { return isKept || _storage.kept.contains(\Root.self) }
    return isKept || _storage.isPresent(field, as: Root.self)
  }

  @usableFromInline
  mutating func _keep<Value>(_ value: Value, for keyPath: any KeyPath<Root, Value> & Sendable) {
    let box = _PartialKept(value, for: keyPath)
    _makeUnique()
    guard let original = _storage.original, var changes = _takeChanges() else { return _keep(box) }
    let isNew = !changes._storage.kept.contains(keyPath)
    changes._keep(box)
    // The newest setter is the last to run: on a root that has the others, it is all that is left to do.
    let isDone = box.effect != .setter || isNew && _withWholeRoot { box.write(to: &$0) } != nil
    guard isDone else { return _lie(over: original, with: changes._storage) }
    _putBackChanges(changes)
    if box.effect != .setter { _answer(box) }
  }

  /// Keeps a value where there is no original below, as the last that was set.
  ///
  /// Where the root is there as a whole, its setter is run instead, unless others wait for a root.
  mutating func _keep(_ box: any _PartialKeptBox) {
    if box.effect == .follows, _wholeRoot != nil { return }
    _makeUnique()
    if _storage.kept.isEmpty, box.effect == .setter, _withWholeRoot({ box.write(to: &$0) }) != nil { return }
    if _storage.withExtras({ $0.kept.replaceLast(by: box) }) { return }
    _removeKept(box.keyPath)
    let before = _storage.kept.isEmpty ? _snapshot : nil
    _storage.withExtras { $0.kept.append(box, before: before) }
  }

  @usableFromInline
  mutating func _removeKeptValue<Value>(for keyPath: KeyPath<Root, Value>) -> Value? {
    if _hasOriginal { return _change { $0._removeKeptValue(for: keyPath) } }
    let value = _storage.kept.value(for: keyPath)
    _removeKept(keyPath)
    return value
  }

  mutating func _removeKept(_ keyPath: AnyKeyPath) {
    guard _storage.kept.contains(keyPath) else { return }
    _makeUnique()
    _storage.withExtras { extras in
      extras.kept.remove(keyPath) { first, second in
        var joined = Partial(_storage: .typed(first))
        joined._mergeBytes(of: .typed(second))
        return joined._storage
      }
    }
  }

  /// Lets `value` be read and coded under `keyPath`, without another effect than what was set there has.
  mutating func _show<Value>(_ value: Value, for keyPath: any KeyPath<Root, Value> & Sendable) {
    _makeUnique()
    let before = _storage.kept.isEmpty ? _snapshot : nil
    _storage.withExtras { $0.kept.show(value, for: keyPath, before: before) }
  }

  /// Lets all be read as it was set, for a root that is asked knows better.
  mutating func _hideShown() {
    for box in _storage.kept.steps.map(\.box) where box.written !== box {
      guard let written = box.written else {
        _removeKept(box.keyPath)
        continue
      }
      _makeUnique()
      _storage.withExtras { $0.kept.replace(box, by: written) }
    }
  }

  /// The value at `keyPath`, or what is shown there because the whole is not to be set.
  func _namedValue<Value>(for keyPath: KeyPath<Root, Value>) -> Value? {
    if let value = _value(for: keyPath) { return value }
    return _storage.hasExtras ? _storage.kept.value(for: keyPath) : nil
  }

  /// Reads the value in the box whatever the root answers, since it is never written to the root that is read.
  mutating func _answer(_ box: any _PartialKeptBox) {
    _storage.withExtras { extras in
      extras.kept.remove(box.keyPath) { first, _ in first }
      extras.kept.append(box, before: nil)
    }
  }

  /// The whole root, where it is there.
  var _wholeRoot: Root? {
    guard let field = _PartialField(\Root.self) else { return _storage.kept.value(for: \Root.self) }
    return _storage.isPresent(field, as: Root.self) ? _storage.value(at: field, as: Root.self) : nil
  }

  /// Changes the whole root in its place; nil where it is not there, or was set through a read-only key path.
  private mutating func _withWholeRoot<Result>(_ body: (inout Root) -> Result) -> Result? {
    guard let field = _PartialField(\Root.self), _storage.isPresent(field, as: Root.self),
      let entry = _storage.entry(around: field), !entry.isConstant
    else { return nil }
    var root = _storage.move(from: field, as: Root.self)
    defer { _storage.initialize(at: field, to: root) }
    return body(&root)
  }
}

// What was set in the root's bytes before and after a value was kept.
extension Partial {
  /// Takes out what was set after the last kept value, to set one more; nil where no value is kept.
  ///
  /// - Parameter isRoot: Whether the whole root is set next, which leaves nothing of what was kept.
  @usableFromInline
  mutating func _takeAfterwards(isRoot: Bool) -> Partial? {
    guard !_storage.kept.isEmpty else { return nil }
    return _storage.withExtras { extras in
      guard !isRoot else {
        extras.kept = _PartialKeptValues()
        return nil
      }
      return extras.kept.takeAfterwards().map { Partial(_storage: .typed($0)) } ?? Partial()
    }
  }

  @usableFromInline
  mutating func _putBackAfterwards(_ bytes: Partial) {
    _storage.withExtras { $0.kept.putBackAfterwards(bytes._storage) }
  }

  /// Removes what is in the place of `entry` from what was set before and after each kept value.
  @usableFromInline
  mutating func _vacateKept(_ entry: _PartialEntry) {
    guard !_storage.kept.isEmpty else { return }
    _storage.withExtras { extras in
      extras.kept.changeBytes { bytes in
        var bytes = Partial(_storage: .typed(bytes))
        guard !bytes._storage.isVacant(entry.field) else { return bytes._storage }
        bytes._makeUnique()
        bytes._storage.vacate(entry)
        return bytes.isEmpty ? nil : bytes._storage
      }
    }
  }

  /// Lets what was set in the root's bytes come before every kept value, and once more after them all.
  ///
  /// So neither depends on an order that is not known: a setter finds the others as they are to be, and undoes none.
  mutating func _putBytesAroundKept() {
    guard !_storage.kept.isEmpty else { return }
    _makeUnique()
    let bytes = _snapshot
    _storage.withExtras { $0.kept.putBytesAround(bytes) }
  }

  /// A buffer of what is set in the root's bytes, and nothing else; nil where nothing is.
  var _snapshot: _PartialStorage<Root>? {
    guard _storage.entryCount > 0 else { return nil }
    var snapshot = self
    // The copy has extras of its own.
    snapshot._makeUnique()
    guard snapshot._storage.hasExtras else { return snapshot._storage }
    snapshot._storage.withExtras { extras in
      extras.kept = _PartialKeptValues()
      extras.original = nil
      extras.changes = nil
    }
    return snapshot._storage
  }
}
