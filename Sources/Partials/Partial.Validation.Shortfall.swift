extension Partial.Validation {
  /// Everything a partial lacks to be valid: a list of all key paths that are missing, and besides it all problems.
  ///
  /// Both are in the order in which the rules were declared. A shortfall of missing values only can be written, and compared
  /// with, as a list of key paths.
  public struct Shortfall: Sendable {
    /// All that is missing or wrong, each with a message.
    public let problems: [Problem]
    /// What the root's initializer threw, when all rules were kept and it refused nevertheless.
    public let initializationError: (any Error)?
    /// The key paths that are missing, in declared order: what the shortfall is a collection of.
    ///
    /// There may be none, and something wrong nevertheless.
    public let missing: [any PartialKeyPath<Root> & Sendable]
    /// Which problems each key path has.
    private let places: [_PartialKey<Root>: [Int]]

    init(_ problems: [Problem], initializationError: (any Error)? = nil) {
      self.problems = problems
      self.initializationError = initializationError
      missing = problems.compactMap { if case .missing(let keyPath) = $0.reason { keyPath } else { nil } }
      var places: [_PartialKey<Root>: [Int]] = [:]
      for (index, problem) in problems.enumerated() {
        for keyPath in problem.keyPaths { places[_PartialKey(keyPath), default: []].append(index) }
      }
      self.places = places
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

    /// What is wrong at `keyPath`, to be shown beside the field.
    ///
    /// It is the key path of the rule: that of a whole does not find what is wrong with its parts.
    ///
    /// - Complexity: O(1)
    public func problems(for keyPath: any PartialKeyPath<Root> & Sendable) -> [Problem] {
      places[_PartialKey(keyPath), default: []].map { problems[$0] }
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
