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
  /// In all other respects it works like ``restoreOnUndo(_:)``.
  @inlinable
  @discardableResult
  public mutating func restoreOnUndo<Position: _UndoMovable, Container: _UndoPositioned>(
    _ keyPath: WritableKeyPath<Value, Position>, in container: WritableKeyPath<Value, Container>,
    unit: UndoTextUnit = .utf8
  ) -> Bool {
    guard let offset = MemoryLayout<Value>.offset(of: container) else {
      preconditionFailure("A position needs a text or an array that is a stored property of the document")
    }
    return restore(keyPath, in: _UndoPositionSpace(of: Position.self, in: Container.self, at: offset, unit))
  }
}
