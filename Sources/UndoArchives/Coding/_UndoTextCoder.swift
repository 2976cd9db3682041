internal import UndoHistories

/// The coder of texts: it describes, reads and applies the replacement of a range of UTF-8 offsets.
enum _UndoTextCoder: _UndoCoder {
  typealias Value = String

  static func change(_ description: inout _UndoDescription, _ level: _UndoLevelOfEdit) -> _UndoPatch.Change? {
    guard level.isInnermost(of: description.edit), level.bytes == 0..<MemoryLayout<String>.size,
      description.edit.isOfText, case .range(let splice) = description.edit.change
    else { return nil }
    let replacement = unsafe level.value[as: String.self].slice(utf8: splice.start..<splice.start + splice.new)
    return .text(_UndoTextPatch(start: splice.start, count: splice.old, replacement: replacement))
  }

  static func read(_ kind: _UndoPatchKind, from reader: inout _UndoReader, type: Int) throws -> _UndoPatch {
    guard kind == .range else { throw reader.damage }
    let (start, count) = (try reader.readCount(), try reader.readCount())
    return patch(.text(_UndoTextPatch(start: start, count: count, replacement: try reader.readText())))
  }

  static func apply(_ change: _UndoPatch.Change, at cursor: inout UndoCursor<some UndoPlace, String>) throws {
    guard case .text(let text) = change else { throw _UndoPatchMismatch() }
    try cursor.apply(text)
  }
}

extension UndoCursor where Target == String {
  fileprivate mutating func apply(_ patch: _UndoTextPatch) throws {
    let length = readTarget { $0.utf8.count }
    guard patch.start <= length, patch.count <= length - patch.start else { throw _UndoPatchMismatch() }
    let range = patch.start..<patch.start + patch.count
    let isOfWholeScalars = readTarget { $0.isScalarBoundary(range.lowerBound) && $0.isScalarBoundary(range.upperBound) }
    guard isOfWholeScalars else { throw _UndoPatchMismatch() }
    if patch.slide > 0 { slideLatest(by: patch.slide) }
    exchange(utf8: range, with: patch.replacement)
  }
}

extension String {
  /// Whether a UTF-8 offset within the text lies between two scalars, or at an end.
  fileprivate func isScalarBoundary(_ offset: Int) -> Bool {
    utf8.index(startIndex, offsetBy: offset).samePosition(in: unicodeScalars) != nil
  }
}
