/// A piece of the log.
///
///     base                                                                capacity
///     | used | first | header payload | header payload | header ... | free      |
///       8 B    8 B     ^ start: 16      8 B + a multiple of 8 B     ^ used
///
/// `used` is where the records end, `first` where the living ones begin; the chunk destroys what lies between when it
/// dies. A chunk that two histories share is never written to. `used` of the chunk on top of a log is brought up to
/// date only when the log leaves it (`_UndoLog.close`).
@safe
@usableFromInline
final class _UndoChunk {
  @usableFromInline
  let region: _UndoRegion
  @usableFromInline
  let capacity: Int
  /// Covers every operation that a record of this chunk names.
  var operations: _UndoOperations

  init(capacity: Int, operations: _UndoOperations) {
    unsafe self.region = _UndoRegion(base: .allocate(byteCount: capacity, alignment: 16))
    self.capacity = capacity
    self.operations = operations
    region.first = _UndoRegion.start
    region.used = _UndoRegion.start
  }

  deinit {
    region.destroyRecords(from: region.first, to: region.used, operations)
    unsafe region.base.deallocate()
  }

  /// A chunk of its own with a copy of every record between the two offsets, at the same offsets.
  func copy(from start: Int, to end: Int) -> _UndoChunk {
    let copy = _UndoChunk(capacity: capacity, operations: operations)
    copy.region.first = start
    copy.region.copyRecords(from: region, start..<end, operations)
    return copy
  }
}

/// The memory of a chunk, without owning it.
@safe
@frozen
@usableFromInline
struct _UndoRegion {
  @usableFromInline
  let base: UnsafeMutableRawPointer

  @inlinable
  init(base: UnsafeMutableRawPointer) {
    unsafe self.base = base
  }

  /// What a log without chunks has on top: a region in which all records end where they begin.
  ///
  /// Never written.
  static var none: _UndoRegion { unsafe _UndoRegion(base: nothing) }

  private nonisolated(unsafe) static let nothing: UnsafeMutableRawPointer = {
    let base = UnsafeMutableRawPointer.allocate(byteCount: start, alignment: 16)
    let region = unsafe _UndoRegion(base: base)
    (region.used, region.first) = (start, start)
    return unsafe base
  }()

  /// Where the records begin.
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

  @inlinable
  func header(at offset: Int) -> _UndoHeader {
    unsafe base.load(fromByteOffset: offset, as: _UndoHeader.self)
  }

  @inlinable
  func setHeader(_ header: _UndoHeader, at offset: Int) {
    unsafe base.storeBytes(of: header, toByteOffset: offset, as: _UndoHeader.self)
  }

  @inlinable
  func payload(at offset: Int) -> _UndoPlace {
    unsafe _UndoPlace(base + (offset &+ _UndoHeader.size))
  }

  /// Fills this region up to the end of a range with copies of another one's records, at the same offsets.
  func copyRecords(from other: _UndoRegion, _ range: Range<Int>, _ operations: _UndoOperations) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let header = other.header(at: offset)
      setHeader(header, at: offset)
      operations.table[header.operation].copy(other.payload(at: offset), payload(at: offset))
      offset += header.bytes
    }
    used = range.upperBound
  }

  /// Ends the life of the payloads between the two offsets.
  func destroyRecords(from start: Int, to end: Int, _ operations: _UndoOperations) {
    var offset = start
    while offset < end {
      let header = header(at: offset)
      operations.table.destroy(header.operation, payload(at: offset))
      offset += header.bytes
    }
  }
}
