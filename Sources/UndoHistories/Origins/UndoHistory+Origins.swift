extension UndoHistory {
  /// The cursor at the document, for edits that have an origin.
  ///
  /// ```swift
  /// struct Note { var title = "", lines: [String] = [] }
  ///
  /// var history = UndoHistory(initialValue: Note())
  /// history[as: "agent"].lines.append("Milk")
  /// history.edit.title = "Shopping"
  /// history.undo(by: "agent")
  /// print(history.title, history.lines)  // Shopping []
  /// ```
  ///
  /// It is ``edit`` in all else. Typing joins what the same origin typed last, and nothing of another one. An edit with
  /// an origin ends a step that is open (``beginStep(_:)``): what another one does is no part of a gesture.
  ///
  /// - Complexity: O(1), and O(*n*) in the number of origins that the history has had.
  @inlinable
  public subscript(as origin: UndoOrigin) -> Editor {
    _read { yield edit }
    _modify {
      ensureUnique()
      storage.access.withLog { $0.enter(origin) }
      defer { storage.access.withLog { $0.enter(nil) } }
      yield &edit
    }
  }

  /// Makes every edit within the closure one step that has an origin; when the closure throws, everything is as it was.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: ["b", "a"])
  /// history.transaction("Sort", as: "agent") { $0.sort() }
  /// print(history.steps.first?.origin ?? "")  // agent
  /// ```
  @inlinable
  @discardableResult
  public mutating func transaction<Result, Failure: Error>(
    _ label: String? = nil, as origin: UndoOrigin, _ body: (inout Editor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    ensureUnique()
    storage.access.withLog { $0.enter(origin) }
    defer { storage.access.withLog { $0.enter(nil) } }
    return try transaction(label, body)
  }

  /// What became of undoing a step that need not be the latest one.
  public enum Answer: Hashable, Sendable {
    /// It was done, by a step that has been added.
    case undone(Change)
    /// Nothing was done: these steps have to go first, the newest one before the others.
    ///
    /// Among them may be absorbed edits (``UndoHistory/absorb(saved:_:)``), which cannot be undone before they are
    /// steps.
    case blocked(by: [UndoStepID])
    /// There is no such step, or nothing of it to undo.
    case nothing
  }

  /// Takes the newest step of an origin back, wherever it lies, and leaves what came later as it is.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: "")
  /// history[as: "agent"].append("Milk\n")
  /// history.edit.append("Eggs\n")
  /// history.undo(by: "agent")
  /// print(history.currentItem)  // Eggs
  /// history.undo()              // the agent's milk is there again
  /// history.undo()              // the eggs are not
  /// ```
  ///
  /// It is done by a new step, which has a label, the same origin and a link (``Steps/Element/undoneStep``). So
  /// ``undo()`` takes it back like any other, and ``redo(by:)`` brings the step again. The next call goes on with the
  /// step before. What could be redone goes, as with every edit.
  ///
  /// All of a step is taken back or nothing of it. Where a later edit changed the same value or text, or lies within
  /// what is to go, that is no guess: the answer names the steps that have to go first.
  ///
  /// - Parameter origin: Nil for the steps that have none.
  /// - Complexity: O(*n*) in the number of later edits. Steps that are taken back one by one cost that each; otherwise
  ///   each of the later steps that was taken back itself may cost O(*n*) once more.
  @discardableResult
  public mutating func undo(by origin: UndoOrigin?) -> Answer { takeBackNewest(of: origin, .undoing) }

  /// Redoes the step of an origin that was undone last, and keeps later steps.
  ///
  /// - Parameter origin: Nil for the steps that have none.
  /// - Returns: ``Answer/nothing`` also if the origin has made a step since.
  /// - Complexity: As that of ``undo(by:)``.
  @discardableResult
  public mutating func redo(by origin: UndoOrigin?) -> Answer { takeBackNewest(of: origin, .redoing) }

  /// Undoes one step, wherever it lies, and keeps later steps.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: [1, 2, 3])
  /// history.transaction("Remove", as: "agent") { $0.remove(at: 0) }
  /// history.edit.append(4)
  /// if let step = history.steps.first?.id {
  ///   history.undo(step: step)
  /// }
  /// print(history.currentItem)  // [1, 2, 3, 4]
  /// ```
  ///
  /// Undoing a step that undid another one redoes that one.
  ///
  /// - Parameter step: The identity of the step, which ``steps`` contain once an origin was used.
  /// - Returns: ``Answer/nothing`` if the step was undone already, or can't be undone.
  /// - Complexity: As that of ``undo(by:)``.
  @discardableResult
  public mutating func undo(step: UndoStepID) -> Answer {
    takeBack { $0.newestStep(ofChainOf: step) }
  }

  private mutating func takeBackNewest(of origin: UndoOrigin?, _ effect: _UndoLog.Effect) -> Answer {
    if origin == nil, undoCount > 0, storage.access.log.origins == nil {
      ensureUnique()
      storage.access.log.useOrigins()
    }
    return takeBack { $0.newestStep(of: origin, effect) }
  }

  private mutating func takeBack(_ find: (inout _UndoLog) -> Int?) -> Answer {
    guard storage.access.log.origins != nil else { return .nothing }
    ensureUnique()
    let access = storage.access
    access.log.settle()
    guard let state = find(&access.log) else { return .nothing }
    switch access.log.takeBack(stepTo: state, access.documentPointer) {
    case .blocked(let steps): return .blocked(by: steps.map { UndoStepID(rawValue: $0) })
    case .done(let edits, let label):
      return .undone(Change(_UndoReport(edits[0], _UndoReport.Details(label: label, edits: edits))))
    }
  }
}
