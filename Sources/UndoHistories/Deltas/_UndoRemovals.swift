/// The delta of elements that were removed from several ranges: which ones, as counted with the elements there, and
/// the elements while they are not.
///
///     | anchor | ranges | absent |     24 bytes with the header for a document that is an array;
///                                      besides, 16 bytes a range, and the elements while they are absent
@usableFromInline
struct _UndoRemovals<Anchor: _UndoAnchor, Elements: _UndoElements>: _UndoDelta where Elements.Index == Int {
  @usableFromInline
  let anchor: Anchor
  /// In increasing order; between two of them there are elements.
  @usableFromInline
  let ranges: [Range<Int>]
  @usableFromInline
  var absent: Elements?

  @inlinable
  init(_ anchor: Anchor, ranges: [Range<Int>], absent: Elements?) {
    self.anchor = anchor
    self.ranges = ranges
    self.absent = absent
  }

  @inlinable
  mutating func exchange(with root: inout Anchor.Root, offset: Int) {
    absent = anchor.modify(&root) { base in
      unsafe withUnsafePart(of: &base, at: offset, as: Elements.self) { elements in
        guard let absent else { return elements.remove(from: ranges) }
        elements.insert(absent, at: ranges)
        return nil
      }
    }
  }

  @inlinable
  @inline(__always)
  var kind: UndoEdit.Kind {
    let start = ranges[0].lowerBound
    let with = ranges[ranges.count - 1].upperBound - start
    let without = with - ranges.reduce(0) { $0 + $1.count }
    let isThere = absent == nil
    return .range(at: start, old: isThere ? without : with, new: isThere ? with : without)
  }

  @inlinable
  func edit(offset: Int) -> UndoEdit { anchor.edit(kind, at: offset, of: Elements.self) }

  @inlinable
  func detailedEdit(offset: Int) -> _UndoDetailedEdit {
    anchor.detailedEdit(kind, at: offset, of: Elements.self, changes: changes)
  }

  /// Range by range, so that what lies between them stays: elements come from front to back and go from back to front.
  ///
  /// Then every offset is that of an element with all of them there.
  @usableFromInline
  var changes: [UndoElementsChange] {
    if absent == nil {
      ranges.map { .range(old: $0.lowerBound..<$0.lowerBound, new: $0) }
    } else {
      ranges.reversed().map { .range(old: $0, new: $0.lowerBound..<$0.lowerBound) }
    }
  }

  @inlinable
  static var ownsMemory: Bool { true }

  @inlinable
  var ownedBytes: Int {
    32 + ranges.count * MemoryLayout<Range<Int>>.stride + (absent?.ownedBytes ?? 0)
  }

  @inlinable
  var retainedBytes: Int { _UndoWeight.retainedBytes(of: ranges) + _UndoWeight.retainedBytes(of: absent) }
}

extension RandomAccessCollection where Index == Int {
  /// Where the elements are for which the closure is true: in increasing order, elements side by side as one range.
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

  /// Puts elements back that were removed from there.
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
