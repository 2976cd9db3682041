/// What an edit does to its part: the only description of that.
///
/// The public kinds of edits, the changes that views repeat, the patches of archives, and how an edit looks after
/// another one are all derived from it. Every delta says its change once (`_UndoDelta.change`).
@frozen
@usableFromInline
package enum _UndoChange: Equatable {
  /// The part is replaced as a whole.
  case value
  /// A range of a text or of elements is replaced.
  case range(Splice)
  /// Ranges of elements go, or come, in many places: in increasing order, each as counted before the edit. Of elements
  /// that move both happens.
  case ranges([Splice])
  case swap(Int, Int)
  case move(Move)
  /// The value of a dictionary's key comes, goes or changes.
  case key(Key)
  /// A member of a set comes or goes.
  case member(Key)
  /// Anything may happen to the part.
  case whole

  /// Old elements or bytes from a start on, and how many new ones take their place.
  @frozen
  @usableFromInline
  package struct Splice: Equatable {
    @usableFromInline
    package var start: Int
    @usableFromInline
    package var old: Int
    @usableFromInline
    package var new: Int
    /// Whether one element comes or goes, and is recorded as that.
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

    /// Whether all of it lies before another one, which is of the same state.
    ///
    /// Of two insertions at one place neither does: which is to be first would be a guess.
    func isBefore(_ other: Splice) -> Bool {
      end <= other.start && (old > 0 || other.old > 0 || start < other.start)
    }

    /// Whether both do the same, however it is recorded.
    @usableFromInline
    package static func == (a: Splice, b: Splice) -> Bool { a.start == b.start && a.old == b.old && a.new == b.new }
  }

  /// An element that moves, and the gap that it moves to.
  ///
  /// The gap is counted with the element where it is: there is one on each side of it. So it stays known on which side
  /// the element was, also when all that lay between has gone.
  @frozen
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

    /// The move to the index that the element is to have afterwards.
    @inlinable
    @inline(__always)
    package init(from source: Int, to target: Int) {
      self.init(source: source, gap: target < source ? target : target &+ 1)
    }

    /// The target as a collection counts it, without the element.
    @inlinable
    @inline(__always)
    package var target: Int { gap > source ? gap &- 1 : gap }

    /// The way back.
    @inlinable
    @inline(__always)
    var inverted: Move {
      gap > source ? Move(source: gap &- 1, gap: source) : Move(source: gap, gap: source &+ 1)
    }

    /// Whether both do the same.
    @usableFromInline
    package static func == (a: Move, b: Move) -> Bool { a.source == b.source && a.target == b.target }
  }

  /// A key or a member, by reference, so that a change stays small.
  @usableFromInline
  package final class Key: Equatable {
    let key: AnyHashable

    @usableFromInline
    package init(_ key: AnyHashable) { self.key = key }

    @usableFromInline
    package static func == (a: Key, b: Key) -> Bool { a === b || a.key == b.key }
  }

  /// The change that takes this one back.
  @inlinable
  @inline(__always)
  var inverted: _UndoChange {
    switch self {
    case .range(let splice): .range(splice.inverted)
    case .ranges(let splices): .ranges(Self.inverted(splices))
    case .move(let move): .move(move.inverted)
    case .value, .swap, .key, .member, .whole: self
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

  /// The key or the member.
  package var key: AnyHashable? {
    switch self {
    case .key(let key), .member(let key): key.key
    case .value, .range, .ranges, .swap, .move, .whole: nil
    }
  }

  /// The same with ranges as long as they can be.
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
}

// MARK: - What clients see of it

extension _UndoChange {
  /// What happened, seen from the part: several ranges are one from the first to the last.
  @inlinable
  @inline(__always)
  var kind: UndoEdit.Kind {
    switch self {
    case .value, .whole: .value
    case .range(let splice): .range(at: splice.start, old: splice.old, new: splice.new)
    case .ranges(let splices): Self.kind(of: splices)
    case .swap(let first, let second): .swap(first, second)
    case .move(let move): .move(from: move.source, to: move.target)
    case .key, .member: .member
    }
  }

  @usableFromInline
  package static func kind(of splices: [Splice]) -> UndoEdit.Kind {
    let (start, end) = (splices[0].start, splices[splices.count - 1].end)
    return .range(at: start, old: end - start, new: splices.reduce(end - start) { $0 + $1.growth })
  }

  /// What a list of rows repeats, in this order; nil for a change that says nothing of single elements.
  ///
  /// Ranges that only go do so from back to front, others come and go from front to back: every offset is that of an
  /// element with all of them there, and those that came are where the edit left them.
  var changesOfElements: [UndoElementsChange]? {
    switch self {
    case .range(let splice): return [splice.changeOfElements]
    case .ranges(let splices):
      if splices.allSatisfy({ $0.new == 0 }) { return splices.reversed().map(\.changeOfElements) }
      var growth = 0
      return splices.map { splice in
        defer { growth += splice.growth }
        return Splice(start: splice.start + growth, old: splice.old, new: splice.new).changeOfElements
      }
    case .swap(let first, let second): return [.swap(first, second)]
    case .move(let move): return [.move(from: move.source, to: move.target)]
    case .value, .key, .member, .whole: return nil
    }
  }
}

extension _UndoChange.Splice {
  fileprivate var changeOfElements: UndoElementsChange { .range(old: start..<end, new: start..<start + new) }
}
