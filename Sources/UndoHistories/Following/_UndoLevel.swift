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
  let type: ObjectIdentifier

  @inlinable
  init<Part>(_ type: Part.Type, at offset: Int) {
    self.offset = offset
    size = MemoryLayout<Part>.size
    self.type = ObjectIdentifier(type)
  }

  /// A part of which the bytes are known.
  init<Part>(_ type: Part.Type, _ bytes: Range<Int>) {
    (offset, size) = (bytes.lowerBound, bytes.count)
    self.type = ObjectIdentifier(type)
  }

  var bytes: Range<Int> { offset..<offset + size }
}

/// One level of an anchor: a collection, and the element of it to which the way leads.
///
/// Not for use by clients.
@frozen
public struct _UndoLevel: Equatable {
  @usableFromInline
  let collection: _UndoPartRange
  @usableFromInline
  let index: Int

  @inlinable
  init(_ collection: _UndoPartRange, index: Int) {
    self.collection = collection
    self.index = index
  }
}
