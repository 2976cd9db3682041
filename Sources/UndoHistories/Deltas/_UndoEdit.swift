/// The place of an edit and what it does, without the values.
///
///     levels   | offset, index | offset, index |     the elements on the path, outermost first
///     part     the bytes of the part in the last of those elements
///     change   what happens to that part
///
/// An edit belongs to the state of the document before it. The edit of a record is what the *next* exchange does, and
/// its inverse is what the latest exchange did.
@frozen
@usableFromInline
package struct _UndoEdit: Equatable {
  @usableFromInline
  package var levels: _UndoLevels
  @usableFromInline
  let part: _UndoPartRange
  @usableFromInline
  package var change: _UndoChange

  @inlinable
  package init(_ levels: _UndoLevels = _UndoLevels(), part: _UndoPartRange, _ change: _UndoChange) {
    (self.levels, self.part, self.change) = (levels, part, change)
  }

  /// The range at a depth: a collection on the path, or the part.
  package func range(at depth: Int) -> _UndoPartRange { depth < levels.count ? levels[depth].collection : part }

  /// The bytes of the document that the edit changes.
  @usableFromInline
  package var bytes: Range<Int> { range(at: 0).bytes }

  @usableFromInline
  package var inverted: _UndoEdit { _UndoEdit(levels, part: part, change.inverted) }

  package func with(_ change: _UndoChange) -> _UndoEdit { _UndoEdit(levels, part: part, change) }

  /// Whether both do the same, with adjacent ranges counted as one.
  func isSame(as other: _UndoEdit) -> Bool { hasSamePart(as: other) && change.joined == other.change.joined }

  func hasSamePart(as other: _UndoEdit) -> Bool { part == other.part && levels == other.levels }

  /// Whether it replaces ranges of a text or of elements.
  var isOfRange: Bool {
    switch change {
    case .range, .ranges: true
    case .value, .swap, .move, .reversed, .key, .member, .whole: false
    }
  }

  /// Whether it replaces a value: that of the part, or of a key.
  var isOfValue: Bool {
    switch change {
    case .value, .key: true
    case .range, .ranges, .swap, .move, .reversed, .member, .whole: false
    }
  }

  package var isOfText: Bool { part.type == ObjectIdentifier(String.self) }
}

extension UndoEdit {
  /// An edit as an undo reports it, which names only the outermost element.
  @usableFromInline
  init(_ edit: _UndoEdit) {
    let kind = edit.levels.count > 0 ? .element(at: edit.levels[0].index) : edit.change.kind
    self.init(kind, start: edit.bytes.lowerBound, size: edit.bytes.count)
  }
}

/// The bytes and the type of a part in a value.
///
/// Not for use by clients.
@frozen
public struct _UndoPartRange: Equatable {
  @usableFromInline
  let offset: Int
  @usableFromInline
  let size: Int
  @usableFromInline
  package let type: ObjectIdentifier

  @inlinable
  init<Part>(_ type: Part.Type, at offset: Int) {
    self.offset = offset
    size = MemoryLayout<Part>.size
    self.type = ObjectIdentifier(type)
  }

  package init<Part>(_ type: Part.Type, _ bytes: Range<Int>) {
    (offset, size) = (bytes.lowerBound, bytes.count)
    self.type = ObjectIdentifier(type)
  }

  package var bytes: Range<Int> { offset..<offset + size }

  func overlaps(_ other: _UndoPartRange) -> Bool {
    offset < other.offset + other.size && other.offset < offset + size
  }
}

/// One level of a place: a collection, and the index of the element on the path.
///
/// Not for use by clients.
@frozen
public struct _UndoLevel: Equatable {
  @usableFromInline
  let collection: _UndoPartRange
  @usableFromInline
  package var index: Int

  @inlinable
  init(_ collection: _UndoPartRange, index: Int) {
    self.collection = collection
    self.index = index
  }
}

/// The levels of an edit, outermost first.
///
/// The first two levels need no allocation.
///
/// Not for use by clients.
@frozen
public struct _UndoLevels: Equatable {
  @usableFromInline
  package var count: Int
  @usableFromInline
  var first: _UndoLevel
  @usableFromInline
  var second: _UndoLevel
  @usableFromInline
  var rest: [_UndoLevel]

  @inlinable
  init() {
    let none = _UndoLevel(_UndoPartRange(Never.self, at: 0), index: 0)
    (count, first, second, rest) = (0, none, none, [])
  }

  @inlinable
  package subscript(depth: Int) -> _UndoLevel {
    get {
      switch depth {
      case 0: first
      case 1: second
      default: rest[depth - 2]
      }
    }
    set {
      switch depth {
      case 0: first = newValue
      case 1: second = newValue
      default: rest[depth - 2] = newValue
      }
    }
  }

  @inlinable
  mutating func append(_ level: _UndoLevel) {
    switch count {
    case 0: first = level
    case 1: second = level
    default: rest.append(level)
    }
    count += 1
  }
}

/// The numbers of a text delta: its start, the length of the text there now, and the length of the text before.
package struct _UndoTextNumbers: Equatable {
  package var start: Int
  package var count: Int
  package var removed: Int
}

extension _UndoTextNumbers {
  /// Creates the numbers of a text record from its next exchange; nil for any other record.
  package init?(_ next: _UndoEdit) {
    guard next.isOfText, case .range(let splice) = next.change else { return nil }
    self.init(start: splice.start, count: splice.old, removed: splice.new)
  }
}
