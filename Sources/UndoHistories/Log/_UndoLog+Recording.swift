// Records an edit where the fast path can't (`+FastPath`): with a new operation, in a new chunk, in place of redo
// steps, or if extras are in use. Also adds the chunk, and discards the redo steps or makes them a branch.
// `_UndoRecords+Writing` writes the record.

extension _UndoLog {
  /// Records the old value of eight bytes of the document, if it can't be written directly.
  ///
  /// It isn't inlined into callers, and isn't specialized for each type of document.
  @usableFromInline
  @inline(never)
  mutating func recordWord(_ old: UInt64, at offset: Int) {
    append(
      _UndoReplacement(UndoDocumentPlace<UInt64>(), other: old), operation: .word, words: 2, ownedBytes: 0,
      offset: offset)
  }

  /// Records a delta of a type that wasn't recorded last, or one that can't be written directly.
  @inlinable
  @inline(never)
  mutating func recordSlowly<Delta: _UndoDelta>(_ delta: consuming Delta, ownedBytes: Int, offset: Int) {
    guard let operation = records.knownIndex(of: Delta.self) ?? records.select(Delta.self) else {
      return recordBoxed(delta, offset: offset)
    }
    // Under a limit of bytes, the delta counts with all the memory that it keeps alive.
    let isMeasured = Delta.retainsMemory && isUnlikely(records.fastPath.countsRetainedBytes)
    let bytes = isMeasured ? delta.retainedBytes : ownedBytes
    append(delta, operation: operation, words: _UndoHeader.wordCount(of: Delta.self), ownedBytes: bytes, offset: offset)
  }

  /// Records a delta that doesn't fit into a record, or whose type gets no index because the table is full.
  @usableFromInline
  @inline(never)
  mutating func recordBoxed<Delta: _UndoDelta>(_ delta: consuming Delta, offset: Int) {
    let boxed = _UndoBoxedDelta<Delta.Root>(delta: delta)
    let words = _UndoHeader.wordCount(of: _UndoBoxedDelta<Delta.Root>.self)
    let bytes = records.fastPath.countsRetainedBytes ? boxed.retainedBytes : boxed.ownedBytes
    append(boxed, operation: .boxed, words: words, ownedBytes: bytes, offset: offset)
  }

  /// Adds a record after the last one, whatever the state of the log.
  @inlinable
  @inline(__always)
  mutating func append<Delta: _UndoDelta>(
    _ delta: consuming Delta, operation: _UndoOperationIndex, words: Int, ownedBytes: Int, offset: Int
  ) {
    defer { _checkInvariants() }
    if !records.isPlainlyOpen || records.position.offset &+ words &* 8 > records.position.currentChunk.capacity {
      if isUnlikely(hasExtras), !admits(delta, operation: operation, offset: offset) { return }
      makeWritable(for: words &* 8)
    }
    let isStep = records.position.link.isWhole
    records.write(delta, operation: operation, words: words, ownedBytes: ownedBytes, offset: offset)
    if isStep {
      records.position.link = _UndoLink(words: words, flags: _UndoHeader.whole)
      records.counts.undo &+= 1
      keepLimit(owning: ownedBytes)
    } else {
      records.position.link = _UndoLink(words: words, flags: _UndoHeader.inner)
    }
  }

  /// Whether a delta needs a record; the extras decide.
  @inlinable
  @inline(__always)
  mutating func admits<Delta: _UndoDelta>(_ delta: Delta, operation: _UndoOperationIndex, offset: Int) -> Bool {
    var delta = delta
    return unsafe withUnsafeMutablePointer(to: &delta) { pointer in
      admits(
        _UndoPendingEdit(
          payload: unsafe _UnsafeUndoPointer(UnsafeMutableRawPointer(pointer)), operation: operation, offset: offset))
    }
  }

  /// Opens the log for a record of this size after the last one: drops or detaches the redo steps, and adds a chunk if
  /// the current one is full.
  @usableFromInline
  mutating func makeWritable(for size: Int) {
    if isOpen, records.position.offset + size <= records.position.currentChunk.capacity { return }
    if redoCount > 0 {
      if transaction.depth > 0 {
        // A rollback attaches them again.
        (transaction.needsSlowEnd, transaction.detachedRedo) = (true, takeRedo())
      } else {
        dropRedo()
      }
    }
    if records.chunks.isEmpty || records.position.offset + size > records.position.currentChunk.capacity {
      // A sixteenth of a limit of bytes, because a chunk is released only when all of its records are dropped.
      records.addChunk(for: size, upTo: min(1 << 16, max(256, limit.bytes / 16)))
    }
    open()
    // The label goes before the first edit. Until it is written, it is taken, or it would be written again.
    if records.position.link.flags == _UndoHeader.first, let label = transaction.label.take() {
      writeLabel(label)
      transaction.label = label
      makeWritable(for: size)
    }
  }

  /// Drops everything after the position, or detaches it as a branch.
  private mutating func dropRedo() {
    unread?.willReplaceSteps(from: records.location, of: records)
    if detachRedo() { return leaveRoomForStep() }
    records.forgetBytes(after: records.location)
    saves.willDropSteps(behind: state, of: records)
    removeLastRows(redoCount)
    records.removeRecordsAhead()
  }
}
