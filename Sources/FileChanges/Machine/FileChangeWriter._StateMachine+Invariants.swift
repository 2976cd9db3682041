internal import PendingChanges

extension FileChangeWriter._StateMachine {
  #if InternalChecks
    /// Traps where the parts of the machine do not tell the same story.
    ///
    /// - Complexity: O(*n*) for *n* changes and failures.
    func _checkInvariants() {
      let inFlight = Set(queue.inFlight.map(\.id))
      precondition(sleepers.ids.allSatisfy(inFlight.contains), "Only what is in flight sleeps")
      precondition(sleepers.isConsistent, "Every pause is known as one")
      precondition(runningCount <= configuration.parallelFiles, "No more run than may")
      precondition(
        failuresInARow.values.allSatisfy { $0 < configuration.backoff.attempts }, "Enough failures are the end")
      let letters = queue.deadLetters
      precondition(letters.allSatisfy { errors[$0.key]?[$0.id] != nil }, "Every failure has its error")
      precondition(errors.values.reduce(0) { $0 + $1.count } == letters.count, "Every error has its failure")
      precondition(waiters.all.allSatisfy { !$0.targets.isEmpty || $0.isForTheEnd }, "Every wait is for something")
      precondition(phase < .closing || runningCount == 0, "The end is the end")
      precondition(
        journal.recorded.allSatisfy { queue.status(of: $0) != nil }, "The journal keeps only what is pending")
      let waiting = Set(queue.waiting.map(\.key))
      precondition(holding.paths.allSatisfy(waiting.contains), "Only what waits is held back")
      precondition(admission.counts(queue.inFlight + queue.waiting), "What waits is counted")
      precondition(!batches.waitsForRoom || !batches.line.isEmpty, "Only a batch that waits holds up others")
      let isFull =
        admission.next.map { (!fits($0.submission.change) || batches.waitsForRoom) && phase == .open } ?? true
      precondition(isFull, "No submission waits that fits")
      precondition(phase < .ended || !journal.isOpen, "At the end the journal is given back")
    }
  #else
    func _checkInvariants() {}
  #endif
}
