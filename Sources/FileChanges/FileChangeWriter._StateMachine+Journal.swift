package import PendingChanges

extension FileChangeWriter._StateMachine {
  /// Takes in what the journal still had to be carried out.
  ///
  /// - Returns: The changes, and what makes the journal's file.
  package mutating func recover(
    _ contents: _JournalContents, writer: UInt64, from path: FileChange.Path
  ) -> (changes: [PendingChangeID], batch: FileChangeWriter._Journal.Batch?) {
    defer { _checkInvariants() }
    var journal = FileChangeWriter._Journal(
      configuration: configuration, writer: writer, path: path, contents: contents)
    for (path, version) in contents.versions { versions.note(version, of: path) }
    for record in contents.unfinished {
      guard case .change(let change) = record.body else { continue }
      // What a newer one kept out was noted as over: of the others the newest counts.
      var policy = configuration.coalescing
      if case .keep = policy { policy = .replace }
      let insertion = insert(change, policy: policy)
      journal.adopt(record.sequence, of: change.path, as: insertion, leaving: versions[change.path])
      if let reason = journal.objection(to: change) { refuse(insertion.id, of: change.path, reason) }
    }
    let batch = journal.nextBatch(isFirst: true, versions: versions) { [queue] in queue.recorded }
    self.journal = journal
    return (queue.waiting.map(\.id), batch)
  }

  /// Makes a recovered change a failure, since it would be refused today.
  private mutating func refuse(_ id: PendingChangeID, of path: FileChange.Path, _ reason: FileChangeError.Reason) {
    let error = FileChangeError(path: path, operation: .submit, reason: reason)
    guard let entry = queue.begin(id) else { return }
    room.remove(entry)
    queue.fail(id, retry: .never, reason: error.description)
    errors[path, default: [:]][id] = error
    counts.failed += 1
  }

  /// The batch is in the journal, or `error` came of it.
  package mutating func finishBatch(error: FileChangeError?) -> [Action] {
    defer { _checkInvariants() }
    guard let (batch, submissions) = journal?.finishBatch(error: error) else { return [] }
    if error != nil {
      counts.journalFailures += 1
    } else {
      counts.journalGroups += batch.isSynchronized ? 1 : 0
      counts.journalBytes += batch.byteCount
    }
    let acknowledgements = submissions.map { submission, sequence in
      acknowledge(submission, sequence, error: error)
    }
    return acknowledgements + proceed()
  }

  private mutating func acknowledge(
    _ submission: FileChangeWriter._Journal.Submission, _ sequence: UInt64, error: FileChangeError?
  ) -> Action {
    room.unstage(submission.ticket)
    if let error { return .acknowledge(ticket: submission.ticket, .failure(error)) }
    guard let change = submission.change else { return .acknowledge(ticket: submission.ticket, .success(nil)) }
    let insertion = insert(change, policy: configuration.coalescing)
    journal?.adopt(sequence, of: change.path, as: insertion, leaving: versions[change.path])
    // Who shuts down waits for what was on its way as well.
    for index in waiters.indices where waiters[index].isForTheEnd {
      waiters[index].targets[change.path] = insertion.id
    }
    return .acknowledge(ticket: submission.ticket, .success(insertion.id))
  }

  /// The journal was given back.
  package mutating func closedJournal() -> [Action] {
    defer { _checkInvariants() }
    journal = nil
    return proceed()
  }
}
