internal import UndoHistories

/// A stored property that no part names, on the way of a patch: it goes by the property's own name.
///
///     | 0 | 13 | name:shape | bytes | kind | ... |
///     | 0 | 14 | name:shape | bytes | kind | ... | 1 | value |
///
/// The shape says how values of its type are written, and is missing where an encoder has to: where a later version of
/// the type has another, they would be misread.
///
/// Where the value around the property does not encode it by its name, that is written too, as it is behind the edit. A
/// reader believes it, and the edit where that makes the same of the value in front of it. What lies within goes by its
/// name then, however it is encoded. And where a piece cannot be encoded by itself, the value around is all.
struct _UndoField {
  /// Its name and shape.
  let name: String
  let member: _UndoPart
  /// The value around it.
  let around: _UndoPatchPiece
  /// Whether that is written too.
  let writesAround: Bool
  /// Writes what has no compact form.
  let coding: UndoPieceCoding
}

/// A patch of such a property that was read.
///
/// Only a value tells which properties its type has, and of which types. So it is understood where the value is there.
struct _UndoUnreadField {
  let name: String
  /// What stands behind the number of a part.
  let bytes: [UInt8]
  let coding: UndoPieceCoding
  /// The value around the property, where it was written too.
  var around: _UndoPatchPiece?

  init(from reader: inout _UndoReader) throws {
    guard let coding = reader.coding else { throw reader.damage }
    (name, bytes, self.coding) = (try reader.readText(), try reader.readBytes(), coding)
  }

  init(_ name: String, _ bytes: [UInt8], _ coding: UndoPieceCoding) {
    (self.name, self.bytes, self.coding) = (name, bytes, coding)
  }
}

// MARK: - Writing

extension _UndoCoder {
  /// What an edit did, by the property that has all of it; nil where none has.
  static func describeField(
    _ description: inout _UndoDescription, _ level: _UndoLevelOfEdit, of value: _UnsafeUndoPointer
  ) -> _UndoPatch.Change? {
    let whole = unsafe value[as: Value.self]
    guard let coding = description.schema.fieldCoding, let fields = _UndoFields(whole),
      let field = fields.field(around: level.bytes), let member = fields.member(of: field)
    else { return nil }
    let isCoded = description.isInValueAround || fields.isEncoded(field, with: whole)
    let place = _UndoField(
      name: fields.name(of: field), member: member, around: piece(value), writesAround: !isCoded, coding: coding)
    description.path.append(.field(place))
    let (isNamed, isInValueAround) = (description.isNamed, description.isInValueAround)
    (description.isNamed, description.isInValueAround) = (false, isInValueAround || !isCoded)
    defer { (description.isNamed, description.isInValueAround) = (isNamed, isInValueAround) }
    return member.coder.describeValue(
      &description, level.within(member, of: description.edit), of: value.part(at: member.bytes.lowerBound))
  }
}

// MARK: - Understanding

extension _UndoPatch {
  /// The patch with all that is in it understood, for the value that it is to edit.
  ///
  /// - Parameter carriers: What is carried of the value: its own patches assign it.
  /// - Throws: `_UndoMisfit` where the patch does not fit the value, and `UndoFormError`.
  func understood<Whole>(in whole: Whole, carrying carriers: [_UndoRestored] = []) throws -> _UndoPatch {
    guard case .unread(let field) = change else { return self }
    var (whole, patch) = (whole, self)
    try unsafe withUnsafeMutablePointer(to: &whole) { whole in
      try root.walk(path[...], from: unsafe _UnsafeUndoPointer(UnsafeMutableRawPointer(whole))) { coder, value in
        let inside = try coder.understood(field, in: value, carrying: path.isEmpty ? carriers : [])
        patch = inside.behind(path[...], in: root)
      }
    }
    return patch
  }

  /// What the patch makes of a value.
  func applied<Whole>(to whole: Whole) throws -> Whole {
    let history = UndoHistory(initialValue: whole)
    _ = try apply(in: history.storage.access)
    return history.currentItem
  }

  /// Whether another patch makes the same of a value: something else is encoded of it then, and the same with both, or
  /// comparing finds nothing.
  ///
  /// Of a value with objects, or with what is not encoded, comparing finds more than there is. What is carried may
  /// have been assigned already in the value that was written.
  fileprivate func makesTheSame<Whole: Codable>(as other: Whole, of whole: Whole, carrying carriers: [_UndoRestored])
    -> Bool
  {
    guard var value = try? applied(to: whole) else { return false }
    var other = other
    unsafe withUnsafeMutablePointer(to: &value) { value in
      unsafe withUnsafeMutablePointer(to: &other) { other in
        for carrier in carriers {
          carrier.assign(
            from: unsafe _UnsafeUndoPointer(UnsafeMutableRawPointer(other)),
            to: unsafe _UnsafeUndoPointer(UnsafeMutableRawPointer(value)))
        }
      }
    }
    if let coded = try? _UndoDigest.of(value) {
      if (try? _UndoDigest.of(other)) != coded { return false }
      if (try? _UndoDigest.of(whole)) != coded { return true }
    }
    let history = UndoHistory(initialValue: value)
    let cursor = UndoHistory.Editor(history.storage.access, _UndoRoot(), offset: 0)
    cursor.recordDifference(from: cursor.replaceTarget(with: other))
    return history.undoCount == 0
  }
}

extension _UndoCoder {
  fileprivate static func understood(
    _ field: _UndoUnreadField, in value: _UnsafeUndoPointer, carrying carriers: [_UndoRestored]
  ) throws -> _UndoPatch {
    let whole = unsafe value[as: Value.self]
    guard let around = field.around else { return try understood(field, in: whole) }
    let value: Value = try around.value()
    if let patch = try? understood(field, in: whole), patch.makesTheSame(as: value, of: whole, carrying: carriers) {
      return patch
    }
    return patch(.changed(around))
  }

  private static func understood(_ field: _UndoUnreadField, in whole: Value) throws -> _UndoPatch {
    var reader = _UndoReader(field.bytes, field.coding)
    do {
      guard let fields = _UndoFields(whole), let member = fields.member(named: field.name) else {
        return try converted(field, in: whole)
      }
      let patch = try member.coder.readValue(from: &reader, type: 0, _UndoSchema(of: Value.self))
      guard reader.isAtEnd else { throw _UndoMisfit() }
      return try patch.behind([.part(0, member)], in: Self.self).understood(in: whole)
    } catch UndoFormError.damaged {
      throw _UndoMisfit()
    }
  }

  /// The patch for a value that has no property of that name, or one of another type.
  private static func converted(_ field: _UndoUnreadField, in whole: Value) throws -> _UndoPatch {
    let (key, shape) = (String(field.name.prefix { $0 != ":" }), field.name.drop { $0 != ":" }.dropFirst())
    var reader = _UndoReader(field.bytes, field.coding)
    if let fields = _UndoFields(whole) {
      var found: [_UndoPatch] = []
      for candidate in fields.fields(forKey: key, of: whole) {
        guard let member = fields.member(of: candidate) else { continue }
        let schema = _UndoSchema(of: Value.self)
        var reader = reader
        let patch =
          try? member.coder.shape == shape
          ? member.coder.readValue(from: &reader, type: 0, schema)
          : member.coder.readConverted(shape, from: &reader, type: 0, schema)
        guard let patch = try? patch?.behind([.part(0, member)], in: Self.self).understood(in: whole) else { continue }
        if case .lost = patch.change { continue }
        found.append(patch)
      }
      if found.count > 1, let before = _UndoCodingKeys.digest(of: key, in: whole) {
        // Whatever of them is encoded by the key is the one.
        let changed = found.filter { patch in
          let other = try? patch.applied(to: whole)
          return other.flatMap { _UndoCodingKeys.digest(of: key, in: $0) } ?? before != before
        }
        if !changed.isEmpty { found = changed }
      }
      if let patch = found.first { return patch }
    } else if let wrapping = whole as? any _UndoWrapping, !wrapping.isMissing {
      return wrapping.conversion(of: field).map { patch(.converted($0)) } ?? patch(.lost(nil))
    }
    return patch(.lost(try reader.skipChange(of: shape, type: 0)))
  }
}

// MARK: - Properties as parts

extension _UndoFields {
  /// The field that has all of these bytes.
  fileprivate func field(around bytes: Range<Int>) -> Field? {
    fields.first { $0.offset <= bytes.lowerBound && bytes.upperBound <= $0.offset + $0.size && $0.size > 0 }
  }

  /// Whether the value is encoded with a field of its by the field's name: one that is decoded may lack another.
  fileprivate func isEncoded(_ field: Field, with whole: Whole) -> Bool {
    guard let whole = whole as? any Encodable else { return false }
    // Nothing is encoded of a value that is missing, and of another one what is wrapped.
    let isMissing = (field.value as? any _UndoWrapping)?.isMissing ?? false
    return _UndoCodingKeys(of: whole).contain(field.name, as: types(of: field), isMissing: isMissing)
  }

  /// The fields that may be encoded by a key: that of this name, or else those that are not by their own.
  fileprivate func fields(forKey key: String, of whole: Whole) -> [Field] {
    if let field = fields.first(where: { $0.name == key }) { return [field] }
    guard let whole = whole as? any Encodable else { return [] }
    let keys = _UndoCodingKeys(of: whole)
    let type = keys.type(of: key)
    return fields.filter { field in
      let types = types(of: field)
      if type.map({ type in !types.contains { $0 == type } }) ?? false { return false }
      return !keys.contain(field.name, as: types, isMissing: (field.value as? any _UndoWrapping)?.isMissing ?? false)
    }
  }

  /// The type of a field, and those that it wraps.
  private func types(of field: Field) -> [Any.Type] {
    func type<Value>(_ value: Value) -> Any.Type { Value.self }
    var types = [type(field.value)]
    while let wrapping = types[types.count - 1] as? any _UndoWrapping.Type { types.append(wrapping.wrapped) }
    return types
  }

  /// What a field goes by: its name, and how values of its type are written.
  fileprivate func name(of field: Field) -> String {
    func shape<Value>(_ value: Value) -> String { _undoShape(of: Value.self) }
    let shape = shape(field.value)
    return shape.isEmpty ? field.name : "\(field.name):\(shape)"
  }

  /// The field of a name, as a part.
  fileprivate func member(named name: String) -> _UndoPart? {
    fields.first { name.hasPrefix($0.name) && self.name(of: $0) == name }.flatMap { member(of: $0) }
  }

  /// A field as a part; nil where it is not written by itself.
  fileprivate func member(of field: Field) -> _UndoPart? {
    func coder<Value>(_ value: Value) -> (any _UndoCoder.Type)? {
      func coder<Coded: Codable>(_ type: Coded.Type) -> any _UndoCoder.Type { _undoCoder(of: type) }
      // A reference may be one that does not own its object.
      guard !isReference(Value.self), let type = Value.self as? any Codable.Type else { return nil }
      return coder(type)
    }
    return coder(field.value).map {
      _UndoPart(name: field.name, bytes: field.offset..<field.offset + field.size, coder: $0)
    }
  }

  private func isReference(_ type: Any.Type) -> Bool {
    (type as? any _UndoWrapping.Type).map { isReference($0.wrapped) } ?? (type is AnyClass)
  }
}

extension _UndoFields {
  /// The names of the fields that lead to a carried property, where each is encoded by its name; nil if they do not.
  func names(of carrier: _UndoRestored, in whole: Whole, base: Int = 0) -> [String]? {
    let bytes = carrier.bytes.lowerBound - base..<carrier.bytes.upperBound - base
    guard let field = field(around: bytes), isEncoded(field, with: whole) else { return nil }
    func names<Value>(in value: Value) -> [String]? {
      let own = _UndoRestored(Value.self, at: base + field.offset)
      if own.isSame(as: carrier) { return [field.name] }
      let inner = _UndoFields<Value>(value)?.names(of: carrier, in: value, base: base + field.offset)
      return inner.map { [field.name] + $0 }
    }
    return names(in: field.value)
  }

  /// What is carried where names of fields lead; nil where they do not, or that cannot be carried.
  func carrier(named names: ArraySlice<String>, base: Int = 0) -> _UndoRestored? {
    guard let name = names.first, let field = fields.first(where: { $0.name == name }) else { return nil }
    func carrier<Value>(in value: Value) -> _UndoRestored? {
      let (rest, base) = (names.dropFirst(), base + field.offset)
      if !rest.isEmpty { return _UndoFields<Value>(value)?.carrier(named: rest, base: base) }
      return _UndoRestored.isPossible(Value.self) ? _UndoRestored(Value.self, at: base) : nil
    }
    return carrier(in: field.value)
  }
}

/// A value that may be missing.
private protocol _UndoWrapping {
  static var wrapped: Any.Type { get }
  var isMissing: Bool { get }
  /// The edit of a property of what is wrapped, as one of this.
  func conversion(of field: _UndoUnreadField) -> _UndoConversion?
}

extension Optional: _UndoWrapping {
  fileprivate static var wrapped: Any.Type { Wrapped.self }
  fileprivate var isMissing: Bool { self == nil }

  fileprivate func conversion(of field: _UndoUnreadField) -> _UndoConversion? {
    func coder<Coded: Codable>(_ type: Coded.Type) -> any _UndoCoder.Type { _undoCoder(of: type) }
    guard let coder = (Wrapped.self as? any Codable.Type).map({ coder($0) }) else { return nil }
    let patch = _UndoPatch(root: coder, path: [], change: .unread(field))
    let text = flatMap { try? patch.understood(in: $0).textPatch }
    return _UndoConversion(text: text) { value, text in
      guard let value = value as? Self, let value else { throw _UndoMisfit() }
      return try patch.understood(in: value).with(text).applied(to: value) as Self as Any
    }
  }
}
