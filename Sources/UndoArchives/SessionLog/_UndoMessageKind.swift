/// The kind of a message in a session's log, which is its first byte; and the version of the messages.
///
/// `docs/design/EditingSession.md` specifies the bytes that follow.
enum _UndoMessageKind: UInt8 {
  case beginTransaction = 1, beginLabelledTransaction = 2, endTransaction = 3
  case undo = 4, redo = 5, go = 6
  case beginStep = 7, beginLabelledStep = 8, cancelStep = 9
  /// The latest step ends, and so does an open step.
  case settle = 10
  case saved = 11
  /// The oldest steps were dropped, or all steps were removed.
  case dropped = 13, removedAll = 14
  case edit = 16
  /// The latest edit of a text continues.
  case typed = 17, deletedBackward = 18, deletedForward = 19
  /// The same, after its range is moved back to an equivalent place.
  case insertedBeside = 20, removedBeside = 21
  /// Steps have identities from here on.
  case identities = 24
  /// The history goes to a branch. The oldest ones were dropped.
  case goToBranch = 27, droppedBranches = 28
  /// The saved point lies on a branch.
  case savedOnBranch = 29
  /// A remote edit begins; the store doesn't have it, or has it already.
  case beginRemoteEdit = 30, beginSavedRemoteEdit = 31
  /// The remote edit that blocks the next undo was recorded as a step.
  case recordBlockingEdit = 32
  /// The latest step is open, although it has ended in the archive.
  case reopenStep = 33
  /// Undo restores a property without a named part.
  case restoreField = 34

  /// The bit of an edit that joined the step before it.
  static var joins: UInt8 { 0x80 }

  /// The version of messages and of their header.
  static var version: UInt64 { 1 }
}
