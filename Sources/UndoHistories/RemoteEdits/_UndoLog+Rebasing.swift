// If the store has a new value, rebasing changes the steps as if they had been made on top of that value. The store's
// edits are made at the saved state. From there, each of them moves to both sides, up to a step that conflicts, and
// becomes part of that step:
//
//     | S | T |          S is saved, T isn't; the store's edit A conflicts with both
//     | S A | -A T |     undoing T restores A; undoing S removes it

extension _UndoLog {
  /// Puts the history's log back after another log has recorded the assignment of the store's value.
  ///
  /// - Parameter bytes: The bytes that keep their values. Edits of these bytes are rolled back.
  /// - Returns: The other edits, split into independent ones, and the bytes that were rolled back.
  mutating func endRebasing(
    _ own: inout _UndoLog, _ document: _UnsafeUndoPointer, except bytes: [Range<Int>]
  ) -> (edits: [_UndoRemoteEdits.Edit], rest: [Range<Int>]) {
    close()
    swap(&own, &self)
    var result: (edits: [_UndoRemoteEdits.Edit], rest: [Range<Int>]) = ([], [])
    useOrigins()
    for (range, edits) in own.records.independentEdits() {
      let operations = edits.map { own.records.fastPath.operations[$0.header.operation] }
      let canWrite = operations.allSatisfy { operation in
        records.operationIndex(of: ObjectIdentifier(operation.delta), { operation }) != nil
      }
      if canWrite, !bytes.contains(where: { $0.overlaps(range) }) {
        let id = extras[0].origins?.takeID() ?? 0
        let copies = _UnsafeUndoChunk(copiesOf: edits, own.records.operations)
        result.edits.append(.init(id: id, isOfStore: true, records: copies))
      } else {
        result.rest.append(range)
        for record in edits.reversed() { own.records.exchange(record, with: document) }
      }
    }
    own.records.chunks = []
    return result
  }

  /// Rebases the steps onto edits of the store that were made at the position.
  mutating func rebase(onto edits: [_UndoRemoteEdits.Edit], _ document: _UnsafeUndoPointer) {
    guard !edits.isEmpty else { return }
    defer { _checkInvariants() }
    useOrigins()
    extras[0].origins?.rest = nil
    let redo = redoCount > 0 ? takeTail() : nil
    moveBranches(above: edits, at: state)
    if state > oldestState {
      let bottom = oldestState
      if extras[0].remoteEdits == nil { changeExtras { $0.remoteEdits = _UndoRemoteEdits(bottom: bottom) } }
      sink(edits)
    }
    put(redo, above: edits, document)
  }

  /// Makes an edit of the store part of the step before the position, because the two conflict.
  mutating func makePartOfStep(_ edit: _UndoRemoteEdits.Edit) {
    settleLatest()
    let redo = redoCount > 0 ? takeTail() : nil
    let label = records.latestLabel
    if !isOpen { open() }
    extendLatestStep { log in
      for record in edit.recordsInside {
        let index = log.index(of: record, in: edit)
        log.writeCopy(of: record, as: index)
      }
      if let label { log.writeLabel(label) }
    }
    put(redo, above: [], nil)
    let (state, words) = (state, records.position.link.words)
    if keepsBranches { withBranches { $0.setPreviousWords(words, at: state) } }
  }

  /// The index of a record's operation in this log.
  mutating func index(of record: _UndoRecord, in edit: _UndoRemoteEdits.Edit) -> _UndoOperationIndex {
    let operation = edit.records.operations.table[record.header.operation]
    guard let index = records.operationIndex(of: ObjectIdentifier(operation.delta), { operation }) else {
      preconditionFailure("there is an index for each type of a document")
    }
    return index
  }

  // MARK: Redo steps

  /// Restores redo steps that were detached, transformed over edits that were made at the position since then.
  private mutating func put(
    _ redo: _UndoTail?, above edits: [_UndoRemoteEdits.Edit], _ document: _UnsafeUndoPointer?
  ) {
    guard let redo else { return }
    records.close()
    records.counts.bytes -= records.bytes(in: redo.chunks)
    let made = edits
    var (edits, words) = (edits, records.position.link.words)
    for (number, step) in redo.steps().enumerated() {
      let stepHeader = Array(step.prefix { !$0.header.isEdit })
      let own = Array(step.dropFirst(stepHeader.count))
      let (moved, inverses) = transform(&edits, over: own, made, document)
      let count = stepHeader.count + inverses.reduce(0) { $0 + $1.recordsInside.count } + own.count
      var written = 0
      func flags() -> UInt64 {
        written += 1
        return (written == 1 ? _UndoHeader.first : 0) | (written == count ? _UndoHeader.last : 0)
      }
      for record in stepHeader { records.appendCopy(of: record, as: record.header.operation, flags: flags(), &words) }
      for edit in inverses.reversed() {
        for record in edit.recordsInside.reversed() {
          let operation = index(of: record, in: edit)
          records.appendCopy(of: record, as: operation, flags: flags(), &words)
        }
      }
      var transformed = moved.records[...]
      for record in own {
        let copy = record.header.isEdit ? transformed.removeFirst() : record
        records.appendCopy(of: copy, as: record.header.operation, flags: flags(), &words)
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
  /// - Parameter made: All edits as they were made in the current document, before any transformation.
  /// - Returns: The transformed records of the step, and the edits that the step has to undo first.
  private mutating func transform(
    _ edits: inout [_UndoRemoteEdits.Edit], over step: [_UndoRecord], _ made: [_UndoRemoteEdits.Edit],
    _ document: _UnsafeUndoPointer?
  ) -> (records: _UnsafeUndoChunk, inverses: [_UndoRemoteEdits.Edit]) {
    let copies = _UnsafeUndoChunk(copiesOf: step.filter(\.header.isEdit), records.operations)
    var own = copies.records.map { records.fastPath.operations.edit(of: $0) }
    var (above, inverses): ([_UndoRemoteEdits.Edit], [_UndoRemoteEdits.Edit]) = ([], [])
    for edit in edits {
      func moved(insertsAfter: Bool) -> _UndoRemoteEdits.Edit? {
        var (transformed, others) = (own, edit.edits())
        let policy = _UndoEdit.Policy(asWholeTexts: true, insertsAfter: insertsAfter)
        guard _UndoEdit.transform(&transformed, over: &others, policy) else { return nil }
        if copies.move(to: transformed), let moved = edit.moved(to: others) {
          own = transformed
          return moved
        }
        _ = copies.move(to: own)
        return nil
      }
      var result = moved(insertsAfter: false)
      if result == nil, !repeats(step, made.first { $0.id == edit.id }, document) { result = moved(insertsAfter: true) }
      if let result { above.append(result) } else { inverses.append(edit) }
    }
    edits = above
    return (copies, inverses)
  }

  /// Whether a redo step inserts the same elements that an edit has inserted.
  private mutating func repeats(
    _ step: [_UndoRecord], _ edit: _UndoRemoteEdits.Edit?, _ document: _UnsafeUndoPointer?
  ) -> Bool {
    guard let edit, let document else { return false }
    let (copy, bytes) = (edit.copy(), records.counts.bytes)
    let inserting = copy.recordsInside
    let operations = inserting.map { index(of: $0, in: copy) }
    func exchange(_ index: Int) {
      let record = inserting[index]
      unsafe records.fastPath.operations.exchange(
        operations[index], record.payload, record.header.argument, document, &records)
    }
    func insertion(_ record: _UndoRecord, _ operation: _UndoOperationIndex) -> (
      edit: _UndoEdit, insertedElements: any Collection
    )? {
      let operation = records.fastPath.operations[operation]
      guard record.header.isEdit, let insertedElements = unsafe operation.insertedElements(record.payload) else {
        return nil
      }
      return (unsafe operation.edit(record.payload, record.header.argument), insertedElements)
    }
    func areSame<Elements: Collection>(_ own: Elements, _ theirs: any Collection) -> Bool {
      (theirs as? Elements).map { _UndoSameness.haveSameParts(own, $0) } ?? false
    }
    // Roll the edit back, so that its records hold the inserted elements.
    for index in inserting.indices.reversed() { exchange(index) }
    let isRepeated = zip(inserting, operations).contains { record, operation in
      guard let theirs = insertion(record, operation) else { return false }
      return step.contains { own in
        guard let mine = insertion(own, own.header.operation), mine.edit == theirs.edit else { return false }
        return areSame(mine.insertedElements, theirs.insertedElements)
      }
    }
    for index in inserting.indices { exchange(index) }
    records.counts.bytes = bytes
    return isRepeated
  }
}
