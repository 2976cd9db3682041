// Exchanges records with the document, and moves the position over them backward and forward; and which edit the latest
// exchange made. The effects on the rest of the log are in `_UndoLog+Stepping`.

extension _UndoRecords {
  /// Exchanges the delta of a record in the current chunk with the document.
  @inline(__always)
  mutating func exchange(_ header: _UndoHeader, at offset: Int, with document: _UnsafeUndoPointer) {
    let payload = unsafe position.currentChunk.payload(at: offset)
    let edit = _UndoPendingEdit(payload: payload, operation: header.operation, offset: header.argument)
    unsafe fastPath.operations.exchange(edit, document, &self)
  }

  /// Undoes the record before the position, or redoes the one after it; the position is at its start then.
  mutating func exchangeNext(isBack: Bool, _ document: _UnsafeUndoPointer) -> _UndoHeader {
    if isBack { leaveChunkStart() } else { leaveChunkEnd() }
    let header = unsafe isBack ? moveBack() : position.currentChunk.header(at: position.offset)
    exchange(header, at: position.offset, with: document)
    return header
  }

  /// Leaves a record that was exchanged, and returns whether it was the last one of its step.
  mutating func pass(_ header: _UndoHeader, isBack: Bool) -> Bool {
    if isBack { return header.begins }
    position.offset &+= header.bytes
    position.link = _UndoLink(words: header.words, flags: position.link.flags)
    return header.ends
  }

  /// Moves the position to the start of the record before it in the chunk, and returns that record's header.
  @inline(__always)
  mutating func moveBack() -> _UndoHeader {
    position.offset &-= position.link.bytes
    let header = unsafe position.currentChunk.header(at: position.offset)
    position.link = _UndoLink(words: header.link.words, flags: position.link.flags)
    return header
  }

  /// The record after the position in the current chunk.
  var current: _UndoRecord { unsafe _UndoRecord(at: position.offset, in: position.currentChunk) }

  /// The edit that the latest exchange made; its record must be at the position.
  package var latestEdit: _UndoEdit { fastPath.operations.edit(of: current).inverted }

  /// The edit that the latest exchange made; its record must be in the current chunk.
  ///
  /// This only reads, without a call, so the compiler removes it if the result isn't used. That spares a step 26
  /// instructions. Price: the effects, and a fixed meaning for the first word of some deltas (`_UndoEffect`).
  @inlinable
  @inline(__always)
  func edit(_ header: _UndoHeader, at offset: Int) -> UndoEdit {
    switch fastPath.operations.effect(header.operation) {
    case .part, .dynamic: reportedEdit
    case .value(let size): UndoEdit(.value, start: header.argument, size: size)
    case .member(let size): UndoEdit(.member, start: header.argument, size: size)
    case .element(let size):
      unsafe position.currentChunk.payload(at: offset)[as: _UndoElementPath.self].edit(size: size)
    }
  }

  /// Exchanges a record of the log that stays in it, wherever it lies.
  mutating func exchange(_ record: _UndoRecord, with document: _UnsafeUndoPointer) {
    unsafe fastPath.operations.exchange(_UndoPendingEdit(record), document, &self)
  }

  /// Exchanges a delta that isn't in the log, or doesn't stay exchanged, so that its memory doesn't count.
  ///
  /// - Parameter operations: The operations that the delta refers to; nil for those of the log.
  package mutating func exchangeUncounted(
    _ edit: _UndoPendingEdit, _ operations: _UnsafeUndoOperationTable? = nil, with document: _UnsafeUndoPointer
  ) {
    let bytes = counts.bytes
    unsafe (operations ?? fastPath.operations).exchange(edit, document, &self)
    counts.bytes = bytes
  }
}
