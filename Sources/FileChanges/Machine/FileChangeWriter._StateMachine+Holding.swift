internal import PendingChanges

// While submissions keep coming, what the journal has is not yet written to its files.

extension FileChangeWriter._StateMachine {
  /// Time has passed, as ``Action/watch(_:)`` has asked for.
  package mutating func tick() -> [Action] {
    defer { _checkInvariants() }
    holding.tick(isBusy: !journal.isIdle)
    return proceed()
  }

  /// Whether changes are held back.
  ///
  /// What is not held must not wait for what is. A caller that waits ends the holding, and so does the size of what
  /// waits: the journal could not be written anew with less than half of its limit.
  var isHolding: Bool {
    holding.count > 0 && holding.count == queue.waitingCount && !holding.isOver && phase == .open && waiters.isEmpty
      && batches.line.isEmpty && admission.isIdle && admission.byteCount <= configuration.journalByteLimit / 2
  }

  /// Whether the change that is next may begin although changes are held back.
  var isNextDue: Bool {
    guard let next = queue.next, holding.isDue(next.key) else { return false }
    // One at a time: the callers whose submissions keep coming wait for the same device.
    return runningCount == 0 && holding.allowsDue
  }
}
