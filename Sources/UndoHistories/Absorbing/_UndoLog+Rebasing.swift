// The store has another value, and the steps are changed as if they had been made on top of it. An edit of the store is
// made at the saved state. From there it moves to either side, up to a step that conflicts, and becomes part of that:
//
//     | S | T |          S is saved, T isn't; the store's edit A conflicts with both
//     | S A | -A T |     undoing T restores A; undoing S removes it

extension _UndoLog {
  /// Ends an assignment that another log has recorded, and puts this one back.
  ///
  /// - Parameter bytes: The bytes that keep their values: edits there are rolled back.
  /// - Returns: The other edits, separate if they are independent, and the bytes that were rolled back.
  mutating func endRebasing(
    _ own: inout _UndoLog, _ document: _UnsafeUndoPointer, except bytes: [Range<Int>]
  ) -> (edits: [_UndoAbsorbed.Edit], rest: [Range<Int>]) {
    close()
    swap(&own, &self)
    var result: (edits: [_UndoAbsorbed.Edit], rest: [Range<Int>]) = ([], [])
    useOrigins()
    for (range, records) in own.independentEdits() {
      let operations = records.map { own.fastPath.operations[$0.header.operation] }
      let canWrite = operations.allSatisfy { operation in
        operationIndex(of: ObjectIdentifier(operation.delta), { operation }) != nil
      }
      if canWrite, !bytes.contains(where: { $0.overlaps(range) }) {
        let id = extras[0].origins?.takeID() ?? 0
        let copies = _UnsafeUndoChunk(copiesOf: records, own.operations)
        result.edits.append(.init(id: id, isOfStore: true, records: copies))
      } else {
        result.rest.append(range)
        for record in records.reversed() {
          let (operation, argument) = (record.header.operation, record.header.argument)
          unsafe own.fastPath.operations.exchange(operation, record.payload, argument, document, &own)
        }
      }
    }
    own.chunks = []
    return result
  }

  /// The edits of a log in order, grouped by the bytes of the document that they change.
  private func independentEdits() -> [(bytes: Range<Int>, records: [Record])] {
    var (location, all): (RecordLocation, [(bytes: Range<Int>, records: [Record])]) = (firstRecord, [])
    while let record = record(at: &location) {
      guard record.header.isEdit else { continue }
      var (bytes, records) = (fastPath.operations.editedBytes(of: record), [Record]())
      while let index = all.firstIndex(where: { $0.bytes.overlaps(bytes) }) {
        let other = all.remove(at: index)
        bytes = min(bytes.lowerBound, other.bytes.lowerBound)..<max(bytes.upperBound, other.bytes.upperBound)
        records = other.records + records
      }
      all.append((bytes, records + [record]))
    }
    return all
  }

  /// Merges edits of the store that were made at the position.
  mutating func rebase(onto edits: [_UndoAbsorbed.Edit], _ document: _UnsafeUndoPointer) {
    guard !edits.isEmpty else { return }
    defer { _checkInvariants() }
    useOrigins()
    extras[0].origins?.rest = nil
    let redo = redoCount > 0 ? takeTail() : nil
    moveBranches(above: edits, at: state)
    if state > oldestState {
      let bottom = oldestState
      if extras[0].absorbed == nil { changeExtras { $0.absorbed = _UndoAbsorbed(bottom: bottom) } }
      sink(edits)
    }
    put(redo, above: edits, document)
  }

  /// Makes an edit of the store part of the step before the position, which conflicts with it.
  mutating func makePartOfStep(_ edit: _UndoAbsorbed.Edit) {
    settleLatest()
    let redo = redoCount > 0 ? takeTail() : nil
    let latest = unsafe Record(at: latestRecord.offset, in: chunks[latestRecord.chunkIndex].memory)
    let label = label(latest.header, in: latest.memory, at: latest.offset)
    if !isOpen { open() }
    extendLatestStep { log in
      for record in edit.recordsInside {
        let index = log.index(of: record, in: edit)
        log.writeCopy(of: record, as: index)
      }
      if let label { log.writeLabel(label) }
    }
    put(redo, above: [], nil)
    let (state, words) = (state, position.link.words)
    if keepsBranches { withBranches { $0.setPreviousWords(words, at: state) } }
  }

  /// The index of a record's operation in this log.
  mutating func index(of record: Record, in edit: _UndoAbsorbed.Edit) -> _UndoOperationIndex {
    let operation = edit.records.operations.table[record.header.operation]
    guard let index = operationIndex(of: ObjectIdentifier(operation.delta), { operation }) else {
      preconditionFailure("there is an index for each type of a document")
    }
    return index
  }

  // MARK: Redo steps

  /// Restores redo steps after the position, transformed over edits that were made there meanwhile.
  private mutating func put(
    _ redo: _UndoTail?, above edits: [_UndoAbsorbed.Edit], _ document: _UnsafeUndoPointer?
  ) {
    guard let redo else { return }
    closeRecords()
    counts.bytes -= bytes(in: redo.chunks)
    let made = edits
    var (edits, words) = (edits, position.link.words)
    for (number, step) in redo.steps().enumerated() {
      let lead = Array(step.prefix { !$0.header.isEdit })
      let own = Array(step.dropFirst(lead.count))
      let (moved, inverses) = transform(&edits, over: own, made, document)
      let count = lead.count + inverses.reduce(0) { $0 + $1.recordsInside.count } + own.count
      var written = 0
      func flags() -> UInt64 {
        written += 1
        return (written == 1 ? _UndoHeader.first : 0) | (written == count ? _UndoHeader.last : 0)
      }
      for record in lead { writeRedo(record, as: record.header.operation, flags(), &words) }
      for edit in inverses.reversed() {
        for record in edit.recordsInside.reversed() {
          writeRedo(record, as: index(of: record, in: edit), flags(), &words)
        }
      }
      var records = moved.records[...]
      for record in own {
        writeRedo(record.header.isEdit ? records.removeFirst() : record, as: record.header.operation, flags(), &words)
      }
      withExtendedLifetime(moved) {}
      for edit in edits { moveBranches(at: state + number + 1, above: edit.edits()) }
    }
    redoCount = redo.count
    if hasExtras { extras[0].steps.append(redo.rows, of: redo.count) }
    saves = redo.saves
  }

  /// Transforms edits over a step, except those that conflict with it.
  ///
  /// If both insert elements at the same place, the step's elements come last, unless they are the same.
  ///
  /// - Parameter made: All edits as they were made in the current document.
  /// - Returns: The transformed records of the step, and the edits that the step has to undo first.
  private mutating func transform(
    _ edits: inout [_UndoAbsorbed.Edit], over step: [Record], _ made: [_UndoAbsorbed.Edit],
    _ document: _UnsafeUndoPointer?
  ) -> (records: _UnsafeUndoChunk, inverses: [_UndoAbsorbed.Edit]) {
    let records = _UnsafeUndoChunk(copiesOf: step.filter(\.header.isEdit), operations)
    var own = records.records.map { fastPath.operations.edit(of: $0) }
    var (above, inverses): ([_UndoAbsorbed.Edit], [_UndoAbsorbed.Edit]) = ([], [])
    for edit in edits {
      func moved(insertsAfter: Bool) -> _UndoAbsorbed.Edit? {
        var (transformed, others) = (own, edit.edits())
        let policy = _UndoEdit.Policy(asWholeTexts: true, insertsAfter: insertsAfter)
        guard _UndoEdit.transform(&transformed, over: &others, policy) else { return nil }
        if records.move(to: transformed), let moved = edit.moved(to: others) {
          own = transformed
          return moved
        }
        _ = records.move(to: own)
        return nil
      }
      var result = moved(insertsAfter: false)
      if result == nil, !repeats(step, made.first { $0.id == edit.id }, document) { result = moved(insertsAfter: true) }
      if let result { above.append(result) } else { inverses.append(edit) }
    }
    edits = above
    return (records, inverses)
  }

  /// Whether a redo step inserts the same elements as an edit has inserted.
  private mutating func repeats(
    _ step: [Record], _ edit: _UndoAbsorbed.Edit?, _ document: _UnsafeUndoPointer?
  ) -> Bool {
    guard let edit, let document else { return false }
    let (copy, bytes) = (edit.copy(), counts.bytes)
    let records = copy.recordsInside
    let operations = records.map { index(of: $0, in: copy) }
    func exchange(_ index: Int) {
      let record = records[index]
      unsafe fastPath.operations.exchange(operations[index], record.payload, record.header.argument, document, &self)
    }
    func insertion(_ record: Record, _ operation: _UndoOperationIndex) -> (edit: _UndoEdit, coming: any Collection)? {
      let operation = fastPath.operations[operation]
      guard record.header.isEdit, let coming = unsafe operation.coming(record.payload) else { return nil }
      return (unsafe operation.edit(record.payload, record.header.argument), coming)
    }
    func areSame<Elements: Collection>(_ own: Elements, _ theirs: any Collection) -> Bool {
      (theirs as? Elements).map { _UndoSameness.haveSameParts(own, $0) } ?? false
    }
    // Roll the edit back, so that its records hold the inserted elements.
    for index in records.indices.reversed() { exchange(index) }
    let isRepeated = zip(records, operations).contains { record, operation in
      guard let theirs = insertion(record, operation) else { return false }
      return step.contains { own in
        guard let mine = insertion(own, own.header.operation), mine.edit == theirs.edit else { return false }
        return areSame(mine.coming, theirs.coming)
      }
    }
    for index in records.indices { exchange(index) }
    counts.bytes = bytes
    return isRepeated
  }

  /// Appends a copy of a record after all others, without moving the position.
  private mutating func writeRedo(
    _ record: Record, as operation: _UndoOperationIndex, _ flags: UInt64, _ words: inout Int
  ) {
    var memory = chunks[chunks.count - 1].memory
    if memory.used + record.header.bytes > memory.capacity {
      let (preferred, needed) = (min(2 * memory.capacity, 1 << 16), _UnsafeUndoMemory.start + record.header.bytes)
      chunks.append(_UnsafeUndoChunk(capacity: max(preferred, needed), operations: operations))
      memory = chunks[chunks.count - 1].memory
    }
    let start = memory.used
    let header = _UndoHeader(
      argument: record.header.argument, words: record.header.words, operation: operation,
      link: _UndoLink(words: words, flags: flags))
    unsafe memory.setHeader(header, at: start)
    unsafe fastPath.operations.copy(operation, record.payload, to: memory.payload(at: start))
    memory.used = start + header.bytes
    counts.bytes += bytes(header, in: memory, at: start)
    words = header.words
  }
}
