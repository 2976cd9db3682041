extension Dirtyable where Value: Equatable {
  /// Puts the edits on top of a new original, member by member.
  ///
  /// For an original that changed elsewhere: edits stay, and what was not edited follows the new original.
  ///
  /// ```swift
  /// struct Person: Equatable { var name: String; var age: Double }
  ///
  /// var person = Dirtyable(Person(name: "Ada", age: 42))
  /// person.name = "Grace"
  /// let conflicts = person.rebase(onto: Person(name: "Edith", age: 43), \.name, \.age)
  /// person.current     // Person(name: "Grace", age: 43)
  /// conflicts[\.name]  // base "Ada", mine "Grace", theirs "Edith"
  /// ```
  ///
  /// A member that both sides changed, and not to the same, is in conflict: it keeps my edit, which is still dirty, and is
  /// listed in the result. ``rollback(_:)`` of that member takes theirs.
  ///
  /// Members not listed are merged together as one more, whose key path in the result is `\.self`. Without any listed
  /// member the value is merged as a whole: mine if only I changed it, theirs if only they did.
  ///
  /// A save in flight stays in flight, and is put on top of the new original as well. Where it succeeds, the new original
  /// with the edits of the save on top becomes the original: a member that nobody edited is not dirty. A member that the
  /// save and the new original changed differently is in conflict, and the write of the save counts as the later one. Where
  /// that is not known, ``finishSave(_:stored:_:)`` takes the store's word.
  ///
  /// An edit made since the newest save was begun stays, also one that sets back what the save wrote. A value that was
  /// rolled back since has no edits to keep: it follows, except where the new original is what the save wrote.
  ///
  /// - Returns: the members in conflict, with base, mine and theirs.
  /// - Complexity: that of comparing and copying the value a fixed number of times, and again for each save in flight.
  public mutating func rebase<each Member: Equatable & SendableMetatype>(
    onto newOriginal: Value, _ fields: repeat any WritableKeyPath<Value, each Member> & Sendable
  ) -> Conflicts {
    rebase(onto: newOriginal, merging: Fields(repeat each fields))
  }

  /// Puts the edits on top of a new original, merging the members that `fields` lists.
  ///
  /// See ``rebase(onto:_:)``; a list made once costs nothing to make, and may merge arrays by the identity of their
  /// elements.
  ///
  /// - Returns: the members in conflict, with base, mine and theirs.
  public mutating func rebase(onto newOriginal: Value, merging fields: Fields) -> Conflicts {
    _rebase(_versions, onto: newOriginal, merging: fields)
  }

  /// Puts `versions`, taken out of the baseline, on top of a new original, and writes them down again.
  internal mutating func _rebase(
    _ versions: _Versions<Value>, onto newOriginal: Value, merging fields: Fields
  ) -> Conflicts {
    var versions = versions
    let (base, mine) = (versions.original.value, _current)
    let conflicting = versions.rebase(&_current, onto: newOriginal, fields.fields)
    _setVersions(versions)
    return Conflicts(base: base, mine: mine, theirs: newOriginal, keyPaths: conflicting.keyPaths(fields.fields))
  }
}
