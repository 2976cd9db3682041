extension Dirtyable where Value: Equatable {
  /// The members of a value that are merged one by one when two sides have changed it.
  ///
  /// Make the list once and keep it:
  ///
  /// ```swift
  /// struct Person: Equatable {
  ///   var name: String, age: Double
  ///
  ///   static let fields = Dirtyable<Person>.Fields(\.name, \.age)
  /// }
  /// ```
  ///
  /// What no listed member covers is merged as one more member, so nothing is lost by a list that is not complete: it only
  /// finds conflicts where a longer list would find none. Members should not overlap; where they do, both are compared, and
  /// the later one is written last.
  public struct Fields: Sendable {
    internal var fields: [_Field<Value>]

    /// Lists members that are merged as wholes, each either mine or theirs.
    public init<each Member: Equatable & SendableMetatype>(
      _ keyPaths: repeat any WritableKeyPath<Value, each Member> & Sendable
    ) {
      fields = []
      for keyPath in repeat each keyPaths {
        fields.append(_Field(keyPath))
      }
    }

    /// Adds an array whose elements are merged one by one, by their identity.
    ///
    /// ```swift
    /// struct Task: Identifiable, Equatable { var id: Int, title = "" }
    /// struct List: Equatable { var name = "", tasks: [Task] = [] }
    ///
    /// let fields = Dirtyable<List>.Fields(\.name).merging(elementsOf: \.tasks)
    /// ```
    ///
    /// Elements that one side inserted, removed, moved or changed come out as that side has them. The array is in conflict
    /// where both sides changed one element, one side changed what the other removed, both inserted one identity with
    /// different contents, or both changed the order; then mine counts for that element, or for the order. Where an
    /// identity occurs twice in an array, the arrays are merged as wholes.
    public func merging<Element: Identifiable & Equatable & SendableMetatype>(
      elementsOf keyPath: any WritableKeyPath<Value, [Element]> & Sendable
    ) -> Fields {
      var result = self
      result.fields.append(_Field(elementsOf: keyPath))
      return result
    }
  }
}

/// One member to merge, without its type.
internal struct _Field<Value>: Sendable {
  internal let keyPath: any PartialKeyPath<Value> & Sendable

  /// Whether the member is equal in two values.
  internal let isEqual: @Sendable (Value, Value) -> Bool

  /// Writes the member of one value to another that differs there.
  internal let copy: @Sendable (_ source: Value, _ target: inout Value) -> Void

  /// Writes to a value the member that three versions, all different there, merge to; true if they are in conflict.
  internal let merge: @Sendable (_ base: Value, _ mine: Value, _ theirs: Value, _ target: inout Value) -> Bool

  internal init<Member: Equatable & SendableMetatype>(_ keyPath: any WritableKeyPath<Value, Member> & Sendable) {
    self.init(keyPath) { _, mine, _, target in
      target = mine
      return true
    }
  }

  internal init<Element: Identifiable & Equatable & SendableMetatype>(
    elementsOf keyPath: any WritableKeyPath<Value, [Element]> & Sendable
  ) {
    self.init(keyPath) { base, mine, theirs, target in
      let merge = _ElementMerge(base: base, mine: mine, theirs: theirs)
      target = merge.merged
      return merge.isConflicting
    }
  }

  private init<Member: Equatable & SendableMetatype>(
    _ keyPath: any WritableKeyPath<Value, Member> & Sendable,
    merge: @escaping @Sendable (Member, Member, Member, inout Member) -> Bool
  ) {
    self.keyPath = keyPath
    isEqual = { $0[keyPath: keyPath] == $1[keyPath: keyPath] }
    // A computed member may write more than it reads, and storage written is storage copied: so only what differs.
    copy = { if $0[keyPath: keyPath] != $1[keyPath: keyPath] { $1[keyPath: keyPath] = $0[keyPath: keyPath] } }
    self.merge = {
      merge($0[keyPath: keyPath], $1[keyPath: keyPath], $2[keyPath: keyPath], &$3[keyPath: keyPath])
    }
  }
}
