/// The state that a `Dirtyable` has beside its current value: one tagged pointer to the other snapshots.
///
///               | edited ──────────▶ snapshot: the original
///               | editedWhileSaving ┐
///     baseline  | saving            ┴▶ saves in flight: original, saves, current ─▶ snapshots
///               | reusing ─────────▶ snapshot that nothing needs
///               | untouched          no object
///
/// The unsafe parts are downcasts, from the class that doesn't know `Value` to those that do, and a snapshot that is
/// written again. The downcasts are sound because the typed functions below make each state only with the class that
/// it is read with; the write is sound because it needs the only reference to the snapshot.
@frozen
@usableFromInline
struct _UnsafeBaseline<Value> {
  /// The state and its object, in the size of a pointer.
  ///
  /// The compiler keeps the tag in the spare bits of the pointer, but only for an enum without generic parameters. With
  /// 64 bits those are the top three, and because the two edited states come first, every write makes one comparison.
  /// With 32 bits, which pointers have on a watch, there are two such bits, and the tag takes a further byte.
  @frozen
  @usableFromInline
  enum State {
    /// The current value was written since the original, which is the object.
    case edited(_AnyState)
    /// The current value was written since the newest known snapshot; the object is a set of saves in flight.
    case editedWhileSaving(_AnyState)
    /// The current value *is* the `current` snapshot of the saves in flight.
    case saving(_AnyState)
    /// The current value is the original, and no save is in flight; the object is a snapshot that nothing else needs,
    /// whose memory the next write uses again.
    case reusing(_AnyState)
    /// The current value is the original, and no save is in flight.
    case untouched
  }

  @usableFromInline
  var state: State

  @inlinable
  init(state: State) {
    self.state = state
  }

  @inlinable
  static var untouched: Self { Self(state: .untouched) }

  @inlinable
  static func edited(since original: _Snapshot<Value>) -> Self { Self(state: .edited(original)) }

  @inlinable
  static func editedWhileSaving(_ savesInFlight: _SavesInFlight<Value>) -> Self {
    Self(state: .editedWhileSaving(savesInFlight))
  }

  @inlinable
  static func saving(_ savesInFlight: _SavesInFlight<Value>) -> Self { Self(state: .saving(savesInFlight)) }

  @inlinable
  @inline(__always)
  var isEdited: Bool {
    switch state {
    case .edited, .editedWhileSaving: true
    case .saving, .reusing, .untouched: false
    }
  }

  /// The original; nil if the current value is the original and no save is in flight.
  @inlinable
  var original: _Snapshot<Value>? {
    switch state {
    case .edited(let snapshot): unsafe unsafeDowncast(snapshot, to: _Snapshot<Value>.self)
    case .editedWhileSaving, .saving: savesInFlight?.snapshots.original
    case .reusing, .untouched: nil
    }
  }

  /// The result of `body` for the original and the current value, or nil if the value was not written.
  ///
  /// Only the usual case is inlined. A closure spares counting references, and also copying as long as it captures no
  /// value.
  @inlinable
  @inline(__always)
  func ifTouched<Result>(_ current: Value, _ body: (_ original: Value, _ current: Value) -> Result) -> Result? {
    switch state {
    case .edited(let snapshot):
      unsafe unsafeDowncast(snapshot, to: _Snapshot<Value>.self).read { body($0, current) }
    case .reusing, .untouched: nil
    case .editedWhileSaving, .saving: ifTouchedWhileSaving(current, body)
    }
  }

  @inlinable
  @inline(never)
  func ifTouchedWhileSaving<Result>(
    _ current: Value, _ body: (_ original: Value, _ current: Value) -> Result
  ) -> Result? {
    guard let snapshots = savesInFlight?.snapshots, isEdited || snapshots.current !== snapshots.original else {
      return nil
    }
    return snapshots.original.read { body($0, current) }
  }

  @inlinable
  var savesInFlight: _SavesInFlight<Value>? {
    switch state {
    case .editedWhileSaving(let savesInFlight), .saving(let savesInFlight):
      unsafe unsafeDowncast(savesInFlight, to: _SavesInFlight<Value>.self)
    case .edited, .reusing, .untouched: nil
    }
  }

  /// Begins an edit of `current`, which is the original so far.
  ///
  /// The memory of the last snapshot is used again, unless a copy of this value has it too.
  @inlinable
  mutating func beginEditing(_ current: Value) {
    // Taken out of the state, so that this is the only reference.
    let old = state
    state = .untouched
    guard case .reusing(var object) = consume old, isKnownUniquelyReferenced(&object) else {
      state = .edited(_Snapshot(current))
      return
    }
    unsafe unsafeDowncast(object, to: _Snapshot<Value>.self).contents = current
    state = .edited(object)
  }

  /// Makes the current value the original, without saves in flight.
  ///
  /// A snapshot keeps its memory for the next edit, if its value is only bytes: it has no reference to anything that
  /// would live longer than it should.
  @inlinable
  @inline(__always)
  mutating func settle() {
    guard _isPOD(Value.self) else { return state = .untouched }
    let old = state
    state = .untouched
    switch consume old {
    case .edited(let snapshot), .reusing(let snapshot): state = .reusing(snapshot)
    case .editedWhileSaving, .saving, .untouched: break
    }
  }
}

/// A snapshot or a set of saves in flight, without its `Value`.
@usableFromInline
class _AnyState {
  @inlinable
  init() {}
}

/// A snapshot of a value.
///
/// Snapshots are shared. Two places that refer to the same object are known to hold the same value, without comparing.
@usableFromInline
final class _Snapshot<Value>: _AnyState {
  /// The value.
  ///
  /// It is written again only by a baseline that has the only reference to this object (`beginEditing(_:)`). So no
  /// other access can be under way, and the check for one is left out.
  @exclusivity(unchecked)
  @usableFromInline
  var contents: Value

  @inlinable
  init(_ value: Value) {
    unsafe contents = value
  }

  @inlinable
  var value: Value {
    @inline(__always)
    _read { yield unsafe contents }
  }

  /// The result of `body` for the value in place: an argument of another call would be copied first.
  @inlinable
  @inline(__always)
  func read<Result>(_ body: (Value) -> Result) -> Result { body(unsafe contents) }
}

/// The snapshots that are known while saves are in flight.
@usableFromInline
final class _SavesInFlight<Value>: _AnyState {
  /// The snapshots when this object was made, with at least one save.
  @usableFromInline
  let snapshots: _Snapshots<Value>

  init(_ snapshots: _Snapshots<Value>) { self.snapshots = snapshots }
}
