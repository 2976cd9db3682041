extension Dirtyable {
  /// Makes the current value the original, so that it counts as saved.
  ///
  /// Saves in flight were begun earlier, so they are out of date: finishing them is refused from then on.
  ///
  /// If the value is only bytes, such as numbers, the memory of the original is kept for the next edit, so that rounds
  /// of editing and saving allocate once. It is as large as the value, and is also given back when this value goes.
  ///
  /// ```swift
  /// struct Point { var x = 0.0, y = 0.0 }
  ///
  /// var point = Dirtyable(Point())
  /// point.x = 1
  /// point.commit()                       // keeps 16 bytes for the next edit
  /// point.y = 2                          // allocates nothing
  /// point.commit(releasingMemory: true)  // no more edits for now
  /// ```
  ///
  /// - Parameter releasingMemory: Whether to give the memory back at once, for a value that isn't edited again soon.
  /// - Complexity: O(1).
  @inlinable
  public mutating func commit(releasingMemory: Bool = false) {
    if releasingMemory { _baseline = .untouched } else { _baseline.settle() }
  }

  /// Restores the original as the current value, and discards all edits.
  ///
  /// Saves in flight stay in flight. If one of them succeeds later, its value becomes the original, and the value that
  /// you rolled back to is a change to save.
  ///
  /// - Complexity: One copy of the original.
  @inlinable
  public mutating func rollback() {
    guard let original = _baseline.original else { return }
    _current = original.value
    if _baseline.savesInFlight == nil {
      _baseline.settle()
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

  /// Makes one member of the original that of the current value: it counts as saved, and the others stay as they are.
  ///
  /// This also applies to saves in flight, which were begun earlier: if one of them succeeds later, this member stays
  /// as committed.
  ///
  /// - Complexity: One copy of the original, and of each save in flight.
  public mutating func commit<Member>(_ keyPath: WritableKeyPath<Value, Member>) {
    guard isTouched || isSaving else { return }
    var snapshots = _snapshots
    snapshots.write(_current[keyPath: keyPath], to: keyPath)
    _setSnapshots(snapshots)
  }

  /// Restores one member of the current value from the original; the other edits stay.
  ///
  /// A row that only one of the two values has stays as it is.
  ///
  /// - Precondition: A stored key path, or one that names its root, leads somewhere in both values.
  /// - Complexity: One copy of the member.
  @inlinable
  @_disfavoredOverload
  public mutating func rollback<Member>(_ keyPath: WritableKeyPath<Value, Member>) {
    guard isTouched else { return }
    let member = original[keyPath: keyPath]
    _willWrite()
    _current[keyPath: keyPath] = member
  }

  /// Restores a row or a part of an optional from the original, if both values have it.
  @_documentation(visibility: internal)
  public mutating func rollback<Member>(_ path: _RowPath<Value, Member>) {
    let part = path.lens()
    guard isTouched, let member = part.find(in: original), part.find(in: _current) != nil else { return }
    _willWrite()
    part.replace(in: &_current, with: member)
  }
}
