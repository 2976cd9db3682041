internal import UndoHistories

// Makes the patch of an edit that was just made: finds the smallest named part that contains the edit, level by level
// of the document, and asks the coder of that part for the change. The two types here tell a coder about the edit.

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
    guard number > 0, !isPart || parts[number].coder != Self.self else { return nil }
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
      return .replaced(unsafe level.value[as: Value.self])
    }
    return describePart(&description, level, isPart: true) ?? describeField(&description, level)
      ?? .changed(unsafe level.value[as: Value.self])
  }
}
