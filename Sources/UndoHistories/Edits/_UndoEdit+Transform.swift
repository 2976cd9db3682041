// Operational transformation: changes an edit so that it can be made after another edit of the same state. Only this
// code decides whether two edits conflict; `docs/design/UndoOrigin.md` has its rules as a table.
//
//     state --- a ---> | --- b after a ---> |      both ways lead to the same state,
//     state --- b ---> | --- a after b ---> |      or the two do not commute

extension _UndoEdit {
  /// Transforms two edits of one state so that they can follow each other in either order.
  ///
  /// - Returns: Whether they commute. If so, each edit is changed to come after the other; if not, nothing changes.
  static func transform(_ a: inout _UndoEdit, _ b: inout _UndoEdit) -> Bool {
    if a.change == .whole || b.change == .whole { return false }
    var depth = 0
    while true {
      let (range, other) = (a.range(at: depth), b.range(at: depth))
      if !range.overlaps(other) { return true }
      // One of the edits replaces a value that contains a part of the other edit.
      guard range == other else { return false }
      switch (depth < a.levels.count, depth < b.levels.count) {
      case (true, true):
        if a.levels[depth].index != b.levels[depth].index { return true }
        depth += 1
      case (true, false):
        guard let index = b.change.index(after: a.levels[depth].index) else { return false }
        a.levels[depth].index = index
        return true
      case (false, true):
        return transform(&b, &a)
      case (false, false):
        guard let (first, second) = _UndoChange.transformed(a.change, b.change) else { return false }
        (a.change, b.change) = (first, second)
        return true
      }
    }
  }

  /// Whether two edits of one state can be made in either order.
  func commutes(with other: _UndoEdit) -> Bool {
    var (own, other) = (self, other)
    return Self.transform(&own, &other)
  }

  /// Exceptions to the table of conflicts.
  struct Policy {
    /// Whether two edits of the same text always conflict.
    var asWholeTexts = false
    /// Whether two insertions of elements at the same place commute, with the elements of `a` after those of `b`.
    var insertsAfter = false
  }

  /// Transforms a sequence of edits over another one of the same state.
  ///
  /// - Parameter order: The indices in `b`, in the order in which those edits are made.
  /// - Returns: Whether all of them commute. If not, both sequences are unusable.
  static func transform(
    _ a: inout some MutableCollection<_UndoEdit>, over b: inout [_UndoEdit], _ order: some Sequence<Int>,
    _ policy: Policy = Policy()
  ) -> Bool {
    for other in order {
      for own in a.indices where !transform(&a[own], &b[other], policy) { return false }
    }
    return true
  }

  private static func transform(_ a: inout _UndoEdit, _ b: inout _UndoEdit, _ policy: Policy) -> Bool {
    if policy.asWholeTexts, a.isOfText, b.isOfText, a.hasSamePart(as: b) { return false }
    return transform(&a, &b) || policy.insertsAfter && a.goAfter(b)
  }

  /// Moves an insertion of elements after another one at the same place; false, with nothing changed, for other edits.
  private mutating func goAfter(_ other: _UndoEdit) -> Bool {
    guard hasSamePart(as: other), !isOfText, case .range(var mine) = change, case .range(let theirs) = other.change,
      mine.old == 0, theirs.old == 0, mine.start == theirs.start
    else { return false }
    mine.start += theirs.new
    change = .range(mine)
    return true
  }
}

extension _UndoChange {
  /// The index of an element after this edit of its collection; nil if it was removed, or isn't known.
  func index(after index: Int) -> Int? {
    switch self {
    case .range(let splice): Self.index(after: index, CollectionOfOne(splice))
    case .ranges(let splices): Self.index(after: index, splices)
    case .swap(index, let other), .swap(let other, index): other
    case .swap: index
    case .move(let move): move.index(after: index)
    case .reversed(let range): range.contains(index) ? range.lowerBound + range.upperBound - 1 - index : index
    case .value, .key, .member, .whole: nil
    }
  }

  /// Two changes of one part, each as it is after the other one; nil if they conflict.
  fileprivate static func transformed(_ a: Self, _ b: Self) -> (Self, Self)? {
    switch (a, b) {
    case (.range(let first), .range(let second)):
      if first.isBefore(second) { return (a, .range(second.moved(by: first.growth))) }
      return second.isBefore(first) ? (.range(first.moved(by: second.growth)), b) : nil
    case (.range, .ranges), (.ranges, .range), (.ranges, .ranges):
      return transformed(a.splices, b.splices).map { (a.with($0), b.with($1)) }

    case (.range, .swap(let i, let j)), (.ranges, .swap(let i, let j)), (.reversed, .swap(let i, let j)):
      guard let i = a.index(after: i), let j = a.index(after: j) else { return nil }
      return (a, .swap(i, j))
    case (.swap(let i, let j), .swap(let k, let l)):
      return i == k || i == l || j == k || j == l ? nil : (a, b)
    case (.swap(let i, let j), .move(let move)):
      return i == move.source || j == move.source ? nil : (.swap(move.index(after: i), move.index(after: j)), b)

    case (.range, .move(let move)), (.ranges, .move(let move)):
      return transformed(a.splices, move).map { (a.with($0), .move($1)) }
    case (.move(let first), .move(let second)):
      if first.source == second.source || first.gap == second.gap { return nil }
      return (.move(first.moved(by: second)), .move(second.moved(by: first)))

    case (.reversed(let range), .range), (.reversed(let range), .ranges), (.reversed(let range), .move):
      return range.after(b).map { (.reversed($0), b) }
    case (.reversed(let range), .reversed(let other)):
      return range.overlaps(other) ? nil : (a, b)

    case (.swap, .range), (.swap, .ranges), (.move, .range), (.move, .ranges), (.move, .swap),
      (.range, .reversed), (.ranges, .reversed), (.move, .reversed), (.swap, .reversed):
      return transformed(b, a).map { ($1, $0) }

    case (.key(let key), .key(let other)), (.member(let key), .member(let other)):
      return key == other ? nil : (a, b)
    case (.value, _), (_, .value), (.key, _), (_, .key), (.member, _), (_, .member), (.whole, _), (_, .whole):
      return nil
    }
  }

  // MARK: Several ranges

  private static func index(after index: Int, _ splices: some Sequence<Splice>) -> Int? {
    var growth = 0
    for splice in splices {
      if splice.start > index { break }
      if splice.end > index { return nil }
      growth += splice.growth
    }
    return index + growth
  }

  /// Merges two lists of ranges from front to back; nil if two ranges conflict.
  private static func transformed(_ a: [Splice], _ b: [Splice]) -> ([Splice], [Splice])? {
    var (i, j, growthOfA, growthOfB) = (0, 0, 0, 0)
    var (movedA, movedB): ([Splice], [Splice]) = ([], [])
    while i < a.count || j < b.count {
      if j == b.count || i < a.count && a[i].isBefore(b[j]) {
        movedA.append(a[i].moved(by: growthOfB))
        growthOfA += a[i].growth
        i += 1
      } else if i == a.count || b[j].isBefore(a[i]) {
        movedB.append(b[j].moved(by: growthOfA))
        growthOfB += b[j].growth
        j += 1
      } else {
        return nil
      }
    }
    return (movedA, movedB)
  }

  // MARK: Moves

  /// Nil if a range removes the element, contains the gap, or is an insertion at the gap.
  private static func transformed(_ splices: [Splice], _ move: Move) -> ([Splice], Move)? {
    guard let source = index(after: move.source, splices) else { return nil }
    var (moved, gap) = (splices, move.gap)
    for index in moved.indices {
      let splice = splices[index]
      let isBehind = splice.old > 0 ? move.gap <= splice.start : move.gap < splice.start
      guard isBehind || splice.end <= move.gap && splice.start < move.gap else { return nil }
      moved[index].start += (isBehind ? 1 : 0) - (move.source < splice.start ? 1 : 0)
      if !isBehind { gap += splice.growth }
    }
    return (moved, Move(source: source, gap: gap))
  }
}

extension _UndoChange.Move {
  /// The index of an element after this move.
  fileprivate func index(after index: Int) -> Int {
    if index == source { return target }
    return index - (source < index ? 1 : 0) + (gap <= index ? 1 : 0)
  }

  /// The move as it is after a move of another element to another gap.
  fileprivate func moved(by other: Self) -> Self {
    Self(source: other.index(after: source), gap: gap - (other.source < gap ? 1 : 0) + (other.gap < gap ? 1 : 0))
  }
}

extension Range<Int> {
  /// The range after an edit that lies before or after it; nil if the edit touches its elements.
  fileprivate func after(_ change: _UndoChange) -> Range? {
    var distance = 0
    switch change {
    case .range, .ranges:
      for splice in change.splices {
        if splice.end <= lowerBound { distance += splice.growth } else if splice.start < upperBound { return nil }
      }
    case .move(let move):
      if contains(move.source) || lowerBound < move.gap && move.gap < upperBound { return nil }
      distance = (move.gap <= lowerBound ? 1 : 0) - (move.source < lowerBound ? 1 : 0)
    default: return nil
    }
    return lowerBound + distance..<upperBound + distance
  }
}
