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
  var source: (any _PartialCheckSource<Root>)?
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
      source?.check(inside: prefix, message: issue.sentence)
      ?? _PartialCheck<Outer>(required: prefix.appending(erased: issue.keyPaths[0]), message: issue.sentence)
    check.issue.name = name
    return check
  }

  /// Whether a text overlaps a value of the check, so that the check can't be decided.
  func isOpen(for text: any _PartialText<Root>) -> Bool { issue.keyPaths.contains { text.overlaps($0) } }
}

/// The origin of a check, which can make the same check for a greater root.
protocol _PartialCheckSource<Root>: Sendable {
  associatedtype Root
  func check<Outer>(inside prefix: any KeyPath<Outer, Root> & Sendable, message: String?) -> _PartialCheck<Outer>
}

/// A rule over some values; if one of them is absent, the rule is met unless it is a requirement.
@usableFromInline
struct _PartialCondition<Root, each Value>: _PartialCheckSource {
  let keyPaths: (repeat any KeyPath<Root, each Value> & Sendable)
  let isRequirement: Bool
  let isValid: @Sendable (repeat each Value) -> Bool

  @usableFromInline
  init(
    _ keyPaths: repeat any KeyPath<Root, each Value> & Sendable, isRequirement: Bool = false,
    isValid: @escaping @Sendable (repeat each Value) -> Bool
  ) {
    self.keyPaths = (repeat each keyPaths)
    self.isRequirement = isRequirement
    self.isValid = isValid
  }

  func check<Outer>(inside prefix: any KeyPath<Outer, Root> & Sendable, message: String?) -> _PartialCheck<Outer> {
    _PartialCondition<Outer, repeat each Value>(
      repeat prefix.appending(each keyPaths), isRequirement: isRequirement, isValid: isValid
    ).check(message)
  }

  /// The check with this message.
  ///
  /// - Parameter isMet: Whether the rule is met, specialized for the types of the values if the caller knows them.
  @usableFromInline
  func check(_ message: String?, isMet: (@Sendable (Partial<Root>) -> Bool)? = nil) -> _PartialCheck<Root> {
    var erased: [any PartialKeyPath<Root> & Sendable] = []
    for keyPath in repeat each keyPaths { erased.append(keyPath) }
    return _PartialCheck(
      issue: .init(isRequirement ? .missing : .failed, erased, message: message), source: self,
      isMet: isMet ?? self.isMet)
  }

  @Sendable private func isMet(by partial: Partial<Root>) -> Bool {
    guard let values = partial._values(for: repeat each keyPaths) else { return !isRequirement }
    return isValid(repeat each values)
  }
}

extension Partial {
  /// The values at all these key paths; nil if one of them is absent.
  func _values<each Value>(for keyPaths: repeat any KeyPath<Root, each Value> & Sendable) -> (repeat each Value)? {
    try? (repeat value(for: each keyPaths))
  }
}
