/// An edit of a part as archives of versions 2 and 3 have it.
enum _UndoOldPatch<Part: Codable, Piece: Codable>: Codable {
  case value(Part)
  case range(start: Int, count: Int, replacement: Piece)
  case swap(first: Int, second: Int)
  case move(from: Int, to: Int)
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
