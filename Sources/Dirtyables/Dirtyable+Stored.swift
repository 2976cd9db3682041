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
  /// Of the members listed, those that were edited since the save was begun stay as they are: dirty. All others take what
  /// was stored. Members not listed are treated as one more. So without any listed member the current value stays as a
  /// whole if it was edited since, and is `stored` if it was not. Later saves in flight follow as in ``rebase(onto:_:)``.
  ///
  /// Answers and originals that were pushed count in the order in which they are told. A store that wrote the whole value
  /// over what was pushed meanwhile is answered for with `stored: save.value`.
  ///
  /// A save that is not in flight is refused, and nothing changes: see ``finishSave(_:)``.
  ///
  /// - Returns: nil if the save was not in flight, or else the members in conflict: edited since, and not stored as they
  ///   were sent. Their base is what was sent, with what was pushed meanwhile.
  /// - Complexity: that of comparing and copying the value a fixed number of times for each save in flight.
  @discardableResult
  public mutating func finishSave<each Member: Equatable & SendableMetatype>(
    _ save: Save, stored: Value, _ fields: repeat any WritableKeyPath<Value, each Member> & Sendable
  ) -> Conflicts? {
    finishSave(id: save.id, stored: stored, merging: Fields(repeat each fields))
  }

  /// Makes what the store answered the original, after a save that succeeded, merging the members that `fields` lists.
  ///
  /// See ``finishSave(_:stored:_:)``; a list made once costs nothing to make, and may merge arrays by the identity of their
  /// elements.
  ///
  /// - Returns: nil if the save was not in flight, or else the members in conflict.
  @discardableResult
  public mutating func finishSave(_ save: Save, stored: Value, merging fields: Fields) -> Conflicts? {
    finishSave(id: save.id, stored: stored, merging: fields)
  }

  /// Makes what the store answered to the save with this identity the original, as ``finishSave(_:stored:_:)`` does.
  ///
  /// - Returns: nil if the save was not in flight, or else the members in conflict.
  @discardableResult
  public mutating func finishSave<each Member: Equatable & SendableMetatype>(
    id: Save.ID, stored: Value, _ fields: repeat any WritableKeyPath<Value, each Member> & Sendable
  ) -> Conflicts? {
    finishSave(id: id, stored: stored, merging: Fields(repeat each fields))
  }

  /// Makes what the store answered to the save with this identity the original, as ``finishSave(_:stored:merging:)`` does.
  ///
  /// - Returns: nil if the save was not in flight, or else the members in conflict.
  @discardableResult
  public mutating func finishSave(id: Save.ID, stored: Value, merging fields: Fields) -> Conflicts? {
    guard isSaving else { return nil }
    var versions = _versions
    guard versions.finish(id) else { return nil }
    return _rebase(versions, onto: stored, merging: fields)
  }
}
