// Every pointer of this target is in this file. What it hands out are places (`_UndoPlace`) and chunks (`_UndoChunk`)
// with typed access; whoever uses them speaks of offsets, headers and deltas only.

/// A place in memory that holds a value whose type its user knows: the document, the log, or the payload of a record.
@safe
@frozen
@usableFromInline
struct _UndoPlace {
  @usableFromInline
  let address: UnsafeMutableRawPointer

  @inlinable
  @inline(__always)
  init(_ address: UnsafeMutableRawPointer) {
    unsafe self.address = address
  }

  /// New memory for one value.
  @inlinable
  static func allocate<Content>(holding content: consuming Content) -> _UndoPlace {
    let pointer = UnsafeMutablePointer<Content>.allocate(capacity: 1)
    unsafe pointer.initialize(to: content)
    return unsafe _UndoPlace(UnsafeMutableRawPointer(pointer))
  }

  /// Ends the value's life and returns memory that came from `allocate`.
  @inlinable
  func deallocate<Content>(as type: Content.Type) {
    let pointer = unsafe address.assumingMemoryBound(to: Content.self)
    unsafe pointer.deinitialize(count: 1)
    unsafe pointer.deallocate()
  }

  @inlinable
  @inline(__always)
  func initialize<Content>(to content: consuming Content) {
    unsafe address.initializeMemory(as: Content.self, to: content)
  }

  @inlinable
  func deinitialize<Content>(as type: Content.Type) {
    // Moving out and dropping is specialised; `deinitialize` would go through the type's metadata.
    _ = unsafe address.assumingMemoryBound(to: Content.self).move()
  }

  /// Exchanges the word in this place with the one at an offset in the document.
  @inlinable
  @inline(__always)
  func exchangeWord(with document: _UndoPlace, at offset: Int) {
    let other = unsafe address.load(as: UInt64.self)
    unsafe address.storeBytes(of: document.address.load(fromByteOffset: offset, as: UInt64.self), as: UInt64.self)
    unsafe document.address.storeBytes(of: other, toByteOffset: offset, as: UInt64.self)
  }

  @inlinable
  subscript<Content>(as type: Content.Type) -> Content {
    @inline(__always)
    _read { yield unsafe address.assumingMemoryBound(to: Content.self).pointee }
    @inline(__always)
    nonmutating _modify { yield unsafe &address.assumingMemoryBound(to: Content.self).pointee }
  }
}

/// The heap side of a history: the document and the log, each in memory of its own, so that neither is a stored `var`
/// of a class (which would cost a dynamic exclusivity check on every access).
@usableFromInline
final class _UndoStorage<Value> {
  @usableFromInline
  let access: _UndoAccess<Value>

  /// Records the difference between the document and the old value it is given.
  @usableFromInline
  let compare: UndoHistory<Value>.Comparison

  @inlinable
  init(document: consuming Value, log: consuming _UndoLog, compare: @escaping UndoHistory<Value>.Comparison) {
    self.access = _UndoAccess(documentPlace: .allocate(holding: document), logPlace: .allocate(holding: log))
    self.compare = compare
  }

  deinit {
    access.log.close()
    access.logPlace.deallocate(as: _UndoLog.self)
    access.documentPlace.deallocate(as: Value.self)
  }
}

/// What an edit needs: the document and the log.
///
/// Valid for as long as the storage lives, used only while the history that owns it is being accessed exclusively.
@frozen
@usableFromInline
struct _UndoAccess<Value> {
  @usableFromInline
  let documentPlace: _UndoPlace
  @usableFromInline
  let logPlace: _UndoPlace

  @inlinable
  init(documentPlace: _UndoPlace, logPlace: _UndoPlace) {
    self.documentPlace = documentPlace
    self.logPlace = logPlace
  }

  @inlinable
  var document: Value {
    @inline(__always)
    _read { yield documentPlace[as: Value.self] }
    @inline(__always)
    nonmutating _modify { yield &documentPlace[as: Value.self] }
  }

  @inlinable
  var log: _UndoLog {
    @inline(__always)
    _read { yield logPlace[as: _UndoLog.self] }
    @inline(__always)
    nonmutating _modify { yield &logPlace[as: _UndoLog.self] }
  }
}

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
    copy.region.used = end
    var offset = start
    while offset < end {
      let header = region.header(at: offset)
      copy.region.setHeader(header, at: offset)
      operations[header.operation].copy(region.payload(at: offset), copy.region.payload(at: offset))
      offset += header.bytes
    }
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

  /// No memory: what a log without chunks has on top.
  ///
  /// Never read or written.
  static var none: _UndoRegion { unsafe _UndoRegion(base: UnsafeMutableRawPointer(bitPattern: 16)!) }

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
    unsafe _UndoPlace(base + (offset + _UndoHeader.size))
  }

  /// Exchanges the word that is the payload of the record at an offset with the one at an offset in the document.
  @inlinable
  @inline(__always)
  func exchangeWord(at offset: Int, with document: _UndoPlace, at documentOffset: Int) {
    payload(at: offset).exchangeWord(with: document, at: documentOffset)
  }

  /// Ends the life of the payloads between the two offsets.
  func destroyRecords(from start: Int, to end: Int, _ operations: _UndoOperations) {
    var offset = start
    while offset < end {
      let header = header(at: offset)
      operations[header.operation].destroy(payload(at: offset))
      offset += header.bytes
    }
  }
}

extension _UndoLog {
  /// The part of a value that lies at a byte offset in it.
  @inlinable
  @inline(__always)
  static func withPart<Whole, Part, Result>(
    of whole: inout Whole, at offset: Int, as type: Part.Type, _ body: (inout Part) -> Result
  ) -> Result {
    unsafe withUnsafeMutablePointer(to: &whole) { pointer in
      unsafe body(&(UnsafeMutableRawPointer(pointer) + offset).assumingMemoryBound(to: Part.self).pointee)
    }
  }

  /// The part of a value that lies at a byte offset in it, for reading.
  @inlinable
  @inline(__always)
  static func withPart<Whole, Part, Result>(
    of whole: Whole, at offset: Int, as type: Part.Type, _ body: (Part) -> Result
  ) -> Result {
    unsafe withUnsafePointer(to: whole) { pointer in
      unsafe body((UnsafeRawPointer(pointer) + offset).assumingMemoryBound(to: Part.self).pointee)
    }
  }

  /// Whether two values have the same bytes.
  ///
  /// Equal bytes mean the same value; different bytes prove nothing.
  @inlinable
  @inline(__always)
  static func haveSameBytes<Content>(_ a: Content, _ b: Content) -> Bool {
    if MemoryLayout<Content>.size == 16 {
      return unsafe withUnsafeBytes(of: a) { a in
        unsafe withUnsafeBytes(of: b) { b in
          unsafe a.loadUnaligned(as: SIMD2<UInt64>.self) == b.loadUnaligned(as: SIMD2<UInt64>.self)
        }
      }
    }
    return unsafe withUnsafeBytes(of: a) { a in
      unsafe withUnsafeBytes(of: b) { b in unsafe _UndoBytes.commonPrefix(a, b) == a.count }
    }
  }
}

extension String {
  /// Where two texts differ: the length of their common beginning, and where the differing text ends in each.
  ///
  /// All three are scalar boundaries in both.
  @inlinable
  static func differingUTF8(_ old: String, _ new: String) -> (start: Int, newEnd: Int, oldEnd: Int) {
    var (old, new) = (old, new)
    return old.withUTF8 { old in
      new.withUTF8 { new in
        let shorter = Swift.min(old.count, new.count)
        var start = unsafe _UndoBytes.commonPrefix(UnsafeRawBufferPointer(old), UnsafeRawBufferPointer(new))
        while start > 0, unsafe isContinuation(old, start) || isContinuation(new, start) { start -= 1 }
        var tail = unsafe _UndoBytes.commonSuffix(
          UnsafeRawBufferPointer(old), UnsafeRawBufferPointer(new), atMost: shorter - start)
        while tail > 0, unsafe isContinuation(old, old.count - tail) { tail -= 1 }
        return (start, new.count - tail, old.count - tail)
      }
    }
  }

  /// The text between two UTF-8 offsets within the text, which must not lie inside of scalars.
  @inlinable
  func slice(utf8 range: Range<Int>) -> String {
    let slice: String? = unsafe utf8.withContiguousStorageIfAvailable { bytes in
      precondition(
        unsafe !String.isContinuation(bytes, range.lowerBound) && !String.isContinuation(bytes, range.upperBound),
        "UTF-8 offset inside of a Unicode scalar")
      return unsafe range.isEmpty ? "" : String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }
    guard let slice else { preconditionFailure("The text must be contiguous") }
    return slice
  }

  @inlinable
  static func isContinuation(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
    unsafe index < bytes.count && bytes[index] & 0b1100_0000 == 0b1000_0000
  }
}

/// Comparing memory, 64 bytes at a time.
@usableFromInline
enum _UndoBytes {
  @usableFromInline
  static func commonPrefix(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    let count = min(a.count, b.count)
    var index = 0
    while index + 64 <= count {
      let x = unsafe a.loadUnaligned(fromByteOffset: index, as: SIMD8<UInt64>.self)
      let y = unsafe b.loadUnaligned(fromByteOffset: index, as: SIMD8<UInt64>.self)
      if x != y { break }
      index += 64
    }
    while index < count, unsafe a[index] == b[index] { index += 1 }
    return index
  }

  /// Whether two texts of one length have the same UTF-8.
  @usableFromInline
  static func isSameText(_ a: String, _ b: String) -> Bool {
    var (a, b) = (a, b)
    return a.withUTF8 { a in
      b.withUTF8 { b in
        unsafe commonPrefix(UnsafeRawBufferPointer(a), UnsafeRawBufferPointer(b)) == a.count
      }
    }
  }

  /// The length of the common end, at most so much.
  @usableFromInline
  static func commonSuffix(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer, atMost limit: Int) -> Int {
    var length = 0
    while length + 64 <= limit {
      let x = unsafe a.loadUnaligned(fromByteOffset: a.count - length - 64, as: SIMD8<UInt64>.self)
      let y = unsafe b.loadUnaligned(fromByteOffset: b.count - length - 64, as: SIMD8<UInt64>.self)
      if x != y { break }
      length += 64
    }
    while length < limit, unsafe a[a.count - length - 1] == b[b.count - length - 1] { length += 1 }
    return length
  }
}

extension RandomAccessCollection where Index == Int {
  /// How many elements from an index on have the same bytes as those of another collection from an index on.
  ///
  /// None if the collections do not lie contiguously in memory.
  @inlinable
  func countOfSameBytes(from index: Int, in other: Self, from otherIndex: Int, atMost limit: Int) -> Int {
    let stride = MemoryLayout<Element>.stride
    return withContiguousStorageIfAvailable { a in
      other.withContiguousStorageIfAvailable { b in
        let (start, otherStart) = (index - startIndex, otherIndex - other.startIndex)
        let a = unsafe UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: a[start..<start + limit]))
        let b = unsafe UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: b[otherStart..<otherStart + limit]))
        return unsafe _UndoBytes.commonPrefix(a, b) / stride
      } ?? 0
    } ?? 0
  }

  /// Whether two collections have the same number of elements with the same bytes, as far as that can be seen.
  @inlinable
  func hasSameBytes(as other: Self) -> Bool {
    count == other.count
      && (isEmpty || count == countOfSameBytes(from: startIndex, in: other, from: other.startIndex, atMost: count))
  }

  /// How many elements before an index have the same bytes as those of another collection before an index.
  @inlinable
  func countOfSameBytes(before index: Int, in other: Self, before otherIndex: Int, atMost limit: Int) -> Int {
    let stride = MemoryLayout<Element>.stride
    return withContiguousStorageIfAvailable { a in
      other.withContiguousStorageIfAvailable { b in
        let (end, otherEnd) = (index - startIndex, otherIndex - other.startIndex)
        let a = unsafe UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: a[end - limit..<end]))
        let b = unsafe UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: b[otherEnd - limit..<otherEnd]))
        return unsafe _UndoBytes.commonSuffix(a, b, atMost: limit * stride) / stride
      } ?? 0
    } ?? 0
  }
}
