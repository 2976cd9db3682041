/// What changed in a log since a recorder read it: the records after a mark, and what records don't show.
///
///     records   | read ................ | unread ...... |
///                                       ^ mark
///
/// The mark moves back when steps that were read are replaced. Copies of the log have the mark too, which tells whether
/// a changed copy continues from what was read.
package struct _UndoUnread {
  /// The recorder that reads, and how often it had read when nothing was unread.
  package let reader: _UndoReaderIdentity
  package let readCount: Int

  /// The mark: the state, where the next record begins, and the text edit of the record before it.
  package private(set) var state = 0
  package private(set) var location = _UndoLog.RecordLocation(chunkIndex: 0, offset: _UnsafeUndoMemory.start)
  package private(set) var text: _UndoTextNumbers?
  /// The oldest state at the mark, and the number of branches dropped by then.
  package let oldestState: Int
  package let droppedBranchCount: Int
  /// The number of redo steps after the mark that were read.
  package var redoCount = 0
  /// The open step at the mark, whether it was open at that position, and whether it had edits.
  package private(set) var openStep: _UndoStepIdentity?
  package private(set) var isStepOpen = false
  package private(set) var isStepEdited = false

  /// Edits without a record of their own, because the latest step that was read already has a record of what they
  /// replaced.
  package var found: [(edit: _UndoEdit, joins: Bool)] = []
  /// A change just before the mark that no record shows.
  package var event: Event?
  /// The number of the next identity, if steps got identities since the mark.
  package var identities: UInt64?
  package var isSavedPointSet = false
  /// Whether the latest step ended, and its restored values with it.
  package var isSettled = false
  /// The restored values that were assigned outside a transaction, and the progress of the log at the first assignment.
  package var assigned = _UndoCarriedValues.Members()
  package var assignment: Progress?
  /// The number of text edits since the mark.
  package var textEditCount = 0
  /// The lowest state to which undo moved remote edits.
  package var lowestSunk: Int?
  /// Whether something happened that messages can't describe.
  package var isLost = false

  /// A change that no record shows.
  package indirect enum Event {
    /// A remote edit, which was recorded in a log of its own.
    case absorbed(_UndoLog, isSaved: Bool)
    case adopted, removedAll, cancelledStep
    /// The history went to a state of a branch, the given number of steps after the fork.
    case wentToBranch(index: Int, distance: Int, droppedCount: Int)
  }

  /// How many edits there were at some moment.
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

  /// Whether the step that was open has ended, other than by cancelling it.
  package func isOver(in log: borrowing _UndoLog) -> Bool {
    if case .cancelledStep? = event { return false }
    return openStep != nil && openStep !== log.openStepIdentity
  }

  /// Moves the mark to the current position.
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

/// The identity of a recorder.
package final class _UndoReaderIdentity: Sendable {
  package init() {}
}

// Whatever removes records from a log updates the mark first.
extension _UndoLog {
  /// Whether a recorder reads the log.
  ///
  /// Ask this of a log that is lent: unoptimised code reads a part of what was lent after it was given back (Swift
  /// 6.3).
  var isRead: Bool { unread != nil }

  package var openStepIdentity: _UndoStepIdentity? { hasExtras ? extras[0].openStep?.identity : nil }

  /// Marks the whole log as read.
  package mutating func markRead(by reader: _UndoReaderIdentity, readCount: Int) {
    unread = _UndoUnread(of: self, reader, readCount: readCount)
    coalescing.beginWatching()
  }

  /// Whether no step may be kept.
  package var keepsNoSteps: Bool { limit.steps == 0 }

  /// Whether the log shows any unread change.
  package var hasUnread: Bool {
    guard let unread else { return false }
    return unread.state != state || unread.isLost || !unread.found.isEmpty || unread.event != nil
      || unread.isSavedPointSet || unread.isSettled || unread.assignment != nil || unread.identities != nil
      || unread.redoCount != redoCount || unread.openStep !== openStepIdentity
      || unread.oldestState != oldestState || unread.droppedBranchCount != branches?.droppedCount ?? 0
      || firstRecord(from: unread.location) != firstRecord(from: location) || unread.text != latestText
  }

  /// Notes an edit that got no record, because the latest step already has a record of what it replaced.
  package mutating func noteFound(
    _ payload: _UnsafeUndoPointer, _ operation: _UndoOperationIndex, offset: Int, in record: RecordLocation,
    joins: Bool = false
  ) {
    // An unread record shows the final result of the edit itself.
    guard let unread, firstRecord(from: record) < unread.location else { return }
    if unread.found.count == 1 << 10 { return loseTrack() }
    unsafe self.unread?.found.append((fastPath.operations.edit(operation, payload, offset).inverted, joins))
  }

  /// Notes a change that has just happened and that no record shows; nothing unread may lie before it.
  package mutating func note(_ event: _UndoUnread.Event) {
    guard var unread else { return }
    (unread.event, unread.lowestSunk) = (event, nil)
    unread.mark(self)
    self.unread = unread
  }

  /// Prepares for a change that no record shows.
  package mutating func willNote() {
    if hasUnread { loseTrack() }
  }

  /// The event of going to a tip, or to a state of its branch; nil if the main line leads there.
  package func branchEvent(_ id: UInt64, state: Int?) -> _UndoUnread.Event? {
    guard isRead, let branches, let index = branches.index(of: id) else { return nil }
    let branch = branches.branches[index]
    return .wentToBranch(
      index: index, distance: state.map { $0 - branch.fork } ?? branch.stepCount, droppedCount: branches.droppedCount)
  }

  /// Notes that something happened that messages can't describe.
  package mutating func loseTrack() {
    guard isRead else { return }
    unread?.isLost = true
    unread?.found = []
  }

  /// Moves the mark back before a new step replaces the steps after the position.
  package mutating func willReplaceSteps(from start: RecordLocation) {
    guard var unread else { return }
    // Steps that become a branch must have been read.
    if keepsBranches, state < unread.state || unread.redoCount == 0 { unread.isLost = true }
    if state < unread.state { unread.mark(start, state, text(before: start)) }
    unread.redoCount = 0
    self.unread = unread
  }

  /// Notes that restored values are about to be assigned outside a transaction.
  package mutating func noteAssignment(of members: _UndoCarriedValues.Members) {
    guard var unread else { return }
    // If a value is assigned twice, the first assignment may belong to a step and the second may not.
    if !unread.assigned.isDisjoint(with: members), !extras[0].isStepOpenWithEdits() { unread.isLost = true }
    unread.assigned.formUnion(members)
    unread.assignment = unread.assignment ?? progress
    self.unread = unread
  }

  package var progress: _UndoUnread.Progress {
    .init(
      location: location, foundCount: unread?.found.count ?? 0, textEditCount: unread?.textEditCount ?? 0)
  }

  /// The text edit of the record before a location, or nil if it is another edit.
  package func text(before location: RecordLocation) -> _UndoTextNumbers? {
    guard let record = edit(before: location) else { return nil }
    let next = fastPath.operations.edit(of: record)
    return _UndoTextNumbers(firstRecord(from: location) > firstRecord(from: self.location) ? next.inverted : next)
  }

  /// The record before a location, which may be a redo record; nil if it isn't an edit.
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
