// Undo and redo by one step, the numbers and labels of the steps, removing all steps, and the rules by which steps are
// kept: coalescing, the limit and the bytes that count.
//
// Undo and redo with a closure for each edit are in `Following/UndoHistory+Following`, and those of an origin in
// `Origins/UndoHistory+Origins`. To go further than one step, see `UndoHistory+Positions`. The list of steps is in
// `Steps/UndoHistory.Steps`.

extension UndoHistory {
  /// Undoes the latest step.
  ///
  /// - Returns: What changed, or nil if there was nothing to undo.
  /// - Complexity: That of the step's edits.
  @inlinable
  @inline(__always)
  @discardableResult
  public mutating func undo() -> Change? { step(.back, inlining: _UndoInlineWord.self) }

  /// Redoes the step that was undone last.
  ///
  /// - Returns: What changed, or nil if there was nothing to redo.
  /// - Complexity: That of the step's edits.
  @inlinable
  @inline(__always)
  @discardableResult
  public mutating func redo() -> Change? { step(.forward, inlining: _UndoInlineWord.self) }

  @usableFromInline
  package enum Direction { case back, forward }

  /// Undoes or redoes one step, if there is one.
  @inlinable
  @inline(__always)
  mutating func step<Step: _UndoInlineStep>(_ direction: Direction, inlining step: Step.Type) -> Change? {
    if isUnlikely(!isKnownUniquelyReferenced(&storage)) { separate(before: direction) }
    let document = storage.access.documentPointer
    let change = storage.access.withLog { log in
      direction == .back ? log.undo(document, inlining: step) : log.redo(document, inlining: step)
    }
    return change.map { Change($0.first, $0.details) }
  }

  /// Copies the storage that copies of the history share, if a step in that direction would change anything.
  @usableFromInline
  mutating func separate(before direction: Direction) {
    let isStep = direction == .back ? canUndo : canRedo
    if isStep || storage.access.log.hasExtras { separate() }
  }

  /// Ends the open step, and keeps later edits from joining the latest step.
  package mutating func settle() { changeLog { $0.settle() } }

  /// Whether there is a step to undo.
  @inlinable
  public var canUndo: Bool { undoCount > 0 }

  /// Whether there is a step to redo.
  @inlinable
  public var canRedo: Bool { redoCount > 0 }

  /// The number of steps that can be undone.
  @inlinable
  public var undoCount: Int { storage.access.log.records.counts.undo }

  /// The number of oldest steps that can't be undone any more, because a limit dropped them or a remote edit hides
  /// them.
  package var droppedCount: Int { storage.access.log.records.counts.dropped }

  /// The number of steps that can be redone.
  @inlinable
  public var redoCount: Int { storage.access.log.redoCount }

  /// The label of the step that `undo()` would undo, or nil if there is no step or it has no label.
  public var undoLabel: String? { storage.access.log.undoLabel }

  /// The label of the step that `redo()` would redo, or nil if there is no step or it has no label.
  public var redoLabel: String? { storage.access.log.records.redoLabel }

  /// Removes every step, including the redo steps.
  ///
  /// The document stays as it is. A history at its saved point stays there; otherwise the saved point can't be reached
  /// any more.
  public mutating func removeAllSteps() { changeLog { $0.removeAllSteps() } }

  /// Keeps the next edit from joining the latest step.
  ///
  /// Typing becomes one step (``coalescing``). Call this method when a new step should begin, for example
  /// after a pause.
  public mutating func endCoalescing() {
    if storage.access.log.mayJoin { changeLog { $0.endCoalescing() } }
  }

  /// Which edits join without a transaction; typing by default.
  ///
  /// A step of typing has no label, and edits of a transaction never join a step. Beginning a save also ends the step.
  /// So with an autosave, a step holds the typing between two saves.
  public var coalescing: UndoCoalescing {
    get { storage.access.coalescing }
    set {
      ensureUnique()
      storage.access.coalescing = newValue
    }
  }

  /// The limit on the number and size of the steps; unlimited by default.
  ///
  /// Setting the limit and recording an edit drop the oldest steps that exceed it. The newest step always stays. An
  /// undo drops nothing: if it undoes a large insertion, the history keeps the inserted elements until the next edit,
  /// even beyond the limit. The same is true for the records that are added when a step ends: the label of an open
  /// step, and restored values.
  public var limit: UndoLimit {
    get { storage.access.log.limit }
    set { changeLog { $0.setLimit(newValue) } }
  }

  /// The number of bytes that the steps take: every record, and the text and elements that the records own.
  ///
  /// Under a limit on bytes, the count also includes the buffers of arrays, dictionaries, sets and `Data` that the
  /// records keep alive, at any depth, each in full even if it is shared. Arrays are counted exactly. The buffers of
  /// texts, sets, dictionaries and other collections are estimated, and the estimate errs upwards. Memory that can't be
  /// seen isn't counted: objects, what closures capture, what a type hides behind a custom mirror, and the rest of a
  /// buffer behind a slice. Without such a limit none of this is counted, because counting takes time.
  ///
  /// Remote edits (``applyRemote(saved:_:)``) made after remembered steps count in the same way, whatever the limit is.
  ///
  /// In addition, the log has at most two partly used chunks, each of 64 KB or a sixteenth of the limit on bytes.
  public var byteCount: Int { storage.access.log.byteCount }
}

// Faster overloads for a document that is a collection, hidden from the documentation. They need no call to undo or
// redo a step that replaced an element (`_UndoInlineElement`).
extension UndoHistory where Value: MutableCollection, Value.Index == Int {
  /// Undoes the latest step.
  @_documentation(visibility: internal)
  @inlinable
  @inline(__always)
  @discardableResult
  public mutating func undo() -> Change? { step(.back, inlining: _UndoInlineElement<Value>.self) }

  /// Redoes the step that was undone last.
  @_documentation(visibility: internal)
  @inlinable
  @inline(__always)
  @discardableResult
  public mutating func redo() -> Change? { step(.forward, inlining: _UndoInlineElement<Value>.self) }
}
