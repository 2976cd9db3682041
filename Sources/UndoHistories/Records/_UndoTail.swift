/// Redo steps that were detached from the log, as a branch or until a transaction or an open step ends; and how a log
/// detaches and reattaches them.
///
///     chunks | count | rows
///     ^ the first is a copy of only its records, unless the position was at its start
package struct _UndoTail {
  /// The first chunk is beside the array, because most tails have no other.
  private var first: _UnsafeUndoChunk?
  private var others: [_UnsafeUndoChunk] = []
  /// The number of steps.
  package private(set) var count: Int
  /// The rows, or nothing if all columns are empty, as they mostly are.
  private var usedRows: ContiguousArray<_UndoSteps> = []

  init(_ chunks: [_UnsafeUndoChunk], count: Int, rows: _UndoSteps) {
    self.count = count
    (self.chunks, self.rows) = (chunks, rows)
  }

  /// The data of the steps besides their records.
  package var rows: _UndoSteps {
    get { usedRows.first ?? _UndoSteps() }
    set { usedRows = newValue.isEmpty ? [] : [newValue] }
  }

  private(set) var chunks: [_UnsafeUndoChunk] {
    get { first.map { others.isEmpty ? [$0] : [$0] + others } ?? [] }
    set { (first, others) = (newValue.first, Array(newValue.dropFirst())) }
  }

  /// Appends the steps that follow these.
  mutating func append(_ next: _UndoTail) {
    rows.append(next.rows, of: next.count)
    count += next.count
    chunks += next.chunks
  }

  /// Keeps the first steps, over which edits were moved, and whose records are in other chunks now.
  mutating func replaceSteps(
    with chunks: [_UnsafeUndoChunk], _ steps: _UndoRecords.Transformation, over edits: [_UndoEdit]
  ) {
    rows.removeLast(count - steps.count)
    rows.movePositions(over: edits, steps)
    (self.chunks, count) = (chunks, steps.count)
    trim()
  }

  /// Shrinks the last chunk to the size of its records, unless another log refers to it.
  mutating func trim() {
    var chunks = chunks
    // Otherwise, the tail would be another owner.
    self.chunks = []
    defer { self.chunks = chunks }
    guard let last = chunks.indices.last, isKnownUniquelyReferenced(&chunks[last]) else { return }
    let memory = chunks[last].memory
    if memory.capacity - memory.used >= 64 {
      chunks[last] = chunks[last].copy(from: memory.first, to: memory.used, isTrimmed: true)
    }
  }

  /// Writes the length of the record before these steps into the header of the first record.
  mutating func setPreviousWords(_ words: Int) {
    let old = chunks[0].memory
    let chunk = chunks[0].copy(from: old.first, to: old.used, isTrimmed: true)
    let offset = chunk.memory.first
    let header = unsafe chunk.memory.header(at: offset)
    let link = _UndoLink(words: words, flags: header.link.flags)
    unsafe chunk.memory.setHeader(
      _UndoHeader(argument: header.argument, words: header.words, operation: header.operation, link: link), at: offset)
    chunks[0] = chunk
  }

  /// The records of each step, in the order of redo.
  func steps() -> [[_UndoRecord]] {
    var steps: [[_UndoRecord]] = [[]]
    for record in chunks.flatMap(\.records) {
      steps[steps.count - 1].append(record)
      if record.header.ends { steps.append([]) }
    }
    return steps.dropLast()
  }
}

/// Redo steps that are detached until a transaction or an open step ends, and the saves at the time when they were
/// detached.
package struct _UndoDetachedRedo {
  package var tail: _UndoTail
  package var saves: _UndoSaves
}

extension _UndoRecords {
  /// Removes the redo steps from closed records, and returns them in chunks of their own, none of them empty.
  mutating func takeChunksAhead() -> [_UnsafeUndoChunk] {
    var taken: [_UnsafeUndoChunk] = []
    let current = chunk(position.chunkNumber)
    if position.offset == _UnsafeUndoMemory.start {
      // If the redo steps begin with a chunk, they take that chunk as it is. The position doesn't change.
      taken.append(current)
      chunks[position.chunkNumber - removedChunkCount] = _UnsafeUndoChunk(
        capacity: max(256, current.memory.capacity), operations: operations)
      makeCurrent(position.chunkNumber)
    } else if position.offset < current.memory.used {
      taken.append(current.copy(from: position.offset, to: current.memory.used, isTrimmed: true))
    }
    taken += chunks.suffix(end.chunkNumber - position.chunkNumber - 1)
    removeRecordsAhead()
    return taken.filter { $0.memory.used > $0.memory.first }
  }

  /// Makes the steps in the given chunks the redo steps of closed records that have none.
  mutating func reattach(_ tail: _UndoTail) {
    var rest = tail.chunks[...]
    if let first = rest.first?.memory, position.offset + first.used - first.first <= position.currentChunk.capacity {
      for record in rest.removeFirst().records { unsafe position.currentChunk.appendCopy(of: record, operations) }
    }
    chunks += rest
    redoCount = tail.count
  }
}

extension _UndoLog {
  /// The steps that aren't in the log: those that a transaction or an open step has detached, and branches.
  var detachedTails: [_UndoTail] {
    [transaction.detachedRedo, extras.first?.openStep?.detachedRedo].compactMap { $0?.tail }
      + (branches?.branches ?? []).map(\.tail)
  }

  /// Detaches the redo steps of a closed log.
  mutating func takeRedo() -> _UndoDetachedRedo {
    let (old, count) = (saves, redoCount)
    let rows = hasExtras ? extras[0].takeRows(ofRedoIn: records) : _UndoSteps()
    saves.willDropSteps(behind: state, of: records)
    return _UndoDetachedRedo(tail: _UndoTail(records.takeChunksAhead(), count: count, rows: rows), saves: old)
  }

  /// Attaches detached redo steps again, with the saves from before.
  mutating func reattach(_ redo: _UndoDetachedRedo) {
    // The redo steps may get other locations.
    if let unread, records.location < unread.location { self.unread?.loseTrack() }
    reattach(redo.tail)
    saves = redo.saves
  }

  /// Attaches steps as the redo steps of a closed log that has none.
  mutating func reattach(_ tail: _UndoTail) {
    records.reattach(tail)
    if hasExtras { extras[0].steps.append(tail.rows, of: tail.count) }
  }
}
