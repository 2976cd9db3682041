internal import UndoHistories

// Reads from a history's log, after a call, what the call has changed, and writes messages for it into the log of the
// session: for undo and redo, new records, edits without a new record, restored values, and remote edits. An edit does
// none of this work while it is made.

extension _UndoMessages {
  /// The restored values, as messages that assign them, and the step that they belong to.
  struct Restored: Equatable {
    /// One message for each value; nil if no message can name the value.
    var messages: [[UInt8]?] = []
    /// The values whose next assignment will belong to the latest step.
    var awaited = _UndoRestoredValues.Members()
    /// The values whose latest assignment belonged to it.
    var assigned = _UndoRestoredValues.Members()

    /// How far the next assignment of a value is from belonging to the latest step: it belongs to it, or the latest
    /// assignment did, or neither.
    func distance(of index: Int) -> Int { awaited.contains(index) ? 0 : assigned.contains(index) ? 1 : 2 }
  }

  /// Marks everything in a log as read.
  mutating func mark(_ log: inout _UndoLog) {
    log.markRead(by: reader, readCount: readCount)
    guard log.limit.steps == 0 else { return }
    // If the limit is zero steps, the last step is dropped after it was read.
    log.enforceLimit()
    guard case .removedAll? = log.unread?.event else { return }
    writeRemovedAll(log)
    (state, text) = (log.state, nil)
    log.markRead(by: reader, readCount: readCount)
  }

  /// Writes messages for what changed in a log since it was read last.
  ///
  /// To read redo steps, it redoes them and undoes them again.
  mutating func read(_ log: inout _UndoLog, _ document: _UnsafeUndoPointer) -> UndoReading {
    guard let unread = log.unread, unread.reader === reader, unread.readCount == readCount else {
      return loseTrack(of: log)
    }
    let new = restored(by: &log, document)
    guard log.hasUnread || new != restored else { return .nothing }
    var edits = unread.edits(in: log.records)
    guard canDescribe(edits, unread, unread.progress(in: log.records), of: log) else { return loseTrack(of: log) }
    if edits.areWalked {
      log.records.makeUnique(from: min(unread.location, log.records.location))
      edits = unread.edits(in: log.records)
    }
    readCount += 1
    let isOver = unread.isOver(now: log.extras.first?.openStep?.identity)
    // Undo ends an open step with edits, so no message is needed for that.
    let isUndone = edits.isEmpty && edits.areMoved && unread.event == nil && unread.isStepEdited
    if isOver, !isUndone { write(.settle) }
    if let (next, droppedBranchCount) = unread.identities {
      synchronizeBranches(droppedBranchCount)
      write(.identities, Int(truncatingIfNeeded: next))
    }
    if let event = unread.event {
      noteRemoval(in: log)
      state = unread.state
      write(event, of: &log, document)
    }
    go(to: unread.state)
    if !edits.isEmpty {
      write(&edits, unread, new, of: &log, document)
    } else if unread.event == nil, !edits.areMoved {
      if unread.isSettled {
        if !isOver { write(.settle) }
        (restored.awaited, restored.assigned) = ([], [])
      }
      write(new, in: log)
    }
    state += edits.newCount
    go(to: log.state)
    synchronize(with: log)
    if unread.isSavedPointSet { writeSaved(log) }
    if let step = log.extras.first?.openStep, step.identity !== unread.openStep {
      write(.beginStep, .beginLabelledStep, step.label)
    }
    let isOfDocument = !edits.isEmpty || edits.areMoved || unread.event != nil || new.messages != restored.messages
    restored = new
    return isOfDocument ? .ofDocument : .ofSteps
  }

  private mutating func loseTrack(of log: borrowing _UndoLog) -> UndoReading {
    failure = failure ?? _UndoNeedsArchive()
    readCount += 1
    (state, text) = (log.state, nil)
    noteRemoval(in: log)
    return .ofDocument
  }

  /// Notes that the steps were removed; with a limit of zero, each edit removes its step.
  private mutating func noteRemoval(in log: borrowing _UndoLog) {
    if case .removedAll? = log.unread?.event, log.limit.steps != 0 { hasRemovedAll = true }
  }

  /// Whether messages can tell what was done.
  private func canDescribe(
    _ edits: borrowing _UndoUnreadEdits, _ unread: _UndoUnread, _ progress: _UndoUnread.Progress,
    of log: borrowing _UndoLog
  ) -> Bool {
    if failure != nil || unread.isLost || edits.steps.count != edits.newCount { return false }
    if edits.newCount > 0, unread.redoCount > 0 { return false }
    // Undo went further back than where it ended, and moved remote edits there. Messages can't tell that.
    if let lowest = unread.lowestMovedState {
      if lowest < min(log.state, unread.state) { return false }
      // Both undo and a limit may have removed branches, in an order that isn't known.
      if unread.droppedBranchCount != log.branches?.droppedCount ?? 0 { return false }
    }
    // If a step began or ended among several edits, it isn't known which of the edits belong to it.
    let step = log.extras.first?.openStep
    if unread.isOver(now: step?.identity), unread.isStepOpen, !edits.isEmpty, unread.state == state { return false }
    // A step that stayed open while the latest step ended would end, too.
    if let step, step.identity === unread.openStep ? unread.isSettled : log.isEditedStepOpen || !log.isStepOpen {
      return false
    }
    if case .removedAll? = unread.event, !edits.isEmpty { return false }
    // It isn't known either whether a remote edit or an undo after it has changed a restored value.
    guard log.restoresValues, unread.event == nil || !edits.areMoved else { return !log.restoresValues }
    // Messages tell only the state, but an undo and a redo that lead to it restore different values.
    if edits.areMoved, unread.hasRestoredBefore != (log.state < unread.state) { return false }
    // Nor is it known to which of several steps a restored value belongs.
    let isOneStep = edits.newCount <= 1 && !edits.areMoved && unread.state == state && unread.event == nil
    if !edits.isEmpty, !isOneStep || unread.isSettled { return false }
    return unread.assignment.map { $0 == progress && !edits.areMoved && unread.event == nil } ?? true
  }

  /// Writes that the history went to another state.
  private mutating func go(to target: Int) {
    switch target - state {
    case 0: return
    case -1: write(.undo)
    case 1: write(.redo)
    default: write(.go, target - dropped)
    }
    state = target
  }

  private mutating func write(_ event: _UndoUnread.Event, of log: inout _UndoLog, _ document: _UnsafeUndoPointer) {
    switch event {
    case .remoteEdits(let detached, let droppedBranchCount):
      // The remote edit can remove other branches, so those that a limit dropped before must be gone.
      synchronizeBranches(droppedBranchCount)
      var own = detached.log.copy()
      let latest = log.records.position.canJoin ? log.records.latestText : nil
      writeRemoteEdit(&own, isSaved: detached.isSaved, document, latest: latest)
    case .recordedRemoteEdit: write(.recordBlockingEdit)
    case .removedAll: writeRemovedAll(log)
    case .cancelledStep:
      if let step = log.unread?.openStep, step === reopened { failure = failure ?? _UndoNeedsArchive() }
      write(.cancelStep)
    case .wentToBranch(let index, let distance, let droppedCount):
      synchronizeBranches(droppedCount)
      write(.goToBranch, index, distance)
    }
  }

  // MARK: Edits

  /// Writes the edits of each step, and then the restored values that were assigned in it.
  private mutating func write(
    _ edits: inout _UndoUnreadEdits, _ unread: _UndoUnread, _ new: Restored, of log: inout _UndoLog,
    _ document: _UnsafeUndoPointer
  ) {
    edits.beginWalk(&log.records, document)
    if let joined = edits.joined {
      edits.walk(to: 0, &log.records, document)
      let next = log.records.edit(before: unread.location).map { log.records.fastPath.operations.edit(of: $0) }
      if let next { writeJoinedText(joined, next, unread, of: document) }
    }
    // In an open step, a transaction also contains the restored values that it assigns.
    let assigns = log.isEditedStepOpen && !new.assigned.isEmpty && edits.joined == nil
    let isOpen = log.isEditedStepOpen
    if !edits.found.isEmpty {
      edits.walk(to: 0, &log.records, document)
      write(edits.found, isOpen: isOpen, assigns && edits.records.isEmpty ? new : nil, of: document)
    }
    for number in 0...edits.newCount {
      let records = edits.records(ofStep: number)
      if records.isEmpty { continue }
      let (isLatest, joins) = (number == edits.newCount, number == 0 && !isOpen)
      let label = number == 0 || isLatest && isOpen ? nil : edits.steps[number - 1].label
      writeTogether(records.count, label, joins: joins, isLatest && assigns ? new : nil) { messages, isOne in
        messages.write(records, joins: isOne && joins, &edits, of: &log, document)
      }
    }
    edits.endWalk(&log.records, document)
    if assigns || !log.restoresValues { return }
    // The latest step got an edit after all assignments.
    (restored.awaited, restored.assigned) = (new.awaited.union(new.assigned), [])
    write(new, in: log)
  }

  /// Writes edits that added no record.
  ///
  /// Each assignment joined the latest step separately, so each is written separately.
  private mutating func write(
    _ found: [_UndoUnread.Found], isOpen: Bool, _ restored: Restored?, of document: _UnsafeUndoPointer
  ) {
    var rest = found[...]
    while !rest.isEmpty {
      let assignment = rest.prefix(1) + rest.dropFirst().prefix { $0.isSameAssignment }
      rest = rest.dropFirst(assignment.count)
      writeTogether(assignment.count, joins: !isOpen, rest.isEmpty ? restored : nil) { messages, isOne in
        for found in assignment {
          _ = messages.write(found.edit, joins: isOne && (!isOpen || found.joins), of: document)
        }
      }
    }
  }

  /// Writes edits, each while the document is as the edit left it.
  private mutating func write(
    _ records: ArraySlice<_UndoRecord>, joins: Bool, _ edits: inout _UndoUnreadEdits, of log: inout _UndoLog,
    _ document: _UnsafeUndoPointer
  ) {
    for record in records {
      edits.writtenCount += 1
      edits.walk(to: edits.writtenCount, &log.records, document)
      let edit = log.records.fastPath.operations.edit(of: record).inverted
      let patch = write(edit, joins: joins, of: document)
      if let splice = edit.textSplice { text = patch.flatMap { LatestText($0, splice) } }
    }
  }

  /// Writes edits of one step.
  ///
  /// Unless it is a single edit without a label or assigned values, they become a transaction.
  private mutating func writeTogether(
    _ count: Int, _ label: String? = nil, joins: Bool, _ restored: Restored?,
    _ writeEdits: (inout Self, _ isOne: Bool) -> Void
  ) {
    let isOne = count == 1 && label == nil && restored == nil
    if !isOne { write(.beginTransaction, .beginLabelledTransaction, label) }
    writeEdits(&self, isOne)
    if isOne { return }
    for message in restored?.messages ?? [] { writer.bytes += message ?? [] }
    write(.endTransaction, joins ? 1 : 0)
  }

  /// Writes an edit, and returns its patch; nil if the encoder failed.
  mutating func write(_ edit: _UndoEdit, joins: Bool, of document: _UnsafeUndoPointer) -> _UndoPatch? {
    writer.bytes.append(_UndoMessageKind.edit.rawValue | (joins ? _UndoMessageKind.joins : 0))
    do {
      let patch = _UndoPatch(edit, of: document, coder, restoresUnnamed ? wholeSchema : schema)
      try patch.write(to: &writer)
      return patch
    } catch {
      failure = failure ?? error
      return nil
    }
  }

  // MARK: Restored values

  mutating func restored(by log: inout _UndoLog, _ document: _UnsafeUndoPointer) -> Restored {
    guard log.restoresValues else { return Restored() }
    let values = log.extras[0].restored
    let messages = values.bytes.map { bytes -> [UInt8]? in
      // The value has no name unless a named part or a restored property contains it.
      guard
        parts.number(around: bytes) > 0
          || restoredFields.contains(where: { $0.lowerBound <= bytes.lowerBound && bytes.upperBound <= $0.upperBound })
      else { return nil }
      let start = writer.bytes.count
      // The edit doesn't come from a record, so any type will do for the range.
      _ = write(_UndoEdit(part: _UndoPartRange(UInt64.self, bytes), .value), joins: false, of: document)
      let message = Array(writer.bytes[start...])
      writer.bytes.removeSubrange(start...)
      return message
    }
    return Restored(messages: messages, awaited: values.awaited, assigned: values.assigned)
  }

  /// Writes the restored values that were assigned.
  private mutating func write(_ new: Restored, in log: borrowing _UndoLog) {
    for case (let index, let message?) in new.messages.enumerated() {
      let isAssigned = !log.isEditedStepOpen && new.distance(of: index) > restored.distance(of: index)
      if isAssigned || message != restored.messages[index] { writer.bytes += message }
    }
  }

  // MARK: Remote edits

  /// Writes a remote edit, which was recorded in a log of its own.
  ///
  /// - Parameter splice: The range that the latest record has replaced, if it is of a text and can be joined. The
  ///   remote edit may have moved it.
  private mutating func writeRemoteEdit(
    _ log: inout _UndoLog, isSaved: Bool, _ document: _UnsafeUndoPointer, latest splice: _UndoChange.Splice?
  ) {
    log.records.makeUnique(from: log.records.start)
    var edits = _UndoUnreadEdits(log.records.edits(from: log.records.start))
    let new = restored(by: &log, document)
    let assigned = zip(restored.messages, new.messages).compactMap { $0 == $1 ? nil : $1 }
    if edits.records.isEmpty && assigned.isEmpty { return }
    let latest = text
    write(isSaved ? .beginSavedRemoteEdit : .beginRemoteEdit)
    edits.beginWalk(&log.records, document)
    write(edits.records[...], joins: false, &edits, of: &log, document)
    for message in assigned { writer.bytes += message }
    write(.endTransaction, 0)
    text = splice.flatMap { splice in latest.flatMap { LatestText($0.patch, splice) } }
    text?.isMoved = true
  }
}
