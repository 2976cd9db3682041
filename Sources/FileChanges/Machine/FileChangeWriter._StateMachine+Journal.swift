internal import Journals
package import PendingChanges

extension FileChangeWriter._StateMachine {
  /// Queues the changes that the journal still has.
  ///
  /// - Parameter isCutOff: Whether the device could not read the rest. The rest may have said that these changes are
  ///   done and their files have newer contents. So a change that compares no version becomes a failure, which the user
  ///   can retry.
  /// - Returns: The changes, and the first write, which makes the journal's file.
  package mutating func recover(
    _ contents: FileChangeWriter._JournalContents, writer: UInt64, from path: FileChange.Path, isCutOff: Bool = false
  ) -> (changes: [PendingChangeID], write: FileChangeWriter._JournalWrite?) {
    defer { _checkInvariants() }
    journal = FileChangeWriter._Journal(
      configuration: configuration, writer: writer, path: path, contents: contents, isCutOff: isCutOff)
    let batches = Dictionary(uniqueKeysWithValues: contents.batches.map { ($0.sequence, $0) })
    let unfinished = Set(contents.unfinished.map(\.sequence))
    var changes: [PendingChangeID] = []
    for record in contents.records {
      let batch = batches[record.sequence]
      let id = batch.flatMap { recover($0, isCutOff: isCutOff, isDamaged: contents.isDamaged) }
      if let id { changes.append(id) }
      guard unfinished.contains(record.sequence), let change = record.body.change else { continue }
      // With `keep`, a change that was not accepted was recorded as completed; the newest of the rest counts.
      var policy = configuration.coalescing
      if case .keep = policy { policy = .replace }
      let insertion = insert(change, policy: policy)
      journal.adopt(record.sequence, of: change.path, as: insertion)
      let reason = journal.objection(to: change) ?? (isCutOff && change.base == nil ? .deviceFailure : nil)
      if let reason { refuse(insertion.id, of: change.path, reason) }
    }
    let write = journal.nextWrite(isFirst: true) { [queue] in queue.recorded }
    return ((queue.waiting.map(\.id) + changes).sorted(), write)
  }

  /// Queues a batch that the journal still has.
  ///
  /// - Parameters:
  ///   - isCutOff: Whether the last part of the journal cannot be read.
  ///   - isDamaged: Whether any part of it cannot be read.
  private mutating func recover(
    _ recorded: FileChangeWriter._RecordedBatch, isCutOff: Bool, isDamaged: Bool
  ) -> PendingChangeID? {
    let batch = recorded.batch
    journal.batches[recorded.sequence] = recorded
    // A power failure can interrupt the write of a group that marks an older batch as done and accepts a newer one. The
    // newer batch was then never acknowledged, so it is dropped. But it is kept if it failed, because then it had been
    // accepted, and the older one is a retry. It is also kept if the record that ends the older batch may be
    // unreadable.
    let isBehind = batch.paths.contains { isBehindABatch($0) }
    guard !isBehind || recorded.heldSequence != nil || isDamaged else {
      journal.end(recorded.sequence, .done)
      return nil
    }
    let objection = batch.paths.compactMap { self.objection(to: FileChange.remove($0)) }.first
    let reason = recorded.heldSequence != nil ? .failedBefore : isCutOff || isBehind ? .deviceFailure : objection
    // A failed batch needs an id, too, so it gets a placeholder, which leaves the queue at once. If an older batch has
    // the file, the placeholder must not wait for it, so it has a path that no file has.
    let index = adopt(batch, sequence: recorded.sequence, as: isBehind ? [.remove("")] : nil)
    let id = batches.open[index].id
    (batches.open[index].origin, batches.open[index].past) = (.journal, .begun)
    // It may have failed before and been tried again.
    batches.open[index].replaced = .init(paths: recorded.replaced, isOpen: true)
    var remains = FileChangeWriter._Batches.Remains.nothing
    if let plan = recorded.plan, plan.versions.count == batch.effects.count {
      let plan = FileChangeWriter._Batches.Plan(versions: plan.versions, names: journal.names(recorded.sequence))
      (batches.open[index].stage, remains) = (.planned(plan), .part(plan))
    } else if isCutOff || isDamaged || recorded.hasUnreadablePlan {
      // The unreadable part may have been the plan.
      (batches.open[index].origin, remains) = (.damagedJournal, .unknown)
    }
    guard let reason else { return id }
    let error = FileChangeError(path: batch.paths[0], operation: .submit, reason: reason)
    _ = fail(index, error, leaving: remains, isFinal: true)
    if let index = batches.held.firstIndex(where: { $0.id == id }) {
      batches.held[index].replaced.paths = recorded.replaced
      journal.batches[recorded.sequence]?.replaced = recorded.replaced
    }
    return id
  }

  /// Makes a recovered change a failure, because it may be out of date or would be refused today.
  private mutating func refuse(_ id: PendingChangeID, of path: FileChange.Path, _ reason: FileChangeError.Reason) {
    let error = FileChangeError(path: path, operation: .submit, reason: reason)
    if let entry = queue.begin(id) { _ = fail(entry, error, isFinal: true) }
  }

  /// Handles the end of a write to the journal: `error` is nil if it succeeded.
  package mutating func finishWrite(error: FileChangeError?) -> [Action] {
    guard let (write, submissions) = journal.finishWrite(error: error) else { return [] }
    if error != nil {
      counts.journalFailures += 1
    } else {
      counts.journalGroups += write.isSynchronized ? 1 : 0
    }
    return submissions.flatMap { acknowledge($0, $1, error: error) } + proceed()
  }

  private mutating func acknowledge(
    _ submission: FileChangeWriter._Journal.Submission, _ sequence: UInt64, error: FileChangeError?
  ) -> [Action] {
    if case .batchRecord(let id) = submission { return finishRecord(of: id, error: error) }
    guard let ticket = submission.ticket else { return [] }
    admission.unstage(ticket)
    if let error { return [.acknowledge(ticket: ticket, .failure(error))] }
    switch submission {
    case .batch(let batch, _):
      journal.batches[sequence] = .init(sequence: sequence, batch: batch)
      let id = batches.open[adopt(batch, sequence: sequence)].id
      return [.acknowledge(ticket: ticket, .success(id))]
    case .change(let change, _):
      let insertion = insert(change, policy: configuration.coalescing)
      journal.adopt(sequence, of: change.path, as: insertion)
      if [.waiting, .waitingForKey].contains(queue.status(of: insertion.id)) { writeDelay.begin(change.path) }
      // A shutdown also waits for changes that were on their way to the journal.
      waiters.extendToTheEnd(change.path, insertion.id)
      return [.acknowledge(ticket: ticket, .success(insertion.id))]
    case .mark, .batchRecord: return [.acknowledge(ticket: ticket, .success(nil))]
    }
  }

  /// Handles the closing of the journal.
  package mutating func closedJournal() -> [Action] {
    journal.close()
    return proceed()
  }
}
