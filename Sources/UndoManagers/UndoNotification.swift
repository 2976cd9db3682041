/// What an ``UndoDriver`` announces, in the order and under the names of Apple's undo manager.
///
/// | call | what it announces |
/// |---|---|
/// | an undo group opens | `checkpoint` unless it is the outermost one, `didOpenUndoGroup` |
/// | an undo group closes | `checkpoint`, `willCloseUndoGroup`, `didCloseUndoGroup` |
/// | ``UndoDriver/undo()`` | `checkpoint`; open groups close; `checkpoint`, `willUndoChange`, `didUndoChange` |
/// | ``UndoDriver/redo()`` | the same with `willRedoChange` and `didRedoChange` |
///
/// An undo without a step to take back announces no change. Each `will` is followed by its `did`.
package enum UndoNotification: Hashable, Sendable, CaseIterable {
  /// Edits that were held back should be made now, so that they belong to the undo group that is open.
  case checkpoint
  /// An undo group was opened.
  case didOpenUndoGroup
  /// An undo group is about to close.
  case willCloseUndoGroup
  /// An undo group was closed: a document counts a change.
  case didCloseUndoGroup
  /// A step is about to be undone.
  case willUndoChange
  /// A step was undone.
  case didUndoChange
  /// A step is about to be redone.
  case willRedoChange
  /// A step was redone.
  case didRedoChange
}
