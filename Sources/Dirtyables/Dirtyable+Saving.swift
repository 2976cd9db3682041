extension Dirtyable {
  /// Begins a save of the current value, and goes on taking edits meanwhile.
  ///
  /// ```swift
  /// struct Note: Equatable { var text = "" }
  ///
  /// var note = Dirtyable(Note())
  /// note.text = "one"
  /// let save = note.beginSave()  // write save.value to the store, however long that takes
  /// note.text = "two"            // an edit made meanwhile
  /// note.finishSave(save)
  /// note.original.text           // "one": what the store holds
  /// note.isDirty                 // true: "two" is not saved yet
  /// ```
  ///
  /// More than one save may be in flight. Each is answered once, by ``finishSave(_:)`` or ``failSave(_:)``; finishing one
  /// settles those begun before it, as the store has something newer.
  ///
  /// - Returns: the value to write, under an identity to answer with.
  /// - Complexity: O(*n*) in the number of saves in flight, and one copy of the value if it was written since the last.
  public mutating func beginSave() -> Save {
    var generator = SystemRandomNumberGenerator()
    return beginSave(using: &generator)
  }

  /// Begins a save of the current value, under an identity drawn from `generator`.
  ///
  /// For tests that compare whole states: a seeded generator makes the identities repeatable.
  ///
  /// - Precondition: no save in flight has the identity that is drawn.
  /// - Complexity: as that of ``beginSave()``.
  public mutating func beginSave(using generator: inout some RandomNumberGenerator) -> Save {
    var versions = _versions
    let save = versions.begin(_current, id: Save.ID(rawValue: generator.next()))
    _setVersions(versions)
    return save
  }

  /// Makes the value of a save that succeeded the original.
  ///
  /// Edits made since it was begun stay as they are: dirty. Where the original moved since, by a `rebase`, it is the new
  /// original with the edits of the save on top. A store that keeps something else than it was given is answered for by
  /// `finishSave(_:stored:_:)`.
  ///
  /// A save that is not in flight is refused, and nothing changes: one answered before, one begun before another that was
  /// finished, one from before a ``commit()``.
  ///
  /// - Returns: whether the save was in flight.
  /// - Complexity: O(*n*) in the number of saves in flight.
  @discardableResult
  public mutating func finishSave(_ save: Save) -> Bool {
    finishSave(id: save.id)
  }

  /// Makes the value of the save with this identity the original, as ``finishSave(_:)`` does.
  ///
  /// - Returns: whether the save was in flight.
  @discardableResult
  public mutating func finishSave(id: Save.ID) -> Bool {
    _answerSave { $0.finish(id) }
  }

  /// Gives a save up that failed: all it was to save is dirty as before.
  ///
  /// A save that is not in flight is refused, and nothing changes.
  ///
  /// - Returns: whether the save was in flight.
  /// - Complexity: O(*n*) in the number of saves in flight.
  @discardableResult
  public mutating func failSave(_ save: Save) -> Bool {
    failSave(id: save.id)
  }

  /// Gives the save with this identity up, as ``failSave(_:)`` does.
  ///
  /// - Returns: whether the save was in flight.
  @discardableResult
  public mutating func failSave(id: Save.ID) -> Bool {
    _answerSave { $0.fail(id) }
  }

  private mutating func _answerSave(_ answer: (inout _Versions<Value>) -> Bool) -> Bool {
    guard isSaving else { return false }
    var versions = _versions
    guard answer(&versions) else { return false }
    _setVersions(versions)
    return true
  }

  /// The saves begun and not answered yet, oldest first.
  ///
  /// The value of each is what the original will be where it succeeds: what was to be written, moved along since by a
  /// `rebase` or a ``commit(_:)``.
  ///
  /// - Complexity: O(1).
  public var savesInFlight: [Save] { _baseline.flight?.saves ?? [] }

  /// Whether a save was begun and not answered yet.
  ///
  /// - Complexity: O(1).
  public var isSaving: Bool { _baseline.flight != nil }

  /// Whether the value differs from what the newest save in flight is to write, or from the original where none is; or was
  /// written since, where its type cannot be compared.
  ///
  /// What an autosave asks before it begins a save: `isDirty` stays true until the save has succeeded. For code that knows
  /// nothing of `Value`: whether it is `Equatable` is asked as the program runs.
  ///
  /// - Complexity: that of `isDirty`.
  public var needsSave: Bool {
    guard let flight = _baseline.flight else { return isDirty }
    return (_baseline.isEdited || flight.current !== flight.newest) && _areEqual(_current, flight.newest.value) != true
  }
}

extension Dirtyable where Value: Equatable {
  /// Whether the value differs from what the newest save in flight is to write, or from the original where none is.
  ///
  /// What an autosave asks before it begins a save: `isDirty` stays true until the save has succeeded.
  ///
  /// - Complexity: that of comparing the two.
  public var needsSave: Bool {
    guard let flight = _baseline.flight else { return isDirty }
    return (_baseline.isEdited || flight.current !== flight.newest) && _current != flight.newest.value
  }
}
