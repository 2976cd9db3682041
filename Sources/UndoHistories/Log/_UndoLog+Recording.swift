extension _UndoLog {
  /// Adds a delta behind the last record; outside of a transaction it is a step of its own.
  @inlinable
  @inline(__always)
  mutating func record<Delta: _UndoDelta>(_ delta: consuming Delta, offset: Int) {
    let ownedBytes = Delta.ownsMemory ? delta.ownedBytes : 0
    record(delta, ownedBytes: ownedBytes, offset: offset)
  }

  /// Adds a delta of which it is known already what it owns.
  @inlinable
  @inline(__always)
  mutating func record<Delta: _UndoDelta>(_ delta: consuming Delta, ownedBytes: Int, offset: Int) {
    let words = Self.words(Delta.self)
    guard MemoryLayout<Delta>.alignment <= 8, words <= _UndoHeader.maximumWords else {
      return recordBoxed(delta, offset: offset)
    }
    let room = Delta.ownsMemory ? ownersRoom : room
    guard isLikely(position &+ words &* 8 <= room), let operation = knownNumber(of: Delta.self) else {
      return recordPrepared(delta, ownedBytes: ownedBytes, offset: offset)
    }
    defer { _checkInvariants() }
    write(delta, operation: operation, words: words, ownedBytes: ownedBytes, offset: offset)
    link = _UndoLink(words: words, flags: _UndoHeader.whole)
    undoCount &+= 1
  }

  /// The number of such deltas, if it can be told at once.
  @inlinable
  @inline(__always)
  func knownNumber<Delta: _UndoDelta>(of type: Delta.Type) -> _UndoNumber? {
    if Delta.isWord { return .word }
    if Delta.isElement { return isLikely(elementOperation != .none) ? elementOperation : nil }
    return isLikely(recentTag == _UndoTag(type)) ? recentOperation : nil
  }

  /// Adds a delta of a type that was not recorded last, or where there is more to do than to write it.
  @inlinable
  @inline(never)
  mutating func recordPrepared<Delta: _UndoDelta>(_ delta: consuming Delta, ownedBytes: Int, offset: Int) {
    if Delta.keepsMemory, isUnlikely(countsWhatIsKept) { return recordMeasured(delta, offset: offset) }
    guard let operation = knownNumber(of: Delta.self) ?? select(Delta.self) else {
      return recordBoxed(delta, offset: offset)
    }
    append(delta, operation: operation, words: Self.words(Delta.self), ownedBytes: ownedBytes, offset: offset)
  }

  /// Adds a delta that counts with what it keeps alive.
  @inlinable
  @inline(never)
  mutating func recordMeasured<Delta: _UndoDelta>(_ delta: consuming Delta, offset: Int) {
    guard let operation = select(Delta.self) else { return recordBoxed(delta, offset: offset) }
    let bytes = delta.keptBytes
    append(delta, operation: operation, words: Self.words(Delta.self), ownedBytes: bytes, offset: offset)
  }

  /// The length of a record of such a delta.
  @inlinable
  @inline(__always)
  static func words<Delta>(_ type: Delta.Type) -> Int { 1 + (MemoryLayout<Delta>.size + 7) / 8 }

  @inlinable
  @inline(never)
  mutating func recordBoxed<Delta: _UndoDelta>(_ delta: consuming Delta, offset: Int) {
    let boxed = _UndoBoxed<Delta.Root>(_UndoBox(delta))
    let bytes = countsWhatIsKept ? boxed.keptBytes : boxed.ownedBytes
    append(boxed, operation: .boxed, words: 2, ownedBytes: bytes, offset: offset)
  }

  /// Adds a record behind the last one, wherever and whenever that is.
  @inlinable
  @inline(__always)
  mutating func append<Delta>(
    _ delta: consuming Delta, operation: _UndoNumber, words: Int, ownedBytes: Int, offset: Int
  ) {
    defer { _checkInvariants() }
    if !isOpen || position &+ words &* 8 > capacity { prepare(for: words &* 8) }
    let isStep = link.isWhole
    write(delta, operation: operation, words: words, ownedBytes: ownedBytes, offset: offset)
    if isStep {
      link = _UndoLink(words: words, flags: _UndoHeader.whole)
      undoCount &+= 1
      keepLimit(owning: ownedBytes)
    } else {
      link = _UndoLink(words: words, flags: _UndoHeader.inner)
    }
  }

  /// Writes a record where there is room for it; what the next one will say of it is up to the caller.
  @inlinable
  @inline(__always)
  mutating func write<Delta>(
    _ delta: consuming Delta, operation: _UndoNumber, words: Int, ownedBytes: Int, offset: Int
  ) {
    let (start, size) = (position, words &* 8)
    position = start &+ size
    byteCount &+= size &+ ownedBytes
    canCoalesce = false
    top.setHeader(_UndoHeader(argument: offset, words: words, operation: operation, link: link), at: start)
    top.payload(at: start).initialize(to: delta)
  }

  /// Makes the delta's operation the recent one and returns its number; nil when the table has no room for another.
  @inlinable
  mutating func select<Delta: _UndoDelta>(_ type: Delta.Type) -> _UndoNumber? {
    guard let number = number(of: ObjectIdentifier(type), { .of(type) }) else { return nil }
    let isMeasured = Delta.keepsMemory && countsWhatIsKept
    (recentTag, recentOperation) = (isMeasured ? _UndoTag() : _UndoTag(type), number)
    if Delta.isElement, !isMeasured { elementOperation = number }
    return number
  }

  /// The number of the operation for a type, which is added if there is none yet.
  @usableFromInline
  mutating func number(of type: ObjectIdentifier, _ operation: () -> _UndoOperation) -> _UndoNumber? {
    if let index = operations.index(of: type) { return _UndoNumber(index) }
    let index = operations.count
    guard index < _UndoHeader.maximumOperations else { return nil }
    operations = operations.adding(countsWhatIsKept ? operation().with(countsWhatIsKept: true) : operation())
    if !chunks.isEmpty { chunks[chunkIndex].operations = operations }
    return _UndoNumber(index)
  }

  /// Makes every operation that is recorded from now on a new one, made where that happens: those of the records so far
  /// come from code that is not specialised.
  mutating func forgetTypes() {
    operations = operations.withoutTypes(countingWhatIsKept: countsWhatIsKept)
    recentTag = _UndoTag()
    elementOperation = .none
    if !chunks.isEmpty { chunks[chunkIndex].operations = operations }
  }

  /// Drops the oldest steps if that is what the limit asks for; the log is open.
  @inlinable
  @inline(__always)
  mutating func keepLimit() {
    if isUnlikely(isLimited), limit.isExceeded(steps: undoCount, bytes: byteCount) { enforceLimit() }
  }

  /// The same outside of a transaction, where the newest step came to own so much more: there is nothing to drop if it ends
  /// where there was room.
  @inlinable
  @inline(__always)
  mutating func keepLimit(owning ownedBytes: Int) {
    guard isUnlikely(isLimited) else { return }
    room &-= ownedBytes
    if position > room { enforceLimit() }
  }

  /// Makes room for a record behind the last one, once what could be redone is out of the way.
  @usableFromInline
  mutating func prepare(for size: Int) {
    if redoCount > 0 {
      if depth > 0 { setRedoAside() } else { dropRedo() }
    }
    if chunks.isEmpty || position + size > capacity {
      addChunk(for: size)
    }
    open()
    if let text = label, link.flags == _UndoHeader.first {
      label = nil
      appendLabel(text)
      label = text
      if position + size > capacity {
        addChunk(for: size)
        open()
      }
    }
  }

  /// The capacity up to which chunks grow: 64 KB, or a sixteenth of a limit of bytes, since a chunk goes only when all of its
  /// records are dropped.
  private var largestChunk: Int { min(1 << 16, max(256, limit.bytes / 16)) }

  mutating func addChunk(for size: Int) {
    let preferred =
      if let last = chunks.last {
        min(2 * last.capacity, largestChunk)
      } else {
        256
      }
    close()
    chunks.append(_UndoChunk(capacity: max(preferred, _UndoRegion.start + size), operations: operations))
    enter(chunks.count - 1)
    position = _UndoRegion.start
  }
}
