extension _UndoLog {
  /// Whether there is a limit of bytes, under which each record counts with what it keeps alive.
  ///
  /// To measure that is a walk through the delta. So where a delta may keep anything, nothing that a fast path asks for
  /// is set: neither a direct range, nor its tag, nor its index as that of the elements.
  @usableFromInline
  var countsRetainedBytes: Bool { limit.bytes != .max }

  /// Keeps to another limit from now on.
  mutating func setLimit(_ new: UndoLimit) {
    defer { _checkInvariants() }
    let countedRetainedBytes = countsRetainedBytes
    (limit, fastPath.isLimited) = (new, new != .unlimited)
    if keepsBranches {
      extras[0].branches[0].limit = new
      leaveRoomForStep()
    }
    fastPath.isWatched = fastPath.isLimited || hasExtras
    if countsRetainedBytes != countedRetainedBytes { recount() }
    updateDirectRange()
    enforceLimit()
  }

  /// Measures every record anew, after a change of what is counted.
  private mutating func recount() {
    operations = operations.counting(retainedBytes: countsRetainedBytes)
    (fastPath.recentTag, fastPath.elementOperation) = (_UnsafeUndoTypeTag(), .none)
    counts.bytes = 0
    for index in chunks.indices {
      let end = index == position.chunkIndex && isOpen ? position.offset : chunks[index].memory.used
      counts.bytes += bytes(in: chunks[index].memory, from: index == 0 ? head : _UnsafeUndoMemory.start, to: end)
    }
    if let redo = extras.first?.openStep?.detachedRedo { counts.bytes += bytes(in: redo.chunks) }
    counts.bytes += bytesInBranches
    if !chunks.isEmpty { chunks[position.chunkIndex].operations = operations }
  }

  /// Drops the oldest steps if that is what the limit asks for, where the newest step came to own so much more outside
  /// of a transaction: there is nothing to drop if it still ends within the direct range.
  @inlinable
  @inline(__always)
  mutating func keepLimit(owning ownedBytes: Int) {
    guard isUnlikely(fastPath.isWatched) else { return }
    fastPath.directEnd &-= ownedBytes
    if position.offset <= fastPath.directEnd { return }
    if isUnlikely(hasExtras) { didRecordStep() } else { enforceLimit() }
  }

  /// Drops the oldest steps until the limit is kept, and measures the direct range that it leaves.
  ///
  /// The newest step stays, however large, unless there may be none. Branches go before any step. Hidden steps count,
  /// and are the oldest: the newest one goes as well, together with the absorbed edits that hide it.
  @usableFromInline
  package mutating func enforceLimit() {
    let redoCount = redoCount
    while case let count = hasExtras ? state &- oldestState : counts.undo,
      limit.isExceeded(steps: count &+ redoCount, bytes: limit.bytes == .max ? 0 : byteCount)
    {
      if isUnlikely(keepsBranches), dropsOldestBranch() { continue }
      guard count > 0, count &+ redoCount > 1 || isNewestStepHidden else {
        // A step that is open can be canceled until it ends.
        if limit.steps == 0, count &+ redoCount > 0, !hasOpenStep, unread.map({ $0.state == state }) ?? true {
          removeLastSteps()
        }
        break
      }
      dropOldestStep()
    }
    if isPlainlyOpen {
      if fastPath.isLimited, transaction.depth == 0 { fastPath.directEnd = directEndWithinLimit }
    } else if !isOpen {
      fastPath.directStart = firstOffset
      if hasExtras { setBarrier() }
    }
  }

  /// What the history takes.
  var byteCount: Int { hasExtras ? counts.bytes + absorbedBytes + carriedBytes : counts.bytes }

  /// What absorbed edits take that are remembered.
  var absorbedBytes: Int { hasExtras ? extras[0].absorbed?.bytes ?? 0 : 0 }

  /// Whether absorbed edits hide every step, so that none can be undone.
  private var isNewestStepHidden: Bool { hasExtras && counts.undo == 0 && state > oldestState }

  /// Forgets the newest step as well, as under a limit of none.
  @inline(never)
  private mutating func removeLastSteps() {
    removeAllSteps()
    // Nothing looks for a record to join.
    (fastPath.recentTag, fastPath.recentOperation) = (_UnsafeUndoTypeTag(), .boxed)
  }

  /// Drops so many of the oldest steps, of which there must be more.
  package mutating func dropOldestSteps(_ count: Int) {
    defer { _checkInvariants() }
    for _ in 0..<count { dropOldestStep() }
    updateDirectRange()
    enforceLimit()
  }

  private mutating func dropOldestStep() {
    // Nothing more goes into the newest step where that is the one to be dropped.
    if isUnlikely(hasExtras), counts.undo == 0 { settleLatest() }
    if carriesValues { extras[0].steps.forgetRestored(before: newestState - oldestState - 1) }
    var header: _UndoHeader
    repeat {
      while position.chunkIndex > 0, head == chunks[0].memory.used { removeFirstChunk() }
      let memory = chunks[0].memory
      header = unsafe memory.header(at: head)
      counts.bytes &-= bytes(header, in: memory, at: head)
      head &+= header.bytes
      // A chunk that another log refers to stays as it is: the last log that refers to it destroys the dropped records.
      if isKnownUniquelyReferenced(&chunks[0]) {
        unsafe memory.destroyRecords(from: memory.first, to: head, operations)
        memory.first = head
      }
    } while !header.ends
    if let unread, unread.location < RecordLocation(chunkIndex: 0, offset: head) { loseTrack() }
    if isUnlikely(hasExtras), didDropOldest() { return }
    counts.undo &-= 1
    counts.steps &-= 1
    counts.dropped &+= 1
    let oldest = counts.dropped
    // A negative number is a state on a branch, which stays.
    saves.forget { 0..<oldest ~= $0 }
  }

  /// Takes away the first chunk, of which every record is dropped.
  @inline(never)
  private mutating func removeFirstChunk() {
    chunks.removeFirst()
    position.chunkIndex -= 1
    head = _UnsafeUndoMemory.start
    unread?.didRemoveFirstChunk()
    if hasExtras { didRemoveFirstChunk() }
  }

  /// Forgets every step.
  ///
  /// The document stays, and so does the answer to whether it is saved.
  @usableFromInline
  mutating func removeAllSteps() {
    defer { _checkInvariants() }
    willNote()
    defer { note(.removedAll) }
    if hasExtras { settle() }
    close()
    saves.keepOnly(state)
    removeBranches(from: 0)
    chunks = []
    position = Position()
    (head, fastPath.directStart) = (_UnsafeUndoMemory.start, _UnsafeUndoMemory.start)
    counts = Counts()
    if hasExtras {
      changeExtras {
        $0.steps.removeAll()
        $0.origins?.forgetSteps()
        $0.absorbed = nil
      }
    }
  }

  /// The bytes of one record, and what else it counts.
  func bytes(_ header: _UndoHeader, in memory: _UnsafeUndoMemory, at offset: Int) -> Int {
    unsafe header.bytes + fastPath.operations.bytes(header.operation, memory.payload(at: offset))
  }

  func bytes(in chunks: some Sequence<_UnsafeUndoChunk>) -> Int {
    chunks.reduce(0) { $0 + bytes(in: $1.memory, from: _UnsafeUndoMemory.start, to: $1.memory.used) }
  }

  func bytes(in memory: _UnsafeUndoMemory, from start: Int, to end: Int) -> Int {
    var (offset, sum) = (start, 0)
    while offset < end {
      let header = unsafe memory.header(at: offset)
      sum += bytes(header, in: memory, at: offset)
      offset += header.bytes
    }
    return sum
  }
}
