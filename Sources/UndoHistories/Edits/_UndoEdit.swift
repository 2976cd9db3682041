/// A full description of an edit: its place and what it does there (`_UndoChange`), without the values.
///
/// This folder describes edits and transforms them over one another.
///
///     levels   | offset, index | offset, index |     the elements on the path, outermost first
///     part     the bytes of the part in the last of those elements
///     change   what happens to that part
///
/// An edit belongs to the state of the document before it. The edit of a record is what its *next* exchange will do;
/// inverted, it is what the latest exchange did.
@usableFromInline
package struct _UndoEdit: Equatable {
  @usableFromInline
  package var levels: _UndoLevels
  @usableFromInline
  let part: _UndoPartRange
  @usableFromInline
  package var change: _UndoChange

  @inlinable
  package init(_ levels: _UndoLevels = _UndoLevels(), part: _UndoPartRange, _ change: _UndoChange) {
    (self.levels, self.part, self.change) = (levels, part, change)
  }

  /// The range at a depth: a collection on the path, or the part.
  package func range(at depth: Int) -> _UndoPartRange { depth < levels.count ? levels[depth].collection : part }

  /// The bytes of the document that the edit changes.
  package var bytes: Range<Int> { range(at: 0).bytes }

  @usableFromInline
  package var inverted: _UndoEdit { _UndoEdit(levels, part: part, change.inverted) }

  package func with(_ change: _UndoChange) -> _UndoEdit { _UndoEdit(levels, part: part, change) }

  /// Whether both do the same, with adjacent ranges counted as one.
  func isSame(as other: _UndoEdit) -> Bool { hasSamePart(as: other) && change.joined == other.change.joined }

  func hasSamePart(as other: _UndoEdit) -> Bool { part == other.part && levels == other.levels }

  /// Whether it replaces ranges of a text or of elements.
  var isOfRange: Bool { !change.splices.isEmpty }

  /// Whether it replaces a value: that of the part, or of a key.
  var isOfValue: Bool { if case .key = change { true } else { change == .value } }

  package var isOfText: Bool { part.type == ObjectIdentifier(String.self) }

  /// The range of a text that it replaces; nil for any other edit.
  package var textSplice: _UndoChange.Splice? {
    if isOfText, case .range(let splice) = change { splice } else { nil }
  }
}
