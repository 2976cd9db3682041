// The shortcuts of a log without extras for recording an edit, undoing and redoing a step, and beginning and ending a
// transaction. They are inlined into clients. The log also computes here up to which offset records can be written
// directly, and stores it in `_UndoRecords.FastPath`.
//
// This folder has all shortcuts, each with what it spares and its price. Instructions are those of a release build for
// x86-64, as counted in `docs/experiments.md`. Everything that a shortcut doesn't cover takes the long way,
// which is correct without any shortcut: `+Recording`, `+Stepping` and `+Transactions` in `Log`.

extension _UndoLog {
  /// Updates `directEnd` and `directEndIfOwning`.
  @inlinable
  mutating func updateDirectRange() {
    records.fastPath.directEnd =
      records.isPlainlyOpen && transaction.depth == 0 && !records.fastPath.isLimited
      ? records.position.currentChunk.capacity : 0
    records.fastPath.directEndIfOwning = records.fastPath.directEnd
  }

  /// The offset up to which steps that own no memory can be written without exceeding the limit: each takes at least
  /// eight bytes.
  var directEndWithinLimit: Int {
    let stepsLeft = 8 * min(stepLimit - records.counts.undo, records.position.currentChunk.capacity)
    return min(
      records.position.currentChunk.capacity,
      records.position.offset + min(limit.bytes - records.counts.bytes, stepsLeft))
  }

  // MARK: Recording

  /// Adds a delta after the last record; outside a transaction, it is a step of its own.
  ///
  /// Within the direct range, the record is written inline: 26 of the 98 instructions of an edit. Price: that code in
  /// every caller.
  ///
  /// - Parameter ownedBytes: The memory that the delta owns, if it is already known.
  @inlinable
  @inline(__always)
  mutating func record<Delta: _UndoDelta>(_ delta: consuming Delta, ownedBytes: Int? = nil, offset: Int) {
    let ownedBytes = ownedBytes ?? (Delta.ownsMemory ? delta.ownedBytes : 0)
    let words = _UndoHeader.wordCount(of: Delta.self)
    guard MemoryLayout<Delta>.alignment <= 8, words <= _UndoHeader.maximumWords else {
      return recordBoxed(delta, offset: offset)
    }
    let directEnd = Delta.ownsMemory ? records.fastPath.directEndIfOwning : records.fastPath.directEnd
    guard isLikely(records.position.offset &+ words &* 8 <= directEnd),
      let operation = records.knownIndex(of: Delta.self)
    else {
      if Delta.isWord { return recordWord(delta.word, at: offset) }
      return recordSlowly(delta, ownedBytes: ownedBytes, offset: offset)
    }
    defer { _checkInvariants() }
    records.write(delta, operation: operation, words: words, ownedBytes: ownedBytes, offset: offset)
    records.position.link = _UndoLink(words: words, flags: _UndoHeader.whole)
    records.counts.undo &+= 1
  }

  // MARK: Stepping

  /// Undoes one step, if there is one.
  @inlinable
  @inline(__always)
  mutating func undo<Step: _UndoInlineStep>(
    _ document: _UnsafeUndoPointer, inlining step: Step.Type
  ) -> (first: UndoEdit, details: _UndoStepDetails?)? {
    let pattern = Step.pattern(elements: records.fastPath.elementOperation)
    let start = records.position.offset &- pattern.link.bytes
    guard isLikely(records.position.link == pattern.link), isLikely(start >= records.fastPath.directStart),
      unsafe isLikely(records.position.currentChunk.header(at: start).matches(pattern))
    else {
      if records.counts.undo > 0 { return (undoStep(document), stepDetails) }
      missStep()
      return nil
    }
    let header = unsafe records.position.currentChunk.header(at: start)
    records.position.offset = start
    records.counts.undo &-= 1
    unsafe Step.exchange(records.position.currentChunk.payload(at: start), header.argument, document)
    _checkInvariants()
    return (records.edit(header, at: start), nil)
  }

  /// Redoes one step, if there is one.
  @inlinable
  @inline(__always)
  mutating func redo<Step: _UndoInlineStep>(
    _ document: _UnsafeUndoPointer, inlining step: Step.Type
  ) -> (first: UndoEdit, details: _UndoStepDetails?)? {
    let pattern = Step.pattern(elements: records.fastPath.elementOperation)
    let (start, used) = (records.position.offset, records.position.currentChunk.used)
    guard isLikely(start < used), isLikely(!records.fastPath.restoresValues),
      unsafe isLikely(records.position.currentChunk.header(at: start).matches(pattern))
    else {
      if redoCount > 0 { return (redoStep(document), stepDetails) }
      missStep()
      return nil
    }
    let header = unsafe records.position.currentChunk.header(at: start)
    moveForward(to: start &+ pattern.link.bytes, of: used)
    unsafe Step.exchange(records.position.currentChunk.payload(at: start), header.argument, document)
    _checkInvariants()
    return (records.edit(header, at: start), nil)
  }

  /// Ends the open step when there is no step to undo or redo.
  @usableFromInline
  mutating func missStep() {
    if hasOpenStep { settle() }
  }

  // MARK: Transactions

  /// Opens a transaction: until it ends or is rolled back, everything recorded is one step.
  ///
  /// Only the outermost transaction's label counts. Without a label, opening takes a few stores. Price: `needsSlowEnd`,
  /// which tells the end of the transaction that it can be as short. Checking for a label and for detached steps
  /// instead would take one more instruction.
  @inlinable
  @inline(__always)
  @discardableResult
  package mutating func beginTransaction(_ label: String?) -> _UndoTransaction.Mark {
    if isLikely(transaction.depth == 0) {
      (transaction.run, transaction.isCompared) = (records.position.run, false)
      records.position.link.flags = _UndoHeader.first
      if let label { setLabel(label) }
    }
    records.position.run = .none
    transaction.depth &+= 1
    (records.fastPath.directEnd, records.fastPath.directEndIfOwning) = (0, 0)
    return (records.position.chunkNumber, records.position.offset, records.position.link)
  }

  /// Ends the innermost transaction and keeps its records.
  @inlinable
  @inline(__always)
  package mutating func endTransaction() {
    guard isLikely(transaction.depth == 1), isLikely(!transaction.needsSlowEnd),
      isLikely(records.position.link.flags == _UndoHeader.inner)
    else {
      return endSlowly()
    }
    defer { _checkInvariants() }
    records.position.run = .none
    transaction.depth = 0
    updateDirectRange()
    endStep()
  }
}
