/// The delta of an edit that does nothing any more: its value is carried since, and steps from before leave it alone.
///
///     | header | box |     in the place of the edit's record, whatever is left behind the box
///
/// There is nothing to hold, so all records of one carried value share a box (`_UndoSharedBox`).
@usableFromInline
struct _UndoUntouched<Root, Part>: _UndoDelta {
  @usableFromInline
  var anchor: _UndoRoot<Root> { _UndoRoot() }

  @inlinable
  init() {}

  @usableFromInline
  func exchange(with root: inout Root, offset: Int) {}

  @usableFromInline
  func edit(offset: Int) -> UndoEdit { anchor.edit(.value, at: offset, of: Part.self) }

  @usableFromInline
  func detailedEdit(offset: Int) -> _UndoDetailedEdit { anchor.detailedEdit(.value, at: offset, of: Part.self) }

  @usableFromInline
  func isSame(as other: Self) -> Bool { true }
}
