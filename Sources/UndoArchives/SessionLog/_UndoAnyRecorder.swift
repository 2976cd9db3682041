internal import UndoHistories

/// What of a recorder does not depend on the type of the document.
@usableFromInline
package class _UndoAnyRecorder {
  @safe @exclusivity(unchecked)
  final var messages: _UndoMessages

  init(_ coding: UndoPieceCoding) {
    messages = _UndoMessages(_UndoWriter(coding))
  }

  /// Writes the patch of an edit, and returns it where it replaces text by text.
  func write(
    _ edit: _UndoEdit, of document: _UnsafeUndoPointer, to writer: inout _UndoWriter
  ) throws -> _UndoPatch? {
    preconditionFailure("a recorder does this")
  }

  /// Whether a part with a name has all of these bytes.
  func hasName(_ bytes: Range<Int>) -> Bool { preconditionFailure("a recorder does this") }

  /// A call begins that edits the document of a log, which lies there.
  final func beginReading(_ log: inout _UndoLog, _ document: _UnsafeUndoPointer) {
    messages.beginReading(&log, document, by: self)
  }

  /// It ended: reads off the log what it did, and writes that down.
  final func endReading(_ log: inout _UndoLog, _ document: _UnsafeUndoPointer) {
    messages.endReading(&log, document, by: self)
  }

  /// Reads off a log of its own what is to be absorbed, puts the other one back, and absorbs it there.
  final func endAbsorbing(
    _ own: inout _UndoLog, in log: inout _UndoLog, isSaved: Bool, _ document: _UnsafeUndoPointer
  ) {
    log.close()
    let isRead = messages.readAbsorbed(&log, isSaved: isSaved, document, by: self)
    own.unrecorded = nil
    log.endAbsorbing(&own, isSaved: isSaved)
    if isRead { messages.didAbsorb(into: log) }
    messages.synchronize(with: log)
  }
}
