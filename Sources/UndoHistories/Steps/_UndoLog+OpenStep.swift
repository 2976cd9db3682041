// Tells whether a step is open, begins, reopens, ends and cancels it, and makes edits part of it. Keeps the redo steps
// that it detached until it ends or is canceled. `_UndoLog+NoChange` finds out at the end whether the edits changed
// anything.

extension _UndoLog {
  /// Whether a step is open.
  ///
  /// A step without edits is open only while the history is as it was when the step began.
  @inline(never)
  package var isStepOpen: Bool { isEditedStepOpen || hasOpenStep && isAtBaseOfOpenStep }

  /// Whether a step is open that has edits, so that the next edit becomes part of it.
  package var isEditedStepOpen: Bool { records.gesture != nil }

  /// Whether a step was begun and hasn't ended, even if it isn't open in the current state of the history.
  package var hasOpenStep: Bool { coalescing.isGrouping }

  /// Whether the redo steps that the open step detached become a branch when it ends.
  package var hidesBranch: Bool { keepsBranches && extras.first?.openStep?.detachedRedo != nil }

  private var isAtBaseOfOpenStep: Bool { extras.first?.openStep?.isAtBase(state, redoCount) ?? false }

  mutating func beginStep(_ label: String?, _ identity: _UndoStepIdentity, alignsPlaces: Bool = false) {
    defer { _checkInvariants() }
    settle()
    let step = _UndoOpenStep(
      identity: identity, label: label, alignsPlaces: alignsPlaces, base: state, redoCount: redoCount,
      start: records.location)
    changeExtras { $0.openStep = step }
  }

  /// Reopens the latest step, which ended because an archive was made; false if there is none.
  ///
  /// Canceling it doesn't bring back the redo steps from before the step.
  package mutating func reopenLatestStep() -> Bool {
    settle()
    guard records.counts.undo > 0, redoCount == 0 else { return false }
    defer { _checkInvariants() }
    let start = records.startOfStep(endingWith: records.latestRecord)
    let step = _UndoOpenStep(
      identity: _UndoStepIdentity(), label: undoLabel, alignsPlaces: false, base: state - 1, redoCount: 0, start: start)
    if restoresValues { extras[0].awaitRestored(before: 0) }
    changeExtras { $0.openStep = step }
    records.gesture = _UndoGesture()
    return true
  }

  /// Whether the step with this identity is open.
  package mutating func isStepOpen(_ identity: _UndoStepIdentity) -> Bool {
    (extras.first?.openStep?.identity.isSame(as: identity) ?? false) && isStepOpen
  }

  /// Ends the open step, if there is one.
  mutating func endOpenStep() {
    guard let step = extras.first?.openStep else { return }
    defer { _checkInvariants() }
    let hasEdits = isEditedStepOpen
    changeExtras { $0.openStep = nil }
    records.position.run = .none
    if hasEdits {
      if let label = step.label { extendLatestStep { $0.writeLabel(label) } }
      if let redo = step.detachedRedo { drop(redo, fork: step.base) }
      if limit.steps == 0 { enforceLimit() }
    } else {
      reattach(step)
    }
  }

  /// Rolls back the open step as if it had never begun.
  package mutating func cancelOpenStep(_ document: _UnsafeUndoPointer) {
    guard let step = extras.first?.openStep else { return }
    defer { _checkInvariants() }
    let (hasEdits, wasRead, hasIdentity) = (isEditedStepOpen, unread?.openStep === step.identity, origins != nil)
    changeExtras {
      $0.openStep = nil
      $0.restored.forgetLatest()
    }
    records.close()
    if hasEdits {
      unread?.willRemoveLatestStep(from: step.start, hasIdentity: hasIdentity)
      records.removeRecords(backTo: step.start, undoingIn: document)
      records.counts.undo -= 1
      redoCount = 0
      if restoresValues { extras[0].restore(document, before: 0, isAfter: false) }
      removeLastRows(1)
      records.position.link.flags = _UndoHeader.whole
    }
    reattach(step)
    openAtEnd()
    // The redo steps that an unread step had detached may not have been read.
    if wasRead ? unread?.assignment != nil : step.detachedRedo != nil { unread?.loseTrack() }
    if wasRead { unread?.note(.cancelledStep, in: records) }
  }

  /// Attaches the redo steps that an open step has detached.
  private mutating func reattach(_ step: _UndoOpenStep) {
    guard let redo = step.detachedRedo else { return }
    records.close()
    reattach(redo)
    let (state, redoCount) = (state, redoCount)
    if unread?.state == state { unread?.redoCount = redoCount }
    // The saves from before the open step may have states that were dropped in the meantime.
    let (oldest, keepsBranches) = (oldestState, keepsBranches)
    saves.forget { $0 < 0 ? !keepsBranches : $0 < oldest }
    if keepsBranches { extras[0].branches[0].takeUp(&saves) }
  }

  // MARK: Edits

  /// Moves the detached redo steps to a transaction that was rolled back, if it would have been the open step's first
  /// edit.
  mutating func moveRedoToTransaction() {
    guard !isEditedStepOpen, let redo = extras.first?.openStep?.detachedRedo else { return }
    transaction.detachedRedo = redo
    extras[0].openStep?.detachedRedo = nil
    // These redo steps were read before the open step cut them off.
    unread?.redoCount = redo.tail.count
  }

  /// Makes a step that has just ended part of the open step, and returns whether the open step had edits before.
  mutating func joinOpenStep(from start: _UndoLocation, isTransaction: Bool) -> Bool {
    guard isEditedStepOpen else {
      records.gesture = _UndoGesture()
      records.addToGesture(from: start)
      return false
    }
    records.counts.undo -= 1
    if isTransaction {
      joinTransaction(from: start)
    } else {
      records.changeHeader(at: records.latestRecord(before: start)) { $0.ends = false }
      records.changeHeader(at: start) { $0.begins = false }
      records.addToGesture(from: start)
    }
    return true
  }

  /// Makes the records of a transaction part of the open step, except those of parts that already have a record there.
  private mutating func joinTransaction(from start: _UndoLocation) {
    let last = records.latestRecord(before: start)
    var (location, areKnown) = (start, true)
    while areKnown, let record = records.record(at: &location) { areKnown = isInGesture(record, endingWith: last) }
    if areKnown { return removeLatestStep(from: extras[0].start) }
    let copies = _UnsafeUndoChunk(copiesOf: records.edits(from: start), records.operations)
    removeLatestStep(from: extras[0].start)
    extendLatestStep(by: copies) { log, record in !log.isInGesture(record, endingWith: log.records.latestRecord) }
  }

  /// Whether the gesture, which ends with the given record, has a record of the part that another record replaced.
  private mutating func isInGesture(_ record: _UndoRecord, endingWith last: _UndoLocation) -> Bool {
    let edit = _UndoPendingEdit(record)
    guard record.header.isEdit, let found = records.recordInGesture(of: edit, endingWith: last) else { return false }
    coalescing.revision &+= 1
    unread?.noteFound(edit, in: found, records)
    return true
  }
}
