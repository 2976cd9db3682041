extension Partial {
  /// The rules for a partial of which a root can be built: values it must have, and what they must be like.
  ///
  /// ```swift
  /// struct User: PartialInitializable {
  ///   let firstName: String
  ///   let lastName: String
  ///   let age: Int?
  ///   init(from partial: Partial<User>) throws {
  ///     self.firstName = try partial.value(for: \.firstName)
  ///     self.lastName = try partial.value(for: \.lastName)
  ///     self.age = partial.value(for: \.age)
  ///   }
  /// }
  ///
  /// let validation = Partial<User>.Validation(
  ///   .required(\User.firstName),
  ///   .valueValidation(keyPath: \User.firstName, { !$0.isEmpty }),
  ///   .required(\User.lastName),
  ///   .valueValidation(keyPath: \User.age, message: "Come back when you are 18.", { $0 >= 18 }))
  ///
  /// var partial = Partial<User>()
  /// partial.firstName = "Ian"
  /// partial.age = 12
  ///
  /// switch validation.validate(partial) {
  /// case .valid(let user):
  ///   print("Welcome, \(user.firstName)")
  /// case .incomplete(let missing):
  ///   print(missing.contains(\User.lastName))   // true
  ///   print(missing.messages(for: \.age))       // ["Come back when you are 18."]
  ///   for reason in missing.reasons {
  ///     switch reason {
  ///     case .missing(let keyPath): print("\(keyPath) is missing")
  ///     case .invalidValue(let keyPath): print("\(keyPath) will not do")
  ///     }
  ///   }
  /// }
  /// ```
  /// All required stored properties are checked at once, by comparing the partial's presence bits with one mask.
  public struct Validation: Sendable {
    /// All that is asked for, in the order in which it was declared.
    let checks: [_PartialCheck<Root>]
    /// The names of key paths for people.
    private var names: [_PartialKey<Root>: String] = [:]
    /// The united presence of all values that are required and have an offset.
    @usableFromInline let mask: [UInt64]
    /// How many key paths are required, each counted once.
    private let requirementCount: Int
    /// The indices of the checks that the mask does not cover.
    @usableFromInline let checksBesidesMask: [Int]

    /// Makes a validation of rules, which are reported in this order.
    public init(_ rules: [Rule]) {
      checks = rules.flatMap(\.checks)
      mask = _UnsafePartialStorage<Root>.mask(of: checks.compactMap(\.requiredField))
      checksBesidesMask = checks.indices.filter { [checks] in checks[$0].requiredField == nil }
      requirementCount = Self.requirements(in: checks).count
    }

    /// Makes a validation of rules, which are reported in this order.
    public init(_ rules: Rule...) {
      self.init(rules)
    }

    /// Makes a validation that asks for a value at each key path, and reports what is missing in this order.
    public init(
      requiredKeyPaths first: any PartialKeyPath<Root> & Sendable, _ others: any (PartialKeyPath<Root> & Sendable)...
    ) {
      self.init(([first] + others).map { .required($0) })
    }

    /// The same validation with names for people, to be used in messages instead of key paths.
    ///
    /// ```swift
    /// struct User { var name: String, email: String }
    ///
    /// let validation = Partial<User>.Validation(.required(\.name), .required(\.email))
    ///   .named([\.name: "Name", \.email: "E-mail address"])
    /// print(validation.shortfall(of: Partial())!)   // Name is missing, E-mail address is missing
    /// ```
    public func named(_ names: KeyValuePairs<any PartialKeyPath<Root> & Sendable, String>) -> Validation {
      var validation = self
      for (keyPath, name) in names { validation.names[_PartialKey(keyPath)] = name }
      return validation
    }

    /// The shortfall of `partial`; nil when it is valid.
    ///
    /// Nothing is built. So this is the question to ask after each key press, as for a button that is enabled when all
    /// is there.
    ///
    /// - Complexity: O(*w*) in the words of the mask where a value is required and present, and one call per other
    ///   rule. When something is missing, O(*r*) in the number of rules.
    @inlinable
    public func shortfall(of partial: Partial) -> Shortfall? {
      let isMaskMet =
        partial._storage.isPresent(allOf: mask) && (!partial._storage.hasConstants || _wereSetWhole(in: partial))
      return isMaskMet && checksBesidesMask.isEmpty ? nil : _shortfall(of: partial, isMaskMet: isMaskMet)
    }

    /// Whether what the mask found present is of the types that are required.
    @usableFromInline
    func _wereSetWhole(in partial: Partial) -> Bool {
      checks.allSatisfy { $0.requiredField == nil || $0.isMet(partial) }
    }

    @usableFromInline
    func _shortfall(of partial: Partial, isMaskMet: Bool) -> Shortfall? {
      let indices = isMaskMet ? checksBesidesMask : Array(checks.indices)
      let problems = indices.filter { !checks[$0].isMet(partial) }.map { named(checks[$0].problem) }
      return problems.isEmpty ? nil : Shortfall(problems)
    }

    /// The problem with the name for its key path, which may replace that of a validation nested in this one.
    func named(_ problem: Problem) -> Problem {
      var problem = problem
      problem.name = names[_PartialKey(problem.reason.keyPath)] ?? problem.name
      return problem
    }

    /// The checks as those of a root that has this one at `prefix`.
    func checks<Outer>(inside prefix: any KeyPath<Outer, Root> & Sendable) -> [_PartialCheck<Outer>] {
      checks.map { $0.inside(prefix, name: named($0.problem).name) }
    }

    /// Checks `partial` by all rules.
    ///
    /// - Complexity: That of `shortfall(of:)`.
    @inlinable
    public func validate(_ partial: Partial) -> Result<Void> {
      shortfall(of: partial).map { .incomplete($0) } ?? .valid(())
    }

    /// How many of the required key paths have a value in `partial`.
    ///
    /// - Complexity: O(*r*) in the number of rules.
    public func progress(of partial: Partial) -> Progress {
      let missing = checks.filter { $0.isRequirement && !$0.isMet(partial) }
      return Progress(completed: requirementCount - Self.requirements(in: missing).count, total: requirementCount)
    }

    private static func requirements(in checks: [_PartialCheck<Root>]) -> Set<AnyKeyPath> {
      Set(checks.lazy.filter(\.isRequirement).map { $0.keyPaths[0] })
    }
  }
}

extension Partial.Validation where Root: PartialInitializable {
  /// Checks `partial` by all rules and, when nothing is wrong, builds the root.
  ///
  /// A value that the initializer misses is reported as missing, too, even where no rule asks for it. Any other error
  /// it throws is reported as an invalid value of the whole, `\.self`, and found in the shortfall's
  /// `initializationError`.
  ///
  /// - Complexity: That of `shortfall(of:)`, and that of the root's initializer.
  @inlinable
  public func validate(_ partial: Partial<Root>) -> Result<Root> {
    if let shortfall = shortfall(of: partial) { return .incomplete(shortfall) }
    do {
      return .valid(try Root(from: partial))
    } catch {
      return .incomplete(Shortfall(initializationError: error))
    }
  }
}

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

extension Partial.Validation {
  /// How far a partial has come: how many of how many.
  public struct Progress: Hashable, Sendable {
    /// How many required key paths have a value.
    public let completed: Int
    /// How many key paths are required.
    public let total: Int

    /// Whether every required key path has a value, which does not mean that it is a good one.
    public var isComplete: Bool { completed == total }

    /// The share of required key paths that have a value, from 0 to 1; 1 where none is required.
    public var fractionCompleted: Double { total == 0 ? 1 : Double(completed) / Double(total) }
  }
}

extension Partial.Validation.Progress: CustomStringConvertible {
  /// How many of how many, as in `3 of 7`.
  public var description: String { "\(completed) of \(total)" }
}
