/// Every version of a value that a `Dirtyable` knows of, laid out to be changed: taken out of the baseline, changed,
/// put back.
///
/// ```
/// original ─▶ save in flight ─▶ save in flight ─▶ current
///     ▲             │
///     └── finish ───┘
/// ```
struct _Versions<Value> {
  var original: _Version<Value>

  /// The version that the current value is; nil when it was written since the newest.
  var current: _Version<Value>?

  /// Oldest first.
  ///
  /// One version may be in several, and in the original too, where nothing was written in between.
  var saves: [Dirtyable<Value>.Save]

  /// Puts a save of `value`, which is the current one, in flight.
  mutating func begin(_ value: Value, id: Dirtyable<Value>.Save.ID) -> Dirtyable<Value>.Save {
    precondition(!saves.contains { $0.id == id }, "The generator repeats itself")
    let version = current ?? _Version(value)
    let save = Dirtyable.Save(id: id, version: version)
    current = version
    saves.append(save)
    return save
  }

  /// Makes what a save wrote the original, and with it settles every save begun before; false if it is not in flight.
  mutating func finish(_ id: Dirtyable<Value>.Save.ID) -> Bool {
    guard let index = saves.firstIndex(where: { $0.id == id }) else { return false }
    original = saves[index].version
    saves.removeSubrange(...index)
    return true
  }

  /// Forgets a save; false if it is not in flight.
  mutating func fail(_ id: Dirtyable<Value>.Save.ID) -> Bool {
    guard let index = saves.firstIndex(where: { $0.id == id }) else { return false }
    saves.remove(at: index)
    return true
  }

  /// Writes one member of the current value to every other version.
  ///
  /// What was one version stays one. The version that the current value is has the member already.
  mutating func write<Member>(_ member: Member, to keyPath: WritableKeyPath<Value, Member>) {
    var written: [ObjectIdentifier: _Version<Value>] = [:]
    if let current { written[ObjectIdentifier(current)] = current }

    func write(to version: inout _Version<Value>) {
      let id = ObjectIdentifier(version)
      if written[id] == nil {
        var value = version.value
        value[keyPath: keyPath] = member
        written[id] = _Version(value)
      }
      version = written[id] ?? version
    }
    write(to: &original)
    for index in saves.indices { write(to: &saves[index].version) }
  }
}

extension _Versions where Value: Equatable {
  /// Puts the saves in flight on top of a new original, and `value`, which is the current one, on top of those.
  ///
  /// ```
  /// original ─▶ save ─▶ save ─▶ current
  ///     │         │       │         │     each on top of the one before it, as the change that it made there
  ///     ▼         ▼       ▼         ▼
  ///    new  ─▶  save ─▶ save ─▶ current
  /// ```
  ///
  /// So a part that nobody changed is the new original's everywhere, and a save still changes the parts that it
  /// changed. A version that was the one before it stays that, without comparing, and one that comes to equal it
  /// becomes it. A current value that was rolled back follows the new original.
  ///
  /// - Returns: The parts that the new original and a save or an edit changed differently.
  mutating func rebase(_ value: inout Value, onto newOriginal: Value, _ fields: [_Field<Value>]) -> _Parts {
    let old = original
    var base = old
    original = _Version(newOriginal)
    var moved = original
    var conflicting = _Parts()

    for index in 0..<saves.count {
      let save = saves[index].version
      if save !== base {
        let merge = _Merge(
          base: base.value, mine: save.value, theirs: moved.value, fields, conflicting: &conflicting)
        base = save
        if !_Merge.areEqual(merge.merged, moved.value, fields) { moved = _Version(merge.merged) }
      }
      saves[index].version = moved
    }
    if current === base {
      value = moved.value
      current = moved
    } else if current === old, !_Merge.areEqual(value, base.value, fields) {
      // Rolled back, so there is no edit to keep: it is theirs, except where theirs is what the save wrote.
      var ignored = _Parts()
      value = _Merge(base: base.value, mine: newOriginal, theirs: old.value, fields, conflicting: &ignored).merged
      current = [original, moved].first { _Merge.areEqual(value, $0.value, fields) }
    } else {
      value = _Merge(base: base.value, mine: value, theirs: moved.value, fields, conflicting: &conflicting).merged
      // Never the original: the next rebase would take an edit that came to it for one that was rolled back.
      current = _Merge.areEqual(value, moved.value, fields) ? moved : nil
    }
    // A save may be in conflict where the edits since have come to the same as theirs.
    if !saves.isEmpty, !conflicting.isEmpty { conflicting.subtractEqual(value, newOriginal, fields) }
    return conflicting
  }
}

extension Dirtyable {
  /// The versions known of, as a value to change; ``_setVersions(_:)`` puts it back.
  var _versions: _Versions<Value> {
    if let flight = _baseline.flight {
      return _Versions(
        original: flight.original, current: _baseline.isEdited ? nil : flight.current, saves: flight.saves)
    }
    if let original = _baseline.original {
      return _Versions(original: original, current: nil, saves: [])
    }
    let original = _Version(_current)
    return _Versions(original: original, current: original, saves: [])
  }

  /// Writes the versions down in the least that tells them: no object at all where only the current value is left.
  mutating func _setVersions(_ versions: _Versions<Value>) {
    defer { _checkInvariants() }
    guard versions.saves.isEmpty else {
      let flight = _Flight(original: versions.original, current: versions.current, saves: versions.saves)
      _baseline = versions.current == nil ? .editedInFlight(flight) : .settledInFlight(flight)
      return
    }
    _baseline = versions.current === versions.original ? .untouched : .edited(since: versions.original)
  }
}

extension Dirtyable {
  #if InternalChecks
    /// Traps unless the state tells the versions, in the least that does, and the saves in flight can be told apart.
    @usableFromInline
    func _checkInvariants() {
      guard let flight = _baseline.flight else {
        precondition((_baseline.original == nil) == !_baseline.isEdited, "An edited value has an original beside it")
        return
      }
      precondition(!flight.saves.isEmpty, "A flight has saves")
      precondition(Set(flight.saves.map(\.id)).count == flight.saves.count, "Saves have identities of their own")
      precondition(_baseline.isEdited || flight.current != nil, "A settled value is a version")
    }
  #else
    @inlinable
    @inline(__always)
    func _checkInvariants() {}
  #endif
}
