// What a recorder reads off a log.

/// The edits of a log that are unread, step by step.
package struct _UndoUnreadEdits {
  package struct Step {
    package var label: String?
    package var edits: [_UndoLog.Record] = []
  }

  /// Those that needed no record, as the latest step that was read has one.
  package var found: [(edit: _UndoEdit, joins: Bool)] = []
  /// What the latest text that was read has come to.
  package var joined: _UndoTextNumbers?
  /// What the latest step got that was read, and the steps behind it.
  package var steps = [Step()]
  package var newCount = 0
  /// What can be redone of all that, from where the document is.
  package var ahead: [_UndoLog.Record] = []
  /// Whether the document is not behind the last of them.
  package var areMoved = false

  package init(_ records: [_UndoLog.Record] = []) { steps[0].edits = records }

  package var isEmpty: Bool { found.isEmpty && joined == nil && steps.allSatisfy(\.edits.isEmpty) }

  /// Whether the document must be taken from one to the other to write them.
  package var areWalked: Bool {
    if isEmpty { return false }
    let count = steps.reduce(0) { $0 + $1.edits.count }
    return areMoved || count > 1 || count > 0 && (joined != nil || !found.isEmpty)
  }
}

/// Takes a document from one unread edit to the other.
package struct _UndoWalk {
  private let records: [_UndoLog.Record]
  private let ahead: [_UndoLog.Record]
  private let document: _UnsafeUndoPointer
  /// How many are made.
  private var count: Int
  /// How many were read.
  package var readCount = 0

  package init(_ edits: _UndoUnreadEdits, _ log: inout _UndoLog, _ document: _UnsafeUndoPointer) {
    (records, ahead, self.document) = (edits.steps.flatMap(\.edits), edits.ahead, document)
    count = records.count
    for record in ahead { log.exchange(record, with: document) }
  }

  /// Takes the document to where so many are made.
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

  /// Takes the document back to where it was.
  package mutating func end(_ log: inout _UndoLog) {
    take(records.count, &log)
    for record in ahead.reversed() { log.exchange(record, with: document) }
  }
}

extension _UndoLog {
  /// What is unread; nothing where nobody reads, or where the mark was lost.
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
    hasExtras
      && extras[0].carried.values.contains {
        $0.bytes.lowerBound <= bytes.lowerBound && bytes.upperBound <= $0.bytes.upperBound
      }
  }

  /// The edits from a location on, up to the position.
  package func edits(from start: RecordLocation) -> [Record] { edits(from: start, to: location) }

  /// Lets the records from a location on be exchanged with the document: no other log has their chunks then.
  package mutating func makeUnique(from start: RecordLocation) {
    for index in chunks.indices where index >= start.chunkIndex { makeUnique(index) }
  }
}
