/// The buffer of a partial, and with what its entries can do, all unsafe code.
///
/// ```
///  object     header           root               presence            entries
/// ┌────────┬─────────────┬─────────────────┬─────────────────────┬────────────────────┐
/// │16 bytes│   16 bytes  │ the root's bytes│ 1 word per 32 bytes │ 12 bytes per entry │
/// └────────┴─────────────┴─────────────────┴─────────────────────┴────────────────────┘
///                         ↑ base, aligned for the root
/// ```
/// Invariants, checked by `checkInvariants()`:
/// - Entries lie within the root and do not overlap. Their order means nothing.
/// - The bytes of an entry hold a value of its type. All other bytes of the root are not initialised.
/// - The presence bits of an entry's bytes follow from what has been removed from it (see `_PartialField`). Those of all
///   other bytes are zero.
@usableFromInline
final class _PartialStorage<Root>: ManagedBuffer<_PartialHeader, UInt64> {
  /// Makes an empty buffer.
  @inlinable
  static func make(entryCapacity: Int = usualEntryCapacity) -> _PartialStorage {
    let slackWords = max(0, MemoryLayout<Root>.alignment - MemoryLayout<UInt64>.alignment) / 8
    let entryWords = (entryCapacity * MemoryLayout<_PartialEntry>.stride + 7) / 8
    let buffer = create(minimumCapacity: slackWords + rootWords + presenceWords + entryWords) { _ in
      _PartialHeader(entryCapacity: entryCapacity)
    }
    precondition(MemoryLayout<Root>.size < 1 << 30, "A root of a gigabyte or more")
    let storage = unsafe unsafeDowncast(buffer, to: _PartialStorage.self)
    unsafe storage.withBase { base in unsafe words(base).initialize(repeating: 0, count: presenceWords) }
    return storage
  }

  /// Calls `body` with the header, without the check for overlapping accesses that the class's own property makes each time.
  @inlinable @inline(__always)
  func withHeader<Result>(_ body: (inout _PartialHeader) -> Result) -> Result {
    unsafe withUnsafeMutablePointerToHeader { unsafe body(&$0.pointee) }
  }

  /// The same for reading: to pass the header as inout would be an access for writing, also of what others share.
  @inlinable @inline(__always)
  func readHeader<Result>(_ body: (_PartialHeader) -> Result) -> Result {
    unsafe withUnsafeMutablePointerToHeader { unsafe body($0.pointee) }
  }

  /// The buffer that holds the original as a whole; nil when there is none.
  var original: _PartialStorage? { extras?.original.map(Self.typed) }

  /// The buffer of what has been set over the original; nil when there is none.
  var changes: _PartialStorage? { extras?.changes.map(Self.typed) }

  /// A buffer of this root that extras refer to, which know no roots.
  static func typed(_ buffer: AnyObject) -> _PartialStorage {
    unsafe unsafeDowncast(buffer, to: _PartialStorage.self)
  }

  /// Calls `body` with the extras, which are made if there are none.
  func withExtras<Result>(_ body: (_PartialExtras) -> Result) -> Result {
    withHeader { header in
      let extras = header.extras ?? _PartialExtras()
      header.extras = extras
      return body(extras)
    }
  }

  /// Calls `body` with the address of the root's bytes.
  ///
  /// What stands before them is aligned to eight bytes. Where addresses have 32 bits, that is not enough for every root.
  @inlinable @inline(__always)
  func withBase<Result>(_ body: (UnsafeMutableRawPointer) -> Result) -> Result {
    unsafe withUnsafeMutablePointerToElements { elements in
      let base = UnsafeMutableRawPointer(elements)
      guard MemoryLayout<Root>.alignment > MemoryLayout<UInt64>.alignment else { return unsafe body(base) }
      return unsafe body(base.alignedUp(toMultipleOf: MemoryLayout<Root>.alignment))
    }
  }

  @inlinable @inline(__always)
  static func words(_ base: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UInt64> {
    unsafe (base + rootWords &* 8).assumingMemoryBound(to: UInt64.self)
  }

  @inlinable @inline(__always)
  func withEntries<Result>(
    _ body: (UnsafeMutableBufferPointer<_PartialEntry>, _ base: UnsafeMutableRawPointer) -> Result
  ) -> Result {
    unsafe withBase { base in
      let table = unsafe UnsafeMutableRawPointer(Self.words(base) + Self.presenceWords)
      let first = unsafe table.assumingMemoryBound(to: _PartialEntry.self)
      return unsafe body(UnsafeMutableBufferPointer(start: first, count: entryCount), base)
    }
  }

  deinit {
    unsafe withEntries { entries, base in
      unsafe entries.forEach { entry in unsafe entry.destroy(at: base) }
    }
  }

  // MARK: Presence

  /// The presence bits of 32 bytes of the root.
  @inlinable @inline(__always)
  func presence(inWord word: Int) -> UInt64 { unsafe withBase { base in unsafe Self.words(base)[word] } }

  @inlinable @inline(__always)
  func setPresence(inWord word: Int, to bits: UInt64) {
    unsafe withBase { base in unsafe Self.words(base)[word] = bits }
  }

  // MARK: Values

  /// The value that is present in `field`.
  @inlinable @inline(__always)
  func value<Value>(at field: _PartialField, as _: Value.Type) -> Value {
    unsafe withBase { base in unsafe (base + field.start).assumingMemoryBound(to: Value.self).pointee }
  }

  /// Puts `value` in the place of the one that is in `field`.
  @inlinable @inline(__always)
  func replace<Value>(at field: _PartialField, with value: Value) {
    unsafe withBase { base in unsafe (base + field.start).assumingMemoryBound(to: Value.self).pointee = value }
  }

  /// Puts `value` where no value is.
  @inlinable
  func initialize<Value>(at field: _PartialField, to value: Value) {
    unsafe withBase { base in _ = unsafe (base + field.start).initializeMemory(as: Value.self, to: value) }
  }

  /// Takes the value out of `field`, whose bytes are then not initialised: put a value back, or remove the entry as moved.
  @inlinable
  func move<Value>(from field: _PartialField, as _: Value.Type) -> Value {
    unsafe withBase { base in unsafe (base + field.start).assumingMemoryBound(to: Value.self).move() }
  }

  // MARK: Entries

  /// Sets a value where nothing is, if it may do no more than that and the table has room, and answers whether it was so.
  @inlinable @inline(__always)
  func add<Value>(_ value: Value, at field: _PartialField, isConstant: Bool) -> Bool {
    guard isVacant(field.sample(of: Value.self)), !hasExtras, entryCount < entryCapacity else { return false }
    initialize(at: field, to: value)
    append(_PartialEntry(Value.self, at: field, isConstant: isConstant))
    var word = field.firstWord
    repeat {
      setPresence(inWord: word, to: presence(inWord: word) | field.presence(inWord: word))
      word &+= 1
    } while word <= field.lastWord
    return true
  }

  /// Makes `entry`'s field the place of a value of its type, and answers whether there is one already, to be replaced.
  ///
  /// In a part of a greater value there is one, and it stays a part. What was set inside the field is removed.
  @usableFromInline
  func claim(_ entry: _PartialEntry) -> Bool {
    let field = entry.field
    if let whole = self.entry(around: field), whole == entry || whole.field != field {
      withHeader { if entry.isConstant { $0.noteConstant() } }
      if whole == entry {
        extras?.removals.forget(in: field)
      } else if entry.isConstant {
        withExtras { $0.removals.set(entry) }
      } else {
        extras?.removals.set(entry)
      }
      show(whole.field)
      return true
    }
    removeEntries(inside: field)
    append(entry)
    show(field)
    return false
  }

  /// Removes what is in the place of `entry`: only from sight where it is part of a greater value.
  @usableFromInline
  func vacate(_ entry: _PartialEntry) {
    let field = entry.field
    if let whole = self.entry(around: field)?.field, whole != field {
      withHeader { if entry.isConstant { $0.noteConstant() } }
      withExtras { $0.removals.remove(entry) }
      show(whole)
    } else {
      removeEntries(inside: field)
    }
  }

  /// Removes the entries in `field`; when the value has been moved out of it, there is nothing to destroy.
  @usableFromInline
  func removeEntries(inside field: _PartialField, moved: Bool = false) {
    for index in (0..<entryCount).reversed() {
      unsafe withEntries { entries, base in
        let entry = unsafe entries[index]
        guard field.contains(entry.field) else { return }
        unsafe entries[index] = entries[entries.count - 1]
        entryCount -= 1
        extras?.removals.forget(in: entry.field)
        setPresence(of: entry.field, to: { _ in 0 })
        if !moved { unsafe entry.destroy(at: base) }
      }
    }
  }

  /// Replaces the entry in the place of `entry`, which is of the same type.
  private func makeConstant(_ entry: _PartialEntry) {
    withHeader { $0.noteConstant() }
    unsafe withEntries { entries, _ in
      unsafe entries.firstIndex { $0.start == entry.start }.map { unsafe entries[$0] = entry }
    }
  }

  @inlinable @inline(__always)
  func append(_ entry: _PartialEntry) {
    entryCount += 1
    withHeader { if entry.isConstant { $0.noteConstant() } }
    unsafe withEntries { entries, _ in unsafe (entries.baseAddress! + entries.count - 1).initialize(to: entry) }
  }

  /// Whether a value was set just as `entry` says, and not as a part of a greater one.
  @inlinable @inline(never)
  func isSetAlone(_ entry: _PartialEntry) -> Bool {
    unsafe withEntries { entries, _ in unsafe entries.contains(entry) }
  }

  /// The entry of which `field` is a part or all.
  func entry(around field: _PartialField) -> _PartialEntry? {
    unsafe withEntries { entries, _ in unsafe entries.first { $0.start <= field.start && $0.field.contains(field) } }
  }

  /// The entries in the order of the root's bytes.
  var entriesInOrder: [_PartialEntry] {
    unsafe withEntries { entries, _ in unsafe entries.sorted { $0.field.start < $1.field.start } }
  }

  /// The value of `entry`.
  func erasedValue(of entry: _PartialEntry) -> Any { unsafe withBase { base in unsafe entry.value(at: base) } }

  /// Gives each entry the value that `root`, which holds a whole, has in the same place.
  func refresh(from root: _PartialStorage) {
    unsafe withEntries { entries, base in
      unsafe root.withBase { source in
        unsafe entries.forEach { entry in unsafe entry.assign(from: source, to: base) }
      }
    }
  }

  // MARK: Copies

  /// Gives `storage` a buffer of its own, with room for `newEntries` entries more.
  @usableFromInline
  static func makeUnique(_ storage: inout _PartialStorage, newEntries: Int = 0) {
    let capacity = storage.entryCapacity
    let needed = storage.entryCount + newEntries
    let isUnique = isKnownUniquelyReferenced(&storage)
    guard !isUnique || needed > capacity else { return }
    storage = storage.copy(entryCapacity: needed > capacity ? max(needed, capacity * 2) : capacity, moving: isUnique)
  }

  /// A buffer with the same contents.
  ///
  /// When they are moved, this one is left empty.
  private func copy(entryCapacity: Int, moving: Bool) -> _PartialStorage {
    let copy = Self.make(entryCapacity: entryCapacity)
    copy.entryCount = entryCount
    if let extras { copy.withHeader { $0.extras = moving ? extras : _PartialExtras(copying: extras) } }
    if hasConstants { copy.withHeader { $0.noteConstant() } }
    unsafe withEntries { entries, base in
      unsafe copy.withEntries { newEntries, newBase in
        unsafe newBase.copyMemory(from: base, byteCount: (Self.rootWords + Self.presenceWords) * 8)
        _ = unsafe newEntries.initialize(from: entries)
        unsafe entries.lazy.filter { !$0.isTrivial }.forEach { entry in
          if moving { unsafe entry.move(from: base, to: newBase) } else { unsafe entry.copy(from: base, to: newBase) }
        }
      }
    }
    if moving { entryCount = 0 }
    return copy
  }

  // MARK: Merging

  /// Takes over what can be read of the entries of `other` which `isTaken` chooses; there is room for them.
  func merge(_ other: _PartialStorage, where isTaken: (_PartialEntry) -> Bool = { _ in true }) {
    unsafe other.withEntries { entries, otherBase in
      unsafe entries.lazy.filter(isTaken).forEach { entry in unsafe merge(entry, at: otherBase, of: other) }
    }
  }

  private func merge(_ entry: _PartialEntry, at otherBase: UnsafeMutableRawPointer, of other: _PartialStorage) {
    let field = entry.field
    let isComplete = other.isVisible(field)
    var whole = self.entry(around: field)
    if let other = whole, other.field == field, isComplete || other.type != entry.type {
      removeEntries(inside: field)
      whole = nil
    }
    unsafe withEntries { entries, base in
      unsafe entry.withCopy(at: otherBase, rootAlignment: MemoryLayout<Root>.alignment) { copy in
        var removals = removals
        if whole != nil && !isComplete {
          unsafe entry.exchange(copy, base)
          unsafe other.exchangeRemoved(from: entry, copy, base)
          unsafe entry.destroy(at: copy)
          if whole?.field == field && entry.isConstant { makeConstant(entry) }
        } else if whole != nil {
          unsafe entry.destroy(at: base)
          unsafe entry.move(from: copy, to: base)
        } else {
          let inner = unsafe entries.filter { field.contains($0.field) }
          inner.forEach { unsafe other.exchangeRemoved(from: $0, copy, base) }
          removals.join(inner, in: entry)
          removeEntries(inside: field)
          unsafe entry.move(from: copy, to: base)
          append(entry)
        }
        let around = whole?.field ?? field
        removals.merge(entry, isPart: around != field, of: other.removals)
        if removals != self.removals { withExtras { $0.removals = removals } }
        if removals.hasConstants(in: around) { withHeader { $0.noteConstant() } }
        show(around)
      }
    }
  }

  /// Exchanges between two roots' bytes, which both hold a value there, what has been removed here from `entry`.
  ///
  /// Each part is exchanged as the value that it is, and is there on both sides, removed or not. An island in a hole goes
  /// over with the hole, and comes back.
  private func exchangeRemoved(
    from entry: _PartialEntry, _ left: UnsafeMutableRawPointer, _ right: UnsafeMutableRawPointer
  ) {
    for part in removals.turns(at: entry.field) {
      unsafe (part.field.contains(entry.field) ? entry : part).exchange(left, right)
    }
  }
}

extension KeyPath {
  /// The key path that goes on along `path`.
  ///
  /// What it captures is what the two capture, so it is as Sendable as they are.
  func joined<End>(_ path: any KeyPath<Value, End> & Sendable) -> any KeyPath<Root, End> & Sendable {
    unsafe unsafeBitCast(appending(path: path), to: (any KeyPath<Root, End> & Sendable).self)
  }

  /// The key path that goes on along `path`, whose end is not known.
  func joined(erased path: any PartialKeyPath<Value> & Sendable) -> any PartialKeyPath<Root> & Sendable {
    let joined = (self as PartialKeyPath<Root>).appending(path: path as AnyKeyPath)
    guard let joined else { preconditionFailure("A key path goes on where another ended, and cannot") }
    return unsafe unsafeBitCast(joined, to: (any PartialKeyPath<Root> & Sendable).self)
  }
}
