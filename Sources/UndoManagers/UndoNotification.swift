/// The notifications of an ``UndoDriver``, in the order and under the names of Apple's undo manager.
///
/// | call | notifications |
/// |---|---|
/// | an undo group opens | `checkpoint` unless it is the outermost one, `didOpenUndoGroup` |
/// | an undo group closes | `checkpoint`, `willCloseUndoGroup`, `didCloseUndoGroup` |
/// | ``UndoDriver/undo()`` | `checkpoint`; open groups close; `checkpoint`, `willUndoChange`, `didUndoChange` |
/// | ``UndoDriver/redo()`` | the same with `willRedoChange` and `didRedoChange` |
///
/// If there is no step to undo, an undo announces no change. Each `will` is followed by its `did`.
package enum UndoNotification: Hashable, Sendable, CaseIterable {
  /// Delayed edits should be made now, so that they belong to the open undo group.
  case checkpoint
  case didOpenUndoGroup
  case willCloseUndoGroup
  /// An undo group was closed; a document counts a change.
  case didCloseUndoGroup
  case willUndoChange
  case didUndoChange
  case willRedoChange
  case didRedoChange
}
