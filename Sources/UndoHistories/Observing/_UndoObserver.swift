/// What is lent to a log for one call, and writes down what happens in it while the document is in that very state.
///
/// It stands in the extras. So a log that is observed is never plainly open, and every record, joined text and step
/// goes the long way (`_UndoExtras`), which asks for an observer. A log without one asks for nothing.
@usableFromInline
package class _UndoObserver {
  /// The messages, which lie in memory of their own: a stored `var` of a class would cost each edit a dynamic check of
  /// exclusivity.
  private final let memory: _UnsafeUndoPointer

  final var messages: _UndoMessages {
    @inline(__always)
    _read { yield unsafe memory[as: _UndoMessages.self] }
    @inline(__always)
    _modify { yield unsafe &memory[as: _UndoMessages.self] }
  }

  init(_ coding: UndoPieceCoding) {
    memory = .allocate(holding: _UndoMessages(_UndoWriter(coding)))
  }

  deinit { unsafe memory.deallocate(as: _UndoMessages.self) }

  /// Writes the patch of an edit, and returns it where it replaces text by text.
  func write(
    _ edit: _UndoEdit, of document: _UnsafeUndoPointer, to writer: inout _UndoWriter
  ) throws -> _UndoAnyPatch? {
    preconditionFailure("a recorder does this")
  }

  /// Whether a part with a name has all of these bytes.
  func hasName(_ bytes: Range<Int>) -> Bool { preconditionFailure("a recorder does this") }

  /// Extras for a log that has none, which spares each call to make them.
  private final var spare: ContiguousArray<_UndoExtras> = []

  /// Gives the spare extras to a log that has none; false where there are none yet.
  fileprivate final func giveSpare(to extras: inout ContiguousArray<_UndoExtras>) -> Bool {
    swap(&spare, &extras)
    return !extras.isEmpty
  }

  fileprivate final func keepSpare(_ extras: inout ContiguousArray<_UndoExtras>) {
    swap(&spare, &extras)
    extras = []
    spare[0].forget()
  }
}

// MARK: - Where the log asks

extension _UndoLog {
  /// Lends an observer to the log, of which the document lies there.
  @usableFromInline
  mutating func lend(_ observer: _UndoObserver, _ document: _UnsafeUndoPointer) {
    observer.messages.document = document
    guard extras.isEmpty, observer.giveSpare(to: &extras) else { return changeExtras { $0.observer = observer } }
    // The same in short, where nothing else goes along.
    let rule = UndoCoalescing(joinsTyping: coalescing.joinsTyping, timer: coalescing.timer)
    (extras[0].rule, extras[0].observer) = (rule, observer)
    coalescing.watchAll()
    if isOpen { fastPath.directStart = .max - 1 }
    setObserved(true)
    (fastPath.directEnd, fastPath.directEndIfOwning) = (0, 0)
  }

  /// Takes the observer back.
  @usableFromInline
  mutating func takeBack(_ observer: _UndoObserver) {
    observer.messages.wasTakenBack(from: &self)
    extras[0].observer = nil
    guard extras[0].inUse().isEmpty, extras[0].branches.isEmpty else { return changeExtras { _ in } }
    if coalescing.timer == nil { coalescing.watch = .nothing }
    observer.keepSpare(&extras)
    if isOpen { fastPath.directStart = .max }
    setObserved(false)
    updateDirectRange()
  }

  private mutating func setObserved(_ isObserved: Bool) {
    (fastPath.hasExtras, fastPath.isObserved, fastPath.keepsTimes) = (isObserved, isObserved, isObserved)
    fastPath.isWatched = fastPath.isLimited || isObserved
  }

  @inline(never)
  mutating func observe(_ edit: _UndoPendingEdit) {
    let observer = extras[0].observer
    if let observer { observer.messages.observe(edit, in: &self, by: observer) }
  }

  @inline(never)
  mutating func observeJoinedText() {
    let observer = extras[0].observer
    if let observer { observer.messages.observeJoinedText(in: &self, by: observer) }
  }

  mutating func observeCarried(_ values: [_UndoCarriedValues.Value]) {
    let observer = extras[0].observer
    if let observer, transaction.depth == 0 { observer.messages.observe(carried: values, in: &self, by: observer) }
  }

  @inline(never)
  mutating func observeEndOfStep(isTransaction: Bool, _ isAssignment: Bool, _ joins: Bool) {
    let observer = extras[0].observer
    // What joins an open step does so again by itself.
    let joins = joins && extras[0].openStep == nil
    observer?.messages.observeEndOfStep(isTransaction: isTransaction, isAssignment: isAssignment, joins: joins)
  }

  @inline(never)
  mutating func observeEmptyTransaction() { extras[0].observer?.messages.observeEmptyTransaction() }

  @inline(never)
  mutating func observeJoiningTransaction() { extras[0].observer?.messages.observeJoiningTransaction() }

  @inline(never)
  mutating func observeBeginningOfAssignment() {
    extras[0].observer?.messages.observeBeginningOfAssignment(at: transaction.depth)
  }

  @inline(never)
  mutating func observeEndOfAssignment() {
    let observer = extras[0].observer
    if let observer { observer.messages.observeEndOfAssignment(in: &self, by: observer) }
  }

  @inline(never)
  mutating func observeRollBack(to mark: Mark) {
    let observer = extras[0].observer
    observer?.messages.observeRollBack(to: mark, in: &self)
  }

  /// Whether an edit lies within a carried value.
  mutating func isWithinCarried(_ bytes: Range<Int>) -> Bool {
    hasExtras
      && extras[0].carried.values.contains {
        $0.bytes.lowerBound <= bytes.lowerBound && bytes.upperBound <= $0.bytes.upperBound
      }
  }

  /// Whether assignments may join.
  var joinsValues: Bool { hasExtras && extras[0].rule.valueTimer != nil }
}
