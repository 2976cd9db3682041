#if InternalChecks
  internal import UniqueQueues

  extension PendingChangeQueue {
    /// Checks everything that is always true between two calls; in a long queue only now and then.
    @usableFromInline
    @inline(never)
    func _checkInvariants() {
      guard _line.slots.count <= 64 || _nextID % 61 == 0 else { return }
      let others = _line.slots.compactMap { _line.others(of: $0) }
      precondition(_line.slots.count { $0.isReady } + others.count { $0.follower != nil } == _waitingCount)
      precondition(_line.slots.count { $0.isInFlight } == _inFlightCount)
      precondition(others.reduce(0) { $0 + $1.deadLetters.count } == _deadLetterCount)
      precondition(others.count == _line.others.count && !others.contains { $0.isEmpty })
      precondition(others.allSatisfy { $0.follower != nil || !$0.followerReplaces })
      precondition(_line.layout == _line.slots.layout)
      precondition(_line.generations.count == count + _deadLetterCount)
      _line.generations.checkInvariants()
      var ready: [Int] = []
      for place in _line.slots.arrivals where _line.slots.hasElement(arrival: place) {
        let slot = _line.read(place) { $0 }
        let entries = _line.entries(of: slot)
        precondition(!entries.isEmpty && (slot.state == .idle) == (slot.current == nil))
        precondition(entries.allSatisfy { $0.key == slot.key && $0.id.rawValue < _nextID })
        precondition(entries.allSatisfy { _line.place(of: $0.id) == place })
        if let current = slot.current, let follower = _line.others(of: slot)?.follower {
          precondition(current.id < follower.id)
        }
        if slot.isReady { ready.append(place) }
      }
      let returned = Set(ready.filter { $0 < _line.frontier })
      precondition(returned.isSubset(of: _line.returned.elements) && _line.returned.first == returned.min())
      precondition(_line.frontier == ready.first { $0 >= _line.frontier } ?? _line.slots.arrivals.upperBound)
    }
  }

  extension _Generations {
    /// Checks that numbers ascend, and that the first and the last are there.
    func checkInvariants() {
      let records = (0..<span).map { ring[position(at: $0)] }
      precondition(ring.count.nonzeroBitCount <= 1 && span <= ring.count)
      precondition(zip(records, records.dropFirst()).allSatisfy { $0.number < $1.number })
      precondition(records.count { $0.isGone } == goneCount)
      precondition(records.first?.isGone != true && records.last?.isGone != true)
      precondition(records.isEmpty ? first > last : first == records.first?.number && last == records.last?.number)
    }
  }
#else
  extension PendingChangeQueue {
    @inlinable
    @inline(__always)
    func _checkInvariants() {}
  }
#endif
