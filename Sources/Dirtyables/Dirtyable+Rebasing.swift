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
  /// A save in flight stays in flight. Where it succeeds, what it wrote becomes the original, and what came from
  /// `newOriginal` is a change to save.
  ///
  /// - Returns: the members in conflict, with base, mine and theirs.
  /// - Complexity: that of comparing and copying the value a fixed number of times.
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
    var versions = _versions
    let base = versions.original.value
    let mine = _current
    versions.original = _Version(newOriginal)
    defer { _setVersions(versions) }

    // Also for the sake of values that do not equal themselves, such as not-a-number: untouched is untouched.
    guard isTouched else {
      _current = newOriginal
      versions.current = versions.original
      return Conflicts(base: base, mine: mine, theirs: newOriginal, keyPaths: [])
    }
    let merge = _Merge(base: base, mine: mine, theirs: newOriginal, fields.fields)
    _current = merge.merged
    versions.current = _current == newOriginal ? versions.original : nil
    return Conflicts(base: base, mine: mine, theirs: newOriginal, keyPaths: merge.keyPaths)
  }
}
