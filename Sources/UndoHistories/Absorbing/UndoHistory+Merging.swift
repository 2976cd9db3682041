extension UndoHistory {
  /// The merge of two values that were made from one base, or nil if their changes conflict.
  ///
  /// Differences are found place by place: lines of a text, elements by their identities, and properties. If both
  /// values changed the same place, the changes conflict.
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
