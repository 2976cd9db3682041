/// One difference between a document and its state before or after an edit: the protocol of all deltas, with defaults.
///
/// This folder holds the types of deltas. A delta holds the *other* side of the difference. Exchanging it with the
/// document turns the document into that other state, and the delta into the way back: undo and redo are the same
/// operation. The log calls deltas through `Memory/_UndoOperation`.
@usableFromInline
package protocol _UndoDelta<Root> {
  associatedtype Root
  /// The path to the value that contains the part.
  associatedtype Place: UndoPlace<Root, Place.Base>
  /// The part that is edited.
  associatedtype Part

  /// The place, which comes first in the delta if it takes any bytes.
  var place: Place { get }

  /// The type of the values that the delta holds.
  associatedtype Other = Void
  /// The values of the other side, which the delta holds. By default, `ownedBytes` and `retainedBytes` measure these.
  var other: Other { get }

  /// Exchanges the delta's side of the difference with the document's.
  ///
  /// - Parameter offset: The byte offset of the part in the value that the place leads to.
  mutating func exchange(with root: inout Root, offset: Int)

  /// The change that the next exchange makes to the part.
  var change: _UndoChange { get }

  /// Moves the next exchange to another place in the part; the values stay the same.
  ///
  /// - Returns: Whether the delta has room for the place.
  mutating func move(to change: _UndoChange) -> Bool

  /// The edit that the next exchange makes in the document.
  func edit(offset: Int) -> _UndoEdit

  /// The edit that the latest exchange made in the document, for deltas whose `effect` doesn't tell it.
  func reportedEdit(offset: Int) -> UndoEdit

  /// Moves the next exchange to the place of another edit of the same kind; returns false, with the delta unusable, if
  /// the delta has no room for the place.
  mutating func move(to edit: _UndoEdit) -> Bool

  /// The elements or the text that the next exchange inserts; nil if the delta doesn't replace a range.
  var insertedElements: (any Collection)? { get }

  /// The facts about the delta's edits that follow from its type.
  static var effect: _UndoEffect { get }

  /// Whether the delta replaces a part as a whole, and `other` is the other value of that part.
  static var isOfPart: Bool { get }

  /// Whether the delta may ever join the next one.
  static var mayJoin: Bool { get }

  /// Which edits may join the delta after it was recorded with this intent.
  func run(as intent: UndoIntent) -> _UndoRun

  /// Joins the delta of the next edit, at the same offset; returns false, with the delta unchanged or moved to an
  /// equivalent place, if the next edit doesn't continue this one.
  ///
  /// - Parameters:
  ///   - joining: Which edits may join this delta, and the intent of the next one; then, which edits may join both.
  ///   - root: The document after both edits.
  mutating func join(_ next: Self, _ joining: inout _UndoJoining, offset: Int, in root: Root) -> Bool

  /// Whether this edit continues the latest one, which has a delta of another type, so that both are one step.
  ///
  /// - Parameter root: The document after both edits.
  func goesOn(with latest: any _UndoDelta, _ joining: inout _UndoJoining, offset: Int, in root: Root) -> Bool

  /// Whether the part may again be as it was before the edit; true if the delta can't tell.
  ///
  /// - Precondition: The part is still where the delta looks for it.
  func mayBeRestored(in root: Root, offset: Int) -> Bool

  /// Whether the delta may own memory besides its own bytes, as counted without a limit on bytes.
  static var ownsMemory: Bool { get }

  /// The bytes of memory that the delta owns now.
  var ownedBytes: Int { get }

  /// Whether the delta may retain any memory besides its own bytes.
  static var retainsMemory: Bool { get }

  /// The bytes of memory that the delta retains now, as a limit on bytes counts them; they depend on its contents
  /// alone.
  var retainedBytes: Int { get }
}

extension _UndoDelta {
  @inlinable
  package func edit(offset: Int) -> _UndoEdit {
    var levels = _UndoLevels()
    place.appendLevels(to: &levels)
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
  package var insertedElements: (any Collection)? { nil }

  @inlinable
  package static var mayJoin: Bool { false }

  @inlinable
  package func run(as intent: UndoIntent) -> _UndoRun { .unknown }

  @inlinable
  package mutating func join(_ next: Self, _ joining: inout _UndoJoining, offset: Int, in root: Root) -> Bool { false }

  @inlinable
  package func goesOn(
    with latest: any _UndoDelta, _ joining: inout _UndoJoining, offset: Int, in root: Root
  ) -> Bool { false }

  @inlinable
  package func mayBeRestored(in root: Root, offset: Int) -> Bool { true }

  @inlinable
  @inline(__always)
  package static var effect: _UndoEffect {
    if let size = Place.outermostSize { return .element(size: size) }
    return isOfPart ? .value(size: MemoryLayout<Part>.size) : .part(size: MemoryLayout<Part>.size)
  }

  @inlinable
  package static var isOfPart: Bool { false }

  /// Whether the delta replaces an eight-byte number at the offset in the document.
  ///
  /// The log exchanges these itself.
  @inlinable
  static var isWord: Bool {
    isOfPart && Place.outermostSize == nil && MemoryLayout<Part>.size == 8
      && (Part.self == Int.self || Part.self == UInt.self || Part.self == Int64.self || Part.self == UInt64.self
        || Part.self == Double.self)
  }

  /// The number, for deltas that are words.
  ///
  /// - Precondition: `isWord`.
  @inlinable
  @inline(__always)
  var word: UInt64 { unsafe unsafeBitCast(other, to: UInt64.self) }

  /// Whether the delta replaces an element of a document that is a collection.
  ///
  /// A document has one such type, so the log knows it by its index.
  @inlinable
  @inline(__always)
  static var isElement: Bool { isOfPart && Place.isElementOfRoot && Part.self == Place.Base.self && !ownsMemory }

  @inlinable
  @inline(__always)
  package static var ownsMemory: Bool { _UndoWeight.ownsMemory(Other.self) }

  @inlinable
  @inline(__always)
  package var ownedBytes: Int { _UndoWeight.ownedBytes(of: other) }

  @inlinable
  package static var retainsMemory: Bool { ownsMemory || _UndoWeight.retainsMemory(Other.self) }

  @inlinable
  package var retainedBytes: Int { _UndoWeight.retainedBytes(of: other) }
}

extension _UndoDelta where Other == Void {
  @inlinable
  package var other: Void { () }
}
