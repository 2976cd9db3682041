/// A chunk of the log: it owns the memory of records that follow each other, copies it, and destroys the records.
///
/// Records are read, written and copied through its memory (`_UnsafeUndoMemory`).
///
///     base                                                                capacity
///     | used | first | header payload | header payload | header ... | free      |
///       8 B    8 B     ^ start: 16      8 B + a multiple of 8 B     ^ used
///
/// `used` is where the records end, and `first` where the live ones begin; the chunk destroys the records in between
/// when it is deallocated. A chunk that two histories share is never written to. `used` of a log's current chunk is
/// brought up to date only when the log is closed (`_UndoRecords.close`).
///
/// Unsafe: between the two offsets, records must follow each other as their headers say, and each header must name the
/// operation of its payload's type. The log ensures both by writing only whole records.
@safe
package final class _UnsafeUndoChunk {
  let memory: _UnsafeUndoMemory
  /// The table with every operation that a record of this chunk names.
  package var operations: _UndoOperations

  init(capacity: Int, operations: _UndoOperations) {
    unsafe memory = _UnsafeUndoMemory(base: .allocate(byteCount: capacity, alignment: 16), capacity: capacity)
    self.operations = operations
    memory.first = _UnsafeUndoMemory.start
    memory.used = _UnsafeUndoMemory.start
  }

  deinit {
    unsafe memory.destroyRecords(from: memory.first, to: memory.used, operations)
    unsafe memory.base.deallocate()
  }

  /// A new chunk with a copy of every record between the two offsets: at the same offsets, or trimmed to their size.
  func copy(from start: Int, to end: Int, isTrimmed: Bool = false) -> _UnsafeUndoChunk {
    let copy = _UnsafeUndoChunk(
      capacity: isTrimmed ? _UnsafeUndoMemory.start + end - start : memory.capacity, operations: operations)
    if !isTrimmed { (copy.memory.first, copy.memory.used) = (start, start) }
    unsafe memory.forEachRecord(from: start, to: end) { unsafe copy.memory.appendCopy(of: $0, operations) }
    return copy
  }

  /// Creates a chunk with copies of records, without capacity for others.
  convenience init(copiesOf records: [_UndoRecord], _ operations: _UndoOperations) {
    let size = records.reduce(_UnsafeUndoMemory.start) { $0 + $1.header.bytes }
    self.init(capacity: size, operations: operations)
    for record in records { unsafe memory.appendCopy(of: record, operations) }
  }

  /// All records, valid for as long as the chunk lives.
  var records: [_UndoRecord] {
    var records: [_UndoRecord] = []
    unsafe memory.forEachRecord(from: memory.first, to: memory.used) { records.append($0) }
    return records
  }

  /// Changes each record to another edit of its kind; false if one doesn't fit, and then the records are unusable.
  func move(to edits: [_UndoEdit]) -> Bool {
    zip(records, edits).allSatisfy { operations.table.move($0, to: $1) }
  }
}
