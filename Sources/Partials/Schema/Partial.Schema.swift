extension Partial {
  /// The names of a root's properties, declared once, together with their key paths.
  ///
  /// A property is encoded under its name. Make the schema the root's `partialSchema`; see `PartialSchemaProviding`.
  /// ```swift
  /// struct Address: PartialSchemaProviding {
  ///   var street: String
  ///   var town: String
  ///   static let partialSchema = Partial<Address>.Schema(("street", \.street), ("town", \.town))
  /// }
  ///
  /// struct Person: PartialSchemaProviding {
  ///   var name: String
  ///   var address: Address
  ///   static let partialSchema = Partial<Person>.Schema(("name", \.name)).nesting("address", \.address)
  /// }
  ///
  /// var change = Partial<Person>()
  /// change[\.address.town] = "Bonn"
  /// print(change)                                 // Partial<Person>(address.town: "Bonn")
  /// print(String(decoding: try JSONEncoder().encode(change), as: UTF8.self))   // {"address":{"town":"Bonn"}}
  /// ```
  /// A property that the schema doesn't cover isn't encoded. If it is stored, leave it out with ``ignored(_:)``: debug
  /// builds trap if a stored property is neither declared nor ignored. Only `differences` compares it with an original.
  /// Each declared property is also read from the original, and may be set on a copy of it, so a key path with a
  /// subscript must not trap there.
  public struct Schema: Sendable {
    var members: [any _PartialMember<Root>] = [] {
      didSet { properties = members.flatMap { $0.properties } }
    }
    private(set) var properties: [any _PartialNamedProperty<Root>] = []
    private(set) var refusesUnknownKeys = true
    /// The properties that are left out on purpose.
    var ignored: [any PartialKeyPath<Root> & Sendable] = []

    /// Declares properties, each by its name and key path.
    ///
    /// Names must differ from each other, and no property may be a part of another: otherwise the initializer traps.
    public init<each Value: Codable & Hashable & Sendable>(
      _ properties: repeat (name: String, keyPath: any KeyPath<Root, each Value> & Sendable)
    ) {
      for property in repeat each properties { add(_PartialProperty(name: property.name, keyPath: property.keyPath)) }
    }

    /// The same schema with one more property, whose parts are declared by the schema of its own type.
    ///
    /// The parts are encoded one by one in a container of this name, and compared one by one. A whole that was set
    /// at once is therefore decoded as separate parts.
    ///
    /// - Precondition: No other property of the schema has this name, or is a part of this one. The key path leads to a
    ///   value in every root: `\.address!` traps if the optional is nil, so nest an optional with its schema.
    public func nesting<Value: PartialSchemaProviding>(
      _ name: String, _ keyPath: any KeyPath<Root, Value> & Sendable
    ) -> Schema {
      Value.partialSchema.checkCoverage()
      var schema = self
      schema.add(
        _PartialGroup(
          name: name, keyPath: keyPath, members: Value.partialSchema.members.map { $0.inside(keyPath) },
          refusesUnknownKeys: Value.partialSchema.refusesUnknownKeys))
      return schema
    }

    /// The same schema, which ignores unknown keys when it decodes.
    ///
    /// Otherwise an unknown key is an error, because a misspelled key would silently lose an edit.
    public func ignoringUnknownKeys() -> Schema {
      var schema = self
      schema.refusesUnknownKeys = false
      return schema
    }

    /// The names of all properties in declared order; the name of a part begins with that of its whole: `address.town`.
    package var names: [String] { members.flatMap { $0.labels }.map { $0.name } }

    /// The names of the properties that have been set in `partial`, by themselves or with a whole, in declared order.
    ///
    /// For a partial over an original, the names include properties that were changed by a setter or by setting a part.
    ///
    /// - Complexity: O(*m*) for *m* properties, and that of ``Partial/changes``.
    public func names(setIn partial: Partial) -> [String] {
      let changes = changes(in: partial)
      return members.flatMap { $0.labels(in: changes) }
    }

    /// Whether all parts of a root are set.
    func isWhole(_ partial: Partial) -> Bool {
      ignored.isEmpty && members.flatMap { $0.labels(in: partial) } == names
    }

    mutating func add(_ member: some _PartialMember<Root>) {
      precondition(members.allSatisfy { $0.name != member.name }, "Two properties of a schema have the same name")
      let labels = members.flatMap { $0.labels }
      let overlaps = member.labels.contains { new in labels.contains { $0.overlaps(new) } }
      precondition(!overlaps, "A property of a schema is, or is a part of, another")
      members.append(member)
    }

    /// Whether any property has a rule.
    var hasRules: Bool { properties.contains { $0.hasRules } }

    /// The property that occupies exactly these bytes.
    func label(of field: _PartialField) -> _PartialLabel<Root>? {
      members.lazy.flatMap { $0.allLabels }.first { _PartialField(erased: $0.keyPath) == field }
    }

    /// The key path that the schema declares for `keyPath`, which may lead to parts of an optional.
    func declared(_ keyPath: PartialKeyPath<Root>) -> PartialKeyPath<Root> {
      let labels = members.flatMap { $0.allLabels }
      let name = labels.first { $0.keyPath == keyPath && $0.isDerived }?.name
      return labels.first { $0.name == name }?.keyPath ?? keyPath
    }

    func name(of keyPath: AnyKeyPath) -> String? {
      members.lazy.flatMap { $0.allLabels }.first { $0.keyPath as AnyKeyPath == keyPath }?.name
    }
  }
}

extension Partial.Schema: CustomStringConvertible {
  /// The names of all properties.
  public var description: String { "Partial<\(Root.self)>.Schema(\(names.joined(separator: ", ")))" }
}

/// A type that declares the names of its properties once, so that its partials can be compared, coded and described.
///
/// ```swift
/// struct User: PartialSchemaProviding {
///   var name: String
///   var email: String
///   var age: Int?
///
///   static let partialSchema = Partial<User>.Schema(("name", \.name), ("email", \.email), ("age", \.age))
/// }
///
/// var form = Partial(over: User(name: "Ada", email: "ada@example.com", age: 36))
/// form.email = "countess@example.com"
/// print(String(decoding: try JSONEncoder().encode(form), as: UTF8.self))   // {"email":"countess@example.com"}
/// ```
/// `Partial<User>` is then `Equatable`, `Hashable` and `Codable`.
public protocol PartialSchemaProviding {
  /// The properties that are compared and coded, and their names.
  static var partialSchema: Partial<Self>.Schema { get }
}
