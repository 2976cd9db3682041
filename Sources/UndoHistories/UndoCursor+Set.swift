extension UndoCursor {
  /// Inserts a member into a set unless it has an equal one.
  ///
  /// - Returns: Whether it was inserted, and the member that the set has afterwards.
  /// - Complexity: O(1) on average.
  @inlinable
  @discardableResult
  public func insert<Member>(
    _ member: Member
  ) -> (inserted: Bool, memberAfterInsert: Member) where Target == Set<Member> {
    // Not a number: a member that could not be found again.
    if member != member { return recordingWhole { $0.insert(member) } }
    let result = modifyTarget { $0.insert(member) }
    if result.inserted { record(member) }
    return result
  }

  /// Removes and returns the member of a set that equals the given one.
  ///
  /// - Complexity: O(1) on average.
  @inlinable
  @discardableResult
  public func remove<Member>(_ member: Member) -> Member? where Target == Set<Member> {
    let old = modifyTarget { $0.remove(member) }
    if let old { record(old) }
    return old
  }

  /// Inserts a member into a set in place of an equal one, which is returned.
  ///
  /// - Complexity: O(1) on average.
  @inlinable
  @discardableResult
  public func update<Member>(with member: Member) -> Member? where Target == Set<Member> {
    let old = readTarget { members in members.firstIndex(of: member).map { members[$0] } }
    if let old, _UndoLog.haveSameBytes(old, member) { return old }
    access.log.beginTransaction(nil)
    defer { access.log.endTransaction() }
    remove(member)
    insert(member)
    return old
  }

  /// Whether a set has a member that equals the given one.
  ///
  /// - Complexity: O(1) on average.
  @inlinable
  public func contains<Member>(_ member: Member) -> Bool where Target == Set<Member> {
    readTarget { $0.contains(member) }
  }

  /// Replaces a set as a whole.
  ///
  /// What is recorded are the members that came and went, or the old set if those are many.
  ///
  /// - Complexity: O(*n*) on average.
  @inlinable
  public func set<Member>(_ newValue: Set<Member>) where Target == Set<Member> {
    recordChange(from: replaceTarget(with: newValue))
  }

  // MARK: Recording

  /// Records how the set differs from the old one, which it replaced.
  ///
  /// Where a member equals an old one but is another, the old set is what is recorded.
  @inlinable
  func recordChange<Member>(from old: Set<Member>) where Target == Set<Member> {
    let changes = readTarget { new in new.symmetricDifference(old) }
    if readTarget({ new in !new.hasSameMembers(as: old) }) { return recordWhole(old) }
    if changes.count > old.count / 2 + 1 || changes.contains(where: { $0 != $0 }) { return recordWhole(old) }
    if changes.isEmpty { return }
    access.log.beginTransaction(nil)
    for member in changes { record(member) }
    access.log.endTransaction()
  }

  @inlinable
  func record<Member>(_ member: Member) where Target == Set<Member> {
    access.log.record(_UndoMember<Anchor, Member>(anchor, member), offset: offset)
  }
}
