/// An edit of a part of a document, in a form that means the same in every build: what is to be put where.
///
/// `Piece` is what a range of the part is replaced with: text, or elements. A part that is only ever replaced as a
/// whole has no pieces.
enum _UndoPatch<Part, Piece> {
  case value(Part)
  case range(start: Int, count: Int, replacement: Piece)
  case swap(first: Int, second: Int)
  case move(from: Int, to: Int)
}

extension _UndoPatch: Codable where Part: Codable, Piece: Codable {}

extension _UndoPatch {
  /// What an edit did to the part, which it left like this.
  init(_ kind: UndoEdit.Kind, _ part: Part, piece: (Range<Int>) -> Piece) {
    switch kind {
    case .value, .member: self = .value(part)
    case .element(let index): self = .range(start: index, count: 1, replacement: piece(index..<index + 1))
    case .range(let old, let new): self = .range(start: old.lowerBound, count: old.count, replacement: piece(new))
    case .swap(let first, let second): self = .swap(first: first, second: second)
    case .move(let source, let target): self = .move(from: source, to: target)
    }
  }
}

extension _UndoPatch where Part == String, Piece == String {
  /// Makes the edit through a cursor; false, and nothing done, where it does not fit the text.
  func replace<Anchor>(in cursor: borrowing UndoCursor<Anchor, String>) -> Bool {
    guard case .range(let start, let count, let replacement) = self else { return false }
    let length = cursor.utf8Count
    guard start >= 0, count >= 0, start <= length, count <= length - start else { return false }
    let range = start..<start + count
    let isOfWholeScalars = cursor.readTarget {
      $0.isScalarBoundary(range.lowerBound) && $0.isScalarBoundary(range.upperBound)
    }
    guard isOfWholeScalars else { return false }
    cursor.replaceSubrange(utf8: range, with: replacement)
    return true
  }
}

extension _UndoPatch where Part: _UndoElements, Part.Index == Int, Piece == [Part.Element] {
  /// Makes the edit through a cursor; false, and nothing done, where it does not fit the collection.
  func replace<Anchor>(in cursor: borrowing UndoCursor<Anchor, Part>) -> Bool {
    let bounds = cursor.readTarget { $0.startIndex..<$0.endIndex }
    switch self {
    case .value: return false
    case .range(let start, let count, let replacement):
      guard start >= bounds.lowerBound, start <= bounds.upperBound, count >= 0, count <= bounds.upperBound - start
      else { return false }
      if count == 1, replacement.count == 1 {
        cursor[start].set(replacement[0])
      } else {
        cursor.replaceSubrange(start..<start + count, with: replacement)
      }
    case .swap(let first, let second):
      guard bounds.contains(first), bounds.contains(second) else { return false }
      cursor.swapAt(first, second)
    case .move(let source, let target):
      guard bounds.contains(source), bounds.contains(target) else { return false }
      cursor.move(from: source, to: target)
    }
    return true
  }
}

extension String {
  /// Whether a UTF-8 offset within the text does not lie inside of a scalar.
  fileprivate func isScalarBoundary(_ offset: Int) -> Bool {
    utf8.index(startIndex, offsetBy: offset).samePosition(in: unicodeScalars) != nil
  }
}
