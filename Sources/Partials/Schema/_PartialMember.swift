import Sameness

/// The key path and name of a property; the name begins with the names of the wholes that it is a part of.
struct _PartialLabel<Root> {
  var name: String
  let keyPath: any PartialKeyPath<Root> & Sendable
  /// Whether the key path leads to nothing stored, but to what another label stores.
  var isDerived = false
  /// Whether an empty text that is entered for the property means nil.
  var readsEmptyTextAsNil = false

  /// Whether both are the same property, or one is a part of the other.
  func overlaps(_ other: _PartialLabel) -> Bool {
    if keyPath == other.keyPath { return true }
    guard let field = _PartialField(erased: keyPath), let other = _PartialField(erased: other.keyPath) else {
      return false
    }
    return field.overlaps(other)
  }
}

/// One named declaration in a schema: a property, or a group of its parts.
protocol _PartialMember<Root>: Sendable {
  associatedtype Root
  var name: String { get }
  /// The declared properties, in order.
  var labels: [_PartialLabel<Root>] { get }
  /// The declared properties, and the wholes that group them.
  var allLabels: [_PartialLabel<Root>] { get }

  /// The names of the declared properties that are set.
  func labels(in partial: Partial<Root>) -> [String]
  /// The declared properties, in order, each by itself.
  var properties: [any _PartialNamedProperty<Root>] { get }
  func encode(_ partial: Partial<Root>, to container: inout KeyedEncodingContainer<_PartialCodingKey>) throws
  /// Sets the value that the container has under the member's name.
  func decode(from container: KeyedDecodingContainer<_PartialCodingKey>, to partial: inout Partial<Root>) throws
  /// The same member of a root that has this one at `prefix`.
  func inside<Outer>(_ prefix: any KeyPath<Outer, Root> & Sendable) -> any _PartialMember<Outer>
}

/// A declared property, which is compared by itself; an optional whose parts are declared is one property.
protocol _PartialNamedProperty<Root>: _PartialMember {
  func isEqual(in left: Partial<Root>, and right: Partial<Root>) -> Bool
  func hash(_ partial: Partial<Root>, into hasher: inout Hasher)
  /// Sets in `changes` each property that reads differently in the edit than in one of the other roots; with
  /// `includingEqual`, also each property that was set.
  func addChanges(to changes: inout Partial<Root>, of edit: _PartialEdit<Root>, includingEqual: Bool)
  /// The values set in `changes` that `result`, to which they were written, has no place for.
  func losses(of changes: Partial<Root>, in result: Partial<Root>) -> [_PartialLoss<Root>]
  /// Whether the property, or a part of it, has a rule.
  var hasRules: Bool { get }
  /// Sets the normal value by its rules; with `keepingOriginal`, that of the original if both count as equal.
  func normalize(_ partial: inout Partial<Root>, keepingOriginal: Bool)
  /// Removes the values of this property from `partial`, which has no original; if a constant can't be applied, removes
  /// nothing.
  func remove(from partial: inout Partial<Root>)
}

extension _PartialNamedProperty {
  var properties: [any _PartialNamedProperty<Root>] { [self] }
}

/// A partial over an original, prepared to be compared with it.
struct _PartialEdit<Root> {
  let partial: Partial<Root>
  /// The roots to compare with: the original, and other roots that a difference may be applied to.
  let others: [Partial<Root>]
  /// The original with the effects of setters, if a constant hides the whole root.
  let hiddenRoot: Root?
  /// Whether values with setters are only shown, because the changes that make them are included.
  var showsSetters = false

  var changes: Partial<Root> { partial.changes }

  /// Whether values that are equal are also compared by their stored contents: if an earlier attempt didn't make the
  /// edited root, they may differ in something that `==` doesn't see.
  var comparesStored: Bool { showsSetters || others.count > 1 }
}

/// A property and its name.
struct _PartialProperty<Root, Value: Codable & Hashable & Sendable>: _PartialNamedProperty {
  let name: String
  let keyPath: any KeyPath<Root, Value> & Sendable
  var rule: FieldRule<Value>?

  /// Whether the key path is read-only.
  ///
  /// A schema accepts key paths of any kind, so this is found out at run time.
  private var isConstant: Bool { !(keyPath is WritableKeyPath<Root, Value>) }

  var labels: [_PartialLabel<Root>] {
    [_PartialLabel(name: name, keyPath: keyPath, readsEmptyTextAsNil: rule?.readsEmptyTextAsNil ?? false)]
  }
  var allLabels: [_PartialLabel<Root>] { labels }

  func labels(in partial: Partial<Root>) -> [String] { partial._namedValue(for: keyPath) != nil ? [name] : [] }

  func isEqual(in left: Partial<Root>, and right: Partial<Root>) -> Bool {
    guard let value = right._namedValue(for: keyPath) else { return left._namedValue(for: keyPath) == nil }
    return !Self.differ(left._namedValue(for: keyPath), value)
  }

  func hash(_ partial: Partial<Root>, into hasher: inout Hasher) { hasher.combine(partial._namedValue(for: keyPath)) }

  func addChanges(to changes: inout Partial<Root>, of edit: _PartialEdit<Root>, includingEqual: Bool) {
    let field = _PartialField(keyPath)
    let isSet = edit.changes.contains(keyPath)
    // A property that is only computed follows from others, so it is a change only if it was set.
    guard isSet || field != nil || !isConstant else { return }
    let value = edit.partial._value(in: field, for: keyPath)
    guard let read = value ?? edit.hiddenRoot?[keyPath: keyPath] else { return }
    let isChange =
      isSet && includingEqual || edit.others.contains { Self.differ($0._value(in: field, for: keyPath), read) }
      || isOther(read, in: field, isSet: isSet, in: edit)
    // A constant that is set with its whole isn't set separately.
    guard isChange, !isConstant || !changes.contains(keyPath) else { return }
    // A whole with a constant in it must not be set, but its other parts are set.
    let isShown = field == nil ? edit.showsSetters : value == nil
    if isShown {
      changes._show(read, for: keyPath)
    } else {
      changes[_at: keyPath, in: field, isConstant: isConstant] = read
    }
  }

  /// Whether two values differ; one that doesn't equal itself, such as NaN, differs if its stored contents do.
  private static func differ(_ left: Value?, _ right: Value) -> Bool {
    left.map { !_areEqualOrSame($0, right) } ?? true
  }

  /// Whether the value differs by its stored contents, which its own `==` may not see.
  ///
  /// This is checked if parts of the value were set but not the value itself, and if the edit compares stored contents.
  private func isOther(_ value: Value, in field: _PartialField?, isSet: Bool, in edit: _PartialEdit<Root>) -> Bool {
    let hasParts = !isSet && field.map { !edit.changes._storage.isVacant($0) } ?? false
    guard hasParts || edit.comparesStored else { return false }
    return edit.others.contains { $0._value(in: field, for: keyPath).map { !_areSameOrEqualWithin($0, value) } ?? true }
  }

  func losses(of changes: Partial<Root>, in result: Partial<Root>) -> [_PartialLoss<Root>] {
    guard isConstant else { return [] }
    let field = _PartialField(keyPath)
    let isSet =
      field.map { field in changes._storage.entriesWithConstants.contains { $0.field.overlaps(field) } }
      ?? changes._storage.boxed.contains(keyPath)
    guard isSet, let value = changes._value(in: field, for: keyPath),
      Self.differ(result._value(in: field, for: keyPath), value)
    else { return [] }
    return [_PartialLoss(keyPath: keyPath, isMissing: false) { set(value, in: &$0) }]
  }

  func remove(from partial: inout Partial<Root>) {
    let field = _PartialField(keyPath)
    if let field {
      // Without its constant, the rest of the whole could not be applied.
      if isConstant, let whole = partial._storage.entry(around: field), whole.field != field { return }
      if partial._storage.entriesWithConstants.contains(where: { $0.field.overlaps(field) }) { return }
    }
    partial[_at: keyPath, in: field, isConstant: isConstant] = nil
  }

  func encode(_ partial: Partial<Root>, to container: inout KeyedEncodingContainer<_PartialCodingKey>) throws {
    if let value = partial._namedValue(for: keyPath) { try container.encode(value, forKey: _PartialCodingKey(name)) }
  }

  func decode(from container: KeyedDecodingContainer<_PartialCodingKey>, to partial: inout Partial<Root>) throws {
    set(try container.decode(Value.self, forKey: _PartialCodingKey(name)), in: &partial)
  }

  func inside<Outer>(_ prefix: any KeyPath<Outer, Root> & Sendable) -> any _PartialMember<Outer> {
    _PartialProperty<Outer, Value>(name: name, keyPath: prefix.appending(keyPath), rule: rule)
  }

  var hasRules: Bool { rule != nil }

  func normalize(_ partial: inout Partial<Root>, keepingOriginal: Bool) {
    let field = _PartialField(keyPath)
    guard let rule, let value = partial._value(in: field, for: keyPath) else { return }
    let old = keepingOriginal ? partial._originalAlone._value(in: field, for: keyPath) : nil
    let same = old.flatMap { rule.isUnedited(value, $0, otherwise: _areEqualOrSame) ? $0 : nil }
    let normal = same ?? rule.normal(value)
    if !_areProvablySame(normal, value) { set(normal, in: &partial) }
  }

  func set(_ value: Value, in partial: inout Partial<Root>) {
    partial[_at: keyPath, in: _PartialField(keyPath), isConstant: isConstant] = value
  }
}

/// The parts of a property, which are encoded in a container of their own.
struct _PartialGroup<Root>: _PartialMember {
  let name: String
  let keyPath: any PartialKeyPath<Root> & Sendable
  let members: [any _PartialMember<Root>]
  let refusesUnknownKeys: Bool

  var labels: [_PartialLabel<Root>] { members.flatMap { $0.labels }.map(inGroup) }

  var allLabels: [_PartialLabel<Root>] {
    [_PartialLabel(name: name, keyPath: keyPath)] + members.flatMap { $0.allLabels }.map(inGroup)
  }

  func labels(in partial: Partial<Root>) -> [String] {
    members.flatMap { $0.labels(in: partial) }.map { "\(name).\($0)" }
  }

  var properties: [any _PartialNamedProperty<Root>] { members.flatMap { $0.properties } }

  func encode(_ partial: Partial<Root>, to container: inout KeyedEncodingContainer<_PartialCodingKey>) throws {
    guard !labels(in: partial).isEmpty else { return }
    var nested = container.nestedContainer(keyedBy: _PartialCodingKey.self, forKey: _PartialCodingKey(name))
    for member in members { try member.encode(partial, to: &nested) }
  }

  func decode(from container: KeyedDecodingContainer<_PartialCodingKey>, to partial: inout Partial<Root>) throws {
    let nested = try container.nestedContainer(keyedBy: _PartialCodingKey.self, forKey: _PartialCodingKey(name))
    try members.decode(from: nested, to: &partial, refusesUnknownKeys: refusesUnknownKeys)
  }

  func inside<Outer>(_ prefix: any KeyPath<Outer, Root> & Sendable) -> any _PartialMember<Outer> {
    _PartialGroup<Outer>(
      name: name, keyPath: prefix.appending(erased: keyPath), members: members.map { $0.inside(prefix) },
      refusesUnknownKeys: refusesUnknownKeys)
  }

  private func inGroup(_ label: _PartialLabel<Root>) -> _PartialLabel<Root> {
    var label = label
    label.name = "\(name).\(label.name)"
    return label
  }
}

extension Array {
  /// Sets the values that the container has for these members.
  func decode<Root>(
    from container: KeyedDecodingContainer<_PartialCodingKey>, to partial: inout Partial<Root>, refusesUnknownKeys: Bool
  ) throws where Element == any _PartialMember<Root> {
    if refusesUnknownKeys {
      let names = Set(map { $0.name })
      for key in container.allKeys where !names.contains(key.stringValue) {
        let known = map { $0.name }.joined(separator: ", ")
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container,
          debugDescription: "There is no property \(key.stringValue), only \(known)")
      }
    }
    for member in self where container.contains(_PartialCodingKey(member.name)) {
      try member.decode(from: container, to: &partial)
    }
  }
}

/// The name of a property as a coding key.
struct _PartialCodingKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}
