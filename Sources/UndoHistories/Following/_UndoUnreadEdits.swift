/// The unread edits of a log, step by step.
package struct _UndoUnreadEdits {
  package struct Step {
    package var label: String?
    package var edits: [_UndoRecord] = []
  }

  /// The edits that added no record, because the latest step that was read already has a record of what they replaced.
  package var found: [(edit: _UndoEdit, joins: Bool)] = []
  /// The text edit of the latest record that was read, if later typing has changed the record.
  package var joined: _UndoTextNumbers?
  /// The edits added to the latest step that was read, and then the new steps.
  package var steps = [Step()]
  package var newCount = 0
  /// The unread records that lie after the current position, as redo steps.
  package var ahead: [_UndoRecord] = []
  /// Whether the current position is before the end of these steps.
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
