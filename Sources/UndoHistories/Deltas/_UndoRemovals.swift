/// The delta of elements that were removed from several ranges, or inserted there: the ranges, as they are while the
/// elements are present, and the elements while they are absent.
///
/// The methods by which a collection finds ranges of elements, and removes and inserts elements there, are here, too.
///
///     | place | ranges | absent |     24 bytes with the header for a document that is an array;
///                                     besides, 16 bytes a range, and the elements while they are absent
@usableFromInline
struct _UndoRemovals<Place: UndoPlace, Part: _UndoElements>: _UndoDelta where Part.Index == Int {
  @usableFromInline
  let place: Place
  /// The ranges, in increasing order, with elements between each two.
  @usableFromInline
  var ranges: [Range<Int>]
  @usableFromInline
  var other: Part?

  @inlinable
  init(_ place: Place, ranges: [Range<Int>], other: Part?) {
    self.place = place
    self.ranges = ranges
    self.other = other
  }

  @inlinable
  mutating func exchange(with root: inout Place.Root, offset: Int) {
    other = place.modify(&root, at: offset, as: Part.self) { elements in
      guard let absent = other else { return elements.remove(from: ranges) }
      elements.insert(absent, at: ranges)
      return nil
    }
  }

  @usableFromInline
  var change: _UndoChange {
    let removal = ranges.map { _UndoChange.Splice(start: $0.lowerBound, old: $0.count, new: 0) }
    return .ranges(other == nil ? removal : _UndoChange.inverted(removal))
  }

  @usableFromInline
  mutating func move(to change: _UndoChange) -> Bool {
    guard case .ranges(let splices) = change else { return false }
    var (moved, added): ([Range<Int>], Int) = ([], 0)
    for splice in splices {
      let start = splice.start + added
      let end = start + max(splice.old, splice.new)
      added += splice.new
      // The elements between two ranges may have been removed; then the ranges become one.
      if let last = moved.last, last.upperBound == start {
        moved[moved.count - 1] = last.lowerBound..<end
      } else {
        moved.append(start..<end)
      }
    }
    ranges = moved
    return true
  }

  @inlinable
  static var ownsMemory: Bool { true }

  @inlinable
  var ownedBytes: Int {
    32 + ranges.count * MemoryLayout<Range<Int>>.stride + (other?.ownedBytes ?? 0)
  }

  @inlinable
  var retainedBytes: Int { _UndoWeight.retainedBytes(of: ranges) + _UndoWeight.retainedBytes(of: other) }
}

extension RandomAccessCollection where Index == Int {
  /// The ranges of the elements for which the closure is true, in increasing order.
  @inlinable
  func ranges(where isThere: (Element) throws -> Bool) rethrows -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    for index in indices where try isThere(self[index]) {
      if let last = ranges.last, last.upperBound == index {
        ranges[ranges.count - 1] = last.lowerBound..<index + 1
      } else {
        ranges.append(index..<index + 1)
      }
    }
    return ranges
  }
}

extension RangeReplaceableCollection where Self: RandomAccessCollection, Index == Int {
  /// Removes and returns the elements at ranges in increasing order, in one pass from the first to the last.
  @inlinable
  mutating func remove(from ranges: [Range<Int>]) -> Self {
    var (removed, kept) = (Self(), Self())
    let start = ranges[0].lowerBound
    var end = start
    for range in ranges {
      kept.append(contentsOf: self[end..<range.lowerBound])
      removed.append(contentsOf: self[range])
      end = range.upperBound
    }
    replaceSubrange(start..<end, with: kept)
    return removed
  }

  /// Inserts elements that were removed from ranges.
  @inlinable
  mutating func insert(_ removed: Self, at ranges: [Range<Int>]) {
    var elements = Self()
    let start = ranges[0].lowerBound
    var (end, next) = (start, removed.startIndex)
    for range in ranges {
      let kept = range.lowerBound - start - elements.count
      elements.append(contentsOf: self[end..<end + kept])
      elements.append(contentsOf: removed[next..<next + range.count])
      end += kept
      next += range.count
    }
    replaceSubrange(start..<end, with: elements)
  }
}
