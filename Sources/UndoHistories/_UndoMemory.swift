// Every pointer of this target is in this file, and in `_UndoMemory+Bytes.swift` those that compare. What it hands out
// are places (`_UndoPlace`), chunks (`_UndoChunk`) and tables (`_UndoTable`) with typed access; whoever uses them speaks
// of offsets, headers and deltas only.

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

  /// Exchanges the element in this place, which is the payload of a record, with that of the document.
  @inlinable
  @inline(__always)
  func exchangeElement<Elements: MutableCollection>(
    with document: _UndoPlace, of type: Elements.Type
  ) where Elements.Index == Int {
    let index = self[as: _UndoElementSwap<Elements>.self].anchor.index
    swap(&document[as: Elements.self][index], &self[as: _UndoElementSwap<Elements>.self].other)
  }

  /// Access to the value, as by the subscript; with branches inside, that would not be inlined.
  @inlinable
  @inline(__always)
  func with<Content, Result>(_ type: Content.Type, _ body: (inout Content) -> Result) -> Result {
    unsafe body(&address.assumingMemoryBound(to: Content.self).pointee)
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

  /// Access to the log, as by the property; with branches inside, that would not be inlined.
  @inlinable
  @inline(__always)
  func withLog<Result>(_ body: (inout _UndoLog) -> Result) -> Result { logPlace.with(_UndoLog.self, body) }

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

extension _UndoLog {
  /// The address of a function's code, and that of what it captures, or 0.
  @inlinable
  @inline(__always)
  static func words(of function: _UndoTag.Function) -> (code: UInt, context: UInt) {
    unsafe unsafeBitCast(function, to: (code: UInt, context: UInt).self)
  }

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
}

/// The operations of a log, numbered, in memory that never changes.
///
/// Without owning it, or them: whoever made the table keeps the operations alive.
/// To read one from an array would cost the array's retain and release, which is most of what an undo takes.
@safe
@frozen
@usableFromInline
struct _UndoTable {
  @usableFromInline
  let operations: UnsafeMutablePointer<Unmanaged<_UndoOperation>>
  @usableFromInline
  let shapes: UnsafeMutablePointer<_UndoShape>

  init(_ operations: [_UndoOperation]) {
    unsafe self.operations = .allocate(capacity: operations.count)
    unsafe shapes = .allocate(capacity: operations.count)
    for (index, operation) in operations.enumerated() {
      unsafe (self.operations + index).initialize(to: .passUnretained(operation))
      unsafe (shapes + index).initialize(to: operation.shape)
    }
  }

  func deallocate(count: Int) {
    unsafe operations.deinitialize(count: count)
    unsafe operations.deallocate()
    unsafe shapes.deinitialize(count: count)
    unsafe shapes.deallocate()
  }

  subscript(number: _UndoNumber) -> _UndoOperation {
    @inline(__always)
    get { unsafe operations[number.index].takeUnretainedValue() }
  }

  @inlinable
  @inline(__always)
  func shape(_ number: _UndoNumber) -> _UndoShape { unsafe shapes[number.index] }

  /// Exchanges the payload of a record with the document.
  @inlinable
  @inline(__always)
  func exchange(
    _ number: _UndoNumber, _ payload: _UndoPlace, _ offset: Int, _ document: _UndoPlace, _ log: inout _UndoLog
  ) {
    with(number) { $0.exchange(payload, offset, document, &log) }
  }

  /// Ends the life of the payload of a record.
  func destroy(_ number: _UndoNumber, _ payload: _UndoPlace) {
    with(number) { $0.destroy(payload) }
  }

  /// What the payload of a record counts besides its own bytes.
  func bytes(_ number: _UndoNumber, _ payload: _UndoPlace) -> Int {
    with(number) { $0.bytes?(payload) ?? 0 }
  }

  /// Access to an operation.
  ///
  /// `takeUnretainedValue` in place of the underscored function does the same, as the tests with internal checks show; the
  /// two retains and releases that it adds, of the operation and of its closure's absent context, are a third of the
  /// instructions of an undo.
  @inlinable
  @inline(__always)
  func with<Result>(_ number: _UndoNumber, _ body: (_UndoOperation) -> Result) -> Result {
    #if InternalChecks
      unsafe body(operations[number.index].takeUnretainedValue())
    #else
      unsafe operations[number.index]._withUnsafeGuaranteedRef(body)
    #endif
  }
}
