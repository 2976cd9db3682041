// Edits with an origin, such as a person or an agent: the cursor for them, and undo and redo of the newest step of an
// origin, or of any given step. A transaction with an origin is in `UndoHistory`. `_UndoLog+UndoingSteps` records the
// step that undoes another one.

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
  /// In all other respects it works like ``edit``. Typing joins only the latest typing of the same origin. An edit with
  /// an origin ends an open step (``beginStep(_:id:)``), because that step groups the user's own edits.
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

  /// The result of undoing a step that need not be the latest one.
  public enum Answer: Hashable, Sendable {
    /// The step was undone, by a new step.
    case undone(Change)
    /// Nothing was undone, because these steps have to be undone first, starting with the newest.
    ///
    /// They may include remote edits (``UndoHistory/applyRemote(saved:_:)``), which can't be undone until they are
    /// recorded as steps.
    case blocked(by: [UndoStepID])
    /// The history has no step that the call could undo or redo.
    case nothing
  }

  /// Undoes the newest step of an origin, wherever it lies, and keeps later steps.
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
  /// This records a new step, which has a label, the same origin and a link to the step that it undid
  /// (``Steps/Element/undoneStep``). You can undo the new step with ``undo()`` like any other, or redo the original one
  /// with ``redo(by:)``. The next call undoes the origin's step before that. The redo steps are discarded, as with
  /// every edit.
  ///
  /// Either the whole step is undone or nothing of it. If a later edit changed the same value or text, or changed
  /// something that would be removed, the answer names the steps that have to be undone first.
  ///
  /// - Parameter origin: The origin, or nil for the steps without one.
  /// - Complexity: O(*n*) in the number of later edits, for each step that is undone in a row. Otherwise, each later
  ///   step that was itself undone may cost O(*n*) once more.
  @discardableResult
  public mutating func undo(by origin: UndoOrigin?) -> Answer { rollBackNewest(of: origin, isUndoing: false) }

  /// Redoes the step of an origin that was undone last, and keeps later steps.
  ///
  /// - Parameter origin: The origin, or nil for the steps without one.
  /// - Returns: ``Answer/nothing`` also if the origin has made a step since.
  /// - Complexity: That of ``undo(by:)``.
  @discardableResult
  public mutating func redo(by origin: UndoOrigin?) -> Answer { rollBackNewest(of: origin, isUndoing: true) }

  /// Undoes one step, wherever it lies, and keeps later steps.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: [1, 2, 3])
  /// history.transaction("Remove", as: "agent") { $0.remove(at: 0) }
  /// history.edit.append(4)
  /// if let step = history.steps.first?.stepID {
  ///   history.undo(step: step)
  /// }
  /// print(history.currentItem)  // [1, 2, 3, 4]
  /// ```
  ///
  /// Undoing a step that undid another one redoes that one.
  ///
  /// - Parameter step: The identity of the step. Elements of ``steps`` have one once an origin was used.
  /// - Returns: ``Answer/nothing`` if the step was undone already, or isn't in the history.
  /// - Complexity: That of ``undo(by:)``.
  @discardableResult
  public mutating func undo(step: UndoStepID) -> Answer {
    rollBack { $0.extras[0].newestStep(ofChainOf: step, $0.records) }
  }

  /// Undoes the newest step of an origin: one that undoes another, or one that doesn't.
  private mutating func rollBackNewest(of origin: UndoOrigin?, isUndoing: Bool) -> Answer {
    // Without origins, no step undoes another.
    if origin == nil, !isUndoing, undoCount > 0, storage.access.log.origins == nil { changeLog { $0.useOrigins() } }
    return rollBack { $0.extras[0].newestStep(of: origin, isUndoing: isUndoing, $0.records) }
  }

  private mutating func rollBack(_ find: (inout _UndoLog) -> Int?) -> Answer {
    guard storage.access.log.origins != nil else { return .nothing }
    ensureUnique()
    let access = storage.access
    access.log.settle()
    guard let state = find(&access.log) else { return .nothing }
    // No record says which step the new one undoes.
    access.log.unread?.loseTrack()
    let (details, obstacles) = access.log.rollBack(stepTo: state, access.documentPointer)
    guard case .several(_, let edits)? = details else {
      return .blocked(by: obstacles.map { UndoStepID(rawValue: $0) })
    }
    return .undone(Change(edits[0], details))
  }
}
