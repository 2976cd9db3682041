extension Partial: Equatable where Root: PartialSchemaProviding {
  /// Whether the same properties of the schema are set, to equal values, and over equal originals.
  ///
  /// It does not matter whether a property was set by itself or as a part of a whole.
  public static func == (left: Partial, right: Partial) -> Bool {
    left.changes._isEqual(to: right.changes)
      && left._hasOriginal == right._hasOriginal && left._originalAlone._isEqual(to: right._originalAlone)
  }

  private func _isEqual(to other: Partial) -> Bool {
    Root.partialSchema.members.allSatisfy { $0.isEqual(in: self, and: other) }
  }
}

extension Partial: Hashable where Root: PartialSchemaProviding {
  /// Feeds the values that are set, and the original, into `hasher`.
  public func hash(into hasher: inout Hasher) {
    for layer in [changes, _originalAlone] {
      for member in Root.partialSchema.members { member.hash(layer, into: &hasher) }
    }
  }
}

extension Partial where Root: PartialSchemaProviding {
  /// What has been set to another value than the original has; without an original, everything that is set.
  ///
  /// This is what a request should send: a value that was changed and changed back is not among it. What the schema does not
  /// know is, since it cannot be compared.
  public var differences: Partial {
    var differences = changes
    for member in Root.partialSchema.members { member.remove(from: &differences, whatIsIn: _originalAlone) }
    return differences
  }

  /// Whether anything has been set to another value than the original has.
  public var hasDifferences: Bool {
    !Root.partialSchema.names(setIn: differences).isEmpty
  }
}

extension Partial: Encodable where Root: PartialSchemaProviding {
  /// Encodes what has been set, each value under its name in the schema, and nothing else: the body of a PATCH request.
  ///
  /// Of a partial over an original, what has been set over it; encode `differences` to leave out what is equal.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: _PartialCodingKey.self)
    let changes = changes
    for member in Root.partialSchema.members { try member.encode(changes, to: &container) }
  }
}

extension Partial: Decodable where Root: PartialSchemaProviding {
  /// Decodes the values that are there, each under its name in the schema.
  ///
  /// - Throws: `DecodingError`, which names the path, when a value has another type or, unless the schema ignores them, when a
  ///   key is none of its names.
  public init(from decoder: any Decoder) throws {
    self.init()
    let container = try decoder.container(keyedBy: _PartialCodingKey.self)
    let schema = Root.partialSchema
    try schema.members.decode(from: container, to: &self, refusesUnknownKeys: schema.refusesUnknownKeys)
  }
}
