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

  // MARK: Values

  /// The value that is present in `field`.
  @inlinable @inline(__always)
  func value<Value>(at field: _PartialField, as _: Value.Type) -> Value {
    unsafe withBase { base in unsafe (base + field.start).assumingMemoryBound(to: Value.self).pointee }
  }

  /// Replaces the value that is in `field` by `value`.
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

  /// Sets a value where nothing is, if there is capacity and no extras that must learn of it.
  ///
  /// - Returns: Whether it was set.
  @inlinable @inline(__always)
  func add<Value>(_ value: Value, at field: _PartialField, isConstant: Bool) -> Bool {
    guard isVacant(field.firstByte(of: Value.self)), !hasExtras, entryCount < entryCapacity else { return false }
    initialize(at: field, to: value)
    append(_PartialEntry(Value.self, at: field, isConstant: isConstant))
    markPresent(field)
    return true
  }

  /// Inserts `entry` for a value that the caller stores next.
  ///
  /// In a part of a greater value there is a value already, and it stays a part. What was set inside the field is removed.
  ///
  /// - Returns: Whether there is a value in the field already, to be replaced; otherwise the caller initialises it.
  @usableFromInline
  func insert(_ entry: _PartialEntry) -> Bool {
    let field = entry.field
    if let whole = self.entry(around: field), whole == entry || whole.field != field {
      withHeader { if entry.isConstant { $0.markConstant() } }
      if whole == entry {
        extras?.removals.forget(in: field)
      } else if entry.isConstant {
        withExtras { $0.removals.set(entry) }
      } else {
        extras?.removals.set(entry)
      }
      updatePresence(in: whole.field)
      return true
    }
    removeEntries(inside: field)
    append(entry)
    updatePresence(in: field)
    return false
  }

  /// Removes the value in the field of `entry`: only from sight where it is part of a greater value.
  @usableFromInline
  func remove(_ entry: _PartialEntry) {
    let field = entry.field
    if let whole = self.entry(around: field)?.field, whole != field {
      withHeader { if entry.isConstant { $0.markConstant() } }
      withExtras { $0.removals.remove(entry) }
      updatePresence(in: whole)
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
        setPresence(of: entry.field) { _ in 0 }
        if !moved { unsafe entry.destroy(at: base) }
      }
    }
  }

  @inlinable @inline(__always)
  func append(_ entry: _PartialEntry) {
    entryCount += 1
    withHeader { if entry.isConstant { $0.markConstant() } }
    unsafe withEntries { entries, _ in unsafe (entries.baseAddress! + entries.count - 1).initialize(to: entry) }
  }

  /// Whether a value was set just as `entry` says, and not as a part of a greater one.
  @inlinable @inline(never)
  func contains(_ entry: _PartialEntry) -> Bool {
    unsafe withEntries { entries, _ in unsafe entries.contains(entry) }
  }

  /// Whether a value of this type was set just here, and not as a part of a greater one.
  @inlinable @inline(__always)
  func hasEntry(at field: _PartialField, of type: ObjectIdentifier) -> Bool {
    unsafe withEntries { entries, _ in
      unsafe entries.contains { $0.start == field.start && $0.typeBits == UInt(bitPattern: type) }
    }
  }

  /// The entry of which `field` is a part or all.
  func entry(around field: _PartialField) -> _PartialEntry? {
    unsafe withEntries { entries, _ in unsafe entries.first { $0.start <= field.start && $0.field.contains(field) } }
  }

  /// The entries in the order of the root's bytes.
  var entriesInOrder: [_PartialEntry] {
    unsafe withEntries { entries, _ in unsafe entries.sorted { $0.field.start < $1.field.start } }
  }

  /// The entries that were set through a read-only key path, or of which a constant was set or removed, in their order.
  var entriesWithConstants: [_PartialEntry] {
    guard hasConstants else { return [] }
    let removals = removals
    return entriesInOrder.filter { $0.isConstant || removals.hasConstants(in: $0.field) }
  }

  /// Whether this is a whole root, set through a key path that can be written to and with all its parts.
  var isWholeRoot: Bool {
    guard let field = _PartialField(\Root.self), let entry = entry(around: field) else { return false }
    return entry.type == ObjectIdentifier(Root.self) && !entry.isConstant && isPresent(field)
  }

  /// Whether the value that is present in the field of `entry` is replaced by storing the new one there.
  @inlinable @inline(__always)
  func isReplaceable(_ entry: _PartialEntry) -> Bool {
    isPlain && !entry.isConstant || !hasExtras && contains(entry)
  }

  /// The value of `entry`.
  func erasedValue(of entry: _PartialEntry) -> Any { unsafe withBase { base in unsafe entry.value(at: base) } }

  /// Gives each entry the value that `root`, which holds a whole, has in the same field.
  func refresh(from root: _PartialStorage) {
    unsafe withEntries { entries, base in
      unsafe root.withBase { source in
        unsafe entries.forEach { entry in unsafe entry.assign(from: source, to: base) }
      }
    }
  }
}

extension _PartialStorage {
  /// How many words the root's bytes take.
  @inlinable static var rootWords: Int { (MemoryLayout<Root>.size &+ 7) &>> 3 }

  /// How many words of presence bits there are.
  @inlinable static var presenceWords: Int { (MemoryLayout<Root>.size &+ 31) &>> 5 }

  /// The capacity for entries at first.
  ///
  /// One for two words of the root is plenty where strings and arrays are among its properties, and one for each word in a
  /// small root. Only a root of many numbers, or of flags and bytes, outgrows this.
  @inlinable static var usualEntryCapacity: Int { max(1, min(rootWords, max(8, rootWords / 2))) }

  @inlinable var entryCount: Int {
    @inline(__always) get { readHeader { Int($0.entryCount) } }
    @inline(__always) set { withHeader { $0.entryCount = UInt32(truncatingIfNeeded: newValue) } }
  }

  @inlinable var entryCapacity: Int { readHeader { Int($0.entryCapacity) } }
  @inlinable var hasExtras: Bool { readHeader { $0.hasExtras } }
  @inlinable var hasConstants: Bool { readHeader { $0.hasConstants } }
  @inlinable var isPlain: Bool { isLikely(readHeader { $0.isPlain }) }

  var extras: _PartialExtras? { readHeader { $0.extras } }
  var boxed: _PartialBoxedValues { extras?.boxed ?? _PartialBoxedValues() }
  var removals: _PartialRemovals { extras?.removals ?? _PartialRemovals() }
}

/// What stands before the bytes in the buffer of a partial.
///
/// The capacity shares its word with two flags, so that a setter asks with one test whether it may do no more than store:
/// ```
///  31                    entryCapacity                    2 1            0
/// ┌────────────────────────────────────────────────────────┬────────────┬──────────────┐
/// │ the capacity for entries                               │ has extras │ has constants│
/// └────────────────────────────────────────────────────────┴────────────┴──────────────┘
/// ```
@usableFromInline
struct _PartialHeader {
  @usableFromInline var entryCount: UInt32 = 0
  @usableFromInline var capacityAndFlags: UInt32
  /// Made when it is needed; each buffer has its own.
  var extras: _PartialExtras? {
    didSet { capacityAndFlags |= 2 }
  }

  @usableFromInline
  init(entryCapacity: Int) { capacityAndFlags = UInt32(entryCapacity) << 2 }

  @inlinable var entryCapacity: UInt32 { capacityAndFlags &>> 2 }
  /// Whether there may be anything that is not in the root's bytes.
  @inlinable var hasExtras: Bool { capacityAndFlags & 2 != 0 }
  /// Whether there may be a value that was set through a read-only key path.
  @inlinable var hasConstants: Bool { capacityAndFlags & 1 != 0 }
  /// Whether a value that is present is replaced by storing the new one.
  @inlinable var isPlain: Bool { capacityAndFlags & 3 == 0 }

  @inlinable
  mutating func markConstant() { capacityAndFlags |= 1 }
}

/// What most partials have none of.
@usableFromInline
final class _PartialExtras {
  /// The values whose key paths have no offset in the root.
  var boxed = _PartialBoxedValues()
  /// What has been removed from the values in the table.
  var removals = _PartialRemovals()
  /// The buffer that holds the original as a whole, where the partial lies over one; it never changes.
  var original: AnyObject?
  /// The buffer of what has been set over the original, while the buffer with these extras has both together, as a whole.
  var changes: AnyObject?

  init() {}

  init(copying other: _PartialExtras) {
    boxed = other.boxed
    removals = other.removals
    original = other.original
    changes = other.changes
  }
}
