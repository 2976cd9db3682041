// What a recorder reads off a log.

extension _UndoLog {
  /// Keeps that an edit got no record, since the latest step has one of what it replaced; only while somebody asks.
  ///
  /// - Parameter joins: Whether the latest record took it in, as the next edit would find it, also in an open step.
  mutating func note(
    _ payload: _UnsafeUndoPointer, _ operation: _UndoOperationIndex, offset: Int, joins: Bool = false
  ) {
    guard unrecorded != nil else { return }
    unsafe unrecorded?.append((fastPath.operations.edit(operation, payload, offset).inverted, joins))
  }

  /// The same of a record that the latest one took in, where that cannot be seen by what it has of a text.
  mutating func noteUnlessText(_ record: Record) {
    let edit = fastPath.operations.edit(of: record)
    if edit.isOfText, edit.isOfRange { return }
    unsafe note(record.payload, record.header.operation, offset: record.header.argument, joins: true)
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

  /// The latest record, if it is an edit.
  package var latestEdit: Record? {
    guard counts.undo > 0 else { return nil }
    let latest = latestRecord
    let record = unsafe Record(at: latest.offset, in: chunks[latest.chunkIndex].memory)
    return record.header.isEdit ? record : nil
  }

  /// The edits of the latest step.
  package var editsOfStep: [Record] { edits(from: startOfStep(endingWith: latestRecord)) }

  /// The edits from a location on, up to the position.
  package func edits(from start: RecordLocation) -> [Record] { edits(from: start, to: location) }
}
