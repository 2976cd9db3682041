extension Partial where Root: Sendable {
  /// A validation that also asks elsewhere, such as a server: whether a name is taken, or whether a code is known.
  ///
  /// ```swift
  /// struct User { var name: String, email: String }
  /// func isFree(_ name: String) async throws -> Bool { name != "ada" }
  ///
  /// let validation = Partial<User>.Validation(.required(\.name, .notEmpty))
  ///   .asking(.check(\.name, "This name is taken.", isFree))
  ///
  /// var partial = Partial<User>()
  /// partial.name = "ada"
  /// print(try await validation.issues(in: partial)!)   // This name is taken.
  /// ```
  /// The rules of the validation come first. Only values in which they find nothing wrong are asked about, all at the
  /// same time.
  ///
  /// ## While the user types
  /// A validation remembers the last answer of each rule. If the value is the same, for example because another field
  /// changed, the rule isn't asked again; if its answer is pending, the call waits for it. Values are compared by `==`,
  /// and values that aren't `Equatable` by their stored contents. An object may change in place, so each call asks
  /// again about an object, and about a value that holds one and isn't `Equatable`. The same is true for a value that
  /// differs from itself, such as NaN.
  ///
  /// A newer value drops the question about the older one, and so does a value that must not be asked about: the task
  /// is canceled, and each call that waits for it throws `CancellationError`. So use one validation for each form, and
  /// show the result of the newest call. Copies share their questions; ``Partial/Validation/asking(_:)`` makes a
  /// validation that remembers nothing yet.
  public struct AsyncValidation: Sendable {
    /// The rules that are checked without asking elsewhere.
    fileprivate let validation: Validation
    fileprivate let rules: [Rule]
    private let questions = _PartialQuestions()

    /// The issues in `partial`; nil if it is valid.
    ///
    /// - Throws: The error of the first rule that could not be decided; other questions that only this call asked are
    ///   canceled. `CancellationError` if a newer call asked about another value, or if the task is canceled; its
    ///   question goes on, because the next call may be about the same value.
    public func issues(in partial: Partial) async throws -> Validation.Issues? {
      let found = validation.issues(in: partial)
      let partial = validation.normalized(partial)
      let texts = partial._textsNotUnderstood
      let asked = rules.map { rule in
        let isOpen = rule.issue.keyPaths.contains { keyPath in
          found?.contains { $0.concerns(partOf: keyPath) } ?? false || texts.contains { $0.overlaps(keyPath) }
        }
        return isOpen ? nil : rule.question(partial)
      }
      let answers = try await questions.answers(to: asked).get()
      let broken = zip(rules, answers).filter { $0.1 == false }.map { validation.named($0.0.issue) }
      let issues = (found.map(Array.init) ?? []) + broken
      return issues.isEmpty ? nil : Validation.Issues(issues)
    }
  }
}

extension Partial.AsyncValidation where Root: PartialInitializable {
  /// Checks `partial` with all rules and, if nothing is wrong, builds the root.
  ///
  /// - Throws: The errors of `issues(in:)`.
  public func validate(_ partial: Partial<Root>) async throws -> Partial<Root>.Validation.Result {
    try await issues(in: partial).map { .incomplete($0) } ?? validation.build(from: partial)
  }
}

extension Partial.AsyncValidation {
  /// A question to ask elsewhere about a value.
  public struct Rule: Sendable {
    /// The issue to report if the answer is no, with the key paths of the values that the question is about.
    let issue: Partial<Root>.Validation.Issue
    /// The question about a partial; nil if the partial lacks the value.
    let question: @Sendable (Partial<Root>) -> _PartialQuestion?

    /// Asks `isValid` about the value at `keyPath`, if there is one.
    ///
    /// If it isn't valid, the issue has `message`.
    public static func check<Value: Sendable>(
      _ keyPath: any KeyPath<Root, Value> & Sendable, _ message: String? = nil,
      _ isValid: @escaping @Sendable (Value) async throws -> Bool
    ) -> Rule {
      Rule(issue: .init(.failed, [keyPath], message: message)) { partial in
        partial._value(for: keyPath).map { value in _PartialQuestion(values: [value]) { try await isValid(value) } }
      }
    }

    /// Asks `isValid` about the value of the optional property at `keyPath`, if there is one and it isn't nil.
    @_documentation(visibility: internal)
    public static func check<Value: Sendable>(
      _ keyPath: any KeyPath<Root, Value?> & Sendable, _ message: String? = nil,
      _ isValid: @escaping @Sendable (Value) async throws -> Bool
    ) -> Rule {
      Rule(issue: .init(.failed, [keyPath], message: message)) { partial in
        (partial._value(for: keyPath) ?? nil).map { value in
          _PartialQuestion(values: [value]) { try await isValid(value) }
        }
      }
    }

    /// Asks `isValid` about the values at both key paths, if both are present.
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
    /// The question isn't asked if another rule finds something wrong with one of the values. The issue is about both.
    public static func valueValidation<First: Sendable, Second: Sendable>(
      keyPaths first: any KeyPath<Root, First> & Sendable, _ second: any KeyPath<Root, Second> & Sendable,
      message: String? = nil, _ isValid: @escaping @Sendable (First, Second) async throws -> Bool
    ) -> Rule {
      Rule(issue: .init(.failed, [first, second], message: message)) { partial in
        partial._values(for: first, second).map { first, second in
          _PartialQuestion(values: [first, second]) { try await isValid(first, second) }
        }
      }
    }
  }
}

extension Partial.Validation where Root: Sendable {
  /// A validation that asks `rules` about values in which this validation finds nothing wrong.
  ///
  /// It remembers answers, so each form makes one of its own.
  public func asking(_ rules: Partial<Root>.AsyncValidation.Rule...) -> Partial<Root>.AsyncValidation {
    Partial<Root>.AsyncValidation(validation: self, rules: rules)
  }
}
