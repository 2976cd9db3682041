// What is absorbed is made between steps and is none. To undo the step below it, the two are exchanged:
//
//     | S | A |     | A' | S' |      A' as it is where S is not made, S' as it is where A is

extension _UndoLog {
  package var absorbed: _UndoAbsorbed? { hasExtras ? extras[0].absorbed : nil }

  /// The oldest state that is remembered, be it hidden or not.
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

  /// Lets absorbed edits at the position, oldest first, go below the step before it, or block it.
  mutating func sink(_ edits: [_UndoAbsorbed.Edit]) {
    guard var absorbed = extras[0].absorbed else { return }
    // Held here alone, they are changed in place.
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
        // Else the branches there are when undo leads there.
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

  /// An edit as it is below the step before the position, and from where on that is the direct way; nil if it blocks.
  ///
  /// The step gets new payloads, in chunks that no other log refers to.
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

  /// Hides the steps below the newest edit that blocks, and shows those above it.
  private mutating func updateHidden() {
    guard let absorbed else { return }
    let (state, redoCount) = (state, redoCount)
    counts.dropped = max(absorbed.blockingLayer?.state ?? absorbed.bottom, absorbed.bottom)
    counts.undo = state - counts.dropped
    if !isOpen { self.redoCount = redoCount }
  }

  /// Lets no undo lead past an absorbed edit directly, and none at all where values are restored.
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

  /// Sees to what was absorbed where an undo has led to.
  mutating func didStepBack() {
    let state = state
    guard hasExtras, extras[0].absorbed?.layers.last?.blocks == false,
      let layer = extras[0].absorbed?.popLast(at: state)
    else { return }
    if let unread { self.unread?.lowestSunk = min(unread.lowestSunk ?? state, state) }
    moveBranches(above: layer.edits, at: state)
    sink(layer.edits)
  }

  /// Takes it that the oldest step was dropped; whether it was hidden.
  mutating func didDropOldest() -> Bool {
    guard hasExtras, let absorbed = extras[0].absorbed else { return false }
    let isHidden = absorbed.bottom < counts.dropped
    extras[0].absorbed?.drop(upTo: absorbed.bottom + 1)
    if isHidden { updateHidden() }
    if extras[0].absorbed?.layers.isEmpty == true { changeExtras { $0.absorbed = nil } }
    return isHidden
  }

  // MARK: Redo

  /// Lets what can be redone be made above an absorbed edit; steps from the first that cannot be are dropped.
  ///
  /// So are branches that leave it, and those at the position.
  private mutating func moveRedo(above edit: _UndoAbsorbed.Edit) {
    moveBranches(above: [edit], at: state)
    guard redoCount > 0 else { return }
    let (state, keepsBranches) = (state, keepsBranches)
    var passed: [(state: Int, edits: [_UndoEdit])] = []
    let steps = transform(edit.edits(), over: location, redoCount) { count, edits in
      if keepsBranches { passed.append((state + count, edits)) }
    }
    if steps.count < redoCount { dropRedo(from: firstRecord(from: steps.end), keeping: steps.count) }
    for (location, edit) in steps.moves { _ = move(location, to: edit) }
    for (state, edits) in passed { moveBranches(at: state, above: edits) }
  }

  /// Lets go of what can be redone behind so many steps, where the next one begins.
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

  /// Takes out all that was absorbed, so that only steps are left; none is hidden any more.
  package mutating func takeAbsorbed() -> [_UndoAbsorbed.Layer] {
    guard hasExtras, let absorbed = extras[0].absorbed else { return [] }
    extras[0].absorbed?.removeAll()
    updateHidden()
    changeExtras { $0.absorbed = nil }
    if !isOpen { fastPath.directStart = firstOffset }
    return absorbed.layers
  }

  /// A step was recorded above the newest layer: from behind where its last record begins, the way is not direct.
  package func didRecordStep(above layers: inout [_UndoAbsorbed.Layer]) {
    guard let layer = layers.last, layer.state == state - 1, !layer.blocks else { return }
    var start = latestRecord
    start.offset += _UndoHeader.size
    layers[layers.count - 1].start = start
  }

  /// Puts absorbed edits above steps, each where it was made.
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

  // MARK: Obstacles

  /// The absorbed edit that blocks the next undo.
  var obstacle: UInt64? {
    guard counts.undo == 0, let layer = absorbed?.layers.last, layer.state == state, layer.blocks else { return nil }
    return layer.edits.last?.id
  }

  /// Makes the edit that blocks the next undo a step.
  mutating func adopt() {
    let old = state
    guard let id = obstacle, var layer = extras[0].absorbed?.popLast(at: old), let edit = layer.edits.popLast() else {
      return
    }
    defer { _checkInvariants() }
    willNote()
    defer { note(.adopted) }
    settle()
    // Others may have been there because of this one alone.
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
      // What was saved below is without the edit now, and what was saved here or above it is with it.
      if point.state == old {
        point.state = old + 1
      } else if !(point.state.map(moved.contains) ?? false) {
        point.add(bytes)
      }
    }
  }
}
