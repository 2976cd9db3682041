import Sameness

extension Partial: Equatable, Hashable where Root: PartialSchemaProviding {
  /// Whether the same properties of the schema are set, to equal values, over equal originals, and by the same texts if
  /// texts were entered.
  ///
  /// It doesn't matter whether a property was set by itself, as a part of a whole or, over an original, by the setter
  /// of another property.
  public static func == (left: Partial, right: Partial) -> Bool {
    left._named._isEqual(to: right._named) && left._textIdentities == right._textIdentities
      && left._hasOriginal == right._hasOriginal && left._originalAlone._isEqual(to: right._originalAlone)
  }

  private func _isEqual(to other: Partial) -> Bool {
    Root.partialSchema.properties.allSatisfy { $0.isEqual(in: self, and: other) }
  }

  /// Feeds the values that are set, the original and the texts that were entered into `hasher`.
  public func hash(into hasher: inout Hasher) {
    // Texts that no longer stand don't count in `==` either.
    hasher.combine(_textIdentities)
    for layer in [_named, _originalAlone] {
      for property in Root.partialSchema.properties { property.hash(layer, into: &hasher) }
    }
  }
}

extension Partial where Root: PartialSchemaProviding {
  /// The properties of the schema that are set; over an original, also those that setters changed.
  fileprivate var _named: Partial { Root.partialSchema.changes(in: self) }

  /// The values that read differently than in the original; without an original, everything that is set.
  ///
  /// A request should send these values: one that was changed and changed back isn't among them. A property of the
  /// schema is included as it reads, whether it was set itself, a part of it was set, or the setter of another property
  /// changed it.
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
  /// print(form.last!, form.isDirty)        // Lovelace true
  /// print(form.differences)                       // Partial<Person>(last: "Lovelace")
  /// ```
  /// Applying the differences to the original makes the same root as all edits. Properties of the schema are compared
  /// by `==`. Properties that the schema doesn't name are compared as well, by their stored parts, or else by `==`; if
  /// that can't decide, the property counts as different. If only setters of properties without a name can make the
  /// root, the differences are all changes in their order, including equal ones.
  ///
  /// - Complexity: O(*s*) for *s* properties of the schema; if setters run, a few times that of `apply(to:)`.
  public var differences: Partial { Root.partialSchema.differences(in: self) }

  /// Whether anything reads differently than in the original; without an original, whether anything is set.
  ///
  /// A text that isn't understood counts as well, although it isn't among `differences`.
  ///
  /// - Complexity: That of `differences`; O(1) if nothing is set.
  public var isDirty: Bool { !_textsNotUnderstood.isEmpty || !isEmpty && !differences.isEmpty }
}

extension Partial: Codable where Root: PartialSchemaProviding {
  /// Encodes only what has been set, each value under its name in the schema: the body of a PATCH request.
  ///
  /// A partial over an original encodes what has been set over it and what setters have changed, as it reads; encode
  /// `differences` to omit equal values.
  ///
  /// - Throws: `EncodingError` if a value was set that can't be written and has no name in the schema, as through an
  ///   optional chain: it would be lost.
  public func encode(to encoder: any Encoder) throws {
    for assignment in changes._storage.boxed.assignments {
      let box = assignment.box
      guard box.effect == .nothing, Root.partialSchema.name(of: box.keyPath) == nil else { continue }
      throw EncodingError.invalidValue(
        box.erasedValue,
        EncodingError.Context(
          codingPath: encoder.codingPath,
          debugDescription: "\(box.keyPath) is read-only and has no name in the schema: set what it is read from"))
    }
    var container = encoder.container(keyedBy: _PartialCodingKey.self)
    let schema = Root.partialSchema
    let named = schema.changes(in: schema.normalized(self, keepingOriginal: true))
    for member in schema.members { try member.encode(named, to: &container) }
  }

  /// Decodes the values that are present, each under its name in the schema.
  ///
  /// An encoder keeps no order. So when the values are applied, a setter reads all stored properties as they were
  /// decoded, and those that it changes are set once more.
  ///
  /// - Throws: `DecodingError`, which names the path, if a value has another type or, unless the schema ignores unknown
  ///   keys, if a key isn't in the schema.
  public init(from decoder: any Decoder) throws {
    self.init()
    let container = try decoder.container(keyedBy: _PartialCodingKey.self)
    let schema = Root.partialSchema
    schema.checkCoverage()
    try schema.members.decode(from: container, to: &self, refusesUnknownKeys: schema.refusesUnknownKeys)
    _putBytesAroundBoxes()
  }
}

// Differences over an original: a property that the schema names counts as it reads, any other as it was set.
extension Partial.Schema {
  /// The properties of this schema that were set in `partial` or read differently than in its original; without an
  /// original, the partial itself.
  func changes(in partial: Partial<Root>) -> Partial<Root> {
    checkCoverage()
    return partial._hasOriginal && !partial.isEmpty
      ? changes(in: partial, comparedWith: [partial._originalAlone], includingEqual: true) : partial.changes
  }

  /// The values that read differently in `partial` than in its original; without an original, the partial itself.
  ///
  /// Applied to the original, they make the same root as `partial`.
  func differences(in partial: Partial<Root>) -> Partial<Root> {
    checkCoverage()
    let partial = partial.isEmpty ? partial : normalized(partial, keepingOriginal: true)
    guard partial._hasOriginal, !partial.isEmpty else { return partial.changes }
    var unnamed = partial.changes
    for property in properties { property.remove(from: &unnamed) }
    // If every property is named and stored, each value can be compared by itself.
    if unnamed.isEmpty, partial.changes._storage.boxed.isEmpty {
      let named = changes(in: partial, comparedWith: [partial._originalAlone], includingEqual: false)
      if !named._storage.boxed.hasSetters { return named }
    }
    return checkedDifferences(in: partial, unnamed: unnamed)
  }

  func changes(in partial: Partial<Root>, comparedWith others: [Partial<Root>], includingEqual: Bool) -> Partial<Root> {
    var changes = Partial<Root>()
    let edit = _PartialEdit(partial: partial, others: others, hiddenRoot: partial._hiddenRoot)
    for property in properties { property.addChanges(to: &changes, of: edit, includingEqual: includingEqual) }
    changes._putBytesAroundBoxes()
    return changes
  }

  /// Returns named properties as they read, and unnamed ones as they were set in bytes, if these make the edited root.
  ///
  /// A setter may change a property that the differences left out; that property is then included. If only setters of
  /// properties without a name can make the edited root, all changes are returned, in their order.
  private func checkedDifferences(in partial: Partial<Root>, unnamed: Partial<Root>) -> Partial<Root> {
    let changes = partial.changes
    guard let original = partial.original, let root = partial._wholeRoot ?? partial._editedOriginal else {
      return changes
    }
    var others = [partial._originalAlone]
    // A property of an object reads as it was set, even if the root has another object now.
    if changes._storage.boxed.contains(.object) { others.append(Partial(root)) }
    let bytes = unnamed._readAgain(in: partial, keeping: [.nothing])
    var namedCount = -1
    while !unnamed._storage.boxed.contains(.object) {
      let named = self.changes(in: partial, comparedWith: others, includingEqual: false)
      guard named.count > namedCount else { break }
      namedCount = named.count
      var rest = bytes
      rest._removeWhatIsSame(as: named, over: original)
      // Wholes come after their parts. Otherwise a named constant would be set separately from its whole.
      var differences = named
      differences.merge(rest)
      differences._putBytesAroundBoxes()
      if !changes._storage.boxed.hasSetters && !named._storage.boxed.hasSetters { return differences }
      let made = differences._applied(to: original)
      if _areSameOrEqualWithin(made, root) { return differences }
      others.append(Partial(made))
    }
    return allChanges(in: partial, comparedWith: others)
  }

  /// Returns all changes in their order, followed by the properties as they read.
  ///
  /// A value with a setter is shown as it reads, but written as it was set.
  private func allChanges(in partial: Partial<Root>, comparedWith others: [Partial<Root>]) -> Partial<Root> {
    var changes = partial.changes
    changes.merge(changes._readAgain(in: partial, keeping: []))
    let edit = _PartialEdit(
      partial: partial, others: others, hiddenRoot: partial._hiddenRoot, showsSetters: true)
    for property in properties { property.addChanges(to: &changes, of: edit, includingEqual: true) }
    return changes
  }
}

extension Partial {
  /// The original with the effects of setters, if a constant hides the whole root.
  fileprivate var _hiddenRoot: Root? { _wholeRoot == nil ? _editedOriginal : nil }

  /// The values set here in bytes, but as `partial` reads them, and the boxed values with these effects.
  fileprivate func _readAgain(in partial: Partial, keeping effects: Set<_PartialBoxEffect>) -> Partial {
    var copy = Partial()
    if let bytes = _bytesAlone {
      unsafe bytes.refresh(from: partial._storage)
      copy = Partial(_storage: bytes)
    }
    for assignment in _storage.boxed.assignments where effects.contains(assignment.box.effect) {
      copy._box(assignment.box)
    }
    return copy
  }

  /// Removes the values that read the same if `named` is set over `original`.
  ///
  /// A value that can't be applied is compared with an original in which only the named constants are set.
  fileprivate mutating func _removeWhatIsSame(as named: Partial, over original: Root) {
    let refused = _storage.entriesWithConstants
    let made = Partial(named._applied(to: original))
    let unapplied = Partial(original)
    if !refused.isEmpty { unsafe unapplied._storage.merge(named._storage) { $0.isConstant } }
    for entry in _storage.entriesInOrder {
      let value = unsafe _storage.erasedValue(of: entry)
      let other = unsafe (refused.contains(entry) ? unapplied : made)._storage.erasedValue(of: entry)
      guard _areSameOrEqualWithin(value, other) else { continue }
      _makeUnique()
      _storage.remove(entry)
      if _storage.state.hasExtras { _removeFromAssignments(entry) }
    }
  }
}
