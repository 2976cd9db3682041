/// The latest records of an open step that cover another assignment of their parts, which then needs no record of its
/// own; and the search for such a record.
///
///     records of the step   | label | ... | part | part | part |     the position is after the last one
///                                         ^ gesture: 3 records
///
/// A part that is assigned twice has one record: the older one, which has the value from before the step. The newer one
/// isn't written at all. This is correct only as long as the older record still means the same part. The search is
/// therefore limited to the *gesture*: the latest records of the step, as far as each replaced a leaf, or any part of
/// the document itself, including everything within that part. Any other record, such as that of an inserted element,
/// ends the gesture. So does a leaf of an element after a part that is more than a leaf. The search also includes the
/// very latest record, which may be of any value.
///
/// The gesture is a part of the records, because every edit in an open step asks for it.
struct _UndoGesture {
  private(set) var count = 0
  /// Whether the gesture has a record of more than a leaf.
  private var hasWhole = false
  /// The records of a long gesture, by the part that each replaced.
  fileprivate var index: [Int: _UndoLocation] = [:]

  /// The longest gesture whose records are checked one by one; looking into the index takes less time for a longer one.
  static var longestUnindexed: Int { 16 }

  /// Adds a new record, or begins a new gesture at or after it.
  ///
  /// - Parameter replaced: The kind of part that the record replaced; nil for a record that isn't an edit.
  mutating func add(_ replaced: _UndoReplacedPart?) {
    guard let replaced, replaced.isOfGesture else { return self = _UndoGesture() }
    // An element may lie in a whole that was replaced. If the whole is replaced again, it needs a new record, because
    // the record of the element belongs to the whole that is there now.
    if hasWhole, replaced.sizeInDocument == 0 { self = _UndoGesture() }
    if !replaced.isLeaf { hasWhole = true }
    count += 1
  }
}

extension _UndoRecords {
  /// Extends the gesture over new records, which are the last ones, as far as they can be part of a gesture.
  mutating func addToGesture(from start: _UndoLocation) {
    // Taken out, so that the index isn't copied.
    guard var gesture = gesture.take() else { return }
    var (location, oldCount) = (start, gesture.count)
    while let record = record(at: &location) {
      gesture.add(record.header.isEdit ? fastPath.operations.replaced(record.header.operation) : nil)
    }
    if gesture.count > _UndoGesture.longestUnindexed {
      if gesture.index.isEmpty { oldCount = 0 }
      var location = latestRecord
      for number in oldCount..<gesture.count {
        if number > oldCount { location = latestRecord(before: location) }
        gesture.index[key(of: _UndoPendingEdit(record(there: location)))] = location
      }
    }
    self.gesture = gesture
  }

  // Every edit asks these. They are mutating methods even if they only read, because others would get a copy of the
  // records.

  /// The record of the open step that replaced the part which an edit has now replaced again.
  @inline(__always)
  mutating func recordInOpenStep(of edit: _UndoPendingEdit) -> _UndoLocation? {
    guard let count = gesture?.count else { return nil }
    let replaced = fastPath.operations.replaced(edit.operation)
    guard replaced.isPart else { return nil }
    return record(of: edit, endingWith: latestRecord, count: replaced.isOfGesture ? max(1, count) : 1)
  }

  /// The record of the gesture that replaced the part which an edit has now replaced again.
  ///
  /// - Parameter last: The last record of the gesture.
  mutating func recordInGesture(of edit: _UndoPendingEdit, endingWith last: _UndoLocation) -> _UndoLocation? {
    guard let count = gesture?.count, count > 0, fastPath.operations.replaced(edit.operation).isOfGesture else {
      return nil
    }
    return record(of: edit, endingWith: last, count: count)
  }

  @inline(__always)
  private mutating func record(
    of edit: _UndoPendingEdit, endingWith last: _UndoLocation, count: Int
  ) -> _UndoLocation? {
    if count > _UndoGesture.longestUnindexed {
      // If two parts have the same hash, one has no entry and gets a record each time, which is correct as well.
      return gesture?.index[key(of: edit)].flatMap { restores(record(there: $0), edit) ? $0 : nil }
    }
    var (location, left) = (last, count)
    while true {
      let record = record(there: location)
      if restores(record, edit) { return location }
      left -= 1
      if left == 0 { return nil }
      location = latestRecord(before: location, ofSize: record.header.link.bytes)
    }
  }

  /// Whether undoing a record also restores what an edit has now replaced.
  @inline(__always)
  private func restores(_ record: _UndoRecord, _ edit: _UndoPendingEdit) -> Bool {
    let (header, operations) = (record.header, fastPath.operations)
    guard header.isEdit else { return false }
    if operations.isAtSamePlace(record, edit) { return true }
    let (known, new) = (operations.replaced(header.operation), operations.replaced(edit.operation))
    guard known.sizeInDocument > 0, new.sizeInDocument > 0 else { return false }
    // Undoing the record also restores everything within the part that it replaced.
    return header.argument <= edit.offset
      && edit.offset + Int(new.sizeInDocument) <= header.argument + Int(known.sizeInDocument)
  }

  private func key(of edit: _UndoPendingEdit) -> Int {
    var hasher = Hasher()
    hasher.combine(edit.operation.bits)
    hasher.combine(edit.offset)
    unsafe edit.payload.hashBytes(count: Int(fastPath.operations.replaced(edit.operation).placeSize), into: &hasher)
    return hasher.finalize()
  }
}
