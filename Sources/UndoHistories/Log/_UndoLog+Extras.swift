// Adds, changes and removes the extras, and keeps them up to date with recording: whether an edit needs a record, the
// label of an open step, what happens after each step, and ending the latest step (`settle`). Also sets the rule by
// which edits join.

extension _UndoLog {
  mutating func setCoalescing(_ new: UndoCoalescing, in document: _UnsafeUndoPointer) {
    records.position.run = .none
    coalescing.rule = new
    changeExtras {
      $0.document = document
      $0.endJoining()
    }
  }

  /// Changes the extras, adds or removes them as needed, and updates the rest of the log.
  package mutating func changeExtras(_ change: (inout _UndoExtras) -> Void) {
    if extras.isEmpty { extras = [_UndoExtras()] }
    change(&extras[0])
    didChangeExtras()
  }

  /// Updates everything that depends on the extras.
  ///
  /// It is separate from `changeExtras`, because that is compiled once for each closure.
  private mutating func didChangeExtras() {
    records.fastPath.hasExtras = extras[0].isInUse() || coalescing.rule.valueTimer != nil
    records.fastPath.keepsBranches = !extras[0].branches.isEmpty
    records.fastPath.restoresValues = !extras[0].restored.isEmpty
    coalescing.isGrouping = extras[0].openStep != nil
    if !coalescing.isGrouping { records.gesture = nil }
    if !hasExtras, !keepsBranches { extras = [] }
    records.fastPath.isWatched = records.fastPath.isLimited || hasExtras
    if isOpen { records.fastPath.directStart = hasExtras ? .max - 1 : .max }
    let isWatched = coalescing.rule.timer != nil || hasExtras || isRead
    if isWatched { coalescing.beginWatching() } else { coalescing.isWatched = false }
    updateDirectRange()
    updateBarrier()
  }

  // MARK: Before a record is written

  /// Whether an edit needs a record; writes the label of an open step before its first edit.
  ///
  /// An edit needs none if it assigns only a restored value, or if the open step already has a record of the same part.
  @usableFromInline
  mutating func admits(_ edit: _UndoPendingEdit) -> Bool {
    guard edit.offset >= 0 else { return true }
    coalescing.runBefore = nil
    if restoresValues, assignsRestored(edit) {
      coalescing.runBefore = records.position.run
      records.keepRecentOperation()
      return false
    }
    if transaction.depth == 0, let found = records.recordInOpenStep(of: edit) {
      coalescing.revision &+= 1
      unread?.noteFound(edit, in: found, records)
      didJoinStep()
      records.keepRecentOperation()
      return false
    }
    if hasOpenStep {
      if isStepOpen { willEditOpenStep() } else { changeExtras { $0.openStep = nil } }
    }
    if hasExtras, isAtStepStart {
      extras[0].start = records.location
      prepareStep(edit)
    }
    return true
  }

  /// Prepares the log for the first edit of the open step, and detaches the redo steps.
  private mutating func willEditOpenStep() {
    guard !isEditedStepOpen, records.position.link.flags != _UndoHeader.inner else { return }
    extras[0].openStep?.start = records.location
    guard redoCount > 0 else { return }
    // Canceling the step attaches the redo steps again.
    if unread.map({ $0.state != state }) ?? false { unread?.loseTrack() }
    unread?.redoCount = 0
    let redo = takeRedo()
    extras[0].openStep?.detachedRedo = redo
  }

  /// Whether the next record is the first one of its step.
  var isAtStepStart: Bool {
    records.position.link.flags == (transaction.depth == 0 ? _UndoHeader.whole : _UndoHeader.first)
  }

  /// Keeps the restored values before a step's first edit, which has already changed the document, and writes the label
  /// of an open step.
  private mutating func prepareStep(_ edit: _UndoPendingEdit) {
    if isEditedStepOpen { return }
    if restoresValues { saveRestored(from: edit) }
    guard let label = extras.first?.openStep?.label else { return }
    makeWritable(for: _UndoHeader.size)
    guard transaction.depth == 0 else { return writeLabel(label) }
    extras[0].hasLabelBeforeEdit = true
    records.position.link.flags = _UndoHeader.first
    writeLabel(label)
    // The edit's record looks like a step of its own. `didRecordStep` then clears its `begins`, because the label began
    // the step.
    records.position.link.flags = _UndoHeader.whole
  }

  /// Writes a label into the current step.
  mutating func writeLabel(_ text: String) {
    let (label, words) = (_UndoLabel(text: text), _UndoHeader.wordCount(of: _UndoLabel.self))
    makeWritable(for: words * 8)
    records.write(label, operation: .label, words: words, ownedBytes: label.ownedBytes, offset: -1)
    records.position.link = _UndoLink(words: words, flags: _UndoHeader.inner)
  }

  // MARK: After a step

  /// Updates the extras after a step of one record was written, and enforces the limit.
  @usableFromInline
  mutating func didRecordStep() {
    if extras[0].hasLabelBeforeEdit { records.changeHeader(at: records.latestRecord) { $0.begins = false } }
    extras[0].hasLabelBeforeEdit = false
    didEndStep(isTransaction: false)
    records.fastPath.directEnd = records.fastPath.directEndIfOwning
    enforceLimit()
  }

  /// Does the same after a step that was a transaction.
  @usableFromInline
  mutating func didEndTransaction() {
    if hasExtras { didEndStep(isTransaction: true) }
    enforceLimit()
  }

  private mutating func didEndStep(isTransaction: Bool) {
    let start = records.firstRecord(from: extras[0].start)
    let isAssignment = !isTransaction || extras[0].isAssignment
    extras[0].isAssignment = false
    extras[0].restored.isEdited = !extras[0].restored.assignedInside.isEmpty
    defer { if restoresValues { extras[0].endKeeping() } }
    let joins =
      hasOpenStep
      ? joinOpenStep(from: start, isTransaction: isTransaction)
      : joinValues(from: start, isAssignment: isAssignment)
    if joins {
      if hasOpenStep || !removeLatestIfUnchanged(extras[0].document) { didJoinStep() }
      return
    }
    if restoresValues { extras[0].keepPositions(from: start, &records) }
    extras[0].addRow(state - oldestState)
    if restoresValues { extras[0].awaitRestored(before: 0) }
  }

  /// Ends the open step and the latest step, so that nothing more joins them.
  package mutating func settle() {
    endOpenStep()
    settleLatest()
  }

  /// Ends the latest step, so that nothing more joins it.
  ///
  /// If an open step has no edits yet, it stays open, because the latest step isn't part of it.
  mutating func settleLatest() {
    records.position.run = .none
    guard hasExtras else { return }
    if isEditedStepOpen || extras.first?.openStep?.detachedRedo != nil { endOpenStep() }
    guard hasExtras else { return }
    if restoresValues { unread?.isSettled = true }
    extras[0].updateRestored()
    changeExtras {
      $0.endJoining()
      $0.restored.forgetLatest()
    }
  }

  /// Marks the open transaction, which ends next, as a single assignment, so that it can join the latest step as an
  /// assignment does.
  package mutating func willEndAssignment() {
    if hasExtras, transaction.depth == 1 { extras[0].isAssignment = true }
  }

  @usableFromInline
  mutating func endAssignment() {
    willEndAssignment()
    endTransaction()
  }

  /// Removes the rows of the newest steps, which no longer exist.
  package mutating func removeLastRows(_ count: Int) {
    if hasExtras { extras[0].steps.removeLast(count) }
  }
}
