extension _UnsafePartialStorage {
  // MARK: Copies

  /// Gives `storage` a buffer of its own, with capacity for `newEntries` more entries.
  @usableFromInline
  static func makeUnique(_ storage: inout _UnsafePartialStorage, newEntries: Int = 0) {
    let capacity = storage.state.entryCapacity
    let needed = storage.entryCount + newEntries
    let isUnique = isKnownUniquelyReferenced(&storage)
    guard !isUnique || needed > capacity else { return }
    storage = storage.copy(entryCapacity: needed > capacity ? max(needed, capacity * 2) : capacity, moving: isUnique)
  }

  /// A buffer with the same contents.
  ///
  /// If the contents are moved, this buffer is left empty.
  private func copy(entryCapacity: Int, moving: Bool) -> _UnsafePartialStorage {
    assert(entryCapacity >= entryCount, "More entries than the capacity")
    let copy = Self.make(entryCapacity: entryCapacity)
    copy.entryCount = entryCount
    if let extras {
      copy.state.extras = moving ? extras : _PartialExtras(copying: extras)
      copy.state.hasTexts = extras.texts != nil
    }
    if state.hasConstants { copy.state.markConstant() }
    unsafe withEntries { entries, base in
      unsafe copy.withEntries { newEntries, newBase in
        unsafe newBase.copyMemory(from: base, byteCount: (Self.rootWords + Self.presenceWords) * 8)
        _ = unsafe newEntries.initialize(from: entries)
        unsafe entries.lazy.filter { !$0.isTrivial }.forEach { entry in
          unsafe entry.transfer(from: base, to: newBase, moving: moving)
        }
      }
    }
    if moving { entryCount = 0 }
    return copy
  }

  // MARK: Merging

  /// Merges the readable values of those entries of `other` that `isTaken` chooses.
  ///
  /// - Precondition: There is capacity for each entry that lies in no entry here.
  @unsafe
  func merge(_ other: _UnsafePartialStorage, where isTaken: (_UnsafePartialEntry) -> Bool = { _ in true }) {
    unsafe other.withEntries { entries, otherBase in
      unsafe entries.lazy.filter(isTaken).forEach { entry in unsafe merge(entry, at: otherBase, of: other) }
    }
  }

  /// - Precondition: The bytes at `otherBase` are those of `other`, which has the entry.
  @unsafe
  private func merge(
    _ entry: _UnsafePartialEntry, at otherBase: UnsafeMutableRawPointer, of other: _UnsafePartialStorage
  ) {
    let field = entry.field
    let isComplete = !other.removals.hasHoles(in: field)
    var whole = self.entry(around: field)
    // A struct and its only stored property have the same layout, so parts of one can be merged into the other.
    if isComplete, whole?.field == field {
      unsafe removeEntries(inside: field)
      whole = nil
    }
    unsafe withEntries { entries, base in
      unsafe entry.withCopy(at: otherBase, rootAlignment: MemoryLayout<Root>.alignment) { copy in
        var removals = removals
        if whole != nil && !isComplete {
          unsafe entry.exchange(copy, base)
          unsafe other.exchangeRemoved(from: entry, copy, base)
          unsafe entry.destroy(at: copy)
          if let whole, whole.field == field { replaceEntry(whole, by: entry) }
        } else if whole != nil {
          unsafe entry.destroy(at: base)
          unsafe entry.transfer(from: copy, to: base, moving: true)
        } else {
          let inner = unsafe entries.filter { field.contains($0.field) }
          inner.forEach { unsafe other.exchangeRemoved(from: $0, copy, base) }
          removals.join(inner, in: entry)
          unsafe removeEntries(inside: field)
          unsafe entry.transfer(from: copy, to: base, moving: true)
          unsafe append(entry)
        }
        let around = whole?.field ?? field
        removals.merge(entry, isPart: around != field, of: other.removals)
        if removals != self.removals { makeExtras().removals = removals }
        if removals.hasConstants(in: around) { state.markConstant() }
        updatePresence(in: around)
      }
    }
  }

  /// Exchanges the parts that have been removed here from `entry` between two roots' bytes.
  ///
  /// Each part is exchanged as a value of its own type, and is stored on both sides, removed or not. An island in a
  /// hole is exchanged together with the hole, and then exchanged back.
  ///
  /// - Precondition: The bytes on both sides hold a value in the field of `entry`.
  @unsafe
  private func exchangeRemoved(
    from entry: _UnsafePartialEntry, _ left: UnsafeMutableRawPointer, _ right: UnsafeMutableRawPointer
  ) {
    for part in removals.removalBoundaries(at: entry.field) {
      unsafe (part.field.contains(entry.field) ? entry : part).exchange(left, right)
    }
  }

  /// Replaces an entry whose value now has the type of `entry`, which has the same field.
  ///
  /// A constant stays a constant.
  private func replaceEntry(_ old: _UnsafePartialEntry, by entry: _UnsafePartialEntry) {
    guard entry.isConstant || !old.isConstant && old.type != entry.type else { return }
    if entry.isConstant { state.markConstant() }
    unsafe withEntries { entries, _ in
      unsafe entries.firstIndex { $0.start == entry.start }.map { unsafe entries[$0] = entry }
    }
  }
}
