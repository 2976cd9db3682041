extension _UndoLog {
  /// Lets records be written at the position, where all records end.
  package mutating func open() {
    fastPath.directStart = hasExtras ? .max - 1 : .max
    updateDirectRange()
  }

  /// The same if all records do end there.
  @usableFromInline
  mutating func openAtEnd() {
    if redoCount == 0 { open() }
  }

  /// Ends what the latest step was kept open for, and the log's being open.
  @usableFromInline
  package mutating func close() {
    guard isOpen else { return }
    if isUnlikely(!isPlainlyOpen) { settleLatest() }
    closeRecords()
  }

  /// Brings up to date what was left alone while records were written, and lets nothing be written or joined directly.
  package mutating func closeRecords() {
    guard isOpen else { return }
    position.currentChunk.used = position.offset
    counts.steps = counts.undo
    coalescing.canJoin = false
    (fastPath.directEnd, fastPath.directEndIfOwning) = (0, 0)
    fastPath.directStart = firstOffset
    if isUnlikely(hasExtras) { setBarrier() }
  }

  /// Where the records of the current chunk begin.
  var firstOffset: Int { position.chunkIndex == 0 ? head : _UnsafeUndoMemory.start }

  /// Makes a chunk the current one; a chunk that another log refers to is copied.
  mutating func makeCurrent(_ index: Int) {
    position.chunkIndex = index
    if !isKnownUniquelyReferenced(&chunks[index]) {
      chunks[index] = chunks[index].copy(from: firstOffset, to: chunks[index].memory.used)
    }
    chunks[index].operations = operations
    position.currentChunk = chunks[index].memory
    fastPath.directStart = firstOffset
    if isUnlikely(hasExtras) { setBarrier() }
  }

  /// Adds a chunk behind the last one, large enough for a record of this size, and enters it.
  mutating func addChunk(for size: Int) {
    let preferred =
      if let last = chunks.last {
        min(2 * last.memory.capacity, largestChunk)
      } else {
        256
      }
    closeRecords()
    chunks.append(_UnsafeUndoChunk(capacity: max(preferred, _UnsafeUndoMemory.start + size), operations: operations))
    makeCurrent(chunks.count - 1)
    position.offset = _UnsafeUndoMemory.start
  }

  /// The capacity up to which chunks grow: 64 KB, or a sixteenth of a limit of bytes, since a chunk goes only when all
  /// of its records are dropped.
  private var largestChunk: Int { min(1 << 16, max(256, limit.bytes / 16)) }

  /// A log with the same records that shares nothing that either of the two may write to.
  @usableFromInline
  func copy() -> _UndoLog {
    var copy = self
    guard !chunks.isEmpty else { return copy }
    let used = isOpen ? position.offset : position.currentChunk.used
    copy.chunks[position.chunkIndex] = chunks[position.chunkIndex].copy(from: firstOffset, to: used)
    copy.position.currentChunk = copy.chunks[position.chunkIndex].memory
    copy._checkInvariants()
    return copy
  }
}
