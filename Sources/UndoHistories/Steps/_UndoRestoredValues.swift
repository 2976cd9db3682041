/// Which of the restored values belong to the latest step, and which were assigned in the step that is in progress.
///
/// What a value is after the latest step is written down late: when the step is left, or when an assignment follows
/// that is not the step's. Until then it is what the document has. So a key that is typed and the caret that follows it
/// cost no more than to see that this is so.
package struct _UndoRestoredValues {
  /// Where the values lie in the document.
  package var bytes: ContiguousArray<Range<Int>> = []

  /// Of which values the latest step has some, while they may change.
  var recorded = Members()
  /// Of which values what the document has is what the latest step has after it, and so will be the next assignment.
  package var awaited = Members()
  /// Of which it is that too, but the next assignment is of something else.
  package var assigned = Members()

  /// Which values were assigned in the step in progress, and whether any was in the one that has just ended.
  var assignedInside = Members()
  var isEdited = false
  /// For which transactions the values are kept to go back to; the first are those from before the step.
  var frames: [Frame] = []

  struct Frame {
    /// The transaction, outermost 1.
    var depth: Int32
    /// What had been assigned in the step before.
    let assigned: Members
  }

  /// Some of the values, by their indices.
  package struct Members: OptionSet {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    init(_ index: Int) { rawValue = 1 << UInt64(truncatingIfNeeded: index) }

    package func contains(_ index: Int) -> Bool { isSuperset(of: Members(index)) }
  }

  /// How many values can be restored.
  static var maximumCount: Int { 64 }

  var isEmpty: Bool { bytes.isEmpty }

  // What each edit asks for mutates, also where it only reads: a getter would copy the extras around it.

  /// Whether the values are kept for the transaction of this depth.
  mutating func isKept(_ depth: Int32) -> Bool { frames.last.map { $0.depth >= depth } ?? false }

  /// Takes it that values were assigned in the step in progress.
  mutating func assign(_ edited: Range<Int>) { assignedInside.formUnion(members(in: edited)) }

  /// Sees to an assignment within restored values.
  ///
  /// - Returns: False if it is more than that, or if a value is to be written down first.
  mutating func takesAssignment(_ edited: Range<Int>, isStepOpen: Bool) -> Bool {
    var members = Members()
    for index in bytes.indices where bytes[index].overlaps(edited) {
      let value = bytes[index]
      guard value.lowerBound <= edited.lowerBound, edited.upperBound <= value.upperBound else { return false }
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

  /// The values that an edit of these bytes changes.
  mutating func members(in edited: Range<Int>) -> Members {
    var members = Members()
    for index in bytes.indices where bytes[index].overlaps(edited) { members.insert(Members(index)) }
    return members
  }

  /// Takes it that no assignment belongs to the latest step any more.
  mutating func forgetLatest() { (recorded, awaited, assigned) = ([], [], []) }

  /// Takes it that an edit was made of the latest step.
  @inline(__always)
  mutating func didEdit() {
    (awaited, assigned) = isEdited ? ([], recorded) : (recorded, [])
    isEdited = false
  }

  /// Whether an edit of these bytes is of a restored value, and not all around one.
  package mutating func isOfValue(_ edited: Range<Int>) -> Bool {
    bytes.indices.contains { index in
      let value = bytes[index]
      return value.overlaps(edited) && value.lowerBound <= edited.lowerBound && edited.upperBound <= value.upperBound
    }
  }
}
