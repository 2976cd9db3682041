package import PendingChanges
internal import UniqueQueues

// Submitting: a change is accepted at once, or when the journal has it, or when the limit allows it. It can be
// canceled.

extension FileChangeWriter._StateMachine {
  /// Whether a change is accepted only later: when the journal has it, or when other changes have left room for it.
  package func waits(_ change: FileChange, _ durability: FileChangeWriter.Durability) -> Bool {
    records(change, durability) || !admission.tickets.isEmpty || !fits(change)
  }

  /// Whether a change must be recorded before it is accepted.
  private func records(_ change: FileChange, _ durability: FileChangeWriter.Durability) -> Bool {
    guard journal.isOpen else { return false }
    // A change that is dropped in favor of a waiting one relies on that one, which must be recorded, too.
    if case .keep = configuration.coalescing { return true }
    return durability == .journal || journal.knows(change.path)
  }

  /// Accepts a change that doesn't have to wait.
  package mutating func submit(
    _ change: FileChange
  ) throws(FileChangeError) -> (id: PendingChangeID, actions: [Action]) {
    try check(change)
    let insertion = insert(change, policy: configuration.coalescing)
    return (insertion.id, proceed())
  }

  /// Submits a change that has to wait; it is acknowledged later.
  package mutating func submit(
    _ change: FileChange, _ durability: FileChangeWriter.Durability, ticket: Int
  ) throws(FileChangeError) -> [Action] {
    try check(change)
    if admission.tickets.isEmpty, fits(change) { return admit(change, durability, ticket) + proceed() }
    return enqueue(.change(change, durability), ticket: ticket)
  }

  /// Submits a batch, which is acknowledged later.
  package mutating func submit(_ batch: FileChange._Batch, ticket: Int) throws(FileChangeError) -> [Action] {
    for path in batch.paths { try check(FileChange.remove(path)) }
    if journal.isOpen, !FileChangeWriter._JournalBody.batch(batch.changes).fits {
      throw FileChangeError(path: batch.paths[0], operation: .submit, reason: .tooLarge)
    }
    return enqueue(.batch(batch), ticket: ticket)
  }

  private mutating func enqueue(_ submission: FileChangeWriter._Admission.Submission, ticket: Int) -> [Action] {
    admission.enqueue(submission, ticket: ticket)
    // A pause must not delay the changes that this submission waits for.
    return endPauses() + proceed()
  }

  /// Throws if the writer refuses the change.
  func check(_ change: FileChange) throws(FileChangeError) {
    if let reason = objection(to: change) {
      throw FileChangeError(path: change.path, operation: .submit, reason: reason)
    }
  }

  /// The reason why the writer refuses the change; nil if it accepts it.
  func objection(to change: FileChange) -> FileChangeError.Reason? {
    if phase > .open { return .closed }
    return journal.objection(to: change) ?? configuration.options.objection(to: change.path)
  }

  /// Cancels a submission that waits for admission; does nothing if it no longer waits.
  package mutating func withdraw(_ ticket: Int) -> [Action] {
    guard let refusal = refuse(ticket, .cancelled) else { return [] }
    // There may be room for the next submission now.
    return [refusal] + proceed()
  }

  mutating func refuse(_ ticket: Int, _ reason: FileChangeError.Reason) -> Action? {
    guard let submission = admission.withdraw(ticket) else { return nil }
    let error = FileChangeError(path: submission.paths[0], operation: .submit, reason: reason)
    return .acknowledge(ticket: ticket, .failure(error))
  }

  /// Cancels those of the changes that aren't running.
  ///
  /// - Parameter ticket: The ticket of the caller, who waits if the journal has one of the changes.
  /// - Returns: The canceled changes, and whether the cancellation is being recorded.
  package mutating func cancel(
    _ ids: [PendingChangeID], ticket: Int
  ) -> (changes: [FileChange], isRecorded: Bool, actions: [Action]) {
    var (changes, isRecorded, actions): ([FileChange], Bool, [Action]) = ([], false, [])
    for id in ids {
      guard let change = cancel(id, awakening: &actions) else { continue }
      changes.append(change)
      if journal.forget(id, of: change.path) { isRecorded = true }
    }
    if isRecorded { journal.stage(.mark(ticket: ticket)) }
    return (changes, isRecorded, changes.isEmpty ? [] : actions + proceed())
  }

  private mutating func cancel(_ id: PendingChangeID, awakening actions: inout [Action]) -> FileChange? {
    let status = queue.status(of: id)
    let isRunning = status == .inFlight && !sleepers.contains(id)
    guard phase == .open, !isRunning, let isFailure = status.map({ $0 == .failure }),
      let entry = queue.remove(id: id)
    else { return nil }
    if status == .waiting || status == .waitingForKey { writeDelay.release(entry.key) }
    if sleepers.remove(id) {
      failuresInARow[entry.key] = nil
      actions.append(.awaken(id))
    }
    if !isFailure {
      counts.cancelled += 1
      admission.remove(entry)
    }
    errors[id] = nil
    waiters.retarget(entry.key, newest: queue.newest(for: entry.key)?.id)
    return entry.change
  }

  // MARK: Admission

  /// Admits submissions that have room and don't wait for another change of their files, in the order of the calls.
  ///
  /// Nothing overtakes a submission that waits for room; otherwise a large one could wait forever. A submission that
  /// waits for changes of its files is overtaken by submissions for other files.
  mutating func admit() -> [Action] {
    var actions: [Action] = []
    var admitted: [Int] = []
    var blocked: Set<FileChange.Path> = []
    for ticket in admission.tickets {
      guard let submission = admission[ticket] else { continue }
      let paths = submission.paths
      if !paths.contains(where: blocked.contains), isFree(submission) {
        guard let news = admit(submission, ticket) else { break }
        actions += news
        admitted.append(ticket)
      } else if keepsOrder {
        break
      } else {
        blocked.formUnion(paths)
      }
    }
    for ticket in admitted { _ = admission.withdraw(ticket) }
    return actions
  }

  /// Whether the order of all files is kept.
  var keepsOrder: Bool { configuration.parallelFiles == 1 }

  /// Whether only the limit can keep out the submission, if it is first in line.
  func isFree(_ submission: FileChangeWriter._Admission.Submission) -> Bool {
    if case .batch(let batch) = submission { isInTurn && hasFreePaths(batch) } else { true }
  }

  func hasRoom(for submission: FileChangeWriter._Admission.Submission) -> Bool {
    switch submission {
    case .change(let change, _): fits(change)
    case .batch(let batch): admission.fits(byteCount(of: batch))
    }
  }

  /// - Returns: The actions; nil if the limit doesn't allow it.
  private mutating func admit(_ submission: FileChangeWriter._Admission.Submission, _ ticket: Int) -> [Action]? {
    if case .batch(let batch) = submission, let failure = failureOfSource(of: batch) {
      return [.acknowledge(ticket: ticket, .failure(failure))]
    }
    guard hasRoom(for: submission) else { return nil }
    switch submission {
    case .change(let change, let durability): return admit(change, durability, ticket)
    case .batch(let batch):
      guard journal.isOpen else {
        return [.acknowledge(ticket: ticket, .success(batches.open[adopt(batch, sequence: nil)].id))]
      }
      admission.stage(byteCount: byteCount(of: batch), ticket: ticket)
      journal.stage(.batch(batch, ticket: ticket))
      return []
    }
  }

  private mutating func admit(
    _ change: FileChange, _ durability: FileChangeWriter.Durability, _ ticket: Int
  ) -> [Action] {
    guard records(change, durability), !isDropped(change) else {
      let insertion = insert(change, policy: configuration.coalescing)
      return [.acknowledge(ticket: ticket, .success(insertion.id))]
    }
    let byteCount = change.recordByteCount
    let older = admission.fits(byteCount) ? nil : replaceable(by: change)
    admission.stage(byteCount: byteCount, ticket: ticket, inPlaceOf: older)
    journal.stage(.change(change, ticket: ticket))
    writeDelay.submit()
    return []
  }

  /// Whether the change is dropped in favor of the waiting one, so that it isn't recorded.
  private func isDropped(_ change: FileChange) -> Bool {
    guard case .keep = configuration.coalescing, let entry = queue.newest(for: change.path) else { return false }
    return queue.status(of: entry.id) != .inFlight
  }

  private func fits(_ change: FileChange) -> Bool {
    let byteCount = change.recordByteCount
    // In the usual case the queue isn't searched.
    if admission.fits(byteCount) || isDropped(change) { return true }
    return replaceable(by: change).map { admission.fits(byteCount, inPlaceOf: $0.change.recordByteCount) } ?? false
  }

  /// The waiting change that this one will replace.
  private func replaceable(by change: FileChange) -> PendingChangeQueue<FileChange>.Entry? {
    // The size of a merged change is known only after the merge.
    guard configuration.coalescing.replacesOlder, let older = queue.newest(for: change.path),
      queue.status(of: older.id) != .inFlight, !admission.hasCredit(older.id)
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
    for failure in insertion.displacedFailures { errors[failure.id] = nil }
    return insertion
  }

  /// Whether the change replaces one that compares no version.
  ///
  /// If both were applied, the newer change would find the version that the older one left, which isn't a conflict.
  private func isAfterUnconditional(_ change: FileChange) -> Bool {
    guard change.base != nil, let older = queue.newest(for: change.path), older.change.base == nil else { return false }
    return queue.status(of: older.id) != .inFlight
  }
}
