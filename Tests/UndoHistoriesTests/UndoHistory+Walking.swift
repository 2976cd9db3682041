import UndoHistories

extension UndoHistory {
  /// Undoes a step and returns the document.
  mutating func undone() -> Value {
    undo()
    return currentItem
  }

  /// Redoes a step and returns the document.
  mutating func redone() -> Value {
    redo()
    return currentItem
  }

  /// Undoes all steps and returns the document.
  mutating func allUndone() -> Value {
    while undo() != nil {}
    return currentItem
  }

  /// Redoes all steps and returns the document.
  mutating func allRedone() -> Value {
    while redo() != nil {}
    return currentItem
  }
}
