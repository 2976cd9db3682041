/// What an undo or a redo did, shown as `UndoHistory.Change`.
///
/// The common step, one edit without a label, fits into the report; for all others the rest is allocated.
@frozen
@usableFromInline
struct _UndoReport: Sendable {
  @usableFromInline
  let first: UndoEdit
  @usableFromInline
  let rest: Rest?

  /// The label of a step, and all of its edits.
  @usableFromInline
  final class Rest: Sendable {
    let label: String?
    let edits: [UndoEdit]

    init(label: String?, edits: [UndoEdit]) {
      self.label = label
      self.edits = edits
    }
  }

  @inlinable
  init(_ first: UndoEdit, _ rest: Rest? = nil) {
    self.first = first
    self.rest = rest
  }

  var label: String? { rest?.label }
  var edits: [UndoEdit] { rest?.edits ?? [first] }
}
