// Keeps the values of restored properties for each step, and assigns them to the document on undo, redo and rollback.
//
// These values have no records; instead, each step has a cell for each of them (`_UndoSteps.restored`). The values are
// kept before the first change of a step (`saveRestored`), and also in each transaction within the step that assigns
// one. A rollback first undoes the records, and then assigns the kept values to the document. The first half decides
// when values are kept (`_UndoLog`), the second half keeps and assigns them (`_UndoExtras`).

extension _UndoLog {
  package var restoresValues: Bool { records.fastPath.restoresValues }

  package var restoredProperties: [_UndoRestored] { extras.first?.steps.restored.map(\.property) ?? [] }

  /// Whether there is a bit for another property in a set of them.
  @usableFromInline
  package var canRestoreMore: Bool { restoredProperties.count < 64 }

  /// Restores a property on undo and redo from now on.
  ///
  /// - Returns: Whether the property can be restored. It can't if an edit lies inside it, because its value then
  ///   changes between the steps, and a range in one value has no meaning in another. It can't be a position if it is
  ///   restored already and isn't one.
  @usableFromInline
  package mutating func restoreOnUndo(_ property: _UndoRestored, in document: _UnsafeUndoPointer) -> Bool {
    settle()
    if let known = restoredProperties.first(where: { $0.isSame(as: property) }) {
      return property.space == nil || known.space != nil
    }
    if hasEdit(inside: property.bytes) { return false }
    unread?.loseTrack()
    changeExtras { extras in
      extras.document = document
      if property.space != nil { extras.restored.positions.insert(.init(extras.restored.bytes.count)) }
      extras.restored.bytes.append(property.bytes)
      extras.steps.restored.append(_UndoRestoredColumn(of: property))
    }
    return true
  }

  /// Restores these properties and no others; there must be no steps yet.
  package mutating func restoreOnly(_ properties: some Sequence<_UndoRestored>, in document: _UnsafeUndoPointer) {
    if hasExtras { changeExtras { ($0.restored, $0.steps.restored) = (_UndoRestoredValues(), []) } }
    for property in properties { _ = restoreOnUndo(property, in: document) }
  }

  /// Whether any edit changed only a part of a property, such as a range or an element.
  private func hasEdit(inside bytes: Range<Int>) -> Bool {
    var isFound = false
    func isInside(_ edit: _UndoEdit) -> Bool {
      isFound = isFound || (edit.levels.count > 0 || edit.change != .value) && edit.bytes.overlaps(bytes)
      return isFound
    }
    func isInside(_ record: _UndoRecord) -> Bool { isInside(records.fastPath.operations.edit(of: record)) }
    // Hidden steps may become visible again.
    records.forEachEdit(between: oldestState, and: state + redoCount, isEnough: isInside)
    for branch in branches?.branches ?? [] {
      records.steps(of: branch).forEachEdit(between: 0, and: branch.stepCount, isEnough: isInside)
    }
    for edit in extras.first?.remoteEdits?.layers.flatMap(\.edits) ?? [] { _ = edit.edits().contains(where: isInside) }
    return isFound
  }

  /// The bytes of all restored values: of the steps in the log, of detached steps, and of branches.
  var restoredBytes: Int {
    guard restoresValues else { return 0 }
    return detachedTails.reduce(extras[0].steps.restoredBytes) { $0 + $1.rows.restoredBytes }
  }

  // MARK: Assignments

  /// Updates the latest step before restored values are assigned outside a transaction.
  mutating func willAssignRestored(_ indices: [Int]) {
    guard transaction.depth == 0, !indices.isEmpty else { return }
    let members = indices.reduce(into: _UndoRestoredValues.Members()) { $0.insert(.init($1)) }
    extras[0].updateRestored(members)
    unread?.noteAssignment(of: members, inEditedStep: records.gesture != nil, records)
    didAssign(members)
  }

  /// Makes the first assignment after an edit part of that edit's step, such as the caret that follows typing.
  ///
  /// In an open step with edits, every assignment is part of the step. The cells must already have the values from
  /// before the assignment.
  mutating func didAssign(_ members: _UndoRestoredValues.Members) {
    if members.isEmpty || isEditedStepOpen { return }
    extras[0].restored.take(members)
  }

  /// Whether an edit, which was made but has no record yet, changes only a restored value, so that it gets no record.
  mutating func assignsRestored(_ edit: _UndoPendingEdit) -> Bool {
    let bytes = records.fastPath.operations.editedBytes(of: edit)
    guard extras[0].restored.isOfValue(bytes) else {
      // Undoing an edit around a restored value also restores that value. If it were kept only at a later assignment, a
      // rollback would then assign the wrong value.
      if transaction.depth > 0, !extras[0].restored.members(in: bytes).isEmpty {
        saveRestored(from: edit, depth: transaction.depth)
      }
      return false
    }
    if transaction.depth > 0 {
      saveRestored(from: edit, depth: transaction.depth)
      extras[0].restored.assign(bytes)
      return true
    }
    let members = extras[0].restored.members(in: bytes)
    unread?.noteAssignment(of: members, inEditedStep: records.gesture != nil, records)
    if !isEditedStepOpen, extras[0].restored.haveAssigned(members) {
      // The value that was assigned before belongs to the latest step.
      withRestoredFromBefore(edit) { $0.extras[0].updateRestored(members) }
    }
    didAssign(members)
    return true
  }

  /// Calls the closure while the restored values are as they were before an edit.
  ///
  /// If the edit changed one of them, it is undone during the call.
  private mutating func withRestoredFromBefore(_ edit: _UndoPendingEdit, _ body: (inout _UndoLog) -> Void) {
    let bytes = records.fastPath.operations.editedBytes(of: edit)
    guard let document = extras[0].document, !extras[0].restored.members(in: bytes).isEmpty else { return body(&self) }
    records.exchangeUncounted(edit, with: document)
    body(&self)
    records.exchangeUncounted(edit, with: document)
  }

  /// Keeps the values from before an edit, unless they are already kept for the transaction of this depth.
  mutating func saveRestored(from edit: _UndoPendingEdit, depth: Int32 = 1) {
    if extras[0].restored.isKept(depth) { return }
    withRestoredFromBefore(edit) { $0.extras[0].saveRestored(depth: depth) }
  }

  /// Sets the address of the document, after this log was copied or moved.
  @usableFromInline
  package mutating func rebind(to document: _UnsafeUndoPointer) {
    if !extras.isEmpty { extras[0].document = document }
  }
}

extension _UndoExtras {
  /// Restores the same properties as another log; there must be no steps yet.
  mutating func restoreOnUndo(asIn others: _UndoExtras) {
    (document, restored.bytes, restored.positions) = (
      others.document, others.restored.bytes, others.restored.positions
    )
    steps.restored = ContiguousArray(others.steps.restored.map(\.withoutValues))
  }

  // MARK: The step in progress

  /// Keeps the current values for the step and for the transaction of this depth, unless they are already kept.
  mutating func saveRestored(depth: Int32 = 1) {
    keep(depth: 1)
    keep(depth: depth)
  }

  private mutating func keep(depth: Int32) {
    guard let document, !restored.isEmpty, !restored.isKept(depth) else { return }
    // Positions are updated when the step ends (`keepPositions`), because its edits have already changed the text.
    if restored.frames.isEmpty { updateRestored(.all.subtracting(restored.positions)) }
    restored.frames.append((depth, restored.assignedInside))
    for index in steps.restored.indices { steps.restored[index].keep(document) }
  }

  /// Assigns the values from before the innermost transaction, which is rolled back, to the document.
  mutating func rollBackRestored(_ document: _UnsafeUndoPointer, depth: Int32) {
    guard let frame = restored.frames.last, frame.depth >= depth else { return }
    restored.assignedInside = frame.assigned
    endFrame(undoingIn: document)
  }

  /// Passes the values that were kept for an inner transaction, which ends, to the one around it.
  mutating func didEndInnerTransaction(depth: Int32) {
    let last = restored.frames.count - 1
    guard last >= 0, restored.frames[last].depth == depth else { return }
    if last > 0, restored.frames[last - 1].depth == depth - 1 { return endFrame(undoingIn: nil) }
    restored.frames[last].depth -= 1
  }

  private mutating func endFrame(undoingIn document: _UnsafeUndoPointer?) {
    restored.frames.removeLast()
    for index in steps.restored.indices { steps.restored[index].endKeeping(undoingIn: document) }
  }

  /// Forgets the values that were kept for a step, which has ended or is rolled back.
  mutating func endKeeping() {
    restored.assignedInside = []
    while !restored.frames.isEmpty { endFrame(undoingIn: nil) }
  }

  // MARK: The latest step

  /// Makes the next assignments part of the latest step, which has this many steps after it.
  mutating func awaitRestored(before distance: Int) {
    restored.forgetLatest()
    for index in steps.restored.indices where steps.restored[index].hasValues(before: distance) {
      restored.recorded.insert(.init(index))
    }
    restored.didEdit()
  }

  /// Copies the document's values into the latest step, if they are the values after that step.
  mutating func updateRestored(_ members: _UndoRestoredValues.Members = .all) {
    let current = restored.awaited.union(restored.assigned).intersection(members)
    guard let document, !current.isEmpty else { return }
    for index in steps.restored.indices where current.contains(index) {
      steps.restored[index].setAfter(document)
    }
  }

  /// Assigns the values before or after the step with this many steps after it to the document.
  mutating func restore(_ document: _UnsafeUndoPointer, before distance: Int, isAfter: Bool) {
    for index in steps.restored.indices {
      steps.restored[index].restore(document, before: distance, isAfter: isAfter)
    }
  }
}
