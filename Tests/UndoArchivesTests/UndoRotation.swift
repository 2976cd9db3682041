import UndoHistories

/// The delta of a rotated range of an array: a block of elements, and the gap that it moves to.
///
///     | anchor | start | count | gap |     the gap is an index in the array that still contains the block
///
/// This file contains the whole edit, as `docs/architecture.md` says of any new one, because the table already has its
/// removed and inserted ranges. Views, archives and other edits need only those.
struct UndoRotation<Place: UndoPlace, Elements: _UndoElements>: _UndoDelta where Elements.Index == Int {
  typealias Part = Elements

  let place: Place
  private var start: Int
  private var count: Int
  private var gap: Int

  init(_ place: Place, of start: Int, count: Int, to gap: Int) {
    (self.place, self.start, self.count, self.gap) = (place, start, count, gap)
  }

  mutating func exchange(with root: inout Place.Root, offset: Int) {
    place.modify(&root, at: offset, as: Elements.self) { elements in
      let block = Elements(elements[start..<start + count])
      elements.insert(contentsOf: block, at: gap)
      let old = gap > start ? start : start + count
      elements.removeSubrange(old..<old + count)
    }
    (start, gap) = gap > start ? (gap - count, start) : (gap, start + count)
  }

  var change: _UndoChange {
    let (going, coming) = (
      _UndoChange.Splice(start: start, old: count, new: 0), _UndoChange.Splice(start: gap, old: 0, new: count)
    )
    return .ranges(gap > start ? [going, coming] : [coming, going])
  }

  mutating func move(to change: _UndoChange) -> Bool {
    guard case .ranges(let splices) = change, let first = splices.first, let last = splices.last else { return false }
    (start, gap) = first.old > 0 ? (first.start, last.start) : (last.start, first.start)
    return true
  }

  static var mayJoin: Bool { true }

  /// Joins another rotation of the same range, unless the range returns to its start.
  mutating func join(_ next: Self, _ joining: inout _UndoJoining, offset: Int, in root: Place.Root) -> Bool {
    guard place == next.place, range == next.range else { return false }
    let sum = (distance + next.distance) % range.count
    if sum == 0 { return false }
    (start, count, gap) = (range.upperBound - sum, sum, range.lowerBound)
    return true
  }

  private var range: Range<Int> { min(start, gap)..<max(start + count, gap) }

  /// The number of elements that move from the end to the front.
  private var distance: Int { gap < start ? count : range.count - count }
}

extension UndoCursor where Target: _UndoElements, Target.Index == Int {
  /// Moves this many elements from the front of a range to its end.
  mutating func rotate(_ range: Range<Int>, by count: Int) {
    precondition(currentItem.indices.contains(range) && 0...range.count ~= count, "Index out of range")
    if count == 0 || count == range.count { return }
    make(UndoRotation<Place, Target>(place, of: range.lowerBound, count: count, to: range.upperBound))
  }
}
