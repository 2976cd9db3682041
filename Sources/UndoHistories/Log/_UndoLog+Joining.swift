// Joins an assignment, or an unlabeled transaction of one edit, with the latest step of an open log: appends its edits
// to that step, or drops its records if the step replaced the same parts before. Typing joins without these, in the
// record itself (`+Coalescing`).

extension _UndoLog {
  /// Appends the needed ones of these copied records to the latest step.
  mutating func extendLatestStep(by copies: _UnsafeUndoChunk, where isNeeded: (inout _UndoLog, _UndoRecord) -> Bool) {
    extendLatestStep { log in
      for record in copies.records where isNeeded(&log, record) {
        log.writeCopy(of: record)
        log.records.addToGesture(from: log.records.latestRecord)
      }
    }
    withExtendedLifetime(copies) {}
  }

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
  mutating func removeLatestStep(from start: _UndoLocation) {
    records.close()
    records.removeRecords(backTo: start)
    records.position.link.flags = _UndoHeader.whole
    open()
  }

  /// Writes a copy of a record into the current step, with another operation if the record comes from another log.
  mutating func writeCopy(of record: _UndoRecord, as operation: _UndoOperationIndex? = nil) {
    makeWritable(for: record.header.bytes)
    records.writeCopy(of: record, as: operation ?? record.header.operation)
  }

  // MARK: Assignments that join

  /// Joins the latest step with the step before it by removing the latest step's records, if both replaced the same
  /// parts and the pause between them is short enough; returns whether they joined.
  mutating func joinValues(from start: _UndoLocation, isAssignment: Bool) -> Bool {
    guard let timer = coalescing.rule.valueTimer else { return false }
    let (previous, time) = (extras[0].joinable, timer.nanoseconds())
    extras[0].joinable = isAssignment && records.hasOnlyReplacements(from: start) ? (state, time) : nil
    guard extras[0].joinable != nil, let previous, previous.state == state - 1, records.counts.undo > 1,
      time - previous.time <= timer.pause
    else { return false }
    let startOfPrevious = records.startOfStep(endingWith: records.latestRecord(before: start))
    guard records.replacesSameParts(from: start, asFrom: startOfPrevious) else { return false }
    if isRead {
      for (index, edit) in records.edits(from: start).enumerated() {
        unread?.noteFound(_UndoPendingEdit(edit), in: startOfPrevious, isSameAssignment: index > 0, records)
      }
    }
    removeLatestStep(from: extras[0].start)
    records.counts.undo -= 1
    coalescing.revision &+= 1
    extras[0].joinable = (state, time)
    return true
  }

  // MARK: Transactions

  // A transaction of one edit that continues the latest step has the same result as the edit alone.

  /// Whether the transaction that is opened next may join the latest step; a composition may do so even if not.
  @usableFromInline
  mutating func willBeginJoiningTransaction() -> Bool {
    transaction.intent = .automatic
    return transaction.depth == 0 && records.position.canJoin && (!coalescing.isWatched || isInTime())
  }

  /// Ends a transaction; its only edit joins the latest step if it can, or else becomes a step that the next edit may
  /// join.
  @usableFromInline
  mutating func endJoiningTransaction(from mark: _UndoTransaction.Mark, mayJoin: Bool, _ document: _UnsafeUndoPointer) {
    guard transaction.depth == 1 else { return endTransaction() }
    // Without records of the transaction, the records after the mark would be redo steps. The next edit joins as if
    // such a transaction had never begun: for example, replacing a text by itself isn't an edit.
    guard records.position.link.flags == _UndoHeader.inner else {
      endTransaction()
      records.position.run = isOpen ? transaction.run : .none
      return
    }
    let start = _UndoLocation(mark)
    guard let edit = onlyEdit(from: start) else { return endTransaction() }
    let type = records.fastPath.operations[edit.header.operation].delta
    guard type.mayJoin else { return endTransaction() }
    // Under a limit of zero steps, there may be no step to join.
    if mayJoin || transaction.intent == .composing, transaction.run != .none, records.counts.undo > 0 {
      let latest = records.latestRecord(before: records.firstRecord(from: start))
      if join(edit, with: latest, type, document, from: mark) { return }
    }
    let run = records.delta(of: edit).run(as: transaction.intent)
    endTransaction()
    records.position.run = permitted(run)
  }

  /// The only edit after a location; nil if there are several, or if the transaction has a label.
  private mutating func onlyEdit(from start: _UndoLocation) -> _UndoRecord? {
    guard transaction.label == nil else { return nil }
    var (location, only) = (start, _UndoRecord?.none)
    while let record = records.record(at: &location) {
      guard record.header.isEdit else { continue }
      if only != nil { return nil }
      only = record
    }
    return only
  }

  /// Joins an edit with the latest record and removes the transaction, if the edit continues that record.
  private mutating func join<Delta: _UndoDelta>(
    _ edit: _UndoRecord, with location: _UndoLocation, _ type: Delta.Type, _ document: _UnsafeUndoPointer,
    from mark: _UndoTransaction.Mark
  ) -> Bool {
    let latest = records.record(there: location)
    guard latest.header.argument == edit.header.argument else { return false }
    guard latest.header.operation == edit.header.operation else {
      return extendLatestStep(by: edit, type, latest, document, from: mark)
    }
    var joined = unsafe latest.payload[as: Delta.self]
    let ownedBytes = joined.ownedBytes
    let (next, offset) = (unsafe edit.payload[as: Delta.self], edit.header.argument)
    var joining = _UndoJoining(transaction.run, transaction.intent, mayMove: transaction.isCompared)
    guard unsafe joined.join(next, &joining, offset: offset, in: document[as: Delta.Root.self]) else { return false }
    let made = records.fastPath.operations.edit(of: edit)
    if !made.isOfText || !made.isOfRange {
      unread?.noteFound(_UndoPendingEdit(edit), in: location, joins: true, records)
      joining.rewrittenOffset = nil
    }
    let assigned = removeTransaction(to: mark)
    unsafe records.record(there: records.latestRecord).payload[as: Delta.self] = joined
    didJoin(joining)
    didCoalesce(ownedBytes, joined.ownedBytes)
    if joining.mayChangeNothing, removeLatestIfUnchanged(document) { return true }
    // Restored values that the transaction assigned belong to the step. Those that are assigned later don't.
    didAssign(assigned)
    return true
  }

  /// Appends an edit to the latest step and removes the transaction, if the edit continues the latest record, which has
  /// another type.
  private mutating func extendLatestStep<Delta: _UndoDelta>(
    by edit: _UndoRecord, _ type: Delta.Type, _ latest: _UndoRecord, _ document: _UnsafeUndoPointer,
    from mark: _UndoTransaction.Mark
  ) -> Bool {
    var joining = _UndoJoining(transaction.run, transaction.intent, mayMove: transaction.isCompared)
    let goesOn = unsafe edit.payload[as: Delta.self].goesOn(
      with: records.delta(of: latest), &joining, offset: edit.header.argument, in: document[as: Delta.Root.self])
    guard goesOn else { return false }
    let copies = _UnsafeUndoChunk(copiesOf: [edit], records.operations)
    let assigned = removeTransaction(to: mark)
    extendLatestStep(by: copies) { log, record in !log.hasExtras || log.admits(_UndoPendingEdit(record)) }
    records.position.run = joining.run
    didCoalesce()
    if records.fastPath.isLimited { enforceLimit() }
    didAssign(assigned)
    return true
  }

  /// Removes a transaction from the log without undoing its edits, and returns the restored values that it assigned.
  private mutating func removeTransaction(to mark: _UndoTransaction.Mark) -> _UndoRestoredValues.Members {
    let assigned = hasExtras ? extras[0].restored.assignedInside : []
    records.close()
    records.removeRecords(backTo: _UndoLocation(mark))
    records.position.link = mark.link
    if hasExtras { extras[0].didRollBack() }
    endOutermost()
    open()
    return assigned
  }
}
