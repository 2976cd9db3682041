/// Where an edit lies, and what it does there, without what it puts there.
///
///     levels   | offset, index | offset, index |     the elements on the way, outermost first
///     part     the bytes of the part in the last of those elements
///     change   what happens to that part
///
/// A footprint belongs to one state of the document: the one in which the edit is made.
struct _UndoFootprint: Equatable {
  var levels = _UndoLevels()
  let part: _UndoPartRange
  var change: Change

  /// The kinds of edits.
  enum Change: Equatable {
    /// The part is replaced as a whole.
    case value
    /// A range of a text or of elements is replaced. An element that comes or goes is one of these.
    case splice(Splice)
    /// Ranges of elements go, or come back, in many places: in increasing order, each as counted before the edit.
    case splices([Splice])
    case swap(Int, Int)
    case move(Move)
    /// The value of a dictionary's key comes, goes or changes.
    case key(Key)
    /// A member of a set comes or goes.
    case member(Key)
    /// Anything may happen to the document.
    case whole
  }

  /// So many old elements or bytes from the start on, instead of which there are so many new ones.
  struct Splice: Equatable {
    var start: Int
    var old: Int
    var new: Int

    var end: Int { start + old }
    var growth: Int { new - old }

    /// Whether all of it lies before another one, which is of the same state.
    ///
    /// Of two insertions at one place neither does: which is to be first would be a guess.
    func isBefore(_ other: Splice) -> Bool {
      end <= other.start && (old > 0 || other.old > 0 || start < other.start)
    }
  }

  /// An element that moves, and the gap that it moves to.
  ///
  /// The gap is counted with the element where it is: there is one on each side of it. So it stays known on which side
  /// the element was, also when all that lay between has gone.
  struct Move: Equatable {
    var source: Int
    var gap: Int

    /// The target as a collection counts it, without the element.
    var target: Int { gap > source ? gap - 1 : gap }

    /// The way back.
    var inverted: Move {
      gap > source ? Move(source: gap - 1, gap: source) : Move(source: gap, gap: source + 1)
    }

    /// Whether both do the same.
    static func == (a: Move, b: Move) -> Bool { a.source == b.source && a.target == b.target }
  }

  /// A key or a member, by reference, so that a footprint stays small.
  final class Key: Equatable {
    let key: AnyHashable

    init(_ key: AnyHashable) { self.key = key }

    static func == (a: Key, b: Key) -> Bool { a === b || a.key == b.key }
  }

  /// What is edited of the value that so many levels lead to: a collection on the way, or the part.
  func range(at depth: Int) -> _UndoPartRange { depth < levels.count ? levels[depth].collection : part }

  /// Whether both do the same: ranges side by side are one range.
  func isSame(as other: _UndoFootprint) -> Bool {
    levels == other.levels && part == other.part && change.joined == other.change.joined
  }

  /// The footprint of taking the edit back.
  var inverted: _UndoFootprint {
    var inverted = self
    inverted.change = change.inverted
    return inverted
  }
}

extension _UndoFootprint.Change {
  var inverted: Self {
    switch self {
    case .splice(let splice): .splice(.init(start: splice.start, old: splice.new, new: splice.old))
    case .splices(let splices): .splices(Self.inverted(splices))
    case .move(let move): .move(move.inverted)
    case .value, .swap, .key, .member, .whole: self
    }
  }

  /// The same with ranges as long as they can be.
  fileprivate var joined: Self {
    guard case .splices(let splices) = self else { return self }
    var joined: [_UndoFootprint.Splice] = []
    for splice in splices {
      if let last = joined.last, last.end == splice.start {
        joined[joined.count - 1] = .init(start: last.start, old: last.old + splice.old, new: last.new + splice.new)
      } else {
        joined.append(splice)
      }
    }
    return joined.count == 1 ? .splice(joined[0]) : .splices(joined)
  }

  private static func inverted(_ splices: [_UndoFootprint.Splice]) -> [_UndoFootprint.Splice] {
    var growth = 0
    return splices.map { splice in
      defer { growth += splice.growth }
      return .init(start: splice.start + growth, old: splice.new, new: splice.old)
    }
  }
}

/// The levels of a footprint, of which the first two take no allocation.
struct _UndoLevels: Equatable {
  private(set) var count = 0
  private var first = _UndoLevels.none
  private var second = _UndoLevels.none
  private var rest: [_UndoLevel] = []

  private static var none: _UndoLevel { _UndoLevel(_UndoPartRange(offset: 0, size: 0, type: .none), index: 0) }

  subscript(depth: Int) -> _UndoLevel {
    switch depth {
    case 0: first
    case 1: second
    default: rest[depth - 2]
    }
  }

  mutating func append(_ level: _UndoLevel) {
    switch count {
    case 0: first = level
    case 1: second = level
    default: rest.append(level)
    }
    count += 1
  }

  /// Lets a level lead to another element of the same collection.
  mutating func setIndex(_ index: Int, at depth: Int) {
    let level = _UndoLevel(self[depth].collection, index: index)
    switch depth {
    case 0: first = level
    case 1: second = level
    default: rest[depth - 2] = level
    }
  }
}

extension _UndoPartRange {
  init(offset: Int, size: Int, type: ObjectIdentifier) {
    (self.offset, self.size, self.type) = (offset, size, type)
  }

  func overlaps(_ other: _UndoPartRange) -> Bool {
    offset < other.offset + other.size && other.offset < offset + size
  }
}

extension ObjectIdentifier {
  /// No type's that can be edited.
  fileprivate static var none: ObjectIdentifier { ObjectIdentifier(Never.self) }
}
