// To undo a step that isn't the newest, the inverses of its edits are transformed over the later edits, and recorded as
// a new step. Other records don't change.

extension _UndoLog {
  /// The result of undoing a step.
  enum TakingBack {
    /// The edits, and the label of the new step.
    case done(edits: [UndoEdit], label: String)
    /// The identities of the steps that have to be undone first, newest first.
    case blocked([UInt64])
  }

  /// Whether a step that may have been undone and redone before is to be undone or redone.
  enum Effect { case undoing, redoing }

  /// The state after the newest step of an origin that can be undone or redone, or nil.
  ///
  /// Of steps that undo each other, the newest one counts. A new step ends redoing.
  mutating func newestStep(of origin: UndoOrigin?, _ effect: Effect) -> Int? {
    guard let origins, let index = origin.map({ name in origins.names.firstIndex(of: name) }) ?? -1 else { return nil }
    var passed: Set<UInt64> = []
    for state in stride(from: state, to: oldestState, by: -1) {
      let entry = identity(state)
      if entry.link != 0 { passed.insert(entry.link) }
      // Even if it was undone and redone, the step is there.
      if effect == .redoing, entry.origin == Int32(index), entry.link == 0 { return nil }
      guard entry.origin == Int32(index), passed.isEmpty || !passed.contains(entry.id) else { continue }
      switch effect {
      case .undoing where !entry.isUndoing: return state
      case .redoing where entry.isUndoing: return state
      default: break
      }
    }
    return nil
  }

  /// The state after the newest of the steps that undo and redo a step; nil if the step is undone or doesn't exist.
  mutating func newestStep(ofChainOf id: UndoStepID) -> Int? {
    guard hasOrigins else { return nil }
    var undoing: [UInt64: Int] = [:]
    for state in stride(from: state, to: oldestState, by: -1) {
      let entry = identity(state)
      if entry.link != 0 { undoing[entry.link] = state }
      guard entry.id == id.rawValue else { continue }
      var (newest, isThere) = (state, true)
      while let next = undoing[identity(newest).id] { (newest, isThere) = (next, !isThere) }
      return isThere ? newest : nil
    }
    return nil
  }

  /// Undoes the step that leads to a state, by recording a new step, unless a later edit conflicts.
  mutating func takeBack(stepTo target: Int, _ document: _UnsafeUndoPointer) -> TakingBack {
    defer { _checkInvariants() }
    // The latest step ends.
    settle()
    extras[0].origins?.waiting = nil
    let entry = identity(target)
    var (rest, obstacles): (_UndoRest?, [UInt64]) = (nil, [])
    let end = endOfStep(target)
    let (locations, start) = step(before: end)
    var inverses = locations.map { fastPath.operations.edit(of: record(there: $0)) }
    let isDirect = absorbed == nil && !isUndone(behind: target)
    let direct = isDirect ? transform(inverses, over: end, state - target, areMade: true) : nil
    if let direct, direct.count == state - target {
      inverses = direct.edits
    } else {
      // The rest is kept for undoing the next step.
      var known = self.rest(behind: target)
      obstacles = known.transform(&inverses)
      rest = known
    }
    let copies = _UnsafeUndoChunk(copiesOf: locations.map { record(there: $0) }, operations)
    guard obstacles.isEmpty, copies.move(to: inverses) else {
      extras[0].origins?.rest = rest
      return .blocked(obstacles)
    }
    let label = Self.label(of: entry, record(there: start), in: self)
    let (current, oldest, old) = (extras[0].origins?.current ?? -1, oldestState, state)
    extras[0].origins?.current = entry.origin
    extras[0].origins?.target = entry
    let edits = makeStep(of: copies, label, document)
    extras[0].origins?.current = current
    // Assignments of restored values alone aren't a step.
    extras[0].origins?.target = nil
    if oldestState == oldest, state > old {
      rest?.didAdd(to: self, from: start)
      extras[0].origins?.rest = rest
    }
    return .done(edits: edits, label: label)
  }

  /// The edits after the step that leads to a state.
  private mutating func rest(behind target: Int) -> _UndoRest {
    var rest = _UndoRest(of: self)
    if let known = extras[0].origins?.rest.take(), known.isValid(for: self, behind: target) { rest = known }
    let undoing = undoingSteps(behind: target)
    while rest.state > target {
      let (locations, start) = step(before: rest.start)
      let edits = locations.map { fastPath.operations.edit(of: record(there: $0)).inverted }
      let id = identity(rest.state).id
      rest.add(edits, of: id, at: start, undoneBy: undoing[id], absorbed)
    }
    return rest
  }

  /// Exchanges records with the document, and records them as a step.
  private mutating func makeStep(
    of records: _UnsafeUndoChunk, _ label: String, _ document: _UnsafeUndoPointer
  ) -> [UndoEdit] {
    var edits: [UndoEdit] = []
    beginTransaction(label)
    for record in records.records {
      let (operation, argument, bytes) = (record.header.operation, record.header.argument, counts.bytes)
      unsafe fastPath.operations.exchange(operation, record.payload, argument, document, &self)
      // The copy doesn't belong to the log yet.
      counts.bytes = bytes
      edits.append(UndoEdit(fastPath.operations.edit(of: record).inverted))
      let edit = unsafe _UndoPendingEdit(payload: record.payload, operation: operation, offset: argument, size: 0)
      if !hasExtras || admits(edit) { writeCopy(of: record) }
    }
    endTransaction()
    return edits
  }

  /// The label of a step that undoes another one, given that one's first record.
  private static func label(of entry: _UndoOrigins.Entry, _ first: Record, in log: borrowing _UndoLog) -> String {
    let old = log.label(first.header, in: first.memory, at: first.offset)
    let (prefix, oldPrefix) = entry.isUndoing ? ("Redo", "Undo") : ("Undo", "Redo")
    guard var name = old else { return prefix }
    if entry.link != 0, name.hasPrefix(oldPrefix) { name.removeFirst(oldPrefix.count) } else { name = " " + name }
    return prefix + name
  }
}
