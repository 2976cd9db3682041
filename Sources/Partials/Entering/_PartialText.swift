import Sameness

/// A text that was entered for a value, whose type is not known.
protocol _PartialText<Root>: Sendable {
  associatedtype Root
  var keyPath: any PartialKeyPath<Root> & Sendable { get }
  var field: _PartialField? { get }
  var text: String { get }
  /// Whether the parser made a value of it.
  var isUnderstood: Bool { get }

  /// Whether what is read at the key path is what was read when the text was entered, as far as can be known.
  func stands(in partial: Partial<Root>) -> Bool
  /// Whether the same is read at the key path in both.
  func hasSameValue(in one: Partial<Root>, _ other: Partial<Root>) -> Bool
  /// Whether a value has been set at the key path, inside it or around it.
  func hasValue(in changes: Partial<Root>) -> Bool
  func removeValue(from partial: inout Partial<Root>)
  /// The same text for the value that is read in `partial`.
  func shown(in partial: Partial<Root>) -> Self
}

extension _PartialText {
  /// Whether what lies in `other` is at the key path, inside it or around it.
  ///
  /// Of a value without an offset, no more is known than that it is a part of the whole root.
  func overlaps(_ other: _PartialField) -> Bool {
    field.map { $0.overlaps(other) } ?? other.isWhole(Root.self)
  }

  /// The same for a value without an offset.
  func overlaps(boxed other: AnyKeyPath) -> Bool {
    keyPath as AnyKeyPath == other || field?.isWhole(Root.self) ?? false
  }

  /// Whether the value may not be there any more once another one is set.
  ///
  /// A subscript may lead into a value that has others, as an index into an array, and be out of its range from then
  /// on: to ask whether its text still stands would trap. One that was not understood is never compared.
  var mayLeadNowhere: Bool { isUnderstood && field == nil }

  /// Whether `changes` replace the value, or may have lost the part that it is.
  func isReplaced(by changes: Partial<Root>, _ mayLoseParts: @autoclosure () -> Bool) -> Bool {
    hasValue(in: changes) || mayLeadNowhere && mayLoseParts()
  }

  func overlaps(_ other: PartialKeyPath<Root>) -> Bool {
    _PartialField(erased: other).map { overlaps($0) } ?? overlaps(boxed: other)
  }
}

/// What makes two texts one.
struct _PartialTextIdentity: Hashable {
  let keyPath: AnyKeyPath
  let text: String
  let isUnderstood: Bool
}

/// A text with its key path, and what was read there when it was entered.
///
/// A setter of another property may change the value without a word. So the value is compared when the text is asked
/// for. Where that cannot be done, as for a closure, the text stands until the key path is written to.
struct _PartialEnteredText<Root, Value: Sendable>: _PartialText {
  let path: any KeyPath<Root, Value> & Sendable
  let text: String
  let isUnderstood: Bool
  var shown: Value?

  var keyPath: any PartialKeyPath<Root> & Sendable { path }
  var field: _PartialField? { _PartialField(path) }

  func stands(in partial: Partial<Root>) -> Bool {
    // Without an offset, to read may run a subscript that what was typed elsewhere has made invalid. And no value is
    // there to be contradicted.
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
    // A whole that has lost a part was set nevertheless.
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

/// The texts of a partial, which its extras refer to without knowing the root.
final class _PartialTexts<Root>: Sendable {
  let texts: [any _PartialText<Root>]

  init(_ texts: [any _PartialText<Root>]) { self.texts = texts }
}
