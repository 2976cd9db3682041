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

  /// Everything a partial lacks to be valid: a list of all key paths that are missing, and besides it all reasons.
  ///
  /// Both are in the order in which the rules were declared. A shortfall of missing values only can be written, and compared
  /// with, as a list of key paths.
  public struct Shortfall: Sendable {
    /// All that is missing or wrong.
    public let reasons: [Reason]
    /// What the root's initializer threw, when all rules were kept and it refused nevertheless.
    public let initializationError: (any Error)?
    private let missing: [any PartialKeyPath<Root> & Sendable]

    init(_ reasons: [Reason], initializationError: (any Error)? = nil) {
      self.reasons = reasons
      self.initializationError = initializationError
      missing = reasons.compactMap { if case .missing(let keyPath) = $0 { keyPath } else { nil } }
    }

    @usableFromInline
    init(initializationError error: any Error) {
      let missing = (error as? Partial<Root>.MissingValueError)?.keyPath
      self.init([missing.map { .missing($0) } ?? .invalidValue(\Root.self)], initializationError: error)
    }
  }
}

extension Partial.Validation.Result: Sendable where Value: Sendable {}

extension Partial.Validation.Shortfall: RandomAccessCollection {
  /// The position of the first missing key path.
  public var startIndex: Int { 0 }

  /// How many key paths are missing.
  public var endIndex: Int { missing.count }

  /// The missing key path at `position`.
  public subscript(position: Int) -> PartialKeyPath<Root> { missing[position] }
}

extension Partial.Validation.Shortfall: ExpressibleByArrayLiteral {
  /// Makes the shortfall of just these missing key paths.
  public init(arrayLiteral missing: any (PartialKeyPath<Root> & Sendable)...) {
    self.init(missing.map { .missing($0) })
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

extension Partial.Validation.Shortfall: Hashable {
  /// Whether both have the same reasons in the same order.
  public static func == (left: Self, right: Self) -> Bool { left.reasons == right.reasons }

  /// Feeds the reasons into `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(reasons) }
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

extension Partial.Validation.Shortfall: CustomStringConvertible {
  /// All reasons.
  public var description: String { reasons.map(\.description).joined(separator: ", ") }
}
