import Sameness

extension Dirtyable {
  /// A save in flight: the value to write, and the identity to answer with.
  ///
  /// Copies may travel, in the action of a reducer or to another task; the first to be answered counts. Where only the
  /// identity was kept, ``Dirtyable/savesInFlight`` has the save.
  public struct Save: Identifiable {
    /// The identity of one save, different from that of every other.
    public struct ID: RawRepresentable, Hashable, Sendable, Codable {
      /// 64 random bits.
      public let rawValue: UInt64

      /// Takes an identity up again that was written down as its bits.
      public init(rawValue: UInt64) {
        self.rawValue = rawValue
      }
    }

    /// What to answer with.
    public let id: ID

    /// What to write: the value as it was when the save was begun.
    ///
    /// In ``Dirtyable/savesInFlight`` it is what the original will be.
    ///
    /// - Complexity: O(1). Copies of a save share it.
    public var value: Value { snapshot.value }

    var snapshot: _Snapshot<Value>

    init(id: ID, snapshot: _Snapshot<Value>) {
      self.id = id
      self.snapshot = snapshot
    }
  }
}

// A snapshot is immutable; unchecked only as its superclass knows no Value to ask.
extension Dirtyable.Save: @unchecked Sendable where Value: Sendable {}

extension Dirtyable.Save: Equatable where Value: Equatable {
  /// Whether both are one save, of equal values.
  public static func == (left: Self, right: Self) -> Bool {
    left.id == right.id && _areEqualOrSame(left.value, right.value)
  }
}

extension Dirtyable.Save: Hashable where Value: Hashable {
  /// Feeds the identity and the value.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(value)
  }
}

extension Dirtyable.Save: CustomStringConvertible {
  /// The value to write.
  public var description: String { "Save(\(value))" }
}

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
  /// More than one save may be in flight. Each is answered once, by ``finishSave(_:)`` or ``failSave(_:)``; finishing
  /// one settles those begun before it, as the store has something newer.
  ///
  /// - Returns: The value to write, under an identity to answer with.
  /// - Complexity: O(*n*) in the number of saves in flight, and one copy of the value if it was written since the last.
  public mutating func beginSave() -> Save {
    var generator = SystemRandomNumberGenerator()
    return beginSave(using: &generator)
  }

  /// Begins a save of the current value under an identity of your own.
  ///
  /// For a reducer, which takes identities from its dependencies so that tests can repeat them. An identity should
  /// never be used twice, or a late answer to an older save is taken for one to this save.
  ///
  /// - Precondition: No save in flight has this identity.
  /// - Complexity: As that of ``beginSave()``.
  public mutating func beginSave(id: Save.ID) -> Save {
    var snapshots = _snapshots
    let save = snapshots.begin(_current, id: id)
    _setSnapshots(snapshots)
    return save
  }

  /// Begins a save of the current value, under an identity drawn from `generator`.
  package mutating func beginSave(using generator: inout some RandomNumberGenerator) -> Save {
    beginSave(id: Save.ID(rawValue: generator.next()))
  }

  /// Makes the value of a save that succeeded the original.
  ///
  /// Edits made since it was begun stay as they are: dirty. Where the original moved since, by a `rebase`, it is the
  /// new original with the edits of the save on top. A store that keeps something else than it was given is answered
  /// for by `finishSave(_:stored:_:)`.
  ///
  /// A save that is not in flight is refused, and nothing changes: one answered before, one begun before another that
  /// was finished, one from before a ``commit()``.
  ///
  /// - Returns: Whether the save was in flight.
  /// - Complexity: O(*n*) in the number of saves in flight.
  @discardableResult
  public mutating func finishSave(_ save: Save) -> Bool {
    _answerSave { $0.finish(save.id) }
  }

  /// Gives a save up that failed: all it was to save is dirty as before.
  ///
  /// A save that is not in flight is refused, and nothing changes.
  ///
  /// - Returns: Whether the save was in flight.
  /// - Complexity: O(*n*) in the number of saves in flight.
  @discardableResult
  public mutating func failSave(_ save: Save) -> Bool {
    _answerSave { $0.fail(save.id) }
  }

  private mutating func _answerSave(_ answer: (inout _Snapshots<Value>) -> Bool) -> Bool {
    guard isSaving else { return false }
    var snapshots = _snapshots
    guard answer(&snapshots) else { return false }
    _setSnapshots(snapshots)
    return true
  }

  /// The saves begun and not answered yet, oldest first.
  ///
  /// The value of each is what the original will be where it succeeds: what was to be written, moved along since by a
  /// `rebase` or a ``commit(_:)``.
  ///
  /// - Complexity: O(1).
  public var savesInFlight: [Save] { _baseline.savesInFlight?.saves ?? [] }

  /// Whether a save was begun and not answered yet.
  ///
  /// - Complexity: O(1).
  public var isSaving: Bool { _baseline.savesInFlight != nil }

  /// Whether the value differs from what the newest save in flight is to write, or from the original where none is; or
  /// was written since, where its type cannot be compared.
  ///
  /// What an autosave asks before it begins a save: `isDirty` stays true until the save has succeeded. For code that
  /// knows nothing of `Value`: whether it is `Equatable` is asked as the program runs.
  ///
  /// - Complexity: That of `isDirty`.
  @_documentation(visibility: internal)
  public var needsSave: Bool {
    guard let savesInFlight = _baseline.savesInFlight else { return isDirty }
    return (_baseline.isEdited || savesInFlight.current !== savesInFlight.newest)
      && _isUneditedIfKnown(_current, savesInFlight.newest.value) != true
  }
}

extension Dirtyable where Value: Equatable {
  /// Whether the value differs from what the newest save in flight is to write, or from the original where none is.
  ///
  /// What an autosave asks before it begins a save: `isDirty` stays true until the save has succeeded.
  ///
  /// - Complexity: That of comparing the two.
  public var needsSave: Bool {
    guard let savesInFlight = _baseline.savesInFlight else { return isDirty }
    return (_baseline.isEdited || savesInFlight.current !== savesInFlight.newest)
      && !_isUnedited(_current, savesInFlight.newest.value)
  }
}

extension Dirtyable where Value: Equatable {
  /// Makes what the store answered the original, after a save that succeeded.
  ///
  /// For a store that changes what it is given, or adds to it:
  ///
  /// ```swift
  /// struct Note: Equatable { var text = "", version = 0 }
  ///
  /// var note = Dirtyable(Note())
  /// note.text = "one"
  /// let save = note.beginSave()
  /// note.text = "two"  // an edit made meanwhile
  /// note.finishSave(save, stored: Note(text: "One", version: 1), \.text, \.version)
  /// note.original      // Note(text: "One", version: 1)
  /// note.current       // Note(text: "two", version: 1)
  /// ```
  ///
  /// Of the members listed, those that were edited since the save was begun stay as they are: dirty. All others take
  /// what was stored. Members not listed are treated as one more. So without any listed member the current value stays
  /// as a whole if it was edited since, and is `stored` if it was not. Later saves in flight follow as in
  /// ``rebase(onto:_:)``.
  ///
  /// Answers and originals that were pushed count in the order in which they are told. A store that wrote the whole
  /// value over what was pushed meanwhile is answered for with `stored: save.value`.
  ///
  /// A save that is not in flight is refused, and nothing changes: see ``finishSave(_:)``.
  ///
  /// - Returns: Nil if the save was not in flight, or else the members in conflict: edited since, and not stored as
  ///   they were sent. Their base is what was sent, with what was pushed meanwhile.
  /// - Complexity: That of comparing and copying the value a fixed number of times for each save in flight.
  @discardableResult
  public mutating func finishSave<each Member: Equatable & SendableMetatype>(
    _ save: Save, stored: Value, _ fields: repeat any WritableKeyPath<Value, each Member> & Sendable
  ) -> Conflicts? {
    finishSave(save, stored: stored, merging: Fields(repeat each fields))
  }

  /// Makes what the store answered the original, after a save that succeeded, merging the members that `fields` lists.
  ///
  /// See ``finishSave(_:stored:_:)``; a list made once costs nothing to make, and may merge arrays by the identity of
  /// their elements.
  ///
  /// - Returns: Nil if the save was not in flight, or else the members in conflict.
  /// - Complexity: That of ``finishSave(_:stored:_:)``; O(*n*) comparisons for an array merged by its elements.
  @discardableResult
  public mutating func finishSave(_ save: Save, stored: Value, merging fields: Fields) -> Conflicts? {
    guard isSaving else { return nil }
    var snapshots = _snapshots
    guard snapshots.finish(save.id) else { return nil }
    return _rebase(snapshots, onto: stored, merging: fields)
  }
}
