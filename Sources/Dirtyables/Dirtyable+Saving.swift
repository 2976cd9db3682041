import Sameness

extension Dirtyable {
  /// A save in flight: the value to write, and the identity to answer with.
  ///
  /// Copies may be passed on, in the action of a reducer or to another task; the first answer counts. If you kept only
  /// the identity, find the save in ``Dirtyable/savesInFlight``.
  public struct Save: Identifiable {
    /// The identity of a save, which is different from that of every other.
    public struct ID: RawRepresentable, Hashable, Sendable, Codable {
      /// 64 random bits.
      public let rawValue: UInt64

      /// Restores an identity from its bits.
      public init(rawValue: UInt64) { self.rawValue = rawValue }
    }

    /// The identity to answer with.
    public let id: ID

    /// The value to write, as it was when the save was begun.
    ///
    /// In ``Dirtyable/savesInFlight`` it is the value that the original will have.
    ///
    /// - Complexity: O(1). Copies of a save share it.
    public var value: Value { snapshot.value }

    var snapshot: _Snapshot<Value>
  }
}

// A snapshot is immutable; unchecked only because its superclass doesn't know Value.
extension Dirtyable.Save: @unchecked Sendable where Value: Sendable {}

extension Dirtyable.Save: Equatable where Value: Equatable {
  /// Whether both are the same save, with equal values.
  public static func == (left: Self, right: Self) -> Bool {
    left.id == right.id && _areEqualOrSame(left.value, right.value)
  }
}

extension Dirtyable.Save: Hashable where Value: Hashable {
  /// Feeds the identity and the value to the hasher.
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
  /// Begins a save of the current value, which can be edited meanwhile.
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
  /// Pass an identity of your own in a reducer, which takes identities from its dependencies so that tests can repeat
  /// them. Never use an identity twice, or a late answer to an older save is mistaken for an answer to the newer one.
  ///
  /// Several saves may be in flight. Answer each once, with ``finishSave(_:)`` or ``failSave(_:)``; finishing one
  /// settles those begun before it, because the store has something newer.
  ///
  /// - Parameter id: The identity of the save; nil for a random one.
  /// - Returns: The save, with the value to write and the identity to answer with.
  /// - Precondition: No save in flight has this identity.
  /// - Complexity: O(*n*) in the number of saves in flight, plus one copy of the value if it was written since the last
  ///   save.
  public mutating func beginSave(id: Save.ID? = nil) -> Save {
    var snapshots = _snapshots
    let save = snapshots.begin(_current, id: id ?? Save.ID(rawValue: .random(in: 0 ... .max)))
    _setSnapshots(snapshots)
    return save
  }

  /// Makes the value of a save that succeeded the original.
  ///
  /// Edits made since the save was begun stay dirty. If a `rebase` has changed the original since then, the new
  /// original with the edits of the save on top becomes the original. If the store changes the values that it is given,
  /// call `finishSave(_:stored:merging:)` instead.
  ///
  /// A save that isn't in flight is refused, and nothing changes: it was already answered, a later save was finished,
  /// or ``commit(releasingMemory:)`` was called since.
  ///
  /// - Returns: Whether the save was in flight.
  /// - Complexity: O(*n*) in the number of saves in flight.
  @discardableResult
  public mutating func finishSave(_ save: Save) -> Bool {
    _answerSave { $0.finish(save.id) }
  }

  /// Ends a save that failed: its changes are as dirty as before.
  ///
  /// A save that isn't in flight is refused, and nothing changes.
  ///
  /// - Returns: Whether the save was in flight.
  /// - Complexity: O(*n*) in the number of saves in flight.
  @discardableResult
  public mutating func failSave(_ save: Save) -> Bool {
    _answerSave { $0.fail(save.id) }
  }

  private mutating func _answerSave(_ answer: (inout _Snapshots<Value>) -> Bool) -> Bool {
    var snapshots = _snapshots
    guard answer(&snapshots) else { return false }
    _setSnapshots(snapshots)
    return true
  }

  /// The saves that were begun and not answered yet, oldest first.
  ///
  /// The value of each is what the original will be if the save succeeds: the value to write, updated by any `rebase`
  /// or ``commit(_:)`` since.
  ///
  /// - Complexity: O(1).
  public var savesInFlight: [Save] { _baseline.savesInFlight?.snapshots.saves ?? [] }

  /// Whether a save was begun and not answered yet.
  ///
  /// - Complexity: O(1).
  public var isSaving: Bool { _baseline.savesInFlight != nil }

  /// Whether the value differs from the newest save in flight or, without one, from the original; or was written since
  /// and its type can't be compared.
  ///
  /// An autosave checks this before it begins a save, because `isDirty` stays true until the save has succeeded. This
  /// is for generic code, and checks at run time whether `Value` is `Equatable`.
  ///
  /// - Complexity: That of `isDirty`.
  @_documentation(visibility: internal)
  public var needsSave: Bool {
    guard let snapshots = _baseline.savesInFlight?.snapshots else { return isDirty }
    return (_baseline.isEdited || snapshots.current !== snapshots.newest)
      && _isUneditedIfKnown(_current, snapshots.newest.value) != true
  }
}

extension Dirtyable where Value: Equatable {
  /// Whether the value differs from the newest save in flight or, without one, from the original.
  ///
  /// An autosave checks this before it begins a save, because `isDirty` stays true until the save has succeeded.
  ///
  /// - Complexity: That of comparing the two.
  public var needsSave: Bool {
    guard let snapshots = _baseline.savesInFlight?.snapshots else { return isDirty }
    return (_baseline.isEdited || snapshots.current !== snapshots.newest)
      && !_isUnedited(_current, snapshots.newest.value)
  }
}

extension Dirtyable where Value: Equatable {
  /// Makes the answer of the store the original, after a save that succeeded.
  ///
  /// Use it for a store that changes what it is given, or adds to it:
  ///
  /// ```swift
  /// struct Note: Equatable { var text = "", version = 0 }
  ///
  /// var note = Dirtyable(Note())
  /// note.text = "one"
  /// let save = note.beginSave()
  /// note.text = "two"  // an edit made meanwhile
  /// let answer = Note(text: "One", version: 1)
  /// note.finishSave(save, stored: answer, merging: .init(\.text, \.version))
  /// note.original      // Note(text: "One", version: 1)
  /// note.current       // Note(text: "two", version: 1)
  /// ```
  ///
  /// Listed members that were edited since the save was begun stay dirty. All other listed members take the stored
  /// value. The members that aren't listed are treated together as one more. So without listed members, the current
  /// value stays as a whole if it was edited since, and becomes `stored` if it was not. Later saves in flight follow as
  /// in ``rebase(onto:merging:)``.
  ///
  /// Answers and pushed originals count in the order in which you report them. If the store has overwritten a pushed
  /// original with the whole saved value, pass `stored: save.value`.
  ///
  /// A save that isn't in flight is refused, and nothing changes: see ``finishSave(_:)``.
  ///
  /// - Returns: Nil if the save was not in flight, otherwise the members in conflict: edited since, and stored
  ///   differently from how they were sent. Their base is the sent value, updated by what was pushed meanwhile.
  /// - Complexity: That of comparing and copying the value a fixed number of times for each save in flight.
  @discardableResult
  public mutating func finishSave(_ save: Save, stored: Value, merging fields: Fields = Fields()) -> Conflicts? {
    var snapshots = _snapshots
    guard snapshots.finish(save.id) else { return nil }
    return _rebase(snapshots, onto: stored, merging: fields)
  }
}
