internal import PendingChanges

extension Outbox._StateMachine {
  #if InternalChecks
    /// Traps where the parts of the machine contradict each other.
    ///
    /// - Complexity: O(*n*) for *n* changes and dead letters.
    func _checkInvariants() {
      let inFlight = Set(queue.inFlight.map(\.id))
      let parts = [Array(running), Array(sleepers.ids), Array(due), Array(ending.keys), held.ids]
      precondition(Set(parts.joined()) == inFlight, "What is in flight to the queue is somewhere")
      precondition(parts.reduce(0) { $0 + $1.count } == inFlight.count, "It is in one part only")
      precondition(running.count <= configuration.parallelKeys, "No more run than may")
      let all = queue.inFlight + queue.waiting + queue.deadLetters
      precondition(Set(table.ids) == Set(all.map(\.id)), "Everything is known, and nothing else")
      precondition(Set(letters.values.joined()) == Set(queue.deadLetters.map(\.id)), "Every dead letter is known")
      precondition(letters.allSatisfy { key, ids in ids.allSatisfy { queue[$0]?.key == key } }, "Of its key")
      let byteCount = (queue.inFlight + queue.waiting).reduce(0) { $0 + (table[$1.id]?.byteCount ?? 0) }
      precondition(table.pendingByteCount == byteCount, "What waits is counted")
      precondition(held.isEmpty || self.inFlight != nil, "Nothing is held without a write")
      if case .merge = Change.policy {
        precondition(letters.keys.allSatisfy { queue.newest(for: $0) == nil }, "A newer change takes letters along")
      }
      precondition(inFlight.isSuperset(of: unrecorded.keys), "What is not recorded is there")
      precondition(phase < .givingBack || running.isEmpty, "The end is the end")
    }
  #else
    func _checkInvariants() {}
  #endif
}
