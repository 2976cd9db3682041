extension UniqueQueue {
  /// Appends an element unless an equal one is in the queue.
  ///
  /// - Returns: Whether it was appended, and the element that is in the queue now: the new one, or the equal one that
  ///   was already there.
  /// - Complexity: O(1) amortized; O(*n*) when the storage is shared and the element is new.
  @inlinable
  @discardableResult
  public mutating func append(_ newMember: Element) -> (inserted: Bool, memberAfterAppend: Element) {
    defer { _checkInvariants() }
    if let slot = _appendIfNew(newMember) { return (false, unsafe _ring![slot]) }
    return (true, newMember)
  }

  /// Appends elements in order, except those that are already in the queue.
  ///
  /// - Complexity: O(*m*) amortized for *m* new elements; O(*n* + *m*) when the storage is shared.
  @inlinable
  public mutating func append(contentsOf newMembers: some Sequence<Element>) {
    defer { _checkInvariants() }
    for member in newMembers { _ = _appendIfNew(member) }
  }

  /// Inserts an element before the first one unless an equal one is in the queue.
  ///
  /// ```swift
  /// var queue: UniqueQueue = ["mail", "notes"]
  /// queue.prepend("photos")                   // (inserted: true, memberAfterPrepend: "photos")
  /// queue.prepend("notes")                    // (inserted: false, memberAfterPrepend: "notes")
  /// assert(queue == ["photos", "mail", "notes"])
  /// ```
  ///
  /// ``popFirst()`` removes it next. Use this to put back an element that was removed too early.
  ///
  /// - Returns: Whether it was inserted, and the element that is in the queue now: the new one, or the equal one that
  ///   was already there.
  /// - Complexity: O(1) amortized; O(*n*) when the storage is shared and the element is new.
  @inlinable
  @discardableResult
  public mutating func prepend(_ newMember: Element) -> (inserted: Bool, memberAfterPrepend: Element) {
    defer { _checkInvariants() }
    if let slot = _appendIfNew(newMember) { return (false, unsafe _ring![slot]) }
    _ring!.moveLastToStart()
    return (true, newMember)
  }

  /// Replaces the equal element in the queue, or appends the new one if there isn't any.
  ///
  /// - Returns: The element that was replaced, or nil if it was appended.
  /// - Complexity: O(1) amortized; O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func updateOrAppend(_ newMember: Element) -> Element? {
    defer { _checkInvariants() }
    guard var slot = _appendIfNew(newMember) else { return nil }
    _makeUnique(following: &slot)
    let old = unsafe _ring![slot]
    unsafe _ring![slot] = newMember
    return old
  }

  /// Appends an element, or moves the equal one in the queue to the end.
  ///
  /// This hashes the element once; a failed `moveToEnd(_:)` followed by `append(_:)` would hash it twice.
  ///
  /// ```swift
  /// var recentFiles: UniqueQueue = ["letter", "list"]
  /// for file in ["letter", "poem"] { recentFiles.appendOrMoveToEnd(file) }
  /// while recentFiles.count > 10 { recentFiles.removeFirst() }
  /// assert(recentFiles == ["list", "letter", "poem"])
  /// ```
  ///
  /// - Returns: Whether it was appended, and the element that is now last: the new one, or the equal one that was
  ///   already there.
  /// - Complexity: O(1) amortized; O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func appendOrMoveToEnd(_ newMember: Element) -> (inserted: Bool, memberAfterAppend: Element) {
    defer { _checkInvariants() }
    guard let slot = _appendIfNew(newMember) else { return (true, newMember) }
    let member = unsafe _ring![slot]
    moveToEnd(ordinal: _ordinal(of: slot))
    return (false, member)
  }

  /// Moves the element that equals this one to the end, if there is one.
  ///
  /// - Returns: Whether the element is in the queue.
  /// - Complexity: O(1) amortized; O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func moveToEnd(_ member: Element) -> Bool {
    guard let ordinal = ordinal(of: member) else { return false }
    moveToEnd(ordinal: ordinal)
    return true
  }

  /// Appends an element unless an equal one is in the queue, in which case shared storage isn't copied.
  ///
  /// - Returns: The slot of the equal element, or nil if the element was appended.
  @inlinable
  mutating func _appendIfNew(_ element: Element) -> _Slot? {
    var word = _HashWord.gap
    if _ring != nil {
      if _ring!.isIndexed {
        word = _HashWord(hashing: element)
        // An empty queue is not searched: the index of one that was long may be in no cache.
        if _ring!.state.span.count > 0, let slot = _ring!.indexedSlot(of: element, word) { return slot }
      } else if let slot = _ring!.comparedSlot(of: element) {
        return slot
      }
    }
    if _makeRoom(), _ring!.isIndexed == word.isGap { word = word.isGap ? _HashWord(hashing: element) : .gap }
    _ring!.append(element, word)
    return nil
  }

  /// Does the same as `_appendIfNew(_:)`, but is faster for a new element: the element is moved into its slot, and no
  /// check is repeated if there is room.
  ///
  /// Price: more code, and some more instructions for an element that is already there.
  @inlinable
  @inline(__always)
  mutating func _appendLikelyNew(_ element: consuming Element) -> _Slot? {
    guard _ring != nil, _ring!.isIndexed else { return _appendIfNew(element) }
    let word = _HashWord(hashing: element)
    if let slot = _ring!.indexedSlot(of: element, word) { return slot }
    if isKnownUniquelyReferenced(&_ring!), _ring!.hasRoom {
      _ring!.append(element, word)
    } else {
      _appendReplacingRing(element, word)
    }
    return nil
  }

  @inlinable
  @inline(never)
  mutating func _appendReplacingRing(_ element: consuming Element, _ word: _HashWord) {
    _ = _replaceRing()
    _ring!.append(element, _ring!.isIndexed ? word : .gap)
  }
}
