package import Journals

// The state that follows from all records of a journal.

extension FileChangeWriter {
  /// A batch that is recorded in a journal and not done.
  package struct _RecordedBatch: Sendable {
    package typealias Plan = (sequence: UInt64, versions: [FileChange.Version])

    package let sequence: UInt64
    package let batch: FileChange._Batch
    /// The version of each path at the beginning, once it was recorded.
    package var plan: Plan?
    /// The sequence number of the record that says that the batch failed for good.
    package var heldSequence: UInt64?
    /// Whether that record says that a part may be left, and the plan is missing.
    package var hasUnreadablePlan = false
    /// The paths that newer changes have replaced since the batch failed.
    package var replaced: Set<FileChange.Path> = []

    mutating func begin(_ plan: Plan) { (self.plan, heldSequence, hasUnreadablePlan) = (plan, nil, false) }

    mutating func hold(_ sequence: UInt64, _ ending: _JournalBody.Ending) {
      heldSequence = sequence
      if ending == .rolledBack { plan = nil }
      // The part that is left has overwritten newer contents.
      if ending == .left { replaced = [] }
      hasUnreadablePlan = ending == .left && plan == nil
    }
  }
}

extension JournalContents<FileChangeWriter._JournalBody> {
  /// The records of each file's unfinished changes, oldest first.
  private var open: [FileChange.Path: [JournalRecord<Body>]] {
    var open: [FileChange.Path: [JournalRecord<Body>]] = [:]
    for record in records {
      switch record.body {
      case .change, .superseded: open[record.body.path, default: []].append(record)
      case .completed(let path, let sequences, _): open[path]?.removeAll { sequences?.contains($0.sequence) ?? false }
      case .batch, .planned, .ended: break
      }
    }
    return open
  }

  /// The changes that are still to be applied, oldest first.
  ///
  /// - Complexity: O(*n* log *n*) for *n* records, if a file has few unfinished changes.
  package var unfinished: [JournalRecord<Body>] {
    open.values.joined().filter { $0.body.change != nil }.sorted { $0.sequence < $1.sequence }
  }

  /// The changes of each file that may have been applied without a completion record, oldest first.
  ///
  /// - Complexity: O(*n*) for *n* records, if a file has few unfinished changes.
  package var superseded: [FileChange.Path: [(sequence: UInt64, change: FileChange)]] {
    open.filter { !$0.value.isEmpty }.mapValues { records in
      records.flatMap { record in record.body.changes.map { (record.sequence, $0) } }
    }
  }

  /// The versions that the writer left at its files, as far as the journal has them, oldest first.
  ///
  /// - Complexity: O(*n*) for *n* records.
  package var versions: [(path: FileChange.Path, version: FileChange.Version)] {
    records.compactMap { record in
      if case .completed(let path, _, let version?) = record.body { (path, version) } else { nil }
    }
  }

  /// The batches that are not done, oldest first.
  package var batches: [FileChangeWriter._RecordedBatch] {
    var batches: [UInt64: FileChangeWriter._RecordedBatch] = [:]
    var sequences: [FileChange.Path: Set<UInt64>] = [:]
    /// The failed batches, by the sequence numbers of the records that say that they failed.
    var held: [UInt64: UInt64] = [:]
    for record in records {
      switch record.body {
      case .batch(let changes):
        // No batch is recorded whose changes cannot follow one another.
        guard let batch = try? FileChange._Batch(changes) else { continue }
        batches[record.sequence] = .init(sequence: record.sequence, batch: batch)
        for path in batch.paths { sequences[path, default: []].insert(record.sequence) }
      case .planned(_, let number, let versions):
        batches[number]?.begin((record.sequence, versions))
      case .ended(_, let number, .done): batches[number] = nil
      case .ended(_, let number, let ending):
        batches[number]?.hold(record.sequence, ending)
        held[record.sequence] = number
      case .completed(let path, let range?, let version):
        if range.lowerBound == range.upperBound, let number = held[range.lowerBound] {
          batches[number]?.replaced.insert(path)
          continue
        }
        for number in sequences[path, default: []] {
          if range.contains(number) {
            batches[number] = nil
            sequences[path]?.remove(number)
          } else if version != nil, number < range.lowerBound {
            if batches[number]?.heldSequence == nil { batches[number]?.heldSequence = record.sequence }
            batches[number]?.replaced.insert(path)
          }
        }
      case .change, .superseded, .completed: break
      }
    }
    return batches.values.sorted { $0.sequence < $1.sequence }
  }
}
