// The state that edits, undo and redo check first (`_UndoLog+FastPath`), how the operation of a delta's type is found,
// and methods that write records.

extension _UndoRecords {
  /// The state that an edit, an undo or a redo checks first.
  @frozen
  @usableFromInline
  package struct FastPath {
    /// A record that ends at or before this offset can be written directly, as a step of its own, if it owns no memory.
    ///
    /// It is the capacity of the current chunk, or less under a limit. It is 0 while the records are closed or a
    /// transaction is open, and under a limit until `enforceLimit` has measured.
    ///
    /// Spares 8 instructions for each edit, because one comparison checks for an open log, a transaction, a limit, and
    /// the end of the chunk. Price: `updateDirectRange` wherever one of those changes.
    @usableFromInline
    var directEnd = 0
    /// The same offset for a record that may own memory: the capacity, or 0 under a limit.
    ///
    /// Price: a second word to write with the first. Without it, `items[i].name` would take the long way in every log.
    @usableFromInline
    var directEndIfOwning = 0
    /// A record that begins at or after this offset can be undone directly; none can while the log is open.
    ///
    /// Spares an undo two comparisons. Price: an assignment when the log opens, closes, or enters a chunk.
    @usableFromInline
    var directStart = _UnsafeUndoMemory.start
    /// The type tag of the delta that was recorded last; the next property is the index of its operation.
    ///
    /// Spares 10 instructions and a call, because the metadata of a generic type isn't needed. Price: a type may have
    /// several tags, so that different tags prove nothing.
    @usableFromInline
    var recentTag = _UnsafeUndoTypeTag()
    @usableFromInline
    var recentOperation = _UndoOperationIndex.boxed
    /// The operation of the deltas of the document's elements (`_UndoDelta.isElement`), once one was recorded.
    ///
    /// Spares an edit the tag, and an undo recognizes such a record by its header. Price: a flag in each type of delta.
    @usableFromInline
    var elementOperation = _UndoOperationIndex.none
    @usableFromInline
    package var isLimited = false
    /// Whether there is a limit, or extras have to be updated after each step.
    ///
    /// Spares a transaction 11 instructions, because both parts of the limit would be compared, twice. Price: an
    /// assignment when either changes.
    @usableFromInline
    var isWatched = false
    /// The extras that are in use.
    ///
    /// If there are any but branches, `directStart` is one less than `.max` while the log is open, so that `append`
    /// checks for both in one comparison. Price: two numbers mean that the log is open.
    @usableFromInline
    var inUse: _UndoExtras.InUse = []
    /// Whether there is a limit of bytes, under which each record counts with the memory that it keeps alive.
    ///
    /// Measuring that is a walk through the delta. So fast paths must miss a delta that may keep memory alive: it has
    /// no direct range, no tag, and no index as the operation of elements.
    @usableFromInline
    var countsRetainedBytes = false
    /// The operations of the records, accessed by address.
    ///
    /// Spares each step an atomic retain and release of the array and of the operation. Price: unmanaged references.
    @usableFromInline
    package var operations: _UnsafeUndoOperationTable

    init(operations: _UnsafeUndoOperationTable) {
      self.operations = operations
    }

    /// Whether the log has extras other than branches.
    @inlinable
    var hasExtras: Bool { !inUse.subtracting(.branches).isEmpty }
    /// Whether redo steps become a branch instead of being dropped.
    var keepsBranches: Bool { inUse.contains(.branches) }
    /// Whether undo and redo restore values; if so, neither is direct.
    @inlinable
    var restoresValues: Bool { inUse.contains(.restored) }
  }

  /// Whether records can be written at the position, so that the chunk's `used` and `counts.steps` may be out of date.
  @inlinable
  @inline(__always)
  package var isOpen: Bool { fastPath.directStart >= .max - 1 }

  /// Whether the records are open and the log has no extras other than branches.
  @inlinable
  @inline(__always)
  var isPlainlyOpen: Bool { fastPath.directStart == .max }

  /// The number of steps that can be redone.
  ///
  /// It is computed only when it is needed, which spares a step 7 instructions. Price: a subtraction, and
  /// `counts.steps`, which is up to date only while the records are closed.
  @inlinable
  package var redoCount: Int {
    get { isOpen ? 0 : counts.steps &- counts.undo }
    set { counts.steps = counts.undo &+ newValue }
  }

  /// The operation of a type of delta, if it is known at once.
  @inlinable
  @inline(__always)
  func knownIndex<Delta: _UndoDelta>(of type: Delta.Type) -> _UndoOperationIndex? {
    if Delta.isWord { return .word }
    if Delta.isElement { return isLikely(fastPath.elementOperation != .none) ? fastPath.elementOperation : nil }
    return isLikely(fastPath.recentTag == _UnsafeUndoTypeTag(type)) ? fastPath.recentOperation : nil
  }

  /// Whether the operation that was selected last belongs to a type.
  @inlinable
  @inline(__always)
  mutating func isRecent<Delta: _UndoDelta>(_ type: Delta.Type) -> Bool {
    isLikely(fastPath.recentTag == _UnsafeUndoTypeTag(type)) || isRecentByAnotherTag(type)
  }

  /// Compares the types themselves, because one type may have several tags, and makes this tag the recent one.
  @inlinable
  @inline(never)
  mutating func isRecentByAnotherTag<Delta: _UndoDelta>(_ type: Delta.Type) -> Bool {
    guard isType(ObjectIdentifier(type), of: fastPath.recentOperation) else { return false }
    if !(Delta.retainsMemory && fastPath.countsRetainedBytes) { fastPath.recentTag = _UnsafeUndoTypeTag(type) }
    return true
  }

  @usableFromInline
  func isType(_ type: ObjectIdentifier, of operation: _UndoOperationIndex) -> Bool {
    fastPath.operations[operation].isFound(by: type)
  }
}

// MARK: - Writing

extension _UndoRecords {
  /// Writes a record at the position of an open log; the chunk must have the capacity.
  ///
  /// The caller sets the link for the next record.
  @inlinable
  @inline(__always)
  mutating func write<Delta>(
    _ delta: consuming Delta, operation: _UndoOperationIndex, words: Int, ownedBytes: Int, offset: Int
  ) {
    let (start, size) = (position.offset, words &* 8)
    position.offset = start &+ size
    counts.bytes &+= size &+ ownedBytes
    position.run = .none
    let header = _UndoHeader(argument: offset, words: words, operation: operation, link: position.link)
    unsafe position.currentChunk.setHeader(header, at: start)
    unsafe position.currentChunk.payload(at: start).initialize(to: delta)
  }

  /// Writes a copy of a record into the current step, at the position of open records; the chunk must have the
  /// capacity.
  mutating func writeCopy(of record: _UndoRecord, as operation: _UndoOperationIndex) {
    let start = position.offset
    writeCopy(of: record, as: operation, position.link, at: start, in: position.currentChunk)
    position.offset = start + record.header.bytes
    position.link = _UndoLink(words: record.header.words, flags: _UndoHeader.inner)
  }

  /// Appends a copy of a record after all others, which are closed, without moving the position.
  ///
  /// - Parameter words: The length of the record before it; becomes the length of this record.
  mutating func appendCopy(
    of record: _UndoRecord, as operation: _UndoOperationIndex, flags: UInt64, _ words: inout Int
  ) {
    var memory = chunks[chunks.count - 1].memory
    if memory.used + record.header.bytes > memory.capacity {
      let (preferred, needed) = (min(2 * memory.capacity, 1 << 16), _UnsafeUndoMemory.start + record.header.bytes)
      chunks.append(_UnsafeUndoChunk(capacity: max(preferred, needed), operations: operations))
      memory = chunks[chunks.count - 1].memory
    }
    writeCopy(of: record, as: operation, _UndoLink(words: words, flags: flags), at: memory.used, in: memory)
    memory.used += record.header.bytes
    words = record.header.words
  }

  private mutating func writeCopy(
    of record: _UndoRecord, as operation: _UndoOperationIndex, _ link: _UndoLink, at offset: Int,
    in memory: _UnsafeUndoMemory
  ) {
    let header = _UndoHeader(
      argument: record.header.argument, words: record.header.words, operation: operation, link: link)
    unsafe memory.setHeader(header, at: offset)
    unsafe fastPath.operations.copy(operation, record.payload, to: memory.payload(at: offset))
    counts.bytes += unsafe bytes(of: _UndoRecord(at: offset, in: memory))
  }

  /// Makes the operation of a type of delta the recent one and returns its index; nil if the table is full.
  @inlinable
  mutating func select<Delta: _UndoDelta>(_ type: Delta.Type) -> _UndoOperationIndex? {
    guard let index = operationIndex(of: ObjectIdentifier(type), { .of(type) }) else { return nil }
    let isMeasured = Delta.retainsMemory && fastPath.countsRetainedBytes
    (fastPath.recentTag, fastPath.recentOperation) = (
      isMeasured ? _UnsafeUndoTypeTag() : _UnsafeUndoTypeTag(type), index
    )
    if Delta.isElement, !isMeasured { fastPath.elementOperation = index }
    return index
  }

  /// The index of the operation for a type, which is added if it is missing; nil if the table is full.
  @usableFromInline
  mutating func operationIndex(of type: ObjectIdentifier, _ operation: () -> _UndoOperation) -> _UndoOperationIndex? {
    if let index = operations.index(of: type) { return _UndoOperationIndex(index) }
    let index = operations.count
    guard index < _UndoHeader.maximumOperations else { return nil }
    let isMeasured = fastPath.countsRetainedBytes
    operations = operations.adding(isMeasured ? operation().with(countsRetainedBytes: true) : operation())
    if !chunks.isEmpty { chunks[position.chunkIndex].operations = operations }
    return _UndoOperationIndex(index)
  }

  /// Forgets which operations belong to which types.
  ///
  /// They come from code that isn't specialized, and later edits create their own.
  package mutating func forgetTypes() {
    operations = operations.withoutTypes(countingRetainedBytes: fastPath.countsRetainedBytes)
    fastPath.recentTag = _UnsafeUndoTypeTag()
    fastPath.elementOperation = .none
    if !chunks.isEmpty { chunks[position.chunkIndex].operations = operations }
  }

  /// The delta of the last record, if it has this type and this offset, and the next edit may join it; the pause
  /// between the two isn't checked.
  @inlinable
  @inline(__always)
  mutating func joinable<Delta: _UndoDelta>(_ type: Delta.Type, offset: Int) -> _UnsafeUndoPointer? {
    guard position.canJoin, isRecent(type) else { return nil }
    let start = position.offset &- position.link.bytes
    let header = unsafe position.currentChunk.header(at: start)
    guard header.operation == fastPath.recentOperation, header.argument == offset else { return nil }
    return unsafe position.currentChunk.payload(at: start)
  }

  /// Makes the operation of the latest record the recent one, so that the next edit can join it after an edit of
  /// another kind.
  package mutating func keepRecentOperation() {
    guard position.canJoin, position.offset > _UnsafeUndoMemory.start else { return }
    let header = unsafe position.currentChunk.header(at: position.offset - position.link.bytes)
    (fastPath.recentTag, fastPath.recentOperation) = (_UnsafeUndoTypeTag(), header.operation)
  }
}
