/// Moves a document to the state after each unread edit, so that a recorder can write the edits one by one.
package struct _UndoWalk {
  private let edits: [_UndoRecord]
  private let ahead: [_UndoRecord]
  private let document: _UnsafeUndoPointer
  /// The number of edits that the document has now.
  private var count: Int
  /// The number of edits that were written.
  package var readCount = 0

  package init(_ edits: borrowing _UndoUnreadEdits, _ records: inout _UndoRecords, _ document: _UnsafeUndoPointer) {
    (self.edits, ahead, self.document) = (edits.records, edits.ahead, document)
    count = self.edits.count
    for record in ahead { records.exchangeUncounted(.init(record), with: document) }
  }

  /// Moves the document to the state after the given number of edits.
  package mutating func take(_ target: Int, _ records: inout _UndoRecords) {
    while count > target {
      count -= 1
      records.exchangeUncounted(.init(edits[count]), with: document)
    }
    while count < target {
      records.exchangeUncounted(.init(edits[count]), with: document)
      count += 1
    }
  }

  /// Returns the document to its current state.
  package mutating func end(_ records: inout _UndoRecords) {
    take(edits.count, &records)
    for record in ahead.reversed() { records.exchangeUncounted(.init(record), with: document) }
  }
}
