// Registers positions that undo restores and remote edits move: carets, selections and rows.

extension UndoHistory {
  /// Restores a position in a text or an array on undo and redo, and moves it with remote edits.
  ///
  /// ```swift
  /// struct Note { var text = "Hello", caret = 5 }
  ///
  /// var history = UndoHistory(initialValue: Note())
  /// history.restoreOnUndo(\.caret, in: \.text)
  /// history.edit.text.append(", world")
  /// history.edit.caret = 12
  /// history.applyRemote { $0.text.insert("> ", atUTF8: 0) }
  /// print(history.caret)  // 14
  /// history.undo()
  /// print(history.caret)  // 7
  /// ```
  ///
  /// A position is an `Int` or a `Range<Int>`, and may be optional: a caret or a selection in a text, a row or a range
  /// of rows in an array. In all other respects it is restored as by ``restoreOnUndo(_:)``.
  ///
  /// When others edit the text or the array (``applyRemote(saved:_:)``, ``rebase(onto:)``), the history moves the
  /// document's position, and the positions that undo and redo will restore:
  /// - A caret stays before text that is inserted there. But if it lies at the text that its own step edited, it stays
  ///   at that text. A selection doesn't grow. Inside of a removed range, both move to the start of the range.
  /// - A row that moves stays selected. If the row was removed, an optional position becomes nil. Any other
  ///   position keeps its number, or becomes the last row if that number is too large. Without rows, it becomes 0.
  /// - A number that isn't that of a row stays as it is, and so do negative numbers and `NSNotFound`.
  ///
  /// A position that the closure of ``applyRemote(saved:_:)`` assigns isn't moved. A position in a whole value that
  /// comes from others is ignored. ``undo(by:)``, ``undo(step:)`` and ``replaceDocument(with:label:)`` record a step
  /// that moves the document's position.
  ///
  /// Archives and logs don't say which restored values are positions. So call this method before steps are restored, as
  /// in the `configure` closure of an `EditingSession`. To move the positions of a decoded history, restore the steps
  /// of its archive into a new one.
  ///
  /// - Parameters:
  ///   - keyPath: A stored property without observers. Any other key path traps.
  ///   - container: The text or the array in which the position lies: a stored property of the document, at any depth,
  ///     but not in an element of a collection. Any other key path traps.
  ///   - unit: The unit of a position in a text.
  /// - Returns: Whether the property is restored from now on. Besides the reasons of ``restoreOnUndo(_:)``, it isn't if
  ///   the history already restores it as a value that doesn't move.
  /// - Complexity: That of ``restoreOnUndo(_:)``. Each step takes 32 bytes more. A step that edits the array, or a text
  ///   in UTF-16, also takes the time of undoing and redoing it, and O(*n*) for the text before the position.
  @inlinable
  @discardableResult
  public mutating func restoreOnUndo<Position: UndoMovablePosition, Container: UndoPositionContainer>(
    _ keyPath: WritableKeyPath<Value, Position>, in container: WritableKeyPath<Value, Container>,
    unit: UndoTextUnit = .utf8
  ) -> Bool {
    guard let offset = MemoryLayout<Value>.offset(of: container) else {
      preconditionFailure("A position lies in a text or an array that is a stored property of the document: name one")
    }
    return restore(keyPath, in: _UndoPositionSpace(of: Position.self, in: Container.self, at: offset, unit))
  }
}
