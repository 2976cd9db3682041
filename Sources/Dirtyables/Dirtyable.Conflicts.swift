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

    internal init(
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
    public subscript<Member>(keyPath: KeyPath<Value, Member>) -> Conflict<Member>? {
      guard keyPaths.contains(keyPath) else { return nil }
      return Conflict(base: base[keyPath: keyPath], mine: mine[keyPath: keyPath], theirs: theirs[keyPath: keyPath])
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
    left.keyPaths == right.keyPaths && left.base == right.base && left.mine == right.mine && left.theirs == right.theirs
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

extension Dirtyable.Conflict: Equatable where Member: Equatable {}
extension Dirtyable.Conflict: Hashable where Member: Hashable {}
extension Dirtyable.Conflict: Sendable where Member: Sendable {}

extension Dirtyable.Conflict: CustomStringConvertible {
  /// The three sides.
  public var description: String { "base \(base), mine \(mine), theirs \(theirs)" }
}
