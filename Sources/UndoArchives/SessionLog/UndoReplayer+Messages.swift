internal import UndoHistories

// Replays the messages that take more than a call of the history: edits, typing, saved points, identities, restored
// properties, remote edits and branches. The log is told whether the next edit joins a step, because the recorder has
// decided that. The loop over the messages is in `UndoReplayer`.

extension UndoReplayer {
  mutating func replayEdit(
    _ reader: inout _UndoReader, joins: Bool, in history: borrowing UndoHistory<Value>, _ isStep: Bool
  ) throws {
    let access = history.storage.access
    let patch = try reader.schema.coder(of: Value.self).read(reader.readCount(), from: &reader, type: 1)
      .resolved(in: access.document, restoring: access.log.restoredProperties)
    // The assignment of a restored value isn't a step, so the next edit may still join the latest step.
    let isRestored = access.log.restoresValues && access.log.extras[0].restored.isOfValue(patch.bytes(in: Value.self))
    if !joins, patch.mayJoin, !isRestored {
      access.log.records.position.run = .none
    }
    if joins, patch.mayJoin { access.log.letNextTextJoin() }
    if isStep { access.log.letNextAssignmentJoin(joins) }
    if let range = patch.textPatch {
      text = LatestText(patch: patch, start: range.start, count: range.replacement.utf8.count)
    }
    try join(joins && isStep, access) { if try patch.apply(in: access) { lostCount += 1 } }
  }

  mutating func replayText(
    _ kind: _UndoMessageKind, _ reader: inout _UndoReader, in history: borrowing UndoHistory<Value>, _ isStep: Bool
  ) throws {
    let access = history.storage.access
    guard var text else { throw reader.damage }
    let distance = kind == .insertedBeside || kind == .removedBeside ? try reader.readCount() : 0
    guard distance <= text.start else { throw reader.damage }
    text.start -= distance
    let change: _UndoTextPatch
    switch kind {
    case .typed, .insertedBeside:
      let added = try reader.readText()
      change = _UndoTextPatch(start: text.start + text.count, count: 0, replacement: added, slide: distance)
      text.count += added.utf8.count
    default:
      let count = try reader.readCount()
      if kind == .deletedBackward {
        guard count <= text.start else { throw reader.damage }
        text.start -= count
      }
      change = _UndoTextPatch(
        start: text.start, count: count, replacement: "", slide: distance > count ? distance - count : distance)
    }
    self.text = text
    access.log.letNextTextJoin()
    try join(isStep, access) { if try text.patch.with(change).apply(in: access) { lostCount += 1 } }
  }

  func endTransaction(joins: Bool, _ access: _UndoAccess<Value>) {
    join(joins, access) {
      access.log.letNextAssignmentJoin(joins)
      access.log.willEndAssignment()
      access.log.endTransaction()
    }
  }

  /// Makes edits, and makes them part of the latest step if they should be and aren't.
  private func join(_ joins: Bool, _ access: _UndoAccess<Value>, _ edit: () throws -> Void) rethrows {
    let (count, isOpen) = (access.log.records.counts.undo, access.log.isStepOpen)
    try edit()
    if joins, !isOpen, count > 0, access.log.records.counts.undo > count { access.log.joinLatestStep() }
  }

  /// Ends a remote edit, if the transaction is one.
  mutating func endRemoteEdit(_ transaction: OpenTransaction, _ access: _UndoAccess<Value>) {
    guard let remoteEdit = transaction.remoteEdit else { return }
    access.withLog { $0.endRemoteEdit(&remoteEdit.log, isSaved: remoteEdit.isSaved) }
    text = nil
  }

  func replaySaved(_ reader: inout _UndoReader, in access: _UndoAccess<Value>) throws {
    let (saved, ifCancelled) = (try reader.readCount(), try reader.readCount())
    func state(_ distance: Int, redoCount: Int) throws -> Int? {
      let oldest = access.log.oldestState
      guard distance - missingCount <= access.log.state - oldest + redoCount + 1 else { throw reader.damage }
      return distance <= missingCount ? nil : oldest + distance - missingCount - 1
    }
    access.log.saves.saved = .init(state: try state(saved, redoCount: access.log.redoCount))
    guard ifCancelled > 0 else { return }
    guard let redo = access.log.extras.first?.openStep?.detachedRedo else { throw reader.damage }
    let ifSaved = try state(ifCancelled - 1, redoCount: redo.tail.count)
    access.log.extras[0].openStep?.detachedRedo?.saves.saved = .init(state: ifSaved)
  }

  func replayIdentities(_ reader: inout _UndoReader, in access: _UndoAccess<Value>) throws {
    let next = try reader.readNumber()
    let count = access.log.records.counts.undo + access.log.redoCount + (access.log.branches?.stepCount ?? 0)
    guard access.log.origins == nil, next > UInt64(count), next < 1 << 62 else { throw reader.damage }
    access.log.useOrigins(nextID: next)
  }

  func replayRestoreField(_ reader: inout _UndoReader, in access: _UndoAccess<Value>) throws {
    let names = try reader.readAll { try $0.readText() }
    // A later version of the type may not have the property.
    guard let property = _UndoFields(access.document)?.property(named: names[...]),
      access.log.canRestoreMore
    else { return }
    _ = access.log.restoreOnUndo(property.asKnown(in: knownProperties), in: access.documentPointer)
  }

  func replayBranch(
    _ kind: _UndoMessageKind, _ reader: inout _UndoReader, in history: inout UndoHistory<Value>
  ) throws {
    let number = try reader.readCount()
    let access = history.storage.access
    func place(_ reader: inout _UndoReader, _ index: Int) throws -> _UndoBranches.Place {
      let distance = try reader.readCount()
      guard let branches = access.log.branches?.branches, branches.indices.contains(index),
        1...branches[index].stepCount ~= distance
      else { throw reader.damage }
      return (branches[index].id, branches[index].fork + distance)
    }
    switch kind {
    case .goToBranch:
      let place = try place(&reader, number)
      // If a remote edit blocks the way, the recorded history stopped there too.
      try? history.walk(toBranch: place.branch, state: place.state)
    case .droppedBranches:
      guard number > 0, number <= access.log.branches?.branches.count ?? 0 else { throw reader.damage }
      access.log.removeOldestBranches(number)
    default:
      let place = try place(&reader, try reader.readCount())
      guard number <= 1, access.log.setSaved(place, ifCancelled: number == 1) else { throw reader.damage }
    }
  }
}

extension _UndoLog {
  /// Allows the next text edit to join the latest record, even if a transaction has ended since, or a restored value
  /// was assigned.
  fileprivate mutating func letNextTextJoin() {
    // A log may have dropped the latest record.
    guard isOpen, records.hasLatestRecord else { return }
    records.position.run = .all
    records.keepRecentOperation()
  }

  /// Allows the next assignment to join the latest step, or forbids it.
  fileprivate mutating func letNextAssignmentJoin(_ joins: Bool) {
    if hasExtras { extras[0].joinable = joins ? (state, 0) : nil }
  }

  /// Makes the latest step part of the step before it.
  fileprivate mutating func joinLatestStep() {
    defer { _checkInvariants() }
    let start = records.startOfStep(endingWith: records.latestRecord)
    let last = records.latestRecord(before: start)
    // A branch that leaves the state between the two would fit neither before nor after both.
    removeBranches(from: state - 1)
    records.counts.undo -= 1
    if hasExtras { extras[0].steps.joinLast() }
    if hasExtras { extras[0].origins?.nextID -= 1 }
    records.changeHeader(at: last) { $0.ends = false }
    records.changeHeader(at: start) { $0.begins = false }
  }
}
