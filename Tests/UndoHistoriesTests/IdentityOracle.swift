import TestSupport
import UndoHistories

/// A document for edits of several origins: a text, numbers, nested values, keys and members.
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

/// A sequence of the document: its elements have identities, which their positions change nothing of.
enum SharedSequence: Hashable {
  case title, numbers, lines
  case text(of: Int)
  case marks(of: Int)

  /// The line that it belongs to.
  var owner: Int? {
    switch self {
    case .title, .numbers, .lines: nil
    case .text(let line), .marks(let line): line
    }
  }
}

/// An edit by identities, of which positions count elements as the sequence was before the edit.
enum SharedEdit: Equatable {
  struct Splice: Equatable {
    var start: Int
    var old: [Int]
    var new: [Int]
  }

  /// Ranges from front to back.
  case splices(SharedSequence, [Splice])
  case swap(SharedSequence, Int, Int)
  /// The gap is counted with the element where it is.
  case move(SharedSequence, from: Int, gap: Int)
  /// Values in a row, as those of a struct, which belong to an element or to the document (0).
  case values(owner: Int, Range<Int>, old: [Int], new: [Int])
  case key(Int, old: Int?, new: Int?)
  case member(Int, isThere: Bool)

  var sequence: SharedSequence? {
    switch self {
    case .splices(let sequence, _), .swap(let sequence, _, _), .move(let sequence, _, _): sequence
    case .values, .key, .member: nil
    }
  }

  /// The element that it lies in, besides those that it moves.
  var owner: Int? {
    switch self {
    case .values(let owner, _, _, _): owner == 0 ? nil : owner
    default: sequence?.owner
    }
  }

  /// As a record has it: of a move that leads nowhere, that is on the left of the element.
  var recorded: SharedEdit {
    guard case .move(let sequence, let source, let gap) = self, gap == source + 1 else { return self }
    return .move(sequence, from: source, gap: source)
  }

  /// As a record has it that is to be redone: of a move that leads nowhere, that is on the right of the element.
  var recordedForRedo: SharedEdit {
    guard case .move(let sequence, let source, let gap) = self, gap == source else { return self }
    return .move(sequence, from: source, gap: source + 1)
  }

  /// The same with ranges as long as they can be.
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

  /// What takes it back.
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

/// The state of a document by identities.
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
        expectEqual(Array(self[sequence][range]), splice.old, "the oracle removes what is not there")
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

  /// A text of which each element is one scalar, in two to four bytes.
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

/// Takes an edit out of those that followed it, by walking through what is there with it and without it.
struct IdentityOracle {
  /// What lies in a sequence: the same with the edit and without it, or on one side only.
  private enum Token: Equatable {
    case both(Int)
    /// Elements that are there with the edit, and instead of which there are others without it.
    case block(with: [Int], without: [Int])
    /// Two elements that are exchanged: the one that is there with the edit, and the one without it.
    case exchanged(with: Int, without: Int)
    /// The element that moved, where it is with the edit, and where it is without it.
    case moved(Int)
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

  /// - Returns: The edits behind it, as they are where it never was, and what takes it back behind all of them; nil
  ///   where it cannot be taken out.
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

  /// Whether an element is, or has in it, another one.
  private static func contains(_ element: Int, _ other: Int, _ edit: SharedEdit) -> Bool {
    element == other || parent(of: other) == element
  }

  /// The line that a mark is in, which its identity tells; nil for anything else.
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

  // MARK: One edit behind it

  /// Makes another edit of the sequence on both sides, and returns it as it is without the first one.
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

  /// The token of the element at a position, which the first edit has not touched.
  private static func plain(_ position: Int, _ tokens: [Token]) throws(Conflict) -> Int {
    let range = try tokenRange(position, 1, tokens)
    return range.lowerBound
  }

  /// The tokens of so many elements, none of which the first edit touched; or of the gap at a position.
  private static func tokenRange(_ start: Int, _ count: Int, _ tokens: [Token]) throws(Conflict) -> Range<Int> {
    // Every place between two tokens with so many elements before it.
    var (position, lower, upper): (Int, [Int], [Int]) = (0, [], [])
    for index in 0...tokens.count {
      if position == start { lower.append(index) }
      if position == start + count { upper.append(index) }
      if index < tokens.count { position += tokens[index].with.count }
    }
    guard let first = count == 0 ? lower.first : lower.last, let last = count == 0 ? lower.last : upper.first else {
      throw Conflict()  // Within a block.
    }
    let between = tokens[first..<last]
    // Of a gap, what lies in it is there without the edit only: on which side of that would be a guess.
    if count == 0, !between.isEmpty { throw Conflict() }
    for token in between { guard case .both = token else { throw Conflict() } }
    return first..<last
  }
}
