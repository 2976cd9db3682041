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
}
