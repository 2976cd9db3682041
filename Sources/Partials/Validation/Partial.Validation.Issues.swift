extension Partial.Validation {
  /// Everything that is wrong with a partial, in the order in which the rules were declared.
  ///
  /// ```swift
  /// struct User { var name: String, age: Int }
  ///
  /// let validation = Partial<User>.Validation(
  ///   .required(\.name, .notEmpty), .required(\.age), .check(\.age, "Must be 18 or older") { $0 >= 18 })
  ///
  /// var form = Partial<User>()
  /// form.age = 12
  /// if let issues = validation.issues(in: form) {
  ///   for issue in issues { print(issue.kind, issue.message) }   // missing name is missing
  ///                                                              // failed Must be 18 or older
  ///   print(issues.contains(\.name), issues.missing.count)       // true 1
  ///   print(issues.issues(for: \.age)[0].message)                // Must be 18 or older
  /// }
  /// ```
  /// A validation returns at least one issue, or no value of this type. Issues of missing values only, without messages
  /// and names, can be written as, and compared with, a list of key paths; an empty list stands for no issue, as in
  /// `validation.issues(in: form) ?? []`.
  public struct Issues: Hashable, Sendable {
    private let issues: [Issue]

    /// - Precondition: `issues` isn't empty.
    @usableFromInline
    init(_ issues: [Issue]) {
      precondition(!issues.isEmpty, "A partial that is not valid, and nothing that is wrong")
      self.issues = issues
    }

    /// The first key path of each issue about a missing value.
    ///
    /// The list may be empty although there are other issues.
    ///
    /// - Complexity: O(*n*) in the number of issues.
    public var missing: [any PartialKeyPath<Root> & Sendable] { filter { $0.kind == .missing }.map { $0.keyPaths[0] } }

    /// The issues about the value at `keyPath`, to show beside the field.
    ///
    /// Pass a key path of the rule: that of a whole doesn't find issues about its parts.
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

  /// The position after the last issue.
  public var endIndex: Int { issues.count }

  /// The issue at `position`.
  public subscript(position: Int) -> Partial.Validation.Issue { issues[position] }
}

extension Partial.Validation.Issues: ExpressibleByArrayLiteral {
  /// Makes issues about missing values at these key paths.
  public init(arrayLiteral missing: any (PartialKeyPath<Root> & Sendable)...) {
    issues = missing.map { Partial.Validation.Issue(.missing, [$0]) }
  }
}

extension Partial.Validation.Issues: CustomStringConvertible {
  /// All messages, separated by commas.
  public var description: String { map(\.message).joined(separator: ", ") }
}

extension Partial.Validation {
  /// One thing that is wrong with a partial: its kind, the key paths that it is about, and a message for the user.
  public struct Issue: Sendable {
    /// The ways in which a partial can be wrong.
    public enum Kind: Hashable, Sendable {
      /// A required value is missing.
      case missing
      /// The value breaks a rule.
      case failed
      /// A text was entered that its parser didn't understand: see `enter(_:at:parse:)` of the partial.
      case notUnderstood
      /// All rules are met, but the root's initializer threw an error of its own.
      case initialization
    }

    /// The way in which the partial is wrong.
    public let kind: Kind
    /// The key paths that the issue is about, at least one.
    ///
    /// An issue of a rule over several values has all of their key paths. An issue of the kind `initialization` has
    /// that of the whole, `\.self`.
    public let keyPaths: [any PartialKeyPath<Root> & Sendable]
    /// The error that the root's initializer threw; nil if a rule found the issue.
    public let error: (any Swift.Error)?
    /// The display name of the first key path, if the validation has one.
    var name: String?
    /// The validation's table of messages, if it has one.
    var table: (@Sendable (String) -> String?)?
    /// The message of the rule, if it has one.
    let sentence: String?

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

    /// Makes the issue of an initializer that threw; if the initializer lacked a value, that value is missing.
    @usableFromInline
    init(initialization error: any Swift.Error) {
      if let missing = error as? Partial<Root>.Error {
        self.init(.missing, [missing.keyPath], error: error)
      } else {
        self.init(.initialization, [\Root.self], error: error)
      }
    }

    /// The message of the rule; otherwise a sentence with the property's name and what is wrong, or the text of the
    /// error.
    ///
    /// The name is that of ``Partial/Validation/named(_:)``, or else the property's own, such as `address.street`, also
    /// if the address is optional. A computed property has its name in the schema; without a schema, it is only "a
    /// value". An app replaces the sentences, and translates messages and names, by
    /// ``Partial/Validation/messages(_:)``.
    public var message: String {
      func translated(_ text: String) -> String { table?(text) ?? text }
      if let sentence { return translated(sentence) }
      let pattern =
        switch kind {
        case .missing: "%@ is missing"
        case .notUnderstood: "%@ is not understood"
        case .failed, .initialization: "%@ is invalid"
        }
      if kind == .initialization, let error { return "\(error)" }
      let name = translated(name ?? Self.name(of: keyPaths[0]))
      return translated(pattern).split(separator: "%@", omittingEmptySubsequences: false).joined(separator: name)
    }

    /// Whether the issue is about the value at `keyPath`.
    func concerns(_ keyPath: PartialKeyPath<Root>) -> Bool {
      keyPaths.contains { $0 as PartialKeyPath<Root> == keyPath }
    }

    /// Whether the issue is about the value at `keyPath`, or one inside it.
    func concerns(partOf keyPath: PartialKeyPath<Root>) -> Bool { keyPaths.contains { keyPath._contains($0) } }

    /// The key path as it is written after a value.
    private static func name(of keyPath: PartialKeyPath<Root>) -> String {
      if keyPath == \Root.self { return "\(Root.self)" }
      let (text, root) = ("\(keyPath)", "\\\(Root.self).")
      // The runtime has no name for a property without storage.
      if text.contains("<computed") { return Partial()._schema?.name(of: keyPath as AnyKeyPath) ?? "A value" }
      return text.hasPrefix(root) ? text.dropFirst(root.count).filter { $0 != "?" && $0 != "!" } : text
    }
  }
}

extension Partial.Validation.Issue: Hashable, CustomStringConvertible {
  /// Whether both have the same kind, key paths and message.
  public static func == (left: Self, right: Self) -> Bool {
    left.kind == right.kind && left.keyPaths.elementsEqual(right.keyPaths) { $0 == $1 } && left.message == right.message
  }

  /// Feeds the kind, the key paths and the message into `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    for keyPath in keyPaths { hasher.combine(keyPath) }
    hasher.combine(message)
  }

  /// The message.
  public var description: String { message }
}

extension Partial.Validation {
  /// An issue as one of two cases: a value is missing, or it is invalid.
  public enum Reason: Hashable, Sendable {
    /// The value that is required at the key path is missing.
    case missing(any PartialKeyPath<Root> & Sendable)
    /// The value at the key path is invalid.
    case invalidValue(any PartialKeyPath<Root> & Sendable)

    fileprivate init(_ issue: Issue) {
      self = issue.kind == .missing ? .missing(issue.keyPaths[0]) : .invalidValue(issue.keyPaths[0])
    }

    /// Whether both are the same case with the same key path.
    public static func == (left: Self, right: Self) -> Bool { left.parts == right.parts }

    /// Feeds the case and the key path into `hasher`.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(parts.isMissing)
      hasher.combine(parts.keyPath)
    }

    private var parts: (isMissing: Bool, keyPath: AnyKeyPath) {
      switch self {
      case .missing(let keyPath): (true, keyPath)
      case .invalidValue(let keyPath): (false, keyPath)
      }
    }
  }
}

extension Partial.Validation.Issues {
  /// Each issue as one of two cases, for a `switch`, with its first key path.
  ///
  /// - Complexity: O(*n*) in the number of issues.
  public var reasons: [Partial.Validation.Reason] { map(Partial.Validation.Reason.init) }
}
