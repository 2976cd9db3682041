/// One change of a collection, in a form that a list of rows can repeat to stay in step with the collection.
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
  /// The change in short form, such as `0..<1 -> 0..<0`.
  public var description: String {
    switch self {
    case .range(let old, let new): "\(old) -> \(new)"
    case .element(let index): "element \(index)"
    case .swap(let first, let second): "\(first) <-> \(second)"
    case .move(let source, let target): "\(source) -> \(target)"
    }
  }
}
