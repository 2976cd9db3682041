/// What was done to a log since somebody read it: what is recorded behind a mark, and the little that records don't
/// tell.
///
///     records   | read ................ | unread ...... |
///                                       ^ mark
///
/// The mark goes down where steps are replaced that were read. Copies have it too: so it is known of a copy that was
/// changed whether it goes on from what was read.
package struct _UndoUnread {
  /// Who reads; and how often that had been done when nothing was unread.
  package let reader: _UndoReaderIdentity
  package let readCount: Int

  /// The mark: the state, where the next record begins, and what the record before it has of a text.
  package private(set) var state = 0
  package private(set) var location = _UndoLog.RecordLocation(chunkIndex: 0, offset: _UnsafeUndoMemory.start)
  package private(set) var text: _UndoTextNumbers?
  /// The oldest state, and how many branches were dropped.
  package let oldestState: Int
  package let droppedBranchCount: Int
  /// How many steps that were read can be redone behind the mark.
  package var redoCount = 0
  /// The step that was open, whether it was open where the history was, and whether it had edits.
  package private(set) var openStep: _UndoStepIdentity?
  package private(set) var isStepOpen = false
  package private(set) var isStepEdited = false

  /// The edits that got no record, as the latest step that was read has one of what they replaced.
  package var found: [(edit: _UndoEdit, joins: Bool)] = []
  /// What comes before the mark, and is in no record.
  package var event: Event?
  /// The number of the next identity, where steps have got identities.
  package var identities: UInt64?
  package var isSavedPointSet = false
  /// Whether the latest step ended with the values that go along.
  package var isSettled = false
  /// Which carried values were assigned outside of a transaction, and where the log was when the first was.
  package var assigned = _UndoCarriedValues.Members()
  package var assignment: Progress?
  /// How many edits of texts were made.
  package var textEditCount = 0
  /// The lowest state to which absorbed edits were moved by undo.
  package var lowestSunk: Int?
  /// Whether something happened that cannot be told from here.
  package var isLost = false

  /// What is in no record.
  package indirect enum Event {
    /// An edit was absorbed, which was recorded in a log of its own.
    case absorbed(_UndoLog, isSaved: Bool)
    case adopted, removedAll, cancelledStep
    /// The history went to a state of a branch, so many steps behind where that leaves its parent.
    case wentToBranch(index: Int, distance: Int, droppedCount: Int)
  }

  /// How far edits have come.
  package struct Progress: Equatable {
    package var location: _UndoLog.RecordLocation
    package var foundCount: Int
    package var textEditCount: Int
  }

  package init(of log: borrowing _UndoLog, _ reader: _UndoReaderIdentity, readCount: Int) {
    (self.reader, self.readCount) = (reader, readCount)
    (oldestState, droppedBranchCount) = (log.oldestState, log.branches?.droppedCount ?? 0)
    mark(log)
    (openStep, isStepOpen, isStepEdited) = (log.openStepIdentity, log.isStepOpen, log.isEditedStepOpen)
  }

  /// Whether the step that was open has ended, and was not taken back.
  package func isOver(in log: borrowing _UndoLog) -> Bool {
    if case .cancelledStep? = event { return false }
    return openStep != nil && openStep !== log.openStepIdentity
  }

  /// Lets the mark be where the log is.
  package mutating func mark(_ log: borrowing _UndoLog) {
    mark(log.location, log.state, log.latestText)
    redoCount = log.redoCount
  }

  package mutating func mark(_ location: _UndoLog.RecordLocation, _ state: Int, _ text: _UndoTextNumbers?) {
    (self.location, self.state, self.text, found) = (location, state, text, [])
  }

  package mutating func didRemoveFirstChunk() {
    // Where a chunk ends, the next one begins.
    location = .init(
      chunkIndex: max(0, location.chunkIndex - 1),
      offset: location.chunkIndex > 0 ? location.offset : _UnsafeUndoMemory.start)
  }
}

/// Who reads a log.
package final class _UndoReaderIdentity: Sendable {
  package init() {}
}

// What leaves less of a log than it had tells the mark first.
extension _UndoLog {
  package var openStepIdentity: _UndoStepIdentity? { hasExtras ? extras[0].openStep?.identity : nil }

  /// Marks all that there is as read.
  package mutating func markRead(by reader: _UndoReaderIdentity, readCount: Int) {
    unread = _UndoUnread(of: self, reader, readCount: readCount)
    coalescing.beginWatching()
  }

  /// Whether no step may be kept.
  package var keepsNoSteps: Bool { limit.steps == 0 }

  /// Whether anything is unread, as far as the log shows it.
  package var hasUnread: Bool {
    guard let unread else { return false }
    return unread.state != state || unread.isLost || !unread.found.isEmpty || unread.event != nil
      || unread.isSavedPointSet || unread.isSettled || unread.assignment != nil || unread.identities != nil
      || unread.redoCount != redoCount || unread.openStep !== openStepIdentity
      || unread.oldestState != oldestState || unread.droppedBranchCount != branches?.droppedCount ?? 0
      || firstRecord(from: unread.location) != firstRecord(from: location) || unread.text != latestText
  }

  /// Keeps that an edit got no record, since the latest step has one of what it replaced.
  package mutating func noteFound(
    _ payload: _UnsafeUndoPointer, _ operation: _UndoOperationIndex, offset: Int, in record: RecordLocation,
    joins: Bool = false
  ) {
    // One that is unread has the edit as it came out at last.
    guard let unread, firstRecord(from: record) < unread.location else { return }
    if unread.found.count == 1 << 10 { return loseTrack() }
    unsafe self.unread?.found.append((fastPath.operations.edit(operation, payload, offset).inverted, joins))
  }

  /// Keeps what is in no record, which has just happened; what is not read yet must not lie before it.
  package mutating func note(_ event: _UndoUnread.Event) {
    guard var unread else { return }
    (unread.event, unread.lowestSunk) = (event, nil)
    unread.mark(self)
    self.unread = unread
  }

  /// Expects what is in no record.
  package mutating func willNote() {
    if hasUnread { loseTrack() }
  }

  /// What going to a leaf is, or to a state of its branch; nil where the present line leads there.
  package func branchEvent(_ id: UInt64, state: Int?) -> _UndoUnread.Event? {
    guard unread != nil, let branches, let index = branches.index(of: id) else { return nil }
    let branch = branches.branches[index]
    return .wentToBranch(
      index: index, distance: state.map { $0 - branch.fork } ?? branch.stepCount, droppedCount: branches.droppedCount)
  }

  /// Lets who reads see that something happened which it cannot be told.
  package mutating func loseTrack() {
    guard unread != nil else { return }
    unread?.isLost = true
    unread?.found = []
  }

  /// Steps behind the position go, or went, for one that begins there.
  package mutating func willReplaceSteps(from start: RecordLocation) {
    guard var unread else { return }
    // What is set aside must have been read, and be told from here.
    if keepsBranches, state < unread.state || unread.redoCount == 0 { unread.isLost = true }
    if state < unread.state { unread.mark(start, state, text(before: start)) }
    unread.redoCount = 0
    self.unread = unread
  }

  /// Carried values are about to be assigned outside of a transaction.
  package mutating func noteAssignment(of members: _UndoCarriedValues.Members) {
    guard var unread else { return }
    // Of two values one after the other, the first may be a step's and the second not.
    if !unread.assigned.isDisjoint(with: members), !extras[0].isStepOpenWithEdits() { unread.isLost = true }
    unread.assigned.formUnion(members)
    unread.assignment = unread.assignment ?? progress
    self.unread = unread
  }

  package var progress: _UndoUnread.Progress {
    .init(
      location: location, foundCount: unread?.found.count ?? 0, textEditCount: unread?.textEditCount ?? 0)
  }

  /// What the record before a location has of a text, if it is an edit of one.
  package func text(before location: RecordLocation) -> _UndoTextNumbers? {
    guard let record = edit(before: location) else { return nil }
    let next = fastPath.operations.edit(of: record)
    return _UndoTextNumbers(firstRecord(from: location) > firstRecord(from: self.location) ? next.inverted : next)
  }

  /// The record before a location, which may lie ahead; nil where that is no edit.
  package func edit(before location: RecordLocation) -> Record? {
    let (end, position) = (firstRecord(from: location), firstRecord(from: self.location))
    var found: Record?
    if end > position {
      var next = position
      while next < end, let record = record(at: &next) {
        found = record
        next = firstRecord(from: next)
      }
    } else if end > firstRecord(from: .init(chunkIndex: 0, offset: head)) {
      let last = end == position ? latestRecord : latestRecord(before: end)
      found = unsafe Record(at: last.offset, in: chunks[last.chunkIndex].memory)
    }
    return found.flatMap { $0.header.isEdit ? $0 : nil }
  }
}
