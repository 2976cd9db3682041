extension Partial where Root: Sendable {
  /// A validation that also asks elsewhere: whether a name is taken, whether a code is known.
  ///
  /// ```swift
  /// struct User { var name: String, email: String }
  /// func isFree(_ name: String) async throws -> Bool { name != "ada" }
  ///
  /// let validation = Partial<User>.Validation(.required(\.name), .valueValidation(keyPath: \.name) { !$0.isEmpty })
  ///   .asking(.valueValidation(keyPath: \.name, message: "This name is taken.", isFree))
  ///
  /// var partial = Partial<User>()
  /// partial.name = "ada"
  /// print(try await validation.shortfall(of: partial)!)   // This name is taken.
  /// ```
  /// The rules of the validation come first. Only what they find nothing wrong with is asked about, all at the same
  /// time. The answer is about the partial that was given: what the user types meanwhile is another one.
  public struct AsyncValidation: Sendable {
    /// The rules that can be decided at once.
    public let validation: Validation
    private let rules: [Rule]

    init(_ validation: Validation, _ rules: [Rule]) {
      self.validation = validation
      self.rules = rules
    }

    /// The shortfall of `partial`; nil when it is valid.
    ///
    /// - Throws: The error of the first rule that could not be decided. The others are cancelled. ``validation``
    ///   reports what is wrong without asking.
    public func shortfall(of partial: Partial) async throws -> Validation.Shortfall? {
      let shortfall = validation.shortfall(of: partial)
      let asked = rules.filter { rule in
        rule.keyPaths.allSatisfy { shortfall?.problems(for: $0).isEmpty ?? true }
      }
      let broken = try await withThrowingTaskGroup(of: Int?.self) { group in
        for (index, rule) in asked.enumerated() {
          group.addTask { try await rule.isMet(partial) ? nil : index }
        }
        return try await group.reduce(into: []) { broken, index in broken += index.map { [$0] } ?? [] }
      }
      let problems = (shortfall?.problems ?? []) + broken.sorted().map { validation.named(asked[$0].problem) }
      return problems.isEmpty ? nil : Validation.Shortfall(problems)
    }

    /// Checks `partial` by all rules.
    ///
    /// - Throws: The error of the first rule that could not be decided. The others are cancelled.
    public func validate(_ partial: Partial) async throws -> Validation.Result<Void> {
      try await shortfall(of: partial).map { .incomplete($0) } ?? .valid(())
    }
  }
}

extension Partial.AsyncValidation where Root: PartialInitializable {
  /// Checks `partial` by all rules and, when nothing is wrong, builds the root.
  ///
  /// - Throws: The error of the first rule that could not be decided. The others are cancelled.
  public func validate(_ partial: Partial<Root>) async throws -> Partial<Root>.Validation.Result<Root> {
    if let shortfall = try await shortfall(of: partial) { return .incomplete(shortfall) }
    do {
      return .valid(try Root(from: partial))
    } catch {
      return .incomplete(Partial<Root>.Validation.Shortfall(initializationError: error))
    }
  }
}

extension Partial.AsyncValidation {
  /// One thing to ask elsewhere about a value.
  public struct Rule: Sendable {
    /// The key paths of the rule; a reason names the first.
    let keyPaths: [any PartialKeyPath<Root> & Sendable]
    let isMet: @Sendable (Partial<Root>) async throws -> Bool
    private let message: String?

    private init<Values>(
      _ keyPaths: [any PartialKeyPath<Root> & Sendable], message: String?,
      values: @escaping @Sendable (Partial<Root>) -> Values?,
      isValid: @escaping @Sendable (Values) async throws -> Bool
    ) {
      self.keyPaths = keyPaths
      self.message = message
      isMet = { partial in
        guard let values = values(partial) else { return true }
        return try await isValid(values)
      }
    }

    /// The value at `keyPath` is such that `isValid` says so, where there is one.
    public static func valueValidation<Value: Sendable>(
      keyPath: any KeyPath<Root, Value> & Sendable, message: String? = nil,
      _ isValid: @escaping @Sendable (Value) async throws -> Bool
    ) -> Rule {
      Rule([keyPath], message: message, values: { $0._value(for: keyPath) }, isValid: isValid)
    }

    /// The value of the optional property at `keyPath` is such that `isValid` says so, where there is one and it is not
    /// nil.
    public static func valueValidation<Value: Sendable>(
      keyPath: any KeyPath<Root, Value?> & Sendable, message: String? = nil,
      _ isValid: @escaping @Sendable (Value) async throws -> Bool
    ) -> Rule {
      valueValidation(keyPath: keyPath, message: message) { (value: Value?) in
        guard let value else { return true }
        return try await isValid(value)
      }
    }

    /// The values at both key paths go together such that `isValid` says so, where both are present.
    ///
    /// ```swift
    /// struct Booking { var room: Int, day: Date }
    /// func isFree(_ room: Int, on day: Date) async throws -> Bool { room != 101 }
    ///
    /// let validation = Partial<Booking>.Validation(.required(\.room), .required(\.day))
    ///   .asking(.valueValidation(keyPaths: \.room, \.day, message: "This room is taken.") { room, day in
    ///     try await isFree(room, on: day)
    ///   })
    /// ```
    /// It is not asked where another rule finds something wrong with one of them. The reason names the first key path;
    /// among the messages of both is this one.
    public static func valueValidation<First: Sendable, Second: Sendable>(
      keyPaths first: any KeyPath<Root, First> & Sendable, _ second: any KeyPath<Root, Second> & Sendable,
      message: String? = nil, _ isValid: @escaping @Sendable (First, Second) async throws -> Bool
    ) -> Rule {
      Rule(
        [first, second], message: message, values: { $0._values(for: first, second) },
        isValid: { first, second in try await isValid(first, second) })
    }

    var problem: Partial<Root>.Validation.Problem {
      Partial<Root>.Validation.Problem(reason: .invalidValue(keyPaths[0]), keyPaths: keyPaths, message: message)
    }
  }
}

extension Partial.Validation where Root: Sendable {
  /// A validation that asks by `rules` what this one finds nothing wrong with.
  public func asking(_ rules: Partial<Root>.AsyncValidation.Rule...) -> Partial<Root>.AsyncValidation {
    Partial<Root>.AsyncValidation(self, rules)
  }
}
