/// What a `Dirtyable` keeps beside its current value: one tagged pointer to what is known of other snapshots.
///
/// What is unsafe are two downcasts, from the class that knows no `Value` to those that do. They are sound because each
/// state is only ever made, by the typed functions below, with the class that it is read with.
@frozen
@usableFromInline
struct _UnsafeBaseline<Value> {
  /// The state, and the object that belongs to it, in the word of a pointer.
  ///
  /// The compiler keeps the tag in the spare bits of the pointer, but only of an enum without generic parameters. On 64
  /// bits those are the top two, and as the two edited states come first, the question that every write asks is for the
  /// sign of the word. On 32 bits, where a watch keeps its pointers, they are the lowest two.
  @frozen
  @usableFromInline
  enum State {
    /// The current value was written since the original; the object is the original.
    case edited(_AnyState)
    /// The current value was written since the newest snapshot known; the object is a set of saves in flight.
    case editedWhileSaving(_AnyState)
    /// The current value *is* the snapshot that the saves in flight call current.
    case saving(_AnyState)
    /// The current value is the original, and no save is in flight.
    case untouched
  }

  @usableFromInline
  let state: State

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
    case .saving, .untouched: false
    }
  }

  /// The original, where the current value does not stand for it.
  @inlinable
  var original: _Snapshot<Value>? {
    switch state {
    case .edited(let snapshot): unsafe unsafeDowncast(snapshot, to: _Snapshot<Value>.self)
    case .editedWhileSaving, .saving: savesInFlight?.original
    case .untouched: nil
    }
  }

  /// What `body` makes of the original and the current value, or nil if that was not written.
  ///
  /// The usual case is all that is inlined. A closure keeps it free of counting references, and free of copying as long
  /// as it captures no value.
  @inlinable
  @inline(__always)
  func ifTouched<Result>(_ current: Value, _ body: (_ original: Value, _ current: Value) -> Result) -> Result? {
    switch state {
    case .edited(let snapshot):
      unsafe unsafeDowncast(snapshot, to: _Snapshot<Value>.self).read { body($0, current) }
    case .untouched: nil
    case .editedWhileSaving, .saving: ifTouchedWhileSaving(current, body)
    }
  }

  @inlinable
  @inline(never)
  func ifTouchedWhileSaving<Result>(
    _ current: Value, _ body: (_ original: Value, _ current: Value) -> Result
  ) -> Result? {
    guard let savesInFlight, isEdited || savesInFlight.current !== savesInFlight.original else { return nil }
    return savesInFlight.original.read { body($0, current) }
  }

  @inlinable
  var savesInFlight: _SavesInFlight<Value>? {
    switch state {
    case .editedWhileSaving(let savesInFlight), .saving(let savesInFlight):
      unsafe unsafeDowncast(savesInFlight, to: _SavesInFlight<Value>.self)
    case .edited, .untouched: nil
    }
  }
}

/// A snapshot or a set of saves in flight, seen without its `Value`.
@usableFromInline
class _AnyState {
  @inlinable
  init() {}
}

/// One snapshot of a value.
///
/// Immutable, so whoever holds it shares it; and as no two snapshots are one object, two places that hold one object
/// are known to hold the same value, without comparing.
@usableFromInline
final class _Snapshot<Value>: _AnyState {
  @usableFromInline
  let value: Value

  @inlinable
  init(_ value: Value) {
    self.value = value
  }

  /// What `body` makes of the value where that lies: an argument of another call would be copied first.
  @inlinable
  @inline(__always)
  func read<Result>(_ body: (Value) -> Result) -> Result { body(value) }
}

/// The snapshots known of while saves are in flight.
@usableFromInline
final class _SavesInFlight<Value>: _AnyState {
  @usableFromInline
  let original: _Snapshot<Value>

  /// The snapshot that the current value was when this was written down.
  @usableFromInline
  let current: _Snapshot<Value>?

  /// Oldest first, never empty.
  let saves: [Dirtyable<Value>.Save]

  init(original: _Snapshot<Value>, current: _Snapshot<Value>?, saves: [Dirtyable<Value>.Save]) {
    self.original = original
    self.current = current
    self.saves = saves
  }

  /// The snapshot that the store holds once every save has succeeded.
  var newest: _Snapshot<Value> { saves.last?.snapshot ?? original }
}
