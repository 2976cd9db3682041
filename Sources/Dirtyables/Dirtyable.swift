public import Sameness

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
/// Then ``commit()`` makes the current value the original, and ``rollback()`` takes the original back. Where saving
/// takes time, ``beginSave()`` hands out the value to write while edits go on, and ``finishSave(_:)`` makes exactly
/// *that* value the original. Where the original moves under your edits, ``rebase(onto:_:)`` keeps them and tells what
/// is in conflict.
///
/// The wrapper's own members win over members of the value with the same name; reach those by ``current`` and
/// ``original``. `Value` should have value semantics: what it keeps behind a class reference is shared with the
/// original.
///
/// ## Layout
///
/// ```
///           ┌──────────────┬─────────────────┐
/// Dirtyable │ baseline (8) │ current, inline │
///           └──────┬───────┴─────────────────┘
///                  │ two spare bits of the pointer tell the state:
///                  ├─ untouched          no object: current is the original
///                  ├─ edited ──────────▶ snapshot: the original
///                  ├─ edited in flight ┐
///                  └─ settled in flight┴▶ saves in flight: original, saves, current ─▶ snapshots
/// ```
///
/// A read is a read of the plain value, at its own address. A write asks one question of the baseline; the first write
/// since the value was clean allocates the snapshot that keeps the original. These objects never change, so copies of a
/// `Dirtyable` share them.
@frozen
@dynamicMemberLookup
public struct Dirtyable<Value> {
  @usableFromInline
  var _baseline: _UnsafeBaseline<Value>

  @usableFromInline
  var _current: Value

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
    _baseline = .edited(since: _Snapshot(original))
    _current = current
  }
}

// A second subscript, for constants and computed members, would make the time to check an expression with a misspelt
// member exponential (docs/experiments/Dirtyable.md).
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

  /// Reads or writes a member of the current value.
  ///
  /// The member is changed in place: `list.items[i] += 1` copies no items, except once, at the first write since the
  /// value was clean, when the original has to keep its own.
  ///
  /// A constant or a computed member that cannot be written is read as `form.current.area`.
  ///
  /// - Complexity: That of reading or writing the member. The first write keeps the original: one allocation.
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
  /// - Complexity: That of `body`. The first write keeps the original: one allocation.
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
  mutating func _willWrite() {
    if !_baseline.isEdited { _beginEditing() }
  }

  @inlinable
  @inline(never)
  mutating func _beginEditing() {
    if let savesInFlight = _baseline.savesInFlight {
      _baseline = .editedWhileSaving(savesInFlight)
    } else {
      _baseline = .edited(since: _Snapshot(_current))
    }
  }
}

// Snapshots are immutable; unchecked only as the baseline does not show their type.
extension Dirtyable: @unchecked Sendable where Value: Sendable {}

extension Dirtyable: Equatable where Value: Equatable {
  /// Whether current values, originals and the saves in flight are equal, or the same where they equal nothing, as a
  /// number that is none.
  ///
  /// A value that was written and set back equals one that never was.
  @inlinable
  public static func == (left: Self, right: Self) -> Bool {
    guard _areEqualOrSame(left._current, right._current) else { return false }
    if left._baseline.original == nil, right._baseline.original == nil { return true }
    return _areEqualOrSame(left.original, right.original) && left.savesInFlight == right.savesInFlight
  }
}

extension Dirtyable: Hashable where Value: Hashable {
  /// Feeds the current value, the original and the identities of the saves in flight.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(_current)
    hasher.combine(original)
    for save in savesInFlight { hasher.combine(save.id) }
  }
}

extension Dirtyable: Identifiable where Value: Identifiable {
  /// The identity of the current value.
  @inlinable
  public var id: Value.ID { _current.id }
}

extension Dirtyable: CustomDebugStringConvertible {
  /// The value, or `original → current` where it was written, and how many saves are in flight.
  public var debugDescription: String {
    let value = isTouched ? "\(original) → \(_current)" : "\(_current)"
    let count = savesInFlight.count
    return "Dirtyable(\(value)\(count == 0 ? "" : ", saves in flight: \(count)"))"
  }
}

extension Dirtyable: CustomReflectable {
  /// The three slots: original, saves in flight, current value.
  public var customMirror: Mirror {
    Mirror(
      self, children: ["original": original, "savesInFlight": savesInFlight, "current": _current],
      displayStyle: .struct)
  }
}

extension Dirtyable: Encodable where Value: Encodable {
  /// Writes the original, and beside it the updated value where it was written.
  ///
  /// Saves in flight are not written, as their answers cannot come: what they were to save is dirty.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: _DirtyableKey.self)
    try container.encode(original, forKey: .original)
    if isTouched { try container.encode(_current, forKey: .updated) }
  }
}

extension Dirtyable: Decodable where Value: Decodable {
  /// Reads what ``encode(to:)`` writes.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: _DirtyableKey.self)
    let original = try container.decode(Value.self, forKey: .original)
    if container.contains(.updated) {
      // Not decodeIfPresent: where Value is optional, an updated value of null is an edit to nil.
      self.init(original: original, current: try container.decode(Value.self, forKey: .updated))
    } else {
      self.init(original)
    }
  }
}

enum _DirtyableKey: String, CodingKey {
  case original
  case updated
}
