public import Dirtyables

extension Draft {
  /// The value that the edits began from: what the source held when the draft began, or was last committed, cancelled or
  /// rebased.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var base: Value { _edits.original }

  /// Whether there may be edits to commit: whether the draft was written, as its value cannot be compared.
  ///
  /// Where `Value` is `Equatable`, a value set back has no edits; this is the property for values that are not.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var hasEdits: Bool { _edits.isDirty }

  /// Whether a member was edited, that is differs from the base's.
  ///
  /// - Complexity: that of comparing the two; O(1) while nothing was written.
  @inlinable
  public func hasEdits<Member: Equatable>(in keyPath: KeyPath<Value, Member>) -> Bool {
    _edits.isDirty(keyPath)
  }

  /// What a member was in the base and what it is now, or nil if the two are equal.
  ///
  /// - Complexity: that of comparing the two; O(1) while nothing was written.
  @inlinable
  public func change<Member: Equatable>(for keyPath: KeyPath<Value, Member>) -> Dirtyable<Value>.Change<Member>? {
    _edits.change(for: keyPath)
  }

  /// The members, of those asked for, that were edited, in the order asked for.
  ///
  /// - Complexity: that of comparing each pair of members; O(1) while nothing was written.
  @inlinable
  public func changedKeyPaths<each Member: Equatable>(
    among keyPaths: repeat KeyPath<Value, each Member>
  ) -> [PartialKeyPath<Value>] {
    _edits.changedKeyPaths(among: repeat each keyPaths)
  }

  /// Whether a member of what the source holds by now differs from the base's.
  ///
  /// - Complexity: that of reading the source and comparing the two.
  @inlinable
  public func sourceChanged<Member: Equatable>(in keyPath: KeyPath<Value, Member>) -> Bool {
    source.value[keyPath: keyPath] != base[keyPath: keyPath]
  }
}

extension Draft where Value: Equatable {
  /// Whether there are edits to commit: whether the current value differs from the base.
  ///
  /// - Complexity: that of comparing the two; O(1) while nothing was written.
  @inlinable
  public var hasEdits: Bool { _edits.isDirty }

  /// Whether the source holds something else by now than what the edits began from.
  ///
  /// - Complexity: that of reading the source and comparing the two.
  @inlinable
  public var sourceChanged: Bool { source.value != base }
}
