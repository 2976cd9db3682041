package import UndoHistories

// The properties of a history by which a session decides whether it has to read or archive it.

extension UndoHistory {
  /// Whether a step is open at the current position.
  package var isStepOpen: Bool { storage.access.log.isStepOpen }

  /// Whether a step was begun and not ended, even if undo has left its position.
  package var hasOpenStep: Bool { storage.access.log.hasOpenStep }

  /// Whether no copy shares the storage of this history.
  package var isUnique: Bool { mutating get { isKnownUniquelyReferenced(&storage) } }
}

extension UndoHistory where Value: Codable {
  /// Whether an archive contains more than the document: steps, branches, restored values or identities.
  package var hasMoreThanItsDocument: Bool {
    canUndo || canRedo || storage.access.hasOrigins || storage.access.log.restoresValues || keepsBranches
  }
}
