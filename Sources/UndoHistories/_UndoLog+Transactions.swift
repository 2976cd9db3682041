extension _UndoLog {
  /// Where a transaction began.
  @usableFromInline
  struct Mark {
    var chunkIndex: Int
    var position: Int
    var lastWords: Int
    var isStepBegun: Bool
  }

  /// Opens a transaction: until it is ended or rolled back, everything recorded is one step.
  ///
  /// Only the outermost transaction's label counts.
  @usableFromInline
  mutating func beginTransaction(_ label: String?) -> Mark {
    canCoalesce = false
    if depth == 0, let label {
      self.label = label
      close()
    }
    depth += 1
    return Mark(chunkIndex: chunkIndex, position: position, lastWords: lastWords, isStepBegun: isStepBegun)
  }

  /// Ends the innermost transaction and keeps what it recorded.
  @usableFromInline
  mutating func endTransaction() {
    canCoalesce = false
    guard depth == 1 else {
      depth -= 1
      return
    }
    if isStepBegun {
      if let label { appendLabel(label) }
      dropAside()
      endStep()
    } else {
      restoreAside()
    }
    depth = 0
    label = nil
  }

  /// Ends the innermost transaction as if it had never been.
  @usableFromInline
  mutating func rollBack(to mark: Mark, _ document: _UndoPlace) {
    close()
    var unread = _UndoReport()
    while chunkIndex != mark.chunkIndex || position != mark.position {
      if position == _UndoRegion.start {
        removeTop()
      } else {
        let header = stepBack()
        exchange(header, with: document, reportingTo: &unread)
        byteCount -= bytes(header, in: top, at: position)
        operations[header.operation].destroy(top.payload(at: position))
        top.used = position
      }
    }
    lastWords = mark.lastWords
    isStepBegun = mark.isStepBegun
    canCoalesce = false
    depth -= 1
    if depth == 0 {
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
    isStepBegun = false
    undoCount += 1
    enforceLimit()
  }

  /// Takes the empty chunk on top away.
  private mutating func removeTop() {
    chunks.removeLast()
    chunkIndex -= 1
    top = chunks[chunkIndex].region
    position = top.used
  }

  // MARK: What could be redone

  /// Puts what could be redone where a rollback finds it again.
  mutating func setRedoAside() {
    aside = Aside(
      chunkIndex: chunkIndex, used: top.used, chunks: chunks[(chunkIndex + 1)...], redoCount: redoCount,
      savedState: savedState)
    chunks.removeSubrange((chunkIndex + 1)...)
    top.used = position
    redoCount = 0
    forgetSavedStateAhead()
  }

  /// Lets go of what was set aside.
  private mutating func dropAside() {
    guard let aside else { return }
    self.aside = nil
    let region = chunks[aside.chunkIndex].region
    byteCount -= bytes(in: region, from: region.used, to: aside.used)
    region.destroyRecords(from: region.used, to: aside.used, operations)
    drop(aside.chunks)
  }

  /// Makes what was set aside redoable again. The position is where it was when that happened.
  private mutating func restoreAside() {
    if let aside {
      self.aside = nil
      top.used = aside.used
      chunks += aside.chunks
      redoCount = aside.redoCount
      savedState = aside.savedState
    } else if redoCount == 0, !chunks.isEmpty {
      openTop()
    }
  }

  /// Lets go of everything behind the position.
  mutating func dropRedo() {
    byteCount -= bytes(in: top, from: position, to: top.used)
    top.destroyRecords(from: position, to: top.used, operations)
    top.used = position
    let tail = chunks[(chunkIndex + 1)...]
    chunks.removeSubrange((chunkIndex + 1)...)
    drop(tail)
    redoCount = 0
    forgetSavedStateAhead()
  }

  private mutating func drop(_ chunks: ArraySlice<_UndoChunk>) {
    for chunk in chunks {
      byteCount -= bytes(in: chunk.region, from: _UndoRegion.start, to: chunk.region.used)
    }
  }

  private mutating func forgetSavedStateAhead() {
    if let savedState, savedState > state { self.savedState = nil }
  }
}
