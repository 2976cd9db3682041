// As the methods of the history.
extension UndoHistory.Observed where Value: Codable {
  @discardableResult
  package mutating func absorb<Result, Failure: Error>(
    saved: Bool = false, _ body: (inout UndoHistory.Editor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    settleOpenStep()
    useOrigins()
    return try history.absorb(saved: saved, readBy: recorder, body)
  }

  package mutating func absorb(_ newValue: Value, saved: Bool = false) {
    settleOpenStep()
    useOrigins()
    history.absorb(newValue, saved: saved, readBy: recorder)
  }

  @discardableResult
  package mutating func adopt() -> Bool {
    let isAdopted = history.adopt()
    if isAdopted { recorder.messages.write(.adopt) }
    // The limit may have dropped a step for it.
    recorder.synchronize(with: history)
    return isAdopted
  }

  private mutating func settleOpenStep() {
    guard history.storage.access.log.hasOpenStep else { return }
    history.settle()
    recorder.messages.write(.settle)
  }

  private mutating func useOrigins() {
    history.ensureUnique()
    guard history.storage.access.log.origins == nil else { return }
    history.storage.access.log.useOrigins()
    recorder.messages.write(.identities)
    recorder.messages.writer.write(history.storage.access.log.origins?.nextID ?? 0)
  }
}
