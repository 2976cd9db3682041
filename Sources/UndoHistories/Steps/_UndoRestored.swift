public import Sameness

/// A property that undo and redo restore: its place in the document, and closures that copy, assign and compare its
/// value.
@usableFromInline
package final class _UndoRestored {
  /// The bytes of the property in the document.
  package let bytes: Range<Int>
  private let type: Any.Type
  /// The distance between values that lie one after the other.
  let stride: Int
  /// Initializes the second address with a copy of the value at the first one.
  let copy: (_ source: _UnsafeUndoPointer, _ target: _UnsafeUndoPointer) -> Void
  /// Assigns the value at the first address to the second one.
  let assign: (_ source: _UnsafeUndoPointer, _ target: _UnsafeUndoPointer) -> Void
  let destroy: (_UnsafeUndoPointer) -> Void
  let areSame: (_UnsafeUndoPointer, _UnsafeUndoPointer) -> Bool
  /// The bytes that a value keeps alive besides its own; nil if it can't keep any.
  let retainedBytes: ((_UnsafeUndoPointer) -> Int)?

  @inlinable
  package convenience init<Part>(_ type: Part.Type, at offset: Int) {
    self.init(
      type, bytes: offset..<offset + MemoryLayout<Part>.size, stride: MemoryLayout<Part>.stride,
      copy: { source, target in unsafe target.initialize(to: source[as: Part.self]) },
      assign: { source, target in unsafe target[as: Part.self] = source[as: Part.self] },
      destroy: { value in unsafe value.deinitialize(as: Part.self) },
      areSame: { value, other in
        unsafe _haveSameContents(value[as: Part.self], other[as: Part.self])
      },
      retainedBytes: _UndoWeight.retainsMemory(Part.self)
        ? { value in unsafe _UndoWeight.retainedBytes(of: value[as: Part.self]) } : nil)
  }

  @usableFromInline
  init(
    _ type: Any.Type, bytes: Range<Int>, stride: Int,
    copy: @escaping (_UnsafeUndoPointer, _UnsafeUndoPointer) -> Void,
    assign: @escaping (_UnsafeUndoPointer, _UnsafeUndoPointer) -> Void,
    destroy: @escaping (_UnsafeUndoPointer) -> Void,
    areSame: @escaping (_UnsafeUndoPointer, _UnsafeUndoPointer) -> Bool,
    retainedBytes: ((_UnsafeUndoPointer) -> Int)?
  ) {
    (self.type, self.bytes, self.stride) = (type, bytes, stride)
    (self.copy, self.assign, self.destroy) = (copy, assign, destroy)
    (self.areSame, self.retainedBytes) = (areSame, retainedBytes)
  }

  /// Whether a property of this type can be restored: it must not be too large, and not aligned beyond a word.
  @inlinable
  package static func isPossible<Part>(_ type: Part.Type) -> Bool {
    MemoryLayout<Part>.size <= 4000 && MemoryLayout<Part>.alignment <= 8
  }

  /// Whether both describe the same property.
  package func isSame(as other: _UndoRestored) -> Bool { type == other.type && bytes == other.bytes }

  /// The address of the value in a document.
  func value(in document: _UnsafeUndoPointer) -> _UnsafeUndoPointer { document.part(at: bytes.lowerBound) }

  /// Copies the value of one document to another.
  package func assign(from source: _UnsafeUndoPointer, to target: _UnsafeUndoPointer) {
    assign(value(in: source), value(in: target))
  }

  /// Whether two documents have the same value.
  func isSame(in document: _UnsafeUndoPointer, and other: _UnsafeUndoPointer) -> Bool {
    areSame(value(in: document), value(in: other))
  }
}
