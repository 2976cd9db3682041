import Sameness

extension Partial: Equatable where Root: PartialSchemaProviding {
  /// Whether the same properties of the schema are set, to equal values, over equal originals, and by the same texts
  /// where texts were entered.
  ///
  /// It does not matter whether a property was set by itself, as a part of a whole, or over an original by the setter
  /// of another.
  public static func == (left: Partial, right: Partial) -> Bool {
    left._named._isEqual(to: right._named) && left._textIdentities == right._textIdentities
      && left._hasOriginal == right._hasOriginal && left._originalAlone._isEqual(to: right._originalAlone)
  }

  private func _isEqual(to other: Partial) -> Bool {
    Root.partialSchema.members.allSatisfy { $0.isEqual(in: self, and: other) }
  }
}

extension Partial: Hashable where Root: PartialSchemaProviding {
  /// Feeds the values that are set, the original and the texts that were entered into `hasher`.
  public func hash(into hasher: inout Hasher) {
    // Texts that no longer stand are none to `==`.
    hasher.combine(_textIdentities)
    for layer in [_named, _originalAlone] {
      for member in Root.partialSchema.members { member.hash(layer, into: &hasher) }
    }
  }
}

extension Partial where Root: PartialSchemaProviding {
  /// The properties of the schema that are set; over an original, also those that setters changed.
  fileprivate var _named: Partial { Root.partialSchema.changes(in: self) }

  /// The values that read otherwise than in the original; without an original, everything that is set.
  ///
  /// This is what a request should send: a value that was changed and changed back is not among it. A property of the
  /// schema is among it as it is read, whether it was set itself, or a part of it, or another by whose setter it was
  /// changed.
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
  /// Applied to the original, the differences make all that the edits make of it. A property of the schema is compared
  /// by `==`. Properties that the schema does not name are compared as well, by their stored parts, or else by `==`.
  /// Where that cannot decide, it is a difference. Where only setters of properties without a name can make it, all
  /// changes are among them in their order, also equal ones.
  ///
  /// - Complexity: O(*s*) in the properties of the schema; where setters are run, a few times what `apply(to:)` takes.
  public var differences: Partial { Root.partialSchema.differences(in: self) }

  /// Whether anything reads otherwise than in the original; without an original, whether anything is set.
  ///
  /// A text that is not understood is a difference, too, though it is not among `differences`.
  ///
  /// - Complexity: That of `differences`; O(1) where nothing is set.
  public var isDirty: Bool { !_textsNotUnderstood.isEmpty || !isEmpty && !differences.isEmpty }
}

extension Partial: Encodable where Root: PartialSchemaProviding {
  /// Encodes what has been set, each value under its name in the schema, and nothing else: the body of a PATCH request.
  ///
  /// Of a partial over an original, what has been set over it and what setters have changed, as it is read; encode
  /// `differences` to leave out what is equal.
  ///
  /// - Throws: `EncodingError` where something was set that nothing can write and that has no name either, as through
  ///   an optional chain: it would be lost.
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
    let named = _named
    for member in Root.partialSchema.members { try member.encode(named, to: &container) }
  }
}

extension Partial: Decodable where Root: PartialSchemaProviding {
  /// Decodes the values that are there, each under its name in the schema.
  ///
  /// An encoder keeps no order. So when they are applied, a setter finds all that is stored as it was decoded, and what
  /// it changes of that is set once more.
  ///
  /// - Throws: `DecodingError`, which names the path, when a value has another type or, unless the schema ignores them,
  ///   when a key is none of its names.
  public init(from decoder: any Decoder) throws {
    self.init()
    let container = try decoder.container(keyedBy: _PartialCodingKey.self)
    let schema = Root.partialSchema
    schema.checkCoverage()
    try schema.members.decode(from: container, to: &self, refusesUnknownKeys: schema.refusesUnknownKeys)
    _putBytesAroundBoxes()
  }
}

// Differences over an original. A property that the schema names counts as it is read, all else as it was set.
extension Partial.Schema {
  /// The properties of this schema that were set in `partial` or read otherwise than in its original; without an
  /// original, the partial itself.
  func changes(in partial: Partial<Root>) -> Partial<Root> {
    checkCoverage()
    return partial._hasOriginal && !partial.isEmpty
      ? changes(in: partial, comparedWith: [partial._originalAlone], includingEqual: true) : partial.changes
  }

  /// The values that read otherwise in `partial` than in its original; without an original, the partial itself.
  ///
  /// Applied to the original, it makes all that the partial makes of it.
  func differences(in partial: Partial<Root>) -> Partial<Root> {
    checkCoverage()
    guard partial._hasOriginal, !partial.isEmpty else { return partial.changes }
    var unnamed = partial.changes
    for member in members { member.remove(from: &unnamed) }
    // Where all is named and stored, each value speaks for itself.
    if unnamed.isEmpty, partial.changes._storage.boxed.isEmpty {
      let named = changes(in: partial, comparedWith: [partial._originalAlone], includingEqual: false)
      if !named._storage.boxed.hasSetters { return named }
    }
    return checkedDifferences(in: partial, unnamed: unnamed)
  }

  private func changes(
    in partial: Partial<Root>, comparedWith others: [Partial<Root>], includingEqual: Bool
  ) -> Partial<Root> {
    var changes = Partial<Root>()
    var edit = _PartialEdit(partial, others: others)
    // A proposal that falls short may differ in something that `==` does not see.
    edit.comparesStored = others.count > 1
    for member in members { member.addChanges(to: &changes, of: edit, includingEqual: includingEqual) }
    changes._putBytesAroundBoxes()
    return changes
  }

  /// Named properties as they are read, and unnamed ones as they were set in bytes, if these make all that is read.
  ///
  /// A setter may write what another was to leave alone, which then is named as well. Where only the setters of
  /// properties without a name can make it, all that was set is taken, in its order.
  private func checkedDifferences(in partial: Partial<Root>, unnamed: Partial<Root>) -> Partial<Root> {
    let changes = partial.changes
    guard let original = partial.original, let root = partial._wholeRoot ?? partial._editedOriginal else {
      return changes
    }
    var others = [partial._originalAlone]
    // A property of an object is read as it was set, also where the root has another object by now.
    if changes._storage.boxed.contains(.object) { others.append(Partial(root)) }
    let bytes = unnamed._readAgain(in: partial, keeping: [.nothing])
    var namedCount = -1
    while !unnamed._storage.boxed.contains(.object) {
      let named = self.changes(in: partial, comparedWith: others, includingEqual: false)
      guard named.count > namedCount else { break }
      namedCount = named.count
      var rest = bytes
      rest._removeWhatIsSame(as: named, over: original)
      // A whole comes after its parts, or a constant that is named would be set apart from it.
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

  /// All that was set in its order, and then what is read.
  ///
  /// A value with a setter is shown as it is read, and set to what it was set to.
  private func allChanges(in partial: Partial<Root>, comparedWith others: [Partial<Root>]) -> Partial<Root> {
    var changes = partial.changes
    changes.merge(changes._readAgain(in: partial, keeping: []))
    var edit = _PartialEdit(partial, others: others)
    (edit.comparesStored, edit.showsSetters) = (true, true)
    for member in members { member.addChanges(to: &changes, of: edit, includingEqual: true) }
    return changes
  }
}

extension Partial {
  /// A copy of `root` to which this is applied; but objects are left alone.
  fileprivate func _applied(to root: Root) -> Root {
    var root = root
    _replay(on: &root, writesObjects: false)
    return root
  }

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

  /// Removes what reads the same where `named` is set over `original`.
  ///
  /// A value that cannot be applied is compared as a whole: only constants that are named were taken from it.
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
      if _storage.hasExtras { _removeFromAssignments(entry) }
    }
  }
}
