extension Partial.Validation {
  /// The answer of a validation.
  public enum Result<Value> {
    /// Nothing is missing and nothing is wrong; here is what was built.
    case valid(Value)
    /// Something is missing, or something is wrong.
    case incomplete(Shortfall)

    /// Whether nothing is missing and nothing is wrong.
    public var isValid: Bool {
      if case .valid = self { true } else { false }
    }
  }
}

extension Partial.Validation.Result: Sendable where Value: Sendable {}

extension Partial.Validation.Result: Equatable where Value: Equatable {}
extension Partial.Validation.Result: Hashable where Value: Hashable {}
