// Writes a record at the position, and copies of records. Before, the log opens the records, and adds a chunk if one is
// full; only `appendCopy` adds one itself.

extension _UndoRecords {
  /// Writes a record at the position of an open log; the chunk must have the capacity.
  ///
  /// The caller sets the link for the next record.
  @inlinable
  @inline(__always)
  mutating func write<Delta>(
    _ delta: consuming Delta, operation: _UndoOperationIndex, words: Int, ownedBytes: Int, offset: Int
  ) {
    let (start, size) = (position.offset, words &* 8)
    position.offset = start &+ size
    counts.bytes &+= size &+ ownedBytes
    position.run = .none
    let header = _UndoHeader(argument: offset, words: words, operation: operation, link: position.link)
    unsafe position.currentChunk.setHeader(header, at: start)
    unsafe position.currentChunk.payload(at: start).initialize(to: delta)
  }

  /// Writes a copy of a record into the current step, at the position of open records; the chunk must have the
  /// capacity.
  mutating func writeCopy(of record: _UndoRecord, as operation: _UndoOperationIndex) {
    let start = position.offset
    writeCopy(of: record, as: operation, position.link, at: start, in: position.currentChunk)
    position.offset = start + record.header.bytes
    position.link = _UndoLink(words: record.header.words, flags: _UndoHeader.inner)
  }

  /// Appends a copy of a record after all others, which are closed, without moving the position.
  ///
  /// - Parameter words: The length of the record before it in words, and afterwards the length of the copy.
  mutating func appendCopy(
    of record: _UndoRecord, as operation: _UndoOperationIndex, flags: UInt64, _ words: inout Int
  ) {
    var memory = chunks[chunks.count - 1].memory
    if memory.used + record.header.bytes > memory.capacity {
      appendChunk(for: record.header.bytes)
      memory = chunks[chunks.count - 1].memory
    }
    writeCopy(of: record, as: operation, _UndoLink(words: words, flags: flags), at: memory.used, in: memory)
    memory.used += record.header.bytes
    words = record.header.words
  }

  private mutating func writeCopy(
    of record: _UndoRecord, as operation: _UndoOperationIndex, _ link: _UndoLink, at offset: Int,
    in memory: _UnsafeUndoMemory
  ) {
    let header = _UndoHeader(
      argument: record.header.argument, words: record.header.words, operation: operation, link: link)
    unsafe memory.setHeader(header, at: offset)
    unsafe fastPath.operations.copy(operation, record.payload, to: memory.payload(at: offset))
    counts.bytes += unsafe bytes(of: _UndoRecord(at: offset, in: memory))
  }
}
