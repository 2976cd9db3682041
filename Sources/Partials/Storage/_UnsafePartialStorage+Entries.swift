// The table of entries: functions that change it, together with the values and their presence, and that search it.
extension _UnsafePartialStorage {
  /// Sets a value in a vacant field, if there is capacity and there are no extras that have to record it.
  ///
  /// - Returns: Whether it was set.
  @inlinable @inline(__always)
  func add<Value>(_ value: Value, at field: _PartialField, isConstant: Bool) -> Bool {
    guard isVacant(field, for: Value.self), !state.hasExtras, entryCount < state.entryCapacity else { return false }
    unsafe initialize(at: field, to: value)
    unsafe append(_UnsafePartialEntry(Value.self, at: field, isConstant: isConstant))
    markPresent(field, as: Value.self)
    return true
  }

  /// Inserts `entry` for a value that the caller stores next.
  ///
  /// If the field is a part of a greater value, it already holds a value, which stays a part. Values set inside the
  /// field are removed.
  ///
  /// - Precondition: There is capacity for one entry.
  /// - Returns: Whether the field already holds a value, to be replaced. Otherwise the caller initializes it.
  @unsafe @usableFromInline
  func insert(_ entry: _UnsafePartialEntry) -> Bool {
    let field = entry.field
    if let whole = self.entry(around: field), whole == entry || whole.field != field {
      if entry.isConstant { state.markConstant() }
      let extras = whole != entry && entry.isConstant ? makeExtras() : extras
      if whole == entry { extras?.removals.forget(in: field) } else { extras?.removals.set(entry) }
      updatePresence(in: whole.field)
      return true
    }
    unsafe removeEntries(inside: field)
    unsafe append(entry)
    updatePresence(in: field)
    return false
  }

  /// Removes the value in the field of `entry`; a part of a greater value is only marked as removed.
  @usableFromInline
  func remove(_ entry: _UnsafePartialEntry) {
    let field = entry.field
    if let whole = self.entry(around: field)?.field, whole != field {
      if entry.isConstant { state.markConstant() }
      makeExtras().removals.remove(entry)
      updatePresence(in: whole)
    } else {
      unsafe removeEntries(inside: field)
    }
  }

  /// Removes the entries in `field`.
  ///
  /// - Precondition: The values are stored, or all have been `moved` out, so that there is nothing to destroy.
  @unsafe @usableFromInline
  func removeEntries(inside field: _PartialField, moved: Bool = false) {
    for index in (0..<entryCount).reversed() {
      unsafe withEntries { entries, base in
        let entry = unsafe entries[index]
        guard field.contains(entry.field) else { return }
        unsafe entries[index] = entries[entries.count - 1]
        entryCount -= 1
        extras?.removals.forget(in: entry.field)
        setPresence(of: entry.field) { _ in 0 }
        if !moved { unsafe entry.destroy(at: base) }
      }
    }
  }

  /// Appends an entry to the table.
  ///
  /// - Precondition: There is capacity, and no entry lies within or around this one. The caller stores the value.
  @unsafe @inlinable @inline(__always)
  func append(_ entry: _UnsafePartialEntry) {
    assert(entryCount < state.entryCapacity, "More entries than the capacity")
    entryCount += 1
    if entry.isConstant { state.markConstant() }
    unsafe withEntries { entries, _ in unsafe (entries.baseAddress! + entries.count - 1).initialize(to: entry) }
  }

  /// Whether a value was set exactly as `entry` says, and not as a part of a greater one.
  @inlinable @inline(never)
  func contains(_ entry: _UnsafePartialEntry) -> Bool {
    unsafe withEntries { entries, _ in unsafe entries.contains(entry) }
  }

  /// The entry whose field contains `field`.
  func entry(around field: _PartialField) -> _UnsafePartialEntry? {
    unsafe withEntries { entries, _ in unsafe entries.first { $0.start <= field.start && $0.field.contains(field) } }
  }

  /// The entries in the order of the root's bytes.
  var entriesInOrder: [_UnsafePartialEntry] {
    unsafe withEntries { entries, _ in unsafe entries.sorted { $0.field.start < $1.field.start } }
  }

  /// The entries that were set through a read-only key path, or in which a constant was set or removed, in their order.
  var entriesWithConstants: [_UnsafePartialEntry] {
    guard state.hasConstants else { return [] }
    let removals = removals
    return entriesInOrder.filter { $0.isConstant || removals.hasConstants(in: $0.field) }
  }

  /// Whether a whole root was set through a writable key path, and has all its parts.
  var isWholeRoot: Bool {
    guard let field = _PartialField(\Root.self), let entry = entry(around: field) else { return false }
    return entry.type == ObjectIdentifier(Root.self) && !entry.isConstant && isPresent(field)
  }

  /// Whether the value present in the field of `entry` can be replaced by only storing the new one there.
  @inlinable @inline(__always)
  func isReplaceable(_ entry: _UnsafePartialEntry) -> Bool {
    state.isPlain && !entry.isConstant || !state.hasExtras && contains(entry)
  }

  /// The value of `entry`.
  ///
  /// - Precondition: `entry` is in this table, or is a part of an entry that is.
  @unsafe
  func erasedValue(of entry: _UnsafePartialEntry) -> Any {
    assert(self.entry(around: entry.field) != nil, "No value to read")
    return unsafe withBase { base in unsafe entry.value(at: base) }
  }

  /// Gives each entry the value that `root` has in the same field.
  ///
  /// - Precondition: `root` has a value for each entry.
  @unsafe
  func refresh(from root: _UnsafePartialStorage) {
    assert(entriesInOrder.allSatisfy { root.entry(around: $0.field) != nil }, "No value to read")
    unsafe withEntries { entries, base in
      unsafe root.withBase { source in
        unsafe entries.forEach { entry in
          unsafe entry.destroy(at: base)
          unsafe entry.transfer(from: source, to: base, moving: false)
        }
      }
    }
  }
}
