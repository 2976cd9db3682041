internal import PendingChanges

extension FileChangeWriter._StateMachine {
  #if InternalChecks
    /// Traps where the parts of the machine do not tell the same story.
    ///
    /// - Complexity: O(*n*) for *n* changes and failures.
    func _checkInvariants() {
      let inFlight = Set(queue.inFlight.map(\.id))
      precondition(sleeping.keys.allSatisfy(inFlight.contains), "Only what is in flight sleeps")
      let paused = sleeping.filter { $0.value == .paused }.keys
      precondition(paused.count == pauses.count && paused.allSatisfy(pauses.contains), "Every pause is known as one")
      precondition(inFlight.count == runningCount + sleeping.count, "What is in flight runs or sleeps")
      precondition(runningCount <= configuration.parallelFiles, "No more run than may")
      precondition(
        failuresInARow.values.allSatisfy { $0 < configuration.backoff.attempts }, "Enough failures are the end")
      let letters = queue.deadLetters
      precondition(letters.allSatisfy { errors[$0.key]?[$0.id] != nil }, "Every failure has its error")
      precondition(errors.values.reduce(0) { $0 + $1.count } == letters.count, "Every error has its failure")
      precondition(waiters.allSatisfy { !$0.targets.isEmpty || $0.isForTheEnd }, "Who waits waits for something")
      precondition(!hasEnded || isShutDown && runningCount == 0, "The end is the end")
      precondition(!hasEnded || isAbandoned || queue.isEmpty, "Nothing is left at the end")
      precondition(
        journal?.recorded.allSatisfy { queue.status(of: $0) != nil } ?? true, "The journal keeps only what is pending")
      precondition(room.counts(queue.inFlight + queue.waiting), "What waits is counted")
      let isFull = room.next.map { !fits($0.applicant.change) && !isShutDown } ?? true
      precondition(isFull, "Nobody waits for room that is there")
      precondition(!hasEnded || journal == nil, "At the end the journal is given back")
    }
  #else
    func _checkInvariants() {}
  #endif
}
