/// The unread edits of a log, step by step.
package struct _UndoUnreadEdits {
  package struct Step {
    package var label: String?
    package var edits: [_UndoRecord] = []
  }

  /// The edits without a record of their own, because the latest step that was read has a record of what they replaced.
  package var found: [(edit: _UndoEdit, joins: Bool)] = []
  /// The text edit of the latest record that was read, if later typing has changed the record.
  package var joined: _UndoTextNumbers?
  /// The edits added to the latest step that was read, and then the new steps.
  package var steps = [Step()]
  package var newCount = 0
  /// The unread records that lie after the current position, as redo steps.
  package var ahead: [_UndoRecord] = []
  /// Whether the current position is not after the last of these steps.
  package var areMoved = false

  package init(_ records: [_UndoRecord] = []) { steps[0].edits = records }

  package var isEmpty: Bool { found.isEmpty && joined == nil && steps.allSatisfy(\.edits.isEmpty) }

  /// Whether writing the edits needs the document as it was after each of them.
  package var areWalked: Bool {
    if isEmpty { return false }
    let count = steps.reduce(0) { $0 + $1.edits.count }
    return areMoved || count > 1 || count > 0 && (joined != nil || !found.isEmpty)
  }
}

/// Moves a document to the state after each unread edit, so that the edits can be written one by one.
package struct _UndoWalk {
  private let edits: [_UndoRecord]
  private let ahead: [_UndoRecord]
  private let document: _UnsafeUndoPointer
  /// The number of edits that the document has now.
  private var count: Int
  /// The number of edits that were written.
  package var readCount = 0

  package init(_ edits: _UndoUnreadEdits, _ records: inout _UndoRecords, _ document: _UnsafeUndoPointer) {
    (self.edits, ahead, self.document) = (edits.steps.flatMap(\.edits), edits.ahead, document)
    count = self.edits.count
    for record in ahead { records.exchange(record, with: document) }
  }

  /// Moves the document to the state after the given number of edits.
  package mutating func take(_ target: Int, _ records: inout _UndoRecords) {
    while count > target {
      count -= 1
      records.exchange(edits[count], with: document)
    }
    while count < target {
      records.exchange(edits[count], with: document)
      count += 1
    }
  }

  /// Returns the document to its current state.
  package mutating func end(_ records: inout _UndoRecords) {
    take(edits.count, &records)
    for record in ahead.reversed() { records.exchange(record, with: document) }
  }
}
