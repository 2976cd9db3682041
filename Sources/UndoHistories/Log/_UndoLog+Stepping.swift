extension _UndoLog {
  /// Moves the position behind the record that begins there, which is a step; the records of its chunk end at `used`.
  @inlinable
  @inline(__always)
  mutating func moveForward(to end: Int, of used: Int) {
    records.position.offset = end
    records.counts.undo &+= 1
    if isUnlikely(end == used) { openAtEnd() }
  }

  // The first edit is returned in registers, and a report that is not looked at is never put together.

  /// Takes the document one step back, whatever the step is; there must be one.
  @usableFromInline
  mutating func undoStep(_ document: _UnsafeUndoPointer) -> UndoEdit {
    close()
    let start = records.position.offset &- records.position.link.bytes
    // What was absorbed lies before the direct range, too, or below a step that has got more records since.
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

  /// Takes the document one step forward, whatever the step is; there must be one.
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

  /// Exchanges the one record of a step, and returns its edit.
  private mutating func exchangeOnly(
    _ header: _UndoHeader, at start: Int, _ document: _UnsafeUndoPointer
  ) -> UndoEdit {
    stepReport = nil
    records.exchange(header, at: start, with: document)
    return records.edit(header, at: start)
  }

  /// Keeps what a walk over the records of a step shows as the latest details, and returns the first edit.
  private mutating func keepDetails(_ walk: (inout _UndoLog, _ visit: (UndoEdit) -> Void) -> String?) -> UndoEdit {
    var edits: [UndoEdit] = []
    let label = walk(&self) { edits.append($0) }
    stepReport = label == nil && edits.count == 1 ? nil : _UndoReport.Details(label: label, edits: edits)
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
      header = records.exchangeBack(document)
      label = show(header, visit) ?? label
    } while !header.begins
    endStepBack(document)
    return label
  }

  /// Takes the document one step forward, as `stepBack` takes it back.
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

  /// Shows what a record at the position did, or returns the label that it is.
  private func show(_ header: _UndoHeader, _ visit: (UndoEdit) -> Void) -> String? {
    guard header.isEdit else { return records.current.label }
    visit(records.edit(header, at: records.position.offset))
    return nil
  }

  // A step is begun, its records are exchanged one by one, and it is ended. Only then values are restored, whatever the
  // edits have around them.

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
  /// Takes a step, which must be there, edit by edit, and shows each while the document is as that edit left it.
  ///
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
