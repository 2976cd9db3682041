extension Dirtyable {
  /// Makes the current value the original: it counts as saved.
  ///
  /// Saves in flight were begun earlier, so they are out of date: finishing them is refused from here on.
  ///
  /// - Complexity: O(1).
  @inlinable
  public mutating func commit() {
    _baseline = .untouched
  }

  /// Makes the original the current value again: all edits are gone.
  ///
  /// Saves in flight stay in flight. Where one of them succeeds later, what it wrote becomes the original, and the
  /// value rolled back to is a change to save.
  ///
  /// - Complexity: One copy of the original.
  @inlinable
  public mutating func rollback() {
    guard let original = _baseline.original else { return }
    _current = original.value
    if _baseline.savesInFlight == nil {
      _baseline = .untouched
    } else {
      _settleOnOriginal()
    }
  }

  @usableFromInline
  mutating func _settleOnOriginal() {
    var snapshots = _snapshots
    snapshots.current = snapshots.original
    _setSnapshots(snapshots)
  }

  /// Makes one member of the current value the original's: that member counts as saved, the others as before.
  ///
  /// For saves in flight too, which were begun earlier: where one of them succeeds later, this member stays as
  /// committed.
  ///
  /// - Complexity: One copy of the original, and of each save in flight.
  public mutating func commit<Member>(_ keyPath: WritableKeyPath<Value, Member>) {
    guard isTouched || isSaving else { return }
    var snapshots = _snapshots
    snapshots.write(_current[keyPath: keyPath], to: keyPath)
    _setSnapshots(snapshots)
  }

  /// Sets one member of the current value back to that of the original; the other edits stay.
  ///
  /// A row that one of the two does not have stays as it is.
  ///
  /// - Precondition: A key path that is kept, or names its root, leads somewhere in both.
  /// - Complexity: One copy of the member.
  @inlinable
  @_disfavoredOverload
  public mutating func rollback<Member>(_ keyPath: WritableKeyPath<Value, Member>) {
    guard isTouched else { return }
    let member = original[keyPath: keyPath]
    _willWrite()
    _current[keyPath: keyPath] = member
  }

  /// Sets a row or a part of an optional back to that of the original, where both have it.
  @_documentation(visibility: internal)
  public mutating func rollback<Member>(_ path: _RowPath<Value, Member>) {
    let part = path.lens()
    guard isTouched, let member = part.find(in: original), part.find(in: _current) != nil else { return }
    _willWrite()
    part.replace(in: &_current, with: member)
  }
}
