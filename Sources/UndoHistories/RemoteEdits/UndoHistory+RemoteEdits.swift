// Remote edits as a client applies them: changes of the document by others that record no step; and finding and
// recording the remote edit that blocks undo. Also assigns a document while its differences go to a separate log.
// `_UndoLog+RemoteEdits` moves remote edits between steps.

extension UndoHistory {
  /// Applies remote edits, such as changes that a server pushes, without recording a step.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: ["Flour"])
  /// history.edit.append("Milk")
  /// history.applyRemote { $0.insert("From the server", at: 0) }
  /// history.undo()
  /// print(history.currentItem)  // ["From the server", "Flour"]
  /// history.redo()              // ["From the server", "Flour", "Milk"]
  /// ```
  ///
  /// Undo and redo skip remote edits, as if the remote edits had been made before the steps. Typing continues to join
  /// the latest step. An open step (``beginStep(_:id:)``) ends.
  ///
  /// If a remote edit conflicts with the next step to undo, undo can't skip the remote edit. Then ``canUndo`` is false,
  /// ``blockingRemoteEdit`` names the remote edit, and ``recordRemoteEdit()`` records it as a step that can be undone.
  /// Redo steps are discarded from the first one that conflicts.
  ///
  /// The history doesn't keep a remote edit that conflicts with no step, so it can't restore what the edit replaced. If
  /// the user should be able to undo the edit, record it as a step with ``transaction(_:as:_:)``.
  ///
  /// A restored value (``restoreOnUndo(_:)``) that the closure assigns isn't part of the remote edit. Undo and redo
  /// restore it as they did before. Carets and selections can move with the edit (``restoreOnUndo(_:in:unit:)``).
  ///
  /// By default, the history assumes that the store doesn't have the edit. Then the saved point is the document without
  /// the edit, and undo can't return to it.
  ///
  /// - Parameters:
  ///   - saved: Whether the store already has the edit. Then the edit belongs to the saved point as well.
  ///   - body: Makes the edits. If it throws, they are rolled back.
  /// - Complexity: That of the edits, O(1) for each step that is undone or typed after them, and O(*n*) for *n* redo
  ///   steps.
  @discardableResult
  public mutating func applyRemote<Result, Failure: Error>(
    saved: Bool = false, _ body: (inout Editor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    ensureUnique()
    let access = storage.access
    var own = access.withLog { $0.beginRemoteEdit(_UndoLog(for: Value.self)) }
    // Edits that were rolled back don't change the saved point.
    var isSaved = true
    defer { access.withLog { $0.endRemoteEdit(&own, isSaved: isSaved) } }
    var editor = Editor(access, UndoDocumentPlace(), offset: 0)
    let result = try editor.transaction(nil, asItIs: true, body)
    isSaved = saved
    return result
  }

  /// Assigns the document without recording a step, and treats the differences as remote edits.
  ///
  /// ```swift
  /// struct Note { var title = "", body = "" }
  ///
  /// var history = UndoHistory(initialValue: Note())
  /// history.edit.title = "Shopping"
  /// history.applyRemote(Note(title: "Shopping", body: "Milk"))
  /// history.undo()
  /// print(history.title, history.body)  //  Milk
  /// ```
  ///
  /// - Parameters:
  ///   - newValue: The new document.
  ///   - saved: Whether the store already has the new value.
  /// - Complexity: O(*n*) in the size of the document, and that of applying the differences.
  public mutating func applyRemote(_ newValue: Value, saved: Bool = false) {
    ensureUnique()
    // A recorder can't describe how the edit of a value without a name was split, but conflicts depend on that.
    var own = assignAside(newValue, isSplit: !storage.access.log.isRead)
    storage.access.withLog { $0.endRemoteEdit(&own, isSaved: saved) }
  }

  /// Assigns the document, and records the differences in a separate log.
  ///
  /// - Parameter isSplit: Whether each stored property that differs gets a record of its own.
  /// - Returns: The history's log, which the caller has to put back (`endRemoteEdit`, `endRebasing`).
  package mutating func assignAside(_ newValue: Value, isSplit: Bool = true) -> _UndoLog {
    let access = storage.access
    let own = access.withLog { $0.beginRemoteEdit(_UndoLog(for: Value.self)) }
    access.log.transaction.isSplit = isSplit
    let old = access.document
    var newValue = newValue
    assignRestored(to: &newValue, storage.access.log.restoredProperties.filter { $0.space != nil })
    access.document = newValue
    access.log.beginTransaction(nil)
    storage.compare(Editor(access, UndoDocumentPlace(), offset: 0), old)
    access.log.endTransaction()
    return own
  }

  /// The remote edit that blocks the next undo, or nil if there is none.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: 0)
  /// history.edit.set(1)
  /// history.applyRemote { $0.set(2) }
  /// print(history.canUndo, history.blockingRemoteEdit != nil)  // false true
  /// history.recordRemoteEdit()
  /// history.undo()
  /// print(history.currentItem)  // 1
  /// ```
  ///
  /// - Complexity: O(1).
  public var blockingRemoteEdit: UndoStepID? { storage.access.log.blockingEditID.map { UndoStepID(rawValue: $0) } }

  /// Records the remote edit that blocks undo as the latest step, so that it can be undone.
  ///
  /// The edit keeps its identity. The redo steps are discarded, as with every edit.
  ///
  /// - Returns: Whether there was such an edit (``blockingRemoteEdit``).
  /// - Complexity: That of recording its edits.
  @discardableResult
  public mutating func recordRemoteEdit() -> Bool {
    guard storage.access.log.blockingEditID != nil else { return false }
    changeLog { $0.recordBlockingEdit() }
    return true
  }
}
