#if InternalChecks
  extension UniqueQueue {
    /// Checks the conditions that hold between any two calls; in a long queue only now and then.
    @usableFromInline
    @inline(never)
    func _checkInvariants() {
      // Adding or removing an element at either end changes this sum.
      guard let ring = _ring, count <= 64 || (ring.state.firstOrdinal.position + 2 * ring.state.span.count) % 61 == 0
      else {
        return
      }
      let state = ring.state
      precondition(
        0 <= state.span.count && state.span.count <= state.capacity
          && 0..<Swift.max(state.capacity, 1) ~= state.span.head.position)
      let slots = (0..<state.span.count).map(ring.slot(at:))
      precondition(slots.count { ring.isGap($0) } == state.span.gapCount && !ring.hasManyGaps)
      if let first = slots.first, let last = slots.last {
        precondition(!ring.isGap(first) && !ring.isGap(last), "A queue must not begin or end with a gap")
      }
      if ring.isIndexed { ring.checkIndex(slots) } else { precondition(state.span.gapCount == 0) }
      for slot in slots where !ring.isGap(slot) {
        let element = unsafe ring[slot]
        precondition(element != element || _slot(of: element) == slot, "An element is not where the index says")
      }
    }
  }

  extension _UnsafeRing {
    /// Checks that words, tags and slot numbers agree, and that every group counts the elements that passed it.
    func checkIndex(_ slots: [_Slot]) {
      var passed = Array(repeating: 0, count: state.groupCount)
      for slot in slots where !isGap(slot) {
        let word = word(at: slot)
        precondition(
          word.hash == _HashWord(hashing: unsafe self[slot]).hash, "An element changed its hash in the queue")
        let group = group(of: slot, word)
        precondition(tags(of: group).has(word.tag, in: word.lane) && filedSlot(group, word.lane) == slot)
        var full = word.home(of: state.groupCount)
        while full != group {
          passed[full] += 1
          full = self.group(after: full)
        }
      }
      var usedCount = 0
      for (group, passed) in passed.enumerated() {
        usedCount += 8 - tags(of: group).freeLanes.nonzeroBitCount
        precondition(passedCount(of: group) == .max || Int(passedCount(of: group)) == passed)
        precondition(tags(of: group).wasPassed == (passedCount(of: group) > 0))
      }
      precondition(usedCount == count)
      for slot in _Slot.zero..<_Slot(state.capacity) where offset(of: slot) >= state.span.count {
        precondition(word(at: slot).isGap)
      }
    }
  }
#else
  extension UniqueQueue {
    @inlinable
    @inline(__always)
    func _checkInvariants() {}
  }
#endif
