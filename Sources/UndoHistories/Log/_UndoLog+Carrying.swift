// The values that go along with the steps. Each step begins with a record of each of them.
//
//     | label | carried | carried | edit | edit | edit |      where an edit has all around a carried value,
//     ^ start                                    ^ carried    the record is at the end once more
//
// Within a transaction an edit of a carried value is recorded like any other, so that it can be rolled back. At the end
// of the transaction those records go.

/// The values that go along, and where the document has them.
struct _UndoCarriedValues {
  /// Where the document lies.
  var document: _UnsafeUndoPointer
  var values: [Value] = []
  /// Whether the step, or the transaction, has edits of carried values, and such that have all around one.
  var isEdited = false
  var isSurrounded = false

  struct Value {
    let carrier: _UndoCarrier
    /// Where the latest step has its records, the first and maybe the last, while they may change.
    var records: [_UndoLog.RecordLocation] = []
    /// Whether the next assignment belongs to that step.
    var isAwaited = false

    mutating func setLastRecord(_ location: _UndoLog.RecordLocation) {
      if records.count == 2 { records.removeLast() }
      records.append(location)
    }
  }

  /// Takes it that no assignment belongs to the latest step any more.
  mutating func forgetRecords() {
    for index in values.indices { (values[index].records, values[index].isAwaited) = ([], false) }
  }

  mutating func didRemoveFirstChunk() {
    for index in values.indices {
      for number in values[index].records.indices { values[index].records[number].chunkIndex -= 1 }
    }
  }

  /// Whether an edit in these bytes is of a carried value, or has all around one.
  func relation(of bytes: Range<Int>) -> (isOfValue: Bool, isAround: Bool) {
    var (isOfValue, isAround) = (false, false)
    for value in values where value.carrier.bytes.overlaps(bytes) {
      if bytes.lowerBound >= value.carrier.bytes.lowerBound, bytes.upperBound <= value.carrier.bytes.upperBound {
        isOfValue = true
      } else {
        isAround = true
      }
    }
    return (isOfValue, isAround && !isOfValue)
  }
}

extension _UndoLog {
  var carriesValues: Bool { extras.first?.carried != nil }

  /// Lets a property go along with the steps from now on.
  @usableFromInline
  mutating func carry(_ carrier: _UndoCarrier, in document: _UnsafeUndoPointer) {
    settle()
    coalescing.canJoin = false
    changeExtras { extras in
      var carried = extras.carried ?? _UndoCarriedValues(document: document)
      if !carried.values.contains(where: { $0.carrier.delta == carrier.delta && $0.carrier.bytes == carrier.bytes }) {
        carried.values.append(_UndoCarriedValues.Value(carrier: carrier))
      }
      extras.carried = carried
    }
  }

  /// Looks for the document elsewhere, after this log was copied or moved.
  @usableFromInline
  mutating func rebind(to document: _UnsafeUndoPointer) {
    if hasExtras { extras[0].carried?.document = document }
  }

  /// Where in the document the edit of a delta lies.
  private func editedBytes(
    _ payload: _UnsafeUndoPointer, _ operation: _UndoOperationIndex, offset: Int
  ) -> Range<Int> {
    switch fastPath.operations.effect(operation) {
    case .value(let size): offset..<offset + size
    case .element(let size):
      unsafe payload[as: _UndoElementPath.self].edit(size: size).bytes
    case .dynamic: unsafe fastPath.operations.edit(operation, payload, offset).bytes
    }
  }

  /// Whether an edit is to be recorded: not where it is of a carried value and outside of a transaction.
  mutating func admitsBesideCarried(
    _ payload: _UnsafeUndoPointer, _ operation: _UndoOperationIndex, offset: Int
  ) -> Bool {
    guard let carried = extras[0].carried else { return true }
    let bytes = editedBytes(payload, operation, offset: offset)
    let (isOfValue, isAround) = carried.relation(of: bytes)
    if isOfValue, transaction.depth == 0 {
      didAssignCarried(bytes)
      return false
    }
    if transaction.depth > 0 { transaction.needsSlowEnd = true }
    if isOfValue { extras[0].carried?.isEdited = true }
    if isAround { extras[0].carried?.isSurrounded = true }
    return true
  }

  /// Calls the closure while the carried values are as they were before an edit, which is taken back for that long if
  /// it changed one.
  mutating func withCarriedFromBefore(
    _ payload: _UnsafeUndoPointer, _ operation: _UndoOperationIndex, offset: Int, _ body: (inout _UndoLog) -> Void
  ) {
    guard let carried = extras[0].carried else { return body(&self) }
    let (isOfValue, isAround) = carried.relation(of: editedBytes(payload, operation, offset: offset))
    guard isOfValue || isAround else { return body(&self) }
    // The delta is none of the log's yet, so what it owns does not count.
    func exchange() {
      let bytes = counts.bytes
      unsafe fastPath.operations.exchange(operation, payload, offset, carried.document, &self)
      counts.bytes = bytes
    }
    exchange()
    body(&self)
    exchange()
  }

  /// Writes a record of each carried value into the step that has begun.
  mutating func writeCarried(_ didWrite: (inout _UndoLog, Int) -> Void = { _, _ in }) {
    guard let carried = extras[0].carried else { return }
    for (index, value) in carried.values.enumerated() {
      let type = ObjectIdentifier(value.carrier.delta)
      guard let operation = operationIndex(of: type, value.carrier.operation) else { continue }
      value.carrier.write(&self, operation, carried.document)
      didWrite(&self, index)
    }
  }

  /// Finds the records of the carried values in the step that begins there, and gives them the values behind it.
  mutating func didEndStepOfCarried(from start: RecordLocation, isTransaction: Bool) {
    guard carriesValues else { return }
    extras[0].carried?.forgetRecords()
    var location = start
    while let record = record(at: &location), !record.header.isEdit {
      addCarriedRecord(record, at: RecordLocation(chunkIndex: location.chunkIndex, offset: record.offset))
    }
    if isTransaction, extras[0].openStep == nil, extras[0].carried?.isSurrounded == true {
      // Behind the edits, and in front of the label if there is one.
      var location = latestRecord
      for _ in 0..<(extras[0].carried?.values.count ?? 0) + 1 {
        let record = unsafe Record(at: location.offset, in: chunks[location.chunkIndex].memory)
        if record.header.isEdit { break }
        addCarriedRecord(record, at: location)
        if record.header.begins { break }
        location = latestRecord(before: location)
      }
      extras[0].carried?.isSurrounded = false
    }
    didEditStepOfCarried()
  }

  private mutating func addCarriedRecord(_ record: Record, at location: RecordLocation) {
    let delta = ObjectIdentifier(fastPath.operations[record.header.operation].delta)
    for (index, value) in (extras[0].carried?.values ?? []).enumerated()
    where ObjectIdentifier(value.carrier.delta) == delta && ~record.header.argument == value.carrier.bytes.lowerBound {
      extras[0].carried?.values[index].records.append(location)
    }
  }

  /// Gives the latest step, which an edit began or joined, the values behind it.
  mutating func didEditStepOfCarried() {
    guard let carried = extras[0].carried else { return }
    if carried.isSurrounded {
      extras[0].carried?.isSurrounded = false
      extendLatestStep { log in
        log.writeCarried { log, index in
          let latest = log.latestRecord
          log.extras[0].carried?.values[index].setLastRecord(latest)
        }
      }
    }
    extras[0].carried?.isEdited = false
    updateCarried(isAwaited: !carried.isEdited)
  }

  /// Gives the records of the latest step the values that the document has now.
  mutating func updateCarried(isAwaited: Bool, where isUpdated: (_UndoCarriedValues.Value) -> Bool = { _ in true }) {
    guard let carried = extras[0].carried else { return }
    for (index, value) in carried.values.enumerated() {
      guard isUpdated(value) else { continue }
      for location in value.records {
        makeUnique(location.chunkIndex)
        let payload = unsafe chunks[location.chunkIndex].memory.payload(at: location.offset)
        counts.bytes -= bytes(ofRecordAt: location)
        value.carrier.update(payload, carried.document)
        counts.bytes += bytes(ofRecordAt: location)
      }
      extras[0].carried?.values[index].isAwaited = isAwaited
    }
  }

  private func bytes(ofRecordAt location: RecordLocation) -> Int {
    let memory = chunks[location.chunkIndex].memory
    return unsafe bytes(memory.header(at: location.offset), in: memory, at: location.offset)
  }

  /// Lets the first assignment behind an edit belong to its step, as the caret that follows the typing; in a step that
  /// is open every one.
  private mutating func didAssignCarried(_ bytes: Range<Int>) {
    updateCarried(isAwaited: extras[0].openStep?.hasEdits ?? false) { value in
      value.isAwaited && value.carrier.bytes.overlaps(bytes)
    }
  }

  /// Takes the edits of carried values out of the transaction that ends now, and all of it where nothing else is left.
  mutating func stripCarried() {
    guard let carried = extras[0].carried else { return }
    extras[0].carried?.isEdited = false
    guard position.link.flags == _UndoHeader.inner else { return }
    let start = firstRecord(from: extras[0].start)
    var (location, assigned, hasOthers): (RecordLocation, [Range<Int>], Bool) = (start, [], false)
    while let record = record(at: &location) {
      guard record.header.isEdit else { continue }
      if let bytes = carriedBytes(of: record) { assigned.append(bytes) } else { hasOthers = true }
    }
    if !hasOthers {
      removeLatestStep()
      closeRecords()
      position.link = _UndoLink(words: position.link.words, flags: _UndoHeader.first)
      for bytes in assigned { didAssignCarried(bytes) }
      return
    }
    if !assigned.isEmpty {
      extras[0].carried?.isEdited = true
      let label = transaction.label
      transaction.label = nil
      let records = takeRecords(from: start)
      position.link = _UndoLink(words: position.link.words, flags: _UndoHeader.first)
      forEachRecord(in: records) { log, record in
        if !record.header.isEdit || log.carriedBytes(of: record) == nil { log.writeCopy(of: record) }
      }
      transaction.label = label
    }
    if carried.isSurrounded, extras[0].openStep == nil { writeCarried() }
  }

  /// The bytes of an edit within a carried value; nil for any other edit.
  private func carriedBytes(of record: Record) -> Range<Int>? {
    let header = record.header
    let bytes = unsafe editedBytes(record.payload, header.operation, offset: header.argument)
    return extras[0].carried?.relation(of: bytes).isOfValue == true ? bytes : nil
  }
}
