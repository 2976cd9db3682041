extension UndoHistory {
  /// The value in which two that were made of one come together; nil where their changes do not commute.
  ///
  /// What differs is found place by place: lines of a text, elements by their identities, properties. Where both have
  /// changed one place, nothing says which of the two is meant.
  ///
  /// - Complexity: As comparing each of the two with the base.
  package static func merged(_ mine: Value, _ theirs: Value, base: Value) -> Value? {
    var history = UndoHistory(initialValue: base)
    history.storage.access.log.useOrigins()
    // In parts, as theirs.
    history.storage.access.log.transaction.isSplit = true
    history.currentItem = mine
    guard history.undo() != nil else { return theirs }
    history.absorb(theirs)
    return history.redo() == nil ? nil : history.currentItem
  }
}
