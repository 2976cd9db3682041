extension Partial {
  /// The rules for a partial from which a root can be built: which values it must have, and what they must be like.
  ///
  /// ```swift
  /// struct User: PartialInitializable {
  ///   var firstName: String
  ///   var lastName: String
  ///   var age: Int?
  ///   init(from partial: Partial<User>) throws {
  ///     self.firstName = try partial.value(for: \.firstName)
  ///     self.lastName = try partial.value(for: \.lastName)
  ///     self.age = partial.value(for: \.age)
  ///   }
  /// }
  ///
  /// let validation = Partial<User>.Validation(
  ///   .required(\.firstName, .notEmpty),
  ///   .required(\.lastName, .notEmpty),
  ///   .check(\.age, "Must be 18 or older") { $0 >= 18 })
  ///
  /// var partial = Partial<User>()
  /// partial.firstName = "Ian"
  /// partial.age = 12
  ///
  /// switch validation.validate(partial) {
  /// case .valid(let user):
  ///   print("Welcome, \(user.firstName)")
  /// case .incomplete(let issues):
  ///   print(issues.contains(\.lastName))                     // true
  ///   print(issues.issues(for: \.age).map(\.message))        // ["Must be 18 or older"]
  /// }
  /// ```
  /// An entered text that isn't understood is an issue as well, even if no rule is about its value. Rules about that
  /// value, its parts, or a whole around it aren't checked, because the user sees another text there.
  ///
  /// A decoded town of an address that isn't there is an issue, too: the address is missing. Without it the root would
  /// lose the town. So validate a PATCH over its original: `form = Partial(over: stored)`, then `form.merge(patch)`.
  ///
  /// All required stored properties are checked at once: the partial's presence bits are compared with one mask.
  public struct Validation: Sendable {
    /// All checks, in the order in which they were declared.
    let checks: [_PartialCheck<Root>]
    /// The display names of key paths.
    private var names: [(keyPath: any PartialKeyPath<Root> & Sendable, name: String)] = []
    /// The table that translates messages; nil for English.
    private var table: (@Sendable (String) -> String?)?
    /// The united presence bits of all required values that have an offset.
    @usableFromInline let mask: [UInt64]
    /// Whether the schema has rules, so that the checks are asked about normal values.
    @usableFromInline let normalizes: Bool
    /// The number of required key paths, each counted once.
    private let requirementCount: Int
    /// The indices of the checks that the mask does not cover.
    @usableFromInline let checksBesidesMask: [Int]

    /// Makes a validation with these rules; issues are reported in their order.
    public init(_ rules: [Rule]) {
      checks = rules.flatMap(\.checks)
      mask = _UnsafePartialStorage<Root>.mask(of: checks.compactMap(\.requiredField))
      checksBesidesMask = checks.indices.filter { [checks] in checks[$0].requiredField == nil }
      requirementCount = Self.requirements(in: checks).count
      normalizes = Partial()._schema?.hasRules ?? false
    }

    /// Makes a validation with these rules; issues are reported in their order.
    public init(_ rules: Rule...) {
      self.init(rules)
    }

    /// Makes a validation that requires a value at each key path; issues are reported in this order.
    public init(
      requiredKeyPaths first: any PartialKeyPath<Root> & Sendable, _ others: any (PartialKeyPath<Root> & Sendable)...
    ) {
      self.init(([first] + others).map { .required($0) })
    }

    /// The same validation with display names, which messages use instead of key paths.
    ///
    /// ```swift
    /// struct User { var name: String, email: String }
    ///
    /// let validation = Partial<User>.Validation(.required(\.name), .required(\.email))
    ///   .named([\.name: "Name", \.email: "E-mail address"])
    /// print(validation.issues(in: Partial())!)      // Name is missing, E-mail address is missing
    /// ```
    public func named(_ names: KeyValuePairs<any PartialKeyPath<Root> & Sendable, String>) -> Validation {
      var validation = self
      validation.names += names.map { (keyPath: $0.key, name: $0.value) }
      return validation
    }

    /// The same validation, whose messages come from a table of the app, such as those of another language.
    ///
    /// ```swift
    /// struct User { var name: String, age: Int }
    ///
    /// let german = ["%@ is missing": "%@ fehlt", "Name": "Der Name", "Too young": "Zu jung"]
    /// let rules = Partial<User>.Validation(.required(\.name), .check(\.age, "Too young") { $0 >= 18 })
    ///   .named([\.name: "Name"])
    ///   .messages { german[$0] }
    ///
    /// var form = Partial<User>()
    /// form.age = 12
    /// print(rules.issues(in: form)!)  // Der Name fehlt, Zu jung
    /// ```
    /// The table is asked for the message of a rule, for a name, and for one of the sentences "%@ is missing", "%@ is
    /// invalid" and "%@ is not understood", in which `%@` stands for the name. A text for which it returns nil stays
    /// in English. The table is asked whenever a message is read, so the language may change while the app runs. With a
    /// string catalog, it is `{ NSLocalizedString($0, comment: "") }`.
    ///
    /// The table also translates the issues of nested validations, whose own tables aren't used.
    public func messages(_ table: @escaping @Sendable (_ text: String) -> String?) -> Validation {
      var validation = self
      validation.table = table
      return validation
    }

    /// The issues in `partial`; nil if it is valid.
    ///
    /// No root is built, so you can call this after each key press, for example to enable a button once everything is
    /// there.
    ///
    /// - Complexity: O(*w*) in the words of the mask if the required values are present, and one call for each other
    ///   rule. If something is missing, O(*r*) in the number of rules.
    @inlinable
    public func issues(in partial: Partial) -> Issues? {
      let isMaskMet =
        partial._storage.isPresent(allOf: mask)
        && (partial._storage.state.isPlainToRead || _isMaskMet(besidesPresenceIn: partial))
      return isMaskMet && checksBesidesMask.isEmpty ? nil : _issues(in: partial, isMaskMet: isMaskMet)
    }

    /// The issues in a complete value, such as `form.current` of a `Dirtyable`; nil if it is valid.
    ///
    /// ```swift
    /// struct User { var name = "", age = 0 }
    ///
    /// let rules = Partial<User>.Validation(.check(\.age, "Too young") { $0 >= 18 })
    /// print(rules.issues(in: User(name: "Ada", age: 12))!)  // Too young
    /// ```
    ///
    /// - Complexity: That of copying the value, and of `issues(in:)` for a partial that has all of it.
    @_disfavoredOverload
    public func issues(in root: Root) -> Issues? { issues(in: Partial(root)) }

    /// Whether the values that the mask found present have the required types, no text was entered, and no part of an
    /// optional has no place.
    @usableFromInline
    func _isMaskMet(besidesPresenceIn partial: Partial) -> Bool {
      guard !partial._storage.state.hasTexts, partial._losses.isEmpty else { return false }
      return !partial._storage.state.hasConstants || checks.allSatisfy { $0.requiredField == nil || $0.isMet(partial) }
    }

    /// The partial with the normal values by the rules of the schema, if it has any.
    @usableFromInline
    func normalized(_ partial: Partial) -> Partial {
      guard normalizes, let schema = partial._schema else { return partial }
      return schema.normalized(partial, keepingOriginal: false)
    }

    /// The issues that the checks find, those of all texts that aren't understood, and at the end, those of optionals
    /// that have parts, but no value.
    ///
    /// The issue of such a text is at the place of the first rule about its value, or else at the end.
    ///
    /// - Parameter isMaskMet: Whether all values of the mask are present, so that only the other checks are left.
    @usableFromInline
    func _issues(in partial: Partial, isMaskMet: Bool) -> Issues? {
      let partial = normalized(partial)
      let texts = partial._textsNotUnderstood
      var unread = texts.map { $0.keyPath }
      var issues: [Issue] = []
      for check in isMaskMet ? checksBesidesMask.map({ checks[$0] }) : checks {
        while let index = unread.firstIndex(where: { check.issue.concerns($0) }) {
          var issue = Issue(.notUnderstood, [unread.remove(at: index)])
          // Keep the name that a nested validation has given it.
          if check.issue.keyPaths == issue.keyPaths { issue.name = check.issue.name }
          issues.append(named(issue))
        }
        if !texts.contains(where: check.isOpen) && !check.isMet(partial) { issues.append(named(check.issue)) }
      }
      let missing = partial._losses.map { Issue($0.isMissing || $0.isOpen ? .missing : .failed, [$0.keyPath]) }
      let known = Set(issues.map { $0.keyPaths[0] as AnyKeyPath })
      issues += unread.map { named(Issue(.notUnderstood, [$0])) }
      issues += missing.filter { !known.contains($0.keyPaths[0]) }.map(named)
      return issues.isEmpty ? nil : Issues(issues)
    }

    /// The issue with this validation's display name for its key path, which may replace that of a nested validation,
    /// and with its table of messages.
    @usableFromInline
    func named(_ issue: Issue) -> Issue {
      var issue = issue
      issue.name = names.last { $0.keyPath as AnyKeyPath == issue.keyPaths[0] }?.name ?? issue.name
      issue.table = table
      return issue
    }

    /// The checks for a root that has this one at `prefix`.
    func checks<Outer>(inside prefix: any KeyPath<Outer, Root> & Sendable) -> [_PartialCheck<Outer>] {
      checks.map { $0.inside(prefix, name: named($0.issue).name) }
    }

    /// How many of the required key paths have a value in `partial`.
    ///
    /// - Complexity: O(*r*) in the number of rules.
    public func progress(of partial: Partial) -> (completed: Int, total: Int) {
      let partial = normalized(partial)
      let texts = partial._textsNotUnderstood
      let missing = checks.filter { check in
        check.isRequirement && (texts.contains(where: check.isOpen) || !check.isMet(partial))
      }
      return (requirementCount - Self.requirements(in: missing).count, requirementCount)
    }

    private static func requirements(in checks: [_PartialCheck<Root>]) -> Set<AnyKeyPath> {
      Set(checks.lazy.filter(\.isRequirement).map { $0.issue.keyPaths[0] })
    }
  }
}

extension Partial.Validation where Root: PartialInitializable {
  /// Checks `partial` with all rules and, if nothing is wrong, builds the root.
  ///
  /// A value that the initializer lacks is reported as missing, too, even if no rule requires it. Any other error that
  /// it throws becomes an issue of the kind `initialization`, about the whole, `\.self`, with this `error`.
  ///
  /// - Complexity: That of `issues(in:)`, and that of the root's initializer.
  @inlinable
  public func validate(_ partial: Partial<Root>) -> Result {
    issues(in: partial).map { .incomplete($0) } ?? build(from: partial)
  }

  /// Builds the root of a partial in which no rule finds anything wrong.
  @inlinable
  func build(from partial: Partial<Root>) -> Result {
    do {
      return .valid(normalizes ? try Root(from: normalized(partial)) : try Root(from: partial))
    } catch {
      return .incomplete(Issues([named(Issue(initialization: error))]))
    }
  }
}

extension Partial.Validation {
  /// The result of a validation.
  public enum Result {
    /// Nothing is missing or wrong; the associated value was built from the partial.
    case valid(Root)
    /// Something is missing or wrong.
    case incomplete(Issues)

    /// Don't use this: an incomplete result has at least one issue.
    @_documentation(visibility: internal)
    @available(*, deprecated, message: "an incomplete result has at least one issue")
    public static func incomplete(_ none: [Never]) -> Result {
      preconditionFailure("An incomplete result without an issue")
    }
  }
}

extension Partial.Validation.Result: Sendable where Root: Sendable {}

extension Partial.Validation.Result: Equatable where Root: Equatable {}
extension Partial.Validation.Result: Hashable where Root: Hashable {}
