package import UndoHistories

extension UndoHistory {
  /// Whether a step was begun and not ended, and is open where the history is now.
  package var isStepOpen: Bool { storage.access.log.isStepOpen }

  /// Whether one was begun and not ended, be it open or not.
  package var hasOpenStep: Bool { storage.access.log.hasOpenStep }

  /// Whether nobody else has this history.
  package var isUnique: Bool { mutating get { isKnownUniquelyReferenced(&storage) } }
}

extension UndoHistory where Value: Codable {
  /// Whether an archive has more than the document: steps, branches, what is carried, or identities.
  package var hasMoreThanItsDocument: Bool {
    canUndo || canRedo || storage.access.hasOrigins || storage.access.log.carriesValues || branches == .kept
  }

  /// Changes the history, and lets a recorder read off behind that what was done.
  ///
  /// - Complexity: That of the changes, and as much as what they put in.
  package mutating func observed<Result, Failure: Error>(
    by recorder: UndoRecorder<Value>, _ body: (inout UndoHistory) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if recorder.isUnmarked { recorder.mark(&self) }
    defer { recorder.read(&self) }
    return try body(&self)
  }
}
