// Changes the latest step of an open log: extends it, removes it, or joins it with the step before it.

extension _UndoLog {
  /// Adds records at the end of the latest step.
  mutating func extendLatestStep(_ body: (inout _UndoLog) -> Void) {
    records.changeHeader(at: records.latestRecord) { $0.ends = false }
    records.position.link.flags = _UndoHeader.inner
    body(&self)
    records.changeHeader(at: records.latestRecord) { $0.ends = true }
    records.position.link.flags = _UndoHeader.whole
  }

  /// Removes the records of the latest step, without undoing its edits.
  ///
  /// The caller updates the count of the steps. The log stays open.
  mutating func removeLatestStep() {
    records.close()
    records.removeRecords(backTo: extras[0].start)
    records.position.link.flags = _UndoHeader.whole
    open()
  }

  /// Writes a copy of a record into the current step, with another operation if the record comes from another log.
  mutating func writeCopy(of record: _UndoRecord, as operation: _UndoOperationIndex? = nil) {
    makeWritable(for: record.header.bytes)
    records.writeCopy(of: record, as: operation ?? record.header.operation)
  }

  // MARK: Assignments that join

  /// Joins the latest step with the step before it by removing its records, if both replaced the same parts and the
  /// pause between them is short enough; returns whether they joined.
  mutating func joinValues(from start: _UndoLocation, isAssignment: Bool) -> Bool {
    guard let timer = extras[0].rule.valueTimer else { return false }
    let (previous, time) = (extras[0].joinable, timer.nanoseconds())
    extras[0].joinable = isAssignment && records.hasOnlyReplacements(from: start) ? (state, time) : nil
    guard extras[0].joinable != nil, let previous, previous.state == state - 1, records.counts.undo > 1,
      time - previous.time <= timer.pause
    else { return false }
    let startOfPrevious = records.startOfStep(endingWith: records.latestRecord(before: start))
    guard records.replacesSameParts(from: start, asFrom: startOfPrevious) else { return false }
    if isRead {
      for edit in records.edits(from: start) { unread?.noteFound(_UndoPendingEdit(edit), in: startOfPrevious, records) }
    }
    removeLatestStep()
    records.counts.undo -= 1
    extras[0].joinable = (state, time)
    return true
  }
}
