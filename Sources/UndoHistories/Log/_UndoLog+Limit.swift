extension _UndoLog {
  mutating func setLimit(_ new: UndoLimit) {
    defer { _checkInvariants() }
    let countedWhatIsKept = countsWhatIsKept
    (limit, isLimited) = (new, new != .unlimited)
    if countsWhatIsKept != countedWhatIsKept { recount() }
    updateRoom()
    enforceLimit()
  }

  /// Measures every record anew, after a change of what is counted.
  private mutating func recount() {
    operations = operations.counting(whatIsKept: countsWhatIsKept)
    (recentTag, elementOperation) = (_UndoTag(), .none)
    byteCount = 0
    for index in chunks.indices {
      let end = index == chunkIndex && isOpen ? position : chunks[index].region.used
      byteCount += bytes(in: chunks[index].region, from: index == 0 ? head : _UndoRegion.start, to: end)
    }
    if !chunks.isEmpty { chunks[chunkIndex].operations = operations }
  }

  /// Drops the oldest steps until the limit is kept, and measures the room that it leaves.
  ///
  /// The newest step stays, however large.
  @usableFromInline
  mutating func enforceLimit() {
    while undoCount > 0, undoCount + redoCount > 1,
      limit.isExceeded(steps: undoCount + redoCount, bytes: byteCount)
    {
      dropOldestStep()
    }
    if !isOpen {
      bottom = firstOffset
    } else if isLimited, depth == 0 {
      room = roomWithinLimit
    }
  }

  private mutating func dropOldestStep() {
    var header: _UndoHeader
    repeat {
      while chunkIndex > 0, head == chunks[0].region.used {
        chunks.removeFirst()
        chunkIndex -= 1
        head = _UndoRegion.start
      }
      let region = chunks[0].region
      header = region.header(at: head)
      byteCount -= bytes(header, in: region, at: head)
      head += header.bytes
      // A chunk that another log refers to stays as it is; whoever is left alone with it destroys the dropped records.
      if isKnownUniquelyReferenced(&chunks[0]) {
        region.destroyRecords(from: region.first, to: head, operations)
        region.first = head
      }
    } while !header.ends
    undoCount -= 1
    stepCount -= 1
    droppedCount += 1
    let oldest = droppedCount
    saves.forget { $0 < oldest }
  }

  /// Forgets every step.
  ///
  /// The document stays, and so does the answer to whether it is saved.
  @usableFromInline
  mutating func removeAllSteps() {
    defer { _checkInvariants() }
    saves.keepOnly(state)
    close()
    chunks = []
    (top, capacity, position) = (.none, 0, _UndoRegion.start)
    link = _UndoLink(words: 0, flags: _UndoHeader.whole)
    (chunkIndex, head, bottom) = (0, _UndoRegion.start, _UndoRegion.start)
    (undoCount, stepCount, droppedCount, byteCount) = (0, 0, 0, 0)
  }

  /// The bytes of one record, and what else it counts.
  func bytes(_ header: _UndoHeader, in region: _UndoRegion, at offset: Int) -> Int {
    header.bytes + table.bytes(header.operation, region.payload(at: offset))
  }

  func bytes(in chunks: some Sequence<_UndoChunk>) -> Int {
    chunks.reduce(0) { $0 + bytes(in: $1.region, from: _UndoRegion.start, to: $1.region.used) }
  }

  func bytes(in region: _UndoRegion, from start: Int, to end: Int) -> Int {
    var (offset, sum) = (start, 0)
    while offset < end {
      let header = region.header(at: offset)
      sum += bytes(header, in: region, at: offset)
      offset += header.bytes
    }
    return sum
  }

  /// Remembers the state in which the document is as the saved one.
  ///
  /// Nothing merges across it.
  mutating func markSaved() {
    saves = _UndoSaves(saved: state)
    canCoalesce = false
  }

  /// Remembers the state in which the document is as one that is being saved.
  ///
  /// Nothing merges across it.
  mutating func beginSave(_ id: UInt64) {
    saves.inFlight.append((id, state))
    canCoalesce = false
  }
}
