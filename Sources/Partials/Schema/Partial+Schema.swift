extension Partial: Equatable where Root: PartialSchemaProviding {
  /// Whether the same properties of the schema are set, to equal values, and over equal originals.
  ///
  /// It does not matter whether a property was set by itself, as a part of a whole, or over an original by the setter of another.
  public static func == (left: Partial, right: Partial) -> Bool {
    left._named._isEqual(to: right._named)
      && left._hasOriginal == right._hasOriginal && left._originalAlone._isEqual(to: right._originalAlone)
  }

  private func _isEqual(to other: Partial) -> Bool {
    Root.partialSchema.members.allSatisfy { $0.isEqual(in: self, and: other) }
  }
}

extension Partial: Hashable where Root: PartialSchemaProviding {
  /// Feeds the values that are set, and the original, into `hasher`.
  public func hash(into hasher: inout Hasher) {
    for layer in [_named, _originalAlone] {
      for member in Root.partialSchema.members { member.hash(layer, into: &hasher) }
    }
  }
}

extension Partial where Root: PartialSchemaProviding {
  /// What the schema names of this partial: over an original, of what was set and of what its setters changed.
  fileprivate var _named: Partial { Root.partialSchema.changes(in: self) }

  /// What reads otherwise than in the original; without an original, everything that is set.
  ///
  /// This is what a request should send: a value that was changed and changed back is not among it. A property of the schema is
  /// among it as it is read, whether it was set itself, or a part of it, or another by whose setter it was changed.
  /// ```swift
  /// struct Person: PartialSchemaProviding {
  ///   var first: String, last: String
  ///   var full: String {
  ///     get { "\(first) \(last)" }
  ///     set { last = newValue.split(separator: " ").last.map(String.init) ?? "" }
  ///   }
  ///   static let partialSchema = Partial<Person>.Schema(("first", \.first), ("last", \.last))
  /// }
  ///
  /// var form = Partial(over: Person(first: "Ada", last: "King"))
  /// form.full = "Ada Lovelace"
  /// print(form.last!, form.hasDifferences)        // Lovelace true
  /// print(form.differences)                       // Partial<Person>(last: "Lovelace")
  /// ```
  /// Applied to the original, the differences make all that the edits make of it. A property of the schema is compared by `==`.
  /// What the schema does not name is compared as well, by what is stored in it, or else by `==`. Where that cannot tell, it is a
  /// difference. What only setters of properties without a name can make takes all changes in their order, also equal ones.
  ///
  /// - Complexity: O(*s*) in the properties of the schema; where setters are run, a few times what `apply(to:)` takes.
  public var differences: Partial { Root.partialSchema.differences(in: self) }

  /// Whether anything reads otherwise than in the original; without an original, whether anything is set.
  ///
  /// - Complexity: That of `differences`; O(1) where nothing is set.
  public var hasDifferences: Bool { !isEmpty && !differences.isEmpty }
}

extension Partial: Encodable where Root: PartialSchemaProviding {
  /// Encodes what has been set, each value under its name in the schema, and nothing else: the body of a PATCH request.
  ///
  /// Of a partial over an original, what has been set over it and what setters have changed, as it is read; encode `differences`
  /// to leave out what is equal.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: _PartialCodingKey.self)
    let named = _named
    for member in Root.partialSchema.members { try member.encode(named, to: &container) }
  }
}

extension Partial: Decodable where Root: PartialSchemaProviding {
  /// Decodes the values that are there, each under its name in the schema.
  ///
  /// An encoder keeps no order. So when they are applied, a setter finds all that is stored as it was decoded, and what it
  /// changes of that is set once more.
  ///
  /// - Throws: `DecodingError`, which names the path, when a value has another type or, unless the schema ignores them, when a
  ///   key is none of its names.
  public init(from decoder: any Decoder) throws {
    self.init()
    let container = try decoder.container(keyedBy: _PartialCodingKey.self)
    let schema = Root.partialSchema
    try schema.members.decode(from: container, to: &self, refusesUnknownKeys: schema.refusesUnknownKeys)
    _putBytesAroundBoxes()
  }
}
