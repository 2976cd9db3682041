extension Partial.Validation {
  /// One thing a validation asks for: that a value is there, or that it is a good one, or that some go together.
  ///
  /// A rule can bring a message, a sentence to show to the user when it is broken; without one, the message says which
  /// value is missing or invalid.
  public struct Rule: Sendable {
    let checks: [_PartialCheck<Root>]

    @usableFromInline
    init(_ check: _PartialCheck<Root>) { checks = [check] }

    private init(_ checks: [_PartialCheck<Root>]) { self.checks = checks }

    /// There is a value at `keyPath`.
    ///
    /// Of an optional property, nil is a value, too, when it has been set. An empty text is one as well: a
    /// `valueValidation` besides says what a value must not be.
    public static func required(_ keyPath: any PartialKeyPath<Root> & Sendable, message: String? = nil) -> Rule {
      Rule(_PartialCheck(required: keyPath, message: message))
    }

    /// The value at `keyPath` is such that `isValid` says so, where there is one.
    ///
    /// A value that must not be absent takes a `required(_:message:)` rule besides. One key path can have many rules.
    @inlinable
    public static func valueValidation<Value>(
      keyPath: any KeyPath<Root, Value> & Sendable, message: String? = nil,
      _ isValid: @escaping @Sendable (Value) -> Bool
    ) -> Rule {
      let field = _PartialField(keyPath)
      let source = _PartialCondition(keyPath, isValid: isValid)
      return Rule(
        _PartialCheck([keyPath], message: message, source: source) { partial in
          partial._value(in: field, for: keyPath).map(isValid) ?? true
        })
    }

    /// The value of the optional property at `keyPath` is such that `isValid` says so, where there is one and it is not
    /// nil.
    @inlinable
    public static func valueValidation<Value>(
      keyPath: any KeyPath<Root, Value?> & Sendable, message: String? = nil,
      _ isValid: @escaping @Sendable (Value) -> Bool
    ) -> Rule {
      valueValidation(keyPath: keyPath, message: message) { (value: Value?) in value.map(isValid) ?? true }
    }

    /// The values at all these key paths go together such that `isValid` says so, where all of them are present.
    ///
    /// ```swift
    /// struct Trip { var start: Date, end: Date }
    ///
    /// let validation = Partial<Trip>.Validation(
    ///   .valueValidation(keyPaths: \.end, \.start, message: "A trip ends after it has begun.") { $0 >= $1 })
    /// ```
    /// Of an optional property the rule gets the optional itself, since nil is a value, too, when it has been set.
    ///
    /// The reason names the first key path; among the messages of each of them is this one.
    public static func valueValidation<First, each Other>(
      keyPaths first: any KeyPath<Root, First> & Sendable, _ others: repeat any KeyPath<Root, each Other> & Sendable,
      message: String? = nil, _ isValid: @escaping @Sendable (First, repeat each Other) -> Bool
    ) -> Rule {
      Rule(_PartialCondition(first, repeat each others, isValid: isValid).check(message))
    }

    /// The parts of the property at `keyPath` keep the rules of `validation`, and are reported with their full key
    /// path.
    ///
    /// ```swift
    /// struct Address { var street: String, town: String }
    /// struct Person { var name: String, address: Address }
    ///
    /// let address = Partial<Address>.Validation(.required(\.street), .required(\.town))
    /// let person = Partial<Person>.Validation(.required(\.name), .nested(\.address, address))
    ///
    /// var partial = Partial<Person>()
    /// partial.name = "Ada"
    /// partial[\.address.town] = "London"
    /// print(person.shortfall(of: partial)!)     // \Person.address.street is missing
    /// ```
    public static func nested<Value>(
      _ keyPath: any KeyPath<Root, Value> & Sendable, _ validation: Partial<Value>.Validation
    ) -> Rule {
      Rule(validation.checks(inside: keyPath))
    }
  }
}

/// One question of a rule, made ready to be asked.
@usableFromInline
struct _PartialCheck<Root>: Sendable {
  /// The key paths of values that are to be there or to be right; a reason names the first.
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
    keyPaths = [keyPath]
    isRequirement = true
    requiredField = field
    name = nil
    self.message = message
    let type = ObjectIdentifier(type(of: keyPath).valueType)
    isMet = { partial in
      guard let field else { return partial._containsBoxed(keyPath) }
      return partial._storage.isPresent(field) && partial._storage.wasSetWhole(field, as: type)
    }
    source = _PartialRequirement(keyPath: keyPath)
  }

  /// A check of values by `isMet`, which is specialised for their types where the caller knows them.
  @usableFromInline
  init(
    _ keyPaths: [any PartialKeyPath<Root> & Sendable], message: String?, source: any _PartialCheckSource<Root>,
    isMet: @escaping @Sendable (Partial<Root>) -> Bool
  ) {
    self.keyPaths = keyPaths
    isRequirement = false
    requiredField = nil
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

  /// The problem to report where the check is not met.
  var problem: Partial<Root>.Validation.Problem {
    let keyPath = keyPaths[0]
    return Partial<Root>.Validation.Problem(
      reason: isRequirement ? .missing(keyPath) : .invalidValue(keyPath), keyPaths: keyPaths, name: name,
      message: message)
  }
}

/// The origin of a check, from which the same check of a greater root is made.
@usableFromInline
protocol _PartialCheckSource<Root>: Sendable {
  associatedtype Root
  func check<Outer>(inside prefix: any KeyPath<Outer, Root> & Sendable, message: String?) -> _PartialCheck<Outer>
}

struct _PartialRequirement<Root>: _PartialCheckSource {
  let keyPath: any PartialKeyPath<Root> & Sendable

  func check<Outer>(inside prefix: any KeyPath<Outer, Root> & Sendable, message: String?) -> _PartialCheck<Outer> {
    _PartialCheck(required: prefix.appending(erased: keyPath), message: message)
  }
}

/// A rule over some values, which holds where one of them is absent.
@usableFromInline
struct _PartialCondition<Root, each Value>: _PartialCheckSource {
  let keyPaths: (repeat any KeyPath<Root, each Value> & Sendable)
  let isValid: @Sendable (repeat each Value) -> Bool

  @usableFromInline
  init(
    _ keyPaths: repeat any KeyPath<Root, each Value> & Sendable,
    isValid: @escaping @Sendable (repeat each Value) -> Bool
  ) {
    self.keyPaths = (repeat each keyPaths)
    self.isValid = isValid
  }

  @usableFromInline
  func check<Outer>(inside prefix: any KeyPath<Outer, Root> & Sendable, message: String?) -> _PartialCheck<Outer> {
    _PartialCondition<Outer, repeat each Value>(repeat prefix.appending(each keyPaths), isValid: isValid).check(message)
  }

  func check(_ message: String?) -> _PartialCheck<Root> {
    var erased: [any PartialKeyPath<Root> & Sendable] = []
    for keyPath in repeat each keyPaths { erased.append(keyPath) }
    return _PartialCheck(erased, message: message, source: self) { isMet(by: $0) }
  }

  private func isMet(by partial: Partial<Root>) -> Bool {
    guard let values = partial._values(for: repeat each keyPaths) else { return true }
    return isValid(repeat each values)
  }
}

extension Partial {
  /// The values at all these key paths; nil when one of them is absent.
  func _values<each Value>(for keyPaths: repeat any KeyPath<Root, each Value> & Sendable) -> (repeat each Value)? {
    func value<Member>(_ keyPath: any KeyPath<Root, Member> & Sendable) throws(MissingValueError) -> Member {
      guard let value = _value(for: keyPath) else { throw MissingValueError(keyPath) }
      return value
    }
    return try? (repeat value(each keyPaths))
  }
}
