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

extension Partial.Validation {
  /// One thing that is wrong with a partial: its kind, the key paths that it is about, and a message for people.
  public struct Issue: Sendable {
    /// The ways in which a partial can be wrong.
    public enum Kind: Hashable, Sendable {
      /// There is no value where one is required.
      case missing
      /// The value is not as a rule asks.
      case failed
      /// A text was entered that its parser did not take: see `enter(_:at:parse:)` of the partial.
      case notUnderstood
      /// All rules are met, and the root's initializer threw an error of its own.
      case initialization
    }

    /// The way in which the partial is wrong.
    public let kind: Kind
    /// The key paths that the issue is about, of which there is at least one.
    ///
    /// A rule over several values has them all. The initializer's is that of the whole, `\.self`.
    public let keyPaths: [any PartialKeyPath<Root> & Sendable]
    /// The error that the root's initializer threw; nil where a rule found the issue.
    public let error: (any Swift.Error)?
    /// The name of the first key path for people, where the validation has one.
    var name: String?
    private let sentence: String?

    init(
      _ kind: Kind, _ keyPaths: [any PartialKeyPath<Root> & Sendable], message: String? = nil,
      error: (any Swift.Error)? = nil
    ) {
      precondition(!keyPaths.isEmpty, "An issue about nothing")
      self.kind = kind
      self.keyPaths = keyPaths
      self.error = error
      sentence = message
    }

    /// The issue of an initializer that threw: a value that it missed is missing.
    @usableFromInline
    init(initialization error: any Swift.Error) {
      if let missing = error as? Partial<Root>.Error {
        self.init(.missing, [missing.keyPath], error: error)
      } else {
        self.init(.initialization, [\Root.self], error: error)
      }
    }

    /// The message of the rule; or else a sentence of the property's name and what is wrong, or the text of the error.
    ///
    /// The name is that of ``Partial/Validation/named(_:)``, or else the property's own, as in `address.street`. A
    /// computed property has that of the schema: without one, it is only "a value".
    public var message: String {
      if let sentence { return sentence }
      let name = name ?? Self.name(of: keyPaths[0])
      return switch kind {
      case .missing: "\(name) is missing"
      case .failed: "\(name) is invalid"
      case .notUnderstood: "\(name) is not understood"
      case .initialization: error.map { "\($0)" } ?? "\(name) is invalid"
      }
    }

    /// Whether the issue is about the value at `keyPath`.
    func concerns(_ keyPath: PartialKeyPath<Root>) -> Bool {
      keyPaths.contains { $0 as PartialKeyPath<Root> == keyPath }
    }

    /// Whether the issue is about the value at `keyPath`, or one inside it.
    func concerns(partOf keyPath: PartialKeyPath<Root>) -> Bool { keyPaths.contains { keyPath._contains($0) } }

    /// The key path as it is written behind a value.
    private static func name(of keyPath: PartialKeyPath<Root>) -> String {
      if keyPath == \Root.self { return "\(Root.self)" }
      let (text, root) = ("\(keyPath)", "\\\(Root.self).")
      // The runtime has no name for a property without storage.
      if text.contains("<computed") { return Partial()._schema?.name(of: keyPath as AnyKeyPath) ?? "A value" }
      return text.hasPrefix(root) ? String(text.dropFirst(root.count)) : text
    }
  }
}

extension Partial.Validation.Issue: Hashable {
  /// Whether both are of one kind, about the same key paths, and with the same message.
  public static func == (left: Self, right: Self) -> Bool {
    left.kind == right.kind && left.keyPaths.elementsEqual(right.keyPaths) { $0 == $1 } && left.message == right.message
  }

  /// Feeds the kind, the key paths and the message into `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    for keyPath in keyPaths { hasher.combine(keyPath) }
    hasher.combine(message)
  }
}

extension Partial.Validation.Issue: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

extension Partial.Validation {
  /// An issue as one of two cases: a value is missing, or it is not as it should be.
  public enum Reason: Hashable, Sendable {
    /// There is no value at a key path that requires one.
    case missing(any PartialKeyPath<Root> & Sendable)
    /// The value at the key path is not as it should be.
    case invalidValue(any PartialKeyPath<Root> & Sendable)

    fileprivate init(_ issue: Issue) {
      self = issue.kind == .missing ? .missing(issue.keyPaths[0]) : .invalidValue(issue.keyPaths[0])
    }

    /// Whether both say the same of the same key path.
    public static func == (left: Self, right: Self) -> Bool {
      switch (left, right) {
      case (.missing(let left), .missing(let right)), (.invalidValue(let left), .invalidValue(let right)): left == right
      default: false
      }
    }

    /// Feeds what is said and of which key path into `hasher`.
    public func hash(into hasher: inout Hasher) {
      switch self {
      case .missing(let keyPath):
        hasher.combine(true)
        hasher.combine(keyPath)
      case .invalidValue(let keyPath):
        hasher.combine(false)
        hasher.combine(keyPath)
      }
    }
  }
}

extension Partial.Validation.Issues {
  /// The issues as one of two cases each, for a `switch`, with their first key paths.
  ///
  /// - Complexity: O(*n*) in the number of issues.
  public var reasons: [Partial.Validation.Reason] { map(Partial.Validation.Reason.init) }
}
