/// A part of which single members are edited, by what is theirs and not by their place.
class _UndoMemberwisePart<Whole, Target: Codable>: _UndoPartForm<Whole> {
  /// What is done where more than a member changed.
  private let rest: _UndoValuePart<Whole, Target>

  override init(_ name: String, _ bytes: Range<Int>) {
    rest = _UndoValuePart(name, bytes)
    super.init(name, bytes)
  }

  /// The patch of one member; nil where it has another type, or would not be found by what is written of it.
  func patch(
    _ number: Int, ofMember member: Any, in whole: Whole, _ coding: UndoPieceCoding?
  ) -> _UndoPatch<Whole>? { nil }

  /// Reads the patch of one member.
  func readMember(_ number: Int, isThere: Bool, from reader: inout _UndoReader) throws -> _UndoPatch<Whole> {
    throw reader.damage
  }

  override var inner: any Codable.Type { rest.inner }
  override var valueType: any Codable.Type { Target.self }

  override func patch(
    _ number: Int, _ edit: _UndoEdit, _ level: _UndoLevelOfEdit, in whole: Whole, _ schema: _UndoSchema
  ) -> _UndoPatch<Whole> {
    guard level.isInnermost(of: edit), level.bytes == bytes, let member = edit.change.key,
      level.type == ObjectIdentifier(Target.self),
      let patch = patch(number, ofMember: member.base, in: whole, schema.fieldCoding)
    else { return rest.patch(number, edit, level, in: whole, schema) }
    return patch
  }

  override func value(_ number: Int, of whole: Whole) -> _UndoPatch<Whole> { rest.value(number, of: whole) }

  override func read(
    _ number: Int, from reader: inout _UndoReader, type: Int, _ schema: _UndoSchema
  ) throws -> _UndoPatch<Whole> {
    switch reader.nextPatchKind {
    case .entry, .absent:
      let isThere = try reader.readPatchKind() == .entry
      return try readMember(number, isThere: isThere, from: &reader)
    default: return try rest.read(number, from: &reader, type: type, schema)
    }
  }

  override func carrier() -> _UndoCarrier? { rest.carrier() }
}

/// A part that is a dictionary of which single keys are edited.
final class _UndoEntriesPart<Whole, Key: Hashable & Codable, Element: Codable>:
  _UndoMemberwisePart<Whole, [Key: Element]>
{
  let key = _UndoPieceForm<Key>()
  let element = _UndoPieceForm<Element>()

  override func patch(
    _ number: Int, ofMember member: Any, in whole: Whole, _ coding: UndoPieceCoding?
  ) -> _UndoPatch<Whole>? {
    guard let key = member as? Key, self.key.givesBack(key, coding) else { return nil }
    return _UndoEntryPatch(self, number, key, part([Key: Element].self, of: whole)[key])
  }

  override func readMember(_ number: Int, isThere: Bool, from reader: inout _UndoReader) throws -> _UndoPatch<Whole> {
    let key = try key.read(from: &reader)
    return _UndoEntryPatch(self, number, key, isThere ? try element.read(from: &reader) : nil)
  }
}

/// A part that is a set of which single members are edited.
final class _UndoMembersPart<Whole, Member: Hashable & Codable>: _UndoMemberwisePart<Whole, Set<Member>> {
  let member = _UndoPieceForm<Member>()

  override func patch(
    _ number: Int, ofMember member: Any, in whole: Whole, _ coding: UndoPieceCoding?
  ) -> _UndoPatch<Whole>? {
    guard let member = member as? Member, self.member.givesBack(member, coding) else { return nil }
    return _UndoMemberPatch(self, number, member, isThere: part(Set<Member>.self, of: whole).contains(member))
  }

  override func readMember(_ number: Int, isThere: Bool, from reader: inout _UndoReader) throws -> _UndoPatch<Whole> {
    _UndoMemberPatch(self, number, try member.read(from: &reader), isThere: isThere)
  }
}

// MARK: - Found by type

/// A type that is edited by members, of which a part form is made where nothing but the type is known.
protocol _UndoMembered {
  /// How its members are written (`_undoShape(of:)`).
  static var shape: String { get }
  static func partForm<Whole>(_ name: String, _ bytes: Range<Int>, in whole: Whole.Type) -> _UndoPartForm<Whole>
}

extension Dictionary: _UndoMembered where Key: Codable, Value: Codable {
  static var shape: String { "{\(_undoShape(of: Key.self)),\(_undoShape(of: Value.self))" }

  static func partForm<Whole>(_ name: String, _ bytes: Range<Int>, in whole: Whole.Type) -> _UndoPartForm<Whole> {
    _UndoEntriesPart<Whole, Key, Value>(name, bytes)
  }
}

extension Set: _UndoMembered where Element: Codable {
  static var shape: String { "<\(_undoShape(of: Element.self))" }

  static func partForm<Whole>(_ name: String, _ bytes: Range<Int>, in whole: Whole.Type) -> _UndoPartForm<Whole> {
    _UndoMembersPart<Whole, Element>(name, bytes)
  }
}
