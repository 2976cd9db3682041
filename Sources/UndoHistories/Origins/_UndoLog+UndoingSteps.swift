// Undoes a step that isn't the newest: transforms the inverses of its edits over the later edits, and records them as a
// new step. Also finds the step that an origin undoes or redoes next.

extension _UndoLog {
  /// Undoes the step that leads to a state, by recording a new step, unless a later edit conflicts.
  ///
  /// - Returns: The details of the new step; or nil, and the identities of the steps that have to be undone first, the
  ///   newest of them first.
  mutating func rollBack(
    stepTo target: Int, _ document: _UnsafeUndoPointer
  ) -> (details: _UndoStepDetails?, obstacles: [UInt64]) {
    defer { _checkInvariants() }
    // No later edit may join the latest step.
    settle()
    extras[0].origins?.waiting = nil
    let entry = extras[0].identity(target, records)
    var (rest, obstacles): (_UndoLaterEdits?, [UInt64]) = (nil, [])
    let end = records.endOfStep(target)
    let (locations, start) = records.step(before: end)
    var inverses = locations.map { records.fastPath.operations.edit(of: records.record(there: $0)) }
    let isDirect = remoteEdits == nil && extras[0].undoingSteps(behind: target, records).isEmpty
    let direct = isDirect ? records.transform(inverses, over: end, state - target, areMade: true) : nil
    if let direct, direct.count == state - target {
      inverses = direct.edits
    } else {
      // The rest is kept for undoing the next step.
      var known = extras[0].rest(behind: target, records)
      obstacles = known.transform(&inverses)
      rest = known
    }
    let copies = _UnsafeUndoChunk(copiesOf: locations.map { records.record(there: $0) }, records.operations)
    guard obstacles.isEmpty, copies.move(to: inverses) else {
      extras[0].origins?.rest = rest
      return (nil, obstacles)
    }
    let label = entry.label(ofUndoing: records.record(there: start).label)
    let (current, oldest, old) = (extras[0].origins?.current ?? -1, oldestState, state)
    extras[0].origins?.current = entry.origin
    extras[0].origins?.target = entry
    let edits = makeStep(of: copies, label, document)
    extras[0].origins?.current = current
    // Assignments of restored values alone aren't a step.
    extras[0].origins?.target = nil
    if oldestState == oldest, state > old {
      rest?.didAdd(to: records, &extras[0], from: start)
      extras[0].origins?.rest = rest
    }
    return (_UndoStepDetails(label: label, edits: edits), [])
  }

  /// Makes the edits of records in the document, and records them as a step.
  private mutating func makeStep(
    of copies: _UnsafeUndoChunk, _ label: String, _ document: _UnsafeUndoPointer
  ) -> [UndoEdit] {
    var edits: [UndoEdit] = []
    let positions = _UndoLivePositions(of: self)
    beginTransaction(label)
    for record in copies.records {
      records.exchangeUncounted(.init(record), with: document)
      edits.append(UndoEdit(records.fastPath.operations.edit(of: record).inverted))
      if !hasExtras || admits(_UndoPendingEdit(record)) { writeCopy(of: record) }
    }
    endTransaction()
    positions.assign(over: copies.records.map { records.fastPath.operations.edit(of: $0).inverted }, in: &self)
    return edits
  }
}

extension _UndoExtras {
  /// The state after the newest step of an origin that can be undone; nil if there is none.
  ///
  /// A step that undoes another one is undone to redo that one.
  /// If steps undo each other, only the newest of them counts. After a new step of the origin, nothing can be redone.
  mutating func newestStep(of origin: UndoOrigin?, isUndoing: Bool, _ records: _UndoRecords) -> Int? {
    guard let origins, let index = origin.map({ name in origins.names.firstIndex(of: name) }) ?? -1 else { return nil }
    var passed: Set<UInt64> = []
    for state in stride(from: records.state, to: oldestState(of: records), by: -1) {
      let entry = identity(state, records)
      if entry.link != 0 { passed.insert(entry.link) }
      // An original step ends the search, even if it was undone and redone.
      if isUndoing, entry.origin == Int32(index), entry.link == 0 { return nil }
      guard entry.origin == Int32(index), passed.isEmpty || !passed.contains(entry.id) else { continue }
      if entry.isUndoing == isUndoing { return state }
    }
    return nil
  }

  /// The state after the newest of the steps that undo and redo a step; nil if the step is undone or doesn't exist.
  mutating func newestStep(ofChainOf id: UndoStepID, _ records: _UndoRecords) -> Int? {
    var undoing: [UInt64: Int] = [:]
    for state in stride(from: records.state, to: oldestState(of: records), by: -1) {
      let entry = identity(state, records)
      if entry.link != 0 { undoing[entry.link] = state }
      guard entry.id == id.rawValue else { continue }
      var (newest, isThere) = (state, true)
      while let next = undoing[identity(newest, records).id] { (newest, isThere) = (next, !isThere) }
      return isThere ? newest : nil
    }
    return nil
  }

  /// The edits after a state, without the steps that undo each other.
  fileprivate mutating func rest(behind target: Int, _ records: _UndoRecords) -> _UndoLaterEdits {
    var rest = _UndoLaterEdits(of: records, &self)
    if let known = origins?.rest.take(), known.isValid(for: records, &self, behind: target) { rest = known }
    let undoing = undoingSteps(behind: target, records)
    while rest.state > target {
      let (locations, start) = records.step(before: rest.start)
      let edits = locations.map { records.fastPath.operations.edit(of: records.record(there: $0)).inverted }
      let id = identity(rest.state, records).id
      rest.add(edits, of: id, at: start, undoneBy: undoing[id], remoteEdits)
    }
    return rest
  }
}
