// A caret is one carried value whose bytes are all of it, and nothing else goes along. Then the record of it that leads
// a step is written by copying bytes, and the long way is left to everything else (`_UndoLog+Carrying`):
//
//     | header | before | behind |  header | edit |
//     ^ record          ^ second
//
// A transaction is led so as well. Of what it assigns behind its first edit, only that it did is to be remembered.

/// The one carried value, in numbers; none where it has no records yet.
@frozen
@usableFromInline
struct _UndoPlainCarried {
  var document: _UnsafeUndoPointer?
  /// Where it lies in the document.
  @usableFromInline
  var (lower, upper): (UInt16, UInt16) = (0, 0)
  /// What is expected while its assignment is awaited, if its first word can be assigned (`_UndoExpectedRecords`).
  @usableFromInline
  var lane: UInt64 = 0
  /// Where the second copy lies in a record's payload.
  var second: UInt16 = 0
  /// The header of a record, without its link.
  var header = _UndoHeader(argument: 0, words: 0, operation: .none, link: _UndoLink(bits: 0))
  /// Where in the current chunk the record lies that was written last by copying bytes: that of the latest step, or of
  /// the open transaction; 0 where the carried values know of it.
  var record = 0

  init() {}
}

/// Whose the values are that the document has of what is carried, as far as a fast path has seen to it.
@frozen
@usableFromInline
enum _UndoBelonging: UInt8, BitwiseCopyable {
  /// As the carried values themselves know it.
  case known
  /// The latest step's, and so are those that are assigned next.
  case awaited
  /// The latest step's, but not those that are assigned next.
  case assigned
  /// Not the latest step's.
  case none
  /// The open transaction's, which has its record of the value, and has not assigned it since.
  case inTransaction
  /// The open transaction's, which has assigned it.
  case assignedInTransaction

  @inlinable
  @inline(__always)
  var isInTransaction: Bool { self == .inTransaction || self == .assignedInTransaction }
}

extension _UndoLog.FastPath {
  /// Whose the values are that the document has of what is carried.
  ///
  /// The caret that follows each key is assigned by taking it out of what is expected, and nothing else.
  @inlinable
  @inline(__always)
  var belonging: _UndoBelonging {
    get {
      latestBelonging == .awaited && plainCarried.lane != 0 && expected.words == 0 ? .assigned : latestBelonging
    }
    set {
      latestBelonging = newValue
      expected.words = newValue == .awaited ? plainCarried.lane : 0
    }
  }
}

extension _UndoLog {
  /// Makes room for a record by copying bytes, if that can be done: the record that leads its step is written, unless
  /// the transaction has one already.
  @inlinable
  @inline(__always)
  mutating func leadsPlainly<Delta: _UndoDelta>(_ type: Delta.Type, words: Int, offset: Int) -> Bool {
    let size = Delta.sizeInDocument
    return size > 0 && leadsPlainly(words: words, partAt: offset, size: size)
  }

  /// The same for a step that is one edit of a text, as most steps are that carry a caret: nothing else is to be done.
  @inlinable
  @inline(__always)
  mutating func leadsStep<Delta: _UndoDelta>(_ type: Delta.Type, words: Int, offset: Int) -> Bool {
    guard Delta.isOfText, isUnlikely(fastPath.carriesValues), transaction.depth == 0, !fastPath.isLimited,
      knownIndex(of: type) != nil
    else { return false }
    return leadsPlainly(type, words: words, offset: offset)
  }

  /// The same for a record of so many words, of a part of this size that lies there in the document.
  @usableFromInline
  mutating func leadsPlainly(words: Int, partAt offset: Int, size: Int) -> Bool {
    guard let document = fastPath.plainCarried.document, isOpen,
      offset &+ size <= Int(fastPath.plainCarried.lower) || offset >= Int(fastPath.plainCarried.upper)
    else { return false }
    if fastPath.latestBelonging.isInTransaction {
      return transaction.depth == 1 && position.offset &+ words &* 8 <= position.currentChunk.capacity
    }
    let count = Int(fastPath.plainCarried.upper) &- Int(fastPath.plainCarried.lower)
    // By one word, and outside of a transaction, it makes no call, and so keeps all in registers.
    guard isLikely(count == 8), transaction.depth == 0,
      isLikely(fastPath.plainCarried.record != 0) || fastPath.latestBelonging == .none
    else { return leadSlowly(words, document, count) }
    return lead(words, document, count: 8, isTransaction: false)
  }

  @inline(never)
  private mutating func leadSlowly(_ words: Int, _ document: _UnsafeUndoPointer, _ count: Int) -> Bool {
    let isTransaction = transaction.depth > 0
    guard position.offset &+ fastPath.plainCarried.header.bytes &+ words &* 8 <= position.currentChunk.capacity,
      !isTransaction || transaction.depth == 1 && isAtStepStart && !transaction.needsSlowEnd,
      fastPath.latestBelonging == .none || fastPath.plainCarried.record != 0 || findsRecord()
    else { return false }
    return lead(words, document, count: count, isTransaction: isTransaction)
  }

  /// Writes the record that leads the step, of a value of so many bytes, where a record of so many words comes.
  @inline(__always)
  private mutating func lead(
    _ words: Int, _ document: _UnsafeUndoPointer, count: Int, isTransaction: Bool
  ) -> Bool {
    let (start, chunk) = (position.offset, position.currentChunk)
    var header = fastPath.plainCarried.header
    let end = start &+ header.bytes
    guard end &+ words &* 8 <= chunk.capacity else { return false }
    let (lower, second) = (Int(fastPath.plainCarried.lower), Int(fastPath.plainCarried.second))
    if fastPath.latestBelonging != .none {
      let latest = unsafe chunk.payload(at: fastPath.plainCarried.record)
      unsafe latest.copyBytes(of: document, at: lower, to: second, count: count)
    }
    // A transaction may be taken back, and then the latest step is the one before again.
    if isTransaction { learnBelonging() }
    header.bits |= _UndoLink(words: position.link.words, flags: _UndoHeader.first).bits
    unsafe chunk.setHeader(header, at: start)
    let payload = unsafe chunk.payload(at: start)
    unsafe payload.copyBytes(of: document, at: lower, to: 0, count: count)
    unsafe payload.copyBytes(of: document, at: lower, to: second, count: count)
    fastPath.plainCarried.record = start
    fastPath.belonging = isTransaction ? .inTransaction : .awaited
    coalescing.couldJoin = nil
    position.offset = end
    counts.bytes &+= header.bytes
    // An edit by itself ends the step, and does not begin it.
    position.link = _UndoLink(words: header.words, flags: isTransaction ? _UndoHeader.inner : _UndoHeader.last)
    return true
  }

  /// Looks for the record of the latest step; false where copying bytes will not do.
  private mutating func findsRecord() -> Bool {
    learnBelonging()
    fastPath.belonging = extras[0].carried.belongingOfOnly()
    guard fastPath.belonging != .none else { return true }
    let value = extras[0].carried.values[0]
    guard value.last == nil, let first = value.first, first.chunkIndex == position.chunkIndex else { return false }
    fastPath.plainCarried.record = first.offset
    return true
  }

  /// Whether an assignment of a part of the document is of the one carried value, and nothing is to be done for it.
  @inlinable
  @inline(__always)
  mutating func takesPlainly(partAt offset: Int, size: Int) -> Bool {
    guard offset >= Int(fastPath.plainCarried.lower), offset &+ size <= Int(fastPath.plainCarried.upper) else {
      return false
    }
    if transaction.depth == 0 {
      guard fastPath.belonging == .awaited else { return fastPath.belonging == .none }
      fastPath.belonging = .assigned
    } else {
      guard transaction.depth == 1, fastPath.belonging.isInTransaction else { return false }
      fastPath.belonging = .assignedInTransaction
    }
    return true
  }

  /// Whether the transaction that ends was led by copying bytes and nothing else came up: then its values are its own.
  mutating func endsPlainly() -> Bool {
    guard fastPath.belonging.isInTransaction else { return false }
    fastPath.belonging = fastPath.belonging == .inTransaction ? .awaited : .assigned
    return true
  }

  /// Lets the carried values know what the fast path has seen to.
  mutating func learnBelonging() {
    guard fastPath.belonging != .known else { return }
    let (belonging, record) = (fastPath.belonging, fastPath.plainCarried.record)
    (fastPath.belonging, fastPath.plainCarried.record) = (.known, 0)
    let location = RecordLocation(chunkIndex: position.chunkIndex, offset: record)
    if belonging.isInTransaction {
      extras[0].start = location
      transaction.needsSlowEnd = true
      if belonging == .assignedInTransaction { extras[0].carried.assignedInside = _UndoCarriedValues.Members(0) }
    } else {
      if record != 0 { extras[0].carried.setOnlyRecord(location) }
      extras[0].carried.learn(belonging)
    }
  }

  /// Learns how the one carried value is written by copying bytes, if it is.
  mutating func updatePlainCarried() {
    learnBelonging()
    fastPath.plainCarried = extras[0].plainCarried()
  }
}

extension _UndoExtras {
  /// The carried value in numbers, if it is the only thing here that is in use, and its bytes are all of it.
  mutating func plainCarried() -> _UndoPlainCarried {
    var plain = _UndoPlainCarried()
    guard carried.values.count == 1, let value = carried.values.first, let operation = value.operation,
      value.carrier.isPlain, value.bytes.upperBound <= Int(UInt16.max), openStep == nil, times == nil, origins == nil,
      rule.valueTimer == nil, observer == nil
    else { return plain }
    plain.document = carried.document
    (plain.lower, plain.upper) = (UInt16(value.bytes.lowerBound), UInt16(value.bytes.upperBound))
    if value.bytes.count >= 8 { plain.lane = _UndoExpectedRecords.onlyWord(at: value.bytes.lowerBound) }
    plain.second = UInt16(value.carrier.second)
    plain.header = _UndoHeader(
      argument: ~value.bytes.lowerBound, words: value.carrier.words, operation: operation, link: _UndoLink(bits: 0))
    return plain
  }
}

extension _UndoCarriedValues {
  /// What `learn` would be told of the only value.
  mutating func belongingOfOnly() -> _UndoBelonging {
    if !awaited.isEmpty { return .awaited }
    return assigned.isEmpty ? .none : .assigned
  }

  /// Takes it that the latest step has this record of the only value.
  mutating func setOnlyRecord(_ location: _UndoLog.RecordLocation) {
    (values[0].first, values[0].last) = (location, nil)
    recorded = Members(0)
  }

  mutating func learn(_ belonging: _UndoBelonging) {
    switch belonging {
    case .awaited: didEdit()
    case .assigned: (awaited, assigned) = ([], recorded)
    case .none: (awaited, assigned) = ([], [])
    case .known, .inTransaction, .assignedInTransaction: break
    }
  }
}
