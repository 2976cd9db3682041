#if InternalChecks
  internal import UniqueQueues

  extension PendingChangeQueue {
    /// Checks everything that is always true between two calls; in a long queue only now and then.
    @usableFromInline
    @inline(never)
    func _checkInvariants() {
      guard _line.slots.count <= 64 || _nextID % 61 == 0 else { return }
      precondition(_line.slots.reduce(0) { $0 + $1.waitingCount } == _pendingCount)
      precondition(_line.slots.count { $0.isInFlight } == _inFlightCount)
      precondition(_line.slots.reduce(0) { $0 + $1.deadLetters.count } == _deadLetterCount)
      precondition(_keys.count == count + _deadLetterCount)
      for slot in _line.slots {
        precondition(!slot.isEmpty && (slot.state == .idle) == (slot.current == nil) && slot.followers.count <= 1)
        let entries = [slot.current, slot.follower].compactMap(\.self) + slot.deadLetters
        precondition(entries.allSatisfy { _keys[$0.id] == slot.key && $0.key == slot.key && $0.id.rawValue < _nextID })
        if let current = slot.current, let follower = slot.follower { precondition(current.id < follower.id) }
      }
      let ready = _line.slots.indices.filter { _line[$0].isReady }
      precondition(_line.returned == ready.filter { $0 < _line.frontier }.reversed())
      precondition(_line.frontier == ready.first { $0 >= _line.frontier } ?? _line.slots.endIndex)
    }
  }
#else
  extension PendingChangeQueue {
    @inlinable
    @inline(__always)
    func _checkInvariants() {}
  }
#endif
