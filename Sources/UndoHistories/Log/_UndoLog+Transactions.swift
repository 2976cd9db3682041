extension _UndoLog {
  /// Where a transaction began.
  @usableFromInline
  struct Mark {
    @usableFromInline
    let chunkIndex: Int
    @usableFromInline
    let position: Int
    @usableFromInline
    let link: _UndoLink

    @inlinable
    init(chunkIndex: Int, position: Int, link: _UndoLink) {
      self.chunkIndex = chunkIndex
      self.position = position
      self.link = link
    }
  }

  /// Opens a transaction: until it is ended or rolled back, everything recorded is one step.
  ///
  /// Only the outermost transaction's label counts.
  @inlinable
  @inline(__always)
  @discardableResult
  mutating func beginTransaction(_ label: String?) -> Mark {
    canCoalesce = false
    if isLikely(depth == 0) {
      link = _UndoLink(words: link.words, flags: _UndoHeader.first)
      if let label { setLabel(label) }
    }
    depth &+= 1
    (room, ownersRoom) = (0, 0)
    return Mark(chunkIndex: chunkIndex, position: position, link: link)
  }

  @usableFromInline
  mutating func setLabel(_ text: String) {
    label = text
    isElaborate = true
    close()
  }

  /// Ends the innermost transaction and keeps what it recorded.
  @inlinable
  @inline(__always)
  mutating func endTransaction() {
    guard isLikely(depth == 1), isLikely(!isElaborate), isLikely(link.flags == _UndoHeader.inner) else {
      return endElaborately()
    }
    defer { _checkInvariants() }
    canCoalesce = false
    depth = 0
    updateRoom()
    endStep()
  }

  /// Ends a transaction that is an inner one, recorded nothing, has a label, or set aside what could be redone.
  @usableFromInline
  mutating func endElaborately() {
    defer { _checkInvariants() }
    canCoalesce = false
    guard depth == 1 else {
      depth -= 1
      return
    }
    if link.flags == _UndoHeader.inner {
      if let label { appendLabel(label) }
      dropAside()
      endStep()
    } else {
      restoreAside()
    }
    endOutermost()
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
        exchange(header, at: position, with: document)
        byteCount -= bytes(header, in: top, at: position)
        table.destroy(header.operation, top.payload(at: position))
        top.used = position
      }
    }
    link = mark.link
    canCoalesce = false
    if depth == 1 {
      restoreAside()
      endOutermost()
    } else {
      depth -= 1
      if link.flags == _UndoHeader.inner { open() }
    }
  }

  /// Leaves nothing of the outermost transaction to the next one.
  private mutating func endOutermost() {
    depth = 0
    updateRoom()
    link = _UndoLink(words: link.words, flags: _UndoHeader.whole)
    label = nil
    isElaborate = false
  }

  mutating func appendLabel(_ text: String) {
    let delta = _UndoLabel(text)
    append(
      delta, operation: .label, words: Self.words(_UndoLabel.self), ownedBytes: delta.ownedBytes, offset: 0)
  }

  /// Makes the record before the position the last one of its step.
  @inlinable
  @inline(__always)
  mutating func endStep() {
    let start = position &- link.bytes
    var header = top.header(at: start)
    header.ends = true
    top.setHeader(header, at: start)
    link = _UndoLink(words: link.words, flags: _UndoHeader.whole)
    undoCount &+= 1
    keepLimit()
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
    isElaborate = true
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
      open()
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
