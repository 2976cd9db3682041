/// The delta of elements that were removed from several places: which places, as counted with the elements there, and the
/// elements while they are not.
///
///     | anchor | places | absent |     24 bytes with the header for a document that is an array;
///                                      besides, 16 bytes a place, and the elements while they are absent
@usableFromInline
struct _UndoRemovals<Anchor: _UndoAnchor, Elements: _UndoElements>: _UndoDelta where Elements.Index == Int {
  @usableFromInline
  let anchor: Anchor
  /// In increasing order; between two of them there are elements.
  @usableFromInline
  let places: [Range<Int>]
  @usableFromInline
  var absent: Elements?

  @inlinable
  init(_ anchor: Anchor, places: [Range<Int>], absent: Elements) {
    self.anchor = anchor
    self.places = places
    self.absent = absent
  }

  @inlinable
  mutating func exchange(with root: inout Anchor.Root, offset: Int) {
    absent = anchor.modify(&root) { base in
      _UndoLog.withPart(of: &base, at: offset, as: Elements.self) { elements in
        guard let absent else { return elements.remove(from: places) }
        elements.insert(absent, at: places)
        return nil
      }
    }
  }

  @inlinable
  func edit(offset: Int) -> UndoEdit {
    let start = places[0].lowerBound
    let with = places[places.count - 1].upperBound - start
    let without = with - places.reduce(0) { $0 + $1.count }
    let isThere = absent == nil
    return anchor.edit(
      .range(start, old: isThere ? without : with, new: isThere ? with : without), at: offset, of: Elements.self)
  }

  @inlinable
  static var ownsMemory: Bool { true }

  @inlinable
  var ownedBytes: Int {
    32 + places.count * MemoryLayout<Range<Int>>.stride + (absent?.undoOwnedBytes ?? 0)
  }

  @inlinable
  var keptBytes: Int { _UndoLog.keptBytes(of: places) + _UndoLog.keptBytes(of: absent) }
}

extension RandomAccessCollection where Index == Int {
  /// Where the elements are for which the closure is true: in increasing order, elements side by side as one place.
  @inlinable
  func places(where isThere: (Element) throws -> Bool) rethrows -> [Range<Int>] {
    var places: [Range<Int>] = []
    for index in indices where try isThere(self[index]) {
      if let last = places.last, last.upperBound == index {
        places[places.count - 1] = last.lowerBound..<index + 1
      } else {
        places.append(index..<index + 1)
      }
    }
    return places
  }
}

extension RangeReplaceableCollection where Self: RandomAccessCollection, Index == Int {
  /// Removes and returns the elements at places in increasing order, in one pass from the first to the last.
  @inlinable
  mutating func remove(from places: [Range<Int>]) -> Self {
    var (removed, kept) = (Self(), Self())
    let start = places[0].lowerBound
    var end = start
    for place in places {
      kept.append(contentsOf: self[end..<place.lowerBound])
      removed.append(contentsOf: self[place])
      end = place.upperBound
    }
    replaceSubrange(start..<end, with: kept)
    return removed
  }

  /// Puts elements back that were removed from there.
  @inlinable
  mutating func insert(_ removed: Self, at places: [Range<Int>]) {
    var elements = Self()
    let start = places[0].lowerBound
    var (end, next) = (start, removed.startIndex)
    for place in places {
      let kept = place.lowerBound - start - elements.count
      elements.append(contentsOf: self[end..<end + kept])
      elements.append(contentsOf: removed[next..<next + place.count])
      end += kept
      next += place.count
    }
    replaceSubrange(start..<end, with: elements)
  }
}
