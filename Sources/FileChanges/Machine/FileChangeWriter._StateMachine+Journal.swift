internal import Journals
package import PendingChanges

extension FileChangeWriter._StateMachine {
  /// Takes in what the journal still had to be carried out.
  ///
  /// - Parameter isCutOff: Whether the device did not read the rest. That may have said that these changes are done,
  ///   and files have newer contents: a change that compares no version is a failure then, to be
  ///   tried again by a user who knows better.
  /// - Returns: The changes, and what makes the journal's file.
  package mutating func recover(
    _ contents: FileChangeWriter._JournalContents, writer: UInt64, from path: FileChange.Path, isCutOff: Bool = false
  ) -> (changes: [PendingChangeID], write: FileChangeWriter._JournalWrite?) {
    defer { _checkInvariants() }
    journal = FileChangeWriter._Journal(
      configuration: configuration, writer: writer, path: path, contents: contents, isCutOff: isCutOff)
    var batches = contents.batches[...]
    var changes: [PendingChangeID] = []
    func isDue(_ sequence: UInt64) -> Bool { batches.first.map { $0.sequence < sequence } ?? false }
    func recoverNext(_ machine: inout Self) -> [PendingChangeID] {
      machine.recover(batches.removeFirst(), isCutOff: isCutOff, isDamaged: contents.isDamaged).map { [$0] } ?? []
    }
    for record in contents.unfinished {
      while isDue(record.sequence) { changes += recoverNext(&self) }
      guard let change = record.body.change else { continue }
      // What a newer one kept out was recorded as completed: of the others the newest counts.
      var policy = configuration.coalescing
      if case .keep = policy { policy = .replace }
      let insertion = insert(change, policy: policy)
      journal.adopt(record.sequence, of: change.path, as: insertion)
      let reason = journal.objection(to: change) ?? (isCutOff && change.base == nil ? .deviceFailure : nil)
      if let reason { refuse(insertion.id, of: change.path, reason) }
    }
    while isDue(.max) { changes += recoverNext(&self) }
    let write = journal.nextWrite(isFirst: true) { [queue] in queue.recorded }
    return ((queue.waiting.map(\.id) + changes).sorted(), write)
  }

  /// Takes in a batch that the journal still had to be carried out.
  ///
  /// - Parameters:
  ///   - isCutOff: Whether what the journal had last cannot be read.
  ///   - isDamaged: Whether anything of it cannot.
  private mutating func recover(
    _ recorded: FileChangeWriter._RecordedBatch, isCutOff: Bool, isDamaged: Bool
  ) -> PendingChangeID? {
    guard let batch = try? FileChange._Batch(recorded.changes) else { return nil }
    journal.adopt(recorded)
    // A power failure can end the writing of one group in which the older of two is marked as done and the newer is
    // accepted: nobody was told that. One that is held was accepted, and the older one is tried again. So may one be
    // where the end of the older one is what cannot be read.
    let isBehind = batch.paths.contains(where: isBehindABatch)
    guard !isBehind || recorded.heldSequence != nil || isDamaged else {
      journal.end(recorded.sequence, .done)
      return nil
    }
    let objection = batch.paths.compactMap(objection).first
    let reason = recorded.heldSequence != nil ? .failedBefore : isCutOff || isBehind ? .deviceFailure : objection
    var plan = recorded.plan.map {
      FileChangeWriter._Batches.Plan(versions: $0.versions, names: journal.names(recorded.sequence))
    }
    if plan?.versions.count != batch.effects.count { plan = nil }
    // A held batch is called something, too; what stands for it in the queue goes at once. It has no place in the line
    // of a file that an older batch has: a path that no file has stands for all of its own.
    let id = adopt(batch, sequence: recorded.sequence, plan: plan, as: isBehind ? [.remove("")] : nil)
    // It may have been held, and then tried again.
    if let index = batches.index(of: id) {
      batches.open[index].replaced = .init(paths: recorded.replaced, isOpen: true)
    }
    guard let reason else {
      if let index = batches.index(of: id) {
        (batches.open[index].isRecovered, batches.open[index].past) = (true, .begun)
        if plan == nil, isDamaged { markUnclear(index) }
      }
      return id
    }
    let error = FileChangeError(path: batch.paths[0], operation: .submit, reason: reason)
    if let index = batches.index(of: id) {
      // What could not be read may have been the plan.
      if plan == nil, isCutOff || isDamaged || recorded.isUnclear { markUnclear(index) }
      _ = fail(index, error, isTakenBack: plan == nil && !batches.open[index].isUnclear, isFinal: true)
    }
    if let index = batches.held.firstIndex(where: { $0.id == id }) {
      batches.held[index].replaced.paths = recorded.replaced
      journal.adopt(replaced: recorded.replaced, of: recorded.sequence)
    }
    return id
  }

  /// Makes a recovered change a failure, since it would be refused today, or may be out of date.
  private mutating func refuse(_ id: PendingChangeID, of path: FileChange.Path, _ reason: FileChangeError.Reason) {
    let error = FileChangeError(path: path, operation: .submit, reason: reason)
    guard let entry = queue.begin(id) else { return }
    admission.remove(entry)
    queue.fail(id, retry: .never, reason: error.description)
    errors[path, default: [:]][id] = error
    counts.failed += 1
  }

  /// The write is in the journal, or `error` came of it.
  package mutating func finishWrite(error: FileChangeError?) -> [Action] {
    defer { _checkInvariants() }
    guard let (write, submissions) = journal.finishWrite(error: error) else { return [] }
    if error != nil {
      counts.journalFailures += 1
    } else {
      counts.journalGroups += write.isSynchronized ? 1 : 0
      counts.countJournal(write.byteCount)
    }
    let acknowledgements = submissions.flatMap { submission, sequence in
      if let id = submission.planned { return finishPlan(id, error: error) }
      return [acknowledge(submission, sequence, error: error)]
    }
    return acknowledgements + proceed()
  }

  private mutating func acknowledge(
    _ submission: FileChangeWriter._Journal.Submission, _ sequence: UInt64, error: FileChangeError?
  ) -> Action {
    admission.unstage(submission.ticket)
    if let error { return .acknowledge(ticket: submission.ticket, .failure(error)) }
    if let batch = submission.batch {
      journal.adopt(batch, as: sequence)
      let id = adopt(batch, sequence: sequence)
      return .acknowledge(ticket: submission.ticket, .success(id))
    }
    guard let change = submission.change else { return .acknowledge(ticket: submission.ticket, .success(nil)) }
    let insertion = insert(change, policy: configuration.coalescing)
    journal.adopt(sequence, of: change.path, as: insertion)
    if [.waiting, .waitingForKey].contains(queue.status(of: insertion.id)) { holding.hold(change.path) }
    // A shutdown waits for what was on its way as well.
    waiters.extendToTheEnd(change.path, insertion.id)
    return .acknowledge(ticket: submission.ticket, .success(insertion.id))
  }

  /// The journal was given back.
  package mutating func closedJournal() -> [Action] {
    defer { _checkInvariants() }
    journal.close()
    return proceed()
  }
}
