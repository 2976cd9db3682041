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
  /// Of a whole that has lost a part, the other parts are merged; this part is as if it had not been set. Only what has been
  /// set is merged: one's own original stays, and that of `other` is not looked at.
  ///
  /// - Complexity: O(*m* · *n*) where *m* values are set in `other` and *n* in this partial.
  public mutating func merge(_ other: Partial, policy: MergePolicy = .replace) {
    defer { _checkInvariants() }
    let other = other.changes
    guard !other.isEmpty else { return }
    if _hasOriginal { return _change { $0.merge(other, policy: policy) } }
    switch policy {
    case .replace:
      _PartialStorage.makeUnique(&_storage, newEntries: other._storage.entryCount)
      _storage.merge(other._storage)
      guard other._storage.hasExtras else { return }
      _storage.withExtras { $0.kept.merge(other._storage.kept, isReplacing: true) }
    case .keep:
      var merged = other._storage
      _PartialStorage.makeUnique(&merged, newEntries: _storage.entryCount)
      merged.merge(_storage)
      defer { _storage = merged }
      guard merged.hasExtras || _storage.hasExtras else { return }
      merged.withExtras { extras in
        extras.kept = _storage.kept
        extras.kept.merge(other._storage.kept, isReplacing: false)
      }
    }
  }

  /// Writes everything that has been set to `root`, and leaves the rest of it alone.
  ///
  /// Stored properties come first, then the values of other key paths in the order in which they were first set, each by its
  /// setter. A constant (`let`) of a root that exists is not written to, nor a value of which a constant was set or removed.
  ///
  /// - Returns: The key paths that `root` has no way to write to, because they are read-only; `\.self` for those of stored
  ///   properties, which are known to a schema only.
  /// - Complexity: O(`count`), and a copy of `root`.
  @discardableResult
  public func apply(to root: inout Root) -> [PartialKeyPath<Root>] {
    let set = changes._storage
    let refused = set.entriesInOrder.filter { $0.isConstant || set.removals.hasConstants(in: $0.field) }
    let merged = Partial(root)
    merged._storage.merge(set) { !refused.contains($0) }
    if let result = merged._value(for: \.self) { root = result }
    var keyPaths: [PartialKeyPath<Root>] = []
    for entry in refused {
      let keyPath: PartialKeyPath<Root> = _schema?.keyPath(of: entry.field) ?? \.self
      if !keyPaths.contains(keyPath) { keyPaths.append(keyPath) }
    }
    return keyPaths
      + set.kept.inOrder.compactMap { box in
        box.write(to: &root) ? nil : box.keyPath as? PartialKeyPath<Root>
      }
  }
}
