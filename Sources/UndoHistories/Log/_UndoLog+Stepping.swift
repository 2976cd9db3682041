// Undoes and redoes one step of any kind, as a whole or record by record, and reports its edits and label.
// `_UndoRecords+Exchanging` exchanges the records.

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
      return stepRecordByRecord(isBack: true, document)
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
      return stepRecordByRecord(isBack: false, document)
    }
    defer { _checkInvariants() }
    let header = unsafe records.position.currentChunk.header(at: start)
    records.position.link = _UndoLink(words: header.words, flags: _UndoHeader.whole)
    moveForward(to: start &+ header.bytes, of: used)
    return exchangeOnly(header, at: start, document)
  }

  /// Exchanges the only record of a step, and returns its edit.
  private mutating func exchangeOnly(_ header: _UndoHeader, at start: Int, _ document: _UnsafeUndoPointer) -> UndoEdit {
    stepDetails = nil
    records.exchange(header, at: start, with: document)
    return records.edit(header, at: start)
  }

  /// Undoes or redoes one step record by record, keeps its label and edits as the latest details, and returns the first
  /// edit.
  ///
  /// - Parameter visit: Called with the log after each edit, while the document is as the edit left it.
  mutating func stepRecordByRecord(
    isBack: Bool, _ document: _UnsafeUndoPointer, _ visit: (inout _UndoLog) -> Void = { _ in }
  ) -> UndoEdit {
    defer { _checkInvariants() }
    if isBack { close() }
    records.counts.undo &+= isBack ? -1 : 1
    var (edits, label, isLast) = ([UndoEdit](), String?.none, false)
    while !isLast {
      let header = records.exchangeNext(isBack: isBack, document)
      if header.isEdit {
        edits.append(records.edit(header, at: records.position.offset))
        visit(&self)
      } else {
        label = records.current.label ?? label
      }
      isLast = records.pass(header, isBack: isBack)
    }
    // Values are restored at the end, because an edit may replace a value that contains them.
    if isUnlikely(restoresValues) {
      extras[0].restore(document, before: isBack ? redoCount - 1 : redoCount, isAfter: !isBack)
      unread?.hasRestoredBefore = isBack
    }
    if isBack { didStepBack() } else { openAtEnd() }
    stepDetails = _UndoStepDetails(label: label, edits: edits)
    return edits[0]
  }
}
