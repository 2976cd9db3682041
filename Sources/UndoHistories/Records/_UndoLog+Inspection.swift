extension _UndoLog {
  /// The label of the step that would be undone.
  package var undoLabel: String? {
    guard counts.undo > 0 else { return nil }
    var (memory, end, index) = (position.currentChunk, position.offset, position.chunkIndex)
    while end == _UnsafeUndoMemory.start {
      index -= 1
      memory = chunks[index].memory
      end = memory.used
    }
    if hasExtras, let step = extras[0].openStep, step.hasEdits { return step.label }
    let start = end - position.link.bytes
    return unsafe label(memory.header(at: start), in: memory, at: start)
  }

  /// The label of the step that would be redone.
  var redoLabel: String? {
    guard redoCount > 0 else { return nil }
    var (memory, start, index) = (position.currentChunk, position.offset, position.chunkIndex)
    while start == memory.used {
      index += 1
      memory = chunks[index].memory
      start = _UnsafeUndoMemory.start
    }
    return unsafe label(memory.header(at: start), in: memory, at: start)
  }

  func label(_ header: _UndoHeader, in memory: _UnsafeUndoMemory, at offset: Int) -> String? {
    guard header.operation == .label else { return nil }
    return unsafe memory.payload(at: offset)[as: _UndoLabel.self].text
  }

  // MARK: Records

  /// A record where it lies.
  package struct Record {
    let memory: _UnsafeUndoMemory
    let offset: Int
    package let header: _UndoHeader

    /// - Precondition: A record begins there.
    @unsafe
    init(at offset: Int, in memory: _UnsafeUndoMemory) {
      (self.memory, self.offset) = (memory, offset)
      header = unsafe memory.header(at: offset)
    }

    /// - Precondition: The log has not changed since.
    @unsafe
    package var payload: _UnsafeUndoPointer { unsafe memory.payload(at: offset) }
  }

  /// The record at a location, which moves behind it; nil where the records end.
  func record(at location: inout RecordLocation) -> Record? {
    skipChunkEnds(&location)
    guard location.chunkIndex < chunks.count else { return nil }
    let record = unsafe Record(at: location.offset, in: chunks[location.chunkIndex].memory)
    location.offset += record.header.bytes
    return record
  }

  /// Exchanges what a record has with what the document has, without a step.
  package mutating func exchange(_ record: Record, with document: _UnsafeUndoPointer) {
    unsafe fastPath.operations.exchange(
      record.header.operation, record.payload, record.header.argument, document, &self)
  }

  // MARK: Steps

  /// Where a record begins, or where the records end.
  package struct RecordLocation: Hashable, Comparable {
    var chunkIndex: Int
    var offset: Int

    /// Where the payload of the record begins.
    var behindHeader: RecordLocation { RecordLocation(chunkIndex: chunkIndex, offset: offset + _UndoHeader.size) }

    package static func < (a: RecordLocation, b: RecordLocation) -> Bool {
      (a.chunkIndex, a.offset) < (b.chunkIndex, b.offset)
    }
  }

  /// What can be told of one step without taking it.
  struct StepSummary {
    var label: String?
    var byteCount = 0
    /// Where the next step begins.
    var end: RecordLocation
  }

  /// Where the oldest step begins that is not hidden.
  package var firstRecord: RecordLocation {
    absorbed?.blockingLayer?.start ?? RecordLocation(chunkIndex: 0, offset: head)
  }

  /// Reads the records of the step that begins with this one.
  func summary(ofStepAt index: RecordLocation) -> StepSummary {
    var summary = StepSummary(end: index)
    var header: _UndoHeader
    repeat {
      skipChunkEnds(&summary.end)
      let (memory, offset) = (chunks[summary.end.chunkIndex].memory, summary.end.offset)
      header = unsafe memory.header(at: offset)
      summary.label = summary.label ?? label(header, in: memory, at: offset)
      summary.byteCount += bytes(header, in: memory, at: offset)
      summary.end.offset += header.bytes
    } while !header.ends
    return summary
  }

  /// Where the first record lies that begins there or, where a chunk ends there, behind it.
  func firstRecord(from location: RecordLocation) -> RecordLocation {
    var location = location
    skipChunkEnds(&location)
    return location
  }

  /// Moves a location at the end of a chunk to the next record; the last record has none behind it.
  private func skipChunkEnds(_ location: inout RecordLocation) {
    while location.chunkIndex < chunks.count, location.offset == end(ofChunk: location.chunkIndex) {
      location = RecordLocation(chunkIndex: location.chunkIndex + 1, offset: _UnsafeUndoMemory.start)
    }
  }

  private func end(ofChunk index: Int) -> Int {
    index == position.chunkIndex && isOpen ? position.offset : chunks[index].memory.used
  }
}
