/// A value that knows whether it was changed since it was last saved, and what it was before.
///
/// Read and write the members of the wrapped value as if they were the wrapper's own:
///
/// ```swift
/// struct Person: Equatable { var name: String; var age: Double }
///
/// var person = Dirtyable(Person(name: "Ada", age: 42))
/// person.age = 43
/// person.isDirty       // true
/// person.original.age  // 42
/// person.age = 42
/// person.isDirty       // false: set back is clean
/// ```
///
/// Then ``commit()`` makes the current value the original, and ``rollback()`` takes the original back. Where saving takes
/// time, ``beginSave()`` hands out the value to write while edits go on, and ``finishSave(_:)`` makes exactly *that* value
/// the original. Where the original moves under your edits, ``rebase(onto:_:)`` keeps them and tells what is in conflict.
///
/// The wrapper's own members win over members of the value with the same name; reach those by ``current`` and
/// ``original``. `Value` should have value semantics: what it keeps behind a class reference is shared with the original.
///
/// ## Layout
///
/// ```
///           ┌──────────────┬─────────────────┐
/// Dirtyable │ baseline (8) │ current, inline │
///           └──────┬───────┴─────────────────┘
///                  │ two spare bits of the pointer tell the state:
///                  ├─ untouched          no object: current is the original
///                  ├─ edited ──────────▶ version: the original
///                  ├─ edited in flight ┐
///                  └─ settled in flight┴▶ flight: original, saves, current ─▶ versions
/// ```
///
/// A read is a read of the plain value, at its own address. A write asks one question of the baseline; the first write since
/// the value was clean allocates the version that keeps the original. Versions and flights never change, so copies of a
/// `Dirtyable` share them.
@frozen
@dynamicMemberLookup
public struct Dirtyable<Value> {
  @usableFromInline
  internal var _baseline: _Baseline<Value>

  @usableFromInline
  internal var _current: Value

  /// Wraps a value that counts as saved.
  ///
  /// - Complexity: O(1), no allocation.
  @inlinable
  public init(_ value: Value) {
    _baseline = .untouched
    _current = value
  }

  /// Takes up an edit again, from the value it began with and the value it has come to.
  ///
  /// ```swift
  /// var name = Dirtyable(original: "Ada", current: "Grace")
  /// name.rollback()
  /// name.current  // "Ada"
  /// ```
  ///
  /// - Complexity: O(1), one allocation.
  @inlinable
  public init(original: Value, current: Value) {
    _baseline = .edited(since: _Version(original))
    _current = current
  }
}

extension Dirtyable {
  /// The value as it is now, edits included.
  ///
  /// Writing it, in whole or in part, counts as an edit.
  ///
  /// - Complexity: O(1). The first write keeps the original: one allocation, and from then on what both share is copied
  ///   when it is written, as with any copy of a Swift value.
  @inlinable
  public var current: Value {
    @inline(__always)
    _read { yield _current }
    @inline(__always)
    _modify {
      _willWrite()
      yield &_current
    }
  }

  /// Reads a member of the current value.
  ///
  /// - Complexity: that of reading the member.
  @inlinable
  public subscript<Member>(dynamicMember keyPath: KeyPath<Value, Member>) -> Member {
    @inline(__always)
    _read { yield _current[keyPath: keyPath] }
  }

  /// Reads or writes a member of the current value.
  ///
  /// The member is changed in place: `list.items[i] += 1` copies no items, except once, at the first write since the value
  /// was clean, when the original has to keep its own.
  ///
  /// - Complexity: that of reading or writing the member. The first write keeps the original: one allocation.
  @inlinable
  public subscript<Member>(dynamicMember keyPath: WritableKeyPath<Value, Member>) -> Member {
    @inline(__always)
    _read { yield _current[keyPath: keyPath] }
    @inline(__always)
    _modify {
      _willWrite()
      yield &_current[keyPath: keyPath]
    }
  }

  /// Edits the current value as a whole, for what single members cannot express.
  ///
  /// ```swift
  /// struct Range: Equatable { var from: Int, to: Int }
  ///
  /// var range = Dirtyable(Range(from: 9, to: 1))
  /// range.update { swap(&$0.from, &$0.to) }
  /// ```
  ///
  /// If `body` throws, what it changed until then stays, as an edit like any other.
  ///
  /// - Complexity: that of `body`. The first write keeps the original: one allocation.
  @inlinable
  public mutating func update<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    _willWrite()
    return try body(&_current)
  }

  /// Keeps the original before a write, unless an earlier write did so already.
  ///
  /// Must come before a `yield`: what stands behind one is skipped when the caller throws.
  @inlinable
  @inline(__always)
  internal mutating func _willWrite() {
    if !_baseline.isEdited { _beginEditing() }
  }

  @inlinable
  @inline(never)
  internal mutating func _beginEditing() {
    if let flight = _baseline.flight {
      _baseline = .editedInFlight(flight)
    } else {
      _baseline = .edited(since: _Version(_current))
    }
  }
}
