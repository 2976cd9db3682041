import Sameness

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
  /// A member that both sides changed, and not to the same, is in conflict: it keeps my edit, which is still dirty, and
  /// is listed in the result. ``rollback(_:)`` of that member takes theirs.
  ///
  /// Members not listed are merged together as one more, whose key path in the result is `\.self`. Without any listed
  /// member the value is merged as a whole: mine if only I changed it, theirs if only they did.
  ///
  /// A save in flight stays in flight, and is put on top of the new original as well. Where it succeeds, the new
  /// original with the edits of the save on top becomes the original: a member that nobody edited is not dirty. A
  /// member that the save and the new original changed differently is in conflict, and the write of the save counts as
  /// the later one. Where that is not known, ``finishSave(_:stored:_:)`` takes the store's word.
  ///
  /// An edit made since the newest save was begun stays, also one that sets back what the save wrote. A value that was
  /// rolled back since has no edits to keep: it follows, except where the new original is what the save wrote. From
  /// then on such a value is an edit, which later originals meet as any other.
  ///
  /// A member that `==` leaves out has changed where what is stored in it differs. So equal values in different storage
  /// are compared member by member. Objects are not looked into: one without an `==` counts as changed only where
  /// theirs is as before. My text in another normal form counts as an edit. Their text in another normal form does not
  /// count as a change, since a store may have normalized it.
  ///
  /// A single literal may lead to a row or into an optional: `\.items[2]`. One that I edited and they removed is in
  /// conflict, and mine stays as a whole. Rows that may have moved are merged by their identity, with
  /// ``Fields/merging(elementsOf:)``.
  ///
  /// - Precondition: Several key paths lead somewhere in each of the values.
  /// - Returns: The members in conflict, with base, mine and theirs.
  /// - Complexity: That of comparing and copying the value a fixed number of times, and again for each save in flight.
  @_disfavoredOverload
  public mutating func rebase<each Member: Equatable & SendableMetatype>(
    onto newOriginal: Value, _ fields: repeat any WritableKeyPath<Value, each Member> & Sendable
  ) -> Conflicts {
    rebase(onto: newOriginal, merging: Fields(repeat each fields))
  }

  /// Puts the edits on top of a new original, with a row or a part of an optional merged by itself.
  @_documentation(visibility: internal)
  public mutating func rebase<Member: Equatable & SendableMetatype>(
    onto newOriginal: Value, _ path: any _RowPath<Value, Member> & Sendable
  ) -> Conflicts {
    rebase(onto: newOriginal, merging: Fields(path))
  }

  /// Puts the edits on top of a new original, merging the members that `fields` lists.
  ///
  /// See ``rebase(onto:_:)``; a list made once costs nothing to make, and may merge arrays by the identity of their
  /// elements.
  ///
  /// - Returns: The members in conflict, with base, mine and theirs.
  /// - Complexity: That of ``rebase(onto:_:)``; O(*n*) comparisons for an array merged by its elements.
  public mutating func rebase(onto newOriginal: Value, merging fields: Fields) -> Conflicts {
    _rebase(_snapshots, onto: newOriginal, merging: fields)
  }

  /// Puts `snapshots`, taken out of the baseline, on top of a new original, and writes them down again.
  mutating func _rebase(
    _ snapshots: _Snapshots<Value>, onto newOriginal: Value, merging fields: Fields
  ) -> Conflicts {
    var snapshots = snapshots
    let (base, mine) = (snapshots.original.value, _current)
    let conflicting = snapshots.rebase(&_current, onto: newOriginal, fields.fields)
    _setSnapshots(snapshots)
    return Conflicts(base: base, mine: mine, theirs: newOriginal, keyPaths: conflicting.keyPaths(fields.fields))
  }
}

extension Dirtyable where Value: Equatable {
  /// The members that two sides changed differently, each with what it was, what I made of it and what they made of it.
  public struct Conflicts {
    /// The members in conflict, in the order their fields are listed; `\.self` first, for what no field covers.
    public var keyPaths: [PartialKeyPath<Value>] { sendableKeyPaths.map { $0 } }

    /// The original that both sides began from.
    public let base: Value

    /// The value with my edits, as it was before the two were merged.
    public let mine: Value

    /// The new original.
    public let theirs: Value

    package let sendableKeyPaths: [any PartialKeyPath<Value> & Sendable]

    package init(
      base: Value, mine: Value, theirs: Value, keyPaths: [any PartialKeyPath<Value> & Sendable]
    ) {
      self.base = base
      self.mine = mine
      self.theirs = theirs
      sendableKeyPaths = keyPaths
    }

    /// Whether no member is in conflict.
    public var isEmpty: Bool { sendableKeyPaths.isEmpty }

    /// The three sides of one member, or nil if it is not in conflict.
    ///
    /// For a row or a part of an optional, each side that does not have it is nil.
    @_disfavoredOverload
    public subscript<Member>(keyPath: KeyPath<Value, Member>) -> Conflict<Member>? {
      guard keyPaths.contains(keyPath) else { return nil }
      return Conflict(base: base[keyPath: keyPath], mine: mine[keyPath: keyPath], theirs: theirs[keyPath: keyPath])
    }

    /// The three sides of a row or of a part of an optional, or nil if it is not in conflict.
    @_documentation(visibility: internal)
    public subscript<Member>(path: _RowPath<Value, Member>) -> Conflict<Member?>? {
      let part = path.lens()
      guard keyPaths.contains(part.keyPath) else { return nil }
      return Conflict(base: part.find(in: base), mine: part.find(in: mine), theirs: part.find(in: theirs))
    }
  }

  /// One member that two sides changed differently.
  public struct Conflict<Member> {
    /// The member that both sides began from.
    public let base: Member

    /// The member with my edit.
    public let mine: Member

    /// The member of the new original.
    public let theirs: Member
  }
}

extension Dirtyable.Conflicts: Sendable where Value: Sendable {}
extension Dirtyable.Conflicts: Equatable {
  /// Whether the same members are in conflict between the same values.
  public static func == (left: Self, right: Self) -> Bool {
    left.keyPaths == right.keyPaths && _areEqualOrSame(left.base, right.base) && _areEqualOrSame(left.mine, right.mine)
      && _areEqualOrSame(left.theirs, right.theirs)
  }
}

extension Dirtyable.Conflicts: CustomStringConvertible {
  /// One line for each member in conflict, with its three sides.
  public var description: String {
    if isEmpty { return "no conflicts" }
    return keyPaths.map {
      "\($0): base \(base[keyPath: $0]), mine \(mine[keyPath: $0]), theirs \(theirs[keyPath: $0])"
    }.joined(separator: "\n")
  }
}

extension Dirtyable.Conflict: Equatable where Member: Equatable {
  /// Whether the three sides are equal, or the same where they equal nothing.
  public static func == (left: Self, right: Self) -> Bool {
    _areEqualOrSame(left.base, right.base) && _areEqualOrSame(left.mine, right.mine)
      && _areEqualOrSame(left.theirs, right.theirs)
  }
}
extension Dirtyable.Conflict: Hashable where Member: Hashable {}
extension Dirtyable.Conflict: Sendable where Member: Sendable {}

extension Dirtyable.Conflict: CustomStringConvertible {
  /// The three sides.
  public var description: String { "base \(base), mine \(mine), theirs \(theirs)" }
}
