/// What a `Dirtyable` keeps beside its current value: one tagged pointer to what is known of other versions.
///
/// All unsafe code of this target is in this file: one downcast, from the class that knows no `Value` to the one that does.
/// It is sound because the only way to a state with a record is by the two typed functions below.
@frozen
@usableFromInline
internal struct _Baseline<Value> {
  /// The state, and the record in the same eight bytes.
  ///
  /// Only an enum without generic parameters keeps its tag in the spare bits of a pointer. `edited` comes first, so that the
  /// question every write asks is a test for zero.
  @frozen
  @usableFromInline
  internal enum State {
    /// The current value was written since the newest version the record knows of.
    case edited(_AnyRecord)
    /// The current value *is* one of the versions that the record knows of, and a save is in flight.
    case settled(_AnyRecord)
    /// The current value is the original, and no save is in flight.
    case untouched
  }

  @usableFromInline
  internal let state: State

  @inlinable
  internal init(state: State) {
    self.state = state
  }

  @inlinable
  internal static var untouched: Self { Self(state: .untouched) }

  @inlinable
  internal static func edited(_ record: _Record<Value>) -> Self { Self(state: .edited(record)) }

  @inlinable
  internal static func settled(_ record: _Record<Value>) -> Self { Self(state: .settled(record)) }

  @inlinable
  @inline(__always)
  internal var isEdited: Bool {
    if case .edited = state { true } else { false }
  }

  @inlinable
  internal var record: _Record<Value>? {
    switch state {
    case .edited(let record), .settled(let record): unsafe unsafeDowncast(record, to: _Record<Value>.self)
    case .untouched: nil
    }
  }

  /// Whether a settled value is the original, and not one of the saves in flight.
  @usableFromInline
  internal var isCurrentTheOriginal: Bool { record?.flight?.isCurrentTheOriginal ?? false }
}

/// A record seen without its `Value`; always a `_Record`.
@usableFromInline
internal class _AnyRecord {
  @inlinable
  internal init() {}
}

/// The original of an edited value, and the saves of it that are in flight.
///
/// Immutable, so copies of a `Dirtyable` share it.
@usableFromInline
internal final class _Record<Value>: _AnyRecord {
  @usableFromInline
  internal let original: Value

  /// Nil while nothing is in flight.
  @usableFromInline
  internal let flight: _Flight<Value>?

  @inlinable
  internal init(original: Value, flight: _Flight<Value>?) {
    self.original = original
    self.flight = flight
  }
}
