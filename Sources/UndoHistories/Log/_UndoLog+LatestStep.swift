// The latest step, while it is the last one of an open log, may be extended, shortened, and rewritten.

extension _UndoLog {
  /// Adds records to the latest step, whose end they become.
  mutating func extendLatestStep(_ body: (inout _UndoLog) -> Void) {
    records.changeHeader(at: records.latestRecord) { $0.ends = false }
    records.position.link.flags = _UndoHeader.inner
    body(&self)
    records.changeHeader(at: records.latestRecord) { $0.ends = true }
    records.position.link.flags = _UndoHeader.whole
  }

  /// Removes the records of the latest step, whose edits stay made.
  ///
  /// The step is to be counted no more. The log stays open.
  mutating func removeLatestStep() {
    records.close()
    records.removeRecords(backTo: extras[0].start)
    records.position.link.flags = _UndoHeader.whole
    open()
  }

  /// Writes a copy of a record into the step that has begun, under another operation if it comes from another log.
  mutating func writeCopy(of record: _UndoRecord, as operation: _UndoOperationIndex? = nil) {
    makeWritable(for: record.header.bytes)
    records.writeCopy(of: record, as: operation ?? record.header.operation)
  }

  // MARK: Assignments that join

  /// Takes a step back out of the log that replaced the same parts as the step before it, if it may join that one.
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
