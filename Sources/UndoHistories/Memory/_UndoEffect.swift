/// The part of an edit's description that follows from the type of its delta: the kind and the size of what it changes.
///
/// With it, undo tells which edit it made without a call to the delta (`_UndoRecords+Exchanging`). If the type doesn't
/// say enough, each exchange reports its edit in the log.
@usableFromInline
package enum _UndoEffect {
  /// A value of this size in the document itself is replaced.
  case value(size: Int)
  /// An element changes, or a part of one, in a collection of this size in the document.
  ///
  /// A delta begins with its place, and the place with its outermost level. So the first word of the delta is the
  /// element's `_UndoElementPath`.
  case element(size: Int)
  /// A key or a member changes, in a collection of this size in the document itself.
  case member(size: Int)
  /// A part of this size in the document itself changes; each exchange reports its edit in the log.
  case part(size: Int)
  /// Nothing is known; each exchange reports its edit in the log.
  case dynamic

  /// Whether the effect is true of the delta at an address; for assertions.
  @inlinable
  func tells<Delta: _UndoDelta>(of delta: Delta, at payload: _UnsafeUndoPointer, offset: Int) -> Bool {
    let edit = UndoEdit(delta.edit(offset: offset).inverted)
    return switch self {
    case .dynamic, .part: offset < 0 || edit == delta.reportedEdit(offset: offset)
    case .value(let size): edit == UndoEdit(.value, start: offset, size: size)
    case .member(let size): edit == UndoEdit(.member, start: offset, size: size)
    case .element(let size): unsafe edit == payload[as: _UndoElementPath.self].edit(size: size)
    }
  }
}
