// The place of an edit: the elements in which it is, outermost first (`_UndoLevels`), and its bytes there
// (`_UndoPartRange`).

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
