extension _UndoLog {
  /// Where a transaction began.
  @usableFromInline
  package struct Mark {
    @usableFromInline
    let chunkIndex: Int
    @usableFromInline
    let offset: Int
    @usableFromInline
    let link: _UndoLink

    @inlinable
    init(chunkIndex: Int, offset: Int, link: _UndoLink) {
      self.chunkIndex = chunkIndex
      self.offset = offset
      self.link = link
    }

    var location: RecordLocation { RecordLocation(chunkIndex: chunkIndex, offset: offset) }
  }

  @usableFromInline
  mutating func setLabel(_ text: String) {
    // Of a step that is open, its own label counts.
    if isUnlikely(hasExtras), isStepOpen { return }
    transaction.label = text
    transaction.needsSlowEnd = true
    closeRecords()
  }

  /// Ends a transaction that is an inner one, recorded nothing, has a label, or detached what could be redone.
  @usableFromInline
  mutating func endSlowly() {
    defer { _checkInvariants() }
    coalescing.canJoin = false
    guard transaction.depth == 1 else {
      if isUnlikely(carriesValues) { extras[0].didEndInnerTransaction(depth: transaction.depth) }
      transaction.depth -= 1
      return
    }
    if position.link.flags == _UndoHeader.inner {
      if let label = transaction.label.take() { appendLabel(label) }
      if transaction.detachedRedo != nil { dropDetachedRedo() }
      endOutermost()
      endStep()
    } else {
      let assigned = hasExtras ? extras[0].carried.assignedInside : []
      if isUnlikely(hasExtras) { didRollBack() }
      reattachRedo()
      endOutermost()
      joinAsBefore()
      if isUnlikely(hasExtras) { didAssignCarried(assigned) }
    }
  }

  /// Ends the innermost transaction as if it had never been.
  @usableFromInline
  package mutating func rollBack(to mark: Mark, _ document: _UnsafeUndoPointer) {
    defer { _checkInvariants() }
    closeRecords()
    removeRecords(backTo: mark.location) { log, header in
      log.exchange(header, at: log.position.offset, with: document)
    }
    if carriesValues { extras[0].rollBackRestored(document, depth: transaction.depth) }
    position.link = mark.link
    coalescing.canJoin = false
    if transaction.depth == 1 {
      if hasExtras { didRollBack() }
      reattachRedo()
      endOutermost()
      joinAsBefore()
    } else {
      transaction.depth -= 1
      if position.link.flags == _UndoHeader.inner { openFromTheFirst() }
    }
  }

  /// Opens the log, and shows no record as one in front of which the position could be: the outer transaction may be
  /// taken back without closing the log.
  private mutating func openFromTheFirst() {
    position.currentChunk.used = firstOffset
    open()
  }

  /// Lets the next edit join the latest step, if it could have done so before a transaction that left nothing.
  private mutating func joinAsBefore() {
    // What was taken back has begun the pause anew.
    guard carriesValues || coalescing.timer == nil else { return }
    coalescing.canJoin = transaction.couldJoin && isOpen
    keepRecentOperation()
  }

  /// Removes the records behind a location, newest first, each after the closure has seen it at the position.
  ///
  /// The log is closed. The link stays that of the newest one.
  package mutating func removeRecords(
    backTo location: RecordLocation, willRemove: (inout _UndoLog, _UndoHeader) -> Void = { _, _ in }
  ) {
    while position.chunkIndex != location.chunkIndex || position.offset != location.offset {
      if position.offset == _UnsafeUndoMemory.start {
        removeCurrentChunk()
      } else {
        let header = moveBack()
        willRemove(&self, header)
        counts.bytes -= bytes(header, in: position.currentChunk, at: position.offset)
        unsafe fastPath.operations.destroy(header.operation, position.currentChunk.payload(at: position.offset))
        position.currentChunk.used = position.offset
      }
    }
  }

  /// Leaves nothing of the outermost transaction to the next one.
  mutating func endOutermost() {
    transaction.depth = 0
    updateDirectRange()
    position.link = _UndoLink(words: position.link.words, flags: _UndoHeader.whole)
    transaction.label = nil
    transaction.needsSlowEnd = false
  }

  @inline(__always)
  private mutating func appendLabel(_ text: consuming String) {
    let delta = _UndoLabel(text)
    append(
      delta, operation: .label, words: _UndoHeader.wordCount(of: _UndoLabel.self), ownedBytes: delta.ownedBytes,
      offset: -1)
  }

  /// Writes a label in front of the first edit.
  mutating func beginWithLabel(_ text: consuming String) {
    // To add a record asks for the label again.
    let label = transaction.label.take()
    appendLabel(text)
    transaction.label = label
  }

  /// Makes the record before the position the last one of its step.
  @inlinable
  @inline(__always)
  mutating func endStep() {
    let start = position.offset &- position.link.bytes
    var header = unsafe position.currentChunk.header(at: start)
    header.ends = true
    unsafe position.currentChunk.setHeader(header, at: start)
    position.link = _UndoLink(words: position.link.words, flags: _UndoHeader.whole)
    counts.undo &+= 1
    if isUnlikely(fastPath.isWatched) { didEndTransaction() }
  }

  /// Takes away the current chunk, which is empty.
  mutating func removeCurrentChunk() {
    chunks.removeLast()
    makeCurrent(position.chunkIndex - 1)
    position.offset = position.currentChunk.used
  }

  /// Takes away chunks at the end that are empty: a step that is undone and redone would end in front of them.
  mutating func removeEmptyChunks() {
    while let last = chunks.last, chunks.count > 1, last.memory.used == _UnsafeUndoMemory.start {
      if position.chunkIndex == chunks.count - 1 { removeCurrentChunk() } else { chunks.removeLast() }
    }
  }

  // MARK: What could be redone

  /// Takes what could be redone out of the log, where a rollback finds it again.
  mutating func detachRedo() {
    transaction.needsSlowEnd = true
    transaction.detachedRedo = takeTail()
  }

  /// Lets go of what was detached.
  @inline(never)
  private mutating func dropDetachedRedo() {
    guard let redo = transaction.detachedRedo else { return }
    transaction.detachedRedo = nil
    if isRead { willReplaceSteps(from: startOfStep(endingWith: latestRecord)) }
    if !setAside(redo, fork: state) { counts.bytes -= bytes(in: redo.chunks) }
  }

  /// Makes what was detached redoable again, the position being where it was when that happened.
  private mutating func reattachRedo() {
    if isUnlikely(hasExtras) { openStepGivesRedoBack() }
    if let redo = transaction.detachedRedo {
      transaction.detachedRedo = nil
      // The redo steps may get other locations.
      if let unread, location < unread.location { loseTrack() }
      reattach(redo)
      saves = redo.saves
    } else if redoCount == 0, !chunks.isEmpty {
      open()
    }
  }

  /// Lets go of everything behind the position, or sets it aside as a branch.
  mutating func dropRedo() {
    if isRead { willReplaceSteps(from: location) }
    if isUnlikely(keepsBranches), setRedoAsideForStep() { return }
    counts.bytes -= bytes(in: position.currentChunk, from: position.offset, to: position.currentChunk.used)
    if position.chunkIndex + 1 < chunks.count { counts.bytes -= bytes(in: chunks[(position.chunkIndex + 1)...]) }
    willDropSteps(behind: state)
    removeLastRows(redoCount)
    removeRecordsAhead()
  }
}
