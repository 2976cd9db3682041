// Every shortcut of a log that has no extras is in this file: what it spares, and the price for it. Instructions are
// those of a release build for x86-64, as `docs/experiments/UndoHistory.md` counts them. Whatever a shortcut does not
// cover takes the long way, which is right by itself: `+Recording`, `+Stepping`, `+Transactions`.

extension _UndoLog {
  /// Answers to what an edit, an undo or a redo asks first.
  @frozen
  @usableFromInline
  package struct FastPath {
    /// A record that ends at or before this offset can be written directly, as a step of its own, if it owns nothing.
    ///
    /// It is the capacity of the current chunk, or less under a limit. It is 0 while the log is closed or a transaction
    /// is open, and under a limit until `enforceLimit` has measured.
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
    /// Whether the steps keep their times: then typing that joins is seen to as well.
    @usableFromInline
    var keepsTimes = false
    /// Whether values are restored with the steps: then neither undo nor redo is direct.
    @usableFromInline
    var carriesValues = false
    /// The operations of the log, read by address.
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

  /// Whether the log is open and nothing goes along with its steps.
  @inlinable
  @inline(__always)
  var isPlainlyOpen: Bool { fastPath.directStart == .max }

  /// Whether anything goes along with the steps (`_UndoExtras`), so that each record is asked about first.
  @inlinable
  @inline(__always)
  package var hasExtras: Bool { fastPath.hasExtras }

  /// Brings `directEnd` and `directEndIfOwning` up to date.
  @inlinable
  mutating func updateDirectRange() {
    fastPath.directEnd =
      isPlainlyOpen && transaction.depth == 0 && !fastPath.isLimited ? position.currentChunk.capacity : 0
    fastPath.directEndIfOwning = fastPath.directEnd
  }

  /// Where steps that own nothing must end, so that no limit can be exceeded: each takes eight bytes at least.
  var directEndWithinLimit: Int {
    let stepsLeft = 8 * min(limit.steps - counts.undo, position.currentChunk.capacity)
    return min(position.currentChunk.capacity, position.offset + min(limit.bytes - counts.bytes, stepsLeft))
  }
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
  ///
  /// Within the direct range it is written here: of 98 instructions of an edit, 26. Price: that code in every caller.
  @inlinable
  @inline(__always)
  mutating func record<Delta: _UndoDelta>(_ delta: consuming Delta, ownedBytes: Int, offset: Int) {
    let words = _UndoHeader.wordCount(of: Delta.self)
    guard MemoryLayout<Delta>.alignment <= 8, words <= _UndoHeader.maximumWords else {
      return recordBoxed(delta, offset: offset)
    }
    let directEnd = Delta.ownsMemory ? fastPath.directEndIfOwning : fastPath.directEnd
    guard isLikely(position.offset &+ words &* 8 <= directEnd), let operation = knownIndex(of: Delta.self) else {
      if Delta.isWord { return recordWord(delta.word, at: offset) }
      return recordSlowly(delta, ownedBytes: ownedBytes, offset: offset)
    }
    defer { _checkInvariants() }
    write(delta, operation: operation, words: words, ownedBytes: ownedBytes, offset: offset)
    position.link = _UndoLink(words: words, flags: _UndoHeader.whole)
    counts.undo &+= 1
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
    if !(Delta.retainsMemory && countsRetainedBytes) { fastPath.recentTag = _UnsafeUndoTypeTag(type) }
    return true
  }

  @usableFromInline
  func isType(_ type: ObjectIdentifier, of operation: _UndoOperationIndex) -> Bool {
    fastPath.operations[operation].isFound(by: type)
  }
}

// MARK: - Stepping

/// Steps that undo and redo take without a call, where one follows another of its kind.
///
/// The type of the document tells what their deltas are made of. A step of an element takes 62 instructions, where a
/// call took 87. Price: the code in every caller, and a call after all for a step of another kind.
@usableFromInline
protocol _UndoInlineStep {
  /// What the headers of such steps have in common.
  static func pattern(in log: borrowing _UndoLog) -> _UndoHeaderPattern

  /// Exchanges the payload of such a record, which has this argument, with the document.
  static func exchange(_ payload: _UnsafeUndoPointer, _ offset: Int, _ document: _UnsafeUndoPointer)
}

/// Steps that replaced a number of eight bytes in the document itself.
@usableFromInline
enum _UndoInlineWord: _UndoInlineStep {
  @inlinable
  @inline(__always)
  static func pattern(in log: borrowing _UndoLog) -> _UndoHeaderPattern {
    _UndoHeaderPattern(words: 2, operation: .word)
  }

  @inlinable
  @inline(__always)
  static func exchange(_ payload: _UnsafeUndoPointer, _ offset: Int, _ document: _UnsafeUndoPointer) {
    unsafe payload.exchangeWord(with: document, at: offset)
  }
}

/// Steps that replaced an element of the document, which is a collection.
@usableFromInline
enum _UndoInlineElement<Elements: MutableCollection>: _UndoInlineStep where Elements.Index == Int {
  @usableFromInline
  typealias Delta = _UndoElementReplacement<Elements>

  @inlinable
  @inline(__always)
  static func pattern(in log: borrowing _UndoLog) -> _UndoHeaderPattern {
    _UndoHeaderPattern(words: _UndoHeader.wordCount(of: Delta.self), operation: log.fastPath.elementOperation)
  }

  @inlinable
  @inline(__always)
  static func exchange(_ payload: _UnsafeUndoPointer, _ offset: Int, _ document: _UnsafeUndoPointer) {
    let index = unsafe payload[as: Delta.self].anchor.index
    unsafe swap(&document[as: Elements.self][index], &payload[as: Delta.self].other)
  }
}

extension _UndoLog {
  /// Takes the document one step back, if there is one.
  @inlinable
  @inline(__always)
  mutating func undo<Step: _UndoInlineStep>(
    _ document: _UnsafeUndoPointer, inlining step: Step.Type
  ) -> _UndoReport? {
    let pattern = Step.pattern(in: self)
    let start = position.offset &- pattern.link.bytes
    guard isLikely(position.link == pattern.link), isLikely(start >= fastPath.directStart),
      unsafe isLikely(position.currentChunk.header(at: start).matches(pattern))
    else {
      guard counts.undo > 0 else {
        missStep()
        return nil
      }
      return _UndoReport(undoStep(document), latest.stepReport)
    }
    let header = unsafe position.currentChunk.header(at: start)
    position.offset = start
    counts.undo &-= 1
    unsafe Step.exchange(position.currentChunk.payload(at: start), header.argument, document)
    _checkInvariants()
    return _UndoReport(edit(header, at: start))
  }

  /// Takes the document one step forward, if there is one.
  @inlinable
  @inline(__always)
  mutating func redo<Step: _UndoInlineStep>(
    _ document: _UnsafeUndoPointer, inlining step: Step.Type
  ) -> _UndoReport? {
    let pattern = Step.pattern(in: self)
    let (start, used) = (position.offset, position.currentChunk.used)
    guard isLikely(start < used), isLikely(!fastPath.carriesValues),
      unsafe isLikely(position.currentChunk.header(at: start).matches(pattern))
    else {
      guard redoCount > 0 else {
        missStep()
        return nil
      }
      return _UndoReport(redoStep(document), latest.stepReport)
    }
    let header = unsafe position.currentChunk.header(at: start)
    moveForward(to: start &+ pattern.link.bytes, of: used)
    unsafe Step.exchange(position.currentChunk.payload(at: start), header.argument, document)
    _checkInvariants()
    return _UndoReport(edit(header, at: start))
  }

  /// Ends the step that is open, where there is no other one to take.
  @usableFromInline
  mutating func missStep() {
    if hasExtras, extras[0].hasOpenStep() { settle() }
  }

  /// How many steps can be redone.
  ///
  /// Counted only when it is asked for: that spares a step 7 instructions. Price: a subtraction, and `counts.steps`,
  /// which only a closed log has.
  @inlinable
  package var redoCount: Int {
    get { isOpen ? 0 : counts.steps &- counts.undo }
    set { counts.steps = counts.undo &+ newValue }
  }

  /// What the record that was exchanged last did to the document.
  ///
  /// Only reads, without a call: nothing is left of it where the result is not used. That spares a step 26
  /// instructions. Price: the effects, and that the first word of some deltas has a meaning (`_UndoEffect`).
  @inlinable
  @inline(__always)
  func edit(_ header: _UndoHeader, at offset: Int) -> UndoEdit {
    switch fastPath.operations.effect(header.operation) {
    case .part, .dynamic: latest.reportedEdit
    case .value(let size): UndoEdit(.value, start: header.argument, size: size)
    case .member(let size): UndoEdit(.member, start: header.argument, size: size)
    case .element(let size):
      unsafe position.currentChunk.payload(at: offset)[as: _UndoElementPath.self].edit(size: size)
    }
  }
}

// MARK: - Transactions

extension _UndoLog {
  /// Opens a transaction: until it is ended or rolled back, everything recorded is one step.
  ///
  /// Only the outermost transaction's label counts. Without a label it is a few stores. Price: `needsSlowEnd`,
  /// by which its end knows that it may be as short; to ask for a label and detached steps would take one instruction
  /// more.
  @inlinable
  @inline(__always)
  @discardableResult
  package mutating func beginTransaction(_ label: String?) -> Mark {
    if isLikely(transaction.depth == 0) {
      (transaction.couldJoin, transaction.isCompared) = (coalescing.canJoin, false)
      position.link = _UndoLink(words: position.link.words, flags: _UndoHeader.first)
      if let label { setLabel(label) }
    }
    coalescing.canJoin = false
    transaction.depth &+= 1
    (fastPath.directEnd, fastPath.directEndIfOwning) = (0, 0)
    return Mark(chunkIndex: position.chunkIndex, offset: position.offset, link: position.link)
  }

  /// Ends the innermost transaction and keeps what it recorded.
  @inlinable
  @inline(__always)
  package mutating func endTransaction() {
    guard isLikely(transaction.depth == 1), isLikely(!transaction.needsSlowEnd),
      isLikely(position.link.flags == _UndoHeader.inner)
    else {
      return endSlowly()
    }
    defer { _checkInvariants() }
    coalescing.canJoin = false
    transaction.depth = 0
    updateDirectRange()
    endStep()
  }
}

// MARK: - Branches

// Which way a branch goes nearly always, so that the compiler lays that way out without jumps; of these an undo has
// more than of anything else. Spares one instruction of a field and of its step, and takes two more of `items[i].name`:
// the jumps are the point. Price: the standard library's own functions for this are public, but underscored. They are
// used here only, and do nothing but hint: with internal checks the tests run without them.

@inlinable
@inline(__always)
func isLikely(_ condition: Bool) -> Bool {
  #if InternalChecks
    condition
  #else
    _fastPath(condition)
  #endif
}

@inlinable
@inline(__always)
func isUnlikely(_ condition: Bool) -> Bool {
  #if InternalChecks
    condition
  #else
    _slowPath(condition)
  #endif
}
