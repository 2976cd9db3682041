/// A property that undo and redo restore: where it lies, and closures that were made where its type is known.
@usableFromInline
package final class _UndoRestored {
  /// Where the property lies in the document.
  package let bytes: Range<Int>
  private let type: Any.Type
  /// From one value to the next, where several lie one behind the other.
  let stride: Int
  /// Begins the life of a value, as a copy of the one at the first address.
  let copy: (_ source: _UnsafeUndoPointer, _ target: _UnsafeUndoPointer) -> Void
  /// Assigns the value at one address to that at another.
  let assign: (_ source: _UnsafeUndoPointer, _ target: _UnsafeUndoPointer) -> Void
  let destroy: (_UnsafeUndoPointer) -> Void
  /// Whether two values are the same.
  let areSame: (_UnsafeUndoPointer, _UnsafeUndoPointer) -> Bool
  /// What a value keeps alive besides its own bytes; nil if it cannot.
  let retainedBytes: ((_UnsafeUndoPointer) -> Int)?

  @inlinable
  package convenience init<Part>(_ type: Part.Type, at offset: Int) {
    self.init(
      type, bytes: offset..<offset + MemoryLayout<Part>.size, stride: MemoryLayout<Part>.stride,
      copy: { source, target in unsafe target.initialize(to: source[as: Part.self]) },
      assign: { source, target in unsafe target[as: Part.self] = source[as: Part.self] },
      destroy: { value in unsafe value.deinitialize(as: Part.self) },
      areSame: { value, other in
        unsafe _UndoSameness.haveSameParts(value[as: Part.self], other[as: Part.self])
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

  /// Whether a property of this type can be restored: it is not too large, and not aligned beyond a word.
  @inlinable
  package static func isPossible<Part>(_ type: Part.Type) -> Bool {
    MemoryLayout<Part>.size <= 4000 && MemoryLayout<Part>.alignment <= 8
  }

  /// Whether both are of one property.
  package func isSame(as other: _UndoRestored) -> Bool { type == other.type && bytes == other.bytes }

  /// Where the value lies in a document.
  func value(in document: _UnsafeUndoPointer) -> _UnsafeUndoPointer { document.part(at: bytes.lowerBound) }

  /// Gives the value of one document to another.
  package func assign(from source: _UnsafeUndoPointer, to target: _UnsafeUndoPointer) {
    assign(value(in: source), value(in: target))
  }

  /// Whether two documents have the same value.
  func isSame(in document: _UnsafeUndoPointer, and other: _UnsafeUndoPointer) -> Bool {
    areSame(value(in: document), value(in: other))
  }
}
