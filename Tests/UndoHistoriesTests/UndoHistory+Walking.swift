import UndoHistories

extension UndoHistory {
  /// The document after an undo.
  mutating func undone() -> Value {
    undo()
    return currentItem
  }

  /// The document after a redo.
  mutating func redone() -> Value {
    redo()
    return currentItem
  }

  /// The document when nothing is left to undo.
  mutating func allUndone() -> Value {
    while undo() != nil {}
    return currentItem
  }

  /// The document when nothing is left to redo.
  mutating func allRedone() -> Value {
    while redo() != nil {}
    return currentItem
  }
}
