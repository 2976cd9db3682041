internal import UndoHistories

/// A coder of one type of value: it describes edits of such values, reads patches from bytes, and applies patches.
///
/// This folder holds edits as patches, which are written as bytes. There is one coder for each kind of type: those of
/// texts, collections with elements, dictionaries and sets have files of their own, and that of all other values is
/// here. So are the search for the coder of a type, and the walk to the value that a patch edits. Edits become patches
/// in `_UndoDescription`, and patches are written in `_UndoPatch+Bytes`.
protocol _UndoCoder {
  associatedtype Value: Codable

  /// The change that an edit made, if this kind of type has a name for it.
  static func change(_ description: inout _UndoDescription, _ level: _UndoLevelOfEdit) -> _UndoPatch.Change?

  /// Reads the contents of a patch after its kind; throws if this kind of type has no such change.
  ///
  /// - Parameter type: The index that the type of the elements, or of the value, has in the bytes.
  static func read(_ kind: _UndoPatchKind, from reader: inout _UndoReader, type: Int) throws -> _UndoPatch

  /// Applies a change of this kind of type.
  static func apply(_ change: _UndoPatch.Change, at cursor: inout UndoCursor<some UndoPlace, Value>) throws

  static func applyToElement(
    at index: Int, by coder: any _UndoCoder.Type, _ patch: _UndoPatch, from depth: Int,
    at cursor: borrowing UndoCursor<some UndoPlace, Value>
  ) throws -> Bool

  /// Gives access to an element of the value at an address, counted from the first.
  static func withElement(
    at index: Int, of value: _UnsafeUndoPointer, _ body: (_UnsafeUndoPointer) throws -> Void
  ) throws

  /// The type of the elements, or else the value's own type; it may name parts.
  static var inner: any Codable.Type { get }

  /// How values are written, in letters; empty if an encoder writes them.
  static var shape: String { get }
}

/// A collection type with a coder of its own.
protocol _UndoCodedCollection {
  static var coder: any _UndoCoder.Type { get }
}

/// The coder of a type.
func _undoCoder<Value: Codable>(of type: Value.Type) -> any _UndoCoder.Type {
  if type is String.Type { return _UndoTextCoder.self }
  if let type = _UndoElementwise<Value>.self as? any _UndoCodedCollection.Type { return type.coder }
  return (type as? any _UndoCodedCollection.Type)?.coder ?? _UndoValueCoder<Value>.self
}

/// The coder of a type that is edited as a whole or by its stored properties.
enum _UndoValueCoder<Value: Codable>: _UndoCoder {}

extension _UndoCoder {
  static func change(_ description: inout _UndoDescription, _ level: _UndoLevelOfEdit) -> _UndoPatch.Change? { nil }

  static func read(_ kind: _UndoPatchKind, from reader: inout _UndoReader, type: Int) throws -> _UndoPatch {
    throw reader.damage
  }

  static func apply(_ change: _UndoPatch.Change, at cursor: inout UndoCursor<some UndoPlace, Value>) throws {
    throw UndoFormError.unfit
  }

  static func applyToElement(
    at index: Int, by coder: any _UndoCoder.Type, _ patch: _UndoPatch, from depth: Int,
    at cursor: borrowing UndoCursor<some UndoPlace, Value>
  ) throws -> Bool { throw UndoFormError.unfit }

  static func withElement(
    at index: Int, of value: _UnsafeUndoPointer, _ body: (_UnsafeUndoPointer) throws -> Void
  ) throws { throw UndoFormError.unfit }

  static var inner: any Codable.Type { Value.self }

  static var shape: String { (Value.self as? any _UndoCompact.Type)?.shape ?? "" }

  // MARK: Reading

  static func patch(_ change: _UndoPatch.Change) -> _UndoPatch { _UndoPatch(root: Self.self, path: [], change: change) }

  /// Reads a patch of a value after the number of its part.
  ///
  /// - Parameter type: The index of the value's type in the bytes, counted from 1.
  static func read(_ written: Int, from reader: inout _UndoReader, type: Int) throws -> _UndoPatch {
    if written == 0 { return try readValue(from: &reader, type: 0) }
    guard let part = reader.names.part(written, of: type) else { throw reader.damage }
    let parts = reader.schema.parts(of: Value.self)
    guard let number = parts.number(of: part.name) else {
      let text = try reader.nest { try $0.skipChange(of: part.shape, type: part.type) }
      return patch(.converted(_UndoConversion(text: text, make: nil)))
    }
    let patch = try reader.nest { try parts[number].coder.read(of: part.shape, from: &$0, type: part.type) }
    return patch.behind([.part(number, parts[number])], in: Self.self)
  }

  /// Reads a patch of the value itself, after the number of its part.
  static func readValue(from reader: inout _UndoReader, type: Int) throws -> _UndoPatch {
    try reader.nest { reader in
      switch try reader.readPatchKind() {
      case .replaced: return patch(.replaced(try reader.readValue(Value.self)))
      case .changed: return patch(.changed(try reader.readValue(Value.self)))
      case .member: return try read(reader.readCount(), from: &reader, type: type)
      case .field: return patch(.unread(try _UndoUnreadField(from: &reader)))
      case .fieldAndWhole:
        var field = try _UndoUnreadField(from: &reader)
        guard try reader.readPatchKind() == .changed else { throw reader.damage }
        field.around = try reader.readValue(Value.self)
        return patch(.unread(field))
      case let kind: return try read(kind, from: &reader, type: type)
      }
    }
  }

  // MARK: Applying

  /// Gives access to the value that a path leads to.
  static func walk(
    _ path: ArraySlice<_UndoPatch.Place>, from value: _UnsafeUndoPointer,
    _ body: (any _UndoCoder.Type, _UnsafeUndoPointer) throws -> Void
  ) throws {
    switch path.first {
    case nil: try body(Self.self, value)
    case .part(_, let member, _)?:
      try member.coder.walk(path.dropFirst(), from: value.part(at: member.bytes.lowerBound), body)
    case .element(let index, let coder)?:
      try withElement(at: index, of: value) { try coder.walk(path.dropFirst(), from: $0, body) }
    }
  }

  /// Applies a patch to the value that the path has led to so far.
  ///
  /// - Returns: Whether the edit is lost, because the document no longer has what it edited.
  static func apply<Place: UndoPlace>(
    _ patch: _UndoPatch, from depth: Int, _ access: _UndoAccess<Place.Root>, _ place: Place, offset: Int
  ) throws -> Bool {
    var cursor = UndoCursor<Place, Value>(access, place, offset: offset)
    if depth < patch.path.count {
      switch patch.path[depth] {
      case .part(_, let member, _):
        return try member.coder.apply(patch, from: depth + 1, access, place, offset: offset + member.bytes.lowerBound)
      case .element(let index, let coder):
        return try applyToElement(at: index, by: coder, patch, from: depth + 1, at: cursor)
      }
    }
    switch patch.change {
    case .replaced(let value): cursor.replace(with: try _UndoPatch.value(value))
    case .changed(let value): cursor.change(to: try _UndoPatch.value(value))
    case .converted(let conversion):
      guard let make = conversion.make, let value = try? make(cursor.readTarget { $0 }, conversion.text) as? Value
      else {
        cursor.recordNothing()
        return true
      }
      cursor.change(to: value)
    default: try Self.apply(patch.change, at: &cursor)
    }
    return false
  }
}
