/// The state by which a log decides whether an edit may join the latest record: the rule of the history, whether a step
/// is open, and the time of the latest text edit.
///
/// It also counts the edits that changed a record. The rule is set in `_UndoLog+Extras`. Which edits may join the
/// latest record itself is stored with the position (`_UndoRecords.Position.run`). The decision is made in
/// `_UndoLog+Coalescing`.
@usableFromInline
package struct _UndoCoalescing {
  /// Which edits join, as the user set it; while a step is open, typing joins in any case.
  @usableFromInline
  var rule = UndoCoalescing.typing
  /// Whether a step was begun and hasn't ended, so that any edit may join it.
  @usableFromInline
  var isGrouping = false
  /// Which edits could join the latest record before an edit of a restored value, which has just been made without a
  /// record.
  var runBefore: _UndoRun?
  /// Changes with each edit that changed a record instead of adding one; it begins with a random number in each history
  /// that isn't a copy (`_UndoChangeMark`).
  @usableFromInline
  var revision = 0
  /// Whether each text edit updates the time, the extras, and the count of a recorder.
  @usableFromInline
  var isWatched = false
  /// The time of the latest text edit, in nanoseconds of the rule's timer.
  var lastEdit: Int64 = 0

  /// Starts to watch text edits.
  mutating func beginWatching() { if !isWatched { (isWatched, lastEdit) = (true, 0) } }
}
