package import PendingChanges

// How a change gets into the writer, at once, when the journal has it, or when the limit allows it; and out of it
// again.

extension FileChangeWriter._StateMachine {
  /// Whether a change is accepted only after a while: when the journal has it, or others have left room for it.
  package func waits(_ change: FileChange, _ durability: FileChangeWriter.Durability) -> Bool {
    records(change, durability) || !admission.isIdle || !batches.line.isEmpty || !fits(change)
  }

  /// Whether a change has to be recorded before it is accepted.
  private func records(_ change: FileChange, _ durability: FileChangeWriter.Durability) -> Bool {
    guard journal.isOpen else { return false }
    // A change that gives way to the one that waits is as durable as that one: so that one must be recorded.
    if case .keep = configuration.coalescing { return true }
    return durability == .journal || journal.knows(change.path)
  }

  /// Takes in a change that does not have to wait.
  package mutating func submit(
    _ change: FileChange
  ) throws(FileChangeError) -> (id: PendingChangeID, actions: [Action]) {
    defer { _checkInvariants() }
    try check(change)
    let insertion = insert(change, policy: configuration.coalescing)
    return (insertion.id, proceed())
  }

  /// Takes in a change that waits, and whose submission is acknowledged later.
  package mutating func submit(
    _ change: FileChange, _ durability: FileChangeWriter.Durability, ticket: Int
  ) throws(FileChangeError) -> [Action] {
    defer { _checkInvariants() }
    try check(change)
    if batches.holdsUp(change.path) || configuration.parallelFiles == 1 && !batches.line.isEmpty {
      batches.line.append(.init(ticket: ticket, submission: .change(change, durability)))
      return endPauses() + proceed()
    }
    if admission.isIdle, !batches.waitsForRoom, fits(change) { return letIn(change, durability, ticket) + proceed() }
    admission.enqueue(change, durability, ticket: ticket)
    // What a pause holds back keeps a caller waiting now.
    return endPauses() + proceed()
  }

  /// Lets a submission go on that waits for room, with an error; one that does not wait for that any more stays.
  package mutating func withdraw(_ ticket: Int) -> [Action] {
    defer { _checkInvariants() }
    if let waiting = batches.withdraw(ticket) { return [refusal(of: waiting, .cancelled)] + proceed() }
    guard let submission = admission.withdraw(ticket) else { return [] }
    // There may be room for the next one.
    return [refusal(of: submission, ticket, .cancelled)] + proceed()
  }

  /// Refuses everything that waits for room, as what is submitted from now on.
  mutating func refuseWaiting() -> [Action] {
    var refusals = batches.line.map { refusal(of: $0, .isShutDown) }
    batches.line = []
    while let (ticket, submission) = admission.next {
      _ = admission.withdraw(ticket)
      refusals.append(refusal(of: submission, ticket, .isShutDown))
    }
    return refusals
  }

  private func refusal(of waiting: FileChangeWriter._Batches.Waiting, _ reason: FileChangeError.Reason) -> Action {
    let error = FileChangeError(path: waiting.paths[0], operation: .submit, reason: reason)
    return .acknowledge(ticket: waiting.ticket, .failure(error))
  }

  private func refusal(
    of submission: FileChangeWriter._Admission.WaitingSubmission, _ ticket: Int, _ reason: FileChangeError.Reason
  ) -> Action {
    let error = FileChangeError(path: submission.change.path, operation: .submit, reason: reason)
    return .acknowledge(ticket: ticket, .failure(error))
  }

  /// Takes back those changes that are not being carried out at this moment.
  ///
  /// - Parameter ticket: Under which ticket a caller waits until the journal knows, if it has one of them.
  /// - Returns: The changes that were taken back, and whether it is waited for the journal.
  package mutating func cancel(
    _ ids: [PendingChangeID], ticket: Int
  ) -> (changes: [FileChange], isRecorded: Bool, actions: [Action]) {
    defer { _checkInvariants() }
    var (changes, isRecorded, actions): ([FileChange], Bool, [Action]) = ([], false, [])
    for id in ids {
      guard let change = takeBack(id, awakening: &actions) else { continue }
      changes.append(change)
      if journal.forget(id, of: change.path) { isRecorded = true }
    }
    if isRecorded { journal.stage(nil, ticket: ticket) }
    return (changes, isRecorded, changes.isEmpty ? [] : actions + proceed())
  }

  private mutating func takeBack(_ id: PendingChangeID, awakening actions: inout [Action]) -> FileChange? {
    let status = queue.status(of: id)
    let isRunning = status == .inFlight && !sleepers.contains(id)
    guard phase == .open, !isRunning, let isFailure = status.map({ $0 == .deadLetter }),
      let entry = queue.remove(id: id)
    else { return nil }
    if status == .waiting || status == .waitingForKey { holding.release(entry.key) }
    let isAwakened = sleepers.remove(id) != nil
    if isAwakened {
      failuresInARow[entry.key] = nil
      actions.append(.awaken(id))
    }
    if !isFailure {
      counts.cancelled += 1
      admission.remove(entry)
    }
    forgetReplacedErrors(of: entry.key)
    waiters.retarget(entry.key, newest: queue.newest(for: entry.key)?.id)
    return entry.change
  }

  private func check(_ change: FileChange) throws(FileChangeError) {
    let reason = phase > .open ? .isShutDown : journal.objection(to: change)
    if let reason = reason ?? configuration.options.objection(to: change.path) {
      throw FileChangeError(path: change.path, operation: .submit, reason: reason)
    }
  }

  // MARK: Admission

  /// Lets in what the limit allows, in the order of the calls.
  ///
  /// None overtakes: a change of a file must not come in before an older one, and a large one not wait for ever.
  mutating func admit() -> [Action] {
    var actions: [Action] = []
    while !batches.waitsForRoom, let (ticket, submission) = admission.next, fits(submission.change) {
      _ = admission.withdraw(ticket)
      actions += letIn(submission.change, submission.durability, ticket)
    }
    return actions
  }

  mutating func letIn(
    _ change: FileChange, _ durability: FileChangeWriter.Durability, _ ticket: Int
  ) -> [Action] {
    guard records(change, durability), !isKeptOut(change) else {
      let insertion = insert(change, policy: configuration.coalescing)
      return [.acknowledge(ticket: ticket, .success(insertion.id))]
    }
    admission.stage(change, ticket: ticket, inPlaceOf: isRoomFor(change) ? nil : replaceable(by: change))
    journal.stage(change, ticket: ticket)
    holding.submit()
    return []
  }

  /// Whether the change gives way to the one that waits: it is not accepted, so that there is nothing to record.
  private func isKeptOut(_ change: FileChange) -> Bool {
    guard case .keep = configuration.coalescing, let entry = queue.newest(for: change.path) else { return false }
    return queue.status(of: entry.id) != .inFlight
  }

  func fits(_ change: FileChange) -> Bool {
    // The usual case, for which the queue need not be searched.
    if isRoomFor(change) || isKeptOut(change) { return true }
    guard let older = replaceable(by: change) else { return false }
    let byteCounts = [change, older.change].map(FileChangeWriter._Admission.byteCount)
    return admission.fits(byteCounts[0], inPlaceOf: byteCounts[1])
  }

  private func isRoomFor(_ change: FileChange) -> Bool {
    admission.fits(FileChangeWriter._Admission.byteCount(of: change))
  }

  /// The change that waits and that this one takes the place of.
  private func replaceable(by change: FileChange) -> PendingChangeQueue<FileChange>.Entry? {
    switch configuration.coalescing {
    // How large a merged change is shows only afterwards.
    case .keep, .merge: return nil
    case .replace, .moveToEnd: break
    }
    guard let older = queue.newest(for: change.path), queue.status(of: older.id) != .inFlight,
      !admission.hasCredit(older.id)
    else { return nil }
    return older
  }

  // MARK: The queue

  mutating func insert(
    _ change: FileChange, policy: PendingChangeQueue<FileChange>.Policy
  ) -> PendingChangeQueue<FileChange>.Insertion {
    let accepted = isAfterUnconditional(change) ? change.unconditional : change
    let insertion = queue.insert(accepted, policy: policy)
    if let displaced = insertion.displaced { admission.remove(displaced) }
    switch insertion.outcome {
    case .kept: break
    case .merged: admission.add(queue[insertion.id]?.change ?? accepted)
    case .added, .replaced, .movedToEnd: admission.add(accepted)
    }
    counts.accepted += 1
    if insertion.outcome != .added { counts.coalesced += 1 }
    forgetReplacedErrors(of: change.path)
    return insertion
  }

  /// Whether the change takes the place of one that would have been carried out whatever the file is.
  ///
  /// One after the other, the newer would find what the older has made of the file, and that is no conflict.
  private func isAfterUnconditional(_ change: FileChange) -> Bool {
    guard change.base != nil, let older = queue.newest(for: change.path), older.change.base == nil else { return false }
    return queue.status(of: older.id) != .inFlight
  }
}
