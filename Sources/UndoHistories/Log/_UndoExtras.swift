/// State of a log that few histories use, such as an open step, the times of steps, origins, restored values, and
/// branches.
///
///     log.extras   [ ]                  most logs
///                  [ _UndoExtras ]      open step | joinable step | rows | origins | restored values | branches
///
/// A log with extras, unless they are branches alone, is never *plainly* open: `append` asks first whether a record is
/// needed (`admits`), and each recorded step updates the extras when it ends (`didEndStep`). In this way edits go into
/// an open step, get a time, and keep the restored values. An operation that leaves the latest step ends that step
/// first (`settle`).
///
/// A log without extras, or with branches alone, does none of this, and no instruction checks for it. The methods of
/// the log that change the extras and update them with each edit are in `_UndoLog+Extras`.
package struct _UndoExtras {
  package var openStep: _UndoOpenStep?
  /// The state after the step that the next assignment may join, and the time of the latest assignment.
  package var joinable: (state: Int, time: Int64)?
  /// Returns the time since some fixed moment, if the history records times.
  package var now: (@Sendable () -> Duration)?
  package var steps = _UndoSteps()
  package var origins: _UndoOrigins?
  var remoteEdits: _UndoRemoteEdits?
  package var restored = _UndoRestoredValues()
  /// The address of the document, for restoring values, and for checking whether joined assignments brought back the
  /// old values; nil until it is needed.
  var document: _UnsafeUndoPointer?

  /// The position before the first record of the latest step was written.
  var start = _UndoLocation(chunkNumber: 0, offset: _UnsafeUndoMemory.start)
  /// Whether the label of an open step was written before an edit that hasn't ended its step yet.
  var hasLabelBeforeEdit = false
  /// Whether the open transaction compares the old and the new value of a single assignment.
  var isAssignment = false
  /// Contains the branches if the history keeps them, and is empty otherwise.
  var branches: ContiguousArray<_UndoBranches> = []
}

// Queries of every edit. They are mutating methods even if they only read, because a getter would copy all of the
// extras, with a call for each reference in them.
extension _UndoExtras {
  /// Keeps the next assignment from joining the latest step.
  mutating func endJoining() {
    joinable = nil
    origins?.waiting = nil
  }

  /// Updates the time and the restored values of the latest step after an edit has joined it.
  mutating func didJoinStep() {
    if let now { steps.times.setLast(now().nanoseconds) }
    restored.didEdit()
  }

  /// Forgets the state of a transaction that was rolled back or had no edits.
  mutating func didRollBack() {
    isAssignment = false
    endKeeping()
  }

  /// Whether any of this state is in use besides branches.
  mutating func isInUse() -> Bool { openStep != nil || now != nil || origins != nil || !restored.isEmpty }
}
