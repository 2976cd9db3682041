/// The snapshots that a `Dirtyable` has, in a form to change: taken from the baseline, changed, and stored again.
///
/// ```
/// original ─▶ save in flight ─▶ save in flight ─▶ current
///     ▲             │
///     └── finish ───┘
/// ```
@usableFromInline
struct _Snapshots<Value> {
  @usableFromInline
  var original: _Snapshot<Value>

  /// The snapshot that the current value is; nil if the value was written since the newest one.
  @usableFromInline
  var current: _Snapshot<Value>?

  /// The saves in flight, oldest first.
  ///
  /// One snapshot may be in several saves, and be the original too, if nothing was written in between.
  var saves: [Dirtyable<Value>.Save]

  /// The snapshot that the store has once every save has succeeded.
  var newest: _Snapshot<Value> { saves.last?.snapshot ?? original }

  /// Begins a save of `value`, which is the current value.
  mutating func begin(_ value: Value, id: Dirtyable<Value>.Save.ID) -> Dirtyable<Value>.Save {
    precondition(!saves.contains { $0.id == id }, "A save in flight has this identity: give each save another one")
    let snapshot = current ?? _Snapshot(value)
    let save = Dirtyable.Save(id: id, snapshot: snapshot)
    current = snapshot
    saves.append(save)
    return save
  }

  /// Makes the value of a save the original, and settles every save begun before; false if the save isn't in flight.
  mutating func finish(_ id: Dirtyable<Value>.Save.ID) -> Bool {
    guard let index = saves.firstIndex(where: { $0.id == id }) else { return false }
    original = saves[index].snapshot
    saves.removeSubrange(...index)
    return true
  }

  /// Removes a save; false if it isn't in flight.
  mutating func fail(_ id: Dirtyable<Value>.Save.ID) -> Bool {
    guard let index = saves.firstIndex(where: { $0.id == id }) else { return false }
    saves.remove(at: index)
    return true
  }

  /// Writes one member of the current value to every other snapshot.
  ///
  /// Places that share one snapshot still share one afterwards. The snapshot that is the current value already has the
  /// member.
  mutating func write<Member>(_ member: Member, to keyPath: WritableKeyPath<Value, Member>) {
    var written: [ObjectIdentifier: _Snapshot<Value>] = [:]
    if let current { written[ObjectIdentifier(current)] = current }

    func write(to snapshot: inout _Snapshot<Value>) {
      let id = ObjectIdentifier(snapshot)
      if written[id] == nil {
        var value = snapshot.value
        value[keyPath: keyPath] = member
        written[id] = _Snapshot(value)
      }
      snapshot = written[id] ?? snapshot
    }
    write(to: &original)
    for index in saves.indices { write(to: &saves[index].snapshot) }
  }
}

extension _Snapshots where Value: Equatable {
  /// Applies the saves in flight on top of a new original, and `value`, which is the current value, on top of those.
  ///
  /// ```
  /// original ─▶ save ─▶ save ─▶ current
  ///     │         │       │         │     each on top of the one before it, as the change that it made there
  ///     ▼         ▼       ▼         ▼
  ///    new  ─▶  save ─▶ save ─▶ current
  /// ```
  ///
  /// So a part without changes is that of the new original everywhere, and a save still changes the parts that it
  /// changed. A snapshot that was the same as the one before it stays so, without comparing, and one that comes to
  /// equal it becomes the same. A current value that was rolled back follows the new original.
  ///
  /// - Returns: The parts that the new original and a save or an edit changed differently.
  mutating func rebase(_ value: inout Value, onto newOriginal: Value, _ fields: [_Field<Value>]) -> _Parts {
    let old = original
    var base = old
    original = _Snapshot(newOriginal)
    var moved = original
    var conflicting = _Parts()

    for index in 0..<saves.count {
      let save = saves[index].snapshot
      if save !== base {
        let merge = _Merge(
          base: base.value, mine: save.value, theirs: moved.value, fields, conflicting: &conflicting)
        base = save
        if !_Merge.areEqual(merge.merged, moved.value, fields, asTyped: true) { moved = _Snapshot(merge.merged) }
      }
      saves[index].snapshot = moved
    }
    if current === base {
      value = moved.value
      current = moved
    } else if current === old, !_Merge.areEqual(value, base.value, fields, asTyped: true) {
      // Rolled back, so there is no edit to keep: it is theirs, except where theirs is what the save wrote.
      var ignored = _Parts()
      value =
        _Merge(
          base: base.value, mine: newOriginal, theirs: old.value, fields, conflicting: &ignored, isTyped: false
        ).merged
      current = [original, moved].first { _Merge.areEqual(value, $0.value, fields, asTyped: true) }
    } else {
      let merge = _Merge(base: base.value, mine: value, theirs: moved.value, fields, conflicting: &conflicting)
      value = merge.merged
      // Never the original: the next rebase would mistake an edit that came to equal it for a rollback.
      current = !merge.isInDoubt && _Merge.areEqual(value, moved.value, fields, asTyped: true) ? moved : nil
    }
    // A save may be in conflict although the edits since have come to the same as theirs.
    if !saves.isEmpty, !conflicting.isEmpty { conflicting.subtractEqual(value, newOriginal, fields) }
    return conflicting
  }
}

extension Dirtyable {
  /// The snapshots, as a value to change; ``_setSnapshots(_:)`` stores it.
  var _snapshots: _Snapshots<Value> {
    if var snapshots = _baseline.savesInFlight?.snapshots {
      if _baseline.isEdited { snapshots.current = nil }
      return snapshots
    }
    if let original = _baseline.original { return _Snapshots(original: original, current: nil, saves: []) }
    let original = _Snapshot(_current)
    return _Snapshots(original: original, current: original, saves: [])
  }

  /// Stores the snapshots in the smallest form, without an object if only the current value is left.
  mutating func _setSnapshots(_ snapshots: _Snapshots<Value>) {
    defer { _checkInvariants() }
    guard snapshots.saves.isEmpty else {
      let savesInFlight = _SavesInFlight(snapshots)
      _baseline = snapshots.current == nil ? .editedWhileSaving(savesInFlight) : .saving(savesInFlight)
      return
    }
    _baseline = snapshots.current === snapshots.original ? .untouched : .edited(since: snapshots.original)
  }
}

extension Dirtyable {
  #if InternalChecks
    /// Traps unless the state describes the snapshots in the smallest form, and the saves in flight have different
    /// identities.
    @usableFromInline
    func _checkInvariants() {
      guard let snapshots = _baseline.savesInFlight?.snapshots else {
        precondition((_baseline.original == nil) == !_baseline.isEdited, "An edited value has an original beside it")
        return
      }
      precondition(!snapshots.saves.isEmpty, "There is a save in flight")
      precondition(Set(snapshots.saves.map(\.id)).count == snapshots.saves.count, "Saves have identities of their own")
      precondition(_baseline.isEdited || snapshots.current != nil, "A settled value is a snapshot")
    }
  #else
    @inlinable
    @inline(__always)
    func _checkInvariants() {}
  #endif
}
