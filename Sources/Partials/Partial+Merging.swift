extension Partial {
  /// Decides which value to keep if both merged partials have one.
  public enum MergePolicy: Sendable {
    /// The other partial's value replaces this partial's.
    case replace
    /// This partial keeps its own value.
    case keep
  }

  /// Sets everything that has been set in `other`; if both partials have a value, `policy` decides.
  ///
  /// ```swift
  /// struct Settings { var theme: String, size: Int }
  ///
  /// var settings = Partial<Settings>(), defaults = Partial<Settings>()
  /// settings.theme = "dark"
  /// defaults.theme = "light"
  /// defaults.size = 12
  /// settings.merge(defaults, policy: .keep)
  /// print(settings.theme!, settings.size!)        // dark 12
  /// ```
  /// The result is as if the values of `other` were set again in their order; with `keep`, as if this partial's values
  /// were then set again on top. If a whole in `other` has lost a part, its other parts are merged, and the lost part
  /// counts as never set. Only values that have been set are merged: this partial keeps its original, and the original
  /// of `other` is ignored. An entered text is merged with its value or, if it isn't understood, in place of one. It is
  /// entered again after the values of the same partial.
  ///
  /// If `other` has parts of an optional that is nil here, such as a town for an address that another client removed,
  /// they have no place. They are kept and returned, they are among `differences`, and every validation reports the
  /// address as missing. Setting the address, or assigning nil to discard the edit, settles it.
  ///
  /// - Returns: The key paths of the optionals that are nil here and whose parts are set, and read-only key paths of
  ///   parts of an optional that would change.
  /// - Complexity: O(*m* · *n*) for *m* values set in `other` and *n* in this partial.
  @discardableResult
  public mutating func merge(_ other: Partial, policy: MergePolicy = .replace) -> [PartialKeyPath<Root>] {
    defer { _checkInvariants() }
    if _storage.state.hasTexts || other._storage.state.hasTexts {
      _mergeTexts(of: other, policy: policy) { $0._mergeValues(of: other, policy: $1) }
    } else {
      _mergeValues(of: other, policy: policy)
    }
    return _losses.filter { !$0.isOpen }.map { $0.keyPath }
  }

  private mutating func _mergeValues(of other: Partial, policy: MergePolicy) {
    var other = other.changes
    other._texts = []
    guard !other.isEmpty else { return }
    if _hasOriginal {
      other._hideShown()
      return _change { $0._mergeValues(of: other, policy: policy) }
    }
    switch policy {
    case .replace: _merge(other)
    case .keep:
      var merged = other
      merged._merge(self)
      self = merged
    }
  }

  /// Sets everything that is set in `other`, in the order in which it was set there; neither partial has an original.
  private mutating func _merge(_ other: Partial) {
    let boxed = other._storage.boxed
    guard !boxed.isEmpty else { return _mergeBytes(of: other._storage) }
    for assignment in boxed.assignments {
      if let before = assignment.before { _mergeBytes(of: unsafe .typed(before)) }
      _box(assignment.box)
    }
    if let afterwards = boxed.afterwards { _mergeBytes(of: unsafe .typed(afterwards), forgettingBoxed: false) }
  }

  /// Merges the values that are set in the root's bytes, but no boxed values.
  ///
  /// - Parameter forgettingBoxed: Whether a whole root replaces every value that was boxed before.
  mutating func _mergeBytes(of bytes: _UnsafePartialStorage<Root>, forgettingBoxed: Bool = true) {
    guard bytes.entryCount > 0 else { return }
    _UnsafePartialStorage.makeUnique(&_storage, newEntries: bytes.entryCount)
    _changeAfterwards(isRoot: forgettingBoxed && bytes.isWholeRoot) { $0._mergeBytes(of: bytes) }
    unsafe _storage.merge(bytes)
  }

  /// Writes to `root` everything that has been set, and leaves the rest of it unchanged.
  ///
  /// The values are written in the order in which they were set; a value that the root doesn't store is written by its
  /// setter. A property that was set twice is written at its later place, so its setter runs once, with the last value.
  /// Constants (`let`) of the root aren't written, nor are values in which a constant was set or removed. A subscript
  /// traps if it would trap in the root: an array needs enough elements.
  ///
  /// - Returns: The key paths that aren't written: those of texts that aren't understood, those of optionals that are
  ///   nil in `root` and whose parts are set by a decoded partial or by `differences`, and read-only ones, because
  ///   `root` has no way to write to them. The key path of an optional in another one is `\.address!.geo`. Only a
  ///   schema knows the read-only key paths of stored properties; without one they are `\.self`.
  /// - Complexity: O(`count`), and a copy of `root`; for each value that has a setter, another copy.
  @discardableResult
  public func apply(to root: inout Root) -> [PartialKeyPath<Root>] {
    let changes = changes
    changes._replay(on: &root, writesObjects: true)
    var keyPaths: [PartialKeyPath<Root>] = []
    for entry in changes._storage.entriesWithConstants {
      let keyPath = _schema?.label(of: entry.field)?.keyPath as PartialKeyPath<Root>? ?? \.self
      if !keyPaths.contains(keyPath) { keyPaths.append(keyPath) }
    }
    for box in changes._storage.boxed.assignments.map(\.box) where box.effect == .nothing && box.parts == nil {
      if let keyPath = box.keyPath as? PartialKeyPath<Root> { keyPaths.append(keyPath) }
    }
    let lost = changes._losses(in: Partial(root)).map { $0.keyPath as PartialKeyPath<Root> }
    return keyPaths + lost.filter { !keyPaths.contains($0) } + _textsNotUnderstood.map { $0.keyPath }
  }

  /// A copy of `root` with all values that can be written; this partial has no original.
  func _applied(to root: Root, writesObjects: Bool = false) -> Root {
    var root = root
    _replay(on: &root, writesObjects: writesObjects)
    return root
  }

  /// Writes to `root` all values that can be written; this partial has no original.
  ///
  /// - Parameter writesObjects: Whether to write properties of objects, too, which all copies of the root share.
  func _replay(on root: inout Root, writesObjects: Bool) {
    let refused = _storage.entriesWithConstants.map(\.field)
    func write(_ bytes: _UnsafePartialStorage<Root>) {
      // A value without a constant in the end may have had one of its own when these bytes were set.
      let refusedBefore = bytes.entriesWithConstants
      let merged = Partial(root)
      unsafe merged._storage.merge(bytes) { entry in
        !refused.contains { $0.contains(entry.field) } && !refusedBefore.contains(entry)
      }
      if let result = merged._value(for: \.self) { root = result }
    }
    let boxed = _storage.boxed
    guard !boxed.isEmpty else { return write(_storage) }
    for assignment in boxed.assignments {
      if let before = assignment.before { write(unsafe .typed(before)) }
      if assignment.box.effect == .setter || writesObjects && assignment.box.effect == .object {
        _ = assignment.box.write(to: &root)
      }
    }
    if let afterwards = boxed.afterwards { write(unsafe .typed(afterwards)) }
  }
}
