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

  mutating func didRemoveFirstChunk() {
    start.chunkIndex -= 1
    run.chunkIndex -= 1
    (index.indexedCount, index.end, index.records) = (0, nil, [:])
  }

  /// What an operation replaces, if that was asked for.
  func knownReplacement(_ operation: _UndoOperationIndex) -> Replacement? {
    operation.value < replacements.count ? replacements[operation.value] : nil
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

  private var isAtBaseOfOpenStep: Bool {
    guard let step = extras[0].openStep else { return false }
    return state == step.base && (step.detachedRedo != nil || redoCount == step.redoCount)
  }

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
    guard let step = extras.first?.openStep else { return }
    defer { _checkInvariants() }
    changeExtras { $0.openStep = nil }
    coalescing.canJoin = false
    if step.hasEdits {
      if let label = step.label { extendLatestStep { $0.writeAside(_UndoLabel(label), operation: .label) } }
      if let redo = step.detachedRedo { drop(redo) }
    } else {
      reattach(step)
    }
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
    saves = redo.saves
    let oldest = counts.dropped
    saves.forget { $0 < oldest }
  }

  // MARK: Edits

  /// Makes room for the first edit of the open step.
  mutating func willEditOpenStep() {
    guard extras[0].openStep?.hasEdits == false, position.link.flags != _UndoHeader.inner else { return }
    let (location, state) = (location, state)
    extras[0].openStep?.start = location
    guard redoCount > 0 else { return }
    let times = extras[0].times?.take(behind: state) ?? []
    let redo = takeRedo()
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
  }

  /// Makes a step that has just ended part of the open step, and says whether that has had edits before.
  mutating func joinOpenStep(from start: RecordLocation, isTransaction: Bool) -> Bool {
    guard let step = extras[0].openStep else { return false }
    if !step.hasEdits {
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
    forgetExpected()
    var location = start
    while true {
      let found = firstRecord(from: location)
      guard let record = record(at: &location) else { return }
      let replacement = replacement(record.header.operation)
      guard record.header.isEdit, replacement.isOfRun else {
        extras[0].openStep?.beginRun(at: location)
        continue
      }
      // An element may lie in a whole that was replaced. That whole has to be recorded again before it goes, since the
      // record of the element is of the one that is there now.
      if replacement.sizeInDocument == 0, extras[0].openStep?.hasWhole == true {
        extras[0].openStep?.beginRun(at: found)
      }
      if !replacement.isOfLeaf { extras[0].openStep?.hasWhole = true }
      extras[0].openStep?.index.count += 1
    }
  }

  /// Whether an assignment of a part of the document is of the record that is expected, and so needs none.
  @inlinable
  @inline(__always)
  mutating func repeatsExpected<Delta: _UndoDelta>(_ type: Delta.Type, offset: Int) -> Bool {
    guard transaction.depth == 0, let operation = knownIndex(of: type) else { return false }
    let start = Int(truncatingIfNeeded: fastPath.expected) &* 8
    let header = unsafe position.currentChunk.header(at: start)
    guard header.operation == operation, header.argument == offset else { return false }
    let end = start &+ _UndoHeader.wordCount(of: type) &* 8
    fastPath.expected = end == position.offset ? fastPath.firstExpected : UInt16(truncatingIfNeeded: end / 8)
    return true
  }

  /// Whether the step has a record of the part that a delta is about to replace.
  mutating func openStepHasRecord(
    of payload: _UnsafeUndoPointer, _ operation: _UndoOperationIndex, offset: Int
  ) -> Bool {
    guard extras[0].isStepOpenWithEdits() else { return false }
    if fastPath.expected != 0, fastPath.expected != .max {
      let location = RecordLocation(chunkIndex: position.chunkIndex, offset: 8 * Int(fastPath.expected))
      if self.location(location, hasRecordOf: payload, operation, offset) {
        expectRecord(behind: location)
        return true
      }
    }
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
    guard replacement(operation).isOfRun, let step = extras[0].openStep, step.index.count > 0 else { return false }
    guard step.index.count <= _UndoOpenStep.Index.shortest else {
      guard let found = indexedRecord(of: payload, operation, offset: offset) else { return false }
      expectRecord(behind: found)
      return true
    }
    var location = step.run
    for _ in 0..<step.index.count {
      if self.location(location, hasRecordOf: payload, operation, offset) {
        expectRecord(behind: location)
        return true
      }
      _ = record(at: &location)
    }
    return false
  }

  /// Expects the record behind this one next, or the first of the run behind the last.
  private mutating func expectRecord(behind found: RecordLocation) {
    guard let run = extras[0].openStep?.run, found.chunkIndex == position.chunkIndex,
      position.offset < 8 * Int(UInt16.max), !fastPath.keepsTimes, !fastPath.carriesValues
    else { return }
    // A run that begins at the end of a chunk has its first record in the next one.
    let first = firstRecord(from: run)
    let end = unsafe found.offset + position.currentChunk.header(at: found.offset).bytes
    fastPath.firstExpected = first.chunkIndex == position.chunkIndex ? UInt16(first.offset / 8) : 0
    fastPath.expected = end == position.offset ? fastPath.firstExpected : UInt16(end / 8)
  }

  /// Expects no record any more, since the step or the chunk may become another one.
  mutating func forgetExpected() {
    (fastPath.expected, fastPath.firstExpected) = (fastPath.carriesValues ? .max : 0, 0)
  }

  /// Whether the record at a location replaced the part that a delta is about to replace.
  private func location(
    _ location: RecordLocation, hasRecordOf payload: _UnsafeUndoPointer, _ operation: _UndoOperationIndex, _ offset: Int
  ) -> Bool {
    var end = location
    guard let record = record(at: &end), record.header.isEdit else { return false }
    let (known, new) = (
      extras[0].openStep?.knownReplacement(record.header.operation), extras[0].openStep?.knownReplacement(operation)
    )
    if let known, let new, known.sizeInDocument > 0, new.sizeInDocument > 0 {
      // What lies in the part that a record replaced is restored with it.
      let start = record.header.argument
      return start <= offset && offset + new.sizeInDocument <= start + known.sizeInDocument
    }
    guard record.header.operation == operation, record.header.argument == offset else { return false }
    let size = new?.anchorSize ?? 0
    return unsafe size == 0 || record.payload.hasSameBytes(as: payload, count: size)
  }

  /// What an operation replaces; asked for once.
  private mutating func replacement(_ operation: _UndoOperationIndex) -> _UndoOpenStep.Replacement {
    let index = operation.value
    if let known = extras[0].openStep?.replacements, index < known.count, let known = known[index] { return known }
    let new = _UndoOpenStep.Replacement(fastPath.operations[operation].delta)
    let missing = index + 1 - (extras[0].openStep?.replacements.count ?? 0)
    if missing > 0 { extras[0].openStep?.replacements += Array(repeating: nil, count: missing) }
    extras[0].openStep?.replacements[index] = new
    return new
  }

  /// The record of the run that replaced the same leaf, by the index, which grows by what is new.
  private mutating func indexedRecord(
    of payload: _UnsafeUndoPointer, _ operation: _UndoOperationIndex, offset: Int
  ) -> RecordLocation? {
    guard var index = extras[0].openStep?.index, let run = extras[0].openStep?.run else { return nil }
    extras[0].openStep?.index = _UndoOpenStep.Index()
    var location = index.end ?? run
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
