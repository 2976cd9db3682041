/// An edit of a part as archives of versions 2 and 3 have it.
enum _UndoOldPatch<Part: Codable, Piece: Codable>: Codable {
  case value(Part)
  case range(start: Int, count: Int, replacement: Piece)
  case swap(first: Int, second: Int)
  case move(from: Int, to: Int)

  /// Whether its numbers may be those of a document, so that they can be written again.
  var isPossible: Bool {
    let numbers =
      switch self {
      case .value: [] as [Int]
      case .range(let start, let count, _): [start, count]
      case .swap(let first, let second): [first, second]
      case .move(let source, let target): [source, target]
      }
    return numbers.allSatisfy { 0..<Int(clamping: 1 << 47 as Int64) ~= $0 }
  }
}

/// A patch that fits no document.
final class _UndoMisfitPatch<Whole>: _UndoPatch<Whole> {
  override var name: String? { nil }
  override var bytes: Range<Int> { 0..<0 }

  override func writeChange(to writer: inout _UndoWriter) throws { throw _UndoMisfit() }

  override func apply<Anchor>(at cursor: borrowing UndoCursor<Anchor, Whole>, _ text: _UndoTextPatch?) throws {
    throw _UndoMisfit()
  }
}
