// Joins a text edit with the latest record, which changes in place: finds the record, asks the rule and the pause, and
// updates the log afterwards. Also keeps the next edit from joining (`endCoalescing`). Whether an edit continues a text
// is decided in `_UndoTextSplice`, and the rule is set in `_UndoLog+Extras`.

extension _UndoLog {
  /// The delta of the last record, if it has this type and this offset, and the next edit may join it.
  ///
  /// - Parameter ignoresPause: Whether no pause matters, as for an edit that is part of a composition.
  @inlinable
  @inline(__always)
  mutating func coalescible<Delta: _UndoDelta>(
    _ type: Delta.Type, offset: Int, ignoresPause: Bool = false
  ) -> _UnsafeUndoPointer? {
    guard records.position.canJoin, !coalescing.isWatched || ignoresPause || isInTime(), records.isRecent(type) else {
      return nil
    }
    let start = records.position.offset &- records.position.link.bytes
    let header = unsafe records.position.currentChunk.header(at: start)
    guard header.operation == records.fastPath.recentOperation, header.argument == offset else { return nil }
    return unsafe records.position.currentChunk.payload(at: start)
  }

  /// Allows the next edit to join the record that was added last, as far as the rule permits.
  @inlinable
  @inline(__always)
  mutating func didRecordText(_ run: _UndoRun) {
    records.position.run = permitted(run)
    if coalescing.isWatched { didRecordWatchedText() }
  }

  @inlinable
  @inline(__always)
  func permitted(_ run: _UndoRun) -> _UndoRun {
    if transaction.depth > 0 || coalescing.isGrouping { return .group }
    return coalescing.rule.joinsTyping || run == .composition ? run : .none
  }

  /// Updates the log after an edit has joined the latest record of a text.
  @inlinable
  @inline(__always)
  mutating func didJoin(_ joining: _UndoJoining) {
    records.position.run = joining.run
    if let offset = joining.rewrittenOffset { didRewrite(from: offset) }
  }

  @usableFromInline
  mutating func didRewrite(from offset: Int) { unread?.noteRewriting(from: offset, records) }

  /// Counts the memory of a record that an edit has joined: what it owned before, and what it owns now.
  @inlinable
  @inline(__always)
  mutating func didCoalesce(_ ownedBefore: Int = 0, _ ownedNow: Int = 0) {
    defer { _checkInvariants() }
    coalescing.revision &+= 1
    if coalescing.isWatched { didJoinText() }
    if ownedBefore == ownedNow { return }
    records.counts.bytes += ownedNow - ownedBefore
    if isUnlikely(records.fastPath.isLimited) { didCoalesceUnderLimit(ownedBefore, ownedNow) }
  }

  /// Does the same under a limit, which may count more memory for a text.
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

  /// Counts a delta that has joined the latest record, unless it is typing in a text.
  @usableFromInline
  mutating func didJoin(_ payload: _UnsafeUndoPointer, offset: Int, adding bytes: Int) {
    records.counts.bytes += bytes
    didCoalesce()
    guard transaction.depth == 0 else { return }
    if isRead {
      let operation = records.fastPath.recentOperation
      let edit = _UndoPendingEdit(payload: payload, operation: operation, offset: offset)
      unread?.noteFound(edit, in: records.latestRecord, joins: true, records)
    }
    if let timer = coalescing.rule.valueTimer, extras[0].joinable != nil {
      extras[0].joinable?.time = timer.nanoseconds()
    }
    if records.fastPath.isLimited { enforceLimit() }
  }

  /// Whether the latest text edit is recent enough for the next one to join it; used only if text edits are watched.
  @usableFromInline
  mutating func isInTime() -> Bool {
    guard transaction.depth == 0, let timer = coalescing.rule.timer, !isStepOpen else { return true }
    return timer.nanoseconds() - coalescing.lastEdit <= timer.pause
  }

  var mayJoin: Bool {
    records.position.canJoin || hasExtras && (extras[0].joinable != nil || extras[0].origins?.waiting != nil)
  }

  /// Keeps the next edit from joining the latest step.
  package mutating func endCoalescing() {
    records.position.run = .none
    guard hasExtras else { return }
    changeExtras { $0.endJoining() }
  }

  /// Updates the timer and the extras after a text edit that joined the record before the position.
  @usableFromInline
  mutating func didJoinText() {
    unread?.textEditCount &+= 1
    if let timer = coalescing.rule.timer { coalescing.lastEdit = timer.nanoseconds() }
    if transaction.depth == 0 { didJoinStep() }
  }

  /// Updates the time and the restored values of the latest step after an edit has joined it.
  mutating func didJoinStep() {
    if hasExtras, restoresValues || extras[0].now != nil { extras[0].didJoinStep() }
  }

  /// Does the same after a text edit that got a record of its own, or none because its text is a restored value.
  @usableFromInline
  mutating func didRecordWatchedText() {
    if hasExtras, let run = coalescing.runBefore {
      records.position.run = run
      coalescing.runBefore = nil
    } else {
      didJoinText()
    }
  }
}
