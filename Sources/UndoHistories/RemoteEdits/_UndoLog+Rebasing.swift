// Rebasing: changes the steps as if they had been made on top of a new value of the store.
//
// The store's edits are made at the saved state. From there, each of them moves to both sides, up to a step that
// conflicts, and becomes part of that step:
//
//     | S | T |          S is saved, T isn't; the store's edit A conflicts with both
//     | S A | -A T |     undoing T restores A; undoing S removes it

internal import Sameness

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
    let positions = _UndoLivePositions(beforeRemoteEdit: own)
    if !positions.isEmpty { positions.move(over: result.edits.flatMap { $0.edits() }, in: extras[0]) }
    own.records.chunks = []
    return result
  }

  /// Rebases the steps onto edits of the store that were made at the position.
  mutating func rebase(onto edits: [_UndoRemoteEdits.Edit], _ document: _UnsafeUndoPointer) {
    guard !edits.isEmpty else { return }
    defer { _checkInvariants() }
    useOrigins()
    extras[0].origins?.rest = nil
    let redo = redoCount > 0 ? takeRedo() : nil
    moveBranches(above: edits, at: state)
    sink(edits)
    put(redo, above: edits, document)
  }

  /// Makes an edit of the store part of the step before the position, because the two conflict.
  mutating func makePartOfStep(_ edit: _UndoRemoteEdits.Edit) {
    settleLatest()
    let redo = redoCount > 0 ? takeRedo() : nil
    let label = records.latestLabel
    if !isOpen { open() }
    extras[0].steps.changePositions(before: 0) { space, _, after in after = space.moved(after, over: edit.edits()) }
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
    _ redo: _UndoDetachedRedo?, above made: [_UndoRemoteEdits.Edit], _ document: _UnsafeUndoPointer?
  ) {
    guard let redo else { return }
    records.close()
    records.counts.bytes -= records.bytes(in: redo.tail.chunks)
    var (edits, words, rows) = (made, records.position.link.words, redo.tail.rows)
    for (number, step) in redo.tail.steps().enumerated() {
      let (own, earlier) = (step.filter(\.header.isEdit), edits)
      let (moved, inverses) = transform(&edits, over: own, made, document)
      if hasExtras, extras[0].restoresPositions {
        rows.movePositions(
          before: redo.tail.count - 1 - number, over: earlier.flatMap { $0.edits() },
          and: edits.flatMap { $0.edits() }, with: own.map { records.fastPath.operations.edit(of: $0) },
          now: moved.records.map { records.fastPath.operations.edit(of: $0) })
      }
      let stepHeader = step.prefix { !$0.header.isEdit }
      var copies = stepHeader.map { ($0, $0.header.operation) }
      for edit in inverses.reversed() {
        copies += edit.recordsInside.reversed().map { ($0, index(of: $0, in: edit)) }
      }
      copies += moved.records.map { ($0, $0.header.operation) }
      copies += step.dropFirst(stepHeader.count).filter { !$0.header.isEdit }.map { ($0, $0.header.operation) }
      for (index, (record, operation)) in copies.enumerated() {
        let flags = (index == 0 ? _UndoHeader.first : 0) | (index == copies.count - 1 ? _UndoHeader.last : 0)
        records.appendCopy(of: record, as: operation, flags: flags, &words)
      }
      withExtendedLifetime(moved) {}
      for edit in edits { moveBranches(at: state + number + 1, above: edit.edits()) }
    }
    redoCount = redo.tail.count
    if hasExtras { extras[0].steps.append(rows, of: redo.tail.count) }
    saves = redo.saves
  }

  /// Transforms edits over a step, except those that conflict with it.
  ///
  /// If both insert elements at the same place, the step's elements come last, unless they are the same.
  ///
  /// - Parameters:
  ///   - step: The records of the step's edits.
  ///   - made: All edits as they were made in the current document, before any transformation.
  /// - Returns: The transformed records of the step, and the edits that the step has to undo first.
  private mutating func transform(
    _ edits: inout [_UndoRemoteEdits.Edit], over step: [_UndoRecord], _ made: [_UndoRemoteEdits.Edit],
    _ document: _UnsafeUndoPointer?
  ) -> (records: _UnsafeUndoChunk, inverses: [_UndoRemoteEdits.Edit]) {
    let copies = _UnsafeUndoChunk(copiesOf: step, records.operations)
    var own = copies.records.map { records.fastPath.operations.edit(of: $0) }
    var (above, inverses): ([_UndoRemoteEdits.Edit], [_UndoRemoteEdits.Edit]) = ([], [])
    for edit in edits {
      func moved(insertsAfter: Bool) -> _UndoRemoteEdits.Edit? {
        var transformed = own
        let policy = _UndoEdit.Policy(asWholeTexts: true, insertsAfter: insertsAfter)
        guard let moved = edit.transformed(over: &transformed, policy) else { return nil }
        let isMoved = copies.move(to: transformed)
        if isMoved { own = transformed } else { _ = copies.move(to: own) }
        return isMoved ? moved : nil
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
    guard let edit = edit?.copy(), let document else { return false }
    let table = edit.records.operations.table
    // While the edit is rolled back, its records hold the inserted elements.
    for record in edit.recordsInside.reversed() { records.exchangeUncounted(.init(record), table, with: document) }
    let inserted = table.insertions(in: edit.recordsInside)
    for record in edit.recordsInside { records.exchangeUncounted(.init(record), table, with: document) }
    return records.fastPath.operations.insertions(in: step).contains { own in
      inserted.contains { own.edit == $0.edit && _haveSameContents(own.elements, $0.elements) }
    }
  }
}

extension _UnsafeUndoOperationTable {
  /// The edits that insert elements or texts with their next exchange, and what they insert.
  fileprivate func insertions(in records: [_UndoRecord]) -> [(edit: _UndoEdit, elements: any Collection)] {
    records.compactMap { record in
      unsafe self[record.header.operation].delta.read(record.payload).insertedElements.map { (edit(of: record), $0) }
    }
  }
}
