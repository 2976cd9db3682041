// To take a step back that is not the newest one, the inverse of each of its edits crosses what came later, and is made
// as an edit of a new step. The log has nothing else to do for it: the records of others stay as they are.

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
      let entry = origins.entry(state)
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
    guard let origins else { return nil }
    var undoing: [UInt64: Int] = [:]
    for state in stride(from: state, to: oldestState, by: -1) {
      let entry = origins.entry(state)
      if entry.link != 0 { undoing[entry.link] = state }
      guard entry.id == id.rawValue else { continue }
      var (newest, isThere) = (state, true)
      while let next = undoing[origins.entry(newest).id] { (newest, isThere) = (next, !isThere) }
      return isThere ? newest : nil
    }
    return nil
  }

  /// Takes the step back that leads to a state, by a new step with a label, if no later edit is in the way.
  mutating func takeBack(stepTo target: Int, _ document: _UnsafeUndoPointer) -> TakingBack {
    defer { _checkInvariants() }
    closeForTakingBack()
    guard var origins = takeOrigins() else { return .blocked([]) }
    let entry = origins.entry(target)
    var rest: _UndoRest?
    var obstacles: [UInt64] = []
    let isDirect = absorbed == nil && !origins.isUndone(behind: target, upTo: state)
    var (records, start) = isDirect ? step(target) : ([], location)
    var inverses = records.map { fastPath.operations.edit(of: $0) }
    if records.isEmpty || !crossDirectly(&inverses, from: start, state - target) {
      var known = self.rest(behind: target, &origins)
      (records, start) = step(before: known.start)
      inverses = records.map { fastPath.operations.edit(of: $0) }
      obstacles = known.cross(&inverses)
      rest = known
    }
    guard obstacles.isEmpty, let moved = copies(of: records, at: inverses) else {
      origins.rest = rest
      defer { extras[0].origins = origins }
      return .blocked(obstacles)
    }
    let label = Self.label(of: entry, unsafe Record(at: start.offset, in: chunks[start.chunkIndex].memory), in: self)
    let (current, oldest) = (origins.current, oldestState)
    (origins.current, origins.target) = (entry.origin, entry)
    extras[0].origins = origins
    let old = state
    let edits = makeStep(of: moved, label, document)
    extras[0].origins?.current = current
    // Edits of carried values alone are no step.
    extras[0].origins?.target = nil
    if oldestState == oldest, state > old, let origins = extras[0].origins {
      rest?.didAdd(to: self, origins, from: start)
      extras[0].origins?.rest = rest
    }
    return .done(edits: edits, label: label)
  }

  /// Lets nothing be added to the latest step.
  private mutating func closeForTakingBack() {
    settle()
    extras[0].origins?.waiting = nil
  }

  private mutating func takeOrigins() -> _UndoOrigins? {
    var origins: _UndoOrigins?
    swap(&origins, &extras[0].origins)
    return origins
  }

  /// The edits behind the step that leads to a state.
  private func rest(behind target: Int, _ origins: inout _UndoOrigins) -> _UndoRest {
    var rest = _UndoRest(of: self, origins)
    if let known = origins.rest, known.isValid(for: self, origins, behind: target) { rest = known }
    origins.rest = nil
    let undoing = origins.undoingSteps(from: target + 1, to: state)
    while rest.state > target {
      let (records, start) = step(before: rest.start)
      let footprints = records.map {
        fastPath.operations.edit(of: $0).inverted
      }
      let id = origins.entry(rest.state).id
      rest.add(footprints, of: id, at: start, undoneBy: undoing[id], absorbed)
    }
    return rest
  }

  /// Lets edits cross all later ones, where none of those was taken back; false if one is in the way.
  ///
  /// What the others are behind them is not asked for, so that nothing is kept.
  private func crossDirectly(
    _ inverses: inout [_UndoEdit], from start: RecordLocation, _ count: Int
  ) -> Bool {
    var (location, stepsLeft) = (start, count)
    let ranges = inverses.map(\.bytes)
    while let record = record(at: &location), !record.header.ends {}
    while stepsLeft > 0, let record = record(at: &location) {
      if record.header.ends { stepsLeft -= 1 }
      guard record.header.isEdit else { continue }
      // Most edits lie elsewhere, which their bytes tell.
      let bytes = fastPath.operations.editedBytes(of: record)
      guard ranges.contains(where: { $0.overlaps(bytes) }) else { continue }
      var other = fastPath.operations.edit(of: record).inverted
      for index in inverses.indices where !_UndoEdit.transform(&inverses[index], &other) { return false }
    }
    return true
  }

  /// The edits of the step that leads to a state, newest first, and where it begins.
  private func step(_ target: Int) -> (edits: [Record], start: RecordLocation) {
    var (index, end, words) = (position.chunkIndex, position.offset, position.link.words)
    var memory = position.currentChunk
    var stepsLeft = state - target
    while stepsLeft > 0 {
      while end == _UnsafeUndoMemory.start {
        index -= 1
        memory = chunks[index].memory
        end = memory.used
      }
      end -= 8 * words
      let header = unsafe memory.header(at: end)
      words = header.link.words
      if header.begins { stepsLeft -= 1 }
    }
    return step(before: RecordLocation(chunkIndex: index, offset: end))
  }

  /// The edits of the step that ends at a location, newest first, and where it begins.
  private func step(before end: RecordLocation) -> (edits: [Record], start: RecordLocation) {
    var location = end == self.location ? latestRecord : latestRecord(before: end)
    var edits: [Record] = []
    while true {
      let record = unsafe Record(at: location.offset, in: chunks[location.chunkIndex].memory)
      if record.header.isEdit { edits.append(record) }
      if record.header.begins { return (edits, location) }
      location = latestRecord(before: location)
    }
  }

  /// Copies of records that do what they do in other footprints; nil where one has no room for that.
  private func copies(
    of records: [Record], at footprints: [_UndoEdit]
  ) -> _UnsafeUndoChunk? {
    let size = records.reduce(0) { $0 + $1.header.bytes }
    let chunk = _UnsafeUndoChunk(capacity: _UnsafeUndoMemory.start + size, operations: operations)
    for (record, footprint) in zip(records, footprints) {
      let offset = chunk.memory.used
      unsafe chunk.memory.appendCopy(of: record, operations)
      let copy = unsafe Record(at: offset, in: chunk.memory)
      guard fastPath.operations.move(copy, to: footprint) else { return nil }
    }
    return chunk
  }

  /// Exchanges records with the document, and makes a step of them.
  private mutating func makeStep(
    of records: _UnsafeUndoChunk, _ label: String, _ document: _UnsafeUndoPointer
  ) -> [UndoEdit] {
    var edits: [UndoEdit] = []
    beginTransaction(label)
    forEachRecord(in: records) { log, record in
      let (operation, argument, bytes) = (record.header.operation, record.header.argument, log.counts.bytes)
      unsafe log.fastPath.operations.exchange(operation, record.payload, argument, document, &log)
      // The copy is none of the log's yet, so what it owns does not count.
      log.counts.bytes = bytes
      edits.append(UndoEdit(log.fastPath.operations.edit(of: record).inverted))
      let edit = unsafe _UndoPendingEdit(payload: record.payload, operation: operation, offset: argument, size: 0)
      if log.hasExtras, !log.admits(edit) { return }
      log.writeCopy(of: record)
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
