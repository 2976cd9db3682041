/// A record where it lies.
package struct _UndoRecord {
  private let memory: _UnsafeUndoMemory
  private let offset: Int
  package let header: _UndoHeader

  /// - Precondition: A record begins there.
  @unsafe
  init(at offset: Int, in memory: _UnsafeUndoMemory) {
    (self.memory, self.offset) = (memory, offset)
    header = unsafe memory.header(at: offset)
  }

  /// - Precondition: The record has not been removed or moved since.
  @unsafe
  package var payload: _UnsafeUndoPointer { unsafe memory.payload(at: offset) }

  /// The label of a step, if the record is one.
  var label: String? { header.operation == .label ? unsafe payload[as: _UndoLabel.self].text : nil }

  /// Whether both are one record, in a chunk that two histories share.
  func isIdentical(to other: _UndoRecord) -> Bool {
    unsafe offset == other.offset && memory.base == other.memory.base
  }
}

/// Where a record begins, or where the records end.
package struct _UndoLocation: Hashable, Comparable {
  var chunkIndex: Int
  var offset: Int

  /// Where the payload of the record begins.
  var behindHeader: _UndoLocation { _UndoLocation(chunkIndex: chunkIndex, offset: offset + _UndoHeader.size) }

  package static func < (a: _UndoLocation, b: _UndoLocation) -> Bool {
    (a.chunkIndex, a.offset) < (b.chunkIndex, b.offset)
  }
}

/// An edit that was made, and of which no record is written yet.
@usableFromInline
package struct _UndoPendingEdit {
  /// Its delta, and what a record of it would say.
  let payload: _UnsafeUndoPointer
  let operation: _UndoOperationIndex
  let offset: Int
  /// The size of the part, if that lies in the document itself at the offset; 0 where that is not known.
  let size: Int

  @usableFromInline
  init(payload: _UnsafeUndoPointer, operation: _UndoOperationIndex, offset: Int, size: Int) {
    (self.payload, self.operation, self.offset, self.size) = (payload, operation, offset, size)
  }

  /// What the next exchange of a record does.
  init(_ record: _UndoRecord) {
    self.init(
      payload: unsafe record.payload, operation: record.header.operation, offset: record.header.argument, size: 0)
  }
}
