package import UndoHistories

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

extension UndoHistory where Value: Codable {
  /// The same as `absorb(saved:_:)` where a recorder reads what is absorbed before that meets the steps.
  fileprivate mutating func absorb<Result, Failure: Error>(
    saved: Bool, readBy recorder: _UndoAnyRecorder, _ body: (inout Editor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    ensureUnique()
    let access = storage.access
    access.withLog { recorder.beginReading(&$0, access.documentPointer) }
    var own = access.withLog { $0.beginAbsorbing(_UndoLog(for: Value.self)) }
    defer { access.withLog { recorder.endAbsorbing(&own, in: &$0, isSaved: saved, access.documentPointer) } }
    var editor = Editor(access, _UndoRoot(), offset: 0)
    return try editor.transaction(nil, asItIs: true, body)
  }

  fileprivate mutating func absorb(_ newValue: Value, saved: Bool, readBy recorder: _UndoAnyRecorder) {
    ensureUnique()
    let access = storage.access
    access.withLog { recorder.beginReading(&$0, access.documentPointer) }
    // Messages do not say what an edit without a name was recorded as, on which depends what commutes with it.
    var own = assignAside(newValue, isSplit: false)
    access.withLog { recorder.endAbsorbing(&own, in: &$0, isSaved: saved, access.documentPointer) }
  }
}
