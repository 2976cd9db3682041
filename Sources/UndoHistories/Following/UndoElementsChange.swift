/// One change of a collection, which a list of rows repeats to show the collection again.
///
/// Offsets are indices of the collection. `old` refers to the elements before the change, `new` to the elements after
/// it.
public enum UndoElementsChange: Hashable, Sendable {
  /// The elements in the range `old` were replaced with those that are now in `new`.
  ///
  /// If the whole collection was replaced, the ranges contain all of its elements.
  case range(old: Range<Int>, new: Range<Int>)
  /// The element at this index was replaced, or something inside of it changed.
  case element(at: Int)
  /// Two elements were exchanged.
  case swap(Int, Int)
  /// The element at the first index moved to the second, which is its index after the move.
  case move(from: Int, to: Int)
}

extension UndoElementsChange: CustomStringConvertible {
  /// What happened, as the description of an `UndoEdit` says it.
  public var description: String {
    switch self {
    case .range(let old, let new): "\(old) -> \(new)"
    case .element(let index): "element \(index)"
    case .swap(let first, let second): "\(first) <-> \(second)"
    case .move(let source, let target): "\(source) -> \(target)"
    }
  }
}
