internal import UndoHistories

// The stored properties of a value as parts that have no declared name: the name under which each is written, whether
// the value encodes it by that name, finding a property by its name, and the names that lead to a restored property.

extension _UndoFields {
  /// Whether the value encodes a field by the field's name.
  func isEncoded(_ field: Field, with whole: Whole) -> Bool {
    guard let whole = whole as? any Encodable else { return false }
    // An optional encodes nothing if it is nil, and otherwise the wrapped value.
    return _UndoCodingKeys(of: whole).contain(field.name, as: types(of: field), isMissing: isMissing(field))
  }

  /// The fields that a key may stand for: the field of that name, or else the fields not encoded by their own names.
  func fields(forKey key: String, of whole: Whole) -> [Field] {
    if let field = fields.first(where: { $0.name == key }) { return [field] }
    guard let whole = whole as? any Encodable else { return [] }
    let keys = _UndoCodingKeys(of: whole)
    let type = keys.encoded[key]
    return fields.filter { field in
      let types = types(of: field)
      if type.map({ type in !types.contains { $0 == type } }) ?? false { return false }
      return !keys.contain(field.name, as: types, isMissing: isMissing(field))
    }
  }

  private func isMissing(_ field: Field) -> Bool {
    (field.value as? any _UndoWrapping).map { $0.wrappedValue == nil } ?? false
  }

  /// The type of a field, and the types that it wraps.
  private func types(of field: Field) -> [Any.Type] {
    func type<Value>(_ value: Value) -> Any.Type { Value.self }
    var types = [type(field.value)]
    while let wrapping = types[types.count - 1] as? any _UndoWrapping.Type { types.append(wrapping.wrapped) }
    return types
  }

  /// The field of a name, as a part.
  func member(named name: String) -> _UndoPart? {
    fields.lazy.filter { name.hasPrefix($0.name) }.compactMap { member(of: $0) }.first { $0.nameOfField == name }
  }

  /// A field as a part, or nil if its type can't be encoded.
  func member(of field: Field) -> _UndoPart? {
    func coder<Value>(_ value: Value) -> (any _UndoCoder.Type)? {
      // A reference may be weak or unowned.
      guard !isReference(Value.self), let type = Value.self as? any Codable.Type else { return nil }
      return _undoCoder(of: type)
    }
    return coder(field.value).map { _UndoPart(name: field.name, bytes: field.bytes, coder: $0) }
  }

  private func isReference(_ type: Any.Type) -> Bool {
    (type as? any _UndoWrapping.Type).map { isReference($0.wrapped) } ?? (type is AnyClass)
  }

  // MARK: Restored properties

  /// The names of the fields that lead to a restored property, or nil if one of them isn't encoded by its name.
  func names(of property: _UndoRestored, in whole: Whole, base: Int = 0) -> [String]? {
    let bytes = property.bytes.lowerBound - base..<property.bytes.upperBound - base
    guard let field = field(around: bytes), isEncoded(field, with: whole) else { return nil }
    func names<Value>(in value: Value) -> [String]? {
      let own = _UndoRestored(Value.self, at: base + field.bytes.lowerBound)
      if own.isSame(as: property) { return [field.name] }
      let inner = _UndoFields<Value>(value)?.names(of: property, in: value, base: base + field.bytes.lowerBound)
      return inner.map { [field.name] + $0 }
    }
    return names(in: field.value)
  }

  /// The property for undo to restore at the end of a path of field names, or nil if there is none.
  func property(named names: ArraySlice<String>, base: Int = 0) -> _UndoRestored? {
    guard let name = names.first, let field = fields.first(where: { $0.name == name }) else { return nil }
    func property<Value>(in value: Value) -> _UndoRestored? {
      let (rest, base) = (names.dropFirst(), base + field.bytes.lowerBound)
      if !rest.isEmpty { return _UndoFields<Value>(value)?.property(named: rest, base: base) }
      return _UndoRestored.isPossible(Value.self) ? _UndoRestored(Value.self, at: base) : nil
    }
    return property(in: field.value)
  }
}
