/// Which restored values belong to the latest step, and which were assigned in the step in progress: sets of numbers,
/// not the values themselves (`_UndoRestoredColumn`).
///
/// The value after the latest step is written late: when the step ends, or when an assignment follows that isn't part
/// of the step. Until then, the document has this value. So a typed key and the caret that follows it cost only a check
/// that this is so.
package struct _UndoRestoredValues {
  /// The bytes of the values in the document.
  package var bytes: ContiguousArray<Range<Int>> = []
  /// The values that are positions, which move with remote edits.
  var positions = Members()

  /// The values that the latest step has, while they may change.
  var recorded = Members()
  /// The values that the document has as they are after the latest step, and whose next assignment is part of that
  /// step.
  package var awaited = Members()
  /// The values that the document has as they are after the latest step, but whose next assignment isn't part of it.
  package var assigned = Members()

  /// The values that were assigned in the step in progress, and whether any was assigned in the step that has just
  /// ended.
  var assignedInside = Members()
  var isEdited = false
  /// The positions that were assigned in the step that has just ended.
  var assignedPositions = Members()
  /// The transactions for which values are kept; the first entry is for the values from before the step.
  ///
  /// Each has its depth, which is 1 for the outermost transaction, and the values that the step had assigned before.
  var frames: [(depth: Int32, assigned: Members)] = []

  /// A set of values, by their indices.
  package struct Members: OptionSet {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    init(_ index: Int) { rawValue = 1 << UInt64(truncatingIfNeeded: index) }

    static var all: Members { Members(rawValue: .max) }

    package func contains(_ index: Int) -> Bool { isSuperset(of: Members(index)) }
  }

  var isEmpty: Bool { bytes.isEmpty }

  // Queries of every edit are mutating even if they only read, because a getter would copy the extras around the
  // values.

  /// Whether the values are kept for the transaction of this depth.
  mutating func isKept(_ depth: Int32) -> Bool { frames.last.map { $0.depth >= depth } ?? false }

  /// Registers an edit of these bytes in the step in progress.
  mutating func assign(_ edited: Range<Int>) { assignedInside.formUnion(members(in: edited)) }

  /// Whether the document has some of these values as they are after the latest step, to which the next assignment
  /// doesn't belong.
  mutating func haveAssigned(_ members: Members) -> Bool { !assigned.isDisjoint(with: members) }

  /// Registers an assignment, which is part of the latest step only for values whose assignment that step awaits.
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

  /// Makes no further assignment part of the latest step.
  mutating func forgetLatest() { (recorded, awaited, assigned) = ([], [], []) }

  /// Makes no further assignment of these values part of the latest step.
  mutating func forgetLatest(_ members: Members) {
    awaited.subtract(members)
    assigned.subtract(members)
  }

  /// Registers an edit of the latest step; the next assignments are part of it, unless the step has assigned values
  /// itself.
  @inline(__always)
  mutating func didEdit() {
    (awaited, assigned) = isEdited ? ([], recorded) : (recorded, [])
    isEdited = false
  }

  /// Whether an edit of these bytes lies within a restored value.
  package mutating func isOfValue(_ edited: Range<Int>) -> Bool {
    !edited.isEmpty && bytes.contains { $0.contains(edited) }
  }
}
