/// What a parser made of a text.
enum _PartialTextMeaning {
  case value
  /// A nil that the parser meant, and that is set.
  case nothing
  case notUnderstood
}

/// A text that was entered for a value, whose type is not known.
protocol _PartialText<Root>: Sendable {
  associatedtype Root
  var keyPath: any PartialKeyPath<Root> & Sendable { get }
  var field: _PartialField? { get }
  var text: String { get }
  var meaning: _PartialTextMeaning { get }

  /// Whether what is read at the key path is what was read when the text was entered, as far as can be known.
  func stands(in partial: Partial<Root>) -> Bool
  /// Whether a value has been set at the key path, inside it or around it.
  func hasValue(in changes: Partial<Root>) -> Bool
  func removeValue(from partial: inout Partial<Root>)
  /// The same text for the value that is read in `partial`.
  func shown(in partial: Partial<Root>) -> Self
}

extension _PartialText {
  func overlaps(_ other: any _PartialText<Root>) -> Bool {
    if let field, let other = other.field { return field.overlaps(other) }
    return keyPath as AnyKeyPath == other.keyPath as AnyKeyPath
  }
}

/// What makes two texts one.
struct _PartialTextIdentity: Hashable {
  let keyPath: AnyKeyPath
  let text: String
  let meaning: _PartialTextMeaning
}

/// A text with its key path, and what was read there when it was entered.
///
/// A setter of another property may change the value without a word. So the value is compared when the text is asked
/// for. Where that cannot be done, as for a closure, the text stands until the key path is written to.
struct _PartialEnteredText<Root, Value: Sendable>: _PartialText {
  let path: any KeyPath<Root, Value> & Sendable
  let text: String
  let meaning: _PartialTextMeaning
  var shown: Value?

  var keyPath: any PartialKeyPath<Root> & Sendable { path }
  var field: _PartialField? { _PartialField(path) }

  func stands(in partial: Partial<Root>) -> Bool {
    // Without an offset, to read may run a subscript that what was typed elsewhere has made invalid. And no value is
    // there to be contradicted.
    if meaning == .notUnderstood, field == nil { return true }
    return switch (shown, partial._value(for: path)) {
    case (nil, nil): true
    case (let shown?, let value?): !_isOther(shown, value)
    default: false
    }
  }

  func hasValue(in changes: Partial<Root>) -> Bool {
    guard let field else { return changes._storage.boxed.contains(path) || changes._storage.isWholeRoot }
    return !changes._storage.isVacant(field)
  }

  func removeValue(from partial: inout Partial<Root>) {
    partial[_at: path, in: field, isConstant: !(path is WritableKeyPath<Root, Value>)] = nil
  }

  func shown(in partial: Partial<Root>) -> Self {
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

protocol _PartialOptional {
  var isNil: Bool { get }
}

extension Optional: _PartialOptional {
  var isNil: Bool { self == nil }
}
