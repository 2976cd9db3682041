extension Partial {
  /// What a partial must have, and what its values must be like, for a root to be built of it.
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
  ///   .valueValidation(keyPath: \User.age, { $0 >= 18 }))
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
    /// All rules in the order in which they were declared.
    let rules: [Rule]
    /// The united presence of all values that are required and have an offset.
    @usableFromInline let mask: [UInt64]
    /// The rules that the mask does not tell about.
    @usableFromInline let rulesBesidesMask: [Rule]

    /// Makes a validation of rules, which are reported in this order.
    public init(_ rules: [Rule]) {
      self.rules = rules
      var mask = [UInt64](repeating: 0, count: _PartialStorage<Root>.presenceWords)
      for field in rules.compactMap(\.requiredField) {
        for word in field.firstWord...field.lastWord { mask[word] |= field.presence(inWord: word) }
      }
      self.mask = mask
      rulesBesidesMask = rules.filter { $0.requiredField == nil }
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

    /// What `partial` lacks to be valid; nil when that is nothing.
    ///
    /// Nothing is built. So this is the question to ask after each key press, as for a button that is enabled when all is
    /// there.
    ///
    /// - Complexity: O(*w*) in the words of the mask where a value is required and present, and one call per other rule. When
    ///   something is missing, O(*r*) in the number of rules.
    @inlinable
    public func shortfall(of partial: Partial) -> Shortfall? {
      let isMaskMet = partial._storage.isPresent(allOf: mask)
      if isMaskMet && rulesBesidesMask.isEmpty { return nil }
      return reasons(against: partial, isMaskMet: isMaskMet)
    }

    @usableFromInline
    func reasons(against partial: Partial, isMaskMet: Bool) -> Shortfall? {
      let reasons = (isMaskMet ? rulesBesidesMask : rules).compactMap { $0.reason(against: partial) }
      return reasons.isEmpty ? nil : Shortfall(reasons)
    }

    /// Checks `partial` by all rules.
    ///
    /// - Complexity: That of `shortfall(of:)`.
    @inlinable
    public func validate(_ partial: Partial) -> Result<Void> {
      shortfall(of: partial).map { .incomplete($0) } ?? .valid(())
    }
  }
}

extension Partial.Validation where Root: PartialInitializable {
  /// Checks `partial` by all rules and, when nothing is wrong, builds the root.
  ///
  /// What the initializer misses is reported as missing, too, even where no rule asks for it. Any other error it throws is
  /// reported as an invalid value of the whole, `\.self`, and found in the shortfall's `initializationError`.
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
