/// A part that is a dictionary of which single keys are edited.
final class _UndoEntriesPart<Whole, Key: Hashable & Codable, Element: Codable>: _UndoPartForm<Whole> {
  let key = _UndoPieceForm<Key>()
  let element = _UndoPieceForm<Element>()
  /// What is done where more than a key changed.
  private let rest: _UndoValuePart<Whole, [Key: Element]>

  override init(_ name: String, _ bytes: Range<Int>) {
    rest = _UndoValuePart(name, bytes)
    super.init(name, bytes)
  }

  override var inner: any Codable.Type { rest.inner }

  override func patch(
    _ number: Int, _ edit: _UndoDetailedEdit, _ level: _UndoLevelOfEdit, in whole: Whole, _ schema: _UndoSchema
  ) -> _UndoPatch<Whole> {
    guard level.isInnermost(of: edit), level.bytes == bytes, case .entry(let member) = edit.detail,
      let key = member as? Key, level.type == ObjectIdentifier([Key: Element].self)
    else { return rest.patch(number, edit, level, in: whole, schema) }
    return _UndoEntryPatch(self, number, key, part([Key: Element].self, of: whole)[key])
  }

  override func value(_ number: Int, of whole: Whole) -> _UndoPatch<Whole> { rest.value(number, of: whole) }

  override func read(
    _ number: Int, from reader: inout _UndoReader, type: Int, _ schema: _UndoSchema
  ) throws -> _UndoPatch<Whole> {
    switch reader.nextPatchKind {
    case .entry, .absent:
      let isThere = try reader.readPatchKind() == .entry
      let key = try key.read(from: &reader)
      return _UndoEntryPatch(self, number, key, isThere ? try element.read(from: &reader) : nil)
    default: return try rest.read(number, from: &reader, type: type, schema)
    }
  }

  override func readOld(_ number: Int, from decoder: any Decoder) throws -> (_UndoPatch<Whole>, old: any Encodable) {
    try rest.readOld(number, from: decoder)
  }

  override func carrier() -> _UndoCarrier? { rest.carrier() }
}

/// A part that is a set of which single members are edited.
final class _UndoMembersPart<Whole, Member: Hashable & Codable>: _UndoPartForm<Whole> {
  let member = _UndoPieceForm<Member>()
  /// What is done where more than a member changed.
  private let rest: _UndoValuePart<Whole, Set<Member>>

  override init(_ name: String, _ bytes: Range<Int>) {
    rest = _UndoValuePart(name, bytes)
    super.init(name, bytes)
  }

  override var inner: any Codable.Type { rest.inner }

  override func patch(
    _ number: Int, _ edit: _UndoDetailedEdit, _ level: _UndoLevelOfEdit, in whole: Whole, _ schema: _UndoSchema
  ) -> _UndoPatch<Whole> {
    guard level.isInnermost(of: edit), level.bytes == bytes, case .entry(let member) = edit.detail,
      let member = member as? Member, level.type == ObjectIdentifier(Set<Member>.self)
    else { return rest.patch(number, edit, level, in: whole, schema) }
    return _UndoMemberPatch(self, number, member, isThere: part(Set<Member>.self, of: whole).contains(member))
  }

  override func value(_ number: Int, of whole: Whole) -> _UndoPatch<Whole> { rest.value(number, of: whole) }

  override func read(
    _ number: Int, from reader: inout _UndoReader, type: Int, _ schema: _UndoSchema
  ) throws -> _UndoPatch<Whole> {
    switch reader.nextPatchKind {
    case .entry, .absent:
      let isThere = try reader.readPatchKind() == .entry
      return _UndoMemberPatch(self, number, try member.read(from: &reader), isThere: isThere)
    default: return try rest.read(number, from: &reader, type: type, schema)
    }
  }

  override func readOld(_ number: Int, from decoder: any Decoder) throws -> (_UndoPatch<Whole>, old: any Encodable) {
    try rest.readOld(number, from: decoder)
  }

  override func carrier() -> _UndoCarrier? { rest.carrier() }
}

// MARK: - Found by type

/// A type that is edited by members, of which a part form is made where nothing but the type is known.
protocol _UndoMembered {
  static func partForm<Whole>(_ name: String, _ bytes: Range<Int>, in whole: Whole.Type) -> _UndoPartForm<Whole>
}

extension Dictionary: _UndoMembered where Key: Codable, Value: Codable {
  static func partForm<Whole>(_ name: String, _ bytes: Range<Int>, in whole: Whole.Type) -> _UndoPartForm<Whole> {
    _UndoEntriesPart<Whole, Key, Value>(name, bytes)
  }
}

extension Set: _UndoMembered where Element: Codable {
  static func partForm<Whole>(_ name: String, _ bytes: Range<Int>, in whole: Whole.Type) -> _UndoPartForm<Whole> {
    _UndoMembersPart<Whole, Element>(name, bytes)
  }
}
