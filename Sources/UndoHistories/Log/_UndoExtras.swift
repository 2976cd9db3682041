/// What goes along with the steps of some histories besides their records.
///
///     log.extras   [ ]                  most logs
///                  [ one of these ]     rule | open step | joinable step | rows | origins | carried values | branches
///
/// A log with extras is never *plainly* open: `append` asks first whether a record is to be written (`admits`), and
/// each step that was recorded is seen to when it ends (`didEndStep`). So edits go into an open step, get a time, and
/// keep the carried values. Whatever leads away from the latest step settles it first (`settle`).
///
/// A log without extras, or with branches alone, does none of this, and no instruction asks for it.
package struct _UndoExtras {
  /// Which edits join, as the user wants it; while a step is open, typing joins in any case.
  var rule: UndoCoalescing
  package var openStep: _UndoOpenStep?
  /// The state behind a step that the next assignment may join, and when the latest assignment was.
  package var joinable: (state: Int, time: Int64)?
  /// Gives the time since some moment, where the steps keep theirs.
  package var now: (@Sendable () -> Duration)?
  package var steps = _UndoSteps()
  package var origins: _UndoOrigins?
  var remoteEdits: _UndoRemoteEdits?
  package var restored = _UndoRestoredValues()
  /// Where the document lies, for the values that are restored, and for assignments that join and may come back to
  /// what it was; nil where it was never asked for.
  var document: _UnsafeUndoPointer?

  /// Where the position was when the first record of the latest step was to be written.
  var start = _UndoLocation(chunkIndex: 0, offset: _UnsafeUndoMemory.start)
  /// Whether records that go along were written in front of an edit, which has not ended its step yet.
  var hasLead = false
  /// Whether the transaction that is open is the comparison of an assignment.
  var isAssignment = false
  /// What was set aside; empty where branches are dropped.
  var branches: ContiguousArray<_UndoBranches> = []

  init(rule: UndoCoalescing) {
    self.rule = rule
  }
}

// What each edit asks for. These are methods that mutate, also where they only read: a getter would copy all of the
// extras, with a call for each reference in them.
extension _UndoExtras {
  mutating func isStepOpenWithEdits() -> Bool { openStep?.hasEdits == true }
  mutating func hasOpenStep() -> Bool { openStep != nil }
  mutating func label() -> String? { openStep?.label }

  /// Whether the step is open that has this identity.
  mutating func isStepOpen(_ identity: _UndoStepIdentity, _ state: Int, _ redoCount: Int) -> Bool {
    openStep?.identity === identity && isStepOpen(state, redoCount)
  }

  /// Changes the open step, where there is one.
  @discardableResult
  package mutating func changeOpenStep<Result>(_ change: (inout _UndoOpenStep.Parts) -> Result) -> Result? {
    openStep?.change(change)
  }

  /// Whether the open step has edits, or has set aside what could be redone.
  mutating func isStepUnderWay() -> Bool { isStepOpenWithEdits() || openStep?.detachedRedo != nil }

  /// Whether a step is open in a log that is here.
  mutating func isStepOpen(_ state: Int, _ redoCount: Int) -> Bool {
    openStep.map { $0.hasEdits || $0.isAtBase(state, redoCount) } ?? false
  }

  /// Whether an assignment may join the latest step.
  mutating func canJoinValues() -> Bool { joinable != nil || origins?.waiting != nil }

  /// Lets no assignment join the latest step.
  mutating func endJoining() {
    joinable = nil
    origins?.waiting = nil
  }

  /// Sees to what goes along where an edit became part of the latest step.
  mutating func didJoinStep() {
    if let now { steps.times.last = now().nanoseconds }
    restored.didEdit()
  }

  /// Leaves nothing of a transaction that was rolled back, or had no edits, to the next one.
  mutating func didRollBack() {
    isAssignment = false
    endKeeping()
  }

  /// Keeps locations right when the first chunk goes.
  mutating func didRemoveFirstChunk() {
    start.chunkIndex -= 1
    changeOpenStep { $0.didRemoveFirstChunk() }
    remoteEdits?.didRemoveFirstChunk()
  }

  /// Which parts are in use.
  mutating func inUse() -> InUse {
    var inUse: InUse = []
    if openStep != nil { inUse.insert(.openStep) }
    if now != nil { inUse.insert(.times) }
    if origins != nil { inUse.insert(.origins) }
    if !restored.isEmpty { inUse.insert(.restored) }
    if rule.valueTimer != nil { inUse.insert(.valueTimer) }
    return inUse
  }

  /// Parts of the extras.
  struct InUse: OptionSet {
    let rawValue: UInt8
    static let openStep = InUse(rawValue: 1)
    static let times = InUse(rawValue: 2)
    static let origins = InUse(rawValue: 4)
    static let restored = InUse(rawValue: 8)
    static let valueTimer = InUse(rawValue: 16)
  }
}

extension _UndoLog {
  /// Which edits join, as the user wants it.
  @usableFromInline
  var coalescingRule: UndoCoalescing {
    extras.first?.rule ?? UndoCoalescing(joinsTyping: coalescing.joinsTyping, timer: coalescing.timer)
  }

  @usableFromInline
  mutating func setCoalescing(_ new: UndoCoalescing, in document: _UnsafeUndoPointer) {
    records.position.canJoin = false
    changeExtras {
      ($0.rule, $0.document) = (new, document)
      $0.endJoining()
    }
  }

  /// Changes the extras, which come and go with what is in use, and lets the rest of the log know.
  package mutating func changeExtras(_ change: (inout _UndoExtras) -> Void) {
    if extras.isEmpty { extras = [_UndoExtras(rule: coalescingRule)] }
    change(&extras[0])
    didChangeExtras()
  }

  /// Brings everything up to date that depends on the extras, outside of the method above, which is compiled once for
  /// each closure.
  private mutating func didChangeExtras() {
    let rule = extras[0].rule
    let inUse = extras[0].inUse()
    coalescing.joinsTyping = rule.joinsTyping || inUse.contains(.openStep)
    if inUse.isEmpty, extras[0].branches.isEmpty { extras = [] }
    coalescing.timer = rule.timer
    let isWatched = rule.timer != nil || !inUse.isEmpty || isRead
    if isWatched { coalescing.beginWatching() } else { coalescing.isWatched = false }
    let isOpen = isOpen
    records.fastPath.hasExtras = !inUse.isEmpty
    records.fastPath.keepsBranches = !extras.isEmpty && !extras[0].branches.isEmpty
    if isOpen { records.fastPath.directStart = hasExtras ? .max - 1 : .max }
    records.fastPath.isWatched = records.fastPath.isLimited || hasExtras
    records.fastPath.restoresValues = inUse.contains(.restored)
    updateDirectRange()
    updateBarrier()
  }

  // MARK: Before a record is written

  /// Whether a record is to be written: not where a step that is open has one of the same part already.
  ///
  /// Writes the label of an open step before its first edit.
  @usableFromInline
  mutating func admits(_ edit: _UndoPendingEdit) -> Bool {
    guard edit.offset >= 0 else { return true }
    coalescing.couldJoin = nil
    if records.fastPath.restoresValues, assignsRestored(edit) {
      coalescing.couldJoin = records.position.canJoin
      records.keepRecentOperation()
      return false
    }
    if transaction.depth == 0, let found = extras[0].openStep?.record(of: edit, in: records) {
      unread?.noteFound(edit, in: found, records)
      extras[0].didJoinStep()
      records.keepRecentOperation()
      return false
    }
    if extras[0].hasOpenStep() {
      if extras[0].isStepOpen(state, redoCount) {
        willEditOpenStep()
      } else {
        changeExtras { $0.openStep = nil }
        guard hasExtras else { return true }
      }
    }
    if isAtStepStart {
      extras[0].start = records.location
      leadStep(edit)
    }
    return true
  }

  /// Whether no record of the step was written yet that the next one belongs to.
  var isAtStepStart: Bool {
    records.position.link.flags == (transaction.depth == 0 ? _UndoHeader.whole : _UndoHeader.first)
  }

  /// Sees to what lies in front of a step's first edit, which has been made.
  private mutating func leadStep(_ edit: _UndoPendingEdit) {
    if extras[0].isStepOpenWithEdits() { return }
    if records.fastPath.restoresValues { keepRestored(from: edit) }
    guard let label = extras[0].label() else { return }
    makeWritable(for: _UndoHeader.size)
    if transaction.depth == 0 {
      extras[0].hasLead = true
      records.position.link.flags = _UndoHeader.first
    }
    writeLabel(label)
    // The edit begins a step like any other; `didRecordStep` sees that this one began before.
    if transaction.depth == 0 {
      records.position.link.flags = _UndoHeader.whole
    }
  }

  /// Writes a label into the step that has begun.
  mutating func writeLabel(_ text: String) {
    let (label, words) = (_UndoLabel(text), _UndoHeader.wordCount(of: _UndoLabel.self))
    makeWritable(for: words * 8)
    records.write(
      label, operation: .label, words: words,
      ownedBytes: records.fastPath.countsRetainedBytes ? label.retainedBytes : label.ownedBytes, offset: -1)
    records.position.link = _UndoLink(words: words, flags: _UndoHeader.inner)
  }

  // MARK: Behind a step

  /// Sees to what goes along with a step of one record, which was just written, and to the limit.
  @usableFromInline
  mutating func didRecordStep() {
    if extras[0].hasLead { records.changeHeader(at: records.latestRecord) { $0.begins = false } }
    extras[0].hasLead = false
    didEndStep(isTransaction: false)
    records.fastPath.directEnd = records.fastPath.directEndIfOwning
    enforceLimit()
  }

  /// The same for a step that was a transaction.
  @usableFromInline
  mutating func didEndTransaction() {
    if hasExtras { didEndStep(isTransaction: true) }
    enforceLimit()
  }

  private mutating func didEndStep(isTransaction: Bool) {
    let start = records.firstRecord(from: extras[0].start)
    let isAssignment = !isTransaction || extras[0].isAssignment
    extras[0].isAssignment = false
    extras[0].restored.isEdited = !extras[0].restored.assignedInside.isEmpty
    defer { if restoresValues { extras[0].endKeeping() } }
    let joins =
      extras[0].hasOpenStep()
      ? joinOpenStep(from: start, isTransaction: isTransaction)
      : extras[0].rule.valueTimer != nil && joinValues(from: start, isAssignment: isAssignment)
    if joins {
      if extras[0].hasOpenStep()
        || !removeIfNothing(latestStepFrom: records.startOfStep(endingWith: records.latestRecord))
      {
        extras[0].didJoinStep()
      }
      return
    }
    extras[0].addRow(state - oldestState)
    if restoresValues { extras[0].awaitRestored(before: 0) }
  }

  /// Lets nothing more go into the latest step, nor into one that is open.
  @usableFromInline
  package mutating func settle() {
    endOpenStep()
    settleLatest()
  }

  /// Lets nothing more go into the latest step.
  ///
  /// A step that is open and has no edits is none yet, and stays open.
  mutating func settleLatest() {
    records.position.canJoin = false
    guard hasExtras else { return }
    if extras[0].isStepUnderWay() { endOpenStep() }
    guard hasExtras else { return }
    if records.fastPath.restoresValues { unread?.isSettled = true }
    extras[0].updateRestored()
    changeExtras {
      $0.endJoining()
      $0.restored.forgetLatest()
    }
  }

  /// Lets the comparison of an assignment, which ends its transaction next, join as one assignment does.
  package mutating func willEndAssignment() {
    if hasExtras, transaction.depth == 1 { extras[0].isAssignment = true }
  }

  @usableFromInline
  mutating func endAssignment() {
    willEndAssignment()
    endTransaction()
  }
}
