// The values that undo and redo restore are no records: each step has a cell for each of them (`_UndoSteps.restored`).
// Before the first change of a step they are kept as they are (`keepRestored`), and so they are in each transaction
// inside of it that assigns one. To roll back is to take back the records, and then to give the document those values.

extension _UndoLog {
  package var restoresValues: Bool { records.fastPath.restoresValues }

  /// The properties that are restored.
  package var restoredProperties: [_UndoRestored] { extras.first?.steps.restored.map(\.property) ?? [] }

  @usableFromInline
  package var canRestoreMore: Bool { restoredProperties.count < _UndoRestoredValues.maximumCount }

  /// Lets a property go along with the steps from now on.
  ///
  /// - Returns: Whether it does: not where something inside of it was edited. It moves between the steps from then on,
  ///   and a range of it would be none of what it is.
  @usableFromInline
  package mutating func restoreOnUndo(_ property: _UndoRestored, in document: _UnsafeUndoPointer) -> Bool {
    settle()
    records.position.canJoin = false
    if restoredProperties.contains(where: { $0.isSame(as: property) }) { return true }
    if hasEdit(inside: property.bytes) { return false }
    unread?.loseTrack()
    changeExtras { extras in
      extras.document = document
      extras.restored.bytes.append(property.bytes)
      extras.steps.restored.append(_UndoRestoredColumn(of: property))
    }
    return true
  }

  /// Lets these properties go along with the steps, and no others; there are no steps yet.
  package mutating func restoreOnly(_ properties: some Sequence<_UndoRestored>, in document: _UnsafeUndoPointer) {
    if hasExtras { changeExtras { ($0.restored, $0.steps.restored) = (_UndoRestoredValues(), []) } }
    for property in properties { _ = restoreOnUndo(property, in: document) }
  }

  /// Whether any edit is of less than all of a property, as one of a range is, or of an element.
  private func hasEdit(inside bytes: Range<Int>) -> Bool {
    var isFound = false
    func isInside(_ edit: _UndoEdit) -> Bool {
      isFound = isFound || (edit.levels.count > 0 || edit.change != .value) && edit.bytes.overlaps(bytes)
      return isFound
    }
    func isInside(_ record: _UndoRecord) -> Bool { isInside(records.fastPath.operations.edit(of: record)) }
    // Steps that are hidden may come back.
    records.forEachEdit(between: oldestState, and: state + redoCount, isEnough: isInside)
    for branch in branches?.branches ?? [] {
      records.steps(of: branch).forEachEdit(between: 0, and: branch.stepCount, isEnough: isInside)
    }
    for edit in extras.first?.remoteEdits?.layers.flatMap(\.edits) ?? [] { _ = edit.edits().contains(where: isInside) }
    return isFound
  }

  /// What all restored values take: of the steps here, of those that were detached, and of branches.
  var restoredBytes: Int {
    guard restoresValues else { return 0 }
    var tails = [transaction.detachedRedo, extras[0].openStep?.detachedRedo].compactMap(\.self)
    tails += (branches?.branches ?? []).map(\.tail)
    return tails.reduce(extras[0].steps.restoredBytes) { $0 + $1.rows.restoredBytes }
  }

  // MARK: Assignments

  /// Sees to an assignment of carried values that is about to be made outside of a transaction.
  mutating func willAssignRestored(_ indices: [Int]) {
    guard transaction.depth == 0, !indices.isEmpty else { return }
    let members = indices.reduce(into: _UndoRestoredValues.Members()) { $0.insert(.init($1)) }
    extras[0].updateRestored(members)
    unread?.noteAssignment(of: members, inEditedStep: extras[0].isStepOpenWithEdits(), records)
    extras[0].didAssign(members)
  }

  /// Whether an edit, which has been made and has no record yet, is of carried values: then it gets none.
  mutating func assignsRestored(_ edit: _UndoPendingEdit) -> Bool {
    let bytes = editedBytes(edit)
    guard extras[0].restored.isOfValue(bytes) else {
      // The record of an edit around a value gives back that one as well, and a later assignment must not undo this.
      if transaction.depth > 0, !extras[0].restored.members(in: bytes).isEmpty {
        keepRestored(from: edit, depth: transaction.depth)
      }
      return false
    }
    if transaction.depth > 0 {
      keepRestored(from: edit, depth: transaction.depth)
      extras[0].restored.assign(bytes)
      return true
    }
    let isDone = extras[0].restored.takesAssignment(bytes, isStepOpen: extras[0].isStepOpenWithEdits())
    if isDone, !isRead { return true }
    let members = extras[0].restored.members(in: bytes)
    unread?.noteAssignment(of: members, inEditedStep: extras[0].isStepOpenWithEdits(), records)
    if isDone { return true }
    // What was assigned before is the latest step's.
    withRestoredFromBefore(edit) { $0.extras[0].updateRestored(members) }
    extras[0].didAssign(members)
    return true
  }

  private func editedBytes(_ edit: _UndoPendingEdit) -> Range<Int> {
    if edit.size > 0 { return edit.offset..<edit.offset + edit.size }
    return unsafe records.fastPath.operations.editedBytes(edit.operation, edit.payload, edit.offset)
  }

  /// Calls the closure while the carried values are as they were before an edit, which is taken back for that long if
  /// it changed one.
  private mutating func withRestoredFromBefore(_ edit: _UndoPendingEdit, _ body: (inout _UndoLog) -> Void) {
    guard let document = extras[0].document, !extras[0].restored.members(in: editedBytes(edit)).isEmpty else {
      return body(&self)
    }
    // The delta is none of the log's yet, so what it owns does not count.
    func exchange() {
      let bytes = records.counts.bytes
      unsafe records.fastPath.operations.exchange(edit.operation, edit.payload, edit.offset, document, &records)
      records.counts.bytes = bytes
    }
    exchange()
    body(&self)
    exchange()
  }

  /// Keeps the values as they were before an edit, unless they are kept for the transaction of this depth.
  mutating func keepRestored(from edit: _UndoPendingEdit, depth: Int32 = 1) {
    if extras[0].restored.isKept(depth) { return }
    withRestoredFromBefore(edit) {
      $0.extras[0].keepRestored(depth: depth)
    }
  }

  /// Looks for the document elsewhere, after this log was copied or moved.
  @usableFromInline
  package mutating func rebind(to document: _UnsafeUndoPointer) {
    if !extras.isEmpty { extras[0].document = document }
  }
}

extension _UndoExtras {
  /// Carries what others do, where there are no steps yet.
  mutating func restoreOnUndo(asIn others: _UndoExtras) {
    (document, restored.bytes) = (others.document, others.restored.bytes)
    steps.restored = ContiguousArray(others.steps.restored.map(\.withoutValues))
  }

  // MARK: The step in progress

  /// Keeps the values as they are for the step and for the transaction of this depth, unless they are kept for these.
  mutating func keepRestored(depth: Int32 = 1) {
    keep(depth: 1)
    keep(depth: depth)
  }

  private mutating func keep(depth: Int32) {
    guard let document, !restored.isEmpty, !restored.isKept(depth) else { return }
    if restored.frames.isEmpty { updateRestored() }
    restored.frames.append(.init(depth: depth, assigned: restored.assignedInside))
    for index in steps.restored.indices { steps.restored[index].keep(document) }
  }

  /// Gives the document the values from before the innermost transaction, which is rolled back.
  mutating func rollBackRestored(_ document: _UnsafeUndoPointer, depth: Int32) {
    guard let frame = restored.frames.last, frame.depth >= depth else { return }
    restored.assignedInside = frame.assigned
    endFrame(givingBackTo: document)
  }

  /// Lets what was kept for an inner transaction, which ends, be kept for the one around it.
  mutating func didEndInnerTransaction(depth: Int32) {
    let last = restored.frames.count - 1
    guard last >= 0, restored.frames[last].depth == depth else { return }
    if last > 0, restored.frames[last - 1].depth == depth - 1 { return endFrame(givingBackTo: nil) }
    restored.frames[last].depth -= 1
  }

  private mutating func endFrame(givingBackTo document: _UnsafeUndoPointer?) {
    restored.frames.removeLast()
    for index in steps.restored.indices { steps.restored[index].endKeeping(givingBackTo: document) }
  }

  /// Forgets what was kept for a step, which has ended or is taken back.
  mutating func endKeeping() {
    restored.assignedInside = []
    restored.frames.removeAll(keepingCapacity: true)
    for index in steps.restored.indices { steps.restored[index].endKeeping() }
  }

  // MARK: The latest step

  /// Lets the first assignment behind an edit belong to its step, as the caret that follows the typing.
  ///
  /// In a step that is open every one does. The cells have what the values were before it.
  mutating func didAssign(_ members: _UndoRestoredValues.Members) {
    if members.isEmpty || isStepOpenWithEdits() { return }
    restored.take(members)
  }

  /// Lets the latest step, which so many others follow, have the values after it from now on.
  mutating func awaitRestored(before distance: Int) {
    restored.forgetLatest()
    for index in steps.restored.indices where steps.restored[index].hasValues(before: distance) {
      restored.recorded.insert(.init(index))
    }
    restored.didEdit()
  }

  /// Writes down what the document has, as far as that is what the latest step has after it.
  mutating func updateRestored(_ members: _UndoRestoredValues.Members? = nil) {
    let current = restored.awaited.union(restored.assigned)
    guard let document, !current.isEmpty else { return }
    for index in steps.restored.indices where current.contains(index) && members?.contains(index) ?? true {
      steps.restored[index].setAfter(document)
    }
  }

  /// Gives the document the values from before or after the step that so many others follow.
  mutating func restore(_ document: _UnsafeUndoPointer, before distance: Int, isAfter: Bool) {
    for index in steps.restored.indices {
      steps.restored[index].restore(document, before: distance, isAfter: isAfter)
    }
  }
}
