/// What happened in a history, in bytes, and what has to be known to write the next of it.
///
/// Edits that are taken back are taken out again: for the messages they never happened. Nothing here depends on the
/// type of the document, so that no key costs metadata; the observer writes what does.
struct _UndoMessages {
  /// The messages.
  var writer: _UndoWriter
  /// What an encoder threw first.
  var failure: (any Error)?

  /// Where the document lies, while the observer is lent.
  var document: _UnsafeUndoPointer?
  var transaction: OpenTransaction?
  var assignment: OpenAssignment?
  var text: LatestText?
  /// Where the message of the latest edit begins.
  var latestEdit: Int?
  /// How many steps limits have dropped, as far as the messages say.
  private var dropped = 0
  /// The same of branches.
  private var droppedBranches = 0
  private var joinsValues = false
  /// The open step that the archive has as if it had ended.
  var reopened: _UndoStepIdentity?
  /// What is absorbed just now.
  var absorbing: Absorbing?
  /// The last message of each carried value, which comes behind the text that joins next; whether one is of a text.
  var behindJoined: (bytes: [UInt8], haveText: Bool) = ([], false)

  init(_ writer: _UndoWriter) {
    self.writer = writer
  }

  /// A writer for the same pieces, without bytes.
  var emptyWriter: _UndoWriter {
    var writer = writer
    writer.bytes = []
    return writer
  }

  /// How many bytes the messages have.
  var byteCount: Int { writer.bytes.count }

  /// The edit of a text that the messages had last.
  struct LatestText {
    let patch: _UndoAnyPatch
    var numbers: _UndoTextNumbers
    /// Where the position was before it: still there, it has no record.
    let location: _UndoLog.RecordLocation
    /// Whether an absorbed edit may have moved it, or the messages have one of a carried text behind it: then the next
    /// of it has to say where, as always where the value around it is written too.
    var isMoved = false
  }

  struct Absorbing {
    let isSaved: Bool
    /// What the latest text was before it, and where its first message begins.
    let text: LatestText?
    let start: Int
  }

  // MARK: Being lent

  /// Begins anew with a log.
  mutating func begin(with log: borrowing _UndoLog) {
    writer.bytes.removeAll(keepingCapacity: true)
    (failure, text, latestEdit, joinsValues, reopened) = (nil, nil, nil, false, nil)
    dropped = log.oldestState
    droppedBranches = log.branches?.droppedCount ?? 0
  }

  mutating func wasTakenBack(from log: inout _UndoLog) {
    synchronize(with: log)
    document = nil
    latestEdit = nil
    if transaction != nil { transaction = nil }
  }

  /// Writes down what happened without a word: that limits dropped branches or steps, and how assignments may join.
  mutating func synchronize(with log: borrowing _UndoLog) {
    // That of what is absorbed has nothing of the kind.
    if absorbing != nil { return }
    if log.keepsBranches { synchronizeBranches(with: log) }
    let new = log.oldestState
    if new > dropped { write(.dropped, new - dropped) }
    dropped = new
    if !joinsValues, log.joinsValues {
      joinsValues = true
      write(.joinsValues)
    }
  }

  /// Writes down how many branches limits have dropped.
  mutating func synchronizeBranches(with log: borrowing _UndoLog) {
    let new = log.branches?.droppedCount ?? 0
    if new > droppedBranches { write(.droppedBranches, new - droppedBranches) }
    droppedBranches = new
  }

  // MARK: Edits

  /// An edit was made, and is about to be recorded.
  mutating func observe(_ edit: _UndoPendingEdit, in log: inout _UndoLog, by observer: _UndoObserver) {
    synchronize(with: log)
    let next = unsafe log.fastPath.operations.edit(edit.operation, edit.payload, edit.offset)
    let bytes = next.bytes
    var (carried, settles): (_UndoCarriedValues.Members, Bool) = ([], false)
    if log.carriesValues || log.hasOpenStep {
      if log.isWithinCarried(bytes) { carried = log.extras[0].carried.members(in: bytes) }
      if !carried.isEmpty, !observer.hasName(bytes) { return }
      // A step that is not open where the history is now goes with the next edit, even with one that is taken back.
      settles = log.hasOpenStep && !log.isStepOpen && (carried.isEmpty || log.transaction.depth > 0)
    }
    let found = FoundEdit(
      edit: next.inverted, numbers: _UndoTextNumbers(next), location: log.location, carried: carried, settles: settles)
    if assignment == nil { write(found, in: &log, by: observer) } else { assignment?.edits.append(found) }
  }

  /// Writes an edit down, the document being in the state behind it.
  mutating func write(_ found: FoundEdit, in log: inout _UndoLog, by observer: _UndoObserver) {
    if found.settles { write(.settle) }
    addToTransaction(&log, at: found.location, found.carried, isOfText: found.numbers != nil)
    let patch = write(found.edit, joins: false, by: observer)
    guard let numbers = found.numbers else { return }
    if !found.carried.isEmpty, log.transaction.depth == 0 {
      text?.isMoved = true
    } else {
      text = patch.map { LatestText($0, numbers, at: found.location) }
    }
  }

  /// Carried values were assigned, and no step or edit is to be recorded for that.
  mutating func observe(carried values: [_UndoCarriedValues.Value], in log: inout _UndoLog, by observer: _UndoObserver)
  {
    synchronize(with: log)
    for value in values where observer.hasName(value.bytes) {
      // What is replaced is no record's, so that its type does not matter.
      let range = _UndoPartRange(UInt64.self, value.bytes)
      _ = write(_UndoEdit(part: range, .value), joins: false, by: observer)
    }
  }

  mutating func write(
    _ edit: _UndoEdit, joins: Bool, by observer: _UndoObserver
  ) -> _UndoAnyPatch? {
    guard let document else { return nil }
    latestEdit = byteCount
    writer.bytes.append(_UndoMessageKind.edit.rawValue | (joins ? _UndoMessageKind.joins : 0))
    do {
      return try observer.write(edit, of: document, to: &writer)
    } catch {
      failure = failure ?? error
      return nil
    }
  }

  // MARK: Typing

  /// An edit of a text was made, and is part of the record before the position.
  mutating func observeJoinedText(in log: inout _UndoLog, by observer: _UndoObserver) {
    writeJoinedText(in: &log, by: observer)
    if behindJoined.bytes.isEmpty { return }
    writer.bytes += behindJoined.bytes
    if behindJoined.haveText { text?.isMoved = true }
    behindJoined = ([], false)
  }

  private mutating func writeJoinedText(in log: inout _UndoLog, by observer: _UndoObserver) {
    synchronize(with: log)
    let record = log.latestRecord
    addToTransaction(&log, at: record, [], isOfText: true)
    let next = log.fastPath.operations.edit(of: unsafe .init(at: record.offset, in: log.position.currentChunk))
    if let latest = text, let numbers = _UndoTextNumbers(next) {
      if latest.isMoved {
        if writeMoved(latest, numbers, next, by: observer) { return }
      } else if latest.location != log.location, writeJoined(latest, numbers) {
        text?.numbers = numbers
        return
      }
    }
    // The whole text as it is now.
    _ = write(next.with(.whole), joins: true, by: observer)
    text = nil
  }

  /// Writes how the latest text went on; false, and nothing written, where that cannot be told.
  mutating func writeJoined(_ text: LatestText, _ numbers: _UndoTextNumbers) -> Bool {
    guard let document else { return false }
    let (old, distance) = (text.numbers, text.numbers.start - numbers.start)
    let (inserted, removed) = (numbers.count - old.count, numbers.removed - old.removed)
    guard distance >= 0 else { return false }
    if removed == 0, inserted > 0 {
      let end = numbers.start + numbers.count
      if distance == 0 { write(.typed) } else { write(.insertedBeside, distance) }
      text.patch.writeText(utf8: end - inserted..<end, of: document, to: &writer)
    } else if inserted == 0, removed > 0, numbers.count == 0 {
      switch distance {
      case 0: write(.deletedForward, removed)
      case removed: write(.deletedBackward, removed)
      default:
        write(.removedBeside, distance)
        writer.write(removed)
      }
    } else {
      return false
    }
    return true
  }

  /// Writes how the latest text went on as an edit of its own; false, and nothing written, where that cannot be told.
  private mutating func writeMoved(
    _ text: LatestText, _ numbers: _UndoTextNumbers, _ next: _UndoEdit, by observer: _UndoObserver
  ) -> Bool {
    let (old, distance) = (text.numbers, text.numbers.start - numbers.start)
    let (inserted, removed) = (numbers.count - old.count, numbers.removed - old.removed)
    let splice: _UndoChange.Splice
    if removed == 0, inserted > 0, distance == 0 {
      splice = .init(start: numbers.start + old.count, old: 0, new: inserted)
    } else if inserted == 0, removed > 0, numbers.count == 0, distance == 0 || distance == removed {
      splice = .init(start: numbers.start, old: removed, new: 0)
    } else {
      return false
    }
    let edit = next.with(.range(splice))
    self.text = write(edit, joins: true, by: observer).map { LatestText($0, numbers, at: text.location) }
    return true
  }

  // MARK: What is absorbed

  /// The log records what is to be absorbed from here on, instead of another one.
  mutating func beginAbsorbing(isSaved: Bool) {
    absorbing = Absorbing(isSaved: isSaved, text: text, start: byteCount)
    text = nil
  }

  /// What was recorded has been absorbed into a log.
  mutating func endAbsorbing(in log: _UndoLog) {
    guard let absorbing else { return }
    (self.absorbing, text, latestEdit) = (nil, absorbing.text, nil)
    // Nothing was absorbed.
    if byteCount == absorbing.start { return }
    guard var latest = text, log.coalescing.canJoin, latest.location != log.location else { return text = nil }
    let record = log.latestRecord
    let memory = log.chunks[record.chunkIndex].memory
    let next = log.fastPath.operations.edit(of: unsafe .init(at: record.offset, in: memory))
    guard let numbers = _UndoTextNumbers(next) else { return text = nil }
    (latest.numbers, latest.isMoved) = (numbers, true)
    text = latest
  }

  // MARK: Messages without edits

  /// Writes that the open step was taken back.
  mutating func writeCancelled(_ identity: _UndoStepIdentity) {
    if identity === reopened { failure = failure ?? _UndoNotArchived() }
    write(.cancelStep)
  }

  mutating func write(_ kind: _UndoMessageKind) { writer.bytes.append(kind.rawValue) }

  mutating func write(_ kind: _UndoMessageKind, _ number: Int) {
    write(kind)
    writer.write(number)
  }

  mutating func write(_ plain: _UndoMessageKind, _ labelled: _UndoMessageKind, _ label: String?) {
    write(label == nil ? plain : labelled)
    if let label { writer.write(label) }
  }

  mutating func writeRemovedAll(_ log: borrowing _UndoLog) {
    write(.removedAll)
    (text, latestEdit) = (nil, nil)
    (dropped, droppedBranches) = (0, log.branches?.droppedCount ?? 0)
  }

  /// Writes where the saved point is now, and where it will be if the open step is cancelled.
  mutating func writeSaved(_ log: borrowing _UndoLog) {
    func distance(_ saved: Int?) -> Int { saved.map { max(0, $0 - log.oldestState + 1) } ?? 0 }
    if log.keepsBranches { synchronizeBranches(with: log) }
    let step = log.extras.first?.openStep
    let ifCancelled = step?.detachedRedo?.saves
    if ifCancelled != nil, step?.identity === reopened { return failure = failure ?? _UndoNotArchived() }
    write(.saved, distance(log.saves.saved.exact))
    writer.write(ifCancelled.map { 1 + distance($0.saved.exact) } ?? 0)
    for (number, saves) in [log.saves, ifCancelled].enumerated() {
      guard let place = saves?.saved.exact.flatMap({ log.branches?.place($0) }), let branches = log.branches,
        let index = branches.index(of: place.branch)
      else { continue }
      write(.savedOnBranch, number)
      writer.write(index)
      writer.write(place.state - branches.branches[index].fork)
    }
  }
}

/// Why messages are not enough: the archive has not what could be redone before a step that was open.
private struct _UndoNotArchived: Error {}

extension _UndoMessages.LatestText {
  init(_ patch: _UndoAnyPatch, _ numbers: _UndoTextNumbers, at location: _UndoLog.RecordLocation) {
    self.init(patch: patch, numbers: numbers, location: location, isMoved: patch.hasValueAround)
  }
}
