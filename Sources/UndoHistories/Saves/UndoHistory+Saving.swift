// The methods of a history that set the saved point and that begin, finish and fail saves; the list of saves in flight;
// and the answers to `isDirty`, `isSaving` and `needsSave`.

extension UndoHistory {
  /// Remembers the document's state as the saved one.
  ///
  /// This settles the saves in flight, so a later answer to one of them is refused. Later typing begins a new step.
  public mutating func markSaved() {
    guard isDirty || storage.access.log.records.position.canJoin || storage.access.log.hasExtras || isSaving
    else { return }
    changeLog { $0.markSaved() }
  }

  /// Whether the document is in another state than the saved one: that of ``markSaved()``, of the save that was
  /// finished last, or that in which the history was created.
  ///
  /// Undo and redo can leave the saved point and return to it. A new edit after an undo, or a limit, can discard the
  /// step that leads there; then the answer stays true until the next save. Edits never join a step that ends at the
  /// saved point.
  public var isDirty: Bool { storage.access.log.saves.saved.exact != storage.access.log.state }

  /// Begins a save of the current document; you can continue to edit meanwhile.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: "")
  /// history.edit.append("Buy milk")
  /// let save = history.beginSave()  // write history.currentItem to the store, however long that takes
  /// history.edit.append(" and flour")
  /// history.finishSave(save)
  /// history.isDirty                 // true: the flour is not saved yet
  /// history.undo()
  /// history.isDirty                 // false
  /// ```
  ///
  /// Later typing begins a new step, so that undo can return to the saved state. Begin a save when the typing pauses,
  /// not with each key.
  ///
  /// Several saves may be in flight. Answer each of them once, by ``finishSave(_:stored:)`` or ``failSave(_:)``.
  /// Finishing one settles the saves that began earlier, because the store now has something newer. A save keeps no
  /// copy of the document, so read ``currentItem`` now if you write it later; the next edit then copies the storage
  /// that the two share.
  ///
  /// Pass an identity of your own in a reducer that takes identities from its dependencies, so that tests can repeat
  /// them. Never use an identity twice, or a late answer to an older save counts as one to this save.
  ///
  /// - Parameter id: The identity of the save; nil for a random one.
  /// - Returns: The identity to answer with.
  /// - Precondition: No save in flight has this identity.
  /// - Complexity: O(*n*) in the number of saves in flight.
  public mutating func beginSave(id: Save.ID? = nil) -> Save {
    let id = id ?? Save.ID(rawValue: .random(in: 0 ... .max))
    changeLog { $0.beginSave(id.rawValue) }
    return Save(id: id)
  }

  /// Marks the state in which a save began as the saved one.
  ///
  /// Steps that were made or undone since then are unaffected. If the history can't return to that state any more, it
  /// is at its saved point only after the next save.
  ///
  /// If the store changes what it is given, for example by trimming a text or assigning a number, pass the value that
  /// it has now. Then the state in which the save began is rebased onto that value, and the edits made meanwhile are
  /// kept (``rebase(onto:)``):
  ///
  /// ```swift
  /// struct Contact { var name = "", version = 1 }
  ///
  /// var history = UndoHistory(initialValue: Contact())
  /// history.edit.name = "Ada "
  /// let save = history.beginSave()
  /// history.finishSave(save, stored: Contact(name: "Ada", version: 2))
  /// print(history.name, history.version, !history.isDirty)  // Ada 2 true
  /// ```
  ///
  /// A save that isn't in flight is refused, and nothing changes. This happens if the save was answered before, if a
  /// later save was finished, or if ``markSaved()`` was called since.
  ///
  /// - Parameters:
  ///   - save: The save that succeeded.
  ///   - stored: The value that the store has now; nil if the store keeps what it is given.
  /// - Returns: Whether the save was in flight.
  /// - Complexity: O(*n*) in the number of saves in flight, and that of ``rebase(onto:)`` for a stored value.
  @discardableResult
  public mutating func finishSave(_ save: Save, stored: Value? = nil) -> Bool {
    guard endSave(save, isSaved: true) else { return false }
    storage.access.log.unread?.isSavedPointSet = true
    if let stored { rebase(onto: stored) }
    return true
  }

  /// Ends a save that failed; the saved point stays where it was.
  ///
  /// A save that isn't in flight is refused, and nothing changes.
  ///
  /// - Returns: Whether the save was in flight.
  /// - Complexity: O(*n*) in the number of saves in flight.
  @discardableResult
  public mutating func failSave(_ save: Save) -> Bool {
    endSave(save, isSaved: false)
  }

  private mutating func endSave(_ save: Save, isSaved: Bool) -> Bool {
    guard storage.access.log.saves.contains(save.id.rawValue) else { return false }
    changeLog { $0.endSave(save.id.rawValue, isSaved: isSaved) }
    return true
  }

  /// The saves in flight, oldest first.
  ///
  /// - Complexity: O(*n*) in their number.
  public var savesInFlight: [Save] { storage.access.log.saves.saves.map { Save(id: Save.ID(rawValue: $0.id)) } }

  /// Whether a save is in flight.
  ///
  /// - Complexity: O(1).
  public var isSaving: Bool { !storage.access.log.saves.saves.isEmpty }

  /// Whether the document differs from the state that the newest save in flight writes or, without one, from the saved
  /// state.
  ///
  /// An autosave asks this before it begins a save, because ``isDirty`` stays true until the save has succeeded.
  ///
  /// - Complexity: O(1).
  public var needsSave: Bool { storage.access.log.saves.newest != storage.access.log.state }
}
