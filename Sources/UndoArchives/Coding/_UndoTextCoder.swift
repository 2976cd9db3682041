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
    guard case .text(let patch) = change else { throw UndoFormError.unfit }
    let fits = cursor.readTarget { text in
      let (text, count) = (text.contiguous, text.utf8.count)
      return patch.start <= count && patch.count <= count - patch.start
        && text.isBoundary(utf8: patch.start) && text.isBoundary(utf8: patch.start + patch.count)
    }
    guard fits else { throw UndoFormError.unfit }
    if patch.slide > 0 { cursor.slideLatest(by: patch.slide) }
    cursor.exchange(utf8: patch.start..<patch.start + patch.count, with: patch.replacement)
  }
}
