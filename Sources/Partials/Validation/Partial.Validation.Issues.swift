extension Partial.Validation {
  /// All that is wrong with a partial, in the order in which the rules were declared.
  ///
  /// ```swift
  /// struct User { var name: String, age: Int }
  ///
  /// let validation = Partial<User>.Validation(
  ///   .required(\.name, .notEmpty), .required(\.age), .check(\.age, "Must be 18 or older") { $0 >= 18 })
  ///
  /// var form = Partial<User>()
  /// form.age = 12
  /// if case .incomplete(let issues) = validation.validate(form) {
  ///   for issue in issues { print(issue.kind, issue.message) }   // missing name is missing
  ///                                                              // failed Must be 18 or older
  ///   print(issues.contains(\.name), issues.missing.count)       // true 1
  ///   print(issues.issues(for: \.age)[0].message)                // Must be 18 or older
  /// }
  /// ```
  /// A validation reports at least one issue or none of this type. Issues of missing values only, without
  /// messages and names, can be written, and compared with, as a list of key paths; an empty list stands for no issue,
  /// as in `result.issues ?? []`.
  public struct Issues: Hashable, Sendable {
    private let issues: [Issue]

    /// - Precondition: There is one.
    @usableFromInline
    init(_ issues: [Issue]) {
      precondition(!issues.isEmpty, "A partial that is not valid, and nothing that is wrong")
      self.issues = issues
    }

    /// The first key paths of what is missing.
    ///
    /// There may be none, and other issues nevertheless.
    ///
    /// - Complexity: O(*n*) in the number of issues.
    public var missing: [any PartialKeyPath<Root> & Sendable] { filter { $0.kind == .missing }.map { $0.keyPaths[0] } }

    /// The issues about the value at `keyPath`, to be shown beside the field.
    ///
    /// It is a key path of the rule: that of a whole does not find what is wrong with its parts.
    ///
    /// - Complexity: O(*n*) in the number of issues.
    public func issues(for keyPath: PartialKeyPath<Root>) -> [Issue] { filter { $0.concerns(keyPath) } }

    /// Whether there is an issue about the value at `keyPath`.
    ///
    /// - Complexity: O(*n*) in the number of issues.
    public func contains(_ keyPath: PartialKeyPath<Root>) -> Bool { contains { $0.concerns(keyPath) } }
  }
}

extension Partial.Validation.Issues: RandomAccessCollection {
  /// The position of the first issue.
  public var startIndex: Int { 0 }

  /// How many issues there are.
  public var endIndex: Int { issues.count }

  /// The issue at `position`.
  public subscript(position: Int) -> Partial.Validation.Issue { issues[position] }
}

extension Partial.Validation.Issues: ExpressibleByArrayLiteral {
  /// Makes the issues of values that are missing at these key paths.
  public init(arrayLiteral missing: any (PartialKeyPath<Root> & Sendable)...) {
    issues = missing.map { Partial.Validation.Issue(.missing, [$0]) }
  }
}

extension Partial.Validation.Issues: CustomStringConvertible {
  /// All messages.
  public var description: String { map(\.message).joined(separator: ", ") }
}
