// Undo and redo, and walking to a position, with a closure that is called after each edit (`UndoLiveEdit`), for views.
// The step itself is taken edit by edit in `Log/_UndoLog+Stepping`.

extension UndoHistory {
  /// Undoes the latest step, and calls a closure after each of its edits.
  ///
  /// A view that repeats the changes shows the document without reading all of it again:
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: "Hello")
  /// history.edit.append(", world")
  ///
  /// var view = Array("Hello, world".utf16)
  /// history.undo { edit in
  ///   if let change = edit.text {
  ///     view.replaceSubrange(change.utf16Range, with: change.replacement.utf16)
  ///   }
  /// }
  /// print(String(decoding: view, as: UTF16.self))  // Hello
  /// ```
  ///
  /// `onEdit` can't use the history, which is being changed during the call. It can read the document from
  /// ``UndoLiveEdit/currentItem``.
  ///
  /// - Parameter onEdit: Called after each edit, in the order in which they are made.
  /// - Returns: The change, or nil if the history had no step to undo.
  /// - Complexity: That of the step's edits, and of what `onEdit` asks for.
  @discardableResult
  public mutating func undo(onEdit: (borrowing UndoLiveEdit<Value>) -> Void) -> Change? {
    follow(.back, onEdit)
  }

  /// Redoes the step that was undone last, and calls a closure after each of its edits.
  ///
  /// - Parameter onEdit: Called after each edit, in the order in which they are made. It cannot use the history.
  /// - Returns: The change, or nil if the history had no step to redo.
  /// - Complexity: That of the step's edits, and of what `onEdit` asks for.
  @discardableResult
  public mutating func redo(onEdit: (borrowing UndoLiveEdit<Value>) -> Void) -> Change? {
    follow(.forward, onEdit)
  }

  /// Undoes or redoes steps until the document is in a state, and calls a closure after each edit.
  mutating func walk(toState target: Int, onEdit: (borrowing UndoLiveEdit<Value>) -> Void) {
    if storage.access.log.hasOpenStep { settle() }
    while storage.access.log.state > target, undo(onEdit: onEdit) != nil {}
    while storage.access.log.state < target, redo(onEdit: onEdit) != nil {}
  }

  private mutating func follow(_ direction: Direction, _ onEdit: (borrowing UndoLiveEdit<Value>) -> Void) -> Change? {
    guard direction == .back ? canUndo : canRedo else {
      if storage.access.log.hasOpenStep { settle() }
      return nil
    }
    ensureUnique()
    let document = storage.access.documentPointer
    return follow(direction) { (log: inout _UndoLog) in
      // Nothing else changes the log during the call, so the live edit can undo its edit and make it again.
      unsafe withUnsafeMutablePointer(to: &log) { log in
        let edit = UndoLiveEdit<Value>(document, unsafe _UnsafeUndoPointer(UnsafeMutableRawPointer(log)))
        onEdit(edit)
        edit.giveBack()
      }
    }
  }

  /// Takes a step, and calls a closure with the log after each edit, while the document is as that edit left it.
  ///
  /// - Precondition: There is such a step.
  package func follow(_ direction: Direction, _ visit: (inout _UndoLog) -> Void) -> Change {
    let access = storage.access
    let first = access.withLog { log in
      log.stepRecordByRecord(isBack: direction == .back, access.documentPointer, visit)
    }
    return Change(first, access.log.stepDetails)
  }
}
