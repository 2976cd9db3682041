package import PendingChanges
internal import UniqueQueues

// How a change gets into the writer, at once, when the journal has it, or when the limit allows it; and out of it
// again.

extension FileChangeWriter._StateMachine {
  /// Whether a change is accepted only after a while: when the journal has it, or others have left room for it.
  package func waits(_ change: FileChange, _ durability: FileChangeWriter.Durability) -> Bool {
    records(change, durability) || !admission.line.isEmpty || !fits(change)
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
    if admission.line.isEmpty, fits(change) { return letIn(change, durability, ticket) + proceed() }
    return enqueue(.change(change, durability), ticket: ticket)
  }

  /// Takes in a batch whose submission is acknowledged later.
  package mutating func submit(_ batch: FileChange._Batch, ticket: Int) throws(FileChangeError) -> [Action] {
    defer { _checkInvariants() }
    for path in batch.paths { try check(FileChange.remove(path)) }
    if journal.isOpen, !FileChangeWriter._JournalBody.batch(batch.changes).fits {
      throw FileChangeError(path: batch.paths[0], operation: .submit, reason: .tooLarge)
    }
    return enqueue(.batch(batch), ticket: ticket)
  }

  private mutating func enqueue(_ submission: FileChangeWriter._Admission.Submission, ticket: Int) -> [Action] {
    admission.enqueue(submission, ticket: ticket)
    // What a pause holds back keeps a caller waiting now.
    return endPauses() + proceed()
  }

  private func check(_ change: FileChange) throws(FileChangeError) {
    if let reason = objection(to: change) {
      throw FileChangeError(path: change.path, operation: .submit, reason: reason)
    }
  }

  /// Why the writer does not take the change, or nil where it does.
  func objection(to change: FileChange) -> FileChangeError.Reason? {
    if phase > .open { return .closed }
    return journal.objection(to: change) ?? configuration.options.objection(to: change.path)
  }

  /// Lets a submission go on that waits in line, with an error; one that does not wait there any more stays.
  package mutating func withdraw(_ ticket: Int) -> [Action] {
    defer { _checkInvariants() }
    guard let refusal = refuse(ticket, .cancelled) else { return [] }
    // There may be room for the next one.
    return [refusal] + proceed()
  }

  /// Refuses everything that waits in line, as what is submitted from now on.
  mutating func refuseWaiting() -> [Action] {
    let line = admission.line
    return line.compactMap { refuse($0, .closed) }
  }

  private mutating func refuse(_ ticket: Int, _ reason: FileChangeError.Reason) -> Action? {
    guard let submission = admission.withdraw(ticket) else { return nil }
    let error = FileChangeError(path: submission.paths[0], operation: .submit, reason: reason)
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
    if isRecorded { journal.stage(.mark(ticket: ticket)) }
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

  // MARK: Admission

  /// Lets in what waits for no other change of its files and has room, in the order of the calls.
  ///
  /// Nothing overtakes what waits for room, or a large one could wait for ever. What waits for changes of its files is
  /// overtaken by what is about other files.
  mutating func admit() -> [Action] {
    var actions: [Action] = []
    var admitted: [Int] = []
    var blocked: Set<FileChange.Path> = []
    for ticket in admission.line {
      guard let submission = admission[ticket] else { continue }
      let paths = submission.paths
      if !paths.contains(where: blocked.contains), isFree(submission) {
        guard let news = letIn(submission, ticket) else { break }
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

  /// Whether nothing but the limit keeps out what is first in line.
  func isFree(_ submission: FileChangeWriter._Admission.Submission) -> Bool {
    switch submission {
    case .change: true
    case .batch(let batch): isFree(batch)
    }
  }

  func hasRoom(for submission: FileChangeWriter._Admission.Submission) -> Bool {
    switch submission {
    case .change(let change, _): fits(change)
    case .batch(let batch): admission.fits(byteCount(of: batch))
    }
  }

  /// - Returns: What is to be done; nil where there is no room.
  private mutating func letIn(_ submission: FileChangeWriter._Admission.Submission, _ ticket: Int) -> [Action]? {
    if case .batch(let batch) = submission, let failure = failureOfSource(of: batch) {
      return [.acknowledge(ticket: ticket, .failure(failure))]
    }
    guard hasRoom(for: submission) else { return nil }
    return switch submission {
    case .change(let change, let durability): letIn(change, durability, ticket)
    case .batch(let batch): letIn(batch, ticket)
    }
  }

  private mutating func letIn(
    _ change: FileChange, _ durability: FileChangeWriter.Durability, _ ticket: Int
  ) -> [Action] {
    guard records(change, durability), !isKeptOut(change) else {
      let insertion = insert(change, policy: configuration.coalescing)
      return [.acknowledge(ticket: ticket, .success(insertion.id))]
    }
    let byteCount = FileChangeWriter._Admission.byteCount(of: change)
    let older = admission.fits(byteCount) ? nil : replaceable(by: change)
    admission.stage(byteCount: byteCount, ticket: ticket, inPlaceOf: older)
    journal.stage(.change(change, ticket: ticket))
    holding.submit()
    return []
  }

  /// Whether the change gives way to the one that waits: it is not accepted, so that there is nothing to record.
  private func isKeptOut(_ change: FileChange) -> Bool {
    guard case .keep = configuration.coalescing, let entry = queue.newest(for: change.path) else { return false }
    return queue.status(of: entry.id) != .inFlight
  }

  private func fits(_ change: FileChange) -> Bool {
    let byteCount = FileChangeWriter._Admission.byteCount(of: change)
    // The usual case, for which the queue need not be searched.
    if admission.fits(byteCount) || isKeptOut(change) { return true }
    guard let older = replaceable(by: change) else { return false }
    return admission.fits(byteCount, inPlaceOf: FileChangeWriter._Admission.byteCount(of: older.change))
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
