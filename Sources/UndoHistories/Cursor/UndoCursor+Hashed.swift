// Edits of dictionaries and sets: of one key or member, and of the whole, which is compared key by key.

public import Sameness

extension UndoCursor {
  // MARK: Dictionaries

  /// Assigns the value of a dictionary's key; nil removes the key.
  ///
  /// Assigning the value that the key already has records nothing, as for ``set(_:)``.
  ///
  /// - Complexity: O(1) on average, and the comparison; the old value moves into the history.
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public subscript<Key, Element>(key: Key) -> Element? where Target == [Key: Element] {
    @available(*, unavailable, message: "read a dictionary through `currentItem`")
    get { readTarget { $0[key] } }
    set { exchange(key, newValue, isSame: { _UndoSameness.areSameIfEqual($0, $1) }) }
  }

  /// The value of a dictionary's key if it is a leaf; nil removes the key.
  ///
  /// Assigning the value that the key has already records nothing.
  ///
  /// - Complexity: O(1) on average.
  @_documentation(visibility: internal)
  @_alwaysEmitIntoClient
  public subscript<Key, Element: UndoLeaf>(key: Key) -> Element? where Target == [Key: Element] {
    get { readTarget { $0[key] } }
    set { exchange(key, newValue, isSame: Element.isSame) }
  }

  /// The value of a dictionary's key if it is a leaf, or the default value if the key has none.
  ///
  /// - Complexity: O(1) on average.
  @_alwaysEmitIntoClient
  public subscript<Key, Element: UndoLeaf>(
    key: Key, default defaultValue: @autoclosure () -> Element
  ) -> Element where Target == [Key: Element] {
    get { readTarget { $0[key] } ?? defaultValue() }
    set { exchange(key, newValue, isSame: Element.isSame) }
  }

  /// Assigns a value to a key of a dictionary, and returns the old value.
  ///
  /// Assigning the same value records nothing, as for ``set(_:)``.
  ///
  /// - Complexity: O(1) on average, and the comparison.
  @_alwaysEmitIntoClient
  @discardableResult
  public mutating func updateValue<Key, Element>(
    _ value: Element, forKey key: Key
  ) -> Element? where Target == [Key: Element] {
    let rule = Element.self as? any UndoLeaf.Type
    return exchange(key, value, isSame: { rule?.areSame($0, $1) ?? _UndoSameness.areSameIfEqual($0, $1) })
  }

  /// Removes a key of a dictionary, and returns the value that it had.
  ///
  /// - Complexity: O(1) on average.
  @_alwaysEmitIntoClient
  @discardableResult
  public mutating func removeValue<Key, Element>(forKey key: Key) -> Element? where Target == [Key: Element] {
    exchange(key, nil, isSame: { _, _ in false })
  }

  /// Replaces a dictionary as a whole.
  @_documentation(visibility: internal)
  @_alwaysEmitIntoClient
  public mutating func set<Key, Element>(_ newValue: [Key: Element]) where Target == [Key: Element] {
    recordChange(from: replaceTarget(with: newValue), isSame: { _UndoSameness.areSameIfEqual($0, $1) })
  }

  // MARK: Recording dictionaries

  /// Records how the dictionary differs from the old one, which it replaced.
  ///
  /// If a key equals an old one but isn't the same, the whole old dictionary is recorded.
  @_alwaysEmitIntoClient
  func recordChange<Key, Element>(
    from old: [Key: Element], isSame: (Element, Element) -> Bool
  ) where Target == [Key: Element] {
    let changes: [(key: Key, other: Element?)] = readTarget { new in
      let missing = new.keys.filter { old[$0] == nil }.map { ($0, Element?.none) }
      return missing
        + old.filter { key, value in new[key].map { !isSame(value, $0) } ?? true }.map { ($0.key, $0.value) }
    }
    if readTarget({ new in !new.keys.hasSameElements(as: old.keys) }) { return recordWhole(old) }
    if changes.count > old.count / 2 + 1 || changes.contains(where: { $0.key != $0.key }) { return recordWhole(old) }
    if changes.isEmpty { return }
    if isRestored { return recordWhole(old) }
    // The change of a single key may be typing, which can't join a step while a transaction is open.
    if changes.count > 1 { access.log.beginTransaction(nil) }
    for (key, other) in changes {
      record(_UndoEntry<Place, Key, Element>(place, key: key, other: other), at: offset)
    }
    if changes.count > 1 { access.log.endTransaction() }
  }

  @_alwaysEmitIntoClient
  @discardableResult
  package func exchange<Key, Element>(
    _ key: Key, _ value: Element?, isSame: (Element, Element) -> Bool
  ) -> Element? where Target == [Key: Element] {
    let old = readTarget { $0[key] }
    switch (old, value) {
    case (nil, nil): return nil
    case (let old?, let value?) where isSame(old, value): return old
    default: break
    }
    // A key that doesn't equal itself, such as a NaN, couldn't be found again.
    if key != key { return recordingWhole { $0.updateValue(value!, forKey: key) } }
    make(_UndoEntry<Place, Key, Element>(place, key: key, other: value))
    return old
  }

  // MARK: Sets

  /// Inserts a member into a set unless it has an equal one.
  ///
  /// - Returns: Whether it was inserted, and the member that the set has afterwards.
  /// - Complexity: O(1) on average.
  @_alwaysEmitIntoClient
  @discardableResult
  public mutating func insert<Member>(
    _ member: Member
  ) -> (inserted: Bool, memberAfterInsert: Member) where Target == Set<Member> {
    // A member that doesn't equal itself, such as a NaN, couldn't be found again.
    if member != member { return recordingWhole { $0.insert(member) } }
    let result = modifyTarget { $0.insert(member) }
    if result.inserted { record(member) }
    return result
  }

  /// Removes and returns the member of a set that equals the given one.
  ///
  /// - Complexity: O(1) on average.
  @_alwaysEmitIntoClient
  @discardableResult
  public mutating func remove<Member>(_ member: Member) -> Member? where Target == Set<Member> {
    let old = modifyTarget { $0.remove(member) }
    if let old { record(old) }
    return old
  }

  /// Inserts a member into a set in place of an equal one, which is returned.
  ///
  /// - Complexity: O(1) on average.
  @_alwaysEmitIntoClient
  @discardableResult
  public mutating func update<Member>(with member: Member) -> Member? where Target == Set<Member> {
    let old = readTarget { members in members.firstIndex(of: member).map { members[$0] } }
    if let old, _haveSameContents(old, member) { return old }
    access.log.beginTransaction(nil)
    defer { access.log.endTransaction() }
    remove(member)
    insert(member)
    return old
  }

  /// Replaces a set as a whole.
  @_documentation(visibility: internal)
  @_alwaysEmitIntoClient
  public mutating func set<Member>(_ newValue: Set<Member>) where Target == Set<Member> {
    recordChange(from: replaceTarget(with: newValue))
  }

  // MARK: Recording sets

  /// Records how the set differs from the old one, which it replaced.
  ///
  /// If a member equals an old one but isn't the same, the whole old set is recorded.
  @_alwaysEmitIntoClient
  func recordChange<Member>(from old: Set<Member>) where Target == Set<Member> {
    let changes = readTarget { new in new.symmetricDifference(old) }
    if readTarget({ new in !new.hasSameElements(as: old) }) { return recordWhole(old) }
    if changes.count > old.count / 2 + 1 || changes.contains(where: { $0 != $0 }) { return recordWhole(old) }
    if changes.isEmpty { return }
    if isRestored { return recordWhole(old) }
    access.log.beginTransaction(nil)
    for member in changes { record(member) }
    access.log.endTransaction()
  }

  @_alwaysEmitIntoClient
  func record<Member>(_ member: Member) where Target == Set<Member> {
    access.log.record(_UndoMember<Place, Member>(place, member), offset: offset)
  }
}
