/// The first byte of a message, by which a history that is replayed does what another one did.
///
/// `docs/design/EditingSession.md` specifies what follows each of them.
enum _UndoMessageKind: UInt8 {
  case beginTransaction = 1, beginLabelledTransaction = 2, endTransaction = 3
  case undo = 4, redo = 5, go = 6
  case beginStep = 7, beginLabelledStep = 8, cancelStep = 9
  /// Nothing more goes into the latest step, nor into one that is open.
  case settle = 10
  case saved = 11
  /// The oldest steps were dropped, or all steps were removed.
  case dropped = 13, removedAll = 14
  case edit = 16
  /// The latest edit of a text goes on.
  case typed = 17, deletedBackward = 18, deletedForward = 19
  /// It does so once its range is moved back to where it makes the same.
  case insertedBeside = 20, removedBeside = 21
  /// Steps have identities from here on.
  case identities = 24
  /// The history goes to a branch. The oldest ones were dropped.
  case goToBranch = 27, droppedBranches = 28
  /// The saved point lies on a branch.
  case savedOnBranch = 29
  /// A transaction begins that is absorbed; the store has it already.
  case beginAbsorbed = 30, beginAbsorbedSaved = 31
  /// The absorbed edit that blocks the next undo became a step.
  case adopt = 32
  /// The latest step is open, which the archive has as if it had ended.
  case reopenStep = 33
  /// A property is carried that goes by its own name.
  case carryField = 34

  /// The bit of an edit that joined the step before it.
  static var joins: UInt8 { 0x80 }
}

/// The version of messages and of what stands in front of them.
enum _UndoMessageVersion {
  static var current: UInt64 { 1 }
}
