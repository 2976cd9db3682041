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
    journal = FileChangeWriter._Journal(configuration: configuration, writer: writer, path: path, contents: contents)
    var batches = contents.batches[...]
    var changes: [PendingChangeID] = []
    func isDue(_ sequence: UInt64) -> Bool { batches.first.map { $0.sequence < sequence } ?? false }
    for record in contents.unfinished {
      while isDue(record.sequence) { changes += recover(batches.removeFirst(), isCutOff: isCutOff).map { [$0] } ?? [] }
      guard let change = record.body.change else { continue }
      // What a newer one kept out was recorded as completed: of the others the newest counts.
      var policy = configuration.coalescing
      if case .keep = policy { policy = .replace }
      let insertion = insert(change, policy: policy)
      journal.adopt(record.sequence, of: change.path, as: insertion)
      let reason = journal.objection(to: change) ?? (isCutOff && change.base == nil ? .deviceFailure : nil)
      if let reason { refuse(insertion.id, of: change.path, reason) }
    }
    while isDue(.max) { changes += recover(batches.removeFirst(), isCutOff: isCutOff).map { [$0] } ?? [] }
    let write = journal.nextWrite(isFirst: true) { [queue] in queue.recorded }
    return ((queue.waiting.map(\.id) + changes).sorted(), write)
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
      counts.journalBytes += write.byteCount
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
