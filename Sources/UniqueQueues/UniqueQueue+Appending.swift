extension UniqueQueue {
  /// Appends an element unless an equal one is in the queue.
  ///
  /// - Returns: Whether it was appended, and the element that is in the queue now: the new one, or the equal one that
  ///   was there.
  /// - Complexity: O(1) amortised; O(*n*) when the storage is shared and the element is new.
  @inlinable
  @discardableResult
  public mutating func append(_ newMember: Element) -> (inserted: Bool, memberAfterAppend: Element) {
    defer { _checkInvariants() }
    if let slot = _appendIfNew(newMember) { return (false, _ring![slot]) }
    return (true, newMember)
  }

  /// Appends elements in order, except those that are in the queue already.
  ///
  /// - Complexity: O(*m*) amortised for *m* new elements; O(*n* + *m*) when the storage is shared.
  @inlinable
  public mutating func append(contentsOf newMembers: some Sequence<Element>) {
    defer { _checkInvariants() }
    for member in newMembers { _ = _appendIfNew(member) }
  }

  /// Puts an element before the first one unless an equal one is in the queue.
  ///
  /// ```swift
  /// var queue: UniqueQueue = ["mail", "notes"]
  /// queue.prepend("photos")                   // (inserted: true, memberAfterPrepend: "photos")
  /// queue.prepend("notes")                    // (inserted: false, memberAfterPrepend: "notes")
  /// assert(queue == ["photos", "mail", "notes"])
  /// ```
  ///
  /// It is what ``popFirst()`` takes out next. That is for an element that was taken out too early.
  ///
  /// - Returns: Whether it was put there, and the element that is in the queue now: the new one, or the equal one that
  ///   was there.
  /// - Complexity: O(1) amortised; O(*n*) when the storage is shared and the element is new.
  @inlinable
  @discardableResult
  public mutating func prepend(_ newMember: Element) -> (inserted: Bool, memberAfterPrepend: Element) {
    defer { _checkInvariants() }
    if let slot = _appendIfNew(newMember) { return (false, _ring![slot]) }
    _ring!.moveLastToStart()
    return (true, newMember)
  }

  /// Puts an element in the place of the equal one in the queue, or appends it.
  ///
  /// - Returns: The element that was replaced, or nil if it was appended.
  /// - Complexity: O(1) amortised; O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func updateOrAppend(_ newMember: Element) -> Element? {
    defer { _checkInvariants() }
    guard var slot = _appendIfNew(newMember) else { return nil }
    _makeUnique(following: &slot)
    let old = _ring![slot]
    _ring![slot] = newMember
    return old
  }

  /// Appends an element, or moves the equal one in the queue to the end.
  ///
  /// The element is hashed once, where a `moveToEnd(_:)` that fails and an `append(_:)` hash it twice.
  ///
  /// ```swift
  /// var recentFiles: UniqueQueue = ["letter", "list"]
  /// for file in ["letter", "poem"] { recentFiles.appendOrMoveToEnd(file) }
  /// while recentFiles.count > 10 { recentFiles.removeFirst() }
  /// assert(recentFiles == ["list", "letter", "poem"])
  /// ```
  ///
  /// - Returns: Whether it was appended, and the element that is last now: the new one, or the equal one that was
  ///   there.
  /// - Complexity: O(1) amortised; O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func appendOrMoveToEnd(_ newMember: Element) -> (inserted: Bool, memberAfterAppend: Element) {
    defer { _checkInvariants() }
    guard let slot = _appendIfNew(newMember) else { return (true, newMember) }
    let member = _ring![slot]
    moveToEnd(ordinal: _ordinal(of: slot))
    return (false, member)
  }

  /// Moves the element that equals this one to the end; where there is none, nothing happens.
  ///
  /// - Returns: Whether it is in the queue.
  /// - Complexity: O(1) amortised; O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func moveToEnd(_ member: Element) -> Bool {
    guard let ordinal = ordinal(of: member) else { return false }
    moveToEnd(ordinal: ordinal)
    return true
  }

  /// Appends an element unless an equal one is in the queue, without copying for the latter.
  ///
  /// - Returns: The slot of the equal one.
  @inlinable
  @inline(__always)
  mutating func _appendIfNew(_ element: consuming Element) -> Int? {
    if _ring != nil, _ring!.isIndexed {
      let word = _HashWord(hashing: element)
      let home = _ring!.home(of: word)
      if let slot = _ring!.indexedSlot(of: element, word, home) { return slot }
      guard isKnownUniquelyReferenced(&_ring!), _ring!.hasRoom else {
        _appendReplacingRing(element, word)
        return nil
      }
      _ring!.append(element, word, home)
      return nil
    }
    if _ring != nil {
      if let slot = _ring!.comparedSlot(of: element) { return slot }
      if isKnownUniquelyReferenced(&_ring!), _ring!.hasRoom {
        _ring!.appendUnindexed(element)
        return nil
      }
    }
    _appendReplacingRing(element, .gap)
    return nil
  }

  /// Appends a new element where the ring is full, shared or not there.
  ///
  /// - Parameter word: The hash word of the element, or a gap while it has none.
  @inlinable
  @inline(never)
  mutating func _appendReplacingRing(_ element: consuming Element, _ word: _HashWord) {
    _replaceRing()
    guard _ring!.isIndexed else { return _ring!.appendUnindexed(element) }
    let word = word.isGap ? _HashWord(hashing: element) : word
    _ring!.append(element, word, _ring!.home(of: word))
  }
}
