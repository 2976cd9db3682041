// A remote edit is made between steps. To undo the step before it, the two are exchanged:
//
//     | S | A |     | A' | S' |      A' is the remote edit without S, S' is the step after A'

extension _UndoLog {
  package var absorbed: _UndoAbsorbed? { hasExtras ? extras[0].absorbed : nil }

  /// The oldest state, including hidden ones.
  package var oldestState: Int { hasExtras ? extras[0].absorbed?.bottom ?? counts.dropped : counts.dropped }

  /// Applies the remote edits that another log has recorded of this document.
  mutating func absorb(_ scratch: _UndoLog, isSaved: Bool) {
    defer { _checkInvariants() }
    guard var edit = _UndoAbsorbed.Edit(scratch) else { return }
    counts.absorbed &+= 1
    useOrigins()
    edit.id = extras[0].origins?.takeID() ?? 0
    extras[0].origins?.rest = nil
    if !isSaved {
      let bytes = edit.editedBytes
      saves.forEachPoint { $0.add(bytes) }
    }
    moveRedo(above: edit)
    if state == oldestState { return }
    let bottom = oldestState
    if extras[0].absorbed == nil { changeExtras { $0.absorbed = _UndoAbsorbed(bottom: bottom) } }
    sink([edit])
    if fastPath.isLimited { enforceLimit() }
  }

  /// Moves remote edits at the position below the step before it, or makes them block that step; oldest edit first.
  mutating func sink(_ edits: [_UndoAbsorbed.Edit]) {
    guard var absorbed = extras[0].absorbed else { return }
    // With a single reference, they are changed in place.
    extras[0].absorbed?.removeAll()
    let state = state
    var here = absorbed.popLast(at: state)?.edits ?? []
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
        // Otherwise, the branches are moved when undo leads there.
        if state - 1 == absorbed.bottom || absorbed.blocks(at: state - 1) {
          moveBranches(above: [sunk], at: state - 1)
        }
        if state - 1 > absorbed.bottom { absorbed.add(sunk, at: state - 1, start: start) }
      } else if lower.isOfStore {
        here = others
        makePartOfStep(lower)
        absorbed.setStart(latestRecord.behindHeader, ofLayerAt: state - 1)
      } else {
        here.append(edit)
      }
    }
    if !here.isEmpty {
      absorbed.append(.init(state: state, start: endOfLatestRecord, edits: here, blocks: true))
      coalescing.canJoin = false
      extras[0].joinable = nil
      extras[0].origins?.waiting = nil
    }
    extras[0].absorbed = absorbed
    updateHidden()
    if absorbed.layers.isEmpty { changeExtras { $0.absorbed = nil } }
    if !isOpen { fastPath.directStart = firstOffset }
    setBarrier()
  }

  /// An edit as it is below the step before the position, and the new start of the layer; nil if it blocks.
  private mutating func below(_ edit: _UndoAbsorbed.Edit) -> (_UndoAbsorbed.Edit, start: RecordLocation)? {
    guard state > oldestState else { return nil }
    let (records, start) = (step(before: location).edits, latestRecord.behindHeader)
    let old = records.map { fastPath.operations.edit(of: record(there: $0)) }
    var (inverses, edits) = (old, edit.edits())
    guard _UndoEdit.transform(&inverses, over: &edits, .init(asWholeTexts: edit.isOfStore)),
      let sunk = edit.moved(to: edits)
    else { return nil }
    for (location, inverse) in zip(records, inverses) where !move(location, to: inverse) {
      for (location, old) in zip(records, old) { _ = move(location, to: old) }
      return nil
    }
    return (sunk, start)
  }

  // MARK: Undo

  /// Hides the steps below the newest blocking edit, and shows those above it.
  private mutating func updateHidden() {
    guard let absorbed else { return }
    let (state, redoCount) = (state, redoCount)
    counts.dropped = max(absorbed.blockingLayer?.state ?? absorbed.bottom, absorbed.bottom)
    counts.undo = state - counts.dropped
    if !isOpen { self.redoCount = redoCount }
  }

  /// Makes undo stop at a remote edit, and takes no direct way at all if values are restored.
  mutating func setBarrier() {
    let state = state
    guard !isOpen, hasExtras else { return }
    if fastPath.carriesValues { return fastPath.directStart = .max - 2 }
    guard
      let layer = extras[0].absorbed?.layers.last(where: { $0.state < state || $0.blocks && $0.state == state })
    else { return }
    if layer.start.chunkIndex == position.chunkIndex {
      fastPath.directStart = max(fastPath.directStart, layer.start.offset)
    }
  }

  /// Handles the remote edits at the state that an undo has led to.
  mutating func didStepBack() {
    let state = state
    guard hasExtras, extras[0].absorbed?.layers.last?.blocks == false,
      let layer = extras[0].absorbed?.popLast(at: state)
    else { return }
    if let unread { self.unread?.lowestSunk = min(unread.lowestSunk ?? state, state) }
    moveBranches(above: layer.edits, at: state)
    sink(layer.edits)
  }

  /// Updates the remote edits after the oldest step was dropped; returns whether it was hidden.
  mutating func didDropOldest() -> Bool {
    guard hasExtras, let absorbed = extras[0].absorbed else { return false }
    let isHidden = absorbed.bottom < counts.dropped
    extras[0].absorbed?.drop(upTo: absorbed.bottom + 1)
    if isHidden { updateHidden() }
    if extras[0].absorbed?.layers.isEmpty == true { changeExtras { $0.absorbed = nil } }
    return isHidden
  }

  // MARK: Redo

  /// Transforms the redo steps and branches over a remote edit, and drops them from the first one that conflicts.
  private mutating func moveRedo(above edit: _UndoAbsorbed.Edit) {
    moveBranches(above: [edit], at: state)
    guard redoCount > 0 else { return }
    let steps = transform(edit.edits(), over: location, redoCount, keepsPassed: keepsBranches)
    if steps.count < redoCount { dropRedo(from: firstRecord(from: steps.end), keeping: steps.count) }
    for (location, edit) in steps.moves { _ = move(location, to: edit) }
    for (index, edits) in steps.passed.enumerated() { moveBranches(at: state + index + 1, above: edits) }
  }

  /// Drops the redo steps after a number of steps, given the start of the next one.
  private mutating func dropRedo(from start: RecordLocation, keeping count: Int) {
    willDropSteps(behind: state + count)
    makeUnique(start.chunkIndex)
    let memory = chunks[start.chunkIndex].memory
    counts.bytes -= bytes(in: memory, from: start.offset, to: memory.used)
    counts.bytes -= bytes(in: chunks[(start.chunkIndex + 1)...])
    unsafe memory.destroyRecords(from: start.offset, to: memory.used, operations)
    memory.used = start.offset
    chunks.removeSubrange((start.chunkIndex + 1)...)
    removeEmptyChunks()
    removeLastRows(redoCount - count)
    redoCount = count
    removeBranches(from: state + count + 1)
  }

  // MARK: Archives

  /// Removes all remote edits, so that only steps are left and none is hidden.
  package mutating func takeAbsorbed() -> [_UndoAbsorbed.Layer] {
    guard hasExtras, let absorbed = extras[0].absorbed else { return [] }
    extras[0].absorbed?.removeAll()
    updateHidden()
    changeExtras { $0.absorbed = nil }
    return absorbed.layers
  }

  /// Updates the newest layer after a step was recorded above it.
  package func didRecordStep(above layers: inout [_UndoAbsorbed.Layer]) {
    guard let layer = layers.last, layer.state == state - 1, !layer.blocks else { return }
    var start = latestRecord
    start.offset += _UndoHeader.size
    layers[layers.count - 1].start = start
  }

  /// Restores remote edits between steps.
  package mutating func putAbsorbed(_ layers: [_UndoAbsorbed.Layer]) {
    guard !layers.isEmpty else { return }
    defer { _checkInvariants() }
    let bottom = counts.dropped
    changeExtras { $0.absorbed = _UndoAbsorbed(bottom: bottom, layers: layers) }
    updateHidden()
    if layers.last?.state == state { coalescing.canJoin = false }
    if !isOpen { fastPath.directStart = firstOffset }
    setBarrier()
  }

  // MARK: Blocking edits

  /// The remote edit that blocks the next undo.
  var obstacle: UInt64? {
    guard counts.undo == 0, let layer = absorbed?.layers.last, layer.state == state, layer.blocks else { return nil }
    return layer.edits.last?.id
  }

  /// Records the edit that blocks the next undo as a step.
  mutating func adopt() {
    let old = state
    guard let id = obstacle, var layer = extras[0].absorbed?.popLast(at: old), let edit = layer.edits.popLast() else {
      return
    }
    defer { _checkInvariants() }
    willNote()
    defer { note(.adopted) }
    settle()
    // Other edits may have been blocked by this one alone.
    sink(layer.edits)
    _ = setRedoAside()
    beginTransaction(nil)
    extras[0].origins?.adopted = id
    let bytes = edit.editedBytes
    for record in edit.recordsInside {
      let index = index(of: record, in: edit)
      if isAtStepStart {
        makeWritable(for: record.header.bytes)
        extras[0].start = location
        extras[0].keepRestored()
      }
      writeCopy(of: record, as: index)
    }
    endTransaction()
    let moved = moveBranchesBehindLatestStep()
    extras[0].origins?.adopted = nil
    saves.forEachPoint { point in
      // A saved point below doesn't have the edit now; one here or above it does.
      if point.state == old {
        point.state = old + 1
      } else if !(point.state.map(moved.contains) ?? false) {
        point.add(bytes)
      }
    }
  }
}
