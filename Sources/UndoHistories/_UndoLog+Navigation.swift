extension _UndoLog {
  // A step that is one record in the chunk on top is taken right where it is asked for; all else is a call. Among such
  // steps, those that follow one of their own kind, which the caller knows how to exchange, do without any call.

  /// Takes the document one step back; there must be one.
  @inlinable
  @inline(__always)
  mutating func undo(
    _ document: _UndoPlace, _ known: _UndoKind, exchange: (_ payload: _UndoPlace, _ offset: Int) -> Void
  ) -> _UndoReport {
    if isLikely(link == known.link) {
      let start = position &- known.link.bytes
      if isLikely(start >= _UndoRegion.start), isLikely(top.header(at: start).isWhole(known)) {
        let header = top.header(at: start)
        moveBack(to: start)
        exchange(top.payload(at: start), header.argument)
        _checkInvariants()
        return _UndoReport(edit(header, at: start))
      }
    }
    let start = position &- link.bytes
    guard isLikely(start >= _UndoRegion.start), isLikely(top.header(at: start).isWhole) else {
      return undoReported(document)
    }
    let header = top.header(at: start)
    moveBack(to: start)
    link = header.link
    self.exchange(header, at: start, with: document)
    _checkInvariants()
    return _UndoReport(edit(header, at: start))
  }

  /// Takes the document one step forward; there must be one.
  @inlinable
  @inline(__always)
  mutating func redo(
    _ document: _UndoPlace, _ known: _UndoKind, exchange: (_ payload: _UndoPlace, _ offset: Int) -> Void
  ) -> _UndoReport {
    let start = position
    guard isLikely(start < top.used) else { return redoReported(document) }
    let header = top.header(at: start)
    if isLikely(header.isWhole(known)) {
      moveForward(to: start &+ known.link.bytes)
      exchange(top.payload(at: start), header.argument)
      _checkInvariants()
      return _UndoReport(edit(header, at: start))
    }
    guard isLikely(header.isWhole) else { return redoReported(document) }
    moveForward(to: start &+ header.bytes)
    link = _UndoLink(words: header.words, flags: _UndoHeader.whole)
    self.exchange(header, at: start, with: document)
    _checkInvariants()
    return _UndoReport(edit(header, at: start))
  }

  /// Moves the position to the start of the record before it, which is a step.
  @inlinable
  @inline(__always)
  mutating func moveBack(to start: Int) {
    if isUnlikely(room > 0) {
      top.used = position
      room = 0
      canCoalesce = false
    }
    position = start
    undoCount &-= 1
    redoCount &+= 1
  }

  /// Moves the position behind the record that begins there, which is a step.
  @inlinable
  @inline(__always)
  mutating func moveForward(to end: Int) {
    position = end
    undoCount &+= 1
    redoCount &-= 1
    if isUnlikely(redoCount == 0) { room = capacity }
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
      exchange(header, at: position, with: document)
      label = show(header, visit) ?? label
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
      exchange(header, at: position, with: document)
      label = show(header, visit) ?? label
      stepForward(header)
    } while !header.ends
    if redoCount == 0 { room = capacity }
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
  @inlinable
  @inline(__always)
  mutating func exchange(_ header: _UndoHeader, at offset: Int, with document: _UndoPlace) {
    table.exchange(header.operation, top.payload(at: offset), header.argument, document, &self)
  }

  /// The steps that replaced an element of the document, which is a collection of this type.
  @inlinable
  @inline(__always)
  func elements<Elements: MutableCollection>(of type: Elements.Type) -> _UndoKind where Elements.Index == Int {
    _UndoKind(words: Self.words(_UndoElementSwap<Elements>.self), operation: elementOperation)
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
