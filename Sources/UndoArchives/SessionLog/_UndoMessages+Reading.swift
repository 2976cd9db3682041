internal import UndoHistories

// What a call did is read off the log behind it: its records, the text that the latest record took in, the edits that
// needed no record, and the carried values. No edit knows of that while it is made.

extension _UndoMessages {
  /// What is to be known of a log before a call that edits.
  struct Mark {
    let location: _UndoLog.RecordLocation
    let state: Int
    /// What the latest record has of a text.
    let text: _UndoTextNumbers?
    let hasOpenStep: Bool
    var carried: Carried
  }

  /// Carried values, as messages that assign them, and which step they belong to.
  struct Carried {
    /// Nil for a value that no message can name.
    var messages: [[UInt8]?] = []
    /// Of which values the next assignment belongs to the latest step, and of which the latest one did.
    var awaited = _UndoCarriedValues.Members()
    var assigned = _UndoCarriedValues.Members()

    /// Whether what comes next of a value belongs to a step less than it did before.
    func isAssigned(_ index: Int, since old: Carried) -> Bool {
      func count(_ carried: Carried) -> Int {
        carried.awaited.contains(index) ? 0 : carried.assigned.contains(index) ? 1 : 2
      }
      return count(self) > count(old)
    }

    /// The latest step has an edit that came behind all assignments.
    mutating func didEdit(_ recorded: _UndoCarriedValues.Members) { (awaited, assigned) = (recorded, []) }
  }

  /// A call that edits begins.
  mutating func beginReading(
    _ log: inout _UndoLog, _ document: _UnsafeUndoPointer, by recorder: _UndoAnyRecorder
  ) {
    synchronize(with: log)
    log.unrecorded = []
    mark = Mark(
      location: log.location, state: log.state, text: log.latestText, hasOpenStep: log.hasOpenStep,
      carried: carried(by: &log, document, recorder))
  }

  /// A call that edits ended, which made one step at most: writes down what it did, and lets the limit drop steps.
  mutating func endReading(
    _ log: inout _UndoLog, _ document: _UnsafeUndoPointer, by recorder: _UndoAnyRecorder
  ) {
    guard let mark else { return }
    assert(log.state <= mark.state + 1, "A call makes one step at most")
    let found = log.unrecorded ?? []
    (log.unrecorded, self.mark) = (nil, nil)
    // A step that is not open where the history is now ends by the next edit.
    if mark.hasOpenStep, !log.hasOpenStep { write(.settle) }
    let isStep = log.state > mark.state
    // Values that joined the latest step and came back have taken that away.
    let records = isStep ? log.editsOfStep : log.state < mark.state ? [] : log.edits(from: mark.location)
    var (old, new) = (mark.carried, carried(by: &log, document, recorder))
    if !found.isEmpty || !records.isEmpty {
      old.didEdit(new.awaited.union(new.assigned))
      // Into a step that is open a transaction takes along what it assigns.
      let assigns = log.isEditedStepOpen && !new.assigned.isEmpty
      write(found, records, isStep: isStep, assigns ? new : nil, of: &log, document, by: recorder)
      if assigns { old = new }
    } else if let text = mark.text, let joined = log.latestText, joined != text {
      old.didEdit(new.awaited.union(new.assigned))
      writeJoinedText(joined, to: text, of: log, document, by: recorder)
    }
    for (index, message) in new.messages.enumerated() {
      guard let message else { continue }
      let isAssigned = !log.isEditedStepOpen && new.isAssigned(index, since: old)
      if isAssigned || message != old.messages[index] { writer.bytes += message }
    }
    let state = log.state
    if log.fastPath.isLimited { log.enforceLimit() }
    if log.state < state { writeRemovedAll(log) }
    synchronize(with: log)
  }

  // MARK: Edits

  /// Writes edits that the latest step had records of, and those that got records; several are a transaction.
  private mutating func write(
    _ found: [(edit: _UndoEdit, joins: Bool)], _ records: [_UndoLog.Record], isStep: Bool, _ carried: Carried?,
    of log: inout _UndoLog, _ document: _UnsafeUndoPointer, by recorder: _UndoAnyRecorder
  ) {
    let label = isStep && !log.isEditedStepOpen ? log.undoLabel : nil
    let joins = !isStep && !log.isEditedStepOpen
    if found.count + records.count == 1, label == nil, carried == nil {
      return write(found, records, joins: joins || found.first?.joins == true, of: &log, document, by: recorder)
    }
    write(.beginTransaction, .beginLabelledTransaction, label)
    write(found, records, of: &log, document, by: recorder)
    for message in carried?.messages ?? [] { writer.bytes += message ?? [] }
    write(.endTransaction, joins ? 1 : 0)
  }

  /// Writes each edit while the document is as that left it: those behind the first are taken back, and made again.
  private mutating func write(
    _ found: [(edit: _UndoEdit, joins: Bool)], _ records: [_UndoLog.Record], joins: Bool = false,
    of log: inout _UndoLog, _ document: _UnsafeUndoPointer, by recorder: _UndoAnyRecorder
  ) {
    let first = found.isEmpty ? 1 : 0
    for record in records.dropFirst(first).reversed() { log.exchange(record, with: document) }
    for edit in found { _ = write(edit.edit, joins: joins, of: document, by: recorder) }
    for (index, record) in records.enumerated() {
      if index >= first { log.exchange(record, with: document) }
      let next = log.fastPath.operations.edit(of: record)
      let patch = write(next.inverted, joins: joins, of: document, by: recorder)
      if let numbers = _UndoTextNumbers(next) { text = patch.map { LatestText($0, numbers) } }
    }
  }

  mutating func write(
    _ edit: _UndoEdit, joins: Bool, of document: _UnsafeUndoPointer, by recorder: _UndoAnyRecorder
  ) -> _UndoPatch? {
    writer.bytes.append(_UndoMessageKind.edit.rawValue | (joins ? _UndoMessageKind.joins : 0))
    do {
      return try recorder.write(edit, of: document, to: &writer)
    } catch {
      failure = failure ?? error
      return nil
    }
  }

  // MARK: Carried values

  mutating func carried(
    by log: inout _UndoLog, _ document: _UnsafeUndoPointer, _ recorder: _UndoAnyRecorder
  ) -> Carried {
    guard log.carriesValues else { return Carried() }
    let values = log.extras[0].carried
    var carried = Carried(awaited: values.awaited, assigned: values.assigned)
    for value in values.values {
      guard recorder.hasName(value.bytes) else {
        carried.messages.append(nil)
        continue
      }
      let start = byteCount
      // What is replaced is no record's, so that its type does not matter.
      let range = _UndoPartRange(UInt64.self, value.bytes)
      _ = write(_UndoEdit(part: range, .value), joins: false, of: document, by: recorder)
      carried.messages.append(Array(writer.bytes[start...]))
      writer.bytes.removeSubrange(start...)
    }
    return carried
  }

  // MARK: What is absorbed

  /// What was recorded in a log of its own is about to be absorbed into another one; whether that is anything.
  mutating func readAbsorbed(
    _ log: inout _UndoLog, isSaved: Bool, _ document: _UnsafeUndoPointer, by recorder: _UndoAnyRecorder
  ) -> Bool {
    let records = log.chunks.isEmpty ? [] : log.edits(from: log.firstRecord)
    let (old, new) = (mark?.carried ?? Carried(), carried(by: &log, document, recorder))
    mark = nil
    let assigned = zip(old.messages, new.messages).compactMap { $0 == $1 ? nil : $1 }
    if records.isEmpty && assigned.isEmpty { return false }
    let text = text
    write(isSaved ? .beginAbsorbedSaved : .beginAbsorbed)
    write([], records, of: &log, document, by: recorder)
    for message in assigned { writer.bytes += message }
    write(.endTransaction, 0)
    self.text = text
    return true
  }

  /// It has been absorbed: the latest text may lie elsewhere.
  mutating func didAbsorb(into log: borrowing _UndoLog) {
    guard log.coalescing.canJoin, text != nil, let numbers = log.latestText else { return text = nil }
    text?.numbers = numbers
    text?.isMoved = true
  }
}
