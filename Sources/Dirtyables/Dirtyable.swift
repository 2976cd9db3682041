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
/// Then ``commit(releasingMemory:)`` makes the current value the original, and ``rollback()`` restores the original. If
/// saving takes time, ``beginSave(id:)`` returns the value to write while edits go on, and ``finishSave(_:)`` makes
/// exactly *that* value the original. If the original changes elsewhere while there are edits,
/// ``rebase(onto:merging:)`` keeps the edits and reports conflicts.
///
/// The wrapper's own members hide members of the value with the same name; access those through ``current`` and
/// ``original``. `Value` should have value semantics: data behind a class reference is shared with the original.
///
/// Reading is as fast as reading the plain value. The first write after the value was clean keeps a copy of the
/// original, which copies of the `Dirtyable` share. If `Value` is only bytes, a commit keeps that memory for the next
/// edit.
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

  /// Restores an edit from its original and its current value.
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

// A second subscript, for constants and computed members, would make the time to check an expression with a misspelled
// member exponential (docs/experiments.md).
extension Dirtyable {
  /// The value as it is now, edits included.
  ///
  /// Writing it, entirely or partly, counts as an edit.
  ///
  /// - Complexity: O(1). The first write keeps the original, with one allocation; from then on, storage that both share
  ///   is copied when it is written, as with any copy of a Swift value.
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
  /// The member is changed in place: `list.items[i] += 1` doesn't copy the items, except once, at the first write since
  /// the value was clean, because the original has to keep its own.
  ///
  /// Read a constant or a computed member without a setter as `form.current.area`.
  ///
  /// - Complexity: That of reading or writing the member. The first write keeps the original, with one allocation.
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

  /// Edits the current value as a whole, for edits that single members can't express.
  ///
  /// ```swift
  /// struct Range: Equatable { var from: Int, to: Int }
  ///
  /// var range = Dirtyable(Range(from: 9, to: 1))
  /// range.update { swap(&$0.from, &$0.to) }
  /// ```
  ///
  /// If `body` throws, its changes until then stay, as an edit like any other.
  ///
  /// - Complexity: That of `body`. The first write keeps the original, with one allocation.
  @inlinable
  public mutating func update<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    _willWrite()
    return try body(&_current)
  }

  /// Keeps the original before a write, unless an earlier write already did.
  ///
  /// Call it before a `yield`: code after one is skipped if the caller throws.
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
      _baseline.beginEditing(_current)
    }
  }
}

// Snapshots are immutable; unchecked only because the baseline doesn't show their type.
extension Dirtyable: @unchecked Sendable where Value: Sendable {}

extension Dirtyable: Equatable where Value: Equatable {
  /// Whether current values, originals and saves in flight are equal, or the same if they are values such as NaN.
  ///
  /// A value that was written and set back equals one that was never written.
  @inlinable
  public static func == (left: Self, right: Self) -> Bool {
    guard _areEqualOrSame(left._current, right._current) else { return false }
    if left._baseline.original == nil, right._baseline.original == nil { return true }
    return _areEqualOrSame(left.original, right.original) && left.savesInFlight == right.savesInFlight
  }
}

extension Dirtyable: Hashable where Value: Hashable {
  /// Feeds the current value, the original and the identities of the saves in flight to the hasher.
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

extension Dirtyable: CustomDebugStringConvertible, CustomReflectable {
  /// The value, or `original → current` if it was written, and the identities of the saves in flight.
  public var debugDescription: String {
    let value = isTouched ? "\(original) → \(_current)" : "\(_current)"
    let saves = savesInFlight.map(\.id.rawValue)
    return "Dirtyable(\(value)\(saves.isEmpty ? "" : ", saves in flight: \(saves)"))"
  }

  /// The original, the saves in flight and the current value.
  public var customMirror: Mirror {
    Mirror(
      self, children: ["original": original, "savesInFlight": savesInFlight, "current": _current],
      displayStyle: .struct)
  }
}

extension Dirtyable: Encodable where Value: Encodable {
  /// Writes the original and, if the value was written, the current value as `updated`.
  ///
  /// Saves in flight aren't written, because their answers can't arrive: their values are dirty after decoding.
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
      // Not decodeIfPresent: if Value is optional, an updated value of null is an edit to nil.
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
