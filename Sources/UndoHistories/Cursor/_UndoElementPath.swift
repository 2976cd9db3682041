/// The index of an element and the offset of its collection, packed into one word, as the places of deltas store them.
///
/// The paths of several levels are written into a delta here, too, and the largest index is defined at the end.
///
///     63        24 23      0
///     |   index   | offset |
@usableFromInline
struct _UndoElementPath: Equatable {
  @usableFromInline
  let bits: UInt64

  @inlinable
  @inline(__always)
  init(_ index: Int, offset: Int) {
    precondition(offset >> 24 == 0 && UInt64(truncatingIfNeeded: index) >> 40 == 0, "Index out of range")
    bits = UInt64(truncatingIfNeeded: index) << 24 | UInt64(truncatingIfNeeded: offset)
  }

  @inlinable
  var offset: Int { Int(truncatingIfNeeded: bits & 0xff_ffff) }
  @inlinable
  var index: Int { Int(truncatingIfNeeded: bits >> 24) }

  /// The edit of the element, as it is reported for the document.
  @inlinable
  @inline(__always)
  func edit(size: Int) -> UndoEdit { UndoEdit(.elements(.element(at: index)), start: offset, size: size) }

  /// The bytes of the collection.
  func bytes(size: Int) -> Range<Int> { offset..<offset + size }

  /// Writes the paths of levels to the beginning of a delta; returns false, with the delta unusable, if an index is too
  /// large.
  @usableFromInline
  static func write(_ levels: _UndoLevels, to delta: _UnsafeUndoPointer) -> Bool {
    for depth in 0..<levels.count {
      let level = levels[depth]
      guard level.index >= 0, level.index < .largestUndoIndex else { return false }
      unsafe delta.part(at: depth * 8)[as: _UndoElementPath.self] = _UndoElementPath(
        level.index, offset: level.collection.offset)
    }
    return true
  }
}

extension Int {
  /// The upper bound of the indices on the path to an edit.
  package static var largestUndoIndex: Int { Swift.min(Int(clamping: 1 << 40 as Int64), .max / 4) }
}
