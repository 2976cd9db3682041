extension _UndoLog {
  /// Moves the position behind the record that begins there, which is a step; the records of its chunk end at `used`.
  @inlinable
  @inline(__always)
  mutating func moveForward(to end: Int, of used: Int) {
    position.offset = end
    counts.undo &+= 1
    if isUnlikely(end == used) { openAtEnd() }
  }

  // The first edit is returned in registers, and a report that is not looked at is never put together.

  /// Takes the document one step back, whatever the step is; there must be one.
  @usableFromInline
  mutating func undoStep(_ document: _UnsafeUndoPointer) -> UndoEdit {
    close()
    let start = position.offset &- position.link.bytes
    // What was absorbed lies before the direct range, too, or below a step that has got more records since.
    guard start >= fastPath.directStart, unsafe position.currentChunk.header(at: start).isWhole else {
      let edit = keepDetails { log, visit in log.stepBack(document, visit) }
      didStepBack()
      return edit
    }
    defer { _checkInvariants() }
    let header = unsafe position.currentChunk.header(at: start)
    position.offset = start
    position.link = header.link
    counts.undo &-= 1
    return exchangeOnly(header, at: start, document)
  }

  /// Takes the document one step forward, whatever the step is; there must be one.
  @usableFromInline
  mutating func redoStep(_ document: _UnsafeUndoPointer) -> UndoEdit {
    let (start, used) = (position.offset, position.currentChunk.used)
    guard !carriesValues, start < used, unsafe position.currentChunk.header(at: start).isWhole else {
      return keepDetails { log, visit in log.stepForward(document, visit) }
    }
    defer { _checkInvariants() }
    let header = unsafe position.currentChunk.header(at: start)
    position.link = _UndoLink(words: header.words, flags: _UndoHeader.whole)
    moveForward(to: start &+ header.bytes, of: used)
    return exchangeOnly(header, at: start, document)
  }

  /// Exchanges the one record of a step, and returns its edit.
  private mutating func exchangeOnly(
    _ header: _UndoHeader, at start: Int, _ document: _UnsafeUndoPointer
  ) -> UndoEdit {
    latest.stepReport = nil
    exchange(header, at: start, with: document)
    return edit(header, at: start)
  }

  /// Keeps what a walk over the records of a step shows as the latest details, and returns the first edit.
  private mutating func keepDetails(_ walk: (inout _UndoLog, _ visit: (UndoEdit) -> Void) -> String?) -> UndoEdit {
    var edits: [UndoEdit] = []
    let label = walk(&self) { edits.append($0) }
    latest.stepReport = label == nil && edits.count == 1 ? nil : _UndoReport.Details(label: label, edits: edits)
    return edits[0]
  }

  /// Takes the document one step back, shows every edit while the document is as that edit left it, and returns the
  /// label of the step.
  package mutating func stepBack(_ document: _UnsafeUndoPointer, _ visit: (UndoEdit) -> Void) -> String? {
    defer { _checkInvariants() }
    beginStepBack()
    var label: String?
    var header: _UndoHeader
    repeat {
      header = exchangeBack(document)
      label = show(header, visit) ?? label
    } while !header.begins
    endStepBack(document)
    return label
  }

  /// Takes the document one step forward, as `stepBack` takes it back.
  package mutating func stepForward(_ document: _UnsafeUndoPointer, _ visit: (UndoEdit) -> Void) -> String? {
    defer { _checkInvariants() }
    beginStepForward()
    var label: String?
    var header: _UndoHeader
    repeat {
      header = exchangeForward(document)
      label = show(header, visit) ?? label
      moveForwardOver(header)
    } while !header.ends
    endStepForward(document)
    return label
  }

  /// Shows what a record at the position did, or returns the label that it is.
  private func show(_ header: _UndoHeader, _ visit: (UndoEdit) -> Void) -> String? {
    guard header.isEdit else { return label(header) }
    visit(edit(header, at: position.offset))
    return nil
  }

  /// The label that a record at the position is, if it is one.
  func label(_ header: _UndoHeader) -> String? {
    label(header, in: position.currentChunk, at: position.offset)
  }

  // A step is begun, its records are exchanged one by one, and it is ended. Only then values are restored, whatever the
  // edits have around them.

  @inline(__always)
  mutating func beginStepBack() {
    close()
    counts.undo &-= 1
  }

  @inline(__always)
  mutating func beginStepForward() { counts.undo &+= 1 }

  /// Takes back the record before the position, which then is where that record begins.
  @inline(__always)
  mutating func exchangeBack(_ document: _UnsafeUndoPointer) -> _UndoHeader {
    leaveChunkStart()
    let header = moveBack()
    exchange(header, at: position.offset, with: document)
    return header
  }

  /// Makes the edit of the record behind the position again; the position is where that record begins.
  @inline(__always)
  mutating func exchangeForward(_ document: _UnsafeUndoPointer) -> _UndoHeader {
    let header = nextHeader()
    exchange(header, at: position.offset, with: document)
    return header
  }

  @inline(__always)
  mutating func endStepBack(_ document: _UnsafeUndoPointer) {
    if isUnlikely(carriesValues) { extras[0].restore(document, before: redoCount - 1, isAfter: false) }
  }

  @inline(__always)
  mutating func endStepForward(_ document: _UnsafeUndoPointer) {
    if isUnlikely(carriesValues) { extras[0].restore(document, before: redoCount, isAfter: true) }
    openAtEnd()
  }

  /// Moves the position out of chunks that have nothing before it.
  @inline(__always)
  mutating func leaveChunkStart() {
    while position.offset == _UnsafeUndoMemory.start {
      makeCurrent(position.chunkIndex - 1)
      position.offset = position.currentChunk.used
    }
  }

  /// Moves the position before the record that lies before it in its chunk, and returns that record's header.
  @inline(__always)
  mutating func moveBack() -> _UndoHeader {
    position.offset &-= position.link.bytes
    let header = unsafe position.currentChunk.header(at: position.offset)
    position.link = _UndoLink(words: header.link.words, flags: position.link.flags)
    return header
  }

  /// The header of the record behind the position, which is then the start of that record.
  @inline(__always)
  private mutating func nextHeader() -> _UndoHeader {
    while position.offset == position.currentChunk.used {
      makeCurrent(position.chunkIndex + 1)
      position.offset = _UnsafeUndoMemory.start
    }
    return unsafe position.currentChunk.header(at: position.offset)
  }

  @inline(__always)
  mutating func moveForwardOver(_ header: _UndoHeader) {
    position.offset &+= header.bytes
    position.link = _UndoLink(words: header.words, flags: position.link.flags)
  }

  /// Exchanges the delta of a record of the current chunk with the document.
  @inline(__always)
  mutating func exchange(_ header: _UndoHeader, at offset: Int, with document: _UnsafeUndoPointer) {
    let payload = unsafe position.currentChunk.payload(at: offset)
    unsafe fastPath.operations.exchange(header.operation, payload, header.argument, document, &self)
  }

  /// What the record at the position did, which was exchanged last.
  package func latestEdit(_ header: _UndoHeader) -> _UndoEdit {
    let payload = unsafe position.currentChunk.payload(at: position.offset)
    return unsafe fastPath.operations.edit(header.operation, payload, header.argument).inverted
  }
}
