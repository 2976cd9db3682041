/// A description of what an edit changes in its part, without the values: for example, the range that it replaces.
///
/// Every delta provides it (`_UndoDelta.change`). The patches of archives, the transformation of edits, and the kinds
/// and changes that views see are derived from it; the latter are at the end of this file.
@usableFromInline
package enum _UndoChange: Equatable {
  /// The part is replaced as a whole.
  case value
  /// A range of a text or of elements is replaced.
  case range(Splice)
  /// Ranges of elements are removed or inserted in several places, in increasing order, counted before the edit. Moving
  /// elements does both.
  case ranges([Splice])
  case swap(Int, Int)
  case move(Move)
  /// The order of the elements of a range is reversed.
  case reversed(Range<Int>)
  /// The value of a dictionary's key is added, removed or changed.
  ///
  /// The key and the member are stored indirectly, to keep changes small.
  indirect case key(AnyHashable)
  /// A member of a set is added or removed.
  indirect case member(AnyHashable)
  /// Anything may happen to the part.
  case whole

  /// A range of old elements or bytes, and the number of new ones in its place.
  @usableFromInline
  package struct Splice: Equatable {
    @usableFromInline
    package var start: Int
    @usableFromInline
    package var old: Int
    @usableFromInline
    package var new: Int
    /// Whether it was recorded as the insertion or removal of one element.
    @usableFromInline
    package var isOfOneElement: Bool

    @inlinable
    package init(start: Int, old: Int, new: Int, isOfOneElement: Bool = false) {
      (self.start, self.old, self.new, self.isOfOneElement) = (start, old, new, isOfOneElement)
    }

    package var end: Int { start + old }
    var growth: Int { new - old }

    @inlinable
    @inline(__always)
    var inverted: Splice { Splice(start: start, old: new, new: old, isOfOneElement: isOfOneElement) }

    /// Whether it lies before another splice of the same state.
    ///
    /// Neither of two insertions at the same place lies before the other, because their order isn't known.
    func isBefore(_ other: Splice) -> Bool {
      end <= other.start && (old > 0 || other.old > 0 || start < other.start)
    }

    func moved(by distance: Int) -> Splice {
      Splice(start: start + distance, old: old, new: new, isOfOneElement: isOfOneElement)
    }

    fileprivate var changeOfElements: UndoElementsChange { .range(old: start..<end, new: start..<start + new) }

    /// Whether both do the same, regardless of how they were recorded.
    @usableFromInline
    package static func == (a: Splice, b: Splice) -> Bool { a.start == b.start && a.old == b.old && a.new == b.new }
  }

  /// An element that moves, and the gap that it moves to.
  ///
  /// Gaps are counted with the element in its old place, which has one on each side. So the direction of the move stays
  /// known even if everything in between is removed.
  @usableFromInline
  package struct Move: Equatable {
    @usableFromInline
    package var source: Int
    @usableFromInline
    package var gap: Int

    @inlinable
    package init(source: Int, gap: Int) {
      (self.source, self.gap) = (source, gap)
    }

    /// Creates the move of an element to the index that it has after the move.
    @inlinable
    @inline(__always)
    package init(from source: Int, to target: Int) {
      self.init(source: source, gap: target < source ? target : target &+ 1)
    }

    /// The index of the element after the move.
    @inlinable
    @inline(__always)
    package var target: Int { gap > source ? gap &- 1 : gap }

    @inlinable
    @inline(__always)
    var inverted: Move {
      gap > source ? Move(source: gap &- 1, gap: source) : Move(source: gap, gap: source &+ 1)
    }

    @usableFromInline
    package static func == (a: Move, b: Move) -> Bool { a.source == b.source && a.target == b.target }
  }

  @inlinable
  @inline(__always)
  var inverted: _UndoChange {
    switch self {
    case .range(let splice): .range(splice.inverted)
    case .ranges(let splices): .ranges(Self.inverted(splices))
    case .move(let move): .move(move.inverted)
    case .value, .swap, .reversed, .key, .member, .whole: self
    }
  }

  @usableFromInline
  package static func inverted(_ splices: [Splice]) -> [Splice] {
    var growth = 0
    return splices.map { splice in
      defer { growth += splice.growth }
      return Splice(start: splice.start + growth, old: splice.new, new: splice.old)
    }
  }

  /// The ranges of the elements of removals or of insertions, counted while the elements are in the collection.
  package static func rangesWhilePresent(_ splices: [Splice]) -> [Range<Int>] {
    ((splices.first?.old ?? 0) > 0 ? splices : inverted(splices)).map { $0.start..<$0.end }
  }

  /// Returns the same change for a collection whose first index is larger.
  package func moved(by distance: Int) -> _UndoChange {
    switch self {
    case .range(let splice): .range(splice.moved(by: distance))
    case .ranges(let splices): .ranges(splices.map { $0.moved(by: distance) })
    case .swap(let first, let second): .swap(first + distance, second + distance)
    case .move(let move): .move(Move(source: move.source + distance, gap: move.gap + distance))
    case .reversed(let range): .reversed(range.lowerBound + distance..<range.upperBound + distance)
    case .value, .key, .member, .whole: self
    }
  }

  /// Whether a collection of this length, with indices from 0, has all elements that the change names.
  package func fits(_ count: Int) -> Bool {
    switch self {
    case .range(let splice): splice.end <= count
    case .ranges(let splices): splices.last.map { $0.end <= count } ?? false
    case .swap(let first, let second): max(first, second) < count
    case .move(let move): max(move.source, move.target) < count
    case .reversed(let range): range.upperBound <= count
    case .value, .key, .member, .whole: false
    }
  }

  /// The key or the member.
  package var key: AnyHashable? {
    switch self {
    case .key(let key), .member(let key): key
    case .value, .range, .ranges, .swap, .move, .reversed, .whole: nil
    }
  }

  /// The ranges that are replaced, in increasing order; empty for any other change.
  package var splices: [Splice] {
    switch self {
    case .range(let splice): [splice]
    case .ranges(let splices): splices
    case .value, .swap, .move, .reversed, .key, .member, .whole: []
    }
  }

  /// The same kind of change with other ranges, as many as before.
  func with(_ splices: [Splice]) -> _UndoChange {
    if case .range = self { .range(splices[0]) } else { .ranges(splices) }
  }

  /// The change in length of a text or a collection.
  var growth: Int {
    // Each edit of a transaction asks this, mostly about one range, for which no array is needed.
    if case .range(let splice) = self { splice.growth } else { splices.reduce(0) { $0 + $1.growth } }
  }

  /// The same change, with adjacent ranges merged.
  var joined: _UndoChange {
    guard case .ranges(let splices) = self else { return self }
    var joined: [Splice] = []
    for splice in splices {
      if let last = joined.last, last.end == splice.start {
        joined[joined.count - 1] = Splice(start: last.start, old: last.old + splice.old, new: last.new + splice.new)
      } else {
        joined.append(splice)
      }
    }
    return joined.count == 1 ? .range(joined[0]) : .ranges(joined)
  }

  // MARK: Public forms

  /// The public kind; several ranges become one from the first to the last.
  @inlinable
  @inline(__always)
  var kind: UndoEdit.Kind {
    switch self {
    case .value, .whole: .value
    case .range(let splice): .range(at: splice.start, old: splice.old, new: splice.new)
    case .ranges(let splices): Self.kind(of: splices)
    case .swap(let first, let second): .elements(.swap(first, second))
    case .move(let move): .elements(.move(from: move.source, to: move.target))
    case .reversed(let range): .elements(.range(old: range, new: range))
    case .key, .member: .member
    }
  }

  @usableFromInline
  package static func kind(of splices: [Splice]) -> UndoEdit.Kind {
    let (start, end) = (splices[0].start, splices[splices.count - 1].end)
    return .range(at: start, old: end - start, new: end - start + _UndoChange.ranges(splices).growth)
  }

  /// The changes for a list of rows, in order; nil if the change isn't about elements.
  ///
  /// Removals go from back to front, and other ranges from front to back, so every offset is valid at its turn.
  var changesOfElements: [UndoElementsChange]? {
    switch self {
    case .range, .ranges:
      if splices.allSatisfy({ $0.new == 0 }) { return splices.reversed().map(\.changeOfElements) }
      return Self.inverted(splices).map(\.inverted.changeOfElements)
    case .value, .swap, .move, .reversed, .key, .member, .whole:
      if case .elements(let change) = kind { return [change] }
      return nil
    }
  }
}
