// Finds the operation of a type of delta (`_UndoOperation`) for an edit. The type that was used last is recognized by
// its tag. Any other type is looked up in the table, and added if it is missing.

extension _UndoRecords {
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
    return _UndoOperationIndex(index)
  }

  /// Forgets which operations belong to which types.
  ///
  /// They come from code that isn't specialized, and later edits create their own.
  package mutating func forgetTypes() {
    operations = operations.with(countsRetainedBytes: fastPath.countsRetainedBytes, isFound: false)
    (fastPath.recentTag, fastPath.elementOperation) = (_UnsafeUndoTypeTag(), .none)
  }

  /// Makes the operation of the latest record the recent one, so that the next edit can join it after an edit of
  /// another kind.
  @inline(__always)
  package mutating func keepRecentOperation() {
    guard position.canJoin, hasLatestRecord else { return }
    let header = unsafe position.currentChunk.header(at: position.offset - position.link.bytes)
    (fastPath.recentTag, fastPath.recentOperation) = (_UnsafeUndoTypeTag(), header.operation)
  }
}
