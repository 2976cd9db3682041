/// One question of a rule, made ready to be asked.
@usableFromInline
struct _PartialCheck<Root>: Sendable {
  /// The key paths of values that are to be there or to be right; an issue names the first.
  let keyPaths: [any PartialKeyPath<Root> & Sendable]
  /// Whether the check is that there is a value.
  let isRequirement: Bool
  /// The field of the value that is required, where it has an offset.
  let requiredField: _PartialField?
  /// The name of the key path for people, where a nested validation has it.
  private var name: String?
  let message: String?
  let isMet: @Sendable (Partial<Root>) -> Bool
  /// The same for a root that this one is a part of.
  private let source: any _PartialCheckSource<Root>

  /// A check that there is a value at `keyPath`.
  init(required keyPath: any PartialKeyPath<Root> & Sendable, message: String?) {
    let field = _PartialField(erased: keyPath)
    let type = ObjectIdentifier(type(of: keyPath).valueType)
    self.init(
      [keyPath], isRequirement: true, requiredField: field, message: message,
      source: _PartialPresenceRequirement(keyPath: keyPath)
    ) {
      guard let field else { return $0._containsBoxed(keyPath) }
      return $0._storage.isPresent(field) && $0._storage.wasSetWhole(field, as: type)
    }
  }

  /// A check of values by `isMet`, which is specialised for their types where the caller knows them.
  ///
  /// - Parameters:
  ///   - isRequirement: Whether it asks if there is a value.
  ///   - requiredField: The field whose presence says so, if that is enough.
  @usableFromInline
  init(
    _ keyPaths: [any PartialKeyPath<Root> & Sendable], isRequirement: Bool = false,
    requiredField: _PartialField? = nil, message: String?, source: any _PartialCheckSource<Root>,
    isMet: @escaping @Sendable (Partial<Root>) -> Bool
  ) {
    self.keyPaths = keyPaths
    self.isRequirement = isRequirement
    self.requiredField = requiredField
    name = nil
    self.message = message
    self.isMet = isMet
    self.source = source
  }

  /// The same check of a root that has this one at `prefix`.
  func inside<Outer>(_ prefix: any KeyPath<Outer, Root> & Sendable, name: String?) -> _PartialCheck<Outer> {
    var check = source.check(inside: prefix, message: message)
    check.name = name
    return check
  }

  /// Whether the check asks for the value at `keyPath`.
  func concerns(_ keyPath: PartialKeyPath<Root>) -> Bool {
    keyPaths.contains { $0 as PartialKeyPath<Root> == keyPath }
  }

  /// Whether the check asks for a value that a text takes part in, so that it cannot be judged.
  func isOpen(for text: any _PartialText<Root>) -> Bool { keyPaths.contains { text.overlaps($0) } }

  /// The issue to report where the check is not met.
  var issue: Partial<Root>.Validation.Issue {
    var issue = Partial<Root>.Validation.Issue(isRequirement ? .missing : .failed, keyPaths, message: message)
    issue.name = name
    return issue
  }
}

/// The origin of a check, from which the same check of a greater root is made.
@usableFromInline
protocol _PartialCheckSource<Root>: Sendable {
  associatedtype Root
  func check<Outer>(inside prefix: any KeyPath<Outer, Root> & Sendable, message: String?) -> _PartialCheck<Outer>
}

struct _PartialPresenceRequirement<Root>: _PartialCheckSource {
  let keyPath: any PartialKeyPath<Root> & Sendable

  func check<Outer>(inside prefix: any KeyPath<Outer, Root> & Sendable, message: String?) -> _PartialCheck<Outer> {
    _PartialCheck(required: prefix.appending(erased: keyPath), message: message)
  }
}

/// A rule over some values, which holds where one of them is absent; or, where it is a requirement, does not.
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

  @usableFromInline
  func check<Outer>(inside prefix: any KeyPath<Outer, Root> & Sendable, message: String?) -> _PartialCheck<Outer> {
    _PartialCondition<Outer, repeat each Value>(
      repeat prefix.appending(each keyPaths), isRequirement: isRequirement, isValid: isValid
    ).check(message)
  }

  func check(_ message: String?) -> _PartialCheck<Root> {
    var erased: [any PartialKeyPath<Root> & Sendable] = []
    for keyPath in repeat each keyPaths { erased.append(keyPath) }
    return _PartialCheck(erased, isRequirement: isRequirement, message: message, source: self) { isMet(by: $0) }
  }

  private func isMet(by partial: Partial<Root>) -> Bool {
    guard let values = partial._values(for: repeat each keyPaths) else { return !isRequirement }
    return isValid(repeat each values)
  }
}

extension Partial {
  /// The values at all these key paths; nil when one of them is absent.
  func _values<each Value>(for keyPaths: repeat any KeyPath<Root, each Value> & Sendable) -> (repeat each Value)? {
    func value<Member>(_ keyPath: any KeyPath<Root, Member> & Sendable) throws(Partial<Root>.Error) -> Member {
      guard let value = _value(for: keyPath) else { throw .valueNotFound(keyPath) }
      return value
    }
    return try? (repeat value(each keyPaths))
  }
}
