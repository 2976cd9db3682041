public import UndoHistories

extension UndoHistory where Value: Codable {
  /// Whether a step was begun and not ended, and is open where the history is now.
  package var isStepOpen: Bool { storage.access.log.isStepOpen }

  /// Whether one was begun and not ended, be it open or not.
  package var hasOpenStep: Bool { storage.access.log.hasOpenStep }

  /// Whether an archive has more than the document: steps, branches, what is carried, or identities.
  package var hasMoreThanItsDocument: Bool {
    canUndo || canRedo || storage.access.hasOrigins || storage.access.log.carriesValues || branches == .kept
  }

  /// Changes the history while a recorder writes down what happens.
  ///
  /// What each single change did is read off the history behind it, which knows of no recorder.
  ///
  /// - Complexity: That of the changes, and O(1) for each, with what an edit put in.
  @inlinable
  package mutating func observed<Result, Failure: Error>(
    by recorder: UndoRecorder<Value>, _ body: (inout Observed) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var observed = Observed(consume self, recorder)
    do throws(Failure) {
      let result = try body(&observed)
      observed.synchronizeBranches()
      self = observed.history
      return result
    } catch {
      observed.synchronizeBranches()
      self = observed.history
      throw error
    }
  }

  /// A history for changing, of which each change is written down.
  @frozen
  @usableFromInline
  package struct Observed: ~Copyable {
    /// The history, which cannot be changed but by the methods here.
    @usableFromInline
    package internal(set) var history: UndoHistory
    @usableFromInline
    let recorder: UndoRecorder<Value>

    @usableFromInline
    init(_ history: consuming UndoHistory, _ recorder: UndoRecorder<Value>) {
      history.ensureUnique()
      recorder.synchronize(with: history)
      self.history = history
      self.recorder = recorder
    }

    /// A call begins that edits.
    @usableFromInline
    mutating func beginReading() {
      history.ensureUnique()
      let document = history.storage.access.documentPointer
      history.storage.access.withLog { recorder.beginReading(&$0, document) }
    }

    /// It ended.
    @usableFromInline
    mutating func endReading() {
      let document = history.storage.access.documentPointer
      history.storage.access.withLog { recorder.endReading(&$0, document) }
    }
  }
}

// As the methods of the history.
extension UndoHistory.Observed where Value: Codable {
  // MARK: Edits

  @inlinable
  package var edit: UndoHistory.Editor {
    _read { yield history.edit }
    _modify {
      beginReading()
      defer { endReading() }
      yield &history.edit
    }
  }

  package var currentItem: Value {
    _read { yield history.storage.access.document }
    _modify {
      beginReading()
      defer { endReading() }
      yield &history.currentItem
    }
  }

  @inlinable
  package mutating func transaction<Result, Failure: Error>(
    _ label: String? = nil, _ body: (inout UndoHistory.Editor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    beginReading()
    defer { endReading() }
    return try history.transaction(label, body)
  }

  @inlinable
  @inline(never)
  package mutating func joiningTransaction<Result, Failure: Error>(
    _ body: (inout UndoHistory.Editor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    beginReading()
    defer { endReading() }
    return try history.joiningTransaction(body)
  }

  // MARK: Stepping

  @discardableResult
  package mutating func undo() -> UndoHistory.Change? {
    step(.undo) { $0.undo() }
  }

  @discardableResult
  package mutating func redo() -> UndoHistory.Change? {
    step(.redo) { $0.redo() }
  }

  private mutating func step(
    _ kind: _UndoMessageKind, _ body: (inout UndoHistory) -> UndoHistory.Change?
  ) -> UndoHistory.Change? {
    let endsStep = history.storage.access.log.hasOpenStep
    let change = body(&history)
    if change != nil || endsStep { recorder.messages.write(kind) }
    return change
  }

  @discardableResult
  package mutating func go(to position: UndoPosition, onStep: (UndoHistory.Change) -> Void = { _ in }) -> Bool {
    if position == .savedPoint, history.storage.access.log.hidesBranch { settle() }
    if position == .savedPoint, history.storage.access.log.savedPlace != nil { return goToSavedBranch(onStep: onStep) }
    let (endsStep, old) = (history.storage.access.log.hasOpenStep, history.storage.access.log.state)
    let isReached = history.go(to: position, onStep: onStep)
    // What was absorbed may stop it on the way, and hide steps from then on: so it counts those as well.
    let log = history.storage.access.log
    if endsStep && !log.hasOpenStep || log.state != old { recorder.messages.write(.go, log.state - log.oldestState) }
    return isReached
  }

  // MARK: Steps

  package mutating func beginStep(_ label: String? = nil) -> UndoHistory.OpenStep {
    recorder.messages.write(.beginStep, .beginLabelledStep, label)
    return history.beginStep(label)
  }

  @discardableResult
  package mutating func endStep(_ step: UndoHistory.OpenStep) -> Bool {
    history.ensureUnique()
    let access = history.storage.access
    guard access.log.isStepOpen(step.id.identity) else { return false }
    if access.log.endOpenStep(access.documentPointer) {
      recorder.messages.writeCancelled(step.id.identity)
    } else {
      recorder.messages.write(.settle)
    }
    return true
  }

  @discardableResult
  package mutating func cancelStep(_ step: UndoHistory.OpenStep) -> Bool {
    let isOpen = history.cancelStep(step)
    if isOpen { recorder.messages.writeCancelled(step.id.identity) }
    return isOpen
  }

  /// Lets nothing more go into the latest step, nor into one that is open.
  package mutating func settle() {
    history.settle()
    recorder.messages.write(.settle)
  }

  // MARK: Saving

  package mutating func markSaved() {
    history.markSaved()
    recorder.messages.write(.settle)
    recorder.messages.writeSaved(history.storage.access.log)
  }

  package mutating func beginSave() -> UndoHistory.Save {
    let log = history.storage.access.log
    let settles = log.hasOpenStep || log.carriesValues
    if settles { recorder.messages.write(.settle) }
    return history.beginSave()
  }

  @discardableResult
  package mutating func finishSave(_ save: UndoHistory.Save) -> Bool {
    let isInFlight = history.finishSave(save)
    if isInFlight { recorder.messages.writeSaved(history.storage.access.log) }
    return isInFlight
  }

  @discardableResult
  package mutating func failSave(_ save: UndoHistory.Save) -> Bool { history.failSave(save) }
}
