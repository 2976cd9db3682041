extension _UndoLog {
  /// Whether a step is open.
  ///
  /// One without edits is, wherever the history is as it was when that began.
  @inline(never)
  package var isStepOpen: Bool {
    hasExtras && (extras[0].openStep?.hasEdits == true || isAtBaseOfOpenStep)
  }

  /// Whether a step was begun and not ended, be it open where the history is now or not.
  package var hasOpenStep: Bool { hasExtras && extras[0].openStep != nil }

  /// Whether steps that could be redone before the open step become a branch when it ends.
  package var hidesBranch: Bool { keepsBranches && hasExtras && extras[0].openStep?.detachedRedo != nil }

  private var isAtBaseOfOpenStep: Bool { extras[0].openStep?.isAtBase(state, redoCount) ?? false }

  @usableFromInline
  mutating func beginStep(_ label: String?, _ identity: _UndoStepIdentity) {
    defer { _checkInvariants() }
    settle()
    coalescing.canJoin = false
    let step = _UndoOpenStep(identity, label: label, base: state, redoCount: redoCount, at: location)
    changeExtras { $0.openStep = step }
  }

  /// Opens the latest step once more, which ended because an archive was made; false where there is none.
  ///
  /// What could be redone before it is not brought back when it is cancelled.
  package mutating func reopenLatestStep() -> Bool {
    settle()
    guard counts.undo > 0, redoCount == 0 else { return false }
    defer { _checkInvariants() }
    let start = startOfStep(endingWith: latestRecord)
    var step = _UndoOpenStep(_UndoStepIdentity(), label: undoLabel, base: state - 1, redoCount: 0, at: start)
    let end = location
    step.change {
      $0.hasEdits = true
      $0.beginRun(at: end)
    }
    if carriesValues { extras[0].awaitRestored(before: 0) }
    changeExtras { $0.openStep = step }
    return true
  }

  /// Lets the edits so far, of a step that may stay open, take in nothing more.
  package mutating func endRecords() {
    coalescing.canJoin = false
    guard hasExtras else { return }
    changeExtras {
      $0.joinable = nil
      $0.origins?.waiting = nil
    }
  }

  /// Whether a step is open that has this identity.
  @usableFromInline
  package mutating func isStepOpen(_ identity: _UndoStepIdentity) -> Bool {
    hasExtras && extras[0].isStepOpen(identity, state, redoCount)
  }

  /// Ends the step that is open, if one is.
  mutating func endOpenStep() {
    guard hasExtras, let step = extras[0].openStep else { return }
    defer { _checkInvariants() }
    changeExtras { $0.openStep = nil }
    coalescing.canJoin = false
    if step.hasEdits {
      if let label = step.label { extendLatestStep { $0.writeLabel(label) } }
      if let redo = step.detachedRedo, !setAside(redo, fork: step.base) { counts.bytes -= bytes(in: redo.chunks) }
      if limit.steps == 0 { enforceLimit() }
    } else {
      reattach(step)
    }
  }

  /// Takes the open step back as if it had never been.
  package mutating func cancelOpenStep(_ document: _UnsafeUndoPointer) {
    guard let step = extras.first?.openStep else { return }
    defer { _checkInvariants() }
    let wasRead = unread?.openStep === step.identity
    changeExtras {
      $0.openStep = nil
      $0.carried.forgetLatest()
    }
    closeRecords()
    if step.hasEdits {
      removeRecords(backTo: step.start) { log, header in
        log.exchange(header, at: log.position.offset, with: document)
      }
      counts.undo -= 1
      redoCount = 0
      if carriesValues { extras[0].restore(document, before: 0, isAfter: false) }
      removeLastRows(1)
      position.link = _UndoLink(words: position.link.words, flags: _UndoHeader.whole)
    }
    reattach(step)
    if redoCount == 0, !chunks.isEmpty { open() }
    if wasRead {
      if unread?.assignment != nil { loseTrack() }
      note(.cancelledStep)
    }
  }

  /// Makes what could be redone before a step redoable again.
  private mutating func reattach(_ step: _UndoOpenStep) {
    guard let redo = step.detachedRedo else { return }
    closeRecords()
    if let unread, location < unread.location { loseTrack() }
    reattach(redo)
    let (state, redoCount) = (state, redoCount)
    if unread?.state == state { unread?.redoCount = redoCount }
    saves = redo.saves
    forgetSavesOfBefore()
  }

  // MARK: Edits

  /// Makes room for the first edit of the open step.
  mutating func willEditOpenStep() {
    guard !extras[0].isStepOpenWithEdits(), position.link.flags != _UndoHeader.inner else { return }
    let location = location
    extras[0].changeOpenStep { $0.start = location }
    guard redoCount > 0 else { return }
    // The step may be cancelled.
    if unread.map({ $0.state != state }) ?? false { loseTrack() }
    unread?.redoCount = 0
    let redo = takeTail()
    extras[0].changeOpenStep { $0.detachedRedo = redo }
  }

  /// Lets a transaction that was taken back, and was to be the step's first edit, bring back what could be redone.
  mutating func openStepGivesRedoBack() {
    guard let step = extras[0].openStep, !step.hasEdits, let redo = step.detachedRedo else { return }
    transaction.detachedRedo = redo
    extras[0].changeOpenStep { $0.detachedRedo = nil }
    // These redo steps were read before the open step cut them off.
    unread?.redoCount = redo.count
  }

  /// Makes a step that has just ended part of the open step, and says whether that has had edits before.
  mutating func joinOpenStep(from start: RecordLocation, isTransaction: Bool) -> Bool {
    guard extras[0].isStepOpenWithEdits() else {
      extras[0].changeOpenStep {
        $0.hasEdits = true
        $0.beginRun(at: start)
      }
      addToRun(from: start)
      return false
    }
    counts.undo -= 1
    if isTransaction {
      joinTransaction(from: start)
    } else {
      changeHeader(at: latestRecord(before: start)) { $0.ends = false }
      changeHeader(at: start) { $0.begins = false }
      addToRun(from: start)
    }
    return true
  }

  /// Makes the records of a transaction part of the open step, but for those of parts that it has records of.
  private mutating func joinTransaction(from start: RecordLocation) {
    if everyRecord(from: start, { log, record in log.runHasRecord(of: record) }) {
      return removeLatestStep()
    }
    let records = takeRecords(from: start)
    extendLatestStep { log in
      log.forEachRecord(in: records) { log, record in
        if log.runHasRecord(of: record) { return }
        log.writeCopy(of: record)
        log.addToRun(from: log.latestRecord)
      }
    }
  }

  // MARK: The run

  /// Lets the run go on over new records, the last of the log, as far as they replace leaves.
  mutating func addToRun(from start: RecordLocation) {
    var location = start
    while true {
      let found = firstRecord(from: location)
      guard let record = record(at: &location) else { return }
      let replaced = record.header.isEdit ? fastPath.operations.replaced(record.header.operation) : nil
      extras[0].changeOpenStep { $0.addToRun(replaced, at: found, end: location) }
    }
  }

  /// Whether the step has a record of the part that a delta is about to replace.
  mutating func openStepHasRecord(
    of payload: _UnsafeUndoPointer, _ operation: _UndoOperationIndex, offset: Int
  ) -> Bool {
    guard let run = extras[0].run() else { return false }
    let replaced = fastPath.operations.replaced(operation)
    if replaced.isOfRun, runHasRecord(of: payload, operation, offset: offset, run) { return true }
    let found = latestRecord
    var latest = found
    guard replaced.isPart, let record = record(at: &latest), hasSamePart(record, payload, operation, offset) else {
      return false
    }
    noteFound(payload, operation, offset: offset, in: found)
    return true
  }

  private mutating func runHasRecord(of record: Record) -> Bool {
    let (header, payload) = (record.header, unsafe record.payload)
    guard header.isEdit, fastPath.operations.replaced(header.operation).isOfRun, let run = extras[0].run() else {
      return false
    }
    return runHasRecord(of: payload, header.operation, offset: header.argument, run)
  }

  /// Whether a record of the run replaced the part that a delta is about to replace, which a run can have.
  private mutating func runHasRecord(
    of payload: _UnsafeUndoPointer, _ operation: _UndoOperationIndex, offset: Int,
    _ run: (start: RecordLocation, count: Int)
  ) -> Bool {
    guard run.count <= _UndoOpenStep.Index.shortest else {
      guard let found = indexedRecord(of: payload, operation, offset: offset, from: run.start) else { return false }
      noteFound(payload, operation, offset: offset, in: found)
      return true
    }
    var location = run.start
    for _ in 0..<run.count {
      let found = location
      guard let record = record(at: &location) else { return false }
      if hasSamePart(record, payload, operation, offset) {
        noteFound(payload, operation, offset: offset, in: found)
        return true
      }
    }
    return false
  }

  /// Whether a record replaced the part that a delta is about to replace.
  private func hasSamePart(
    _ record: Record, _ payload: _UnsafeUndoPointer, _ operation: _UndoOperationIndex, _ offset: Int
  ) -> Bool {
    let header = record.header
    guard header.isEdit else { return false }
    let new = fastPath.operations.replaced(operation)
    if header.operation == operation, header.argument == offset {
      return unsafe new.anchorSize == 0 || record.payload.hasSameBytes(as: payload, count: Int(new.anchorSize))
    }
    let known = fastPath.operations.replaced(header.operation)
    guard known.sizeInDocument > 0, new.sizeInDocument > 0 else { return false }
    // What lies in the part that a record replaced is restored with it.
    return header.argument <= offset
      && offset + Int(new.sizeInDocument) <= header.argument + Int(known.sizeInDocument)
  }

  /// The record of the run that replaced the same leaf, by the index, which grows by what is new.
  private mutating func indexedRecord(
    of payload: _UnsafeUndoPointer, _ operation: _UndoOperationIndex, offset: Int, from start: RecordLocation
  ) -> RecordLocation? {
    var index = extras[0].takeIndex()
    var location = index.end ?? start
    while index.indexedCount < index.count {
      let found = location
      guard let record = record(at: &location) else { break }
      index.indexedCount += 1
      let (operation, argument) = (record.header.operation, record.header.argument)
      let key = unsafe partHash(record.payload, operation, offset: argument)
      if index.records[key] == nil { index.records[key] = found }
    }
    index.end = location
    let found = index.records[partHash(payload, operation, offset: offset)]
    extras[0].changeOpenStep { $0.index = index }
    // Of two parts with one hash the second has no entry, and gets a record each time: that is exact as well.
    guard let found, var end = Optional(found), let record = record(at: &end) else { return nil }
    return hasSamePart(record, payload, operation, offset) ? found : nil
  }

  private mutating func partHash(
    _ payload: _UnsafeUndoPointer, _ operation: _UndoOperationIndex, offset: Int
  ) -> Int {
    var hasher = Hasher()
    hasher.combine(operation.bits)
    hasher.combine(offset)
    unsafe payload.hashBytes(count: Int(fastPath.operations.replaced(operation).anchorSize), into: &hasher)
    return hasher.finalize()
  }
}
