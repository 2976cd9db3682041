public import Sameness

/// A property that undo and redo restore: its place in the document, and closures that copy, assign and compare its
/// value.
///
/// The value of a position is also converted here between the document's form and that of steps
/// (`_UndoRestoredPosition`).
@usableFromInline
package final class _UndoRestored {
  /// The bytes of the property in the document.
  @usableFromInline
  package let bytes: Range<Int>
  @usableFromInline
  let type: Any.Type
  /// The distance between values that lie one after the other.
  @usableFromInline
  let stride: Int
  /// Initializes the second address with a copy of the value at the first one.
  @usableFromInline
  let copy: (_ source: _UnsafeUndoPointer, _ target: _UnsafeUndoPointer) -> Void
  /// Assigns the value at the first address to the second one.
  @usableFromInline
  let assign: (_ source: _UnsafeUndoPointer, _ target: _UnsafeUndoPointer) -> Void
  @usableFromInline
  let destroy: (_UnsafeUndoPointer) -> Void
  @usableFromInline
  let areSame: (_UnsafeUndoPointer, _UnsafeUndoPointer) -> Bool
  /// The bytes that a value keeps alive besides its own; nil if it can't keep any.
  @usableFromInline
  let retainedBytes: ((_UnsafeUndoPointer) -> Int)?
  /// The text or the array in which the value lies, if it is a position that moves with remote edits.
  @usableFromInline
  let space: _UndoPositionSpace?

  @inlinable
  package init<Part>(_ type: Part.Type, at offset: Int, in space: _UndoPositionSpace? = nil) {
    (self.type, self.space) = (type, space)
    (bytes, stride) = (offset..<offset + MemoryLayout<Part>.size, MemoryLayout<Part>.stride)
    copy = { source, target in unsafe target.initialize(to: source[as: Part.self]) }
    assign = { source, target in unsafe target[as: Part.self] = source[as: Part.self] }
    destroy = { value in unsafe value.deinitialize(as: Part.self) }
    areSame = { value, other in unsafe _haveSameContents(value[as: Part.self], other[as: Part.self]) }
    retainedBytes =
      _UndoWeight.retainsMemory(Part.self)
      ? { value in unsafe _UndoWeight.retainedBytes(of: value[as: Part.self]) } : nil
  }

  /// Whether a property of this type can be restored: it must not be too large, and not aligned beyond a word.
  @inlinable
  package static func isPossible<Part>(_ type: Part.Type) -> Bool {
    MemoryLayout<Part>.size <= 4000 && MemoryLayout<Part>.alignment <= 8
  }

  /// The same property as others describe it, who may know that it is a position.
  package func asKnown(in others: [_UndoRestored]) -> _UndoRestored { others.first { $0.isSame(as: self) } ?? self }

  /// Whether both describe the same property.
  package func isSame(as other: _UndoRestored) -> Bool { type == other.type && bytes == other.bytes }

  /// Describes the values of steps as this describes those of documents: for a position, another type.
  var stored: _UndoRestored { space == nil ? self : _UndoRestored(_UndoRestoredPosition.self, at: 0) }

  /// The address of the value in a document.
  func value(in document: _UnsafeUndoPointer) -> _UnsafeUndoPointer { document.part(at: bytes.lowerBound) }

  /// Passes a document's value to the closure, in the form that steps have.
  ///
  /// - Parameter isKept: Whether the value is kept for a rollback, so that a position isn't converted.
  func withValue(in document: _UnsafeUndoPointer, isKept: Bool = false, _ body: (_UnsafeUndoPointer) -> Void) {
    guard let space else { return body(value(in: document)) }
    var position = space.read(document, at: bytes)
    if !isKept { position = space.encoded(position, document) }
    unsafe withUnsafeMutablePointer(to: &position) { body(unsafe _UnsafeUndoPointer(UnsafeMutableRawPointer($0))) }
  }

  /// Assigns a value that `withValue` has passed, or that steps have, to a document.
  func assign(_ value: _UnsafeUndoPointer, toValueIn document: _UnsafeUndoPointer, isKept: Bool = false) {
    guard let space else { return assign(value, self.value(in: document)) }
    let position = unsafe value[as: _UndoRestoredPosition.self]
    space.write(isKept ? position : space.decoded(position, document), to: document, at: bytes)
  }

  /// Copies the value of one document to another.
  package func assign(from source: _UnsafeUndoPointer, to target: _UnsafeUndoPointer) {
    assign(value(in: source), value(in: target))
  }

  /// Whether two documents have the same value.
  func isSame(in document: _UnsafeUndoPointer, and other: _UnsafeUndoPointer) -> Bool {
    areSame(value(in: document), value(in: other))
  }
}
