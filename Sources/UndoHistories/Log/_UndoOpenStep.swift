/// A step that is open: what is recorded next becomes part of it.
///
///     records of the step   | label | ... | part | part | part |     the position is behind the last one
///                                         ^ run
///
/// At any time it is a step like any other, so that undo needs to know nothing of it. What is open is only whether the
/// next edit joins.
///
/// A part that is assigned twice has one record: the older one, which has the value from before the step. The newer
/// one is not written at all. That is exact only as long as the older record still means the same part. So what is
/// looked for lies in the *run*: the latest records of the step, as far as each replaced a leaf, or any part of the
/// document itself, which has all that lies within it as well. Anything else, such as an element that is inserted, ends
/// the run, and so does a leaf of an element behind a part that is more than a leaf. Besides, the latest record of all
/// may be of any value.
struct _UndoOpenStep {
  let identity: _UndoStepIdentity
  let label: String?
  /// The state in which it began.
  let base: Int
  /// How much could be redone then.
  let redoCount: Int

  var hasEdits = false
  /// Where its first record lies.
  var start: _UndoLog.RecordLocation
  /// What could be redone before its first edit.
  var detachedRedo: _UndoLog.DetachedRedo?
  /// When the steps ended that could be redone.
  var detachedTimes: ArraySlice<Int64> = []
  /// Their identities.
  var detachedIdentities: _UndoOrigins.Taken?

  /// Where the run begins.
  var run: _UndoLog.RecordLocation
  /// Whether it has a record of more than a leaf.
  var hasWhole = false
  /// The records of a long run by the part that each replaced.
  var index = Index()
  /// What is known of the operations of the log, by their indices.
  var replacements: [Replacement?] = []

  init(_ identity: _UndoStepIdentity, label: String?, base: Int, redoCount: Int, at start: _UndoLog.RecordLocation) {
    (self.identity, self.label, self.base, self.redoCount) = (identity, label, base, redoCount)
    (self.start, run) = (start, start)
  }

  /// What the deltas of an operation replace, if that is a part as a whole.
  struct Replacement {
    let anchorSize: Int
    let isOfLeaf: Bool
    /// Whether it replaces a part at all.
    let isReplacement: Bool
    /// The size of the part if that lies in the document itself, else 0.
    let sizeInDocument: Int

    /// Whether a record of it can lie in a run.
    var isOfRun: Bool { isOfLeaf || isReplacement && sizeInDocument > 0 }

    init(_ delta: Any.Type) {
      let type = delta as? any _UndoDelta.Type
      anchorSize = type?.partAnchorSize ?? 0
      isReplacement = type?.partAnchorSize != nil
      isOfLeaf = isReplacement && type?.isOfLeaf == true
      sizeInDocument = isReplacement ? type?.sizeInDocument ?? 0 : 0
    }

    private init(sizeOfLeaf: Int) {
      (anchorSize, isOfLeaf, isReplacement, sizeInDocument) = (0, true, true, sizeOfLeaf)
    }

    /// That of a number of eight bytes in the document itself, which needs no question.
    static let word = Replacement(sizeOfLeaf: 8)
  }

  /// Finds records by their parts, once a run is so long that to look at each takes more.
  struct Index {
    /// How many records the run has.
    var count = 0
    /// How many of them are in the index, and where the next one lies.
    var indexedCount = 0
    var end: _UndoLog.RecordLocation?
    var records: [Int: _UndoLog.RecordLocation] = [:]

    /// How many records are looked at one by one.
    static var shortest: Int { 16 }
  }

  /// Whether a history is as it was when the step began.
  func isAtBase(_ state: Int, _ redoCount: Int) -> Bool {
    state == base && (detachedRedo != nil || redoCount == self.redoCount)
  }

  mutating func didRemoveFirstChunk() {
    start.chunkIndex -= 1
    run.chunkIndex -= 1
    (index.indexedCount, index.end, index.records) = (0, nil, [:])
  }

  /// What an operation of the log replaces; asked for once.
  mutating func replacement(
    _ operation: _UndoOperationIndex, of operations: _UnsafeUndoOperationTable
  ) -> Replacement {
    if operation == .word { return .word }
    let index = operation.value
    if index < replacements.count, let known = replacements[index] { return known }
    let new = Replacement(operations[operation].delta)
    while replacements.count <= index { replacements.append(nil) }
    replacements[index] = new
    return new
  }

  /// Lets the run go on over a new record between two locations, or begin behind it.
  ///
  /// - Parameter replacement: What the record replaced; nil for one that is no edit.
  /// - Returns: Whether the record is of the run, and whether those before it are.
  mutating func addToRun(
    _ replacement: Replacement?, at location: _UndoLog.RecordLocation, end: _UndoLog.RecordLocation
  ) -> (isOfRun: Bool, goesOn: Bool) {
    guard let replacement, replacement.isOfRun else {
      beginRun(at: end)
      return (false, false)
    }
    // An element may lie in a whole that was replaced. That whole has to be recorded again before it goes, since the
    // record of the element is of the one that is there now.
    let goesOn = replacement.sizeInDocument > 0 || !hasWhole
    if !goesOn { beginRun(at: location) }
    if !replacement.isOfLeaf { hasWhole = true }
    index.count += 1
    return (true, goesOn)
  }

  /// Begins a run of no records.
  mutating func beginRun(at location: _UndoLog.RecordLocation) {
    (run, index, hasWhole) = (location, Index(), false)
  }
}

/// Which open step is meant.
///
/// It is an object, which is unlike every other as long as one of them lives. A number that is
/// drawn at random takes longer than a gesture.
@usableFromInline
final class _UndoStepIdentity: Sendable {}

extension _UndoLog {
  /// Whether a step is open.
  ///
  /// One without edits is, wherever the history is as it was when that began.
  @inline(never)
  var isStepOpen: Bool {
    hasExtras && (extras[0].openStep?.hasEdits == true || isAtBaseOfOpenStep)
  }

  /// Whether a step was begun and not ended, be it open where the history is now or not.
  var hasOpenStep: Bool { extras.first?.openStep != nil }

  private var isAtBaseOfOpenStep: Bool { extras[0].openStep?.isAtBase(state, redoCount) ?? false }

  @usableFromInline
  mutating func beginStep(_ label: String?, _ identity: _UndoStepIdentity) {
    defer { _checkInvariants() }
    settle()
    coalescing.canJoin = false
    let step = _UndoOpenStep(identity, label: label, base: state, redoCount: redoCount, at: location)
    changeExtras { $0.openStep = step }
  }

  /// Whether a step is open that has this identity.
  func isStepOpen(_ identity: _UndoStepIdentity) -> Bool {
    extras.first?.openStep?.identity === identity && isStepOpen
  }

  /// Ends the step that is open, if one is.
  mutating func endOpenStep() {
    guard let step = takeOpenStep() else { return }
    defer { _checkInvariants() }
    coalescing.canJoin = false
    if step.hasEdits {
      if let label = step.label { extendLatestStep { $0.writeAside(_UndoLabel(label), operation: .label) } }
      if let redo = step.detachedRedo { drop(redo) }
    } else {
      reattach(step)
    }
  }

  /// Takes the open step out of the extras, if there is one.
  private mutating func takeOpenStep() -> _UndoOpenStep? {
    guard hasExtras, extras[0].hasOpenStep() else { return nil }
    var step: _UndoOpenStep?
    changeExtras { swap(&step, &$0.openStep) }
    return step
  }

  /// Takes the open step back as if it had never been.
  mutating func cancelOpenStep(_ document: _UnsafeUndoPointer) {
    guard let step = extras.first?.openStep else { return }
    defer { _checkInvariants() }
    changeExtras {
      $0.openStep = nil
      $0.carried.forgetRecords()
    }
    closeRecords()
    if step.hasEdits {
      removeRecords(backTo: step.start) { log, header in
        log.exchange(header, at: log.position.offset, with: document)
      }
      counts.undo -= 1
      redoCount = 0
      position.link = _UndoLink(words: position.link.words, flags: _UndoHeader.whole)
    }
    reattach(step)
    if redoCount == 0, !chunks.isEmpty { open() }
  }

  /// Makes what could be redone before a step redoable again.
  private mutating func reattach(_ step: _UndoOpenStep) {
    guard let redo = step.detachedRedo else { return }
    closeRecords()
    reattach(redo)
    let state = state
    if hasExtras { extras[0].times?.put(step.detachedTimes, behind: state) }
    if hasExtras, let identities = step.detachedIdentities { extras[0].origins?.put(identities, behind: state) }
    saves = redo.saves
    let oldest = counts.dropped
    saves.forget { $0 < oldest }
  }

  // MARK: Edits

  /// Makes room for the first edit of the open step.
  mutating func willEditOpenStep() {
    guard !extras[0].isStepOpenWithEdits(), position.link.flags != _UndoHeader.inner else { return }
    let (location, state) = (location, state)
    extras[0].openStep?.start = location
    guard redoCount > 0 else { return }
    let times = extras[0].times?.take(behind: state) ?? []
    let identities = extras[0].origins?.take(behind: state)
    let redo = takeRedo()
    extras[0].openStep?.detachedIdentities = identities
    extras[0].openStep?.detachedTimes = times
    extras[0].openStep?.detachedRedo = redo
  }

  /// Lets a transaction that was taken back, and was to be the step's first edit, bring back what could be redone.
  mutating func openStepGivesRedoBack() {
    guard let step = extras[0].openStep, !step.hasEdits, let redo = step.detachedRedo else { return }
    let state = state
    transaction.detachedRedo = redo
    extras[0].openStep?.detachedRedo = nil
    extras[0].times?.put(step.detachedTimes, behind: state)
    extras[0].openStep?.detachedTimes = []
    if let identities = step.detachedIdentities { extras[0].origins?.put(identities, behind: state) }
    extras[0].openStep?.detachedIdentities = nil
  }

  /// Makes a step that has just ended part of the open step, and says whether that has had edits before.
  mutating func joinOpenStep(from start: RecordLocation, isTransaction: Bool) -> Bool {
    guard extras[0].isStepOpenWithEdits() else {
      extras[0].openStep?.hasEdits = true
      extras[0].openStep?.beginRun(at: start)
      addToRun(from: start)
      return false
    }
    counts.undo -= 1
    if isTransaction {
      joinTransaction(from: start)
    } else {
      changeHeader(at: latestRecord(before: start)) { $0.ends = false }
      changeHeader(at: start) { $0.begins = false }
      addToRun(from: start)
    }
    return true
  }

  /// Makes the records of a transaction part of the open step, but for those of parts that it has records of.
  private mutating func joinTransaction(from start: RecordLocation) {
    if everyRecord(from: start, { log, record in log.runHasRecord(of: record) }) {
      return removeLatestStep()
    }
    let records = takeRecords(from: start)
    extendLatestStep { log in
      log.forEachRecord(in: records) { log, record in
        if log.runHasRecord(of: record) { return }
        log.writeCopy(of: record)
        log.addToRun(from: log.latestRecord)
      }
    }
  }

  // MARK: The run

  /// Lets the run go on over new records, the last of the log, as far as they replace leaves.
  private mutating func addToRun(from start: RecordLocation) {
    var location = start
    while true {
      let found = firstRecord(from: location)
      guard let record = record(at: &location) else { return }
      let replacement = record.header.isEdit ? replacement(record.header.operation) : nil
      let added = extras[0].openStep?.addToRun(replacement, at: found, end: location)
      // What is expected lies in the current chunk.
      if added?.goesOn != true || found.offset == _UnsafeUndoMemory.start { forgetExpected() }
      if added?.isOfRun == true { expect(found, record.header.argument) }
    }
  }

  /// Whether the step has a record of the part that a delta is about to replace.
  mutating func openStepHasRecord(
    of payload: _UnsafeUndoPointer, _ operation: _UndoOperationIndex, offset: Int
  ) -> Bool {
    guard extras[0].isStepOpenWithEdits() else { return false }
    if runHasRecord(of: payload, operation, offset: offset) { return true }
    let latest = latestRecord
    return replacement(operation).isReplacement && self.location(latest, hasRecordOf: payload, operation, offset)
  }

  private mutating func runHasRecord(of record: Record) -> Bool {
    guard record.header.isEdit else { return false }
    return unsafe runHasRecord(of: record.payload, record.header.operation, offset: record.header.argument)
  }

  /// Whether a record of the run replaced the same leaf.
  private mutating func runHasRecord(
    of payload: _UnsafeUndoPointer, _ operation: _UndoOperationIndex, offset: Int
  ) -> Bool {
    guard replacement(operation).isOfRun else { return false }
    let (run, count) = extras[0].run()
    guard count <= _UndoOpenStep.Index.shortest else {
      guard let found = indexedRecord(of: payload, operation, offset: offset) else { return false }
      expect(found, offset)
      return true
    }
    var location = run
    for _ in 0..<count {
      if self.location(location, hasRecordOf: payload, operation, offset) {
        expect(location, offset)
        return true
      }
      _ = record(at: &location)
    }
    return false
  }

  /// Whether the record at a location replaced the part that a delta is about to replace.
  private mutating func location(
    _ location: RecordLocation, hasRecordOf payload: _UnsafeUndoPointer, _ operation: _UndoOperationIndex, _ offset: Int
  ) -> Bool {
    var end = location
    guard let record = record(at: &end), record.header.isEdit else { return false }
    let (known, new) = (replacement(record.header.operation), replacement(operation))
    if known.sizeInDocument > 0, new.sizeInDocument > 0 {
      // What lies in the part that a record replaced is restored with it.
      let start = record.header.argument
      return start <= offset && offset + new.sizeInDocument <= start + known.sizeInDocument
    }
    guard record.header.operation == operation, record.header.argument == offset else { return false }
    let size = new.anchorSize
    return unsafe size == 0 || record.payload.hasSameBytes(as: payload, count: size)
  }

  private mutating func replacement(_ operation: _UndoOperationIndex) -> _UndoOpenStep.Replacement {
    extras[0].replacement(operation, of: fastPath.operations)
  }

  /// The record of the run that replaced the same leaf, by the index, which grows by what is new.
  private mutating func indexedRecord(
    of payload: _UnsafeUndoPointer, _ operation: _UndoOperationIndex, offset: Int
  ) -> RecordLocation? {
    var index = extras[0].takeIndex()
    var location = index.end ?? extras[0].run().start
    while index.indexedCount < index.count {
      let found = location
      guard let record = record(at: &location) else { break }
      index.indexedCount += 1
      let (operation, argument) = (record.header.operation, record.header.argument)
      let key = unsafe partHash(record.payload, operation, offset: argument)
      if index.records[key] == nil { index.records[key] = found }
    }
    index.end = location
    let found = index.records[partHash(payload, operation, offset: offset)]
    extras[0].openStep?.index = index
    // Of two parts with one hash the second has no entry, and gets a record each time: that is exact as well.
    return found.flatMap { self.location($0, hasRecordOf: payload, operation, offset) ? $0 : nil }
  }

  private mutating func partHash(
    _ payload: _UnsafeUndoPointer, _ operation: _UndoOperationIndex, offset: Int
  ) -> Int {
    var hasher = Hasher()
    hasher.combine(operation.bits)
    hasher.combine(offset)
    unsafe payload.hashBytes(count: replacement(operation).anchorSize, into: &hasher)
    return hasher.finalize()
  }
}
