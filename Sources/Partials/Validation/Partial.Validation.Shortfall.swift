extension Partial.Validation {
  /// Everything a partial lacks to be valid: a list of all key paths that are missing, and besides it all problems.
  ///
  /// Both are in the order in which the rules were declared. A shortfall of missing values only can be written, and
  /// compared with, as a list of key paths.
  public struct Shortfall: Sendable {
    /// All that is missing or wrong, each with a message.
    public let problems: [Problem]
    /// The error of the root's initializer, when all rules were met and it refused nevertheless.
    public let initializationError: (any Error)?
    /// The key paths that are missing, in declared order: what the shortfall is a collection of.
    ///
    /// There may be none, and something wrong nevertheless.
    public let missing: [any PartialKeyPath<Root> & Sendable]
    /// The indices of the problems of each key path.
    private let problemIndices: [_PartialKey<Root>: [Int]]

    init(_ problems: [Problem], initializationError: (any Error)? = nil) {
      self.problems = problems
      self.initializationError = initializationError
      missing = problems.compactMap { if case .missing(let keyPath) = $0.reason { keyPath } else { nil } }
      var problemIndices: [_PartialKey<Root>: [Int]] = [:]
      for (index, problem) in problems.enumerated() {
        for keyPath in problem.keyPaths { problemIndices[_PartialKey(keyPath), default: []].append(index) }
      }
      self.problemIndices = problemIndices
    }

    @usableFromInline
    init(initializationError error: any Error) {
      let missing = (error as? Partial<Root>.MissingValueError)?.keyPath
      self.init([Problem(missing.map { .missing($0) } ?? .invalidValue(\Root.self))], initializationError: error)
    }

    /// All that is missing or wrong.
    ///
    /// - Complexity: O(*n*) in the number of problems.
    public var reasons: [Reason] { problems.map(\.reason) }

    /// The problems at `keyPath`, to be shown beside the field.
    ///
    /// It is the key path of the rule: that of a whole does not find what is wrong with its parts.
    ///
    /// - Complexity: O(1)
    public func problems(for keyPath: any PartialKeyPath<Root> & Sendable) -> [Problem] {
      problemIndices[_PartialKey(keyPath), default: []].map { problems[$0] }
    }

    /// The messages of what is wrong at `keyPath`, to be shown beside the field.
    ///
    /// - Complexity: O(1)
    public func messages(for keyPath: any PartialKeyPath<Root> & Sendable) -> [String] {
      problems(for: keyPath).map(\.message)
    }
  }
}

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
    self.init(missing.map { Partial.Validation.Problem(.missing($0)) })
  }
}

extension Partial.Validation.Shortfall: Hashable {
  /// Whether both have the same reasons in the same order.
  public static func == (left: Self, right: Self) -> Bool {
    left.problems.lazy.map(\.reason).elementsEqual(right.problems.lazy.map(\.reason))
  }

  /// Feeds the reasons into `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(reasons) }
}

extension Partial.Validation.Shortfall: CustomStringConvertible {
  /// All messages.
  public var description: String { problems.map(\.message).joined(separator: ", ") }
}

extension Partial.Validation {
  /// A reason why a partial is not valid, as a rule found it.
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
    /// The reason, with its key path.
    public let reason: Reason
    /// All key paths that the rule is about; the first is the reason's.
    public let keyPaths: [any PartialKeyPath<Root> & Sendable]
    /// The name of the reason's key path for people, where the validation has one.
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

/// A key path as the key of a dictionary that is Sendable.
struct _PartialKey<Root>: Hashable, Sendable {
  let keyPath: any PartialKeyPath<Root> & Sendable

  init(_ keyPath: any PartialKeyPath<Root> & Sendable) { self.keyPath = keyPath }

  static func == (left: Self, right: Self) -> Bool { left.keyPath == right.keyPath }

  func hash(into hasher: inout Hasher) { hasher.combine(keyPath) }
}
