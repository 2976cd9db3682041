/// A rule of one field of a form: what counts as empty, how a text is cleaned up, or which values count as equal.
///
/// `Partial.Schema` and `Dirtyable.Fields` take rules for a field. Questions about edits, requests and validations then
/// use them:
/// ```swift
/// struct Person: Equatable {
///   var nick: String?, weight = 0.0
///
///   static let fields = Dirtyable<Person>.Fields(\.nick, \.weight)
///     .normalizing(\.nick, .trimmed, .emptyIsNil)
///     .normalizing(\.weight, .equal { abs($0 - $1) < 0.01 })
/// }
///
/// var person = Dirtyable(Person())
/// person.nick = "  "
/// person.weight = 0.001
/// print(person.isDirty, person.isDirty(by: Person.fields))  // true false
/// ```
public struct FieldRule<Value>: Sendable {
  /// The value to compare, to validate and to send, made from the value that was entered.
  package private(set) var normal: @Sendable (Value) -> Value = { $0 }

  private var areEqual: (@Sendable (Value, Value) -> Bool)?

  /// Whether an empty text that is entered for the field means nil.
  package private(set) var readsEmptyTextAsNil = false
}

extension FieldRule {
  /// Makes one rule of several, which are applied in their order.
  package init(_ rules: [FieldRule]) {
    self.init()
    for rule in rules {
      normal = { [normal] in rule.normal(normal($0)) }
      areEqual = rule.areEqual ?? areEqual
      readsEmptyTextAsNil = readsEmptyTextAsNil || rule.readsEmptyTextAsNil
    }
  }

  /// Compares, validates and sends what `normal` makes of the value.
  ///
  /// `normal` must return its own results as they are, as `{ $0.lowercased() }` does.
  public static func normalized(_ normal: @escaping @Sendable (Value) -> Value) -> FieldRule {
    FieldRule(normal: normal)
  }

  /// Two values count as equal if `areEqual` returns true for them.
  public static func equal(by areEqual: @escaping @Sendable (Value, Value) -> Bool) -> FieldRule {
    FieldRule(areEqual: areEqual)
  }

  /// Whether the field counts as unedited; `areUnedited` decides unless a rule has an equality of its own.
  package func isUnedited(_ left: Value, _ right: Value, otherwise areUnedited: (Value, Value) -> Bool) -> Bool {
    let (left, right) = (normal(left), normal(right))
    return areEqual?(left, right) ?? areUnedited(left, right)
  }
}

extension FieldRule where Value: ExpressibleByNilLiteral & SendableMetatype {
  /// An empty text or collection in an optional counts as nil, and so does an empty text that is entered for a number.
  public static var emptyIsNil: FieldRule {
    FieldRule(normal: { ($0 as? any Collection)?.isEmpty ?? false ? nil : $0 }, readsEmptyTextAsNil: true)
  }
}

extension FieldRule where Value == String {
  /// Whitespace and line breaks at both ends of the text don't count.
  public static var trimmed: FieldRule { normalized(trim) }
}

extension FieldRule where Value == String? {
  /// Whitespace and line breaks at both ends of the text don't count.
  public static var trimmed: FieldRule { normalized { $0.map(trim) } }
}

@Sendable
private func trim(_ text: String) -> String {
  let rest = text.drop(while: \.isWhitespace)
  return rest.lastIndex { !$0.isWhitespace }.map { String(rest[...$0]) } ?? ""
}
