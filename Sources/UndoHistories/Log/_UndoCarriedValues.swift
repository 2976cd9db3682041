/// The values that undo and redo restore.
///
/// What a value was behind the latest step is written into that step's records late: when the step is left, or when an
/// assignment follows that is not the step's. Until then it is what the document has. So a key that is typed and the
/// caret that follows it cost no more than to see that this is so.
package struct _UndoCarriedValues {
  package var values: ContiguousArray<Value> = []
  /// Whether the step, or the transaction, has edits of carried values.
  var isEdited = false

  /// Which values were assigned in the transaction without a record.
  var assignedInside = Members()
  /// Whether any was with a record: then so is what follows, since such records need the state that they left.
  var isRecordedInside = false
  /// Of which values the latest step has records, while they may change.
  var recorded = Members()
  /// Of which values what the document has is what the latest step has behind it, and so will be the next assignment.
  package var awaited = Members()
  /// Of which it is that too, but the next assignment is of something else.
  package var assigned = Members()
  /// The records that a step forward has left for its end.
  var leftForLater: [_UndoLog.RecordLocation] = []

  package struct Value {
    let carrier: _UndoCarrier
    /// Where the value lies in the document.
    package let bytes: Range<Int>
    /// The operation of its records, once there is one.
    var operation: _UndoOperationIndex?
    /// The record of the latest step.
    var record: _UndoLog.RecordLocation?

    init(_ carrier: _UndoCarrier) {
      (self.carrier, bytes) = (carrier, carrier.bytes)
    }
  }

  /// Some of the values, by their indices.
  package struct Members: OptionSet {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    init(_ index: Int) { rawValue = 1 << UInt64(truncatingIfNeeded: index) }

    package func contains(_ index: Int) -> Bool { isSuperset(of: Members(index)) }
  }

  /// How many values can be carried.
  static var maximumCount: Int { 64 }

  var isEmpty: Bool { values.isEmpty }

  mutating func add(_ carrier: _UndoCarrier) {
    if values.contains(where: { $0.carrier.isSame(as: carrier) }) { return }
    values.append(Value(carrier))
  }

  /// Sees to an assignment within carried values; false where that is not all it is, or a value is to be written first.
  mutating func takesAssignment(_ bytes: Range<Int>, isStepOpen: Bool) -> Bool {
    var members = Members()
    for index in values.indices {
      let value = values[index].bytes
      guard value.lowerBound < bytes.upperBound, bytes.lowerBound < value.upperBound else { continue }
      guard value.lowerBound <= bytes.lowerBound, bytes.upperBound <= value.upperBound else { return false }
      members.insert(Members(index))
    }
    guard !members.isEmpty, isStepOpen || assigned.isDisjoint(with: members) else { return false }
    if !isStepOpen { take(members) }
    return true
  }

  /// Takes it that values were assigned: those that are awaited are the latest step's, of the others nothing more is.
  mutating func take(_ members: Members) {
    assigned = assigned.subtracting(members).union(awaited.intersection(members))
    awaited.subtract(members)
  }

  /// Forgets what was assigned in the transaction that ends.
  mutating func didEndTransaction() { (isEdited, assignedInside, isRecordedInside) = (false, [], false) }

  /// Whether a transaction may be taken out of the log: no record of it is of a carried value.
  mutating func canJoin() -> Bool { !isRecordedInside }

  /// The values that an edit of these bytes changes.
  mutating func members(in bytes: Range<Int>) -> Members {
    var members = Members()
    for index in values.indices where values[index].bytes.overlaps(bytes) { members.insert(Members(index)) }
    return members
  }

  /// Takes it that no assignment belongs to the latest step any more.
  mutating func forgetRecords() {
    for index in values.indices { values[index].record = nil }
    (recorded, awaited, assigned) = ([], [], [])
  }

  /// Takes it that an edit was made of the latest step.
  @inline(__always)
  mutating func didEdit() {
    (awaited, assigned) = isEdited ? ([], recorded) : (recorded, [])
    isEdited = false
  }

  mutating func didRemoveFirstChunk() {
    for index in values.indices { values[index].record?.chunkIndex -= 1 }
  }

  /// Whether an edit in these bytes is of a carried value, and not all around one.
  mutating func isOfValue(_ bytes: Range<Int>) -> Bool {
    values.indices.contains { index in
      let value = values[index].bytes
      return value.overlaps(bytes) && value.lowerBound <= bytes.lowerBound && bytes.upperBound <= value.upperBound
    }
  }
}
