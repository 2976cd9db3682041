extension Partial.Validation {
  /// One thing a validation asks for: that a value is there, or that it is a good one.
  public struct Rule: Sendable {
    let keyPath: any PartialKeyPath<Root> & Sendable
    /// The place of the value that is required, where it has an offset.
    let requiredField: _PartialField?
    /// Whether the value will do, where it is present; nil when the rule is that it must be present.
    private let isValid: (@Sendable (Partial<Root>) -> Bool)?

    @usableFromInline
    init(_ keyPath: any PartialKeyPath<Root> & Sendable, isValid: (@Sendable (Partial<Root>) -> Bool)?) {
      self.keyPath = keyPath
      self.isValid = isValid
      requiredField = isValid == nil ? _PartialField(erased: keyPath) : nil
    }

    /// There is a value at `keyPath`.
    ///
    /// Of an optional property, nil is a value, too, when it has been set.
    public static func required(_ keyPath: any PartialKeyPath<Root> & Sendable) -> Rule {
      Rule(keyPath, isValid: nil)
    }

    /// The value at `keyPath` is such that `isValid` says so, where there is one.
    ///
    /// A value that must not be absent takes a `required(_:)` rule besides. One key path can have many rules.
    @inlinable
    public static func valueValidation<Value>(
      keyPath: any KeyPath<Root, Value> & Sendable, _ isValid: @escaping @Sendable (Value) -> Bool
    ) -> Rule {
      let field = _PartialField(keyPath)
      return Rule(keyPath, isValid: { partial in partial._value(in: field, for: keyPath).map(isValid) ?? true })
    }

    /// The value of the optional property at `keyPath` is such that `isValid` says so, where there is one and it is not nil.
    @inlinable
    public static func valueValidation<Value>(
      keyPath: any KeyPath<Root, Value?> & Sendable, _ isValid: @escaping @Sendable (Value) -> Bool
    ) -> Rule {
      let field = _PartialField(keyPath)
      return Rule(keyPath, isValid: { ($0._value(in: field, for: keyPath) ?? nil).map(isValid) ?? true })
    }

    /// Why `partial` does not keep the rule; nil when it does.
    func reason(against partial: Partial<Root>) -> Reason? {
      if let isValid {
        isValid(partial) ? nil : .invalidValue(keyPath)
      } else {
        partial._contains(requiredField, keyPath) ? nil : .missing(keyPath)
      }
    }
  }
}
