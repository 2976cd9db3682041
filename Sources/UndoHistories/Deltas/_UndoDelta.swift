/// One difference between a document and its state before or after an edit.
///
/// A delta holds the *other* side of the difference. Exchanging it with the document turns the document into that
/// other state, and the delta into what leads back: undo and redo are the same operation.
@usableFromInline
package protocol _UndoDelta<Root> {
  associatedtype Root
  /// The way to what the part lies in.
  associatedtype Anchor: _UndoAnchor<Root, Anchor.Base>
  /// What is edited.
  associatedtype Part

  /// Comes first in the delta, if it takes any bytes.
  var anchor: Anchor { get }

  /// Exchanges what the delta holds with what the document holds.
  ///
  /// `offset` is the byte offset of the changed part in what the delta's anchor leads to.
  mutating func exchange(with root: inout Root, offset: Int)

  /// What the next exchange does to the part.
  var change: _UndoChange { get }

  /// Makes the next exchange do another change of the same kind; what it puts there stays.
  ///
  /// - Returns: False for one for which the delta has no room.
  mutating func move(to change: _UndoChange) -> Bool

  /// What the next exchange does to the document.
  func edit(offset: Int) -> _UndoEdit

  /// What the latest exchange did to the document, where only the delta tells (`effect`).
  func reportedEdit(offset: Int) -> UndoEdit

  /// Makes the next exchange do another edit of the same kind; false, and nothing known of the delta, where it has no
  /// room for that.
  mutating func move(to edit: _UndoEdit) -> Bool

  /// The elements or the text that the next exchange puts in; nil for a delta that is not of a range.
  var coming: (any Collection)? { get }

  /// What the type tells of that edit, without a call.
  static var effect: _UndoEffect { get }

  /// Whether the delta is just another number of eight bytes for one that lies at the offset in the document. The log
  /// exchanges those without calling anything.
  static var isWord: Bool { get }

  /// That number.
  ///
  /// - Precondition: The delta is one.
  var word: UInt64 { get }

  /// Whether the delta is just another element for one of a document that is a collection. There is one such type for a
  /// document, so that it can be known by its number.
  static var isElement: Bool { get }

  /// The size of the anchor if the delta is just another value for one part: it comes first then, and tells with the
  /// offset which part that is. Nil for every other delta.
  static var partAnchorSize: Int? { get }

  /// The size of the part that is edited, if that lies in the document itself at the offset; 0 where that is not known.
  static var sizeInDocument: Int { get }

  /// Whether that part is a leaf, in which no other edit can lie.
  static var isOfLeaf: Bool { get }

  /// An independent copy, for a history that is a copy.
  func copy() -> Self

  /// Whether it may ever take in the next edit.
  static var mayJoin: Bool { get }

  /// Takes in the delta of the next edit, of the same type and at the same offset; false, and nothing done, where that
  /// does not continue this one.
  ///
  /// - Parameters:
  ///   - mayMove: Whether the next one may lie elsewhere, where it makes the same.
  ///   - root: The document behind both.
  mutating func join(_ next: Self, mayMove: Bool, offset: Int, in root: Root) -> Bool

  /// Whether it goes on with a delta of another type, of the latest edit: then both are one step.
  ///
  /// - Parameter root: The document behind both.
  func goesOn(with latest: any _UndoDelta, offset: Int, in root: Root) -> Bool

  /// What this edit and the next one are together, which is of the same type, and lies at the same offset.
  func followed(by next: Self) -> _UndoSequence<Self>

  /// Whether an exchange would leave the document as it is, as far as that can be proved.
  func changesNothing(in root: Root, offset: Int) -> Bool

  /// Whether nothing that the two hold tells them apart, as far as that can be proved.
  func isSame(as other: Self) -> Bool

  /// Whether the delta may own memory besides its own bytes, as far as that is counted without a limit.
  static var ownsMemory: Bool { get }

  /// How much of that it owns right now.
  var ownedBytes: Int { get }

  /// Whether the delta may keep anything alive besides its own bytes.
  static var retainsMemory: Bool { get }

  /// How much it keeps alive right now, as a limit of bytes counts it: it follows from what the delta holds alone.
  var retainedBytes: Int { get }
}

extension _UndoDelta {
  @inlinable
  package func edit(offset: Int) -> _UndoEdit {
    var levels = _UndoLevels()
    anchor.appendLevels(to: &levels)
    return _UndoEdit(levels, part: _UndoPartRange(Part.self, at: offset), change)
  }

  @inlinable
  @inline(__always)
  package func reportedEdit(offset: Int) -> UndoEdit {
    UndoEdit(change.inverted.kind, start: offset, size: MemoryLayout<Part>.size)
  }

  @inlinable
  package mutating func move(to change: _UndoChange) -> Bool { true }

  @inlinable
  package mutating func move(to edit: _UndoEdit) -> Bool {
    let hasRoom = unsafe withUnsafeMutablePointer(to: &self) {
      _UndoElementPath.write(edit.levels, to: unsafe _UnsafeUndoPointer(UnsafeMutableRawPointer($0)))
    }
    return hasRoom && move(to: edit.change)
  }

  @inlinable
  package var coming: (any Collection)? { nil }

  @inlinable
  package func copy() -> Self { self }

  @inlinable
  @inline(__always)
  package static var mayJoin: Bool { false }

  @inlinable
  package mutating func join(_ next: Self, mayMove: Bool, offset: Int, in root: Root) -> Bool { false }

  @inlinable
  package func goesOn(with latest: any _UndoDelta, offset: Int, in root: Root) -> Bool { false }

  @inlinable
  package func followed(by next: Self) -> _UndoSequence<Self> { .apart }

  @inlinable
  package func changesNothing(in root: Root, offset: Int) -> Bool { false }

  @inlinable
  package func isSame(as other: Self) -> Bool {
    // Neither is the older one.
    _UndoSameness.haveSameParts(self, other) || _UndoSameness.haveSameParts(other, self)
  }

  @inlinable
  @inline(__always)
  package static var effect: _UndoEffect {
    if let size = Anchor.outermostSize { .element(size: size) } else { .part(size: MemoryLayout<Part>.size) }
  }

  @inlinable
  package static var isWord: Bool { false }

  @inlinable
  package var word: UInt64 { preconditionFailure("A delta that is no number was taken for one") }

  @inlinable
  package static var isElement: Bool { false }

  @inlinable
  package static var partAnchorSize: Int? { nil }

  @inlinable
  package static var sizeInDocument: Int { 0 }

  @inlinable
  package static var isOfLeaf: Bool { false }

  @inlinable
  package static var ownsMemory: Bool { false }

  @inlinable
  package var ownedBytes: Int { 0 }

  @inlinable
  package static var retainsMemory: Bool { ownsMemory }

  @inlinable
  package var retainedBytes: Int { ownedBytes }
}

/// The edit that every exchange of one type of delta is, as far as the type tells it: where it lies, at least.
@frozen
@usableFromInline
package enum _UndoEffect {
  /// A value of this size is replaced, which lies in the document itself.
  case value(size: Int)
  /// An element changes, or something inside of one, of the collection of this size in the document.
  ///
  /// The first word of the delta is the `_UndoElementPath` of that element: the anchor comes first in the delta, and
  /// in the anchor what is outermost.
  case element(size: Int)
  /// A key or a member of a part of this size changes, which lies in the document itself.
  case member(size: Int)
  /// Something happens to a part of this size, which lies in the document itself: each exchange leaves its edit in the
  /// log.
  case part(size: Int)
  /// The type does not tell: each exchange leaves its edit in the log.
  case dynamic

  /// Whether each exchange leaves its edit in the log.
  @inlinable
  @inline(__always)
  var isReported: Bool {
    switch self {
    case .part, .dynamic: true
    case .value, .element, .member: false
    }
  }

  /// Whether the effect gives the edit that the delta gives, of which this is the address; for assertions.
  @inlinable
  func tells<Delta: _UndoDelta>(of delta: Delta, at payload: _UnsafeUndoPointer, offset: Int) -> Bool {
    let edit = UndoEdit(delta.edit(offset: offset).inverted)
    return switch self {
    case .dynamic, .part: offset < 0 || edit == delta.reportedEdit(offset: offset)
    case .value(let size): edit == UndoEdit(.value, start: offset, size: size)
    case .member(let size): edit == UndoEdit(.member, start: offset, size: size)
    case .element(let size): unsafe edit == payload[as: _UndoElementPath.self].edit(size: size)
    }
  }
}
