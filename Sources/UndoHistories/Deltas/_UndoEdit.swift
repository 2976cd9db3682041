/// Where an edit lies, and what it does there, without what it puts there.
///
///     levels   | offset, index | offset, index |     the elements on the way, outermost first
///     part     the bytes of the part in the last of those elements
///     change   what happens to that part
///
/// An edit belongs to one state of the document, the one in which it is made. That of a record is what the *next*
/// exchange does; the inverse is what the latest exchange did.
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

  /// What is edited of the value that so many levels lead to: a collection on the way, or the part.
  package func range(at depth: Int) -> _UndoPartRange { depth < levels.count ? levels[depth].collection : part }

  /// The bytes of the document in which the edit lies.
  @usableFromInline
  package var bytes: Range<Int> { range(at: 0).bytes }

  /// The edit that takes this one back.
  @usableFromInline
  package var inverted: _UndoEdit { _UndoEdit(levels, part: part, change.inverted) }

  /// The same edit with another change.
  package func with(_ change: _UndoChange) -> _UndoEdit { _UndoEdit(levels, part: part, change) }

  /// Whether both do the same: ranges side by side are one range.
  func isSame(as other: _UndoEdit) -> Bool { hasSamePart(as: other) && change.joined == other.change.joined }

  func hasSamePart(as other: _UndoEdit) -> Bool { part == other.part && levels == other.levels }

  /// Whether it replaces ranges of a text or of elements.
  var isOfRange: Bool {
    switch change {
    case .range, .ranges: true
    case .value, .swap, .move, .key, .member, .whole: false
    }
  }

  package var isOfText: Bool { part.type == ObjectIdentifier(String.self) }
}

extension UndoEdit {
  /// An edit as seen from the document: of one in an element only the outermost one is told.
  @usableFromInline
  init(_ edit: _UndoEdit) {
    let kind = edit.levels.count > 0 ? .element(at: edit.levels[0].index) : edit.change.kind
    self.init(kind, start: edit.bytes.lowerBound, size: edit.bytes.count)
  }
}

/// Where a part lies in a value, and of which type it is.
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

  /// A part of which the bytes are known.
  package init<Part>(_ type: Part.Type, _ bytes: Range<Int>) {
    (offset, size) = (bytes.lowerBound, bytes.count)
    self.type = ObjectIdentifier(type)
  }

  package var bytes: Range<Int> { offset..<offset + size }

  func overlaps(_ other: _UndoPartRange) -> Bool {
    offset < other.offset + other.size && other.offset < offset + size
  }
}

/// One level of an anchor: a collection, and the element of it to which the way leads.
///
/// Not for use by clients.
@frozen
public struct _UndoLevel: Equatable {
  @usableFromInline
  let collection: _UndoPartRange
  @usableFromInline
  package let index: Int

  @inlinable
  init(_ collection: _UndoPartRange, index: Int) {
    self.collection = collection
    self.index = index
  }
}

/// The levels of an edit, outermost first.
///
/// The first two take no allocation.
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

  /// Makes a level lead to another element of the same collection.
  mutating func setIndex(_ index: Int, at depth: Int) {
    self[depth] = _UndoLevel(self[depth].collection, index: index)
  }
}
