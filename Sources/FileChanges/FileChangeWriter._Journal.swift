package import PendingChanges

extension FileChangeWriter {
  /// What a writer knows of its journal, without the file: which changes wait to be recorded, and what the file holds.
  ///
  ///     stage ──► waiting ──► under way ──► committed ──► the queue
  ///                 ▲ one batch at a time: what comes meanwhile goes together into the next
  ///
  /// A change gets to the queue, and so to its file, only after it is in the journal: whatever has happened to a file
  /// can be told from there. When it leaves the queue, a note says so. Notes are not waited for: the worst that comes of a
  /// lost one is that a change is carried out again.
  ///
  /// In the queue one change may stand for several of the journal, which it took the place of: their numbers are a
  /// range, since no other change of the file can have come in between.
  package struct _Journal: Sendable {
    /// A change that somebody waits to see recorded.
    package struct Submission: Hashable, Sendable {
      package let ticket: Int
      package let sequence: UInt64
      package let change: FileChange
    }

    /// What is written to the file at one time.
    package struct Batch: Hashable, Sendable {
      /// In the order of their numbers.
      package let records: [_JournalRecord]
      /// Whether the records are all that the journal holds from now on.
      package let isWhole: Bool
      /// Whether somebody waits for the device.
      package let isSynchronized: Bool

      package var byteCount: Int { records.reduce(0) { $0 + $1.byteCount } }
    }

    private let path: FileChange.Path
    private let replacesOlder: Bool
    private let byteLimit: Int
    private let writer: UInt64
    private var nextSequence: UInt64
    private var waiting: [Submission] = []
    private var notes: [_JournalRecord] = []
    private var underWay: (batch: Batch, submissions: [Submission], paths: Set<FileChange.Path>)?

    /// The numbers of the journal that each change in the queue stands for.
    private var sequences: [PendingChangeID: ClosedRange<UInt64>] = [:]
    /// The files of which the journal says anything.
    private var known: Set<FileChange.Path>
    /// The numbers under which a killed process may have left temporary files.
    private var abandoned: [FileChange.Path: [UInt64]]

    /// The size of the file, and the size at which it is rewritten.
    private var byteCount = 0
    private var fullByteCount: Int
    /// Whether the file is known to end with the last record.
    private var isTrusted = false
    private var isRepaired = false

    package init(configuration: Configuration, writer: UInt64, path: FileChange.Path, contents: _JournalContents) {
      self.path = path
      replacesOlder =
        switch configuration.coalescing {
        case .replace, .moveToEnd: true
        case .keep, .merge: false
        }
      byteLimit = configuration.journalByteLimit
      fullByteCount = byteLimit
      self.writer = writer
      nextSequence = contents.nextSequence
      abandoned = Dictionary(grouping: contents.unfinished, by: \.path).mapValues { $0.map(\.sequence) }
      known = Set(abandoned.keys)
    }
  }
}

extension FileChangeWriter._Journal {
  /// Whether nothing is to be written to the file.
  package var isQuiet: Bool { underWay == nil && waiting.isEmpty && notes.isEmpty }

  /// Why the change cannot be recorded, or nil when it can.
  package func objection(to change: FileChange) -> FileChangeError.Reason? {
    let isTemporary = change.path.string.utf8.starts(with: path.sibling(_JournalContents.temporaryPrefix).string.utf8)
    if change.path == path || isTemporary { return .isTheJournal }
    return _JournalRecord.fits(change) ? nil : .tooLarge
  }

  /// Whether nothing in the journal is needed any more.
  package var isSpent: Bool { sequences.isEmpty }

  /// The changes in the queue that the journal has.
  var recorded: some Collection<PendingChangeID> { sequences.keys }

  /// Whether the journal has a change of this file, which must not come back over a newer one that it has not.
  package func knows(_ path: FileChange.Path) -> Bool { known.contains(path) }

  /// How the temporary files of a change are called.
  package func temporaryNames(of id: PendingChangeID, at path: FileChange.Path) -> _TemporaryNames {
    _TemporaryNames(
      own: sequences[id].map { name($0.upperBound) }, abandoned: abandoned[path, default: []].map(name))
  }

  private func name(_ sequence: UInt64) -> String {
    ".unsaved-" + String(writer, radix: 16) + "-" + String(sequence, radix: 16)
  }

  // MARK: Changes on their way to the queue

  /// Takes a change in, to be recorded with the next batch.
  package mutating func stage(_ change: FileChange, ticket: Int) {
    waiting.append(Submission(ticket: ticket, sequence: nextSequence, change: change))
    nextSequence += 1
    known.insert(change.path)
  }

  /// The next batch, where there is something to write and nothing under way.
  ///
  /// - Parameters:
  ///   - isFirst: Whether there is one in any case, which makes the file.
  ///   - entries: All that is in the queue; only asked for when the file is rewritten.
  package mutating func nextBatch(
    isFirst: Bool = false, _ entries: () -> [PendingChangeQueue<FileChange>.Entry]
  ) -> Batch? {
    guard underWay == nil, isFirst || !waiting.isEmpty || !notes.isEmpty else { return nil }
    let isWhole = !isTrusted || byteCount >= fullByteCount
    let held = isWhole ? entries().compactMap(record) : notes
    let records = (held + recordsOfWaiting()).sorted { $0.sequence < $1.sequence }
    let batch = Batch(records: records, isWhole: isWhole, isSynchronized: isWhole || !waiting.isEmpty)
    underWay = (batch, waiting, isWhole ? Set(records.map(\.path)) : [])
    waiting = []
    notes = []
    return batch
  }

  /// The batch that repairs the file before it is given back, where it needs that; tried once.
  package mutating func lastBatch(_ entries: [PendingChangeQueue<FileChange>.Entry]) -> Batch? {
    guard !isTrusted, !isSpent, !isRepaired else { return nil }
    isRepaired = true
    return nextBatch(isFirst: true) { entries }
  }

  private func record(_ entry: PendingChangeQueue<FileChange>.Entry) -> _JournalRecord? {
    sequences[entry.id].map { _JournalRecord(sequence: $0.upperBound, body: .change(entry.change)) }
  }

  /// The records of the changes that wait; without those that the batch itself makes superfluous.
  private func recordsOfWaiting() -> [_JournalRecord] {
    var newest: [FileChange.Path: UInt64] = [:]
    if replacesOlder { for submission in waiting { newest[submission.change.path] = submission.sequence } }
    return waiting.compactMap { submission in
      let isNewest = newest[submission.change.path].map { $0 == submission.sequence } ?? true
      return isNewest ? _JournalRecord(sequence: submission.sequence, body: .change(submission.change)) : nil
    }
  }

  /// The batch is in the file, or could not be brought there.
  ///
  /// - Returns: The batch and the changes that it was about.
  package mutating func finishBatch(succeeded: Bool) -> (Batch, [Submission])? {
    guard let (batch, submissions, paths) = underWay else { return nil }
    underWay = nil
    isTrusted = succeeded
    if succeeded, batch.isWhole {
      byteCount = _JournalContents.headerSize + batch.byteCount
      fullByteCount = max(byteLimit, 2 * byteCount)
      known = paths.union(waiting.map(\.change.path))
    } else if succeeded {
      byteCount += batch.byteCount
    }
    return (batch, submissions)
  }

  /// The queue has taken in the change with this number.
  package mutating func adopt(
    _ sequence: UInt64, of path: FileChange.Path, as insertion: PendingChangeQueue<FileChange>.Insertion
  ) {
    for letter in insertion.displacedDeadLetters { forget(letter.id, of: path) }
    guard insertion.outcome != .kept else { return note(path, sequence...sequence) }
    let older = insertion.displaced.flatMap { sequences.removeValue(forKey: $0.id) }
    sequences[insertion.id] = (older?.lowerBound ?? sequence)...sequence
  }

  // MARK: Changes that left the queue

  /// The change was carried out, and with it all is done that was accepted for the file before.
  package mutating func complete(_ id: PendingChangeID, of path: FileChange.Path) {
    abandoned[path] = nil
    guard let range = sequences.removeValue(forKey: id) else { return }
    note(path, 0...range.upperBound)
  }

  /// The change will not be carried out any more.
  package mutating func forget(_ id: PendingChangeID, of path: FileChange.Path) {
    guard let range = sequences.removeValue(forKey: id) else { return }
    note(path, range)
  }

  private mutating func note(_ path: FileChange.Path, _ range: ClosedRange<UInt64>) {
    notes.append(_JournalRecord(sequence: nextSequence, body: .over(path, range)))
    nextSequence += 1
  }
}
