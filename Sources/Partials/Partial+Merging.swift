extension Partial {
  /// Which value stays when both partials that are merged have one.
  public enum MergePolicy: Sendable {
    /// That of the other, which replaces one's own.
    case replace
    /// One's own.
    case keep
  }

  /// Sets everything that has been set in `other` and, where both have a value, decides by the policy.
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
  /// It is as if it were set again, in its order; with `keep`, as if one's own were then set again on top of it. Of a
  /// whole that has lost a part, the other parts are merged; this part is as if it had not been set. Only what has been
  /// set is merged: one's own original stays, and that of `other` is not looked at. A text that was entered goes with
  /// its value, or, where it is not understood, in place of one. It is entered again after the values beside it.
  ///
  /// - Complexity: O(*m* · *n*) where *m* values are set in `other` and *n* in this partial.
  public mutating func merge(_ other: Partial, policy: MergePolicy = .replace) {
    defer { _checkInvariants() }
    guard _storage.hasTexts || other._storage.hasTexts else { return _mergeValues(of: other, policy: policy) }
    _mergeTexts(of: other, policy: policy) { $0._mergeValues(of: other, policy: $1) }
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

  /// Sets everything that is set in `other`, in the order in which it was set there; neither has an original.
  private mutating func _merge(_ other: Partial) {
    let boxed = other._storage.boxed
    guard !boxed.isEmpty else { return _mergeBytes(of: other._storage) }
    for assignment in boxed.assignments {
      if let before = assignment.before { _mergeBytes(of: unsafe .typed(before)) }
      _box(assignment.box)
    }
    if let afterwards = boxed.afterwards { _mergeBytes(of: unsafe .typed(afterwards), forgettingBoxed: false) }
  }

  /// Takes over what is set in the root's bytes, but no boxed value.
  ///
  /// - Parameter forgettingBoxed: Whether a whole root stands for every value that was boxed before.
  mutating func _mergeBytes(of bytes: _UnsafePartialStorage<Root>, forgettingBoxed: Bool = true) {
    guard bytes.entryCount > 0 else { return }
    _UnsafePartialStorage.makeUnique(&_storage, newEntries: bytes.entryCount)
    if var afterwards = _takeAfterwards(isRoot: forgettingBoxed && bytes.isWholeRoot) {
      afterwards._mergeBytes(of: bytes)
      _putBackAfterwards(afterwards)
    }
    unsafe _storage.merge(bytes)
  }

  /// Writes everything that has been set to `root`, and leaves the rest of it alone.
  ///
  /// It is written in the order in which it was set, each value that the root does not store by its setter. A property
  /// that was set twice has its later place, and a setter is run once, with the last value. A constant (`let`) of a
  /// root that exists is not written to, nor a value of which a constant was set or removed. A subscript traps where it
  /// would trap in the root: an array needs as many elements.
  ///
  /// - Returns: The key paths at which nothing is written: those of texts that are not understood, and those that
  ///   `root` has no way to write to, because they are read-only. Stored ones of these are known to a schema only;
  ///   without one they are `\.self`.
  /// - Complexity: O(`count`), and a copy of `root`; for each value that takes a setter, another copy.
  @discardableResult
  public func apply(to root: inout Root) -> [PartialKeyPath<Root>] {
    let changes = changes
    changes._replay(on: &root, writesObjects: true)
    var keyPaths: [PartialKeyPath<Root>] = []
    for entry in changes._storage.entriesWithConstants {
      let keyPath: PartialKeyPath<Root> = _schema?.keyPath(of: entry.field) ?? \.self
      if !keyPaths.contains(keyPath) { keyPaths.append(keyPath) }
    }
    let readOnly = changes._storage.boxed.assignments.map(\.box).filter { $0.effect == .nothing }
    return keyPaths + readOnly.compactMap { $0.keyPath as? PartialKeyPath<Root> }
      + _textsNotUnderstood.map { $0.keyPath }
  }

  /// Writes to `root` what can be written of that which has been set; there is no original.
  ///
  /// - Parameter writesObjects: Whether properties of objects are written, too, which all copies of the root refer to.
  func _replay(on root: inout Root, writesObjects: Bool) {
    let refused = _storage.entriesWithConstants.map(\.field)
    func write(_ bytes: _UnsafePartialStorage<Root>) {
      // A value that is of one piece in the end may have had a constant of its own before.
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
