// Chunks of records: closing the records, adding, entering and copying chunks, changing a header in one, removing
// records from both ends, and counting bytes.

extension _UndoRecords {
  /// The start of the records in the current chunk.
  var firstOffset: Int { start(ofChunk: position.chunkNumber) }

  /// Whether a record that wasn't dropped ends at the current position, in the current chunk.
  package var hasLatestRecord: Bool { position.offset > firstOffset }

  /// The chunk with a number.
  func chunk(_ number: Int) -> _UnsafeUndoChunk { chunks[number - removedChunkCount] }

  /// The start of the records in a chunk.
  func start(ofChunk number: Int) -> Int { number == removedChunkCount ? head : _UnsafeUndoMemory.start }

  /// Closes the records: updates the values that are out of date while the records are open, and ends direct writing
  /// and joining.
  package mutating func close() {
    guard isOpen else { return }
    position.currentChunk.used = position.offset
    counts.steps = counts.undo
    position.run = .none
    (fastPath.directEnd, fastPath.directEndIfOwning) = (0, 0)
    updateDirectStart()
  }

  // MARK: Entering chunks

  /// Makes a chunk the current one; copies it if others refer to it.
  mutating func makeCurrent(_ number: Int) {
    position.chunkNumber = number
    if !isUnique(number) { copyChunk(number) }
    chunk(number).operations = operations
    position.currentChunk = chunk(number).memory
    updateDirectStart()
  }

  /// Adds a chunk after the last one, with capacity for a record of this size.
  mutating func appendChunk(for size: Int, upTo largest: Int = 1 << 16) {
    let preferred = chunks.last.map { min(2 * $0.memory.capacity, largest) } ?? 256
    chunks.append(_UnsafeUndoChunk(capacity: max(preferred, _UnsafeUndoMemory.start + size), operations: operations))
  }

  /// Adds a chunk after the last one, and makes it the current one.
  mutating func addChunk(for size: Int, upTo largest: Int) {
    close()
    appendChunk(for: size, upTo: largest)
    makeCurrent(end.chunkNumber - 1)
    position.offset = _UnsafeUndoMemory.start
  }

  /// Moves the position from the start of a chunk to the end of the chunk before it, also over empty chunks.
  @inline(__always)
  mutating func leaveChunkStart() {
    while position.offset == _UnsafeUndoMemory.start, position.chunkNumber > removedChunkCount {
      makeCurrent(position.chunkNumber - 1)
      position.offset = position.currentChunk.used
    }
  }

  /// Moves the position from the end of a chunk to the start of the next one, also over empty chunks; a record must
  /// follow.
  @inline(__always)
  mutating func leaveChunkEnd() {
    while position.offset == position.currentChunk.used {
      makeCurrent(position.chunkNumber + 1)
      position.offset = _UnsafeUndoMemory.start
    }
  }

  // MARK: Copies

  /// Gives copied records a current chunk of their own, because both would write to the shared one.
  mutating func separate() {
    guard !chunks.isEmpty else { return }
    copyChunk(position.chunkNumber)
    position.currentChunk = chunk(position.chunkNumber).memory
  }

  /// Copies a chunk if others refer to it.
  mutating func makeUnique(_ number: Int) {
    if number != position.chunkNumber, !isUnique(number) { copyChunk(number) }
  }

  private mutating func isUnique(_ number: Int) -> Bool {
    isKnownUniquelyReferenced(&chunks[number - removedChunkCount])
  }

  private mutating func copyChunk(_ number: Int) {
    chunks[number - removedChunkCount] = chunk(number).copy(from: start(ofChunk: number), to: end(ofChunk: number))
  }

  /// Copies each chunk from a location on that others refer to, so that its records can be exchanged with the document.
  package mutating func makeUnique(from start: _UndoLocation) {
    for number in start.chunkNumber..<max(start.chunkNumber, end.chunkNumber) { makeUnique(number) }
  }

  /// Changes the flags of a record; copies its chunk if others refer to that.
  package mutating func changeHeader(at location: _UndoLocation, _ change: (inout _UndoHeader) -> Void) {
    makeUnique(location.chunkNumber)
    let memory = chunk(location.chunkNumber).memory
    var header = unsafe memory.header(at: location.offset)
    change(&header)
    unsafe memory.setHeader(header, at: location.offset)
  }

  // MARK: Removing records

  /// Removes the records after a location, newest first, and undoes their edits if a document is given.
  ///
  /// The records must be closed. The flags of the position's link don't change.
  package mutating func removeRecords(backTo location: _UndoLocation, undoingIn document: _UnsafeUndoPointer? = nil) {
    while self.location != location {
      if position.offset == _UnsafeUndoMemory.start {
        removeCurrentChunk()
      } else {
        let header = moveBack()
        if let document { exchange(header, at: position.offset, with: document) }
        counts.bytes -= unsafe bytes(of: _UndoRecord(at: position.offset, in: position.currentChunk))
        unsafe fastPath.operations.destroy(header.operation, position.currentChunk.payload(at: position.offset))
        position.currentChunk.used = position.offset
      }
    }
  }

  /// Removes every record after the position.
  mutating func removeRecordsAhead() {
    removeRecords(after: location)
    redoCount = 0
  }

  private mutating func removeRecords(after start: _UndoLocation) {
    let memory = chunk(start.chunkNumber).memory
    unsafe memory.destroyRecords(from: start.offset, to: memory.used, operations)
    memory.used = start.offset
    chunks.removeLast(end.chunkNumber - start.chunkNumber - 1)
  }

  /// Subtracts the bytes of the records after a location; the records must be closed.
  mutating func forgetBytes(after start: _UndoLocation) {
    let memory = chunk(start.chunkNumber).memory
    counts.bytes -= bytes(in: memory, from: start.offset, to: memory.used)
    counts.bytes -= bytes(in: chunks.suffix(end.chunkNumber - start.chunkNumber - 1))
  }

  /// Removes every record after a location, which lies after the position, so that the given number of redo steps is
  /// left.
  mutating func removeRedo(from start: _UndoLocation, keeping count: Int) {
    makeUnique(start.chunkNumber)
    forgetBytes(after: start)
    removeRecords(after: start)
    // A redone step would stop before empty chunks, so those at the end are removed.
    while let last = chunks.last, chunks.count > 1, last.memory.used == _UnsafeUndoMemory.start {
      if position.chunkNumber == end.chunkNumber - 1 { removeCurrentChunk() } else { chunks.removeLast() }
    }
    redoCount = count
  }

  /// Removes all records, which must be closed, and resets all counts.
  mutating func removeAll() {
    (chunks, counts, head) = ([], Counts(), _UnsafeUndoMemory.start)
    position = Position(chunkNumber: removedChunkCount)
    updateDirectStart()
  }

  /// Removes the current chunk, which must be empty.
  private mutating func removeCurrentChunk() {
    chunks.removeLast()
    makeCurrent(position.chunkNumber - 1)
    position.offset = position.currentChunk.used
  }

  /// Removes the oldest step.
  mutating func removeOldestStep() {
    var header: _UndoHeader
    repeat {
      while position.chunkNumber > removedChunkCount, head == chunks[0].memory.used { removeFirstChunk() }
      let memory = chunks[0].memory
      header = unsafe memory.header(at: head)
      counts.bytes &-= unsafe bytes(of: _UndoRecord(at: head, in: memory))
      head &+= header.bytes
      // A chunk that others refer to stays as it is; the last of them destroys the dropped records.
      if isKnownUniquelyReferenced(&chunks[0]) {
        unsafe memory.destroyRecords(from: memory.first, to: head, operations)
        memory.first = head
      }
    } while !header.ends
  }

  /// Removes the first chunk, after all of its records were dropped.
  @inline(never)
  private mutating func removeFirstChunk() {
    chunks.removeFirst()
    removedChunkCount += 1
    head = _UnsafeUndoMemory.start
  }

  // MARK: Bytes

  /// The bytes of a record, and of the memory that it counts besides.
  func bytes(of record: _UndoRecord) -> Int {
    record.header.bytes + fastPath.operations.with(record.header.operation) { unsafe $0.bytes?(record.payload) ?? 0 }
  }

  func bytes(in chunks: some Sequence<_UnsafeUndoChunk>) -> Int {
    chunks.reduce(0) { $0 + bytes(in: $1.memory, from: _UnsafeUndoMemory.start, to: $1.memory.used) }
  }

  func bytes(in memory: _UnsafeUndoMemory, from start: Int, to end: Int) -> Int {
    var sum = 0
    unsafe memory.forEachRecord(from: start, to: end) { sum += bytes(of: $0) }
    return sum
  }

  /// Measures every record again, after a change of what is counted.
  mutating func recount() {
    operations = operations.with(countsRetainedBytes: fastPath.countsRetainedBytes)
    (fastPath.recentTag, fastPath.elementOperation) = (_UnsafeUndoTypeTag(), .none)
    counts.bytes = 0
    for number in removedChunkCount..<end.chunkNumber {
      counts.bytes += bytes(in: chunk(number).memory, from: start(ofChunk: number), to: end(ofChunk: number))
    }
  }

  /// The end of the records in a chunk.
  func end(ofChunk number: Int) -> Int {
    number == position.chunkNumber && isOpen ? position.offset : chunk(number).memory.used
  }
}
