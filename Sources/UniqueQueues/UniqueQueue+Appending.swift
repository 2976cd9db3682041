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
    if let slot = _appendIfNew(newMember) { return (false, unsafe _ring![slot]) }
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
    if let slot = _appendIfNew(newMember) { return (false, unsafe _ring![slot]) }
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
    let old = unsafe _ring![slot]
    unsafe _ring![slot] = newMember
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
    let member = unsafe _ring![slot]
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
  mutating func _appendIfNew(_ element: Element) -> _Slot? {
    var word = _HashWord.gap
    if _ring != nil {
      if _ring!.isIndexed {
        if _ring!.state.span.count == 0 { return _appendToEmptied(element) }
        word = _HashWord(hashing: element)
        if let slot = _ring!.indexedSlot(of: element, word) { return slot }
      } else if let slot = _ring!.comparedSlot(of: element) {
        return slot
      }
    }
    if _makeRoom(), word.isGap, _ring!.isIndexed { word = _HashWord(hashing: element) }
    _ring!.append(element, word)
    return nil
  }

  /// Appends an element to a queue that has none but a large index, of which a copy needs nothing.
  @inlinable
  @inline(never)
  mutating func _appendToEmptied(_ element: Element) -> _Slot? {
    _ = _makeRoom()
    _ring!.append(element, _ring!.isIndexed ? _HashWord(hashing: element) : .gap)
    return nil
  }

  /// Does the same, best for a new element: it is handed to its slot, and where there is room nothing is asked twice.
  ///
  /// It takes more code, and some instructions more for an element that is there.
  @inlinable
  @inline(__always)
  mutating func _appendLikelyNew(_ element: consuming Element) -> _Slot? {
    guard _ring != nil, _ring!.isIndexed else { return _appendIfNew(element) }
    let word = _HashWord(hashing: element)
    if let slot = _ring!.indexedSlot(of: element, word) { return slot }
    if isKnownUniquelyReferenced(&_ring!), _ring!.hasRoom {
      _ring!.appendIndexed(element, word)
    } else {
      _appendReplacingRing(element, word)
    }
    return nil
  }

  @inlinable
  @inline(never)
  mutating func _appendReplacingRing(_ element: consuming Element, _ word: _HashWord) {
    _ = _replaceRing()
    _ring!.append(element, word)
  }
}
