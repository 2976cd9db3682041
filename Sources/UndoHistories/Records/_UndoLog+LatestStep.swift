// The latest step, while it is the last one of an open log, may be extended, shortened, and rewritten.

extension _UndoLog {
  /// Where the next record would begin.
  package var location: RecordLocation { RecordLocation(chunkIndex: position.chunkIndex, offset: position.offset) }

  /// Where the record before the position begins; there must be one.
  package var latestRecord: RecordLocation {
    var (index, end) = (position.chunkIndex, position.offset)
    while end == _UnsafeUndoMemory.start {
      index -= 1
      end = chunks[index].memory.used
    }
    return RecordLocation(chunkIndex: index, offset: end - position.link.bytes)
  }

  /// Where the record before the position ends; there must be one.
  package var endOfLatestRecord: RecordLocation {
    var end = latestRecord
    end.offset += position.link.bytes
    return end
  }

  /// Where the record before another one begins; there must be one.
  package func latestRecord(before location: RecordLocation) -> RecordLocation {
    let bytes = unsafe chunks[location.chunkIndex].memory.header(at: location.offset).link.bytes
    var (index, end) = (location.chunkIndex, location.offset)
    while end == _UnsafeUndoMemory.start {
      index -= 1
      end = chunks[index].memory.used
    }
    return RecordLocation(chunkIndex: index, offset: end - bytes)
  }

  /// Where a step begins that ends with the record there.
  package func startOfStep(endingWith last: RecordLocation) -> RecordLocation {
    var location = last
    while unsafe !chunks[location.chunkIndex].memory.header(at: location.offset).begins {
      location = latestRecord(before: location)
    }
    return location
  }

  /// Whether the closure is true of every record from this one on; there must be one.
  mutating func everyRecord(from start: RecordLocation, _ body: (inout _UndoLog, Record) -> Bool) -> Bool {
    var location = start
    while let record = record(at: &location) {
      if !body(&self, record) { return false }
    }
    return true
  }

  /// Copies a chunk that another log refers to.
  mutating func makeUnique(_ index: Int) {
    if index == position.chunkIndex || isKnownUniquelyReferenced(&chunks[index]) { return }
    let start = index == 0 ? head : _UnsafeUndoMemory.start
    chunks[index] = chunks[index].copy(from: start, to: chunks[index].memory.used)
  }

  /// Calls the closure with each record of a chunk.
  mutating func forEachRecord(in chunk: _UnsafeUndoChunk, _ body: (inout _UndoLog, Record) -> Void) {
    var offset = _UnsafeUndoMemory.start
    while offset < chunk.memory.used {
      let record = unsafe Record(at: offset, in: chunk.memory)
      offset += record.header.bytes
      body(&self, record)
    }
  }

  /// Changes the flags of a record, in a chunk that no other log refers to.
  package mutating func changeHeader(at location: RecordLocation, _ change: (inout _UndoHeader) -> Void) {
    makeUnique(location.chunkIndex)
    let memory = chunks[location.chunkIndex].memory
    var header = unsafe memory.header(at: location.offset)
    change(&header)
    unsafe memory.setHeader(header, at: location.offset)
  }

  /// Adds records to the latest step, whose end they become.
  mutating func extendLatestStep(_ body: (inout _UndoLog) -> Void) {
    changeHeader(at: latestRecord) { $0.ends = false }
    position.link = _UndoLink(words: position.link.words, flags: _UndoHeader.inner)
    body(&self)
    changeHeader(at: latestRecord) { $0.ends = true }
    position.link = _UndoLink(words: position.link.words, flags: _UndoHeader.whole)
  }

  /// Removes the records of the latest step, whose edits stay made.
  ///
  /// The step is to be counted no more. The log stays open.
  mutating func removeLatestStep() {
    closeRecords()
    removeRecords(backTo: extras[0].start)
    position.link = _UndoLink(words: position.link.words, flags: _UndoHeader.whole)
    open()
  }

  /// Takes the records of the latest step out of the log, as copies in a chunk of their own.
  ///
  /// The step is not counted any more. The log stays open.
  mutating func takeRecords(from start: RecordLocation) -> _UnsafeUndoChunk {
    var (location, size) = (start, 0)
    while let record = record(at: &location) { size += record.header.bytes }
    let taken = _UnsafeUndoChunk(capacity: _UnsafeUndoMemory.start + size, operations: operations)
    location = start
    while let record = record(at: &location) { unsafe taken.memory.appendCopy(of: record, operations) }
    removeLatestStep()
    return taken
  }

  /// Writes a copy of a record into the step that has begun, under another operation if it comes from another log.
  mutating func writeCopy(of record: Record, as operation: _UndoOperationIndex? = nil) {
    makeWritable(for: record.header.bytes)
    let start = position.offset
    let header = _UndoHeader(
      argument: record.header.argument, words: record.header.words, operation: operation ?? record.header.operation,
      link: position.link)
    unsafe position.currentChunk.setHeader(header, at: start)
    unsafe fastPath.operations.copy(
      header.operation, record.payload, to: position.currentChunk.payload(at: start))
    position.offset = start + header.bytes
    position.link = _UndoLink(words: header.words, flags: _UndoHeader.inner)
    counts.bytes += bytes(header, in: position.currentChunk, at: start)
  }

  // MARK: Assignments that join

  /// Takes a step back out of the log that replaced the same parts as the step before it, if it may join that one.
  mutating func joinValues(from start: RecordLocation, isAssignment: Bool) -> Bool {
    guard let timer = extras[0].rule.valueTimer else { return false }
    let (previous, time) = (extras[0].joinable, timer.nanoseconds())
    extras[0].joinable = isAssignment && hasOnlyReplacements(from: start) ? (state, time) : nil
    guard extras[0].joinable != nil, let previous, previous.state == state - 1, counts.undo > 1,
      time - previous.time <= timer.pause
    else { return false }
    let startOfPrevious = startOfStep(endingWith: latestRecord(before: start))
    guard replacesSameParts(from: start, asFrom: startOfPrevious) else { return false }
    if isRead {
      for edit in edits(from: start) {
        unsafe noteFound(
          edit.payload, edit.header.operation, offset: edit.header.argument, in: startOfPrevious)
      }
    }
    removeLatestStep()
    counts.undo -= 1
    extras[0].joinable = (state, time)
    return true
  }

  /// Whether each edit from there on replaced a part, and each a leaf if there are several.
  package func hasOnlyReplacements(from start: RecordLocation) -> Bool {
    var (location, count, areLeaves) = (start, 0, true)
    while let record = record(at: &location) {
      if record.header.operation == .label { return false }
      guard record.header.isEdit else { continue }
      let replaced = fastPath.operations.replaced(record.header.operation)
      guard replaced.isPart else { return false }
      count += 1
      areLeaves = areLeaves && replaced.isLeaf
    }
    return count == 1 || areLeaves
  }

  /// Whether the edits of a step, the last one, replaced the same parts as those of the step before it.
  package func replacesSameParts(from start: RecordLocation, asFrom other: RecordLocation) -> Bool {
    let (edits, others) = (edits(from: start, to: location), edits(from: other, to: start))
    return edits.count == others.count
      && zip(edits, others).allSatisfy { edit, other in
        let (operation, argument) = (edit.header.operation, edit.header.argument)
        guard operation == other.header.operation, argument == other.header.argument else { return false }
        let size = fastPath.operations.replaced(operation).anchorSize
        return unsafe edit.payload.hasSameBytes(as: other.payload, count: Int(size))
      }
  }

  /// The records between two locations that are edits.
  func edits(from start: RecordLocation, to end: RecordLocation) -> [Record] {
    var (location, records): (RecordLocation, [Record]) = (start, [])
    // One that is at the end of a chunk is that of the next record.
    while firstRecord(from: location) < end, let record = record(at: &location) {
      if record.header.isEdit { records.append(record) }
    }
    return records
  }
}
