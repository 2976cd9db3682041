internal import UndoHistories

// The coders of dictionaries and of sets, and how they are found by a type that is known only at run time.

/// The coder of dictionaries, in which keys are added, removed, or set to other values.
enum _UndoEntriesCoder<Key: Hashable & Codable, Element: Codable>: _UndoCoder {
  typealias Value = [Key: Element]

  static func change(_ description: inout _UndoDescription, _ level: _UndoLevelOfEdit) -> _UndoPatch.Change? {
    guard let key: Key = description.member(of: Value.self, level) else { return nil }
    return unsafe level.value[as: Value.self][key].map { .entry(_UndoPatchPiece(key), _UndoPatchPiece($0)) }
      ?? .absent(_UndoPatchPiece(key))
  }

  static func read(_ kind: _UndoPatchKind, from reader: inout _UndoReader, type: Int) throws -> _UndoPatch {
    guard kind == .entry || kind == .absent else { throw reader.damage }
    let key = _UndoPatchPiece(try reader.readValue(Key.self))
    if kind == .absent { return patch(.absent(key)) }
    return patch(.entry(key, _UndoPatchPiece(try reader.readValue(Element.self))))
  }

  static func apply(_ change: _UndoPatch.Change, at cursor: inout UndoCursor<some UndoPlace, Value>) throws {
    let (key, value): (Key, Element?)
    switch change {
    case .entry(let piece, let element?): (key, value) = (try piece.value(), try element.value(as: Element.self))
    case .absent(let piece): (key, value) = (try piece.value(), nil)
    default: throw _UndoPatchMismatch()
    }
    // Only a key or member that is there can be removed.
    if key != key || value == nil && cursor.readTarget({ $0[key] == nil }) { throw _UndoPatchMismatch() }
    cursor.exchange(key, value) { _, _ in false }
  }
}

/// The coder of sets, in which members are added and removed.
enum _UndoMembersCoder<Member: Hashable & Codable>: _UndoCoder {
  typealias Value = Set<Member>

  static func change(_ description: inout _UndoDescription, _ level: _UndoLevelOfEdit) -> _UndoPatch.Change? {
    guard let member: Member = description.member(of: Value.self, level) else { return nil }
    let isThere = unsafe level.value[as: Value.self].contains(member)
    return isThere ? .entry(_UndoPatchPiece(member), nil) : .absent(_UndoPatchPiece(member))
  }

  static func read(_ kind: _UndoPatchKind, from reader: inout _UndoReader, type: Int) throws -> _UndoPatch {
    guard kind == .entry || kind == .absent else { throw reader.damage }
    let member = _UndoPatchPiece(try reader.readValue(Member.self))
    return patch(kind == .entry ? .entry(member, nil) : .absent(member))
  }

  static func apply(_ change: _UndoPatch.Change, at cursor: inout UndoCursor<some UndoPlace, Value>) throws {
    let (member, isThere): (Member, Bool)
    switch change {
    case .entry(let piece, nil): (member, isThere) = (try piece.value(), true)
    case .absent(let piece): (member, isThere) = (try piece.value(), false)
    default: throw _UndoPatchMismatch()
    }
    // Only a key or member that is there can be removed.
    if member != member || !isThere && !cursor.readTarget({ $0.contains(member) }) { throw _UndoPatchMismatch() }
    if isThere { cursor.insert(member) } else { cursor.remove(member) }
  }
}

extension _UndoDescription {
  /// The key or member that changed; nil if more changed, or if a decoded copy wouldn't be equal to it.
  fileprivate func member<Member: Hashable & Codable, Value>(
    of type: Value.Type, _ level: _UndoLevelOfEdit
  ) -> Member? {
    guard level.isInnermost(of: edit), level.isAll(of: type), let member = edit.change.key?.base as? Member else {
      return nil
    }
    // A key that no encoder writes comes back equal. Without a coding, nothing can be compared, so any key is accepted.
    if Member.self is any _UndoCompact.Type { return member }
    guard let coding = schema.fieldCoding else { return member }
    let decoded = try? coding.decode(Member.self, coding.encode(member))
    return decoded as? Member == member ? member : nil
  }
}

// MARK: - Found by type

extension Dictionary: _UndoCodedCollection where Key: Codable, Value: Codable {
  static var shape: String { "{\(_undoShape(of: Key.self)),\(_undoShape(of: Value.self))" }
  static var coder: any _UndoCoder.Type { _UndoEntriesCoder<Key, Value>.self }
}

extension Set: _UndoCodedCollection where Element: Codable {
  static var shape: String { "<\(_undoShape(of: Element.self))" }
  static var coder: any _UndoCoder.Type { _UndoMembersCoder<Element>.self }
}
