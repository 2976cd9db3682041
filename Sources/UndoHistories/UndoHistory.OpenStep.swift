extension UndoHistory {
  /// A step that is open: what to end it or cancel it with.
  public struct OpenStep: Identifiable, Hashable, Sendable {
    /// The identity of one open step, different from that of every other.
    public struct ID: Hashable, Sendable {
      @usableFromInline
      let identity: _UndoStepIdentity

      @inlinable
      init(identity: _UndoStepIdentity) { self.identity = identity }

      /// Whether both are of one step.
      public static func == (a: ID, b: ID) -> Bool { a.identity === b.identity }

      /// Feeds the identity into a hasher.
      public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(identity)) }
    }

    /// Which step it is.
    public let id: ID

    @inlinable
    init(id: ID) { self.id = id }
  }

  /// Opens a step, into which every edit goes until it is ended: one gesture over many events.
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
  /// Events may come whenever they do, and anything may be awaited in between. A leaf that is assigned again and again
  /// is kept once, as it was before the step: the hundred moves above take two records. Typing in an open step joins
  /// however long it rests.
  ///
  /// The step can be undone as soon as it has an edit (``canUndo``). An undo, a redo, ``go(to:onStep:)->()``, a save,
  /// and another open step end it first. So does an archive, in its copy. A step without edits is open again where undo
  /// and redo lead back to where it began. What could be redone goes when the step ends.
  ///
  /// - Parameter label: The step's label. Transactions within the step add none.
  /// - Returns: What to give to ``endStep(_:)`` or ``cancelStep(_:)``.
  /// - Complexity: O(1), where no other step is open.
  @inlinable
  public mutating func beginStep(_ label: String? = nil) -> OpenStep {
    ensureUnique()
    let identity = _UndoStepIdentity()
    storage.access.log.beginStep(label, identity)
    return OpenStep(id: OpenStep.ID(identity: identity))
  }

  /// Ends an open step: the next edit begins another one.
  ///
  /// Without edits it is no step. Nor is it with a few that leave the document as it was, as a number that was dragged
  /// away and back, and what could be redone before it can be redone again. Of more than 16, where values are carried
  /// (``carry(_:)``), where it cannot be seen from what is kept of them, and where the step ends in another way, it is
  /// one that changes nothing.
  ///
  /// - Returns: Whether the step was open. If not, nothing changes.
  /// - Complexity: O(1), and as what could be redone, which goes. Up to 16 edits are compared with the document.
  @inlinable
  @discardableResult
  public mutating func endStep(_ step: OpenStep) -> Bool {
    ensureUnique()
    guard storage.access.log.isStepOpen(step.id.identity) else { return false }
    storage.access.log.endOpenStep(storage.access.documentPointer)
    return true
  }

  /// Ends an open step, which stays one if its edits leave the document as it was: somebody else knows of it already.
  package mutating func endStepAsItIs(_ step: OpenStep) {
    ensureUnique()
    if storage.access.log.isStepOpen(step.id.identity) { storage.access.log.settle() }
  }

  /// Takes an open step back as if it had never been: what could be redone before it can be redone again.
  ///
  /// What a limit has dropped for the step's sake stays dropped. A carried value that was assigned before the step's
  /// first edit is no part of it, and stays.
  ///
  /// - Returns: Whether the step was open. If not, nothing changes.
  /// - Complexity: As the step's edits.
  @discardableResult
  public mutating func cancelStep(_ step: OpenStep) -> Bool {
    ensureUnique()
    guard storage.access.log.isStepOpen(step.id.identity) else { return false }
    storage.access.log.cancelOpenStep(storage.access.documentPointer)
    return true
  }
}
