#if InternalChecks
  internal import UniqueQueues

  extension PendingChangeQueue {
    /// Checks the conditions that hold between any two calls; in a long queue only now and then.
    @usableFromInline
    @inline(never)
    func _checkInvariants() {
      guard _schedule.slots.count <= 64 || _nextGeneration % 61 == 0 else { return }
      let extras = _schedule.slots.compactMap { _schedule.extras(of: $0) }
      precondition(_schedule.slots.count { $0.isReady } + extras.count { $0.follower != nil } == _waitingCount)
      precondition(_schedule.slots.count { $0.isInFlight } == _inFlightCount)
      precondition(extras.reduce(0) { $0 + $1.failures.count } == _failureCount)
      precondition(extras.count == _schedule.extras.count && !extras.contains { $0.isEmpty })
      precondition(extras.allSatisfy { $0.follower != nil || !$0.followerReplaces })
      precondition(_schedule.epoch == _schedule.slots.epoch)
      precondition(_schedule.generations.count == count + _failureCount)
      _schedule.generations.checkInvariants()
      var ready: [_Ordinal] = []
      for ordinal in _schedule.slots.ordinals where _schedule.slots.hasElement(ordinal: ordinal) {
        let slot = _schedule.read(ordinal) { $0 }
        let entries = _schedule.entries(of: slot)
        precondition(!entries.isEmpty && (slot.state == .idle) == (slot.current == nil))
        // A key may equal nothing, such as NaN: its change can wait, run and complete.
        precondition(entries.allSatisfy { $0.key == slot.key || slot.key != slot.key })
        precondition(entries.allSatisfy { $0.id.rawValue < _nextGeneration })
        precondition(entries.allSatisfy { _schedule.ordinal(of: $0.id) == ordinal })
        if let current = slot.current, let follower = _schedule.extras(of: slot)?.follower {
          precondition(current.id < follower.id)
        }
        if slot.isReady { ready.append(ordinal) }
      }
      let returned = Set(ready.filter { $0 < _schedule.frontier })
      precondition(returned.isSubset(of: _schedule.returned.elements) && _schedule.returned.first == returned.min())
      precondition(
        _schedule.frontier == ready.first { $0 >= _schedule.frontier } ?? _schedule.slots.ordinals.upperBound)
    }
  }

  extension _Generations {
    /// Checks that numbers ascend, and that the first and the last record aren't gone.
    func checkInvariants() {
      let records = (0..<span.count).map { self[slot(at: $0)] }
      precondition(span.count <= ring.count)
      precondition(zip(records, records.dropFirst()).allSatisfy { $0.number < $1.number })
      precondition(records.count { $0.isGone } == span.gapCount)
      precondition(records.first?.isGone != true && records.last?.isGone != true)
    }
  }
#else
  extension PendingChangeQueue {
    @inlinable
    @inline(__always)
    func _checkInvariants() {}
  }
#endif
