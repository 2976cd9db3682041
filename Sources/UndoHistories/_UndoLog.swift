/// The log of a history: records in chunks, and the place between two of them where the document stands.
///
///     chunks   [ dropped | records ........ ][ records ..|.......... ][ records ]
///                        ^ head            the document ^ position     redo records follow
///
/// What can be undone lies before the position, what can be redone behind it. To record is to write behind the last
/// record; to undo is to walk back, exchanging every delta with the document; to redo is to walk forward doing the same.
/// Records never move: growing adds a chunk, twice as large as the last one up to 64 KB.
///
/// A log is a value. Its copy shares the chunks, except for the one where the document stands, which is copied at once;
/// another chunk is copied when one of the two logs enters it.
@usableFromInline
struct _UndoLog {
  // Hot: read or written by every edit.

  /// The chunk in which the document stands; no other log refers to it.
  @usableFromInline
  var top = _UndoRegion.none
  /// Where in it.
  @usableFromInline
  var position = _UndoRegion.start
  /// Where in the chunk on top a record must end that may simply be written at the position, and is a step then, if it
  /// owns nothing: at the capacity, or before a limit could be exceeded.
  ///
  /// It is 0 while the log is closed or a transaction is open, and under a limit until `enforceLimit` has measured it: an
  /// edit has one question to ask.
  @usableFromInline
  var room = 0
  /// The same for a record that may own memory: at the capacity, or 0 where there is a limit.
  @usableFromInline
  var ownersRoom = 0
  /// Where the records of the chunk on top begin, if they may simply be walked back over; nowhere while the log is open.
  ///
  /// Open is a log that records were just written to: they end at the position, whatever `used` says, and nothing can be
  /// redone.
  @usableFromInline
  var bottom = _UndoRegion.start
  /// What the header of the next record says of the one before the position, and whether that record begins and ends a
  /// step, begins one, or does neither.
  @usableFromInline
  var link = _UndoLink(words: 0, flags: _UndoHeader.whole)
  /// The delta recorded last, and its number.
  @usableFromInline
  var recentTag = _UndoTag()
  @usableFromInline
  var recentOperation = _UndoNumber.boxed
  /// The number of the delta that is an element of the document (`_UndoDelta.isElement`), once there is one.
  @usableFromInline
  var elementOperation = _UndoNumber.none
  @usableFromInline
  var undoCount = 0
  @usableFromInline
  var byteCount = 0
  /// Whether there is a limit.
  @usableFromInline
  var isLimited = false
  /// Whether the record before the position may still take in the next edit of its kind.
  ///
  /// Only while the log is open.
  @usableFromInline
  var canCoalesce = false
  /// Whether that depends on the time as well.
  @usableFromInline
  var isTimed = false
  /// Whether typing joins outside of transactions.
  @usableFromInline
  var joinsTyping = true

  /// How many steps there are before and behind the position; out of date while the log is open.
  @usableFromInline
  var stepCount = 0
  /// The capacity of the chunk on top.
  @usableFromInline
  var capacity = 0
  /// The operations, as exchanging needs them.
  @usableFromInline
  var table: _UndoTable
  /// What the latest exchange did, where the type of the delta does not tell.
  @usableFromInline
  var told = UndoEdit(.value, start: 0, size: 0)

  /// How many transactions are open.
  @usableFromInline
  var depth = 0
  /// Whether the open transaction has a label, or has set aside what could be redone.
  @usableFromInline
  var isElaborate = false
  @usableFromInline
  var chunkIndex = 0
  @usableFromInline
  var limit = UndoLimit.unlimited

  // Cold.

  var chunks: ContiguousArray<_UndoChunk> = []
  /// Where in the first chunk the records of this log begin.
  var head = _UndoRegion.start
  var operations: _UndoOperations {
    didSet { table = operations.table }
  }
  /// How many steps limits have dropped; with `undoCount` it tells states apart.
  var droppedCount = 0
  var saves = _UndoSaves()
  var coalescing = UndoCoalescing.typing
  /// When the latest text edit came, by the timer of `coalescing`.
  var lastEdit = Duration.zero
  var label: String?
  var aside: Aside?
  /// What the latest undo or redo did, if it was more than one edit without a label.
  @usableFromInline
  var walked: _UndoReport.Rest?

  /// What could be redone when a transaction recorded its first change: kept until it is known whether the transaction stays.
  struct Aside {
    /// What followed in the chunk where the document stood, at the same offsets in a chunk of its own.
    var rest: _UndoChunk?
    /// An array of its own: a slice of the log's would count as another owner of its chunks.
    var chunks: [_UndoChunk]
    var redoCount: Int
    var saves: _UndoSaves
  }

  @inlinable
  init<Value>(for document: Value.Type) {
    self.init(boxed: .of(_UndoBoxed<Value>.self))
  }

  @usableFromInline
  init(boxed: _UndoOperation) {
    operations = _UndoOperations([boxed, .of(_UndoLabel.self), .word])
    table = operations.table
  }

  /// Whether there is a limit of bytes, under which each record counts with what it keeps alive.
  ///
  /// To measure that is a walk through the delta. So where a delta may keep anything, nothing that a fast path asks for is
  /// set: neither a room to write it, nor its tag, nor its number as that of the elements.
  @usableFromInline
  var countsWhatIsKept: Bool { limit.bytes != .max }

  /// The number of the state in which the document is: how many steps lead to it from where the history began.
  var state: Int { droppedCount + undoCount }
}

// MARK: - Recording

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
