/// One thing that an edit did to a collection, as a list of rows has to repeat it.
///
/// Offsets are indices of the collection. `old` counts as the change found the elements, `new` as it left them.
public enum UndoElementsChange: Hashable, Sendable {
  /// The elements in the range `old` went, and those in `new` came in their place.
  ///
  /// Where the collection was replaced as a whole, these are all of its elements.
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
