public import Sameness

/// The delta of reversed elements: the range, and none of the elements.
///
/// The cursor's method `reverse()` is here, too.
///
///     | place | start | end |
///
/// It is also the example of a new kind of edit: `docs/architecture.md` lists the three places that know the kind.
@usableFromInline
struct _UndoReversal<Place: UndoPlace, Part: _UndoElements>: _UndoDelta where Part.Index == Int {
  @usableFromInline
  let place: Place
  @usableFromInline
  var range: Range<Int>

  @inlinable
  init(_ place: Place, _ range: Range<Int>) {
    self.place = place
    self.range = range
  }

  @inlinable
  mutating func exchange(with root: inout Place.Root, offset: Int) {
    place.modify(&root, at: offset, as: Part.self) { elements in
      for distance in 0..<range.count / 2 {
        elements.swapAt(range.lowerBound + distance, range.upperBound - 1 - distance)
      }
    }
  }

  @inlinable
  @inline(__always)
  var change: _UndoChange { .reversed(range) }

  @inlinable
  mutating func move(to change: _UndoChange) -> Bool {
    guard case .reversed(let range) = change else { return false }
    self.range = range
    return true
  }
}

extension UndoCursor
where
  Target: MutableCollection & RangeReplaceableCollection & RandomAccessCollection,
  Target.Index == Int
{
  /// Reverses the elements, as one edit; the record has no copy of any element.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: [1, 2, 3])
  /// history.edit.reverse()
  /// print(history.currentItem)  // [3, 2, 1]
  /// ```
  ///
  /// Elements that are the same backward, byte by byte, record nothing.
  ///
  /// - Complexity: O(*n*), also to undo.
  @_alwaysEmitIntoClient
  public mutating func reverse() {
    let range = readTarget { $0.startIndex..<$0.endIndex }
    let isSame = readTarget { elements in
      (0..<range.count / 2).allSatisfy {
        UnsafeValueBytes.areSame(elements[range.lowerBound + $0], elements[range.upperBound - 1 - $0])
      }
    }
    if !isSame { make(_UndoReversal<Place, Target>(place, range)) }
  }
}
