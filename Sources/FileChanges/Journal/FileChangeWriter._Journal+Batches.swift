internal import Journals
internal import PendingChanges

// A batch has a record with all its changes. Before it touches a file its plan is recorded: what each path had at the
// beginning. At the end it is done, or held as a failure.

extension FileChangeWriter._Journal {
  /// The batch was accepted, or the journal was read to say this of it.
  mutating func adopt(_ batch: FileChangeWriter._RecordedBatch) {
    if isOpen { batches[batch.sequence] = batch }
  }

  /// Records what each path of the batch had at the beginning; the machine is notified when that is done.
  ///
  /// - Returns: The names of the files that this needs.
  mutating func plan(
    _ sequence: UInt64, _ versions: [FileChange.Version], of id: PendingChangeID
  ) -> FileChange._BatchNames {
    let path = batches[sequence]?.changes.first?.path ?? ""
    let record = nextRecord(.planned(path, sequence, versions))
    completions.append(record)
    batches[sequence]?.begin(.init(sequence: record.sequence, versions: versions))
    stage(.batchRecord(of: id))
    return names(sequence)
  }

  func names(_ sequence: UInt64) -> FileChange._BatchNames {
    FileChange._BatchNames(prefix: Sweeper.batchPrefix(writer: writer, sequence: sequence))
  }

  /// The batch is done, or failed for good and is held.
  ///
  /// - Returns: Whether the journal has the batch.
  @discardableResult
  mutating func end(_ sequence: UInt64, _ ending: FileChangeWriter._JournalBody.Ending) -> Bool {
    guard isOpen, let path = batches[sequence]?.changes.first?.path else { return false }
    let record = nextRecord(.ended(path, sequence, ending))
    completions.append(record)
    if ending == .done { batches[sequence] = nil }
    batches[sequence]?.hold(record.sequence, ending)
    return true
  }

  /// Of these paths of a batch that is held newer changes were made, as the journal was read to say.
  mutating func adopt(replaced: Set<FileChange.Path>, of sequence: UInt64) { batches[sequence]?.replaced = replaced }

  /// Another program's contents of a path take the place of those of a batch that is held.
  ///
  /// - Returns: Whether the journal is to say so.
  mutating func release(_ path: FileChange.Path, of sequence: UInt64) -> Bool {
    guard isOpen, let held = batches[sequence]?.heldSequence else { return false }
    batches[sequence]?.replaced.insert(path)
    completions.append(nextRecord(.completed(path, held...held, leaving: versions[path])))
    return true
  }

  /// The batch has made this of a path.
  mutating func complete(_ sequence: UInt64?, of path: FileChange.Path, leaving version: FileChange.Version) {
    versions.store(version, of: path)
    if isOpen, let sequence { completeAll(through: sequence, of: path) }
  }

  /// What a file that is written anew has to say of batches.
  mutating func recordsOfBatches() -> [Record] {
    batches.values.flatMap { batch in
      let path = batch.changes.first?.path ?? ""
      var records = [Record(sequence: batch.sequence, body: .batch(batch.changes))]
      if let plan = batch.plan {
        records.append(Record(sequence: plan.sequence, body: .planned(path, batch.sequence, plan.versions)))
      }
      if let held = batch.heldSequence {
        let isLeft = batch.plan != nil || batch.hasUnreadablePlan
        let ending = isLeft ? FileChangeWriter._JournalBody.Ending.left : .takenBack
        records.append(Record(sequence: held, body: .ended(path, batch.sequence, ending)))
        // By the number of that record, which no change has.
        for path in batch.replaced {
          records.append(nextRecord(.completed(path, held...held, leaving: versions[path])))
        }
      }
      return records
    }
  }
}
