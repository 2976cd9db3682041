extension UndoHistory {
  /// Remembers the document's state as the saved one.
  ///
  /// Saves in flight are out of date by that: an answer to one of them is refused. Later typing begins a new step.
  public mutating func markSaved() {
    guard !isAtSavedPoint || storage.access.log.coalescing.canJoin || storage.access.log.hasExtras || isSaving
    else { return }
    ensureUnique()
    storage.access.log.markSaved()
  }

  /// Whether the document is in its saved state: that of `markSaved()`, of the save that was finished last, or that in
  /// which the history was created.
  ///
  /// Undoing and redoing lead away from the saved point and back to it. A new edit after undoing, or a limit, can drop
  /// the step that leads there. Then the point is out of reach, and the answer stays false until the next save. Edits
  /// never join a step that ends at the saved point.
  public var isAtSavedPoint: Bool { storage.access.log.saves.saved.exact == storage.access.log.state }

  /// Begins a save of the document as it is, and goes on taking edits meanwhile.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: "")
  /// history.edit.append("Buy milk")
  /// let save = history.beginSave()  // write history.currentItem to the store, however long that takes
  /// history.edit.append(" and flour")
  /// history.finishSave(save)
  /// history.isAtSavedPoint          // false: the flour is not saved yet
  /// history.undo()
  /// history.isAtSavedPoint          // true
  /// ```
  ///
  /// Later typing begins a new step, so that undo can lead to what is saved: begin a save when the typing rests, not
  /// with each key.
  ///
  /// More than one save may be in flight. Each is answered once, by ``finishSave(_:)`` or ``failSave(_:)``; finishing
  /// one settles those begun before it, as the store has something newer. The save keeps no copy of the document: take
  /// what is to be written now, for the price of the next edit's copy of what they share.
  ///
  /// - Returns: The identity to answer with.
  /// - Complexity: O(*n*) in the number of saves in flight.
  public mutating func beginSave() -> Save {
    var generator = SystemRandomNumberGenerator()
    return beginSave(using: &generator)
  }

  /// Begins a save of the document as it is, under an identity drawn from `generator`.
  ///
  /// For tests that compare whole states: a seeded generator makes the identities repeatable.
  ///
  /// - Precondition: No save in flight has the identity that is drawn.
  /// - Complexity: As that of ``beginSave()``.
  package mutating func beginSave(using generator: inout some RandomNumberGenerator) -> Save {
    ensureUnique()
    let save = Save(id: Save.ID(rawValue: generator.next()))
    storage.access.log.beginSave(save.id.rawValue)
    return save
  }

  /// Makes the state in which the document was when this save was begun the saved one.
  ///
  /// Steps taken or undone since stay as they are. Where the history cannot get back to that state any more, it is at
  /// its saved point only after the next save.
  ///
  /// A save that is not in flight is refused, and nothing changes: one answered before, one begun before another that
  /// was finished, one from before a ``markSaved()``.
  ///
  /// - Returns: Whether the save was in flight.
  /// - Complexity: O(*n*) in the number of saves in flight.
  @discardableResult
  public mutating func finishSave(_ save: Save) -> Bool {
    answerSave(save.id) { $0.finish($1) }
  }

  /// Gives a save up that failed: the saved point stays where it was.
  ///
  /// A save that is not in flight is refused, and nothing changes.
  ///
  /// - Returns: Whether the save was in flight.
  /// - Complexity: O(*n*) in the number of saves in flight.
  @discardableResult
  public mutating func failSave(_ save: Save) -> Bool {
    answerSave(save.id) { $0.fail($1) }
  }

  private mutating func answerSave(_ id: Save.ID, _ answer: (inout _UndoSaves, UInt64) -> Bool) -> Bool {
    guard storage.access.log.saves.contains(id.rawValue) else { return false }
    ensureUnique()
    return storage.access.log.answerSave(id.rawValue, answer)
  }

  /// The saves begun and not answered yet, oldest first.
  ///
  /// - Complexity: O(*n*) in their number.
  public var savesInFlight: [Save] { storage.access.log.saves.saves.map { Save(id: Save.ID(rawValue: $0.id)) } }

  /// Whether a save was begun and not answered yet.
  ///
  /// - Complexity: O(1).
  public var isSaving: Bool { !storage.access.log.saves.saves.isEmpty }

  /// Whether the document is in another state than the one that the newest save in flight is to write, or than the
  /// saved one where none is.
  ///
  /// What an autosave asks before it begins a save: ``isAtSavedPoint`` stays false until the save has succeeded.
  ///
  /// - Complexity: O(1).
  public var needsSave: Bool { storage.access.log.saves.newest != storage.access.log.state }
}
