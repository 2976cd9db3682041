/// The changes of a log since a recorder of a session read it: the records after a mark, and changes that no record
/// shows.
///
///     records   | read ................ | unread ...... |
///                                       ^ mark
///
/// The log notes changes here, and the unread edits are found here (`_UndoUnreadEdits`); the identity of a recorder,
/// and the log's methods for it, are here, too. `UndoArchives` writes messages from these (`_UndoMessages+Reading`).
/// The mark moves back when steps that were read are replaced. Copies of the log have the mark too, so the recorder can
/// find out whether a changed copy continues from what was read.
package struct _UndoUnread {
  /// The recorder, and how often it had read when the log was last marked as read.
  package let reader: _UndoReaderIdentity
  package let readCount: Int

  /// The mark: the state, the start of the next record, and the text edit of the record before it.
  package private(set) var state = 0
  package private(set) var location = _UndoLocation(chunkNumber: 0, offset: _UnsafeUndoMemory.start)
  package private(set) var text: _UndoChange.Splice?
  /// The oldest state when the log was last marked as read, and the number of branches that limits had dropped.
  package let oldestState: Int
  package let droppedBranchCount: Int
  /// The number of redo steps when the mark was set; they follow it, but have been read.
  package var redoCount = 0
  /// Whether new steps have replaced steps that were read.
  private var hasReplacedSteps = false
  /// The step that was open when the log was last marked as read, whether it was open at that position, and whether it
  /// had edits.
  package private(set) var openStep: _UndoStepIdentity?
  package private(set) var isStepOpen = false
  package private(set) var isStepEdited = false

  /// Edits without a record of their own, because the latest step that was read already has a record of what they
  /// replaced.
  package var found: [Found] = []
  /// A change just before the mark that no record shows.
  package var event: Event?
  /// The offset from which the text of the record before the mark was rewritten; nil if that record only grew.
  package private(set) var rewrittenOffset: Int?
  /// The identity of the next step at the moment when steps first got identities, and how many branches limits had
  /// dropped by then; nil if that wasn't after the mark.
  package var identities: (next: UInt64, droppedBranchCount: Int)?
  package var isSavedPointSet = false
  /// Whether the latest step has ended, so that its restored values are final.
  package var isSettled = false
  /// The restored values that were assigned outside of a transaction, and the progress at the first assignment.
  package var assigned = _UndoRestoredValues.Members()
  package var assignment: Progress?
  /// The number of text edits since the mark.
  package var textEditCount = 0
  /// Whether the restored values were last restored by an undo, to those before a step.
  package var hasRestoredBefore = false
  /// The lowest state at which undo has moved remote edits below a step.
  package var lowestMovedState: Int?
  /// Whether something happened that messages can't describe.
  package var isLost = false

  /// An edit without a record of its own.
  ///
  /// `joins` says whether it joined the latest record, as typing does. `isSameAssignment` says whether it was made by
  /// the same assignment as the edit before it, so that both joined the latest step together.
  package typealias Found = (edit: _UndoEdit, joins: Bool, isSameAssignment: Bool)

  /// A change that no record shows.
  package enum Event {
    /// A remote edit, recorded in a separate log, and how many branches limits had dropped before it.
    case remoteEdits(_UndoDetachedLog, droppedBranchCount: Int)
    case recordedRemoteEdit, removedAll, cancelledStep
    /// The history went to a state of a branch, the given number of steps after the fork.
    case wentToBranch(index: Int, distance: Int, droppedCount: Int)
  }

  /// How much was recorded or noted by some moment.
  package typealias Progress = (location: _UndoLocation, foundCount: Int, textEditCount: Int)

  package init(of log: borrowing _UndoLog, _ reader: _UndoReaderIdentity, readCount: Int) {
    (self.reader, self.readCount) = (reader, readCount)
    (oldestState, droppedBranchCount) = (log.oldestState, log.branches?.droppedCount ?? 0)
    openStep = log.extras.first?.openStep?.identity
    (isStepOpen, isStepEdited) = (log.isStepOpen, log.isEditedStepOpen)
  }

  /// Whether the step that was open has ended without being canceled.
  ///
  /// - Parameter identity: The step that is open now, if there is one.
  package func isOver(now identity: _UndoStepIdentity?) -> Bool {
    if case .cancelledStep? = event { return false }
    return openStep != nil && openStep !== identity
  }

  /// Moves the mark to the current position.
  package mutating func mark(_ records: _UndoRecords) {
    mark(records.location, records.state, records.latestText)
    redoCount = records.redoCount
  }

  private mutating func mark(_ location: _UndoLocation, _ state: Int, _ text: _UndoChange.Splice?) {
    (self.location, self.state, self.text, found, rewrittenOffset) = (location, state, text, [], nil)
  }
}

/// The identity of a recorder.
package final class _UndoReaderIdentity: Sendable {
  package init() {}
}

// Code that removes records from a log must update the mark first.
extension _UndoUnread {
  /// Notes an edit without a record of its own, because the latest step already has a record of what it replaced.
  package mutating func noteFound(
    _ edit: _UndoPendingEdit, in record: _UndoLocation, joins: Bool = false, isSameAssignment: Bool = false,
    _ records: _UndoRecords
  ) {
    // An unread record shows the result of the edit, so the edit doesn't have to be noted.
    guard records.firstRecord(from: record) < location else { return }
    if found.count == 1 << 10 { return loseTrack() }
    let next = records.fastPath.operations.edit(of: edit)
    found.append((next.inverted, joins, isSameAssignment))
  }

  /// Notes that the text of the latest record was rewritten from an offset on.
  mutating func noteRewriting(from offset: Int, _ records: _UndoRecords) {
    guard records.latestRecord < location else { return }
    rewrittenOffset = min(offset, rewrittenOffset ?? offset)
  }

  /// Notes a change that has just happened and that no record shows; nothing unread may lie before it.
  package mutating func note(_ event: Event, in records: _UndoRecords) {
    (self.event, lowestMovedState) = (event, nil)
    mark(records)
  }

  /// Notes that something happened that messages can't describe.
  package mutating func loseTrack() { (isLost, found) = (true, []) }

  /// Moves the mark back before a new step replaces the steps after the position.
  package mutating func willReplaceSteps(from start: _UndoLocation, of records: _UndoRecords) {
    // Steps that become a branch, and the step that they follow, must have been read.
    if records.fastPath.keepsBranches, records.state != state || redoCount == 0 { isLost = true }
    // Messages can't tell an undo between the event and the new step.
    if event != nil, records.state < state { isLost = true }
    if records.state < state { mark(start, records.state, records.text(before: start)) }
    (redoCount, hasReplacedSteps) = (0, true)
  }

  /// Notes that the latest step, which begins here, is about to be removed.
  ///
  /// If it wasn't read, messages can't tell that it replaced other steps or took an identity.
  package mutating func willRemoveLatestStep(from start: _UndoLocation, hasIdentity: Bool) {
    if start >= location, hasIdentity || hasReplacedSteps { loseTrack() }
  }

  /// Notes that restored values are about to be assigned outside a transaction.
  package mutating func noteAssignment(
    of members: _UndoRestoredValues.Members, inEditedStep: Bool, _ records: _UndoRecords
  ) {
    // If a value is assigned twice, the first assignment may belong to a step that the second doesn't belong to.
    if !assigned.isDisjoint(with: members), !inEditedStep { isLost = true }
    assigned.formUnion(members)
    assignment = assignment ?? progress(in: records)
  }

  package func progress(in records: _UndoRecords) -> Progress { (records.location, found.count, textEditCount) }

  /// The text edit of the record before the mark, if unread text edits have joined it; nil if the mark was lost.
  func joinedText(in records: _UndoRecords) -> _UndoChange.Splice? {
    guard !isLost, let text, let new = records.text(before: location) else { return nil }
    return new != text || rewrittenOffset != nil ? new : nil
  }

  /// The unread edits; none if the mark was lost.
  package func edits(in records: _UndoRecords) -> _UndoUnreadEdits {
    var edits = _UndoUnreadEdits()
    if isLost { return edits }
    edits.found = found
    edits.newCount = records.newestState - state - redoCount
    edits.areMoved = records.state != state + edits.newCount
    edits.joined = joinedText(in: records)
    var location = location
    while edits.newCount > 0 || redoCount == 0, let record = records.record(at: &location) {
      if record.header.begins { edits.steps.append((record.label, edits.records.count)) }
      if record.header.isEdit { edits.records.append(record) }
    }
    if edits.areMoved, !edits.isEmpty {
      edits.ahead = records.edits(from: records.location, to: edits.newCount > 0 ? records.end : self.location)
    }
    return edits
  }
}

extension _UndoLog {
  /// Whether a recorder reads the log.
  ///
  /// Use this instead of comparing `unread` with nil in a borrowed log, such as the one of `_UndoAccess`: unoptimized
  /// code would copy `unread` out of the log and read it after the borrow has ended (Swift 6.3).
  var isRead: Bool { unread != nil }

  /// Marks the whole log as read.
  package mutating func markRead(by reader: _UndoReaderIdentity, readCount: Int) {
    unread = _UndoUnread(of: self, reader, readCount: readCount)
    unread?.mark(records)
    coalescing.beginWatching()
  }

  /// Whether the log has any unread change.
  package var hasUnread: Bool {
    guard let unread else { return false }
    return unread.state != state || unread.isLost || !unread.found.isEmpty || unread.event != nil
      || unread.isSavedPointSet || unread.isSettled || unread.assignment != nil || unread.identities != nil
      || unread.redoCount != redoCount || unread.openStep !== extras.first?.openStep?.identity
      || unread.oldestState != oldestState || unread.droppedBranchCount != branches?.droppedCount ?? 0
      || records.firstRecord(from: unread.location) != records.firstRecord(from: records.location)
      || unread.text != records.latestText || unread.rewrittenOffset != nil
  }
}
