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
///
/// All of it is in an array of one, so that what takes an open step along, such as the extras around it, copies no more
/// than a reference.
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

  /// Changes the step of this history alone.
  @inline(__always)
  mutating func change<Result>(_ body: (inout Parts) -> Result) -> Result {
    body(&parts[0])
  }

  package struct Parts {
    package let identity: _UndoStepIdentity
    package let label: String?
    /// The state in which it began.
    let base: Int
    /// How much could be redone then.
    let redoCount: Int

    package var hasEdits = false
    /// Where its first record lies.
    var start: _UndoLocation
    /// What could be redone before its first edit.
    package var detachedRedo: _UndoTail?

    /// Where the run begins.
    var run: _UndoLocation
    /// Whether it has a record of more than a leaf.
    var hasWhole = false
    /// The records of a long run by the part that each replaced.
    var index = Index()

    init(
      _ identity: _UndoStepIdentity, label: String?, base: Int, redoCount: Int, at start: _UndoLocation
    ) {
      (self.identity, self.label, self.base, self.redoCount) = (identity, label, base, redoCount)
      (self.start, run) = (start, start)
    }
  }

  /// Finds records by their parts, once a run is so long that to look at each takes more.
  struct Index {
    /// How many records the run has.
    var count = 0
    /// How many of them are in the index, and where the next one lies.
    var indexedCount = 0
    var end: _UndoLocation?
    var records: [Int: _UndoLocation] = [:]

    /// How many records are looked at one by one.
    static var shortest: Int { 16 }
  }
}

extension _UndoOpenStep {
  /// Lets the run go on over new records, the last of all, as far as they replace leaves.
  mutating func addToRun(from start: _UndoLocation, in records: _UndoRecords) {
    var location = start
    while true {
      let found = records.firstRecord(from: location)
      guard let record = records.record(at: &location) else { return }
      let replaced = record.header.isEdit ? records.fastPath.operations.replaced(record.header.operation) : nil
      parts[0].addToRun(replaced, at: found, end: location)
    }
  }

  /// The record of the step that replaced the part which an edit has replaced again: one of the run, or the latest of
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
  /// The record of the run that replaced the same leaf, by the index, which grows by what is new.
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
    // Of two parts with one hash the second has no entry, and gets a record each time: that is exact as well.
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

  /// Lets the run go on over a new record between two locations, or begin behind it.
  ///
  /// - Parameter replaced: What the record replaced; nil for one that is no edit.
  mutating func addToRun(
    _ replaced: _UndoReplaced?, at location: _UndoLocation, end: _UndoLocation
  ) {
    guard let replaced, replaced.isOfRun else { return beginRun(at: end) }
    // An element may lie in a whole that was replaced. That whole has to be recorded again before it goes, since the
    // record of the element is of the one that is there now.
    if hasWhole, replaced.sizeInDocument == 0 { beginRun(at: location) }
    if !replaced.isLeaf { hasWhole = true }
    index.count += 1
  }

  /// Begins a run of no records.
  mutating func beginRun(at location: _UndoLocation) {
    (run, index, hasWhole) = (location, _UndoOpenStep.Index(), false)
  }
}

/// Which open step is meant.
///
/// It is an object, which is unlike every other as long as one of them lives. A number that is
/// drawn at random takes longer than a gesture.
@usableFromInline
package final class _UndoStepIdentity: Sendable {
  @usableFromInline
  init() {}
}
