// Undoes and redoes one step, and reports its edits and label.

extension _UndoLog {
  /// Moves the position to the end of the step of one record that begins there; the records of its chunk end at `used`.
  @inlinable
  @inline(__always)
  mutating func moveForward(to end: Int, of used: Int) {
    records.position.offset = end
    records.counts.undo &+= 1
    if isUnlikely(end == used) { openAtEnd() }
  }

  // The first edit is returned in registers, and a report that isn't used is never created.

  /// Undoes one step of any kind; there must be one.
  @usableFromInline
  mutating func undoStep(_ document: _UnsafeUndoPointer) -> UndoEdit {
    close()
    let start = records.position.offset &- records.position.link.bytes
    // This also fails above a remote edit: the step begins before the direct range, or has got more records since.
    guard start >= records.fastPath.directStart, unsafe records.position.currentChunk.header(at: start).isWhole else {
      let edit = keepDetails { log, visit in log.stepBack(document, visit) }
      didStepBack()
      return edit
    }
    defer { _checkInvariants() }
    let header = unsafe records.position.currentChunk.header(at: start)
    records.position.offset = start
    records.position.link = header.link
    records.counts.undo &-= 1
    return exchangeOnly(header, at: start, document)
  }

  /// Redoes one step of any kind; there must be one.
  @usableFromInline
  mutating func redoStep(_ document: _UnsafeUndoPointer) -> UndoEdit {
    let (start, used) = (records.position.offset, records.position.currentChunk.used)
    guard !restoresValues, start < used, unsafe records.position.currentChunk.header(at: start).isWhole else {
      return keepDetails { log, visit in log.stepForward(document, visit) }
    }
    defer { _checkInvariants() }
    let header = unsafe records.position.currentChunk.header(at: start)
    records.position.link = _UndoLink(words: header.words, flags: _UndoHeader.whole)
    moveForward(to: start &+ header.bytes, of: used)
    return exchangeOnly(header, at: start, document)
  }

  /// Exchanges the only record of a step, and returns its edit.
  private mutating func exchangeOnly(
    _ header: _UndoHeader, at start: Int, _ document: _UnsafeUndoPointer
  ) -> UndoEdit {
    stepReport = nil
    records.exchange(header, at: start, with: document)
    return records.edit(header, at: start)
  }

  /// Walks over the records of a step, keeps its label and edits as the latest details, and returns the first edit.
  private mutating func keepDetails(_ walk: (inout _UndoLog, _ visit: (UndoEdit) -> Void) -> String?) -> UndoEdit {
    var edits: [UndoEdit] = []
    let label = walk(&self) { edits.append($0) }
    stepReport = label == nil && edits.count == 1 ? nil : _UndoReport.Details(label: label, edits: edits)
    return edits[0]
  }

  /// Undoes one step, and returns its label.
  ///
  /// The closure gets each edit while the document is as that edit left it.
  package mutating func stepBack(_ document: _UnsafeUndoPointer, _ visit: (UndoEdit) -> Void) -> String? {
    defer { _checkInvariants() }
    beginStepBack()
    var label: String?
    var header: _UndoHeader
    repeat {
      header = records.exchangeBack(document)
      label = show(header, visit) ?? label
    } while !header.begins
    endStepBack(document)
    return label
  }

  /// Redoes one step, as `stepBack` undoes one.
  package mutating func stepForward(_ document: _UnsafeUndoPointer, _ visit: (UndoEdit) -> Void) -> String? {
    defer { _checkInvariants() }
    records.counts.undo &+= 1
    var label: String?
    var header: _UndoHeader
    repeat {
      header = records.exchangeForward(document)
      label = show(header, visit) ?? label
      records.moveForwardOver(header)
    } while !header.ends
    endStepForward(document)
    return label
  }

  /// Passes the edit of the record at the position to the closure, or returns the label if the record is one.
  private func show(_ header: _UndoHeader, _ visit: (UndoEdit) -> Void) -> String? {
    guard header.isEdit else { return records.current.label }
    visit(records.edit(header, at: records.position.offset))
    return nil
  }

  // These methods begin and end a step, whose records are exchanged one by one in between. Values are restored at the
  // end, because an edit may replace a value that contains them.

  @inline(__always)
  fileprivate mutating func beginStepBack() {
    close()
    records.counts.undo &-= 1
  }

  @inline(__always)
  fileprivate mutating func endStepBack(_ document: _UnsafeUndoPointer) {
    if isUnlikely(restoresValues) { extras[0].restore(document, before: redoCount - 1, isAfter: false) }
  }

  @inline(__always)
  fileprivate mutating func endStepForward(_ document: _UnsafeUndoPointer) {
    if isUnlikely(restoresValues) { extras[0].restore(document, before: redoCount, isAfter: true) }
    openAtEnd()
  }
}

extension UndoHistory {
  /// Takes a step edit by edit, and passes each header to the closure while the document is as that edit left it.
  ///
  /// - Precondition: There is such a step.
  /// - Returns: The label of the step.
  package func follow(_ direction: Direction, _ visit: (_UndoHeader) -> Void) -> String? {
    let (access, isBack) = (storage.access, direction == .back)
    var label: String?
    var header: _UndoHeader
    if isBack { access.log.beginStepBack() } else { access.log.records.counts.undo &+= 1 }
    repeat {
      header =
        isBack
        ? access.log.records.exchangeBack(access.documentPointer)
        : access.log.records.exchangeForward(access.documentPointer)
      if header.isEdit { visit(header) } else { label = access.log.records.current.label ?? label }
      if !isBack { access.log.records.moveForwardOver(header) }
    } while !(isBack ? header.begins : header.ends)
    if isBack {
      access.log.endStepBack(access.documentPointer)
      access.log.didStepBack()
    } else {
      access.log.endStepForward(access.documentPointer)
    }
    access.log._checkInvariants()
    return label
  }
}
