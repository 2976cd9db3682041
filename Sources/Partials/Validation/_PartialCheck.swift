/// One check of a rule, ready to run on a partial.
@usableFromInline
struct _PartialCheck<Root>: Sendable {
  /// The issue to report if the check isn't met, with the key paths of the values to check.
  ///
  /// Its name is the display name that a nested validation has for the first of them.
  var issue: Partial<Root>.Validation.Issue
  /// The field of the required value, if it has an offset: its presence alone decides.
  var requiredField: _PartialField?
  /// The values and the rule; nil if only a value is required.
  var condition: _PartialCondition<Root>?
  let isMet: @Sendable (Partial<Root>) -> Bool
}

extension _PartialCheck {
  /// Whether the check requires a value.
  var isRequirement: Bool { issue.kind == .missing }

  /// Makes a check that there is a value at `keyPath`.
  init(required keyPath: any PartialKeyPath<Root> & Sendable, message: String?) {
    let field = _PartialField(erased: keyPath)
    let type = ObjectIdentifier(type(of: keyPath).valueType)
    self.init(issue: .init(.missing, [keyPath], message: message), requiredField: field) {
      guard let field else { return $0._containsBoxed(keyPath) }
      return $0._storage.isPresent(field) && $0._storage.wasSetWhole(field, as: type)
    }
  }

  /// The same check for a root that has this one at `prefix`.
  func inside<Outer>(_ prefix: any KeyPath<Outer, Root> & Sendable, name: String?) -> _PartialCheck<Outer> {
    var check =
      condition?.inside(prefix).check(issue.sentence)
      ?? _PartialCheck<Outer>(required: prefix.appending(erased: issue.keyPaths[0]), message: issue.sentence)
    check.issue.name = name
    return check
  }

  /// Whether a text overlaps a value of the check, so that the check can't be decided.
  func isOpen(for text: any _PartialText<Root>) -> Bool { issue.keyPaths.contains { text.overlaps($0) } }
}

/// A rule over some values; if one of them is absent, the rule is met unless it is a requirement.
///
/// The types of the values are erased, because types with parameter packs need newer systems than the package does.
@usableFromInline
struct _PartialCondition<Root>: Sendable {
  let values: [any _PartialRuleValue<Root>]
  let isRequirement: Bool
  let isValid: @Sendable ([Any]) -> Bool
}

extension _PartialCondition {
  @usableFromInline
  init<each Value>(
    _ keyPaths: repeat any KeyPath<Root, each Value> & Sendable, isRequirement: Bool = false,
    isValid: @escaping @Sendable (repeat each Value) -> Bool
  ) {
    var values: [any _PartialRuleValue<Root>] = []
    for keyPath in repeat each keyPaths { values.append(_PartialTypedRuleValue(keyPath: keyPath)) }
    self.init(values: values, isRequirement: isRequirement) { values in
      var rest = values[...]
      return isValid(repeat first((each Value).self, of: &rest))
    }
  }

  /// The same rule for a root that has this one at `prefix`.
  func inside<Outer>(_ prefix: any KeyPath<Outer, Root> & Sendable) -> _PartialCondition<Outer> {
    _PartialCondition<Outer>(
      values: values.map { $0.inside(prefix) }, isRequirement: isRequirement, isValid: isValid)
  }

  /// The check with this message.
  ///
  /// - Parameter isMet: Whether the rule is met, specialized for the types of the values if the caller knows them.
  @usableFromInline
  func check(_ message: String?, isMet: (@Sendable (Partial<Root>) -> Bool)? = nil) -> _PartialCheck<Root> {
    _PartialCheck(
      issue: .init(isRequirement ? .missing : .failed, values.map { $0.erased }, message: message), condition: self,
      isMet: isMet ?? self.isMet)
  }

  @Sendable private func isMet(by partial: Partial<Root>) -> Bool {
    var found: [Any] = []
    found.reserveCapacity(values.count)
    for value in values {
      guard let value = value.find(in: partial) else { return !isRequirement }
      found.append(value)
    }
    return isValid(found)
  }
}

extension Partial {
  /// The values at all these key paths; nil if one of them is absent.
  func _values<each Value>(for keyPaths: repeat any KeyPath<Root, each Value> & Sendable) -> (repeat each Value)? {
    try? (repeat value(for: each keyPaths))
  }
}

/// Takes the first value, which has this type.
private func first<Value>(_ type: Value.Type, of values: inout ArraySlice<Any>) -> Value {
  values.removeFirst() as! Value
}

/// A value that a rule asks about, with its type erased.
protocol _PartialRuleValue<Root>: Sendable {
  associatedtype Root
  var erased: any PartialKeyPath<Root> & Sendable { get }
  /// The value, or nil if it is absent.
  func find(in partial: Partial<Root>) -> Any?
  /// The same value of a root that has this one at `prefix`.
  func inside<Outer>(_ prefix: any KeyPath<Outer, Root> & Sendable) -> any _PartialRuleValue<Outer>
}

private struct _PartialTypedRuleValue<Root, Value>: _PartialRuleValue {
  let keyPath: any KeyPath<Root, Value> & Sendable
  var erased: any PartialKeyPath<Root> & Sendable { keyPath }

  func find(in partial: Partial<Root>) -> Any? { partial._value(for: keyPath).map { $0 as Any } }

  func inside<Outer>(_ prefix: any KeyPath<Outer, Root> & Sendable) -> any _PartialRuleValue<Outer> {
    _PartialTypedRuleValue<Outer, Value>(keyPath: prefix.appending(keyPath))
  }
}
