/// A step that is open: each new edit becomes part of it.
///
///     records of the step   | label | ... | part | part | part |     the position is after the last one
///                                         ^ run
///
/// The records are those of an ordinary step at any time, so undo handles them without knowing of the open step. Only
/// the next edit is treated differently: it joins.
///
/// A part that is assigned twice has one record: the older one, which has the value from before the step. The newer one
/// isn't written at all. This is correct only as long as the older record still means the same part. The search is
/// therefore limited to the *run*: the latest records of the step, as far as each replaced a leaf, or any part of the
/// document itself, including everything within that part. Any other record, such as that of an inserted element, ends
/// the run. So does a leaf of an element after a part that is more than a leaf. Besides the run, the search includes
/// the very latest record, which may be of any value.
///
/// Everything is in an array of one element, so that copying the step, for example with the extras around it, copies
/// only a reference.
@dynamicMemberLookup
package struct _UndoOpenStep {
  private var parts: ContiguousArray<Parts>

  init(_ identity: _UndoStepIdentity, label: String?, base: Int, redoCount: Int, at start: _UndoLocation) {
    parts = [Parts(identity, label: label, base: base, redoCount: redoCount, at: start)]
  }

  package subscript<Part>(dynamicMember part: KeyPath<Parts, Part>) -> Part {
    @inline(__always) get { parts[0][keyPath: part] }
  }

  /// Whether a history is as it was when the step began.
  func isAtBase(_ state: Int, _ redoCount: Int) -> Bool {
    state == self.base && (self.detachedRedo != nil || redoCount == self.redoCount)
  }

  /// Changes the step in this history alone.
  @inline(__always)
  mutating func change<Result>(_ body: (inout Parts) -> Result) -> Result {
    body(&parts[0])
  }

  package struct Parts {
    package let identity: _UndoStepIdentity
    package let label: String?
    /// The state in which the step began.
    let base: Int
    /// The number of redo steps at that time.
    let redoCount: Int

    package var hasEdits = false
    /// The location of the step's first record.
    var start: _UndoLocation
    /// The redo steps from before the step's first edit.
    package var detachedRedo: _UndoDetachedRedo?

    /// The start of the run.
    var run: _UndoLocation
    /// Whether the run has a record of more than a leaf.
    var hasWhole = false
    /// The records of a long run, by the part that each replaced.
    var index = Index()

    init(
      _ identity: _UndoStepIdentity, label: String?, base: Int, redoCount: Int, at start: _UndoLocation
    ) {
      (self.identity, self.label, self.base, self.redoCount) = (identity, label, base, redoCount)
      (self.start, run) = (start, start)
    }
  }

  /// Finds records by their parts, if the run is so long that checking each record takes more time.
  struct Index {
    /// The number of records in the run.
    var count = 0
    /// The number of records in the index, and the location of the next record.
    var indexedCount = 0
    var end: _UndoLocation?
    var records: [Int: _UndoLocation] = [:]

    /// The longest run whose records are checked one by one.
    static var shortest: Int { 16 }
  }
}

extension _UndoOpenStep {
  /// Extends the run over new records, which are the last ones, as far as they can be part of a run.
  mutating func addToRun(from start: _UndoLocation, in records: _UndoRecords) {
    var location = start
    while true {
      let found = records.firstRecord(from: location)
      guard let record = records.record(at: &location) else { return }
      let replaced = record.header.isEdit ? records.fastPath.operations.replaced(record.header.operation) : nil
      parts[0].addToRun(replaced, at: found, end: location)
    }
  }

  /// The record of the step that replaced the part that an edit has now replaced again: in the run, or the latest of
  /// all.
  mutating func record(of edit: _UndoPendingEdit, in records: _UndoRecords) -> _UndoLocation? {
    guard parts[0].hasEdits else { return nil }
    if let found = recordInRun(of: edit, in: records) { return found }
    guard records.fastPath.operations.replaced(edit.operation).isPart else { return nil }
    let latest = records.latestRecord
    return records.hasSamePart(records.record(there: latest), edit) ? latest : nil
  }

  mutating func recordInRun(of edit: _UndoPendingEdit, in records: _UndoRecords) -> _UndoLocation? {
    guard parts[0].hasEdits, records.fastPath.operations.replaced(edit.operation).isOfRun else { return nil }
    if parts[0].index.count > Index.shortest { return parts[0].indexedRecord(of: edit, in: records) }
    var location = parts[0].run
    for _ in 0..<parts[0].index.count {
      let found = location
      guard let record = records.record(at: &location) else { return nil }
      if records.hasSamePart(record, edit) { return found }
    }
    return nil
  }
}

extension _UndoOpenStep.Parts {
  /// The record in the run that replaced the same part, found by the index, to which new records are added first.
  fileprivate mutating func indexedRecord(of edit: _UndoPendingEdit, in records: _UndoRecords) -> _UndoLocation? {
    func key(_ edit: _UndoPendingEdit) -> Int {
      var hasher = Hasher()
      hasher.combine(edit.operation.bits)
      hasher.combine(edit.offset)
      let size = records.fastPath.operations.replaced(edit.operation).placeSize
      unsafe edit.payload.hashBytes(count: Int(size), into: &hasher)
      return hasher.finalize()
    }
    var location = index.end ?? run
    while index.indexedCount < index.count {
      let found = location
      guard let record = records.record(at: &location) else { break }
      index.indexedCount += 1
      let key = key(_UndoPendingEdit(record))
      if index.records[key] == nil { index.records[key] = found }
    }
    index.end = location
    // If two parts have the same hash, the second has no entry and gets a record each time, which is correct as well.
    guard let found = index.records[key(edit)], var end = Optional(found), let record = records.record(at: &end) else {
      return nil
    }
    return records.hasSamePart(record, edit) ? found : nil
  }

  mutating func didRemoveFirstChunk() {
    start.chunkIndex -= 1
    run.chunkIndex -= 1
    (index.indexedCount, index.end, index.records) = (0, nil, [:])
  }

  /// Extends the run over a new record between two locations, or begins a new run at or after the record.
  ///
  /// - Parameter replaced: The kind of part that the record replaced; nil for a record that isn't an edit.
  mutating func addToRun(
    _ replaced: _UndoReplacedPart?, at location: _UndoLocation, end: _UndoLocation
  ) {
    guard let replaced, replaced.isOfRun else { return beginRun(at: end) }
    // An element may lie in a whole that was replaced. If the whole is replaced again, it needs a new record, because
    // the record of the element belongs to the whole that is there now.
    if hasWhole, replaced.sizeInDocument == 0 { beginRun(at: location) }
    if !replaced.isLeaf { hasWhole = true }
    index.count += 1
  }

  /// Begins a run without records.
  mutating func beginRun(at location: _UndoLocation) {
    (run, index, hasWhole) = (location, _UndoOpenStep.Index(), false)
  }
}

/// The identity of an open step.
///
/// It is an object, because objects differ from each other as long as they live. Drawing a random number would take
/// longer than a gesture.
@usableFromInline
package final class _UndoStepIdentity: Sendable {
  @usableFromInline
  init() {}
}
