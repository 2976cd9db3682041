import Sameness

extension Dirtyable where Value: Equatable {
  /// Applies the edits on top of a new original, member by member.
  ///
  /// Use it when the original changed elsewhere: edits stay, and everything else follows the new original.
  ///
  /// ```swift
  /// struct Person: Equatable { var name: String; var age: Double }
  ///
  /// var person = Dirtyable(Person(name: "Ada", age: 42))
  /// person.name = "Grace"
  /// let conflicts = person.rebase(onto: Person(name: "Edith", age: 43), merging: .init(\.name, \.age))
  /// person.current     // Person(name: "Grace", age: 43)
  /// conflicts[\.name]  // base "Ada", mine "Grace", theirs "Edith"
  /// ```
  ///
  /// A member that both sides changed differently is in conflict: it keeps my edit, which is still dirty, and is listed
  /// in the result. ``rollback(_:)`` of that member takes theirs.
  ///
  /// Members that `fields` doesn't list are merged together as one more, whose key path in the result is `\.self`.
  /// Without listed members the value is merged as a whole: mine if only I changed it, theirs if only they did. A list
  /// that is made once and kept costs nothing.
  ///
  /// A save in flight stays in flight, and is also applied on top of the new original. If it succeeds, the new original
  /// with the edits of the save on top becomes the original, so a member without edits isn't dirty. A member that the
  /// save and the new original changed differently is in conflict, and the write of the save counts as the later one.
  /// If you don't know which is later, pass the answer of the store to ``finishSave(_:stored:merging:)``.
  ///
  /// An edit made since the newest save was begun stays, even if it sets back what the save wrote. A value that was
  /// rolled back since has no edits to keep: it follows the new original, except where the new original is what the
  /// save wrote. From then on such a value counts as an edit, as any other does for later originals.
  ///
  /// A member that `==` ignores has changed if its stored contents differ. So equal values in different storage are
  /// compared member by member. Objects can't be inspected: an object without an `==` counts as changed only if theirs
  /// is as before. My text in another normal form counts as an edit. Their text in another normal form doesn't count as
  /// a change, because a store may have normalized it.
  ///
  /// A single literal may lead to a row or into an optional: `\.items[2]`. If I edited that row and they removed it, it
  /// is in conflict, and my value stays as a whole. Merge rows that may have moved by their identity, with
  /// ``Fields/merging(elementsOf:)``.
  ///
  /// - Precondition: If there are several key paths, each leads somewhere in all of the values.
  /// - Returns: The members in conflict, with base, mine and theirs.
  /// - Complexity: That of comparing and copying the value a fixed number of times, and again for each save in flight;
  ///   O(*n*) comparisons for an array merged by its elements.
  public mutating func rebase(onto newOriginal: Value, merging fields: Fields = Fields()) -> Conflicts {
    _rebase(_snapshots, onto: newOriginal, merging: fields)
  }

  /// Applies `snapshots`, taken from the baseline, on top of a new original, and stores them again.
  mutating func _rebase(_ snapshots: _Snapshots<Value>, onto newOriginal: Value, merging fields: Fields) -> Conflicts {
    var snapshots = snapshots
    let (base, mine) = (snapshots.original.value, _current)
    let conflicting = snapshots.rebase(&_current, onto: newOriginal, fields.fields)
    _setSnapshots(snapshots)
    return Conflicts(
      base: base, mine: mine, theirs: newOriginal, sendableKeyPaths: conflicting.keyPaths(fields.fields))
  }

  /// The conflict of a draft whose source is gone: all edits as one, if there are any.
  package var _conflictsWithNothing: Conflicts {
    let isEdited = isDirty || _isInDoubt
    return Conflicts(base: original, mine: current, theirs: original, sendableKeyPaths: isEdited ? [\Value.self] : [])
  }
}

extension Dirtyable where Value: Equatable {
  /// The members that two sides changed differently, each with its base, my version and theirs.
  public struct Conflicts {
    /// The members in conflict, in the order of the fields; `\.self` comes first, for everything that no field covers.
    public var keyPaths: [PartialKeyPath<Value>] { sendableKeyPaths.map { $0 } }

    /// The original that both sides began from.
    package let base: Value

    /// The value with my edits, before the merge.
    package let mine: Value

    /// The new original.
    package let theirs: Value

    package let sendableKeyPaths: [any PartialKeyPath<Value> & Sendable]

    /// Whether no member is in conflict.
    public var isEmpty: Bool { sendableKeyPaths.isEmpty }

    /// The three versions of one member, or nil if it isn't in conflict.
    ///
    /// For a row or a part of an optional, each side that doesn't have it is nil.
    @_disfavoredOverload
    public subscript<Member>(keyPath: KeyPath<Value, Member>) -> (base: Member, mine: Member, theirs: Member)? {
      guard keyPaths.contains(keyPath) else { return nil }
      return (base[keyPath: keyPath], mine[keyPath: keyPath], theirs[keyPath: keyPath])
    }

    /// The three versions of a row or of a part of an optional, or nil if it isn't in conflict.
    @_documentation(visibility: internal)
    public subscript<Member>(path: _RowPath<Value, Member>) -> (base: Member?, mine: Member?, theirs: Member?)? {
      let part = path.lens()
      guard keyPaths.contains(part.keyPath) else { return nil }
      return (part.find(in: base), part.find(in: mine), part.find(in: theirs))
    }
  }
}

extension Dirtyable.Conflicts: Sendable where Value: Sendable {}
extension Dirtyable.Conflicts: Equatable, CustomStringConvertible {
  /// Whether the same members are in conflict between the same values.
  public static func == (left: Self, right: Self) -> Bool {
    left.keyPaths == right.keyPaths && _areEqualOrSame(left.base, right.base) && _areEqualOrSame(left.mine, right.mine)
      && _areEqualOrSame(left.theirs, right.theirs)
  }

  /// One line for each member in conflict, with its three versions.
  public var description: String {
    if isEmpty { return "no conflicts" }
    return keyPaths.map {
      "\($0): base \(base[keyPath: $0]), mine \(mine[keyPath: $0]), theirs \(theirs[keyPath: $0])"
    }.joined(separator: "\n")
  }
}
