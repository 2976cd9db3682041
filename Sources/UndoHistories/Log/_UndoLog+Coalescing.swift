// A text edit that continues the one before it becomes part of that one's record, which stays where it is.

extension _UndoLog {
  /// The last record's delta, if it is of the type asked for, lies at that offset, and may take in another edit.
  @inlinable
  @inline(__always)
  mutating func coalescible<Delta: _UndoDelta>(_ type: Delta.Type, offset: Int) -> _UnsafeUndoPointer? {
    guard records.position.canJoin, !coalescing.isWatched || isInTime() else { return nil }
    return records.joinable(type, offset: offset)
  }

  /// Lets the record that was added last take in the next edit of its kind, if that is wanted.
  @inlinable
  @inline(__always)
  mutating func didRecordText() {
    records.position.canJoin = transaction.depth > 0 || coalescing.joinsTyping
    if coalescing.isWatched { didRecordWatchedText() }
  }

  /// Accounts for what a record took in: what it owned before, and what it owns now.
  @inlinable
  @inline(__always)
  mutating func didCoalesce(_ ownedBefore: Int = 0, _ ownedNow: Int = 0) {
    defer { _checkInvariants() }
    if coalescing.isWatched { didJoinText() }
    if ownedBefore == ownedNow { return }
    records.counts.bytes += ownedNow - ownedBefore
    if isUnlikely(records.fastPath.isLimited) { didCoalesceUnderLimit(ownedBefore, ownedNow) }
  }

  /// The same under a limit, which may count more of a text.
  @usableFromInline
  mutating func didCoalesceUnderLimit(_ ownedBefore: Int, _ ownedNow: Int) {
    var added = ownedNow - ownedBefore
    if records.fastPath.countsRetainedBytes {
      let retained = String.retainedBytes(ofOwned: ownedNow) - String.retainedBytes(ofOwned: ownedBefore)
      records.counts.bytes += retained - added
      added = retained
    }
    guard transaction.depth == 0 else { return }
    if hasExtras { enforceLimit() } else { keepLimit(owning: added) }
  }

  /// Accounts for a delta, not one of typing in a text, that the latest record took in.
  @usableFromInline
  mutating func didJoin(_ payload: _UnsafeUndoPointer, offset: Int, adding bytes: Int) {
    records.counts.bytes += bytes
    didCoalesce()
    guard transaction.depth == 0 else { return }
    if isRead {
      let operation = records.fastPath.recentOperation
      let edit = _UndoPendingEdit(payload: payload, operation: operation, offset: offset, size: 0)
      unread?.noteFound(edit, in: records.latestRecord, joins: true, records)
    }
    if hasExtras, let timer = extras[0].rule.valueTimer, extras[0].joinable != nil {
      extras[0].joinable?.time = timer.nanoseconds()
    }
    if records.fastPath.isLimited { enforceLimit() }
  }

  /// Whether the latest text edit was not too long ago; where edits of texts are watched.
  @usableFromInline
  mutating func isInTime() -> Bool {
    guard transaction.depth == 0, let timer = coalescing.timer, !isStepOpen else { return true }
    return timer.nanoseconds() - coalescing.lastEdit <= timer.pause
  }

  /// Whether the latest thing that came may have been an edit that is part of an older step: such an edit can still be
  /// joined, and the carried values that are assigned next are its step's.
  var mayHaveJoined: Bool {
    if isStepOpen { return true }
    guard mayJoin else { return false }
    return !restoresValues || !extras[0].restored.awaited.isEmpty
  }

  /// Whether an edit or an assignment may join the latest step.
  var mayJoin: Bool {
    guard var extras = extras.first else { return records.position.canJoin }
    return records.position.canJoin || extras.canJoinValues()
  }

  /// Lets no edit join the latest one.
  package mutating func endCoalescing() {
    records.position.canJoin = false
    guard hasExtras else { return }
    changeExtras { $0.endJoining() }
  }

  /// Sees to what goes along with an edit of a text, which joined the record before the position.
  @usableFromInline
  mutating func didJoinText() {
    unread?.textEditCount &+= 1
    if let timer = coalescing.timer { coalescing.lastEdit = timer.nanoseconds() }
    if transaction.depth == 0, hasExtras { extras[0].didJoinStep() }
  }

  /// The same for one that was recorded, or was none of the history's because its text is carried.
  @usableFromInline
  mutating func didRecordWatchedText() {
    if hasExtras, let couldJoin = coalescing.couldJoin {
      records.position.canJoin = couldJoin
      coalescing.couldJoin = nil
    } else {
      didJoinText()
    }
  }
}
