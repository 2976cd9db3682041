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

  /// The name with the shape of the type, by which a stored property without a declared name is written.
  var nameOfField: String {
    let shape = coder.shape
    return shape.isEmpty ? name : "\(name):\(shape)"
  }

  /// The property that restores the part on undo, or nil if the part is too large.
  var property: _UndoRestored? { coder.property(at: bytes.lowerBound) }

  /// The patch that assigns the part its value.
  func patch<Whole: Codable>(_ number: Int, of whole: Whole) -> _UndoPatch {
    _UndoPatch(root: _undoCoder(of: Whole.self), path: [.part(number, self)], change: .replaced(value(of: whole)))
  }

  /// The part of a value.
  func value<Whole>(of whole: Whole) -> any Codable { coder.value(of: whole, at: bytes.lowerBound) }
}

extension _UndoCoder {
  fileprivate static func property(at offset: Int) -> _UndoRestored? {
    _UndoRestored.isPossible(Value.self) ? _UndoRestored(Value.self, at: offset) : nil
  }

  fileprivate static func value<Whole>(of whole: Whole, at offset: Int) -> Value {
    unsafe withUnsafePart(of: whole, at: offset, as: Value.self) { $0 }
  }
}
