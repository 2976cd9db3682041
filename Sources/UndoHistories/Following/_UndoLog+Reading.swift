// What a recorder reads off a log.

/// The unread edits of a log, step by step.
package struct _UndoUnreadEdits {
  package struct Step {
    package var label: String?
    package var edits: [_UndoLog.Record] = []
  }

  /// The edits that needed no record, because the latest step that was read has one.
  package var found: [(edit: _UndoEdit, joins: Bool)] = []
  /// The text edit of the latest record that was read, if later typing changed it.
  package var joined: _UndoTextNumbers?
  /// The edits added to the latest step that was read, and then the new steps.
  package var steps = [Step()]
  package var newCount = 0
  /// The unread records that lie after the current position, as redo steps.
  package var ahead: [_UndoLog.Record] = []
  /// Whether the current position is not after the last of these steps.
  package var areMoved = false

  package init(_ records: [_UndoLog.Record] = []) { steps[0].edits = records }

  package var isEmpty: Bool { found.isEmpty && joined == nil && steps.allSatisfy(\.edits.isEmpty) }

  /// Whether writing them needs the document as it was after each edit.
  package var areWalked: Bool {
    if isEmpty { return false }
    let count = steps.reduce(0) { $0 + $1.edits.count }
    return areMoved || count > 1 || count > 0 && (joined != nil || !found.isEmpty)
  }
}

/// Moves a document between the states after each unread edit.
package struct _UndoWalk {
  private let records: [_UndoLog.Record]
  private let ahead: [_UndoLog.Record]
  private let document: _UnsafeUndoPointer
  /// The number of edits that the document has now.
  private var count: Int
  /// The number of edits that were written.
  package var readCount = 0

  package init(_ edits: _UndoUnreadEdits, _ log: inout _UndoLog, _ document: _UnsafeUndoPointer) {
    (records, ahead, self.document) = (edits.steps.flatMap(\.edits), edits.ahead, document)
    count = records.count
    for record in ahead { log.exchange(record, with: document) }
  }

  /// Moves the document to the state after the given number of edits.
  package mutating func take(_ target: Int, _ log: inout _UndoLog) {
    while count > target {
      count -= 1
      log.exchange(records[count], with: document)
    }
    while count < target {
      log.exchange(records[count], with: document)
      count += 1
    }
  }

  /// Returns the document to its current state.
  package mutating func end(_ log: inout _UndoLog) {
    take(records.count, &log)
    for record in ahead.reversed() { log.exchange(record, with: document) }
  }
}

extension _UndoLog {
  /// The unread edits; none if nobody reads the log, or if the mark was lost.
  package var unreadEdits: _UndoUnreadEdits {
    var edits = _UndoUnreadEdits()
    guard let unread, !unread.isLost else { return edits }
    edits.found = unread.found
    edits.newCount = state + redoCount - unread.state - unread.redoCount
    edits.areMoved = state != unread.state + edits.newCount
    if let old = unread.text, let new = text(before: unread.location), new != old { edits.joined = new }
    var location = unread.location
    while edits.newCount > 0 || unread.redoCount == 0, let record = record(at: &location) {
      if record.header.begins {
        edits.steps.append(.init(label: label(record.header, in: record.memory, at: record.offset)))
      }
      if record.header.isEdit { edits.steps[edits.steps.count - 1].edits.append(record) }
    }
    if edits.areMoved, !edits.isEmpty {
      let end = edits.newCount > 0 ? RecordLocation(chunkIndex: chunks.count, offset: 0) : unread.location
      edits.ahead = self.edits(from: self.location, to: end)
    }
    return edits
  }

  /// Whether a step is open that has edits, so that the next edit becomes part of it.
  package var isEditedStepOpen: Bool { hasExtras && extras[0].openStep?.hasEdits == true }

  /// Whether an edit lies within a carried value.
  package func isWithinCarried(_ bytes: Range<Int>) -> Bool {
    carriers.contains { $0.bytes.lowerBound <= bytes.lowerBound && bytes.upperBound <= $0.bytes.upperBound }
  }

  /// The edits from a location on, up to the position.
  package func edits(from start: RecordLocation) -> [Record] { edits(from: start, to: location) }

  /// Copies the chunks from a location on that another log refers to, so that their records can be exchanged with the
  /// document.
  package mutating func makeUnique(from start: RecordLocation) {
    for index in chunks.indices where index >= start.chunkIndex { makeUnique(index) }
  }
}
