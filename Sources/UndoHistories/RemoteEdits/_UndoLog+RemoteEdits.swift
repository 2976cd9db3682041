// Applies a remote edit to the log, and moves remote edits between the steps when steps are undone or dropped. Also
// begins and ends the recording of a remote edit, and takes all remote edits out of the log for an archive.
//
// A remote edit is recorded in a log of its own, and then lies between steps. To undo the step before it, the two are
// swapped:
//
//     | S | A |     | A' | S' |      A' is A as it would be without S, and S' is S as it would be after A'

extension _UndoLog {
  package var remoteEdits: _UndoRemoteEdits? { hasExtras ? extras[0].remoteEdits : nil }

  /// The oldest state, including hidden ones.
  package var oldestState: Int {
    hasExtras ? extras[0].remoteEdits?.bottom ?? records.counts.dropped : records.counts.dropped
  }

  /// Applies the remote edit that another log has recorded; the document already contains it.
  mutating func applyRemote(_ scratch: borrowing _UndoLog, isSaved: Bool) {
    defer { _checkInvariants() }
    guard var edit = _UndoRemoteEdits.Edit(scratch.records) else { return }
    records.counts.remoteEdits &+= 1
    useOrigins()
    edit.id = extras[0].origins?.takeID() ?? 0
    extras[0].origins?.rest = nil
    if !isSaved {
      let bytes = edit.editedBytes
      saves.forEachPoint { $0.add(bytes) }
    }
    let positions = _UndoLivePositions(beforeRemoteEdit: scratch)
    let latest = positions.isEmpty ? [] : extras[0].positions(afterStepBefore: redoCount)
    moveRedo(above: edit)
    sink([edit])
    if !positions.isEmpty {
      let isBlocked = remoteEdits?.blockingLayer?.state == state
      let moved = extras[0].positions(afterStepBefore: redoCount)
      positions.move(over: edit.edits(), latest: isBlocked ? [] : latest, moved: moved, in: extras[0])
    }
    if records.fastPath.isLimited { enforceLimit() }
  }

  /// Moves remote edits from the position to before the latest step; an edit that can't pass the step blocks it.
  ///
  /// - Parameter edits: The edits, oldest first.
  mutating func sink(_ edits: [_UndoRemoteEdits.Edit]) {
    let (state, bottom) = (state, oldestState)
    // Nothing has to come after an edit that comes before all steps.
    if state == bottom { return }
    var remoteEdits = extras[0].remoteEdits ?? _UndoRemoteEdits(bottom: bottom)
    // The copy is changed in place if nothing else refers to its layers.
    extras[0].remoteEdits?.removeAll()
    var here = remoteEdits.popLast(at: state)?.edits ?? []
    extras[0].origins?.rest = nil
    for edit in edits {
      var others = here
      guard others.sink(edit) == 0 else {
        here.append(edit)
        continue
      }
      let lower = others.removeFirst()
      if let (sunk, start) = below(lower) {
        here = others
        // At other states, the branches are transformed when undo gets there.
        if state - 1 == remoteEdits.bottom || remoteEdits.layer(at: state - 1)?.blocks == true {
          moveBranches(above: [sunk], at: state - 1)
        }
        if state - 1 > remoteEdits.bottom { remoteEdits.add(sunk, at: state - 1, start: start) }
      } else if lower.isOfStore {
        here = others
        makePartOfStep(lower)
        remoteEdits.setStart(records.latestRecord.payloadLocation, ofLayerAt: state - 1)
      } else {
        here.append(edit)
      }
    }
    if !here.isEmpty {
      remoteEdits.append(.init(state: state, start: records.endOfLatestRecord, edits: here, blocks: true))
      records.position.run = .none
      extras[0].endJoining()
    }
    extras[0].remoteEdits = remoteEdits
    updateHidden()
    if remoteEdits.layers.isEmpty { changeExtras { $0.remoteEdits = nil } }
    updateBarrier()
  }

  /// Transforms an edit to come before the latest step, and the step to come after the edit.
  ///
  /// - Returns: The transformed edit, and the start of its layer; nil, with nothing changed, if the two don't commute.
  private mutating func below(_ edit: _UndoRemoteEdits.Edit) -> (_UndoRemoteEdits.Edit, start: _UndoLocation)? {
    let (step, start) = (records.step(before: records.location).edits, records.latestRecord.payloadLocation)
    let old = step.map { records.fastPath.operations.edit(of: records.record(there: $0)) }
    var inverses = old
    guard let sunk = edit.transformed(over: &inverses, .init(asWholeTexts: edit.isOfStore)) else { return nil }
    for (location, inverse) in zip(step, inverses) where !records.move(location, to: inverse) {
      for (location, old) in zip(step, old) { _ = records.move(location, to: old) }
      return nil
    }
    if extras[0].restoresPositions {
      let (old, new) = (old.reversed().map(\.inverted), inverses.reversed().map(\.inverted))
      extras[0].steps.movePositions(before: redoCount, over: sunk.edits(), and: edit.edits(), with: old, now: new)
    }
    return (sunk, start)
  }

  // MARK: Undo

  /// Hides the steps below the newest blocking edit, and shows those above it.
  private mutating func updateHidden() {
    guard let remoteEdits else { return }
    let (state, redoCount) = (state, redoCount)
    records.counts.dropped = max(remoteEdits.blockingLayer?.state ?? remoteEdits.bottom, remoteEdits.bottom)
    records.counts.undo = state - records.counts.dropped
    if !isOpen { self.redoCount = redoCount }
  }

  /// Updates the location at which undo leaves the fast path to check for remote edits.
  mutating func updateBarrier() {
    records.barrier = extras.first?.remoteEdits?.layers.last?.start ?? _UndoLocation(chunkNumber: 0, offset: 0)
    if !isOpen { records.updateDirectStart() }
  }

  /// Moves the remote edits at the state after an undo to before the step that leads to this state.
  mutating func didStepBack() {
    let state = state
    guard hasExtras, extras[0].remoteEdits?.layers.last?.blocks == false,
      let layer = extras[0].remoteEdits?.popLast(at: state)
    else { return }
    if let unread { self.unread?.lowestMovedState = min(unread.lowestMovedState ?? state, state) }
    moveBranches(above: layer.edits, at: state)
    sink(layer.edits)
  }

  /// Updates the remote edits after the oldest step was dropped; returns whether it was hidden.
  mutating func didDropOldest() -> Bool {
    guard hasExtras, let remoteEdits = extras[0].remoteEdits else { return false }
    let isHidden = remoteEdits.bottom < records.counts.dropped
    extras[0].remoteEdits?.drop(upTo: remoteEdits.bottom + 1)
    updateBarrier()
    if isHidden { updateHidden() }
    if extras[0].remoteEdits?.layers.isEmpty == true { changeExtras { $0.remoteEdits = nil } }
    return isHidden
  }

  // MARK: Redo

  /// Transforms the redo steps and branches over a remote edit, and drops steps from the first one that conflicts.
  private mutating func moveRedo(above edit: _UndoRemoteEdits.Edit) {
    moveBranches(above: [edit], at: state)
    guard redoCount > 0 else { return }
    let edits = edit.edits()
    let keepsPassed = keepsBranches || extras[0].restoresPositions
    let steps = records.transform(edits, over: records.location, redoCount, keepsPassed: keepsPassed)
    saves.willDropSteps(behind: state + steps.count, of: records)
    removeLastRows(redoCount - steps.count)
    if extras[0].restoresPositions { extras[0].steps.movePositions(over: edits, steps) }
    records.moveRedo(steps)
    removeBranches(from: state + steps.count + 1)
    for (index, step) in steps.passed.enumerated() { moveBranches(at: state + index + 1, above: step.edits) }
  }

  // MARK: Archives

  /// Removes and returns all remote edits, so that only steps are left, all of them visible.
  package mutating func takeRemoteEdits() -> [_UndoRemoteEdits.Layer] {
    guard hasExtras, let remoteEdits = extras[0].remoteEdits else { return [] }
    extras[0].remoteEdits?.removeAll()
    updateHidden()
    changeExtras { $0.remoteEdits = nil }
    return remoteEdits.layers
  }

  /// Restores remote edits between steps.
  package mutating func putRemoteEdits(_ layers: [_UndoRemoteEdits.Layer]) {
    guard !layers.isEmpty else { return }
    defer { _checkInvariants() }
    let bottom = records.counts.dropped
    changeExtras { $0.remoteEdits = _UndoRemoteEdits(bottom: bottom, layers: layers) }
    updateHidden()
    if layers.last?.state == state { records.position.run = .none }
    updateBarrier()
  }

  // MARK: A log for a remote edit

  /// Records a remote edit in another log from now on, and returns this one.
  package mutating func beginRemoteEdit(_ scratch: consuming _UndoLog) -> _UndoLog {
    if hasUnread { unread?.loseTrack() }
    // Later assignments don't belong to the open step.
    if hasOpenStep { settle() }
    if isRead { useOrigins() }
    // With origins, an assignment makes one record for each place that differs.
    scratch.useOrigins()
    if restoresValues {
      extras[0].settlePositions()
      scratch.changeExtras { $0.restoreOnUndo(asIn: extras[0]) }
    }
    swap(&scratch, &self)
    return scratch
  }

  /// Puts the history's log back, and applies the remote edit that the other log has recorded.
  ///
  /// - Parameter isSaved: Whether the store already has the edit; nil if the edit isn't to be applied here.
  package mutating func endRemoteEdit(_ own: inout _UndoLog, isSaved: Bool?) {
    close()
    swap(&own, &self)
    if let isSaved {
      let detached = isRead ? _UndoDetachedLog(own.copy(), isSaved: isSaved) : nil
      let droppedBranchCount = branches?.droppedCount ?? 0
      applyRemote(own, isSaved: isSaved)
      if let detached { unread?.note(.remoteEdits(detached, droppedBranchCount: droppedBranchCount), in: records) }
    }
    own.records.chunks = []
  }
}
