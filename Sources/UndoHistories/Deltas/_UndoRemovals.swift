/// The delta of elements that were removed from several ranges: which ones, as counted with the elements there, and
/// the elements while they are not.
///
///     | anchor | ranges | absent |     24 bytes with the header for a document that is an array;
///                                      besides, 16 bytes a range, and the elements while they are absent
@usableFromInline
struct _UndoRemovals<Anchor: _UndoAnchor, Elements: _UndoElements>: _UndoDelta where Elements.Index == Int {
  @usableFromInline
  typealias Part = Elements

  @usableFromInline
  let anchor: Anchor
  /// In increasing order; between two of them there are elements.
  @usableFromInline
  var ranges: [Range<Int>]
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
    absent = anchor.modify(&root, at: offset, as: Elements.self) { elements in
      guard let absent else { return elements.remove(from: ranges) }
      elements.insert(absent, at: ranges)
      return nil
    }
  }

  @usableFromInline
  var change: _UndoChange {
    if absent == nil { return .ranges(ranges.map { .init(start: $0.lowerBound, old: $0.count, new: 0) }) }
    var added = 0
    return .ranges(
      ranges.map { range in
        defer { added += range.count }
        return .init(start: range.lowerBound - added, old: 0, new: range.count)
      })
  }

  @usableFromInline
  mutating func move(to change: _UndoChange) -> Bool {
    guard case .ranges(let splices) = change else { return false }
    var (moved, added): ([Range<Int>], Int) = ([], 0)
    for splice in splices {
      let start = splice.start + added
      let end = start + max(splice.old, splice.new)
      added += splice.new
      // What lay between two ranges may have gone.
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
