internal import UndoHistories

/// Turns edits of one type of value into patches, reads patches from bytes, and applies them.
///
/// This folder holds edits as bytes, with names that stay valid when the app is updated. There is one coder for each
/// kind of type: texts, collections with elements, dictionaries, sets, and all other values.
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
}

/// A collection type with a coder of its own.
protocol _UndoCodedCollection {
  /// How its values are written (`_undoShape(of:)`).
  static var shape: String { get }
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
    throw _UndoPatchMismatch()
  }

  static func applyToElement(
    at index: Int, by coder: any _UndoCoder.Type, _ patch: _UndoPatch, from depth: Int,
    at cursor: borrowing UndoCursor<some UndoPlace, Value>
  ) throws -> Bool { throw _UndoPatchMismatch() }

  static func withElement(
    at index: Int, of value: _UnsafeUndoPointer, _ body: (_UnsafeUndoPointer) throws -> Void
  ) throws { throw _UndoPatchMismatch() }

  static var inner: any Codable.Type { Value.self }

  /// How values are written.
  static var shape: String { _undoShape(of: Value.self) }

  static func piece(_ value: _UnsafeUndoPointer) -> _UndoPatchPiece { unsafe _UndoPatchPiece(value[as: Value.self]) }
}

/// A part of a value: a named part or a stored property.
struct _UndoPart: @unchecked Sendable {
  // It has a name, offsets and types.

  let name: String
  /// The bytes of the part in the value.
  let bytes: Range<Int>
  let coder: any _UndoCoder.Type

  /// The property that restores the part on undo, or nil if the part is too large.
  var property: _UndoRestored? {
    func property<Coder: _UndoCoder>(_ coder: Coder.Type) -> _UndoRestored? {
      guard _UndoRestored.isPossible(Coder.Value.self) else { return nil }
      return _UndoRestored(Coder.Value.self, at: bytes.lowerBound)
    }
    return property(coder)
  }

  /// The patch that assigns the part its value.
  func patch<Whole: Codable>(_ number: Int, of whole: Whole) -> _UndoPatch {
    func piece(_ value: some Codable) -> _UndoPatchPiece { _UndoPatchPiece(value) }
    return _UndoPatch(
      root: _undoCoder(of: Whole.self), path: [.part(number, self)], change: .replaced(piece(value(of: whole))))
  }

  /// The part of a value.
  func value<Whole>(of whole: Whole) -> any Codable {
    func open<Coder: _UndoCoder>(_ coder: Coder.Type) -> any Codable {
      unsafe withUnsafePart(of: whole, at: bytes.lowerBound, as: Coder.Value.self) { $0 }
    }
    return open(coder)
  }
}

// MARK: - Writing

/// The state of making a patch from a record that was just exchanged.
struct _UndoDescription {
  let edit: _UndoEdit
  let schema: _UndoSchema
  /// Whether named parts are used.
  ///
  /// Inside of a property without a name, only names of properties are used, because the bytes list no parts there.
  var isNamed = true
  /// Whether an enclosing value is written too.
  var isInValueAround = false
  var path: [_UndoPatch.Place] = []
}

/// The place of an edit in one of the values that contain it.
struct _UndoLevelOfEdit {
  let value: _UnsafeUndoPointer
  /// The number of levels that lead to that value.
  let depth: Int
  /// The offset of the value in the element that the levels lead to.
  let base: Int
  private let range: _UndoPartRange

  init(_ edit: _UndoEdit, of value: _UnsafeUndoPointer, depth: Int, base: Int = 0) {
    (self.value, self.depth, self.base) = (value, depth, base)
    range = edit.range(at: depth)
  }

  /// The place of the edit in a part of the value.
  func within(_ part: _UndoPart, of edit: _UndoEdit) -> _UndoLevelOfEdit {
    let start = part.bytes.lowerBound
    return _UndoLevelOfEdit(edit, of: value.part(at: start), depth: depth, base: base + start)
  }

  /// The bytes of the value that the edit changes.
  var bytes: Range<Int> { range.bytes.lowerBound - base..<range.bytes.upperBound - base }
  var type: ObjectIdentifier { range.type }

  func isInnermost(of edit: _UndoEdit) -> Bool { depth == edit.levels.count }

  /// Whether the edit concerns all of a value of this type.
  func isAll<Value>(of value: Value.Type) -> Bool {
    bytes == 0..<MemoryLayout<Value>.size && type == ObjectIdentifier(value)
  }
}

extension _UndoPatch {
  /// Creates the patch of a record that was just exchanged.
  init(_ edit: _UndoEdit, of whole: _UnsafeUndoPointer, _ root: any _UndoCoder.Type, _ schema: _UndoSchema) {
    var description = _UndoDescription(edit: edit, schema: schema)
    change = root.describe(&description, _UndoLevelOfEdit(edit, of: whole, depth: 0))
    (self.root, path) = (root, description.path)
  }
}

extension _UndoCoder {
  /// Describes an edit by the smallest named part that contains it, or else by the value.
  static func describe(_ description: inout _UndoDescription, _ level: _UndoLevelOfEdit) -> _UndoPatch.Change {
    describePart(&description, level, isPart: false) ?? describeValue(&description, level)
  }

  private static func describePart(
    _ description: inout _UndoDescription, _ level: _UndoLevelOfEdit, isPart: Bool
  ) -> _UndoPatch.Change? {
    guard description.isNamed else { return nil }
    let parts = description.schema.parts(of: Value.self)
    let number = parts.number(around: level.bytes)
    // A type isn't a part of itself.
    guard number > 0, !isPart || ObjectIdentifier(parts[number].coder) != ObjectIdentifier(Self.self) else {
      return nil
    }
    description.path.append(.part(number, parts[number]))
    return parts[number].coder.describeValue(&description, level.within(parts[number], of: description.edit))
  }

  /// Describes an edit of a part, or of a value without a part that contains the edit.
  static func describeValue(_ description: inout _UndoDescription, _ level: _UndoLevelOfEdit) -> _UndoPatch.Change {
    if let change = change(&description, level) { return change }
    let isWord = level.type == ObjectIdentifier(UInt64.self) && level.bytes == 0..<MemoryLayout<Value>.size
    // The record of an eight-byte number doesn't know the number's type.
    if level.isInnermost(of: description.edit), isWord || level.isAll(of: Value.self),
      case .value = description.edit.change
    {
      return .replaced(piece(level.value))
    }
    return describePart(&description, level, isPart: true) ?? describeField(&description, level)
      ?? .changed(piece(level.value))
  }

  /// Gives access to the value that a path leads to.
  static func walk(
    _ path: ArraySlice<_UndoPatch.Place>, from value: _UnsafeUndoPointer,
    _ body: (any _UndoCoder.Type, _UnsafeUndoPointer) throws -> Void
  ) throws {
    func walk(to member: _UndoPart) throws {
      try member.coder.walk(path.dropFirst(), from: value.part(at: member.bytes.lowerBound), body)
    }
    switch path.first {
    case nil: try body(Self.self, value)
    case .part(_, let member)?: try walk(to: member)
    case .field(let field)?: try walk(to: field.member)
    case .element(let index, let coder)?:
      try withElement(at: index, of: value) { try coder.walk(path.dropFirst(), from: $0, body) }
    }
  }
}

// MARK: - Reading

extension _UndoPatch {
  /// The same patch of an enclosing value, from which these places lead here.
  func behind(_ places: ArraySlice<Place>, in root: any _UndoCoder.Type) -> _UndoPatch {
    _UndoPatch(root: root, path: Array(places) + path, change: change)
  }
}

extension _UndoCoder {
  static func patch(_ change: _UndoPatch.Change) -> _UndoPatch { _UndoPatch(root: Self.self, path: [], change: change) }

  static func readPiece(from reader: inout _UndoReader) throws -> _UndoPatchPiece {
    _UndoPatchPiece(try reader.readValue(Value.self))
  }

  /// Reads a patch of a value.
  ///
  /// - Parameter type: The index of the value's type in the bytes, counted from 1.
  static func read(from reader: inout _UndoReader, type: Int) throws -> _UndoPatch {
    try read(reader.readCount(), from: &reader, type: type)
  }

  /// Reads a patch after the number of its part.
  static func read(_ written: Int, from reader: inout _UndoReader, type: Int) throws -> _UndoPatch {
    if written == 0 { return try readValue(from: &reader, type: 0) }
    guard let part = reader.names.part(written, of: type) else { throw reader.damage }
    let parts = reader.schema.parts(of: Value.self)
    guard let number = parts.number(of: part.name) else {
      return patch(.lost(try reader.nest { try $0.skipChange(of: part.shape, type: part.type) }))
    }
    let patch = try reader.nest { try parts[number].coder.read(of: part.shape, from: &$0, type: part.type) }
    return patch.behind([.part(number, parts[number])], in: Self.self)
  }

  /// Reads a patch of the value itself, after the number of its part.
  static func readValue(from reader: inout _UndoReader, type: Int) throws -> _UndoPatch {
    try reader.nest { reader in
      switch try reader.readPatchKind() {
      case .replaced: return patch(.replaced(try readPiece(from: &reader)))
      case .changed: return patch(.changed(try readPiece(from: &reader)))
      case .member: return try read(from: &reader, type: type)
      case .field: return patch(.unread(try _UndoUnreadField(from: &reader)))
      case .fieldAndWhole:
        var field = try _UndoUnreadField(from: &reader)
        guard try reader.readPatchKind() == .changed else { throw reader.damage }
        field.around = try readPiece(from: &reader)
        return patch(.unread(field))
      case let kind: return try read(kind, from: &reader, type: type)
      }
    }
  }
}

// MARK: - Applying

extension _UndoCoder {
  /// Applies a patch to the value that the path has led to so far.
  ///
  /// - Returns: Whether the edit is lost, because the document no longer has what it edited.
  static func apply<Place: UndoPlace>(
    _ patch: _UndoPatch, from depth: Int, _ access: _UndoAccess<Place.Root>, _ place: Place, offset: Int
  ) throws -> Bool {
    var cursor = UndoCursor<Place, Value>(access, place, offset: offset)
    func apply(to member: _UndoPart) throws -> Bool {
      try member.coder.apply(patch, from: depth + 1, access, place, offset: offset + member.bytes.lowerBound)
    }
    if depth < patch.path.count {
      switch patch.path[depth] {
      case .part(_, let member): return try apply(to: member)
      case .field(let field): return try apply(to: field.member)
      case .element(let index, let coder):
        return try applyToElement(at: index, by: coder, patch, from: depth + 1, at: cursor)
      }
    }
    switch patch.change {
    case .replaced(let piece): cursor.replace(with: try piece.value())
    case .changed(let piece): cursor.change(to: try piece.value())
    case .converted(let conversion):
      guard let value = try? conversion.make(cursor.readTarget { $0 }, conversion.text) as? Value else {
        cursor.recordNothing()
        return true
      }
      cursor.change(to: value)
    case .lost:
      cursor.recordNothing()
      return true
    default: try Self.apply(patch.change, at: &cursor)
    }
    return false
  }
}
