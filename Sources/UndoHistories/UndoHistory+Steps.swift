extension UndoHistory {
  /// Takes the latest step back.
  ///
  /// - Returns: What changed, or nil if there was nothing to undo.
  /// - Complexity: As the step's edits.
  @inlinable
  @inline(__always)
  @discardableResult
  public mutating func undo() -> Change? { step(.back, inlining: _UndoInlineWord.self) }

  /// Takes the step that was undone last again.
  ///
  /// - Returns: What changed, or nil if there was nothing to redo.
  /// - Complexity: As the step's edits.
  @inlinable
  @inline(__always)
  @discardableResult
  public mutating func redo() -> Change? { step(.forward, inlining: _UndoInlineWord.self) }

  @usableFromInline
  enum Direction { case back, forward }

  /// Takes one step, if there is one.
  @inlinable
  @inline(__always)
  mutating func step<Step: _UndoInlineStep>(_ direction: Direction, inlining step: Step.Type) -> Change? {
    if isUnlikely(!isKnownUniquelyReferenced(&storage)) { separate(before: direction) }
    let document = storage.access.documentPointer
    let report = storage.access.withLog { log in
      direction == .back ? log.undo(document, inlining: step) : log.redo(document, inlining: step)
    }
    return report.map { Change($0) }
  }

  /// Shares nothing with copies any more, where a step in that direction changes anything.
  @inlinable
  @inline(never)
  mutating func separate(before direction: Direction) {
    let isStep = direction == .back ? canUndo : canRedo
    if isStep || storage.access.log.hasExtras { separate() }
  }

  /// Undoes or redoes steps until so many can be undone.
  ///
  /// Position 0 is the oldest state that is remembered, `steps.count` the newest, and ``undoCount`` where the document
  /// is.
  ///
  /// - Parameters:
  ///   - position: From 0 to `steps.count`; anything else traps.
  ///   - onStep: Called after each step with what it changed.
  /// - Complexity: As the edits of the steps in between.
  public mutating func go(to position: Int, onStep: (Change) -> Void = { _ in }) {
    checkPosition(position)
    if storage.access.log.hasOpenStep { settle() }
    // Not by how many steps can be undone: what was absorbed may hide some.
    let target = storage.access.log.counts.dropped + position
    while storage.access.log.state > target, let change = undo() { onStep(change) }
    while storage.access.log.state < target, let change = redo() { onStep(change) }
  }

  /// Ends the step that is open, and lets nothing join the latest one.
  @usableFromInline
  mutating func settle() {
    ensureUnique()
    storage.access.log.settle()
  }

  func checkPosition(_ position: Int) {
    guard position >= 0, position <= undoCount + redoCount else {
      fatalError("Position out of range: the history has fewer steps")
    }
  }

  /// Whether there is a step to undo.
  @inlinable
  public var canUndo: Bool { undoCount > 0 }

  /// Whether there is a step to redo.
  @inlinable
  public var canRedo: Bool { redoCount > 0 }

  /// The number of steps that can be undone.
  @inlinable
  public var undoCount: Int { storage.access.log.counts.undo }

  /// How many of the oldest steps cannot be undone any more, since a limit has dropped them or something hides them.
  package var droppedCount: Int { storage.access.log.counts.dropped }

  /// Whether the latest change may have been an edit that is part of an older step.
  package var mayHaveJoined: Bool { storage.access.log.mayHaveJoined }

  /// What an edit makes another that joins the latest step: of a text, or when it was.
  package var latestEdit: (text: _UndoTextNumbers?, time: Int64?) {
    (storage.access.log.latestText, storage.access.log.extras.first?.joinable?.time)
  }

  /// How many edits were ever absorbed.
  package var absorbedCount: Int { storage.access.log.counts.absorbed }

  /// The number of steps that can be redone.
  @inlinable
  public var redoCount: Int { storage.access.log.redoCount }

  /// The label of the step that `undo()` would take back; nil if there is none or it has no label.
  public var undoLabel: String? { storage.access.log.undoLabel }

  /// The label of the step that `redo()` would take; nil if there is none or it has no label.
  public var redoLabel: String? { storage.access.log.redoLabel }

  /// Forgets every step, and with them what could be redone.
  ///
  /// The document stays as it is.
  ///
  /// Whether the history is at its saved point stays as well; if it is not, it cannot get there any more.
  public mutating func removeAllSteps() {
    ensureUnique()
    storage.access.log.removeAllSteps()
  }

  /// Keeps the next edit from joining the step before it.
  ///
  /// Typing that adjoins becomes one step (``coalescing``); call this where a new one should begin, as after a pause.
  public mutating func endCoalescing() {
    guard storage.access.log.coalescing.canJoin || storage.access.log.canJoinValues else { return }
    ensureUnique()
    storage.access.log.endCoalescing()
  }

  /// Which edits join without a transaction; typing by default.
  ///
  /// A step of typing has no label, and what a transaction does joins nothing. To begin a save ends the step as well:
  /// with an autosave that does, the steps are as long as the typing between two of its saves.
  public var coalescing: UndoCoalescing {
    get { storage.access.log.coalescingRule }
    set {
      ensureUnique()
      storage.access.log.setCoalescing(newValue)
    }
  }

  /// How much the history may remember; unlimited by default.
  ///
  /// The limit is kept at once, and whenever something is recorded, by forgetting the oldest steps that could be
  /// undone. The newest step always stays. An undo forgets nothing: where it takes a large insertion back, the history
  /// holds that until the next edit, in excess of the limit. So it does with what comes to a step at its end: the label
  /// of an open step, and what is carried.
  public var limit: UndoLimit {
    get { storage.access.log.limitOfUser }
    set {
      ensureUnique()
      storage.access.log.setLimit(newValue)
    }
  }

  /// How many bytes the steps take: every record, and the text and elements that the records own.
  ///
  /// Under a limit of bytes it is also what the records keep alive besides: the buffers of arrays, dictionaries, sets
  /// and `Data`, at any depth, each in full whether others have it too or not. Arrays count exactly. Of texts, sets,
  /// dictionaries and other collections the size of the buffer is an estimate that errs upwards. What cannot be seen is
  /// not counted: objects, what closures have captured, what a type hides behind a mirror of its own, and what lies
  /// behind a slice in its buffer. Without such a limit none of this is counted, since that takes time.
  ///
  /// Absorbed edits (``absorb(saved:_:)``) that lie above steps count in the same way, whatever the limit is.
  ///
  /// Besides, the log has two partly used chunks at most: of 64 KB each, or of a sixteenth of a limit of bytes.
  public var byteCount: Int { storage.access.log.counts.bytes + storage.access.log.absorbedBytes }
}

// Overloads for a document that is a collection, hidden from the documentation: there a step that replaced an element
// is taken without a call (`_UndoInlineElement`).
extension UndoHistory where Value: MutableCollection, Value.Index == Int {
  /// Takes the latest step back.
  @_documentation(visibility: internal)
  @inlinable
  @inline(__always)
  @discardableResult
  public mutating func undo() -> Change? { step(.back, inlining: _UndoInlineElement<Value>.self) }

  /// Takes the step that was undone last again.
  @_documentation(visibility: internal)
  @inlinable
  @inline(__always)
  @discardableResult
  public mutating func redo() -> Change? { step(.forward, inlining: _UndoInlineElement<Value>.self) }
}
