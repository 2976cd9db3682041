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
    let objection = batch.paths.compactMap { self.objection(to: FileChange.remove($0)) }.first
    let reason = recorded.heldSequence != nil ? .failedBefore : isCutOff || isBehind ? .deviceFailure : objection
    // A held batch is called something, too; what stands for it in the queue goes at once. It has no place in the line
    // of a file that an older batch has: a path that no file has stands for all of its own.
    let index = adopt(batch, sequence: recorded.sequence, as: isBehind ? [.remove("")] : nil)
    let id = batches.open[index].id
    (batches.open[index].origin, batches.open[index].past) = (.journal, .begun)
    // It may have been held, and then tried again.
    batches.open[index].replaced = .init(paths: recorded.replaced, isOpen: true)
    var remains = FileChangeWriter._Batches.Remains.nothing
    if let plan = recorded.plan, plan.versions.count == batch.effects.count {
      let plan = FileChangeWriter._Batches.Plan(versions: plan.versions, names: journal.names(recorded.sequence))
      (batches.open[index].stage, remains) = (.planned(plan), .part(plan))
    } else if isCutOff || isDamaged || recorded.hasUnreadablePlan {
      // What could not be read may have been the plan.
      (batches.open[index].origin, remains) = (.damagedJournal, .unknown)
    }
    guard let reason else { return id }
    let error = FileChangeError(path: batch.paths[0], operation: .submit, reason: reason)
    _ = fail(index, error, leaving: remains, isFinal: true)
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
    return submissions.flatMap { acknowledge($0, $1, error: error) } + proceed()
  }

  private mutating func acknowledge(
    _ submission: FileChangeWriter._Journal.Submission, _ sequence: UInt64, error: FileChangeError?
  ) -> [Action] {
    guard let ticket = submission.ticket else {
      if case .batchRecord(let id) = submission { return finishRecord(of: id, error: error) }
      return []
    }
    admission.unstage(ticket)
    if let error { return [.acknowledge(ticket: ticket, .failure(error))] }
    switch submission {
    case .batch(let batch, _):
      journal.adopt(.init(sequence: sequence, changes: batch.changes))
      let id = batches.open[adopt(batch, sequence: sequence)].id
      return [.acknowledge(ticket: ticket, .success(id))]
    case .change(let change, _):
      let insertion = insert(change, policy: configuration.coalescing)
      journal.adopt(sequence, of: change.path, as: insertion)
      if [.waiting, .waitingForKey].contains(queue.status(of: insertion.id)) { holding.hold(change.path) }
      // A shutdown waits for what was on its way as well.
      waiters.extendToTheEnd(change.path, insertion.id)
      return [.acknowledge(ticket: ticket, .success(insertion.id))]
    case .mark, .batchRecord: return [.acknowledge(ticket: ticket, .success(nil))]
    }
  }

  /// The journal was given back.
  package mutating func closedJournal() -> [Action] {
    defer { _checkInvariants() }
    journal.close()
    return proceed()
  }
}
