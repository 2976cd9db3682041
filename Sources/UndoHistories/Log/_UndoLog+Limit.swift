// Sets and enforces the limit: drops the oldest steps when a history exceeds its number of steps or bytes. Also counts
// the bytes that a history takes, and removes all steps. Branches are dropped in `_UndoLog+Branches`.

extension _UndoLog {
  /// Sets the limit, and enforces it.
  mutating func setLimit(_ new: UndoLimit) {
    defer { _checkInvariants() }
    (limit, records.fastPath.isLimited) = (new, new != .unlimited)
    if keepsBranches { leaveRoomForStep() }
    records.fastPath.isWatched = records.fastPath.isLimited || hasExtras
    if records.fastPath.countsRetainedBytes != (new.bytes != .max) {
      records.fastPath.countsRetainedBytes.toggle()
      records.recount()
      for tail in detachedTails { records.counts.bytes += records.bytes(in: tail.chunks) }
    }
    updateDirectRange()
    enforceLimit()
  }

  /// Enforces the limit after the newest step got the given number of owned bytes, outside a transaction.
  ///
  /// Nothing has to be dropped if the step still ends within the direct range.
  @inlinable
  @inline(__always)
  mutating func keepLimit(owning ownedBytes: Int) {
    guard isUnlikely(records.fastPath.isWatched) else { return }
    records.fastPath.directEnd &-= ownedBytes
    if records.position.offset <= records.fastPath.directEnd { return }
    if isUnlikely(hasExtras) { didRecordStep() } else { enforceLimit() }
  }

  /// Drops the oldest steps until the limit is kept, and measures the direct range that is left.
  ///
  /// The newest step stays, however large, unless the limit is zero steps. Branches are dropped before any step. Hidden
  /// steps count, and are the oldest. If remote edits hide even the newest step, it is dropped as well, together with
  /// those edits.
  @usableFromInline
  package mutating func enforceLimit() {
    let redoCount = redoCount
    while case let count = hasExtras ? state &- oldestState : records.counts.undo, isLimitExceeded(count &+ redoCount) {
      if isUnlikely(keepsBranches), dropsOldestBranch() { continue }
      guard count > 0, count &+ redoCount > 1 || isNewestStepHidden else {
        // An open step can be canceled until it ends.
        if limit.steps == 0, count &+ redoCount > 0, !hasOpenStep, unread.map({ $0.state == state }) ?? true {
          removeAllSteps()
          // Keeps the next edit from looking for a record to join.
          (records.fastPath.recentTag, records.fastPath.recentOperation) = (_UnsafeUndoTypeTag(), .boxed)
        }
        break
      }
      dropOldestStep()
    }
    if records.isPlainlyOpen {
      if records.fastPath.isLimited, transaction.depth == 0 { records.fastPath.directEnd = directEndWithinLimit }
    } else if !isOpen {
      records.updateDirectStart()
    }
  }

  /// Whether the history takes more bytes than the limit allows, or this number of steps outside of branches is too
  /// large.
  func isLimitExceeded(_ count: Int) -> Bool { count > stepLimit || limit.bytes != .max && byteCount > limit.bytes }

  /// The bytes that the history takes: its records and, with extras, its remote edits and restored values.
  var byteCount: Int {
    hasExtras ? records.counts.bytes + (extras[0].remoteEdits?.bytes ?? 0) + restoredBytes : records.counts.bytes
  }

  /// Whether remote edits hide every step, so that none can be undone.
  private var isNewestStepHidden: Bool { hasExtras && records.counts.undo == 0 && state > oldestState }

  /// Drops the given number of the oldest steps; there must be as many before the redo steps.
  package mutating func dropOldestSteps(_ count: Int) {
    defer { _checkInvariants() }
    // Otherwise the next edit could join a step that is gone.
    if count == state - oldestState { settleLatest() }
    for _ in 0..<count { dropOldestStep() }
    updateDirectRange()
    enforceLimit()
  }

  private mutating func dropOldestStep() {
    // If no step can be undone, this may drop the newest step, which has to end first.
    if isUnlikely(hasExtras), records.counts.undo == 0 { settleLatest() }
    if restoresValues { extras[0].steps.forgetRestored(before: records.newestState - oldestState - 1) }
    let joined = unread?.joinedText(in: records)
    records.removeOldestStep()
    // No other record tells a text edit that has joined the record before the mark.
    let isLost = unread.map { joined != nil ? $0.location <= records.start : $0.location < records.start } ?? false
    if isLost { unread?.loseTrack() }
    if isUnlikely(hasExtras), didDropOldest() { return }
    records.counts.undo &-= 1
    records.counts.steps &-= 1
    records.counts.dropped &+= 1
    let oldest = records.counts.dropped
    // A negative number stands for a state on a branch, which stays.
    saves.forget { 0..<oldest ~= $0 }
  }

  /// Removes every step.
  ///
  /// The document stays, and so does the answer to whether it is saved.
  mutating func removeAllSteps() {
    defer { _checkInvariants() }
    if hasUnread { unread?.loseTrack() }
    defer { unread?.note(.removedAll, in: records) }
    if hasExtras { settle() }
    close()
    saves.keepOnly(state)
    removeBranches(from: 0)
    records.removeAll()
    if hasExtras {
      changeExtras {
        $0.steps.removeAll()
        $0.origins?.forgetSteps()
        $0.remoteEdits = nil
      }
    }
  }
}
