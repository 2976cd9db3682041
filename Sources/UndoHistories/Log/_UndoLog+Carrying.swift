// The values that go along with the steps. Each step begins with a record of each of them, which is exchanged last,
// whichever way the step is taken.
//
//     | label | carried | carried | edit | edit | edit |
//     ^ start
//
// A transaction that is taken back restores the values by those records. Only what an inner transaction does is
// recorded like any other edit, so that it can be taken back alone. At the end of the transaction those records go.

extension _UndoLog {
  package var carriesValues: Bool { hasExtras && !extras[0].carried.isEmpty }

  @usableFromInline
  package var canCarryMore: Bool { !hasExtras || extras[0].carried.values.count < _UndoCarriedValues.maximumCount }

  /// Lets a property go along with the steps from now on.
  ///
  /// - Returns: Whether it does: not where something inside of it was edited. It moves between the steps from then on,
  ///   and a range of it would be none of what it is.
  @usableFromInline
  package mutating func carry(_ carrier: _UndoCarrier, in document: _UnsafeUndoPointer) -> Bool {
    settle()
    coalescing.canJoin = false
    if carriers.contains(where: { $0.isSame(as: carrier) }) { return true }
    if hasEdit(inside: carrier.bytes) { return false }
    loseTrack()
    changeExtras { extras in
      extras.document = document
      extras.carried.add(carrier)
    }
    return true
  }

  /// Lets these properties go along with the steps, and no others; there are no steps yet.
  package mutating func carryOnly(_ carriers: [_UndoCarrier], in document: _UnsafeUndoPointer) {
    if hasExtras { changeExtras { $0.carried = _UndoCarriedValues() } }
    for carrier in carriers { _ = carry(carrier, in: document) }
  }

  /// Whether any edit is of less than all of a property, as one of a range is, or of an element.
  private func hasEdit(inside bytes: Range<Int>) -> Bool {
    var isFound = false
    func isInside(_ edit: _UndoEdit) -> Bool {
      isFound = isFound || (edit.levels.count > 0 || edit.change != .value) && edit.bytes.overlaps(bytes)
      return isFound
    }
    func isInside(_ record: Record) -> Bool { isInside(fastPath.operations.edit(of: record)) }
    // Steps that are hidden may come back.
    forEachEdit(between: oldestState, and: state + redoCount, isEnough: isInside)
    for branch in branches?.branches ?? [] {
      steps(of: branch).forEachEdit(between: 0, and: branch.stepCount, isEnough: isInside)
    }
    for edit in extras.first?.absorbed?.layers.flatMap(\.edits) ?? [] { _ = edit.edits().contains(where: isInside) }
    return isFound
  }

  /// Lets this log, which has no steps yet, carry what another one does.
  mutating func carry(what others: _UndoExtras) {
    changeExtras { extras in
      extras.document = others.document
      for value in others.carried.values { extras.carried.add(value.carrier) }
    }
  }

  /// The carried values that are where the closure says.
  func carriedValues(where isMeant: (Range<Int>) -> Bool) -> [_UndoCarriedValues.Value] {
    extras.first?.carried.values.filter { isMeant($0.bytes) } ?? []
  }

  /// Sees to an assignment of carried values that is about to be made outside of a transaction.
  mutating func willAssignCarried(_ values: [_UndoCarriedValues.Value]) {
    guard transaction.depth == 0 else { return }
    var members = _UndoCarriedValues.Members()
    for (index, value) in extras[0].carried.values.enumerated()
    where values.contains(where: { $0.carrier === value.carrier }) {
      members.insert(_UndoCarriedValues.Members(index))
      updateCarried(index)
    }
    noteAssignment(of: members)
    didAssignCarried(members)
  }

  package var carriers: [_UndoCarrier] { extras.first?.carried.values.map(\.carrier) ?? [] }

  /// Whether the step before the position has a record of a carried value; there must be a step.
  package mutating func latestStepCarries(_ carrier: _UndoCarrier) -> Bool {
    guard let value = extras.first?.carried.values.first(where: { $0.carrier.isSame(as: carrier) }) else {
      return false
    }
    var start = startOfStep(endingWith: latestRecord)
    while start < location, let record = record(at: &start) {
      if record.header.operation == value.operation, ~record.header.argument == value.bytes.lowerBound { return true }
    }
    return false
  }

  /// Looks for the document elsewhere, after this log was copied or moved.
  @usableFromInline
  package mutating func rebind(to document: _UnsafeUndoPointer) {
    if !extras.isEmpty { extras[0].document = document }
  }

  private func editedBytes(_ edit: _UndoPendingEdit) -> Range<Int> {
    if edit.size > 0 { return edit.offset..<edit.offset + edit.size }
    return unsafe fastPath.operations.editedBytes(edit.operation, edit.payload, edit.offset)
  }

  /// Whether an edit is to be recorded: not where it is of a carried value and outside of a transaction.
  mutating func admitsBesideCarried(_ edit: _UndoPendingEdit) -> Bool {
    let bytes = editedBytes(edit)
    guard transaction.depth > 0 else {
      let (isOfValue, isDone) = extras[0].assignsCarried(bytes)
      if isOfValue, isRead { noteAssignment(of: extras[0].carried.members(in: bytes)) }
      if isOfValue, !isDone { didAssignAnew(bytes, edit) }
      return !isOfValue
    }
    let isOfValue = extras[0].carried.isOfValue(bytes)
    transaction.needsSlowEnd = true
    if isOfValue { extras[0].carried.isEdited = true }
    // The records that lead the step restore the values, where it is taken back as a whole.
    guard isOfValue, transaction.depth == 1, !extras[0].carried.isRecordedInside, !extras[0].isStepOpenWithEdits(),
      hasOperationsOfCarried()
    else {
      extras[0].carried.isRecordedInside = extras[0].carried.isRecordedInside || isOfValue
      return true
    }
    let members = extras[0].carried.members(in: bytes)
    extras[0].carried.assignedInside.formUnion(members)
    return false
  }

  /// Calls the closure while the carried values are as they were before an edit, which is taken back for that long if
  /// it changed one.
  mutating func withCarriedFromBefore(
    _ edit: _UndoPendingEdit, _ body: (inout _UndoLog) -> Void
  ) {
    let bytes = editedBytes(edit)
    guard let document = extras[0].document, !extras[0].carried.members(in: bytes).isEmpty else {
      return body(&self)
    }
    // The delta is none of the log's yet, so what it owns does not count.
    func exchange() {
      let bytes = counts.bytes
      unsafe fastPath.operations.exchange(edit.operation, edit.payload, edit.offset, document, &self)
      counts.bytes = bytes
    }
    exchange()
    body(&self)
    exchange()
  }

  /// Writes a record of each carried value into the step that has begun.
  mutating func writeCarried() {
    guard let document = extras[0].document else { return }
    for index in extras[0].carried.values.indices {
      // There is none where operations are used up.
      guard let operation = operation(ofCarried: index) else { continue }
      extras[0].carried.values[index].carrier.write(&self, operation, document)
    }
  }

  private mutating func operation(ofCarried index: Int) -> _UndoOperationIndex? {
    let carrier = extras[0].carried.values[index].carrier
    if let known = extras[0].carried.values[index].operation { return known }
    let operation = operationIndex(of: ObjectIdentifier(carrier.delta), carrier.operation)
    extras[0].carried.values[index].operation = operation
    return operation
  }

  /// Whether each carried value can have a record.
  private mutating func hasOperationsOfCarried() -> Bool {
    for index in extras[0].carried.values.indices where operation(ofCarried: index) == nil { return false }
    return true
  }

  /// Finds the records of the carried values in the latest step, which begins there, and lets it have the values
  /// behind it.
  mutating func findCarried(from start: RecordLocation) {
    guard carriesValues else { return }
    extras[0].carried.forgetRecords()
    var location = start
    while let record = record(at: &location), !record.header.isEdit {
      let found = RecordLocation(chunkIndex: location.chunkIndex, offset: record.offset)
      for index in extras[0].carried.values.indices where isRecord(record, ofCarried: index) {
        extras[0].carried.values[index].record = found
        extras[0].carried.recorded.insert(_UndoCarriedValues.Members(index))
      }
    }
    extras[0].carried.didEdit()
  }

  private func isRecord(_ record: Record, ofCarried index: Int) -> Bool {
    let value = extras[0].carried.values[index]
    return value.operation == record.header.operation && ~record.header.argument == value.bytes.lowerBound
  }

  // MARK: A step forward

  /// Whether the record at the position, which is no edit, is of a carried value: then it waits for the step's end.
  mutating func leavesCarriedForLater(_ header: _UndoHeader) -> Bool {
    guard header.operation != .label, fastPath.carriesValues else { return false }
    let location = location
    extras[0].carried.leftForLater.append(location)
    return true
  }

  /// Makes the carried values what they were behind a step, whatever its edits have around them.
  mutating func exchangeCarriedLeftForLater(_ document: _UnsafeUndoPointer) {
    guard fastPath.carriesValues else { return }
    for location in extras[0].carried.leftForLater {
      exchange(unsafe Record(at: location.offset, in: chunks[location.chunkIndex].memory), with: document)
    }
    extras[0].carried.leftForLater.removeAll(keepingCapacity: true)
  }

  /// Writes into the records of the latest step what the document has, as far as that is the step's.
  mutating func updateCarried() {
    guard fastPath.carriesValues else { return }
    for index in extras[0].carried.values.indices { updateCarried(index) }
  }

  private mutating func updateCarried(_ index: Int) {
    let isCurrent = extras[0].carried.awaited.union(extras[0].carried.assigned).contains(index)
    guard isCurrent, let document = extras[0].document else { return }
    let value = extras[0].carried.values[index]
    guard let location = value.record else { return }
    makeUnique(location.chunkIndex)
    let payload = unsafe chunks[location.chunkIndex].memory.payload(at: location.offset)
    counts.bytes -= bytes(ofRecordAt: location)
    value.carrier.update(payload, document)
    counts.bytes += bytes(ofRecordAt: location)
  }

  private func bytes(ofRecordAt location: RecordLocation) -> Int {
    let memory = chunks[location.chunkIndex].memory
    return unsafe bytes(memory.header(at: location.offset), in: memory, at: location.offset)
  }

  /// Writes what a value was behind the latest step before it was assigned again, which is not the step's.
  private mutating func didAssignAnew(_ bytes: Range<Int>, _ edit: _UndoPendingEdit) {
    withCarriedFromBefore(edit) { log in
      for index in log.extras[0].carried.values.indices
      where log.extras[0].carried.values[index].bytes.overlaps(bytes) {
        log.updateCarried(index)
      }
    }
    let members = extras[0].carried.members(in: bytes)
    didAssignCarried(members)
  }

  /// Lets the first assignment behind an edit belong to its step, as the caret that follows the typing.
  ///
  /// In a step that is open every one does. The records have what the values were before it.
  mutating func didAssignCarried(_ members: _UndoCarriedValues.Members) {
    if extras[0].isStepOpenWithEdits() { return }
    extras[0].carried.take(members)
  }

  /// Takes the edits of carried values out of the transaction that ends now, and all of it where nothing else is left.
  mutating func stripCarried() {
    let isRecorded = extras[0].carried.isRecordedInside
    var assigned = extras[0].carried.assignedInside
    extras[0].carried.didEndTransaction()
    guard position.link.flags == _UndoHeader.inner else { return }
    let start = firstRecord(from: extras[0].start)
    var (location, hasRecords, hasOthers) = (start, false, false)
    while !hasOthers || isRecorded, let record = record(at: &location) {
      guard record.header.isEdit else { continue }
      let members = isRecorded ? carriedMembers(of: record) : []
      assigned.formUnion(members)
      hasRecords = hasRecords || !members.isEmpty
      hasOthers = hasOthers || members.isEmpty
    }
    guard hasOthers else {
      removeLatestStep()
      closeRecords()
      position.link = _UndoLink(words: position.link.words, flags: _UndoHeader.first)
      return didAssignCarried(assigned)
    }
    extras[0].carried.isEdited = !assigned.isEmpty
    if hasRecords {
      let label = transaction.label
      transaction.label = nil
      let records = takeRecords(from: start)
      position.link = _UndoLink(words: position.link.words, flags: _UndoHeader.first)
      forEachRecord(in: records) { log, record in
        if !record.header.isEdit || log.carriedMembers(of: record).isEmpty { log.writeCopy(of: record) }
      }
      transaction.label = label
    }
  }

  /// The values that an edit changed which lies within one; none for any other edit.
  private mutating func carriedMembers(of record: Record) -> _UndoCarriedValues.Members {
    let bytes = fastPath.operations.editedBytes(of: record)
    return extras[0].carried.isOfValue(bytes) ? extras[0].carried.members(in: bytes) : []
  }
}
