internal import Journals
internal import PendingChanges

// A batch has one record with all its changes. Before the batch touches a file, its plan is recorded: the version of
// each path at the beginning. At the end, another record says that it is done or failed.

extension FileChangeWriter._Journal {
  /// Records the version of each path of the batch at the beginning; the machine is notified when that is done.
  ///
  /// - Returns: The names of the batch's temporary files.
  mutating func plan(
    _ sequence: UInt64, _ versions: [FileChange.Version], of id: PendingChangeID
  ) -> FileChange._BatchNames {
    let path = batches[sequence]?.batch.paths[0] ?? ""
    let record = nextRecord(.planned(path, sequence, versions))
    completions.append(record)
    batches[sequence]?.begin((record.sequence, versions))
    stage(.batchRecord(of: id))
    return names(sequence)
  }

  func names(_ sequence: UInt64) -> FileChange._BatchNames {
    FileChange._BatchNames(prefix: Sweeper.batchPrefix(writer: writer, sequence: sequence))
  }

  /// Records that the batch is done, or failed for good.
  ///
  /// - Returns: Whether the journal has the batch.
  @discardableResult
  mutating func end(_ sequence: UInt64, _ ending: FileChangeWriter._JournalBody.Ending) -> Bool {
    guard isOpen, let path = batches[sequence]?.batch.paths[0] else { return false }
    let record = nextRecord(.ended(path, sequence, ending))
    completions.append(record)
    if ending == .done { batches[sequence] = nil }
    batches[sequence]?.hold(record.sequence, ending)
    return true
  }

  /// Records that another program's contents of a path replace those of a failed batch.
  ///
  /// - Returns: Whether anything must be recorded.
  mutating func release(_ path: FileChange.Path, of sequence: UInt64) -> Bool {
    guard isOpen, let held = batches[sequence]?.heldSequence else { return false }
    batches[sequence]?.replaced.insert(path)
    completions.append(nextRecord(.completed(path, held...held, leaving: versions[path])))
    return true
  }

  /// Records the version that the batch left at a path.
  mutating func complete(_ sequence: UInt64?, of path: FileChange.Path, leaving version: FileChange.Version) {
    versions.store(version, of: path)
    if isOpen, let sequence { completeAll(through: sequence, of: path) }
  }

  /// The records of all batches, for a rewritten journal.
  mutating func recordsOfBatches() -> [Record] {
    batches.values.flatMap { batch in
      let path = batch.batch.paths[0]
      var records = [Record(sequence: batch.sequence, body: .batch(batch.batch.changes))]
      if let plan = batch.plan {
        records.append(Record(sequence: plan.sequence, body: .planned(path, batch.sequence, plan.versions)))
      }
      if let held = batch.heldSequence {
        let isLeft = batch.plan != nil || batch.hasUnreadablePlan
        let ending = isLeft ? FileChangeWriter._JournalBody.Ending.left : .rolledBack
        records.append(Record(sequence: held, body: .ended(path, batch.sequence, ending)))
        // Refers to the sequence number of that record, which no change has.
        for path in batch.replaced {
          records.append(nextRecord(.completed(path, held...held, leaving: versions[path])))
        }
      }
      return records
    }
  }
}
