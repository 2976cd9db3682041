// Finding elements: by comparison in a small ring, through the index in any other.

extension _UnsafeRing {
  /// The slot of an element that equals this one, in a ring without an index.
  @inlinable
  @inline(__always)
  func comparedSlot(of element: Element) -> _Slot? {
    let head = state.span.head
    let beforeEnd = min(state.span.count, state.capacity &- head.position)
    return comparedSlot(of: element, from: head, to: head.advanced(by: beforeEnd))
      ?? comparedSlot(of: element, from: .zero, to: _Slot(state.span.count &- beforeEnd))
  }

  @inlinable
  @inline(__always)
  func comparedSlot(of element: Element, from start: _Slot, to end: _Slot) -> _Slot? {
    var slot = start
    while slot < end {
      if unsafe self[slot] == element { return slot }
      slot = slot.advanced(by: 1)
    }
    return nil
  }

  /// The slot of an element that equals this one, in a ring with an index.
  @inlinable
  @inline(__always)
  func indexedSlot(of element: Element, _ word: _HashWord) -> _Slot? {
    // For most new elements, one look at their home proves that they are new, without a call.
    let tags = tags(of: word.home(of: state.groupCount))
    if tags.lanes(matching: word.tag) == 0, !tags.wasPassed { return nil }
    return searchedSlot(of: element, word)
  }

  @inlinable
  @inline(never)
  func searchedSlot(of element: Element, _ word: _HashWord) -> _Slot? {
    let home = word.home(of: state.groupCount)
    var group = home
    repeat {
      let tags = tags(of: group)
      var lanes = tags.lanes(matching: word.tag)
      while lanes != 0 {
        let slot = filedSlot(group, _TagGroup.first(of: lanes))
        if unsafe self[slot] == element { return slot }
        lanes &= lanes &- 1
      }
      if !tags.wasPassed { return nil }
      group = self.group(after: group)
    } while group != home
    return nil
  }

  @inlinable
  func group(after group: Int) -> Int { group &+ 1 == state.groupCount ? 0 : group &+ 1 }

  /// Adds a slot to the index, in the first group from its home on that has a free lane.
  @inlinable
  @inline(__always)
  func file(_ slot: _Slot, _ word: _HashWord) {
    var group = word.home(of: state.groupCount)
    var tags = tags(of: group)
    let isAway = tags.freeLanes == 0
    if isAway {
      group = groupWithRoom(passing: group)
      tags = self.tags(of: group)
    }
    let lane = _TagGroup.first(of: tags.freeLanes)
    tags.use(lane, for: word.tag)
    setTags(of: group, to: tags)
    setSlot(group, lane, to: slot)
    setWord(at: slot, to: word.placed(in: lane, isAway: isAway))
  }

  /// The first group after a full one that has a free lane; each full group on the way counts one more passing element.
  @inlinable
  @inline(never)
  func groupWithRoom(passing home: Int) -> Int {
    var group = home
    repeat {
      countPassing(of: group, leaving: false)
      group = self.group(after: group)
    } while tags(of: group).freeLanes == 0
    return group
  }

  /// Removes a slot from the index and makes it a gap.
  @inlinable
  @inline(__always)
  func unfile(_ slot: _Slot) {
    let word = word(at: slot)
    setWord(at: slot, to: .gap)
    let group = word.isAway ? groupAway(of: slot, word, leaving: true) : word.home(of: state.groupCount)
    freeLane(word.lane, of: group)
  }

  /// The group that a slot is filed in.
  @inlinable
  func group(of slot: _Slot, _ word: _HashWord) -> Int {
    word.isAway ? groupAway(of: slot, word, leaving: false) : word.home(of: state.groupCount)
  }

  /// The group that a slot is filed in when its home was full.
  ///
  /// - Parameter leaving: Whether the groups that it passed count one less.
  @inlinable
  @inline(never)
  func groupAway(of slot: _Slot, _ word: _HashWord, leaving: Bool) -> Int {
    var group = word.home(of: state.groupCount)
    repeat {
      if leaving { countPassing(of: group, leaving: true) }
      group = self.group(after: group)
    } while !tags(of: group).has(word.tag, in: word.lane) || filedSlot(group, word.lane) != slot
    return group
  }
}
