/// The memory of a chunk, without owning it: reads, writes, copies and destroys the records in it.
///
/// `_UnsafeUndoChunk` draws a chunk: it begins with two words, `used` and `first`. The records follow from the offset
/// `start` on, each at a multiple of eight. Offsets count from the base. A log without chunks has the shared, empty
/// chunk `none`.
@safe
@usableFromInline
struct _UnsafeUndoMemory {
  @usableFromInline
  let base: UnsafeMutableRawPointer
  @usableFromInline
  let capacity: Int

  /// The empty chunk of a log without chunks, in which the records begin and end at `start`.
  ///
  /// It is never written to.
  static var none: _UnsafeUndoMemory { unsafe _UnsafeUndoMemory(base: nothing, capacity: 0) }

  private nonisolated(unsafe) static let nothing: UnsafeMutableRawPointer = {
    let base = UnsafeMutableRawPointer.allocate(byteCount: start, alignment: 16)
    let memory = unsafe _UnsafeUndoMemory(base: base, capacity: 0)
    (memory.used, memory.first) = (start, start)
    return unsafe base
  }()

  /// The offset at which the records begin.
  @inlinable
  static var start: Int { 16 }

  @inlinable
  var used: Int {
    get { unsafe base.load(as: Int.self) }
    nonmutating set { unsafe base.storeBytes(of: newValue, as: Int.self) }
  }

  var first: Int {
    get { unsafe base.load(fromByteOffset: 8, as: Int.self) }
    nonmutating set { unsafe base.storeBytes(of: newValue, toByteOffset: 8, as: Int.self) }
  }

  /// The header of the record that begins at an offset.
  ///
  /// - Precondition: A record begins there.
  @unsafe
  @inlinable
  func header(at offset: Int) -> _UndoHeader {
    assertRecord(at: offset)
    return unsafe base.load(fromByteOffset: offset, as: _UndoHeader.self)
  }

  /// - Precondition: A record begins there, or is about to be written there.
  @unsafe
  @inlinable
  func setHeader(_ header: _UndoHeader, at offset: Int) {
    assertRecord(at: offset)
    assert(offset + header.bytes <= capacity, "the record at \(offset) does not fit into its chunk")
    unsafe base.storeBytes(of: header, toByteOffset: offset, as: _UndoHeader.self)
  }

  /// The payload of the record that begins at an offset.
  ///
  /// - Precondition: A record begins there, or is about to be written there.
  @unsafe
  @inlinable
  func payload(at offset: Int) -> _UnsafeUndoPointer {
    assertRecord(at: offset)
    return unsafe _UnsafeUndoPointer(base + (offset &+ _UndoHeader.size))
  }

  /// Checks as much of the preconditions as can be known.
  @inlinable
  func assertRecord(at offset: Int) {
    assert(
      offset >= _UnsafeUndoMemory.start && offset <= capacity - _UndoHeader.size && offset & 7 == 0,
      "no record begins at \(offset) of a chunk of \(capacity) bytes")
  }

  /// Adds a copy of a record after the last one.
  ///
  /// - Precondition: There is room for the record, and the table has its operation.
  @unsafe
  func appendCopy(of record: _UndoRecord, _ operations: _UndoOperations) {
    let offset = used
    unsafe setHeader(record.header, at: offset)
    unsafe operations.table.copy(record.header.operation, record.payload, to: payload(at: offset))
    used = offset + record.header.bytes
  }

  /// Ends the life of the payloads between the two offsets.
  ///
  /// - Precondition: Live records fill the range. They aren't used any more.
  @unsafe
  func destroyRecords(from start: Int, to end: Int, _ operations: _UndoOperations) {
    unsafe forEachRecord(from: start, to: end) { unsafe operations.table.destroy($0.header.operation, $0.payload) }
  }

  /// Calls a closure with each record between the two offsets.
  ///
  /// - Precondition: Live records fill the range.
  @unsafe
  @inline(__always)
  func forEachRecord(from start: Int, to end: Int, _ body: (_UndoRecord) -> Void) {
    var offset = start
    while offset < end {
      let record = unsafe _UndoRecord(at: offset, in: self)
      body(record)
      offset += record.header.bytes
    }
    assert(offset == max(start, end), "a record reaches beyond the range")
  }
}
