// To take a step back that is not the newest one, the inverse of each of its edits is transformed over what came later,
// and is made as an edit of a new step. The log has nothing else to do for it: the records of others stay as they are.

extension _UndoLog {
  /// What taking a step back comes to.
  enum TakingBack {
    /// What was edited, and the label.
    case done(edits: [UndoEdit], label: String)
    /// The identities of the steps that have to go first, newest first.
    case blocked([UInt64])
  }

  /// Which way a step is to go that may have been taken back, and brought again, before.
  enum Effect { case undoing, redoing }

  /// The state behind the newest step of an origin of which something can be undone or redone; nil for none.
  ///
  /// Steps that take each other back are a chain, of which the newest one counts. Redoing ends at a step that is newer
  /// than what was undone.
  mutating func newestStep(of origin: UndoOrigin?, _ effect: Effect) -> Int? {
    guard let origins, let index = origin.map({ name in origins.names.firstIndex(of: name) }) ?? -1 else { return nil }
    var passed: Set<UInt64> = []
    for state in stride(from: state, to: oldestState, by: -1) {
      let entry = identity(state)
      if entry.link != 0 { passed.insert(entry.link) }
      // Also where it was taken back, and brought again: it is there.
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

  /// The state behind the newest step of the chain that a step is in; nil if it is taken back, or not there.
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

  /// Takes the step back that leads to a state, by a new step with a label, if no later edit is in the way.
  mutating func takeBack(stepTo target: Int, _ document: _UnsafeUndoPointer) -> TakingBack {
    defer { _checkInvariants() }
    // Nothing is added to the latest step.
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
      // Of the others it is known then what they are without the step, which the next one is asked of.
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
    // Edits of carried values alone are no step.
    extras[0].origins?.target = nil
    if oldestState == oldest, state > old {
      rest?.didAdd(to: self, from: start)
      extras[0].origins?.rest = rest
    }
    return .done(edits: edits, label: label)
  }

  /// The edits behind the step that leads to a state.
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

  /// Exchanges records with the document, and makes a step of them.
  private mutating func makeStep(
    of records: _UnsafeUndoChunk, _ label: String, _ document: _UnsafeUndoPointer
  ) -> [UndoEdit] {
    var edits: [UndoEdit] = []
    beginTransaction(label)
    for record in records.records {
      let (operation, argument, bytes) = (record.header.operation, record.header.argument, counts.bytes)
      unsafe fastPath.operations.exchange(operation, record.payload, argument, document, &self)
      // The copy is none of the log's yet, so what it owns does not count.
      counts.bytes = bytes
      edits.append(UndoEdit(fastPath.operations.edit(of: record).inverted))
      let edit = unsafe _UndoPendingEdit(payload: record.payload, operation: operation, offset: argument, size: 0)
      if !hasExtras || admits(edit) { writeCopy(of: record) }
    }
    endTransaction()
    return edits
  }

  /// The label of a step that takes another one back, of which this is the first record.
  private static func label(of entry: _UndoOrigins.Entry, _ first: Record, in log: borrowing _UndoLog) -> String {
    let old = log.label(first.header, in: first.memory, at: first.offset)
    let (prefix, oldPrefix) = entry.isUndoing ? ("Redo", "Undo") : ("Undo", "Redo")
    guard var name = old else { return prefix }
    if entry.link != 0, name.hasPrefix(oldPrefix) { name.removeFirst(oldPrefix.count) } else { name = " " + name }
    return prefix + name
  }
}
