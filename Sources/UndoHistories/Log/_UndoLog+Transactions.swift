// Transactions: their state, and ending and rolling back one where the fast path can't, because of labels, redo steps
// or extras. Beginning one, and the ordinary end, are in `_UndoLog+FastPath`. Transactions that may join the latest
// step are in `_UndoLog+Joining`.

extension _UndoLog {
  @usableFromInline
  mutating func setLabel(_ text: String) {
    // An open step uses its own label.
    if isUnlikely(hasExtras), isStepOpen { return }
    transaction.label = text
    transaction.needsSlowEnd = true
    records.close()
  }

  /// Ends a transaction that is nested, recorded nothing, has a label, or detached the redo steps.
  @usableFromInline
  mutating func endSlowly() {
    defer { _checkInvariants() }
    records.position.run = .none
    guard transaction.depth == 1 else {
      if isUnlikely(restoresValues) { extras[0].didEndInnerTransaction(depth: transaction.depth) }
      transaction.depth -= 1
      return
    }
    if records.position.link.flags == _UndoHeader.inner {
      if let label = transaction.label.take() { writeLabel(label) }
      if let redo = transaction.detachedRedo.take() {
        unread?.willReplaceSteps(from: records.startOfStep(endingWith: records.latestRecord), of: records)
        drop(redo, fork: state)
      }
      endOutermost()
      endStep()
    } else {
      let assigned = hasExtras ? extras[0].restored.assignedInside : []
      endWithoutRecords()
      didAssign(assigned)
    }
  }

  /// Rolls back the innermost transaction as if it had never begun.
  @usableFromInline
  package mutating func rollBack(to mark: _UndoTransaction.Mark, _ document: _UnsafeUndoPointer) {
    defer { _checkInvariants() }
    records.close()
    records.removeRecords(backTo: _UndoLocation(mark), undoingIn: document)
    if restoresValues { extras[0].rollBackRestored(document, depth: transaction.depth) }
    records.position.link = mark.link
    records.position.run = .none
    if transaction.depth == 1 {
      endWithoutRecords()
    } else {
      transaction.depth -= 1
      guard records.position.link.flags == _UndoHeader.inner else { return }
      // No position may have a record after it, because the outer transaction may be removed without closing the log.
      records.position.currentChunk.used = records.firstOffset
      open()
    }
  }

  /// Ends the outermost transaction, which has no records, as if it had never begun.
  ///
  /// The position must be where it was when the transaction detached the redo steps.
  private mutating func endWithoutRecords() {
    if isUnlikely(hasExtras) {
      extras[0].didRollBack()
      moveRedoToTransaction()
    }
    if let redo = transaction.detachedRedo.take() { reattach(redo) } else { openAtEnd() }
    endOutermost()
    // The edits that were rolled back have restarted the pause.
    guard restoresValues || coalescing.rule.timer == nil else { return }
    records.position.run = isOpen ? transaction.run : .none
    records.keepRecentOperation()
  }

  /// Forgets the state of the outermost transaction.
  mutating func endOutermost() {
    transaction.depth = 0
    updateDirectRange()
    records.position.link.flags = _UndoHeader.whole
    transaction.label = nil
    transaction.needsSlowEnd = false
  }

  /// Makes the record before the position the last one of its step.
  @inlinable
  @inline(__always)
  mutating func endStep() {
    let start = records.position.offset &- records.position.link.bytes
    var header = unsafe records.position.currentChunk.header(at: start)
    header.ends = true
    unsafe records.position.currentChunk.setHeader(header, at: start)
    records.position.link.flags = _UndoHeader.whole
    records.counts.undo &+= 1
    if isUnlikely(records.fastPath.isWatched) { didEndTransaction() }
  }
}

/// The open transaction, or the outermost one if several are nested.
@usableFromInline
package struct _UndoTransaction {
  /// How many transactions are open, one within the other; half a word, with the flags beside it.
  @usableFromInline
  var depth: Int32 = 0
  /// Whether the transaction has a label, or has detached the redo steps; most have done neither.
  @usableFromInline
  var needsSlowEnd = false
  /// Which edits could join the latest record before the transaction.
  @usableFromInline
  var run = _UndoRun.none
  /// The intent of the edit in the transaction, if the transaction may join the latest step.
  @usableFromInline
  var intent = UndoIntent.automatic
  /// Whether a text edit was found by comparing two texts, so that it may as well be at an equivalent place.
  @usableFromInline
  var isCompared = false
  /// Whether each stored property that differs gets a record of its own, even if that takes more memory.
  ///
  /// This is set while remote edits are recorded, so that they conflict only with edits of what they change.
  var isSplit = false
  var label: String?
  /// The redo steps, detached when the transaction recorded its first change; nil if there were none.
  var detachedRedo: _UndoDetachedRedo?

  /// The position at which a transaction began.
  @usableFromInline
  package typealias Mark = (chunkNumber: Int, offset: Int, link: _UndoLink)
}
