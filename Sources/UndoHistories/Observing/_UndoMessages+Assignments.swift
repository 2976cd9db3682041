// What an assignment changed is recorded part by part when the document has all of it already. A message says what an
// edit did to the document that the messages before it lead to. So those of an assignment are written at its end: its
// records are taken back, made again one by one, and each is written behind its own.

extension _UndoMessages {
  /// An edit that was made, and is about to be recorded.
  struct FoundEdit {
    let edit: _UndoEdit
    /// The text that it is of, as its record has it; nil for any other.
    let numbers: _UndoTextNumbers?
    /// Where its record will be, if it gets one.
    let location: _UndoLog.RecordLocation
    let carried: _UndoCarriedValues.Members
    /// Whether it ends a step that is not open where the history is now.
    let settles: Bool
  }

  /// An assignment of which the edits are being recorded.
  struct OpenAssignment {
    let depth: Int32
    var edits: [FoundEdit] = []
  }

  /// An assignment is about to be recorded, in a transaction of its own.
  mutating func observeBeginningOfAssignment(at depth: Int32) {
    if assignment == nil { assignment = OpenAssignment(depth: depth) }
  }

  /// Writes down the edits of an assignment, the outermost one if there are several.
  mutating func observeEndOfAssignment(in log: inout _UndoLog, by observer: _UndoObserver) {
    guard let open = assignment, open.depth == log.transaction.depth else { return }
    assignment = nil
    guard let document, let first = open.edits.first else { return }
    // Ranges of one part, from the first to the last, lie where they do in the end.
    if open.edits.allSatisfy({ $0.edit.isOfRange && $0.edit.hasSamePart(as: first.edit) }) {
      for found in open.edits { write(found, in: &log, by: observer) }
      return
    }
    var location = first.location
    var records: [(start: _UndoLog.RecordLocation, record: _UndoLog.Record)] = []
    while let record = log.record(at: &location) {
      var start = location
      start.offset -= record.header.bytes
      // Labels and carried values, which go along, were not assigned.
      if record.header.isEdit { records.append((start, record)) }
    }
    for (_, record) in records.reversed() { log.exchange(record, with: document) }
    var rest = records[...]
    for (index, found) in open.edits.enumerated() {
      let end = index + 1 < open.edits.count ? open.edits[index + 1].location : log.location
      while let next = rest.first, next.start < end { log.exchange(rest.removeFirst().record, with: document) }
      write(found, in: &log, by: observer)
    }
  }
}
