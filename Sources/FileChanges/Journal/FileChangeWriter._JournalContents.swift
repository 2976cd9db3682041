package import Journals

// What the records of a journal say together.

extension FileChangeWriter {
  /// A batch that a journal has, as far as it is not done.
  package struct _RecordedBatch: Hashable, Sendable {
    package let sequence: UInt64
    package let changes: [FileChange]
    /// What each path had at the beginning, with the number of the record that says so.
    package var plan: Plan?
    /// The number of the record that says that it failed for good.
    package var heldSequence: UInt64?
    /// Whether that says that something may be left, and no plan says what.
    package var hasUnreadablePlan = false
    /// Of which paths a newer change was made since.
    package var replaced: Set<FileChange.Path> = []

    mutating func begin(_ plan: Plan) { (self.plan, heldSequence, hasUnreadablePlan) = (plan, nil, false) }

    mutating func hold(_ sequence: UInt64, _ ending: _JournalBody.Ending) {
      heldSequence = sequence
      if ending == .takenBack { plan = nil }
      // What is left of it is in place of what was newer.
      if ending == .left { replaced = [] }
      hasUnreadablePlan = ending == .left && plan == nil
    }

    func has(_ path: FileChange.Path) -> Bool { changes.contains { $0.path == path || $0.target == path } }

    package struct Plan: Hashable, Sendable {
      package let sequence: UInt64
      package let versions: [FileChange.Version]
    }
  }
}

extension JournalContents<FileChangeWriter._JournalBody> {
  /// The records of changes that are not completed, of each file and oldest first.
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

  /// The changes that are still to be carried out, oldest first.
  ///
  /// - Complexity: O(*n* log *n*) for *n* records, if a file has few changes that are not completed.
  package var unfinished: [JournalRecord<Body>] {
    open.values.joined().filter { $0.body.change != nil }.sorted { $0.sequence < $1.sequence }
  }

  /// What may have been done of each file without a completion record, oldest first.
  ///
  /// - Complexity: O(*n*) for *n* records, if a file has few changes that are not completed.
  package var superseded: [FileChange.Path: [(sequence: UInt64, change: FileChange)]] {
    open.filter { !$0.value.isEmpty }.mapValues { records in
      records.compactMap { record in
        switch record.body {
        case .change(let change), .superseded(let change): (record.sequence, change)
        case .completed, .batch, .planned, .ended: nil
        }
      }
    }
  }

  /// What the writer has made of each file, as far as the journal knows, in the order in which it has.
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
    /// The batches by the numbers of the records that hold them.
    var held: [UInt64: UInt64] = [:]
    for record in records {
      switch record.body {
      case .batch(let changes):
        batches[record.sequence] = .init(sequence: record.sequence, changes: changes)
        for path in record.body.paths { sequences[path, default: []].insert(record.sequence) }
      case .planned(_, let number, let versions):
        batches[number]?.begin(.init(sequence: record.sequence, versions: versions))
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
