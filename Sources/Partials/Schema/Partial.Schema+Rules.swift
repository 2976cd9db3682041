@_exported public import Sameness

// A property without rules pays one question for them.
extension Partial.Schema {
  /// The same schema, in which these rules apply to a declared property.
  ///
  /// ```swift
  /// struct Person: PartialSchemaProviding {
  ///   var name: String, nick: String?
  ///
  ///   static let partialSchema = Partial<Person>.Schema(("name", \.name), ("nick", \.nick))
  ///     .normalizing(\.name, .trimmed)
  ///     .normalizing(\.nick, .trimmed, .emptyIsNil)
  /// }
  ///
  /// var form = Partial(over: Person(name: "Ada", nick: nil))
  /// form[\.nick, default: ""] = "A"
  /// form[\.nick, default: ""] = ""
  /// print(form.isDirty)                           // false
  /// form.name = "Grace "
  /// print(form.differences)                       // Partial<Person>(name: "Grace")
  /// ```
  /// `isDirty` and `differences` leave out what counts as equal. Encoding writes the normal value: nil is `null`. A
  /// validation asks its rules about the normal values, and builds the root from them. Reading the form, `changes` and
  /// `==` have the values as they were set, so a field keeps what was typed.
  ///
  /// - Precondition: The property is declared in this schema. A part of a nested property has its rules in the schema
  ///   of its own type.
  public func normalizing<Value: Codable & Hashable & Sendable>(
    _ keyPath: any KeyPath<Root, Value> & Sendable, _ rules: FieldRule<Value>...
  ) -> Partial<Root>.Schema {
    var schema = self
    let index = members.firstIndex { ($0 as? _PartialProperty<Root, Value>)?.keyPath == keyPath }
    guard let index else { preconditionFailure("A rule for a property that the schema does not declare") }
    schema.members[index] = _PartialProperty(name: members[index].name, keyPath: keyPath, rule: FieldRule(rules))
    return schema
  }

  /// `partial` with normal values; with `keepingOriginal`, what counts as equal reads as in the original.
  func normalized(_ partial: Partial<Root>, keepingOriginal: Bool) -> Partial<Root> {
    var partial = partial
    for field in properties where field.hasRules { field.normalize(&partial, keepingOriginal: keepingOriginal) }
    return partial
  }

  /// Whether an empty text that is entered at `keyPath` means nil.
  func readsEmptyTextAsNil(at keyPath: AnyKeyPath) -> Bool {
    members.flatMap { $0.labels }.contains { $0.readsEmptyTextAsNil && $0.keyPath as AnyKeyPath == keyPath }
  }
}

extension Partial where Root: PartialSchemaProviding {
  /// Whether a property reads differently than in the original, by the rules of the schema.
  @_documentation(visibility: internal)
  public func isDirty<Value: Equatable>(_ keyPath: KeyPath<Root, Value>) -> Bool {
    guard _isDirty(keyPath) else { return false }
    let schema = Root.partialSchema
    return !schema.hasRules || schema.normalized(self, keepingOriginal: true)._isDirty(keyPath)
  }
}
