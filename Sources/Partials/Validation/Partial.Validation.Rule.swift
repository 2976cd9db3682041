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
    /// Of an optional property, nil is a value, too, when it has been set. Entering a text never sets nil. An empty
    /// text is a value as well: see `required(_:_:message:)`.
    public static func required(_ keyPath: any PartialKeyPath<Root> & Sendable, message: String? = nil) -> Rule {
      Rule(_PartialCheck(required: keyPath, message: message))
    }

    /// There is a value at `keyPath`, and it has at least one element.
    ///
    /// An empty text is missing, as is one that was never typed.
    public static func required<Value: Collection & SendableMetatype>(
      _ keyPath: any KeyPath<Root, Value> & Sendable, _ requirement: Requirement, message: String? = nil
    ) -> Rule {
      Rule(_PartialCondition(keyPath, isRequirement: true) { !$0.isEmpty }.check(message))
    }

    /// There is a value of the optional property at `keyPath`, it is not nil, and it has at least one element.
    @_documentation(visibility: internal)
    public static func required<Value: Collection & SendableMetatype>(
      _ keyPath: any KeyPath<Root, Value?> & Sendable, _ requirement: Requirement, message: String? = nil
    ) -> Rule {
      Rule(_PartialCondition(keyPath, isRequirement: true) { $0.map { !$0.isEmpty } ?? false }.check(message))
    }

    /// What a value must be to count as there.
    public enum Requirement: Sendable {
      /// The value has an element.
      case notEmpty
    }

    /// Asks `isValid` about the value at `keyPath`, where there is one.
    ///
    /// Where it is not valid, the issue has `message`.
    ///
    /// ```swift
    /// struct User { var age: Int }
    ///
    /// let validation = Partial<User>.Validation(
    ///   .required(\.age), .check(\.age, "Must be 18 or older") { $0 >= 18 })
    /// ```
    /// A value that must not be absent takes a `required` rule besides. One key path can have many rules.
    @inlinable
    public static func check<Value>(
      _ keyPath: any KeyPath<Root, Value> & Sendable, _ message: String, _ isValid: @escaping @Sendable (Value) -> Bool
    ) -> Rule {
      valueValidation(keyPath: keyPath, message: message, isValid)
    }

    /// Asks `isValid` about the value of the optional property at `keyPath`, where there is one and it is not nil.
    ///
    /// Where it is not valid, the issue has `message`.
    @_documentation(visibility: internal)
    @inlinable
    public static func check<Value>(
      _ keyPath: any KeyPath<Root, Value?> & Sendable, _ message: String, _ isValid: @escaping @Sendable (Value) -> Bool
    ) -> Rule {
      valueValidation(keyPath: keyPath, message: message, isValid)
    }

    /// Asks `isValid` about the value at `keyPath`, where there is one.
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
    @_documentation(visibility: internal)
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
    /// The issue is about all of them.
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
    /// print(person.issues(in: partial)!)        // address.street is missing
    /// ```
    public static func nested<Value>(
      _ keyPath: any KeyPath<Root, Value> & Sendable, _ validation: Partial<Value>.Validation
    ) -> Rule {
      Rule(validation.checks(inside: keyPath))
    }
  }
}
