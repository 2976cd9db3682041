extension _UndoLog {
  // A step that is one record in the chunk on top is taken right where it is asked for; all else is a call.

  /// Takes the document one step back; there must be one.
  @inlinable
  @inline(__always)
  mutating func undo(_ document: _UndoPlace) -> _UndoReport {
    let start = position &- lastWords &* 8
    guard start >= _UndoRegion.start else { return undoReported(document) }
    let header = top.header(at: start)
    if header.isWholeWord {
      moveBack(to: start, header)
      top.exchangeWord(at: start, with: document, at: header.argument)
      _checkInvariants()
      return _UndoReport(.word(at: header.argument))
    }
    guard header.isWhole else { return undoReported(document) }
    moveBack(to: start, header)
    let edit = exchange(header, at: start, with: document)
    _checkInvariants()
    return _UndoReport(edit)
  }

  /// Takes the document one step forward; there must be one.
  @inlinable
  @inline(__always)
  mutating func redo(_ document: _UndoPlace) -> _UndoReport {
    let start = position
    guard start < top.used else { return redoReported(document) }
    let header = top.header(at: start)
    if header.isWholeWord {
      moveForward(words: 2)
      top.exchangeWord(at: start, with: document, at: header.argument)
      _checkInvariants()
      return _UndoReport(.word(at: header.argument))
    }
    guard header.isWhole else { return redoReported(document) }
    moveForward(words: header.words)
    let edit = exchange(header, at: start, with: document)
    _checkInvariants()
    return _UndoReport(edit)
  }

  /// Moves the position to the start of the record before it, which is a step.
  @inlinable
  @inline(__always)
  mutating func moveBack(to start: Int, _ header: _UndoHeader) {
    if room > 0 {
      top.used = position
      room = 0
      canCoalesce = false
    }
    position = start
    lastWords = header.previousWords
    undoCount &-= 1
    redoCount &+= 1
  }

  /// Moves the position behind the record that begins there, which is a step.
  @inlinable
  @inline(__always)
  mutating func moveForward(words: Int) {
    position &+= words &* 8
    lastWords = words
    undoCount &+= 1
    redoCount &-= 1
    if redoCount == 0 { room = capacity }
  }

  // The first edit is returned in registers, and a report that nobody looks at is never put together.

  @inlinable
  @inline(__always)
  mutating func undoReported(_ document: _UndoPlace) -> _UndoReport {
    let edit = undoStep(document)
    return _UndoReport(edit, walked)
  }

  @inlinable
  @inline(__always)
  mutating func redoReported(_ document: _UndoPlace) -> _UndoReport {
    let edit = redoStep(document)
    return _UndoReport(edit, walked)
  }

  @usableFromInline
  mutating func undoStep(_ document: _UndoPlace) -> UndoEdit {
    note { log, visit in log.walkBack(document, visit) }
  }

  @usableFromInline
  mutating func redoStep(_ document: _UndoPlace) -> UndoEdit {
    note { log, visit in log.walkForward(document, visit) }
  }

  /// Notes what a walk over the records of a step shows, and returns the first edit.
  private mutating func note(_ walk: (inout _UndoLog, _ visit: (UndoEdit) -> Void) -> String?) -> UndoEdit {
    var edits: [UndoEdit] = []
    let label = walk(&self) { edits.append($0) }
    walked = label == nil && edits.count == 1 ? nil : _UndoReport.Rest(label: label, edits: edits)
    return edits[0]
  }

  /// Takes the document one step back, shows every edit while the document is as that edit left it, and returns the
  /// label of the step.
  mutating func walkBack(_ document: _UndoPlace, _ visit: (UndoEdit) -> Void) -> String? {
    defer { _checkInvariants() }
    close()
    canCoalesce = false
    undoCount &-= 1
    redoCount &+= 1
    var label: String?
    var header: _UndoHeader
    repeat {
      leaveStart()
      header = stepBack()
      label = show(header, exchange(header, at: position, with: document), visit) ?? label
    } while !header.begins
    return label
  }

  /// Takes the document one step forward, as `walkBack` takes it back.
  mutating func walkForward(_ document: _UndoPlace, _ visit: (UndoEdit) -> Void) -> String? {
    defer { _checkInvariants() }
    undoCount &+= 1
    redoCount &-= 1
    var label: String?
    var header: _UndoHeader
    repeat {
      header = nextHeader()
      label = show(header, exchange(header, at: position, with: document), visit) ?? label
      stepForward(header)
    } while !header.ends
    if redoCount == 0 { room = capacity }
    return label
  }

  /// Shows what a record at the position did, or returns the label that it is.
  private func show(_ header: _UndoHeader, _ edit: UndoEdit, _ visit: (UndoEdit) -> Void) -> String? {
    let label = label(header, in: top, at: position)
    if label == nil { visit(edit) }
    return label
  }

  /// Moves the position out of chunks that have nothing before it.
  @inline(__always)
  mutating func leaveStart() {
    while position == _UndoRegion.start {
      enter(chunkIndex - 1)
      position = top.used
    }
  }

  /// Moves the position before the record that lies before it in its chunk, and returns that record's header.
  @inline(__always)
  mutating func stepBack() -> _UndoHeader {
    position &-= lastWords &* 8
    let header = top.header(at: position)
    lastWords = header.previousWords
    return header
  }

  /// The header of the record behind the position, which is then the start of that record.
  @inline(__always)
  private mutating func nextHeader() -> _UndoHeader {
    while position == top.used {
      enter(chunkIndex + 1)
      position = _UndoRegion.start
    }
    return top.header(at: position)
  }

  private mutating func stepForward(_ header: _UndoHeader) {
    position &+= header.bytes
    lastWords = header.words
  }

  /// Exchanges the delta of a record of the chunk on top with the document.
  @inlinable
  @inline(__always)
  mutating func exchange(_ header: _UndoHeader, at offset: Int, with document: _UndoPlace) -> UndoEdit {
    table.exchange(header.operation, top.payload(at: offset), header.argument, document, &byteCount)
  }
}
