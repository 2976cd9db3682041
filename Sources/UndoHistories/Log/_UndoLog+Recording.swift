extension _UndoLog {
  /// Adds what eight bytes of the document were, where that is not a step by itself.
  ///
  /// No code of it is in a caller, and none is made for each type of document.
  @usableFromInline
  @inline(never)
  mutating func recordWord(_ old: UInt64, at offset: Int) {
    recordSlowly(_UndoReplacement(_UndoRoot<UInt64>(), other: old), ownedBytes: 0, offset: offset)
  }

  /// Adds a delta of a type that was not recorded last, or where there is more to do than to write it.
  @inlinable
  @inline(never)
  mutating func recordSlowly<Delta: _UndoDelta>(_ delta: consuming Delta, ownedBytes: Int, offset: Int) {
    if Delta.retainsMemory, isUnlikely(countsRetainedBytes) { return recordMeasured(delta, offset: offset) }
    guard let operation = knownIndex(of: Delta.self) ?? select(Delta.self) else {
      return recordBoxed(delta, offset: offset)
    }
    append(
      delta, operation: operation, words: _UndoHeader.wordCount(of: Delta.self), ownedBytes: ownedBytes, offset: offset)
  }

  /// Adds a delta that counts with what it keeps alive.
  @inlinable
  @inline(never)
  mutating func recordMeasured<Delta: _UndoDelta>(_ delta: consuming Delta, offset: Int) {
    guard let operation = select(Delta.self) else { return recordBoxed(delta, offset: offset) }
    let bytes = delta.retainedBytes
    append(delta, operation: operation, words: _UndoHeader.wordCount(of: Delta.self), ownedBytes: bytes, offset: offset)
  }

  /// Adds a delta that does not fit into a record, or for whose type there is no index left.
  @inlinable
  @inline(never)
  mutating func recordBoxed<Delta: _UndoDelta>(_ delta: consuming Delta, offset: Int) {
    let boxed = _UndoBoxedDelta<Delta.Root>(delta)
    let bytes = countsRetainedBytes ? boxed.retainedBytes : boxed.ownedBytes
    append(boxed, operation: .boxed, words: 2, ownedBytes: bytes, offset: offset)
  }

  /// Adds a record behind the last one, wherever and whenever that is.
  @inlinable
  @inline(__always)
  mutating func append<Delta: _UndoDelta>(
    _ delta: consuming Delta, operation: _UndoOperationIndex, words: Int, ownedBytes: Int, offset: Int
  ) {
    defer { _checkInvariants() }
    if !isPlainlyOpen || position.offset &+ words &* 8 > position.currentChunk.capacity {
      if isUnlikely(hasExtras), !admits(delta, operation: operation, offset: offset) { return }
      makeWritable(for: words &* 8)
    }
    let isStep = position.link.isWhole
    write(delta, operation: operation, words: words, ownedBytes: ownedBytes, offset: offset)
    if isStep {
      position.link = _UndoLink(words: words, flags: _UndoHeader.whole)
      counts.undo &+= 1
      keepLimit(owning: ownedBytes)
    } else {
      position.link = _UndoLink(words: words, flags: _UndoHeader.inner)
    }
  }

  /// Whether a record is to be written for a delta: what goes along with the steps may say no.
  @inlinable
  @inline(never)
  mutating func admits<Delta: _UndoDelta>(_ delta: Delta, operation: _UndoOperationIndex, offset: Int) -> Bool {
    var delta = delta
    return unsafe withUnsafeMutablePointer(to: &delta) { pointer in
      admits(
        _UndoPendingEdit(
          payload: unsafe _UnsafeUndoPointer(UnsafeMutableRawPointer(pointer)), operation: operation, offset: offset,
          size: Delta.sizeInDocument))
    }
  }

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
    coalescing.canJoin = false
    let header = _UndoHeader(argument: offset, words: words, operation: operation, link: position.link)
    unsafe position.currentChunk.setHeader(header, at: start)
    unsafe position.currentChunk.payload(at: start).initialize(to: delta)
  }

  /// Makes the delta's operation the recent one and returns its index; nil when the table is full.
  @inlinable
  mutating func select<Delta: _UndoDelta>(_ type: Delta.Type) -> _UndoOperationIndex? {
    guard let index = operationIndex(of: ObjectIdentifier(type), { .of(type) }) else { return nil }
    let isMeasured = Delta.retainsMemory && countsRetainedBytes
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
    operations = operations.adding(countsRetainedBytes ? operation().with(countsRetainedBytes: true) : operation())
    if !chunks.isEmpty { chunks[position.chunkIndex].operations = operations }
    return _UndoOperationIndex(index)
  }

  /// Makes every operation that is recorded from now on a new one, made where that happens: those of the records so far
  /// come from code that is not specialised.
  package mutating func forgetTypes() {
    operations = operations.withoutTypes(countingRetainedBytes: countsRetainedBytes)
    fastPath.recentTag = _UnsafeUndoTypeTag()
    fastPath.elementOperation = .none
    if !chunks.isEmpty { chunks[position.chunkIndex].operations = operations }
  }

  /// Opens the log for a record of this size behind the last one: drops or detaches what could be redone, and adds a
  /// chunk where the current one is full.
  @usableFromInline
  mutating func makeWritable(for size: Int) {
    if isOpen, position.offset + size <= position.currentChunk.capacity { return }
    if redoCount > 0 {
      if transaction.depth > 0 { detachRedo() } else { dropRedo() }
    }
    if chunks.isEmpty || position.offset + size > position.currentChunk.capacity {
      addChunk(for: size)
    }
    open()
    if position.link.flags == _UndoHeader.first, let text = transaction.label {
      beginWithLabel(text)
      if position.offset + size > position.currentChunk.capacity {
        addChunk(for: size)
        open()
      }
    }
  }
}
