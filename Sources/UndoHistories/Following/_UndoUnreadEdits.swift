/// The unread edits of a log, step by step, as `_UndoUnread` finds them for a recorder.
package struct _UndoUnreadEdits: ~Copyable {
  package struct Step {
    package let label: String?
    /// The number of edits that come before it.
    package let start: Int
  }

  /// The edits that added no record, because the latest step that was read already has a record of what they replaced.
  package var found: [_UndoUnread.Found] = []
  /// The text edit of the latest record that was read, if later typing has changed the record.
  package var joined: _UndoChange.Splice?
  /// The edits with new records: those added to the latest step that was read, then those of the new steps.
  package var records: [_UndoRecord] = []
  /// The new steps.
  package var steps: [Step] = []
  package var newCount = 0
  /// The unread records that lie after the current position, as redo steps.
  package var ahead: [_UndoRecord] = []
  /// Whether the current position is before the end of these steps.
  package var areMoved = false

  package init(_ records: [_UndoRecord] = []) { self.records = records }

  package var isEmpty: Bool { found.isEmpty && joined == nil && records.isEmpty }

  /// Whether writing the edits needs the document as it was after each of them.
  package var areWalked: Bool {
    if isEmpty { return false }
    return areMoved || records.count > 1 || records.count > 0 && (joined != nil || !found.isEmpty)
  }

  /// The records of a new step, counted from 1; 0 is the latest step that was read.
  package func records(ofStep number: Int) -> ArraySlice<_UndoRecord> {
    let start = number == 0 ? 0 : steps[number - 1].start
    return records[start..<(number < steps.count ? steps[number].start : records.count)]
  }
}
