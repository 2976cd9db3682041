import Sameness

extension Partial.Schema {
  /// The same schema with one more property, an optional whose parts are declared by the schema of what it wraps.
  ///
  /// ```swift
  /// struct Address: PartialSchemaProviding, Codable, Hashable {
  ///   var street: String, town: String
  ///   static let partialSchema = Partial<Address>.Schema(("street", \.street), ("town", \.town))
  /// }
  /// struct Person: PartialSchemaProviding {
  ///   var address: Address?
  ///   static let partialSchema = Partial<Person>.Schema().nesting("address", \.address, Address.partialSchema)
  /// }
  ///
  /// var form = Partial(over: Person(address: Address(street: "Dorset Street 1", town: "London")))
  /// form.address??.town = "Ockham"
  /// print(String(decoding: try JSONEncoder().encode(form.differences), as: UTF8.self))
  /// // {"address":{"town":"Ockham"}}
  /// form.address = .some(nil)
  /// print(String(decoding: try JSONEncoder().encode(form.differences), as: UTF8.self))  // {"address":null}
  /// ```
  /// If both the original and the form have a value, only the parts that changed are differences. A value that was nil
  /// is sent with all its parts, and one that became nil as `null`.
  ///
  /// An object with all parts is decoded as a whole if the schema ignores no part. Fewer parts change the value that is
  /// there. If there is none when they are applied, they aren't written, and `apply(to:)` returns the key path.
  ///
  /// - Precondition: No other property of the schema has this name, or is a part of this one.
  public func nesting<Wrapped: Codable & Hashable & Sendable>(
    _ name: String, _ keyPath: any KeyPath<Root, Wrapped?> & Sendable, _ schema: Partial<Wrapped>.Schema
  ) -> Partial<Root>.Schema {
    schema.checkCoverage()
    var result = self
    result.add(_PartialOptionalGroup(name: name, keyPath: keyPath, schema: schema))
    return result
  }
}

/// Changed parts of an optional, as the value of a computed property, so that they can be set in a partial.
struct _PartialParts<Wrapped>: CustomDebugStringConvertible {
  let parts: Partial<Wrapped>

  var debugDescription: String { parts.debugDescription }
}

extension _PartialParts: Sendable where Wrapped: Sendable {}

extension Optional {
  /// All parts of the value.
  ///
  /// Setting this changes the given parts of the value; it does nothing if the value is nil.
  fileprivate var parts: _PartialParts<Wrapped> {
    get { _PartialParts(parts: map { Partial($0) } ?? Partial()) }
    set {
      guard var whole = self else { return }
      newValue.parts._replay(on: &whole, writesObjects: true)
      self = whole
    }
  }
}

/// Parts of an optional whose type isn't known.
protocol _PartialOptionalParts {
  /// Whether some of these parts have no place in the root to which they were written at their key path.
  func areLost<Root>(in root: Root, at keyPath: AnyKeyPath) -> Bool
  /// Writes these parts to the value that `partial` has of the optional to which their key path belongs.
  ///
  /// - Returns: Whether some of them have no place in it; nil if nothing was written.
  func write<Root>(to partial: inout Partial<Root>, at keyPath: AnyKeyPath) -> Bool?
  /// A box like `newer`, which holds these parts, with those that only the older value has.
  func boxed<Root>(_ newer: any _PartialBox, following older: Any, in _: Root.Type) -> any _PartialBox
}

extension _PartialParts: _PartialOptionalParts {
  func areLost<Root>(in root: Root, at keyPath: AnyKeyPath) -> Bool {
    (keyPath as? KeyPath<Root, Self>).map { areLost(in: root[keyPath: $0].parts._wholeRoot) } ?? false
  }

  private func areLost(in whole: Wrapped?) -> Bool {
    guard let whole else { return true }
    return parts._storage.state.hasConstants
      || parts._storage.boxed.assignments.map(\.box).contains { box in
        box.effect == .nothing || box.parts?.areLost(in: whole, at: box.keyPath) ?? false
      }
  }

  func write<Root>(to partial: inout Partial<Root>, at keyPath: AnyKeyPath) -> Bool? {
    guard let path = keyPath as? PartialKeyPath<Root>,
      let keyPath = (partial._schema?.declared(path) ?? path) as? WritableKeyPath<Root, Wrapped?>,
      let field = _PartialField(keyPath), var whole = partial._value(in: field, for: keyPath) ?? nil
    else { return nil }
    parts._replay(on: &whole, writesObjects: true)
    partial._set(Optional(whole), at: field, isConstant: false)
    return areLost(in: whole)
  }

  func boxed<Root>(_ newer: any _PartialBox, following older: Any, in _: Root.Type) -> any _PartialBox {
    var both = (older as? Self)?.parts ?? Partial()
    both.merge(parts)
    return _PartialBoxedValue<Root, Self>(Self(parts: both), at: newer.keyPath, effect: newer.effect)
  }
}

/// An optional that is compared and encoded by its parts if it was a value before.
struct _PartialOptionalGroup<Root, Wrapped: Codable & Hashable & Sendable>: _PartialNamedProperty {
  let name: String
  private let keyPath: any KeyPath<Root, Wrapped?> & Sendable
  private let parts: any KeyPath<Root, _PartialParts<Wrapped>> & Sendable
  private let schema: Partial<Wrapped>.Schema
  private let whole: _PartialProperty<Root, Wrapped?>

  init(name: String, keyPath: any KeyPath<Root, Wrapped?> & Sendable, schema: Partial<Wrapped>.Schema) {
    self.name = name
    self.keyPath = keyPath
    self.schema = schema
    parts = keyPath.appending(\Wrapped?.parts)
    whole = _PartialProperty(name: name, keyPath: keyPath)
  }

  var labels: [_PartialLabel<Root>] { whole.labels }

  var allLabels: [_PartialLabel<Root>] { labels + [_PartialLabel(name: name, keyPath: parts, isDerived: true)] }

  func labels(in partial: Partial<Root>) -> [String] {
    let whole = whole.labels(in: partial)
    return whole.isEmpty ? schema.members.flatMap { $0.labels(in: parts(in: partial)) }.map { "\(name).\($0)" } : whole
  }

  /// The parts that were set, other than with a whole.
  private func parts(in partial: Partial<Root>) -> Partial<Wrapped> {
    let value = partial._storage.state.hasExtras ? partial._storage.boxed.value(for: parts) : nil
    return value?.parts ?? Partial()
  }

  func isEqual(in left: Partial<Root>, and right: Partial<Root>) -> Bool {
    let (parts, others) = (parts(in: left), parts(in: right))
    return whole.isEqual(in: left, and: right) && schema.properties.allSatisfy { $0.isEqual(in: parts, and: others) }
  }

  func hash(_ partial: Partial<Root>, into hasher: inout Hasher) {
    whole.hash(partial, into: &hasher)
    let parts = parts(in: partial)
    for property in schema.properties { property.hash(parts, into: &hasher) }
  }

  func addChanges(to changes: inout Partial<Root>, of edit: _PartialEdit<Root>, includingEqual: Bool) {
    let isWhole = includingEqual && edit.changes.contains(keyPath)
    let value = (edit.partial._value(for: keyPath) ?? edit.hiddenRoot?[keyPath: keyPath]) ?? nil
    let waiting = partsAfterWhole(in: edit.changes)
    if value == nil, !waiting.isEmpty { return set(waiting, in: &changes) }
    if !isWhole, let old = edit.others[0]._value(for: keyPath) ?? nil, let new = value {
      var edited = Partial(new)
      for loss in schema.losses(of: waiting, in: edited) { loss.put(&edited) }
      let parts = schema.changes(in: edited, comparedWith: [Partial(old)], includingEqual: false)
      let made = parts._applied(to: old, writesObjects: true)
      // Otherwise a part that the schema ignores has changed, or the setter of another property has. All parts together
      // are a whole, as they are when they are decoded.
      if _areSameOrEqualWithin(made, new), edit.others.count == 1 || !parts.isEmpty, !schema.isWhole(parts) {
        if !parts.isEmpty { set(parts, in: &changes) }
        return
      }
    }
    whole.addChanges(to: &changes, of: edit, includingEqual: includingEqual)
  }

  /// The parts that were set after the whole, if that was set.
  private func partsAfterWhole(in changes: Partial<Root>) -> Partial<Wrapped> {
    let parts = parts(in: changes)
    return parts.isEmpty || changes._wasSet(keyPath, after: self.parts) ? Partial() : parts
  }

  func losses(of changes: Partial<Root>, in result: Partial<Root>) -> [_PartialLoss<Root>] {
    let (parts, found) = (partsAfterWhole(in: changes), result._value(for: keyPath))
    guard !parts.isEmpty else { return [] }
    let whole = _PartialLoss<Root>(keyPath: keyPath, isMissing: found == .some(nil), isOpen: found == nil) {
      set(parts, in: &$0)
    }
    guard let value = found ?? nil else { return [whole] }
    guard self.parts is WritableKeyPath<Root, _PartialParts<Wrapped>> else {
      return _areSameOrEqualWithin(parts._applied(to: value), value) ? [] : [whole]
    }
    return schema.losses(of: parts, in: Partial(value)).map { loss in
      _PartialLoss(
        keyPath: keyPath.appending(\Wrapped?.!).appending(erased: loss.keyPath), isMissing: loss.isMissing
      ) {
        var parts = self.parts(in: $0)
        loss.put(&parts)
        set(parts, in: &$0)
      }
    }
  }

  private func set(_ value: Partial<Wrapped>?, in partial: inout Partial<Root>) {
    let isConstant = !(parts is WritableKeyPath<Root, _PartialParts<Wrapped>>)
    partial[_at: parts, in: nil, isConstant: isConstant] = value.map(_PartialParts.init)
  }

  func remove(from partial: inout Partial<Root>) {
    whole.remove(from: &partial)
    set(nil, in: &partial)
  }

  var hasRules: Bool { schema.hasRules }

  func normalize(_ partial: inout Partial<Root>, keepingOriginal: Bool) {
    guard let value = partial._value(for: keyPath) ?? nil else { return }
    let old = keepingOriginal ? partial._originalAlone._value(for: keyPath) ?? nil : nil
    var inner = old.map { Partial(over: $0) } ?? Partial()
    inner[\.self] = value
    let normal = schema.normalized(inner, keepingOriginal: old != nil)._value(for: \.self)
    if let normal, !_areProvablySame(normal, value) { whole.set(normal, in: &partial) }
  }

  func encode(_ partial: Partial<Root>, to container: inout KeyedEncodingContainer<_PartialCodingKey>) throws {
    let key = _PartialCodingKey(name)
    var parts = parts(in: partial)
    if let whole = partial._namedValue(for: keyPath) {
      guard var value = whole else { return try container.encodeNil(forKey: key) }
      if !partial._wasSet(keyPath, after: self.parts) { parts.apply(to: &value) }
      parts = Partial(value)
    }
    guard !parts.isEmpty else { return }
    var nested = container.nestedContainer(keyedBy: _PartialCodingKey.self, forKey: key)
    let normal = schema.normalized(parts, keepingOriginal: false)
    for member in schema.members { try member.encode(normal, to: &nested) }
  }

  func decode(from container: KeyedDecodingContainer<_PartialCodingKey>, to partial: inout Partial<Root>) throws {
    let key = _PartialCodingKey(name)
    if try container.decodeNil(forKey: key) { return whole.set(nil, in: &partial) }
    let nested = try container.nestedContainer(keyedBy: _PartialCodingKey.self, forKey: key)
    var parts = Partial<Wrapped>()
    try schema.members.decode(from: nested, to: &parts, refusesUnknownKeys: schema.refusesUnknownKeys)
    if schema.isWhole(parts), let value = try? container.decode(Wrapped.self, forKey: key) {
      whole.set(value, in: &partial)
    } else {
      set(parts, in: &partial)
    }
  }

  func inside<Outer>(_ prefix: any KeyPath<Outer, Root> & Sendable) -> any _PartialMember<Outer> {
    _PartialOptionalGroup<Outer, Wrapped>(name: name, keyPath: prefix.appending(keyPath), schema: schema)
  }
}
