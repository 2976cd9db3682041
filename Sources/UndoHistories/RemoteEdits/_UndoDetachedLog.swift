/// A log that isn't in its history: one that has recorded a remote edit, or the history's own during a remote edit.
package final class _UndoDetachedLog {
  package var log: _UndoLog
  /// Whether the store has the remote edit.
  package let isSaved: Bool

  package init(_ log: consuming _UndoLog, isSaved: Bool) {
    self.log = log
    self.isSaved = isSaved
  }
}
