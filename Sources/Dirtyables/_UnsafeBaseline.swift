/// What a `Dirtyable` keeps beside its current value: one tagged pointer to what is known of other versions.
///
/// All unsafe code of this target is in this file: two downcasts, from the class that knows no `Value` to those that
/// do. They are sound because each state is only ever made, by the typed functions below, with the class that it is
/// read with.
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
    case edited(_AnyRecord)
    /// The current value was written since the newest version known; the object is a flight.
    case editedInFlight(_AnyRecord)
    /// The current value *is* the version that the flight calls current.
    case settledInFlight(_AnyRecord)
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
  static func edited(since original: _Version<Value>) -> Self { Self(state: .edited(original)) }

  @inlinable
  static func editedInFlight(_ flight: _Flight<Value>) -> Self { Self(state: .editedInFlight(flight)) }

  @inlinable
  static func settledInFlight(_ flight: _Flight<Value>) -> Self { Self(state: .settledInFlight(flight)) }

  @inlinable
  @inline(__always)
  var isEdited: Bool {
    switch state {
    case .edited, .editedInFlight: true
    case .settledInFlight, .untouched: false
    }
  }

  /// The original, where the current value does not stand for it.
  @inlinable
  var original: _Version<Value>? {
    switch state {
    case .edited(let version): unsafe unsafeDowncast(version, to: _Version<Value>.self)
    case .editedInFlight, .settledInFlight: flight?.original
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
    case .edited(let version): body(unsafe unsafeDowncast(version, to: _Version<Value>.self).value, current)
    case .untouched: nil
    case .editedInFlight, .settledInFlight: ifTouchedInFlight(current, body)
    }
  }

  @inlinable
  @inline(never)
  func ifTouchedInFlight<Result>(
    _ current: Value, _ body: (_ original: Value, _ current: Value) -> Result
  ) -> Result? {
    guard let flight, isEdited || flight.current !== flight.original else { return nil }
    return body(flight.original.value, current)
  }

  @inlinable
  var flight: _Flight<Value>? {
    switch state {
    case .editedInFlight(let flight), .settledInFlight(let flight):
      unsafe unsafeDowncast(flight, to: _Flight<Value>.self)
    case .edited, .untouched: nil
    }
  }
}

/// A version or a flight, seen without its `Value`.
@usableFromInline
class _AnyRecord {
  @inlinable
  init() {}
}

/// One version of a value.
///
/// Immutable, so whoever holds it shares it; and as no two versions are one object, two places that hold one object are
/// known to hold the same value, without comparing.
@usableFromInline
final class _Version<Value>: _AnyRecord {
  @usableFromInline
  let value: Value

  @inlinable
  init(_ value: Value) {
    self.value = value
  }
}

/// The versions known of while saves are in flight.
@usableFromInline
final class _Flight<Value>: _AnyRecord {
  @usableFromInline
  let original: _Version<Value>

  /// The version that the current value was when this was written down.
  @usableFromInline
  let current: _Version<Value>?

  /// Oldest first, never empty.
  let saves: [Dirtyable<Value>.Save]

  init(original: _Version<Value>, current: _Version<Value>?, saves: [Dirtyable<Value>.Save]) {
    self.original = original
    self.current = current
    self.saves = saves
  }

  /// The version that the store holds once every save has succeeded.
  var newest: _Version<Value> { saves.last?.version ?? original }
}
