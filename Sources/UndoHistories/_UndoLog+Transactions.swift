extension _UndoLog {
  /// Where a transaction began.
  @usableFromInline
  struct Mark {
    var chunkIndex: Int
    var position: Int
    var lastWords: Int
    var flags: UInt64
  }

  /// Opens a transaction: until it is ended or rolled back, everything recorded is one step.
  ///
  /// Only the outermost transaction's label counts.
  @usableFromInline
  @discardableResult
  mutating func beginTransaction(_ label: String?) -> Mark {
    canCoalesce = false
    if depth == 0 {
      flags = _UndoHeader.first
      if let label {
        self.label = label
        close()
      }
    }
    depth += 1
    return Mark(chunkIndex: chunkIndex, position: position, lastWords: lastWords, flags: flags)
  }

  /// Ends the innermost transaction and keeps what it recorded.
  @usableFromInline
  mutating func endTransaction() {
    defer { _checkInvariants() }
    canCoalesce = false
    guard depth == 1 else {
      depth -= 1
      return
    }
    if flags == _UndoHeader.inner {
      if let label { appendLabel(label) }
      dropAside()
      endStep()
    } else {
      restoreAside()
    }
    depth = 0
    flags = _UndoHeader.whole
    label = nil
  }

  /// Ends the innermost transaction as if it had never been.
  @usableFromInline
  mutating func rollBack(to mark: Mark, _ document: _UndoPlace) {
    defer { _checkInvariants() }
    close()
    while chunkIndex != mark.chunkIndex || position != mark.position {
      if position == _UndoRegion.start {
        removeTop()
      } else {
        let header = stepBack()
        _ = exchange(header, at: position, with: document)
        byteCount -= bytes(header, in: top, at: position)
        table[header.operation].destroy(top.payload(at: position))
        top.used = position
      }
    }
    lastWords = mark.lastWords
    flags = mark.flags
    canCoalesce = false
    depth -= 1
    if depth == 0 {
      flags = _UndoHeader.whole
      label = nil
      restoreAside()
    }
  }

  mutating func appendLabel(_ text: String) {
    let delta = _UndoLabel(text)
    append(
      delta, operation: Self.labelOperation, words: 1 + (MemoryLayout<_UndoLabel>.size + 7) / 8,
      ownedBytes: delta.ownedBytes, offset: 0)
  }

  /// Makes the record before the position the last one of its step.
  private mutating func endStep() {
    let start = position - lastWords * 8
    var header = top.header(at: start)
    header.ends = true
    top.setHeader(header, at: start)
    undoCount += 1
    enforceLimit()
  }

  /// Takes the empty chunk on top away.
  private mutating func removeTop() {
    chunks.removeLast()
    enter(chunkIndex - 1)
    position = top.used
  }

  // MARK: What could be redone

  /// Puts what could be redone where a rollback finds it again.
  mutating func setRedoAside() {
    let rest = top.used == position ? nil : chunks[chunkIndex].copy(from: position, to: top.used)
    aside = Aside(
      rest: rest, chunks: Array(chunks[(chunkIndex + 1)...]), redoCount: redoCount, saves: saves)
    chunks.removeSubrange((chunkIndex + 1)...)
    top.destroyRecords(from: position, to: top.used, operations)
    top.used = position
    redoCount = 0
    forgetStatesAhead()
  }

  /// Lets go of what was set aside.
  private mutating func dropAside() {
    guard let aside else { return }
    self.aside = nil
    if let rest = aside.rest { byteCount -= bytes(in: rest.region, from: rest.region.first, to: rest.region.used) }
    byteCount -= bytes(in: aside.chunks)
  }

  /// Makes what was set aside redoable again, the position being where it was when that happened.
  private mutating func restoreAside() {
    if let aside {
      self.aside = nil
      if let rest = aside.rest { top.copyRecords(from: rest.region, position..<rest.region.used, operations) }
      chunks += aside.chunks
      redoCount = aside.redoCount
      saves = aside.saves
    } else if redoCount == 0, !chunks.isEmpty {
      room = capacity
    }
  }

  /// Lets go of everything behind the position.
  mutating func dropRedo() {
    byteCount -= bytes(in: top, from: position, to: top.used)
    top.destroyRecords(from: position, to: top.used, operations)
    top.used = position
    byteCount -= bytes(in: chunks[(chunkIndex + 1)...])
    chunks.removeSubrange((chunkIndex + 1)...)
    redoCount = 0
    forgetStatesAhead()
  }

  private mutating func forgetStatesAhead() {
    let state = state
    saves.forget { $0 > state }
  }
}
