extension _UndoLog {
  // A step of the kind that the caller knows, which follows one of the same kind, is taken right where it is asked for and
  // without any call; all else is a call.

  /// Takes the document one step back, if there is one.
  @inlinable
  @inline(__always)
  mutating func undo<Row: _UndoRow>(_ document: _UndoPlace, along row: Row.Type) -> _UndoReport? {
    let kind = Row.kind(in: self)
    let start = position &- kind.link.bytes
    guard isLikely(link == kind.link), isLikely(start >= bottom), isLikely(top.header(at: start).isWhole(kind)) else {
      return undoCount > 0 ? _UndoReport(undoStep(document), walked) : nil
    }
    let header = top.header(at: start)
    position = start
    undoCount &-= 1
    Row.exchange(top.payload(at: start), header.argument, document)
    _checkInvariants()
    return _UndoReport(edit(header, at: start))
  }

  /// Takes the document one step forward, if there is one.
  @inlinable
  @inline(__always)
  mutating func redo<Row: _UndoRow>(_ document: _UndoPlace, along row: Row.Type) -> _UndoReport? {
    let kind = Row.kind(in: self)
    let (start, used) = (position, top.used)
    guard isLikely(start < used), isLikely(top.header(at: start).isWhole(kind)) else {
      return redoCount > 0 ? _UndoReport(redoStep(document), walked) : nil
    }
    let header = top.header(at: start)
    moveForward(to: start &+ kind.link.bytes, of: used)
    Row.exchange(top.payload(at: start), header.argument, document)
    _checkInvariants()
    return _UndoReport(edit(header, at: start))
  }

  /// Moves the position behind the record that begins there, which is a step; the records of its chunk end at `used`.
  @inlinable
  @inline(__always)
  mutating func moveForward(to end: Int, of used: Int) {
    position = end
    undoCount &+= 1
    if isUnlikely(end == used) { openAtEnd() }
  }

  // The first edit is returned in registers, and a report that nobody looks at is never put together.

  /// Takes the document one step back, whatever the step is; there must be one.
  @usableFromInline
  mutating func undoStep(_ document: _UndoPlace) -> UndoEdit {
    close()
    let start = position &- link.bytes
    guard start >= bottom, top.header(at: start).isWhole else {
      return note { log, visit in log.walkBack(document, visit) }
    }
    defer { _checkInvariants() }
    let header = top.header(at: start)
    position = start
    link = header.link
    undoCount &-= 1
    return takeSingle(header, at: start, document)
  }

  /// Takes the document one step forward, whatever the step is; there must be one.
  @usableFromInline
  mutating func redoStep(_ document: _UndoPlace) -> UndoEdit {
    let (start, used) = (position, top.used)
    guard start < used, top.header(at: start).isWhole else {
      return note { log, visit in log.walkForward(document, visit) }
    }
    defer { _checkInvariants() }
    let header = top.header(at: start)
    link = _UndoLink(words: header.words, flags: _UndoHeader.whole)
    moveForward(to: start &+ header.bytes, of: used)
    return takeSingle(header, at: start, document)
  }

  /// Exchanges the one record of a step, and returns its edit.
  private mutating func takeSingle(_ header: _UndoHeader, at start: Int, _ document: _UndoPlace) -> UndoEdit {
    walked = nil
    exchange(header, at: start, with: document)
    return edit(header, at: start)
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
    undoCount &-= 1
    var label: String?
    var header: _UndoHeader
    repeat {
      leaveStart()
      header = stepBack()
      exchange(header, at: position, with: document)
      label = show(header, visit) ?? label
    } while !header.begins
    return label
  }

  /// Takes the document one step forward, as `walkBack` takes it back.
  mutating func walkForward(_ document: _UndoPlace, _ visit: (UndoEdit) -> Void) -> String? {
    defer { _checkInvariants() }
    undoCount &+= 1
    var label: String?
    var header: _UndoHeader
    repeat {
      header = nextHeader()
      exchange(header, at: position, with: document)
      label = show(header, visit) ?? label
      stepForward(header)
    } while !header.ends
    openAtEnd()
    return label
  }

  /// Shows what a record at the position did, or returns the label that it is.
  private func show(_ header: _UndoHeader, _ visit: (UndoEdit) -> Void) -> String? {
    let label = label(header, in: top, at: position)
    if label == nil { visit(edit(header, at: position)) }
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
    position &-= link.bytes
    let header = top.header(at: position)
    link = _UndoLink(words: header.link.words, flags: link.flags)
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
    link = _UndoLink(words: header.words, flags: link.flags)
  }

  /// Exchanges the delta of a record of the chunk on top with the document.
  @inline(__always)
  mutating func exchange(_ header: _UndoHeader, at offset: Int, with document: _UndoPlace) {
    table.exchange(header.operation, top.payload(at: offset), header.argument, document, &self)
  }

  /// What the record that was exchanged last did to the document.
  ///
  /// Only reads, without a call: where nobody asks for the result, nothing of it is left.
  @inlinable
  @inline(__always)
  func edit(_ header: _UndoHeader, at offset: Int) -> UndoEdit {
    switch table.shape(header.operation) {
    case .told: told
    case .value(let size): UndoEdit(.value, start: header.argument, size: size)
    case .element(let size): _UndoElementPlace(bits: top.payload(at: offset)[as: UInt64.self]).edit(size: size)
    }
  }
}
