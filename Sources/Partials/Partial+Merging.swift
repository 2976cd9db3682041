extension Partial {
  /// Sets everything that is present in `other`, so that where both have a value it is the other's that stays.
  ///
  /// Of a whole of which `other` has lost a part, the other parts are set; this part stays as it was.
  ///
  /// - Complexity: O(*m* · *n*) where *m* values are set in `other` and *n* in this partial.
  public mutating func merge(_ other: Partial) {
    defer { _checkInvariants() }
    guard !other.isEmpty else { return }
    _PartialStorage.makeUnique(&_storage, newEntries: other._storage.entryCount)
    _storage.merge(other._storage)
    if other._storage.kept.count > 0 { _storage.withExtras { $0.kept.merge(other._storage.kept) } }
  }

  /// Writes everything that is present to `root`, and leaves the rest of it alone.
  ///
  /// Stored properties come first, `let` ones too, then the values of other key paths in the order in which they were first
  /// set, each by its setter.
  ///
  /// - Returns: The key paths that `root` has no way to write to, because they are computed and read-only.
  /// - Complexity: O(`count`), and a copy of `root`.
  @discardableResult
  public func apply(to root: inout Root) -> [PartialKeyPath<Root>] {
    let merged = Partial(root)
    merged._storage.merge(_storage)
    if let result = merged[\.self] { root = result }
    return _storage.kept.inOrder.compactMap { box in
      box.write(to: &root) ? nil : box.keyPath as? PartialKeyPath<Root>
    }
  }
}
