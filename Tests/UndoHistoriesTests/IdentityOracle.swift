import TestSupport
import UndoHistories

/// The document that several origins edit.
///
/// It has a text, numbers, nested values, keys and members.
struct SharedDocument: Equatable {
  struct Frame: Equatable { var width = 0, height = 0 }

  struct Line: Equatable {
    var text = ""
    var marks: [Int] = []
    var value = 0
    var frame = Frame()
  }

  var title = ""
  var count = 0
  var numbers: [Int] = []
  var lines: [Line] = []
  var names: [Int: Int] = [:]
  var tags: Set<Int> = []
}

/// A sequence of the document.
///
/// Its elements have identities that stay the same when the elements move.
enum SharedSequence: Hashable {
  case title, numbers, lines
  case text(of: Int)
  case marks(of: Int)

  /// The line that the sequence belongs to.
  var owner: Int? {
    switch self {
    case .title, .numbers, .lines: nil
    case .text(let line), .marks(let line): line
    }
  }
}

/// An edit of elements that have identities.
///
/// Positions refer to the sequence before the edit.
enum SharedEdit: Equatable {
  struct Splice: Equatable {
    var start: Int
    var old: [Int]
    var new: [Int]
  }

  /// Replaced ranges, from front to back.
  case splices(SharedSequence, [Splice])
  case swap(SharedSequence, Int, Int)
  /// The gap is counted while the element is still at its old position.
  case move(SharedSequence, from: Int, gap: Int)
  /// Adjacent values, such as those of a struct. They belong to an element, or to the document if the owner is 0.
  case values(owner: Int, Range<Int>, old: [Int], new: [Int])
  case key(Int, old: Int?, new: Int?)
  case member(Int, isThere: Bool)

  var sequence: SharedSequence? {
    switch self {
    case .splices(let sequence, _), .swap(let sequence, _, _), .move(let sequence, _, _): sequence
    case .values, .key, .member: nil
    }
  }

  /// The element that contains the edit.
  ///
  /// Elements that the edit itself moves don't count.
  var owner: Int? {
    switch self {
    case .values(let owner, _, _, _): owner == 0 ? nil : owner
    default: sequence?.owner
    }
  }

  /// The form in a record.
  ///
  /// A move that changes nothing has its gap on the left of the element.
  var recorded: SharedEdit {
    guard case .move(let sequence, let source, let gap) = self, gap == source + 1 else { return self }
    return .move(sequence, from: source, gap: source)
  }

  /// The form in a record of a redo step.
  ///
  /// A move that changes nothing has its gap on the right of the element.
  var recordedForRedo: SharedEdit {
    guard case .move(let sequence, let source, let gap) = self, gap == source else { return self }
    return .move(sequence, from: source, gap: source + 1)
  }

  /// The same edit with adjacent ranges merged.
  var joined: SharedEdit {
    guard case .splices(let sequence, let splices) = self else { return self }
    var joined: [Splice] = []
    for splice in splices {
      if let last = joined.last, last.start + last.old.count == splice.start {
        joined[joined.count - 1] = Splice(start: last.start, old: last.old + splice.old, new: last.new + splice.new)
      } else {
        joined.append(splice)
      }
    }
    return .splices(sequence, joined)
  }

  var isMove: Bool { if case .move = self { true } else { false } }

  /// The edit that undoes this one.
  var inverted: SharedEdit {
    switch self {
    case .splices(let sequence, let splices):
      var growth = 0
      return .splices(
        sequence,
        splices.map { splice in
          defer { growth += splice.new.count - splice.old.count }
          return Splice(start: splice.start + growth, old: splice.new, new: splice.old)
        })
    case .swap: return self
    case .move(let sequence, let source, let gap):
      return gap > source
        ? .move(sequence, from: gap - 1, gap: source) : .move(sequence, from: gap, gap: source + 1)
    case .values(let owner, let range, let old, let new): return .values(owner: owner, range, old: new, new: old)
    case .key(let key, let old, let new): return .key(key, old: new, new: old)
    case .member(let member, let isThere): return .member(member, isThere: !isThere)
    }
  }

  func inserted() -> [Int] {
    if case .splices(_, let splices) = self { splices.flatMap(\.new) } else { [] }
  }

  func removed() -> [Int] {
    if case .splices(_, let splices) = self { splices.flatMap(\.old) } else { [] }
  }
}

/// The state of a document, described by the identities of its elements.
struct SharedState {
  var sequences: [SharedSequence: [Int]] = [:]
  var values: [Int: [Int]] = [:]
  var names: [Int: Int] = [:]
  var tags: Set<Int> = []

  subscript(sequence: SharedSequence) -> [Int] { sequences[sequence] ?? [] }

  mutating func apply(_ edit: SharedEdit) {
    switch edit {
    case .splices(let sequence, let splices):
      for splice in splices.reversed() {
        let range = splice.start..<splice.start + splice.old.count
        expectEqual(Array(self[sequence][range]), splice.old, "the oracle removes elements that are not there")
        sequences[sequence, default: []].replaceSubrange(range, with: splice.new)
      }
    case .swap(let sequence, let i, let j): sequences[sequence]?.swapAt(i, j)
    case .move(let sequence, let source, let gap):
      guard let element = sequences[sequence]?.remove(at: source) else { return }
      sequences[sequence]?.insert(element, at: gap > source ? gap - 1 : gap)
    case .values(let owner, let range, _, let new):
      values[owner, default: [owner, 0, 0]].replaceSubrange(range, with: new)
    case .key(let key, _, let new): names[key] = new
    case .member(let member, let isThere): if isThere { tags.insert(member) } else { tags.remove(member) }
    }
  }

  /// A text with one scalar of two to four bytes for each element.
  static func text(_ elements: [Int]) -> String {
    var text = String.UnicodeScalarView()
    for element in elements { text.append(scalar(element)) }
    return String(text)
  }

  static func scalar(_ element: Int) -> Unicode.Scalar {
    let value = [0x100 + element % 0x200, 0x4E00 + element % 0x5000, 0x20000 + element % 0x5000][element % 3]
    return Unicode.Scalar(UInt32(value)) ?? "?"
  }

  var document: SharedDocument {
    var document = SharedDocument()
    document.title = Self.text(self[.title])
    document.count = values[0]?[0] ?? 0
    document.numbers = self[.numbers].map { values[$0]?[0] ?? $0 }
    document.lines = self[.lines].map { line in
      let values = values[line] ?? [line, 0, 0]
      return SharedDocument.Line(
        text: Self.text(self[.text(of: line)]), marks: self[.marks(of: line)].map { self.values[$0]?[0] ?? $0 },
        value: values[0], frame: .init(width: values[1], height: values[2]))
    }
    document.names = names
    document.tags = tags
    return document
  }
}

/// Removes an edit from a series of edits, and transforms the edits that followed it.
///
/// It applies the later edits to a list of tokens that describes the sequence with the edit and without it.
struct IdentityOracle {
  /// A part of a sequence that is the same with the edit and without it, or that is there on one side only.
  private enum Token: Equatable {
    case both(Int)
    /// Elements that are there with the edit, and the elements in their place without it.
    case block(with: [Int], without: [Int])
    /// A position of a swap, with the element that is there with the edit and the one without it.
    case exchanged(with: Int, without: Int)
    /// The moved element at its position with the edit.
    case moved(Int)
    /// The moved element at its position without the edit.
    case hole(Int)

    var with: [Int] {
      switch self {
      case .both(let element), .exchanged(let element, _), .moved(let element): [element]
      case .block(let with, _): with
      case .hole: []
      }
    }

    var without: [Int] {
      switch self {
      case .both(let element), .exchanged(_, let element), .hole(let element): [element]
      case .block(_, let without): without
      case .moved: []
      }
    }
  }

  private struct Conflict: Error {}

  /// - Returns: The later edits as they are without the removed one, and the edit that undoes it after all of them;
  ///   nil if the edit can't be removed because a later edit conflicts with it.
  static func remove(
    _ edit: SharedEdit, from start: SharedState, then later: [SharedEdit]
  ) -> (later: [SharedEdit], inverse: SharedEdit)? {
    do {
      switch edit {
      case .splices, .swap, .move: return try removeFromSequence(edit, start, later)
      case .values(let owner, let range, let old, let new):
        for other in later {
          if case .values(owner, let otherRange, _, _) = other, range.overlaps(otherRange) { return nil }
          if owner != 0, other.removed().contains(where: { contains($0, owner, edit) }) { return nil }
        }
        return (later, .values(owner: owner, range, old: new, new: old))
      case .key(let key, let old, let new):
        let isTouched = later.contains { if case .key(key, _, _) = $0 { true } else { false } }
        return isTouched ? nil : (later, .key(key, old: new, new: old))
      case .member(let member, let isThere):
        let isTouched = later.contains { if case .member(member, _) = $0 { true } else { false } }
        return isTouched ? nil : (later, .member(member, isThere: !isThere))
      }
    } catch {
      return nil
    }
  }

  /// Whether an element is the other one or contains it.
  private static func contains(_ element: Int, _ other: Int, _ edit: SharedEdit) -> Bool {
    element == other || parent(of: other) == element
  }

  /// The line that contains a mark, taken from the mark's identity; nil for other elements.
  static func parent(of element: Int) -> Int? { element >> 20 == 0 ? nil : element >> 20 }

  /// The identity of a mark in a line.
  static func mark(_ number: Int, in line: Int) -> Int { line << 20 | number }

  private static func removeFromSequence(
    _ edit: SharedEdit, _ start: SharedState, _ later: [SharedEdit]
  ) throws(Conflict) -> (later: [SharedEdit], inverse: SharedEdit)? {
    guard let sequence = edit.sequence else { return nil }
    var tokens = tokens(of: edit, start[sequence])
    let inserted = Set(edit.inserted())
    var crossed: [SharedEdit] = []
    for other in later {
      if let owner = other.owner, inserted.contains(owner) || parent(of: owner).map(inserted.contains) == true {
        throw Conflict()
      }
      if let owner = edit.owner, other.removed().contains(where: { contains($0, owner, edit) }) { throw Conflict() }
      crossed.append(other.sequence == sequence ? try cross(other, &tokens) : other)
    }
    return (crossed, inverse(of: edit, tokens))
  }

  private static func tokens(of edit: SharedEdit, _ elements: [Int]) -> [Token] {
    var tokens = elements.map { Token.both($0) }
    switch edit {
    case .splices(_, let splices):
      for splice in splices.reversed() {
        tokens.replaceSubrange(
          splice.start..<splice.start + splice.old.count, with: [.block(with: splice.new, without: splice.old)])
      }
    case .swap(_, let i, let j):
      tokens[i] = .exchanged(with: elements[j], without: elements[i])
      tokens[j] = .exchanged(with: elements[i], without: elements[j])
    case .move(_, let source, let gap):
      tokens[source] = .hole(elements[source])
      tokens.insert(.moved(elements[source]), at: gap)
    default: break
    }
    return tokens
  }

  private static func inverse(of edit: SharedEdit, _ tokens: [Token]) -> SharedEdit {
    switch edit {
    case .splices(let sequence, _):
      var (position, splices): (Int, [SharedEdit.Splice]) = (0, [])
      for token in tokens {
        if case .block(let with, let without) = token {
          splices.append(.init(start: position, old: with, new: without))
        }
        position += token.with.count
      }
      return .splices(sequence, splices)
    case .swap(let sequence, _, _):
      var (position, places): (Int, [Int]) = (0, [])
      for token in tokens {
        if case .exchanged = token { places.append(position) }
        position += token.with.count
      }
      return .swap(sequence, places[0], places[1])
    case .move(let sequence, _, _):
      var (position, source, gap) = (0, 0, 0)
      for token in tokens {
        switch token {
        case .moved: source = position
        case .hole: gap = position
        default: break
        }
        position += token.with.count
      }
      return .move(sequence, from: source, gap: gap)
    default: return edit
    }
  }

  // MARK: One later edit

  /// Applies a later edit of the sequence to the tokens, and returns it as it is without the first edit.
  private static func cross(_ other: SharedEdit, _ tokens: inout [Token]) throws(Conflict) -> SharedEdit {
    switch other {
    case .splices(let sequence, let splices):
      var without: [SharedEdit.Splice] = []
      for splice in splices.reversed() {
        let range = try tokenRange(splice.start, splice.old.count, tokens)
        let position = tokens[..<range.lowerBound].reduce(0) { $0 + $1.without.count }
        without.insert(.init(start: position, old: splice.old, new: splice.new), at: 0)
        tokens.replaceSubrange(range, with: splice.new.map { .both($0) })
      }
      return .splices(sequence, without)
    case .swap(let sequence, let i, let j):
      let (first, second) = (try plain(i, tokens), try plain(j, tokens))
      let (a, b) = (position(of: first, tokens), position(of: second, tokens))
      tokens.swapAt(first, second)
      return .swap(sequence, a, b)
    case .move(let sequence, let source, let gap):
      let (index, target) = (try plain(source, tokens), try tokenRange(gap, 0, tokens).lowerBound)
      let edit = SharedEdit.move(sequence, from: position(of: index, tokens), gap: position(of: target, tokens))
      let token = tokens.remove(at: index)
      tokens.insert(token, at: target > index ? target - 1 : target)
      return edit
    default: return other
    }
  }

  private static func position(of index: Int, _ tokens: [Token]) -> Int {
    tokens[..<index].reduce(0) { $0 + $1.without.count }
  }

  /// The token of the element at a position.
  ///
  /// - Throws: `Conflict` if the first edit touched the element.
  private static func plain(_ position: Int, _ tokens: [Token]) throws(Conflict) -> Int {
    let range = try tokenRange(position, 1, tokens)
    return range.lowerBound
  }

  /// The tokens of `count` elements from a position, or the gap there if `count` is 0.
  ///
  /// - Throws: `Conflict` if the first edit touched one of them, or removed elements in the gap.
  private static func tokenRange(_ start: Int, _ count: Int, _ tokens: [Token]) throws(Conflict) -> Range<Int> {
    // All gaps between tokens that have `start`, or `start + count`, elements before them.
    var (position, lower, upper): (Int, [Int], [Int]) = (0, [], [])
    for index in 0...tokens.count {
      if position == start { lower.append(index) }
      if position == start + count { upper.append(index) }
      if index < tokens.count { position += tokens[index].with.count }
    }
    guard let first = count == 0 ? lower.first : lower.last, let last = count == 0 ? lower.last : upper.first else {
      throw Conflict()  // The position is within a block.
    }
    let between = tokens[first..<last]
    // Tokens in a gap are there only without the edit, so it's unknown on which side of them the gap is.
    if count == 0, !between.isEmpty { throw Conflict() }
    for token in between { guard case .both = token else { throw Conflict() } }
    return first..<last
  }
}
