/// The unread edits of a log, step by step, as `_UndoUnread` finds them for a recorder.
package struct _UndoUnreadEdits: ~Copyable {
  /// The edits that added no record, because the latest step that was read already has a record of what they replaced.
  package var found: [_UndoUnread.Found] = []
  /// The text edit of the latest record that was read, if later typing has changed the record.
  package var joined: _UndoChange.Splice?
  /// The edits with new records: those added to the latest step that was read, then those of the new steps.
  package var records: [_UndoRecord] = []
  /// The new steps: the label of each, and the number of edits that come before it.
  package var steps: [(label: String?, start: Int)] = []
  package var newCount = 0
  /// The unread records that lie after the current position, as redo steps.
  package var ahead: [_UndoRecord] = []
  /// Whether the current position is before the end of these steps.
  package var areMoved = false
  /// While the edits are walked, the number of edits that the document has now, and of those that were written.
  private var walkedCount = 0
  package var writtenCount = 0

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

  // MARK: Walking

  /// Begins to move the document to the state after each edit, so that a recorder can write the edits one by one.
  package mutating func beginWalk(_ log: inout _UndoRecords, _ document: _UnsafeUndoPointer) {
    walkedCount = records.count
    for record in ahead { log.exchange(record, with: document) }
  }

  /// Moves the document to the state after the given number of edits.
  package mutating func walk(to target: Int, _ log: inout _UndoRecords, _ document: _UnsafeUndoPointer) {
    while walkedCount > target {
      walkedCount -= 1
      log.exchange(records[walkedCount], with: document)
    }
    while walkedCount < target {
      log.exchange(records[walkedCount], with: document)
      walkedCount += 1
    }
  }

  /// Returns the document to its current state.
  package mutating func endWalk(_ log: inout _UndoRecords, _ document: _UnsafeUndoPointer) {
    walk(to: records.count, &log, document)
    for record in ahead.reversed() { log.exchange(record, with: document) }
  }
}
