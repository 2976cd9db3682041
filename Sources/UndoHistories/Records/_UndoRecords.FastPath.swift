// What an edit, an undo or a redo asks first (`_UndoLog+FastPath`), and how a record is written.

extension _UndoRecords {
  /// Answers to what an edit, an undo or a redo asks first.
  @frozen
  @usableFromInline
  package struct FastPath {
    /// A record that ends at or before this offset can be written directly, as a step of its own, if it owns nothing.
    ///
    /// It is the capacity of the current chunk, or less under a limit. It is 0 while the records are closed or a
    /// transaction is open, and under a limit until `enforceLimit` has measured.
    ///
    /// Spares 8 instructions for each edit: one comparison asks for an open log, a transaction, a limit and the end of
    /// the chunk. Price: `updateDirectRange` wherever one of those changes.
    @usableFromInline
    var directEnd = 0
    /// The same for a record that may own memory: the capacity, or 0 under a limit.
    ///
    /// Price: a second word to write with the first. Without it, `items[i].name` would take the long way in every log.
    @usableFromInline
    var directEndIfOwning = 0
    /// A record that begins at or behind this offset can be undone directly; none while the log is open.
    ///
    /// Spares an undo two questions. Price: an assignment when the log opens, closes, or enters a chunk.
    @usableFromInline
    var directStart = _UnsafeUndoMemory.start
    /// The type of the delta that was recorded last, and the index of its operation.
    ///
    /// Spares 10 instructions and a call: the metadata of a generic type need not be asked for. Price: one type may
    /// have several tags, so that tags that differ prove nothing.
    @usableFromInline
    var recentTag = _UnsafeUndoTypeTag()
    @usableFromInline
    var recentOperation = _UndoOperationIndex.boxed
    /// The operation of the delta that is an element of the document (`_UndoDelta.isElement`), once there is one.
    ///
    /// Spares an edit the tag, and lets an undo tell such a record by its header. Price: a flag in each type of delta.
    @usableFromInline
    var elementOperation = _UndoOperationIndex.none
    /// Whether there is a limit.
    @usableFromInline
    package var isLimited = false
    /// Whether there is a limit, or anything else to see to behind each step.
    ///
    /// Spares a transaction 11 instructions: both parts of the limit would be compared, twice. Price: an assignment
    /// with either.
    @usableFromInline
    var isWatched = false
    /// Whether anything goes along with the steps.
    ///
    /// Then `directStart` is one less than `.max` while the log is open, so that `append` asks for both in one
    /// comparison. Price: the log knows two numbers that mean open.
    @usableFromInline
    var hasExtras = false
    /// Whether what could be redone is set aside and not dropped.
    @usableFromInline
    var keepsBranches = false
    /// Whether values are restored with the steps: then neither undo nor redo is direct.
    @usableFromInline
    var restoresValues = false
    /// Whether there is a limit of bytes, under which each record counts with what it keeps alive.
    ///
    /// To measure that is a walk through the delta. So where a delta may keep anything, nothing that a fast path asks
    /// for is set: neither a direct range, nor its tag, nor its index as that of the elements.
    @usableFromInline
    var countsRetainedBytes = false
    /// The operations of the records, read by address.
    ///
    /// Spares each step an atomic retain and release of the array and of the operation. Price: unmanaged references.
    @usableFromInline
    package var operations: _UnsafeUndoOperationTable

    init(operations: _UnsafeUndoOperationTable) {
      self.operations = operations
    }
  }

  /// Whether records can be written at the position, and the chunk's `used` and `counts.steps` may be out of date.
  @inlinable
  @inline(__always)
  package var isOpen: Bool { fastPath.directStart >= .max - 1 }

  /// Whether they are open and nothing goes along with its steps.
  @inlinable
  @inline(__always)
  var isPlainlyOpen: Bool { fastPath.directStart == .max }

  /// How many steps can be redone.
  ///
  /// Counted only when it is asked for: that spares a step 7 instructions. Price: a subtraction, and `counts.steps`,
  /// which only closed records have.
  @inlinable
  package var redoCount: Int {
    get { isOpen ? 0 : counts.steps &- counts.undo }
    set { counts.steps = counts.undo &+ newValue }
  }

  /// The operation of such deltas, if it is known at once.
  @inlinable
  @inline(__always)
  func knownIndex<Delta: _UndoDelta>(of type: Delta.Type) -> _UndoOperationIndex? {
    if Delta.isWord { return .word }
    if Delta.isElement { return isLikely(fastPath.elementOperation != .none) ? fastPath.elementOperation : nil }
    return isLikely(fastPath.recentTag == _UnsafeUndoTypeTag(type)) ? fastPath.recentOperation : nil
  }

  /// Whether the operation that was selected last is that of a type.
  @inlinable
  @inline(__always)
  mutating func isRecent<Delta: _UndoDelta>(_ type: Delta.Type) -> Bool {
    isLikely(fastPath.recentTag == _UnsafeUndoTypeTag(type)) || isRecentByAnotherTag(type)
  }

  /// The same where the tags differ, as those of one type may: from now on this one is the recent tag.
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
  /// Writes a record at the position of an open log, where it ends within the chunk.
  ///
  /// The caller sets the link, by which the next record will know it.
  @inlinable
  @inline(__always)
  mutating func write<Delta>(
    _ delta: consuming Delta, operation: _UndoOperationIndex, words: Int, ownedBytes: Int, offset: Int
  ) {
    let (start, size) = (position.offset, words &* 8)
    position.offset = start &+ size
    counts.bytes &+= size &+ ownedBytes
    position.canJoin = false
    let header = _UndoHeader(argument: offset, words: words, operation: operation, link: position.link)
    unsafe position.currentChunk.setHeader(header, at: start)
    unsafe position.currentChunk.payload(at: start).initialize(to: delta)
  }

  /// Writes a copy of a record at the position of open records, where there is room, into the step that has begun.
  mutating func writeCopy(of record: _UndoRecord, as operation: _UndoOperationIndex) {
    let start = position.offset
    writeCopy(of: record, as: operation, position.link, at: start, in: position.currentChunk)
    position.offset = start + record.header.bytes
    position.link = _UndoLink(words: record.header.words, flags: _UndoHeader.inner)
  }

  /// Appends a copy of a record after all others, which are closed, without moving the position.
  ///
  /// - Parameter words: The length of the record before it, and then of this one.
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

  /// Makes the delta's operation the recent one and returns its index; nil when the table is full.
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

  /// The index of the operation for a type, which is added if there is none yet.
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

  /// Makes every operation that is recorded from now on a new one, made where that happens: those of the records so far
  /// come from code that is not specialised.
  package mutating func forgetTypes() {
    operations = operations.withoutTypes(countingRetainedBytes: fastPath.countsRetainedBytes)
    fastPath.recentTag = _UnsafeUndoTypeTag()
    fastPath.elementOperation = .none
    if !chunks.isEmpty { chunks[position.chunkIndex].operations = operations }
  }

  /// The last record's delta, if it is of the type asked for, lies at that offset, and may take in another edit,
  /// however long ago it was.
  @inlinable
  @inline(__always)
  mutating func joinable<Delta: _UndoDelta>(_ type: Delta.Type, offset: Int) -> _UnsafeUndoPointer? {
    guard position.canJoin, isRecent(type) else { return nil }
    let start = position.offset &- position.link.bytes
    let header = unsafe position.currentChunk.header(at: start)
    guard header.operation == fastPath.recentOperation, header.argument == offset else { return nil }
    return unsafe position.currentChunk.payload(at: start)
  }

  /// Lets the operation of the latest record be the recent one, by which the next edit joins that, though an edit of
  /// another kind was made.
  package mutating func keepRecentOperation() {
    guard position.canJoin, position.offset > _UnsafeUndoMemory.start else { return }
    let header = unsafe position.currentChunk.header(at: position.offset - position.link.bytes)
    (fastPath.recentTag, fastPath.recentOperation) = (_UnsafeUndoTypeTag(), header.operation)
  }
}
