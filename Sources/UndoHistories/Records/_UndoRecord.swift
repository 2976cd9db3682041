// A record as it is read, the location of a record, and an edit that has no record yet.

/// A record in a chunk: its header, and the address of its payload.
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

  /// - Precondition: The record hasn't been removed or moved since.
  @unsafe
  package var payload: _UnsafeUndoPointer { unsafe memory.payload(at: offset) }

  /// The label of a step, if the record is one.
  var label: String? { header.operation == .label ? unsafe payload[as: _UndoLabel.self].text : nil }

  /// Whether both are the same record, in a chunk that two histories share.
  func isIdentical(to other: _UndoRecord) -> Bool {
    unsafe offset == other.offset && memory.base == other.memory.base
  }
}

/// The location at which a record begins, or at which the records end.
package struct _UndoLocation: Hashable, Comparable {
  /// The number of the chunk, which stays the same when a limit removes chunks at the front.
  var chunkNumber: Int
  var offset: Int

  /// The start of the record's payload.
  var payloadLocation: _UndoLocation { _UndoLocation(chunkNumber: chunkNumber, offset: offset + _UndoHeader.size) }

  package static func < (a: _UndoLocation, b: _UndoLocation) -> Bool {
    (a.chunkNumber, a.offset) < (b.chunkNumber, b.offset)
  }
}

extension _UndoLocation {
  init(_ mark: _UndoTransaction.Mark) { self.init(chunkNumber: mark.chunkNumber, offset: mark.offset) }
}

/// An edit that was made but has no record yet.
@usableFromInline
package struct _UndoPendingEdit {
  /// The delta, and the operation and the offset that its record would have.
  let payload: _UnsafeUndoPointer
  let operation: _UndoOperationIndex
  let offset: Int

  @usableFromInline
  init(payload: _UnsafeUndoPointer, operation: _UndoOperationIndex, offset: Int) {
    (self.payload, self.operation, self.offset) = (payload, operation, offset)
  }

  /// The edit that the next exchange of a record makes.
  package init(_ record: _UndoRecord) {
    self.init(payload: unsafe record.payload, operation: record.header.operation, offset: record.header.argument)
  }
}
