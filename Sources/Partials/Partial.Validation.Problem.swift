extension Partial.Validation {
  /// What keeps a partial from being valid, as a rule found it.
  public enum Reason: Sendable {
    /// There is no value at a key path that requires one.
    case missing(any PartialKeyPath<Root> & Sendable)
    /// The value at the key path is not as it should be.
    case invalidValue(any PartialKeyPath<Root> & Sendable)

    /// The key path that is missing or has the wrong value.
    public var keyPath: any PartialKeyPath<Root> & Sendable {
      switch self {
      case .missing(let keyPath), .invalidValue(let keyPath): keyPath
      }
    }
  }

  /// A rule that is broken: the reason, and what to tell the user.
  public struct Problem: Sendable {
    /// What is the matter with which key path.
    public let reason: Reason
    /// All key paths that the rule is about; the first is the reason's.
    public let keyPaths: [any PartialKeyPath<Root> & Sendable]
    /// What the reason's key path is called for people, where the validation has a name for it; of several, the first.
    public internal(set) var name: String?
    private let sentence: String?

    init(
      reason: Reason, keyPaths: [any PartialKeyPath<Root> & Sendable], name: String? = nil, message: String? = nil
    ) {
      self.reason = reason
      self.keyPaths = keyPaths
      self.name = name
      sentence = message
    }

    init(_ reason: Reason) {
      self.init(reason: reason, keyPaths: [reason.keyPath])
    }

    /// The message of the rule, or else a sentence that says what is missing or invalid.
    public var message: String {
      if let sentence { return sentence }
      guard let name else { return reason.description }
      return if case .missing = reason { "\(name) is missing" } else { "\(name) is invalid" }
    }
  }
}

extension Partial.Validation.Reason: Hashable {
  /// Whether both say the same of the same key path.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.missing(let left), .missing(let right)), (.invalidValue(let left), .invalidValue(let right)): left == right
    default: false
    }
  }

  /// Feeds what is said and of which key path into `hasher`.
  public func hash(into hasher: inout Hasher) {
    if case .missing = self { hasher.combine(true) } else { hasher.combine(false) }
    hasher.combine(keyPath)
  }
}

extension Partial.Validation.Problem: Hashable {
  /// Whether both have the same reason and the same message.
  public static func == (left: Self, right: Self) -> Bool {
    left.reason == right.reason && left.message == right.message
  }

  /// Feeds the reason and the message into `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(reason)
    hasher.combine(message)
  }
}

extension Partial.Validation.Reason: CustomStringConvertible {
  /// The key path, and what is the matter with it.
  public var description: String {
    switch self {
    case .missing(let keyPath): "\(keyPath) is missing"
    case .invalidValue(let keyPath): "\(keyPath) is invalid"
    }
  }
}

extension Partial.Validation.Problem: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
