extension Partial.Validation {
  /// One requirement of a validation: that a value is present, that it is valid, or that several values go together.
  ///
  /// A rule can have a message, a sentence to show to the user if the rule is broken. Without one, the message says
  /// which value is missing or invalid.
  public struct Rule: Sendable {
    let checks: [_PartialCheck<Root>]

    @usableFromInline
    init(_ checks: [_PartialCheck<Root>]) { self.checks = checks }

    /// Requires a value at `keyPath`.
    ///
    /// In an optional property, nil counts as a value if it was set. Entering a text sets nil only by the rule
    /// `emptyIsNil` of the schema. An empty text counts as a value as well; to reject it, use
    /// `required(_:_:message:)`.
    public static func required(_ keyPath: any PartialKeyPath<Root> & Sendable, message: String? = nil) -> Rule {
      Rule([_PartialCheck(required: keyPath, message: message)])
    }

    /// Requires a value at `keyPath` that has at least one element.
    ///
    /// An empty text counts as missing, as does one that was never typed.
    public static func required<Value: Collection & SendableMetatype>(
      _ keyPath: any KeyPath<Root, Value> & Sendable, _ requirement: Requirement, message: String? = nil
    ) -> Rule {
      Rule([_PartialCondition(keyPath, isRequirement: true) { !$0.isEmpty }.check(message)])
    }

    /// Requires a value of the optional property at `keyPath` that isn't nil and has at least one element.
    @_documentation(visibility: internal)
    public static func required<Value: Collection & SendableMetatype>(
      _ keyPath: any KeyPath<Root, Value?> & Sendable, _ requirement: Requirement, message: String? = nil
    ) -> Rule {
      Rule([_PartialCondition(keyPath, isRequirement: true) { $0.map { !$0.isEmpty } ?? false }.check(message)])
    }

    /// A condition that a value must meet to count as present.
    public enum Requirement: Sendable {
      /// The value has at least one element.
      case notEmpty
    }

    /// Asks `isValid` about the value at `keyPath`, if there is one.
    ///
    /// If the value isn't valid, the issue has `message`.
    ///
    /// ```swift
    /// struct User { var age: Int }
    ///
    /// let validation = Partial<User>.Validation(
    ///   .required(\.age), .check(\.age, "Must be 18 or older") { $0 >= 18 })
    /// ```
    /// If the value must be present, add a `required` rule. One key path can have many rules.
    @inlinable
    public static func check<Value>(
      _ keyPath: any KeyPath<Root, Value> & Sendable, _ message: String, _ isValid: @escaping @Sendable (Value) -> Bool
    ) -> Rule {
      valueValidation(keyPath: keyPath, message: message, isValid)
    }

    /// Asks `isValid` about the value of the optional property at `keyPath`, if there is one and it isn't nil.
    ///
    /// If the value isn't valid, the issue has `message`.
    @_documentation(visibility: internal)
    @inlinable
    public static func check<Value>(
      _ keyPath: any KeyPath<Root, Value?> & Sendable, _ message: String, _ isValid: @escaping @Sendable (Value) -> Bool
    ) -> Rule {
      valueValidation(keyPath: keyPath, message: message, isValid)
    }

    /// Asks `isValid` about the value at `keyPath`, if there is one.
    ///
    /// If the value must be present, add a `required(_:message:)` rule. One key path can have many rules.
    @inlinable
    public static func valueValidation<Value>(
      keyPath: any KeyPath<Root, Value> & Sendable, message: String? = nil,
      _ isValid: @escaping @Sendable (Value) -> Bool
    ) -> Rule {
      let field = _PartialField(keyPath)
      let check = _PartialCondition(keyPath, isValid: isValid).check(message) { partial in
        partial._value(in: field, for: keyPath).map(isValid) ?? true
      }
      return Rule([check])
    }

    /// Asks `isValid` about the value of the optional property at `keyPath`, if there is one and it isn't nil.
    @_documentation(visibility: internal)
    @inlinable
    public static func valueValidation<Value>(
      keyPath: any KeyPath<Root, Value?> & Sendable, message: String? = nil,
      _ isValid: @escaping @Sendable (Value) -> Bool
    ) -> Rule {
      valueValidation(keyPath: keyPath, message: message) { (value: Value?) in value.map(isValid) ?? true }
    }

    /// Asks `isValid` about the values at all these key paths, if all of them are present.
    ///
    /// ```swift
    /// struct Trip { var start: Date, end: Date }
    ///
    /// let validation = Partial<Trip>.Validation(
    ///   .valueValidation(keyPaths: \.end, \.start, message: "A trip ends after it has begun.") { $0 >= $1 })
    /// ```
    /// For an optional property, the rule gets the optional itself, because nil counts as a value if it was set.
    ///
    /// The issue is about all of the key paths.
    public static func valueValidation<First, each Other>(
      keyPaths first: any KeyPath<Root, First> & Sendable, _ others: repeat any KeyPath<Root, each Other> & Sendable,
      message: String? = nil, _ isValid: @escaping @Sendable (First, repeat each Other) -> Bool
    ) -> Rule {
      Rule([_PartialCondition(first, repeat each others, isValid: isValid).check(message)])
    }

    /// Checks the parts of the property at `keyPath` with the rules of `validation`, and reports issues with their full
    /// key path.
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
