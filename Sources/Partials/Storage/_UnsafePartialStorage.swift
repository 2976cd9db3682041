/// The only allocation of a partial: the bytes of its values, the presence bits, and the table of entries.
///
/// The buffer trusts the field and the type that it is given, as a pointer does. So functions that read or write with
/// them are `@unsafe`, state their preconditions, and assert them in debug builds. A caller that writes holds the only
/// reference.
///
/// ```
///  object     header           root               presence            entries
/// ┌────────┬─────────────┬─────────────────┬─────────────────────┬────────────────────┐
/// │16 bytes│   16 bytes  │ the root's bytes│ 1 word per 32 bytes │ 12 bytes per entry │
/// └────────┴─────────────┴─────────────────┴─────────────────────┴────────────────────┘
///                         ↑ base, aligned for the root
/// ```
/// Invariants, checked by `checkInvariants()`:
/// - Entries lie within the root and don't overlap. Their order has no meaning.
/// - The bytes of an entry hold a value of its type. All other bytes of the root are uninitialized.
/// - The presence bits of an entry's bytes follow from what has been removed from it (see `_PartialPresence.swift`).
///   Those of all other bytes are zero.
@usableFromInline
final class _UnsafePartialStorage<Root>: ManagedBuffer<_PartialHeader, UInt64> {
  /// Makes an empty buffer.
  @inlinable
  static func make(entryCapacity: Int = usualEntryCapacity) -> _UnsafePartialStorage {
    let slackWords = max(0, MemoryLayout<Root>.alignment - MemoryLayout<UInt64>.alignment) / 8
    let entryWords = (entryCapacity * MemoryLayout<_UnsafePartialEntry>.stride + 7) / 8
    let buffer = create(minimumCapacity: slackWords + rootWords + presenceWords + entryWords) { _ in
      _PartialHeader(entryCapacity: entryCapacity)
    }
    precondition(MemoryLayout<Root>.size < 1 << 30, "A root of a gigabyte or more")
    let storage = unsafe unsafeDowncast(buffer, to: _UnsafePartialStorage.self)
    unsafe storage.withBase { base in unsafe words(base).initialize(repeating: 0, count: presenceWords) }
    return storage
  }

  /// The header in place, without the check for overlapping accesses that the class's own property makes.
  @inlinable
  var state: _PartialHeader {
    @inline(__always) _read { yield unsafe withUnsafeMutablePointerToHeader { unsafe $0 }.pointee }
    @inline(__always) _modify { yield unsafe &withUnsafeMutablePointerToHeader { unsafe $0 }.pointee }
  }

  /// The buffer that holds the original as a whole; nil if there is none.
  var original: _UnsafePartialStorage? { extras?.original.map { unsafe Self.typed($0) } }

  /// The buffer of the values set over the original; nil if there is none.
  var changes: _UnsafePartialStorage? { extras?.changes.map { unsafe Self.typed($0) } }

  /// A buffer that the extras refer to, with its type, which the extras don't know.
  ///
  /// - Precondition: It is a buffer of this root.
  @unsafe
  static func typed(_ buffer: AnyObject) -> _UnsafePartialStorage {
    assert(buffer is _UnsafePartialStorage, "A buffer of another root")
    return unsafe unsafeDowncast(buffer, to: _UnsafePartialStorage.self)
  }

  /// The extras, which are made if there are none.
  func makeExtras() -> _PartialExtras {
    let extras = state.extras ?? _PartialExtras()
    state.extras = extras
    return extras
  }

  /// Calls `body` with the address of the root's bytes.
  ///
  /// The header ends at a multiple of eight bytes. With 32-bit addresses, that isn't enough for every root.
  @inlinable @inline(__always)
  func withBase<Result>(_ body: (UnsafeMutableRawPointer) -> Result) -> Result {
    unsafe withUnsafeMutablePointerToElements { elements in
      let base = UnsafeMutableRawPointer(elements)
      guard MemoryLayout<Root>.alignment > MemoryLayout<UInt64>.alignment else { return unsafe body(base) }
      return unsafe body(base.alignedUp(toMultipleOf: MemoryLayout<Root>.alignment))
    }
  }

  /// The presence bits of a root whose bytes are at `base`: one word for 32 bytes.
  @inlinable @inline(__always)
  static func words(_ base: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UInt64> {
    unsafe (base + rootWords &* 8).assumingMemoryBound(to: UInt64.self)
  }

  /// Calls `body` with the table of entries and the address of the root's bytes.
  @inlinable @inline(__always)
  func withEntries<Result>(
    _ body: (UnsafeMutableBufferPointer<_UnsafePartialEntry>, _ base: UnsafeMutableRawPointer) -> Result
  ) -> Result {
    unsafe withBase { base in
      let table = unsafe UnsafeMutableRawPointer(Self.words(base) + Self.presenceWords)
      let first = unsafe table.assumingMemoryBound(to: _UnsafePartialEntry.self)
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
  ///
  /// - Precondition: The root has bytes for the word.
  @unsafe @inlinable @inline(__always)
  func presence(inWord word: Int) -> UInt64 {
    assert(word >= 0 && word < Self.presenceWords, "Presence beyond the root")
    return unsafe withBase { base in unsafe Self.words(base)[word] }
  }

  /// Sets the presence bits of 32 bytes of the root.
  ///
  /// - Precondition: The root has bytes for the word.
  @unsafe @inlinable @inline(__always)
  func setPresence(inWord word: Int, to bits: UInt64) {
    assert(word >= 0 && word < Self.presenceWords, "Presence beyond the root")
    unsafe withBase { base in unsafe Self.words(base)[word] = bits }
  }

  // MARK: Values

  /// Calls `body` with the address of the bytes in `field`.
  ///
  /// - Precondition: The field is that of a `Value` within the root.
  @unsafe @inlinable @inline(__always)
  func withPointer<Value, Result>(
    to field: _PartialField, as _: Value.Type, _ body: (UnsafeMutablePointer<Value>) -> Result
  ) -> Result {
    assert(field.size == MemoryLayout<Value>.size, "A field of another type")
    assert(field.start >= 0 && field.end <= MemoryLayout<Root>.size, "A field beyond the root")
    return unsafe withBase { base in unsafe body((base + field.start).assumingMemoryBound(to: Value.self)) }
  }

  /// The value that is present in `field`.
  ///
  /// - Precondition: It is present, and a `Value`.
  @unsafe @inlinable @inline(__always)
  func value<Value>(at field: _PartialField, as type: Value.Type) -> Value {
    assert(isPresent(field), "No value to read")
    return unsafe withPointer(to: field, as: type) { unsafe $0.pointee }
  }

  /// Replaces the value in `field` with `value`.
  ///
  /// - Precondition: It is present, and a `Value`.
  @unsafe @inlinable @inline(__always)
  func replace<Value>(at field: _PartialField, with value: Value) {
    assert(isPresent(field), "No value to replace")
    unsafe withPointer(to: field, as: Value.self) { unsafe $0.pointee = value }
  }

  /// Stores `value` in bytes that hold none.
  ///
  /// - Precondition: Nothing was set in `field`, or its entry is new, or the value has been moved out of it.
  @unsafe @inlinable
  func initialize<Value>(at field: _PartialField, to value: Value) {
    assert(isVacant(field) || isPresent(field), "Another value within or around the field")
    unsafe withPointer(to: field, as: Value.self) { unsafe $0.initialize(to: value) }
  }

  /// Takes the value out of `field`, whose bytes are then uninitialized.
  ///
  /// - Precondition: It is present, and a `Value`. The caller stores a value again, or removes the entry as moved.
  @unsafe @inlinable
  func move<Value>(from field: _PartialField, as type: Value.Type) -> Value {
    assert(isPresent(field), "No value to move")
    return unsafe withPointer(to: field, as: type) { unsafe $0.move() }
  }
}

extension _UnsafePartialStorage {
  @inlinable static var rootWords: Int { (MemoryLayout<Root>.size &+ 7) &>> 3 }

  @inlinable static var presenceWords: Int { (MemoryLayout<Root>.size &+ 31) &>> 5 }

  /// The initial capacity for entries.
  ///
  /// One entry for two words of the root is plenty if strings and arrays are among its properties. A small root gets
  /// one for each word. Only a root of many numbers, or of flags and bytes, outgrows this.
  @inlinable static var usualEntryCapacity: Int { max(1, min(rootWords, max(8, rootWords / 2))) }

  @inlinable var entryCount: Int {
    @inline(__always) get { Int(state.entryCount) }
    @inline(__always) set { state.entryCount = UInt32(truncatingIfNeeded: newValue) }
  }

  var extras: _PartialExtras? { state.extras }
  var boxed: _PartialBoxedValues { extras?.boxed ?? _PartialBoxedValues() }
  var removals: _PartialRemovals { extras?.removals ?? _PartialRemovals() }
}

/// The counts and flags at the start of a partial's buffer.
///
/// The capacity shares its word with three flags, so that a setter needs only one test to know whether it only has to
/// store the value:
/// ```
///  31               entryCapacity             3 2           1            0
/// ┌────────────────────────────────────────────┬───────────┬────────────┬──────────────┐
/// │ the capacity for entries                   │ has texts │ has extras │ has constants│
/// └────────────────────────────────────────────┴───────────┴────────────┴──────────────┘
/// ```
/// The texts are part of the extras.
@usableFromInline
struct _PartialHeader {
  @usableFromInline var entryCount: UInt32 = 0
  @usableFromInline var capacityAndFlags: UInt32
  /// Made when needed; each buffer has its own.
  var extras: _PartialExtras? {
    didSet { capacityAndFlags |= 2 }
  }

  @usableFromInline
  init(entryCapacity: Int) { capacityAndFlags = UInt32(entryCapacity) << 3 }

  @inlinable var entryCapacity: Int { Int(capacityAndFlags &>> 3) }
  /// Whether there may be extras: state outside of the root's bytes.
  @inlinable var hasExtras: Bool { capacityAndFlags & 2 != 0 }
  /// Whether there are entered texts.
  @inlinable var hasTexts: Bool {
    get { capacityAndFlags & 4 != 0 }
    set { capacityAndFlags = newValue ? capacityAndFlags | 4 : capacityAndFlags & ~4 }
  }

  /// Whether there may be a value that was set through a read-only key path.
  @inlinable var hasConstants: Bool { capacityAndFlags & 1 != 0 }
  /// Whether a value that is present is replaced by only storing the new one.
  @inlinable var isPlain: Bool { isLikely(capacityAndFlags & 3 == 0) }

  /// Whether presence bits alone tell that a value was set as a whole, and not by an entered text, and that nothing
  /// else was set.
  @inlinable var isPlainToRead: Bool { capacityAndFlags & 7 == 0 }

  @inlinable
  mutating func markConstant() { capacityAndFlags |= 1 }
}

/// The extras of a partial: state that few partials have.
final class _PartialExtras {
  /// The values whose key paths have no offset in the root.
  var boxed = _PartialBoxedValues()
  /// The parts removed from the values in the table.
  var removals = _PartialRemovals()
  /// The buffer that holds the original as a whole, if the partial lies over one; it never changes.
  var original: AnyObject?
  /// The buffer of the values set over the original; the buffer with these extras holds both together, as a whole.
  var changes: AnyObject?
  /// The entered texts, an array whose type knows the root.
  var texts: Any?

  init() {}

  init(copying other: _PartialExtras) {
    boxed = other.boxed
    removals = other.removals
    original = other.original
    changes = other.changes
    texts = other.texts
  }
}
