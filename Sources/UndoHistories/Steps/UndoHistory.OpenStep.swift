// The handle of an open step, and the methods that begin, end and cancel one, to group edits of several events.

extension UndoHistory {
  /// A handle for ending or canceling an open step.
  public struct OpenStep: Identifiable, Hashable, Sendable {
    /// The identity of one open step, different from that of every other.
    public struct ID: Hashable, Sendable {
      package let identity: _UndoStepIdentity

      init(identity: _UndoStepIdentity) { self.identity = identity }

      /// Creates an identity from a number, for a reducer that takes identities from its dependencies.
      public init(rawValue: UInt64) { identity = _UndoStepIdentity(rawValue) }

      /// Whether both identify the same step.
      public static func == (a: ID, b: ID) -> Bool { a.identity.isSame(as: b.identity) }

      /// Feeds the identity into a hasher.
      public func hash(into hasher: inout Hasher) {
        if let number = identity.number { hasher.combine(number) } else { hasher.combine(ObjectIdentifier(identity)) }
      }
    }

    /// The identity of the step.
    public let id: ID
  }

  /// Opens a step that every edit joins until the step is ended, such as a gesture over many events.
  ///
  /// ```swift
  /// struct Frame { var x = 0.0, y = 0.0 }
  ///
  /// var history = UndoHistory(initialValue: Frame())
  /// let step = history.beginStep("Move")
  /// for distance in 1...100 {
  ///   history.edit.x = Double(distance)
  ///   history.edit.y = Double(distance) / 2
  /// }
  /// history.endStep(step)
  /// print(history.undoCount, history.undoLabel ?? "")  // 1 Move
  /// ```
  ///
  /// You can await anything between the events. A plain value that is assigned repeatedly is recorded once, as it was
  /// before the step: the hundred moves above take two records. Typing in an open step joins however long it pauses.
  ///
  /// The step can be undone as soon as it has an edit (``canUndo``). An undo, a redo,
  /// ``go(to:onStep:)-(UndoPosition,_)``, a save, and another open step end it first; an archive ends it in its copy. A
  /// step without edits is open again if undo and redo return to where it began. The redo steps are discarded when the
  /// step ends.
  ///
  /// Pass an identity of your own if the step is part of a state that tests compare, as for ``beginSave(id:)``.
  ///
  /// - Parameters:
  ///   - label: The step's label. Transactions within the step add none.
  ///   - id: The identity of the step, which no other step may have; nil for one that differs from all others.
  /// - Returns: The step to pass to ``endStep(_:)`` or ``cancelStep(_:)``.
  /// - Complexity: O(1) if no other step is open.
  public mutating func beginStep(_ label: String? = nil, id: OpenStep.ID? = nil) -> OpenStep {
    ensureUnique()
    let identity = id?.identity ?? _UndoStepIdentity()
    storage.access.log.beginStep(label, identity)
    return OpenStep(id: OpenStep.ID(identity: identity))
  }

  /// Ends an open step, so that the next edit begins another one.
  ///
  /// An open step without edits records no step. Neither does one whose few edits leave the document as it was, for
  /// example a number that was dragged away and back; the redo steps are then kept. Such a step is still recorded if
  /// there are more than 16 edits, if the history restores values (``restoreOnUndo(_:)``), if the history can't prove
  /// that nothing changed, or if the step ends in another way.
  ///
  /// - Returns: Whether the step was open. Otherwise nothing changes.
  /// - Complexity: O(1), plus releasing the redo steps. Up to 16 edits are compared with the document.
  @discardableResult
  public mutating func endStep(_ step: OpenStep) -> Bool { end(step) { $0.endOpenStep($1) } }

  /// Ends an open step, and keeps it even if its edits leave the document as it was, because other objects know of it.
  package mutating func endStepAsItIs(_ step: OpenStep) {
    changeLog { if $0.isStepOpen(step.id.identity) { $0.settle() } }
  }

  /// Rolls an open step back as if it had never begun, so that the earlier redo steps are there again.
  ///
  /// Steps that a limit dropped because of the open step stay dropped. A restored value that was assigned before the
  /// step's first edit isn't part of the step, and stays.
  ///
  /// - Returns: Whether the step was open. Otherwise nothing changes.
  /// - Complexity: As the step's edits.
  @discardableResult
  public mutating func cancelStep(_ step: OpenStep) -> Bool { end(step) { $0.cancelOpenStep($1) } }

  private mutating func end(_ step: OpenStep, by body: (inout _UndoLog, _UnsafeUndoPointer) -> Void) -> Bool {
    ensureUnique()
    guard storage.access.log.isStepOpen(step.id.identity) else { return false }
    body(&storage.access.log, storage.access.documentPointer)
    return true
  }
}
