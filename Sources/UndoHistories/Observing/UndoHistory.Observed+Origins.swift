// As the methods of the history.
extension UndoHistory.Observed where Value: Codable {
  package subscript(as origin: UndoOrigin) -> UndoHistory.Editor {
    mutating _read {
      enter(origin)
      lend()
      defer {
        takeBack()
        leave()
      }
      let editor = UndoHistory.Editor(history.storage.access, _UndoRoot(), offset: 0)
      yield editor
    }
  }

  package mutating func transaction<Result, Failure: Error>(
    _ label: String? = nil, as origin: UndoOrigin, _ body: (borrowing UndoHistory.Editor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    enter(origin)
    lend()
    defer {
      takeBack()
      leave()
    }
    return try history.transaction(label, body)
  }

  @discardableResult
  package mutating func undo(by origin: UndoOrigin?) -> UndoHistory.Answer { takeBackStep { $0.undo(by: origin) } }

  @discardableResult
  package mutating func redo(by origin: UndoOrigin?) -> UndoHistory.Answer { takeBackStep { $0.redo(by: origin) } }

  @discardableResult
  package mutating func undo(step: UndoStepID) -> UndoHistory.Answer { takeBackStep { $0.undo(step: step) } }

  private mutating func takeBackStep(
    _ body: (inout UndoHistory) -> UndoHistory.Answer
  ) -> UndoHistory.Answer {
    useOrigins()
    // What is assigned next is no step's, also where nothing is undone.
    if history.storage.access.log.hasOpenStep || history.storage.access.log.carriesValues { settle() }
    lend()
    let answer = body(&history)
    let log = history.storage.access.log
    // Before what limits have dropped for it, which may be the step that it takes back.
    if case .undone = answer, let target = log.identity(ofStep: log.state)?.target {
      recorder.messages.write(.takesBack)
      recorder.messages.writer.write(target.rawValue)
    }
    takeBack()
    return answer
  }

  // MARK: Absorbing

  @discardableResult
  package mutating func absorb<Result, Failure: Error>(
    saved: Bool = false, _ body: (borrowing UndoHistory.Editor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    useOrigins()
    settleOpenStep()
    lend()
    defer { takeBack() }
    return try history.absorb(saved: saved, body)
  }

  package mutating func absorb(_ newValue: Value, saved: Bool = false) {
    useOrigins()
    settleOpenStep()
    lend()
    defer { takeBack() }
    history.absorb(newValue, saved: saved)
  }

  @discardableResult
  package mutating func adopt() -> Bool {
    let isAdopted = history.adopt()
    guard isAdopted else { return false }
    recorder.messages.write(.adopt)
    // The limit may have dropped a step for it.
    lend()
    takeBack()
    return true
  }

  // MARK: Origins

  private mutating func settleOpenStep() {
    guard history.storage.access.log.hasOpenStep else { return }
    history.settle()
    recorder.messages.write(.settle)
  }

  private mutating func enter(_ origin: UndoOrigin) {
    useOrigins()
    recorder.messages.write(.origin)
    recorder.messages.writer.write(origin.rawValue)
    history.storage.access.log.enter(origin)
  }

  private mutating func leave() {
    recorder.messages.write(.noOrigin)
    history.storage.access.log.enter(nil)
  }

  private mutating func useOrigins() {
    history.ensureUnique()
    guard history.storage.access.log.origins == nil else { return }
    history.storage.access.log.useOrigins()
    recorder.messages.write(.identities)
    recorder.messages.writer.write(history.storage.access.log.origins?.nextID ?? 0)
  }
}
