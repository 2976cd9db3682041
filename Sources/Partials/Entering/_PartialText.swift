import Sameness

/// A text that was entered for a value whose type isn't known.
protocol _PartialText<Root>: Sendable {
  associatedtype Root
  var keyPath: any PartialKeyPath<Root> & Sendable { get }
  var field: _PartialField? { get }
  var text: String { get }
  /// Whether the parser returned a value for it.
  var isUnderstood: Bool { get }

  /// Whether the value read at the key path is the one read when the text was entered, as far as can be known.
  func stands(in partial: Partial<Root>) -> Bool
  /// Whether both partials read the same value at the key path.
  func hasSameValue(in one: Partial<Root>, _ other: Partial<Root>) -> Bool
  /// Whether a value has been set at the key path, inside it or around it.
  func hasValue(in changes: Partial<Root>) -> Bool
  func removeValue(from partial: inout Partial<Root>)
  /// The same text for the value that is read in `partial`.
  func shown(in partial: Partial<Root>) -> Self
}

extension _PartialText {
  /// Whether the values in `other` are at the key path, inside it or around it.
  ///
  /// A value without an offset is only known to be a part of the whole root.
  func overlaps(_ other: _PartialField) -> Bool {
    field.map { $0.overlaps(other) } ?? other.isWhole(Root.self)
  }

  /// Whether the value may no longer exist once another value is set.
  ///
  /// A subscript may lead into a value that contains others, such as an index into an array, and then be out of range.
  /// Checking whether its text still stands would trap. A text that wasn't understood is never compared.
  var mayBecomeInvalid: Bool { isUnderstood && field == nil }

  func overlaps(_ other: PartialKeyPath<Root>) -> Bool {
    if let other = _PartialField(erased: other) { return overlaps(other) }
    return keyPath as PartialKeyPath<Root> == other || field?.isWhole(Root.self) ?? false
  }
}

/// An entered text with its key path, and the value that was read there when it was entered.
///
/// A setter of another property may change the value without notice. So the value is compared whenever the text is
/// asked for. If it can't be compared, as with a closure, the text stands until the key path is written to.
struct _PartialEnteredText<Root, Value: Sendable>: _PartialText {
  let path: any KeyPath<Root, Value> & Sendable
  let text: String
  let isUnderstood: Bool
  var shown: Value?

  var keyPath: any PartialKeyPath<Root> & Sendable { path }
  var field: _PartialField? { _PartialField(path) }

  func stands(in partial: Partial<Root>) -> Bool {
    // Without an offset, reading may run a subscript that was made invalid by a text typed elsewhere. And there is no
    // value that could contradict the text.
    if !isUnderstood, field == nil { return true }
    return switch (shown, partial._value(for: path)) {
    case (nil, nil): true
    case (let shown?, let value?): !_areKnownToDiffer(shown, value)
    default: false
    }
  }

  func hasSameValue(in one: Partial<Root>, _ other: Partial<Root>) -> Bool {
    _areProvablySame(one._value(for: path) as Any, other._value(for: path) as Any)
  }

  func hasValue(in changes: Partial<Root>) -> Bool {
    let storage = changes._storage
    if let field { return !storage.isVacant(field) || field.isWhole(Root.self) && !storage.boxed.isEmpty }
    // A whole that has lost a part still counts as set.
    return storage.boxed.contains(path) || _PartialField(\Root.self).flatMap { storage.entry(around: $0) } != nil
  }

  func removeValue(from partial: inout Partial<Root>) {
    partial[_at: path, in: field, isConstant: !(path is WritableKeyPath<Root, Value>)] = nil
  }

  func shown(in partial: Partial<Root>) -> Self {
    guard isUnderstood || field != nil else { return self }
    var copy = self
    copy.shown = partial._value(for: path)
    return copy
  }
}
