internal import UndoHistories

// The coders of dictionaries and of sets, and how they are found by a type that is known only at run time.

/// A coder of dictionaries or of sets, in which keys or members are added, removed, or set to other values.
protocol _UndoHashedCoder: _UndoCoder {
  associatedtype Key: Hashable & Codable
  associatedtype Element: Codable

  static func element(of key: Key, in value: Value) -> Element?
  static func set(_ key: Key, to element: Element?, at cursor: inout UndoCursor<some UndoPlace, Value>)
}

enum _UndoEntriesCoder<Key: Hashable & Codable, Element: Codable>: _UndoHashedCoder {
  typealias Value = [Key: Element]

  static var shape: String { "{\(_undoCoder(of: Key.self).shape),\(_undoCoder(of: Element.self).shape)" }

  static func element(of key: Key, in entries: [Key: Element]) -> Element? { entries[key] }

  static func set(_ key: Key, to element: Element?, at cursor: inout UndoCursor<some UndoPlace, [Key: Element]>) {
    cursor.exchange(key, element) { _, _ in false }
  }
}

enum _UndoMembersCoder<Key: Hashable & Codable>: _UndoHashedCoder {
  typealias Value = Set<Key>

  static var shape: String { "<\(_undoCoder(of: Key.self).shape)" }

  /// The value of each member, which takes no bytes.
  struct Element: Codable, _UndoCompact {
    static var shape: String { "" }
    func write(to writer: inout _UndoWriter) {}
    static func read(from reader: inout _UndoReader) -> Element { Element() }
  }

  static func element(of member: Key, in members: Set<Key>) -> Element? {
    members.contains(member) ? Element() : nil
  }

  static func set(_ member: Key, to element: Element?, at cursor: inout UndoCursor<some UndoPlace, Set<Key>>) {
    if element == nil { cursor.remove(member) } else { cursor.insert(member) }
  }
}

extension _UndoHashedCoder {
  static func change(_ description: inout _UndoDescription, _ level: _UndoLevelOfEdit) -> _UndoPatch.Change? {
    guard level.isInnermost(of: description.edit), level.isAll(of: Value.self),
      let key = description.edit.change.key?.base as? Key
    else { return nil }
    // A key that no encoder writes comes back equal. Without a coding, nothing can be compared, so any key is accepted.
    if !(Key.self is any _UndoCompact.Type), let coding = description.schema.fieldCoding,
      (try? coding.decode(Key.self, coding.encode(key))) as? Key != key
    {
      return nil
    }
    return .entry(key, unsafe element(of: key, in: level.value[as: Value.self]))
  }

  static func read(_ kind: _UndoPatchKind, from reader: inout _UndoReader, type: Int) throws -> _UndoPatch {
    guard kind == .entry || kind == .absent else { throw reader.damage }
    let key = try reader.readValue(Key.self)
    return patch(.entry(key, kind == .entry ? try reader.readValue(Element.self) : nil))
  }

  static func apply(_ change: _UndoPatch.Change, at cursor: inout UndoCursor<some UndoPlace, Value>) throws {
    guard case .entry(let writtenKey, let written) = change else { throw UndoFormError.unfit }
    let (key, new): (Key, Element?) = try (_UndoPatch.value(writtenKey), written.map { try _UndoPatch.value($0) })
    // Only a key or member that is there can be removed.
    if key != key || new == nil && cursor.readTarget({ element(of: key, in: $0) == nil }) {
      throw UndoFormError.unfit
    }
    set(key, to: new, at: &cursor)
  }
}

// MARK: - Found by type

extension Dictionary: _UndoCodedCollection where Key: Codable, Value: Codable {
  static var coder: any _UndoCoder.Type { _UndoEntriesCoder<Key, Value>.self }
}

extension Set: _UndoCodedCollection where Element: Codable {
  static var coder: any _UndoCoder.Type { _UndoMembersCoder<Element>.self }
}
