internal import UndoHistories

/// A part of a value, by its bytes: a part that the type names (`UndoPart`), or a stored property without such a name.
///
/// It reads its value from the whole, makes the patch that assigns that value, and tells undo how to restore it.
struct _UndoPart: @unchecked Sendable {
  // It has a name, offsets and types.

  let name: String
  /// The bytes of the part in the value.
  let bytes: Range<Int>
  let coder: any _UndoCoder.Type

  /// The property that restores the part on undo, or nil if the part is too large.
  var property: _UndoRestored? {
    func property<Coder: _UndoCoder>(_ coder: Coder.Type) -> _UndoRestored? {
      guard _UndoRestored.isPossible(Coder.Value.self) else { return nil }
      return _UndoRestored(Coder.Value.self, at: bytes.lowerBound)
    }
    return property(coder)
  }

  /// The patch that assigns the part its value.
  func patch<Whole: Codable>(_ number: Int, of whole: Whole) -> _UndoPatch {
    func piece(_ value: some Codable) -> _UndoPatchPiece { _UndoPatchPiece(value) }
    return _UndoPatch(
      root: _undoCoder(of: Whole.self), path: [.part(number, self)], change: .replaced(piece(value(of: whole))))
  }

  /// The part of a value.
  func value<Whole>(of whole: Whole) -> any Codable {
    func open<Coder: _UndoCoder>(_ coder: Coder.Type) -> any Codable {
      unsafe withUnsafePart(of: whole, at: bytes.lowerBound, as: Coder.Value.self) { $0 }
    }
    return open(coder)
  }
}
