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
    /// A change that somebody waits to see recorded; without one, what was noted until now.
    package struct Submission: Hashable, Sendable {
      package let ticket: Int
      package let change: FileChange?
    }

    /// Submissions that are recorded together, or not at all.
    private struct Group: Sendable {
      var submissions: [Submission]
      /// Whether it is tried once more, in parts, where it cannot be recorded as a whole.
      var isDivisible = true
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
    /// What is tried again before anything that waits.
    private var groups: [Group] = []
    private var notes: [_JournalRecord] = []
    private var underWay: (batch: Batch, group: Group, sequences: [UInt64])?

    /// The numbers of the journal that each change in the queue stands for.
    private var sequences: [PendingChangeID: ClosedRange<UInt64>] = [:]
    /// The files of which the journal says anything.
    private var known: Set<FileChange.Path>
    /// What a process that was killed may have been doing, until a change of the file is done.
    private var attempts: [FileChange.Path: [(sequence: UInt64, change: FileChange)]]

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
      attempts = contents.attempts
      known = Set(contents.records.map(\.path))
    }
  }
}

extension FileChangeWriter._Journal {
  /// Whether nothing is to be written to the file.
  package var isQuiet: Bool { underWay == nil && groups.isEmpty && waiting.isEmpty && notes.isEmpty }

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

  /// What earlier attempts at the changes of a file may have left, and what this one may leave.
  package func traces(
    of id: PendingChangeID, at path: FileChange.Path, version: FileChange.Version?
  ) -> _Traces {
    let attempts = attempts[path, default: []].map { attempt in
      _Traces.Attempt(temporaryName: name(attempt.sequence), action: attempt.change.action)
    }
    return _Traces(temporaryName: sequences[id].map { name($0.upperBound) }, attempts: attempts, version: version)
  }

  private func name(_ sequence: UInt64) -> String { _Sweeper.name(writer: writer, sequence: sequence) }

  // MARK: Changes on their way to the queue

  /// Takes a change in, to be recorded with the next batch.
  ///
  /// - Parameter change: The change; nil for somebody who waits until what was noted so far is recorded.
  package mutating func stage(_ change: FileChange?, ticket: Int) {
    waiting.append(Submission(ticket: ticket, change: change))
    if let change { known.insert(change.path) }
  }

  /// The next batch, where there is something to write and nothing under way.
  ///
  /// - Parameters:
  ///   - isFirst: Whether there is one in any case, which makes the file.
  ///   - versions: What was made of the files until now.
  ///   - entries: All that is in the queue; only asked for when the file is rewritten.
  package mutating func nextBatch(
    isFirst: Bool = false, versions: FileChangeWriter._Versions, _ entries: () -> [PendingChangeQueue<FileChange>.Entry]
  ) -> Batch? {
    guard underWay == nil, isFirst || !groups.isEmpty || !waiting.isEmpty || !notes.isEmpty else { return nil }
    let group = groups.isEmpty ? nextGroup() : groups.removeFirst()
    let isWhole = !isTrusted || byteCount >= fullByteCount
    let entries = isWhole ? entries() : []
    var records = isWhole ? entries.compactMap(record) : notes
    if isWhole { records += recordsOfAttempts(beside: Set(records.map(\.sequence))) }
    // Before the changes that are based on a version: whoever reads them after a kill must not meet with us as with another.
    for change in entries.map(\.change) + group.submissions.compactMap(\.change) where change.base != nil {
      guard let version = versions[change.path] else { continue }
      records.append(_JournalRecord(sequence: number(), body: .over(change.path, 0...0, leaving: version)))
    }
    let numbers = group.submissions.map { _ in number() }
    records += self.records(of: group, numbers)
    records.sort { $0.sequence < $1.sequence }
    let isSynchronized = isWhole || !group.submissions.isEmpty
    let batch = Batch(records: records, isWhole: isWhole, isSynchronized: isSynchronized)
    underWay = (batch, group, numbers)
    notes = []
    return batch
  }

  /// The batch that repairs the file before it is given back, where it needs that; tried once.
  package mutating func lastBatch(
    versions: FileChangeWriter._Versions, _ entries: [PendingChangeQueue<FileChange>.Entry]
  ) -> Batch? {
    guard !isTrusted, !isSpent, !isRepaired else { return nil }
    isRepaired = true
    return nextBatch(isFirst: true, versions: versions) { entries }
  }

  /// As many of those that wait as take no more bytes than the journal should have, but one at least.
  private mutating func nextGroup() -> Group {
    var byteCounts: [FileChange.Path: Int] = [:]
    var (total, count) = (0, 0)
    for submission in waiting {
      if let change = submission.change {
        let byteCount = _JournalRecord.byteCount(of: change)
        total += byteCount - (replacesOlder ? byteCounts[change.path, default: 0] : 0)
        byteCounts[change.path] = byteCount
      }
      if count > 0, total > byteLimit { break }
      count += 1
    }
    defer { waiting.removeFirst(count) }
    return Group(submissions: Array(waiting.prefix(count)))
  }

  private mutating func number() -> UInt64 {
    defer { nextSequence += 1 }
    return nextSequence
  }

  private func record(_ entry: PendingChangeQueue<FileChange>.Entry) -> _JournalRecord? {
    sequences[entry.id].map { _JournalRecord(sequence: $0.upperBound, body: .change(entry.change)) }
  }

  /// What a process that was killed may have been doing, where no change that is still recorded says so.
  private func recordsOfAttempts(beside recorded: Set<UInt64>) -> [_JournalRecord] {
    attempts.values.joined().compactMap { sequence, change in
      recorded.contains(sequence) ? nil : _JournalRecord(sequence: sequence, body: .attempt(change))
    }
  }

  /// The records of a group; without those that the batch itself makes superfluous.
  private func records(of group: Group, _ numbers: [UInt64]) -> [_JournalRecord] {
    var newest: [FileChange.Path: (number: UInt64, isUnconditional: Bool)] = [:]
    for (submission, number) in zip(group.submissions, numbers) {
      guard let change = submission.change else { continue }
      newest[change.path] = (number, change.base == nil || newest[change.path]?.isUnconditional ?? false)
    }
    return zip(group.submissions, numbers).compactMap { submission, number in
      guard let change = submission.change, let last = newest[change.path] else { return nil }
      guard replacesOlder else { return _JournalRecord(sequence: number, body: .change(change)) }
      guard last.number == number else { return nil }
      return _JournalRecord(sequence: number, body: .change(last.isUnconditional ? change.unconditional : change))
    }
  }

  /// The batch is in the file, or `error` came of it.
  ///
  /// - Returns: The batch, and the submissions that were in it and are not tried again, with their numbers.
  package mutating func finishBatch(error: FileChangeError?) -> (Batch, [(Submission, sequence: UInt64)])? {
    guard let (batch, group, numbers) = underWay else { return nil }
    underWay = nil
    isTrusted = error == nil
    if let error {
      if triesAgain(group, batch, error) { return (batch, []) }
    } else if batch.isWhole {
      byteCount = _JournalContents.headerSize + batch.byteCount
      fullByteCount = max(byteLimit, 2 * byteCount)
      let pending = groups.flatMap(\.submissions) + waiting
      known = Set(batch.records.map(\.path)).union(pending.compactMap(\.change?.path))
    } else {
      byteCount += batch.byteCount
    }
    return (batch, Array(zip(group.submissions, numbers)))
  }

  /// Whether a group that could not be recorded is tried again.
  ///
  /// First with the whole file written anew, which takes less room than what it held, and makes it where it has vanished; and
  /// where there is no room for that either, without its largest change, which comes alone after the others.
  private mutating func triesAgain(_ group: Group, _ batch: Batch, _ error: FileChangeError) -> Bool {
    guard !group.submissions.isEmpty else { return false }
    guard batch.isWhole else {
      groups.insert(group, at: 0)
      return true
    }
    guard group.isDivisible, error.reason == .noSpace || error.reason == .tooLarge else { return false }
    let largest = group.submissions.compactMap(\.change).max {
      _JournalRecord.byteCount(of: $0) < _JournalRecord.byteCount(of: $1)
    }
    // The changes of a file keep their order.
    let apart = group.submissions.filter { $0.change?.path == largest?.path }
    let rest = group.submissions.filter { $0.change?.path != largest?.path }
    guard !apart.isEmpty, !rest.isEmpty else { return false }
    groups.insert(contentsOf: [rest, apart].map { Group(submissions: $0, isDivisible: false) }, at: 0)
    return true
  }

  /// The queue has taken in the change with this number.
  package mutating func adopt(
    _ sequence: UInt64, of path: FileChange.Path, as insertion: PendingChangeQueue<FileChange>.Insertion,
    leaving version: FileChange.Version?
  ) {
    for letter in insertion.displacedDeadLetters { forget(letter.id, of: path, leaving: version) }
    guard insertion.outcome != .kept else { return note(path, sequence...sequence, version) }
    let older = insertion.displaced.flatMap { sequences.removeValue(forKey: $0.id) }
    sequences[insertion.id] = (older?.lowerBound ?? sequence)...sequence
  }

  // MARK: Changes that left the queue

  /// The change was carried out, and with it all is done that was accepted for the file before.
  package mutating func complete(
    _ id: PendingChangeID, of path: FileChange.Path, leaving version: FileChange.Version?
  ) {
    attempts[path] = nil
    guard let range = sequences.removeValue(forKey: id) else { return }
    note(path, 0...range.upperBound, version)
  }

  /// The change will not be carried out any more.
  ///
  /// - Returns: Whether the journal has to be told.
  @discardableResult
  package mutating func forget(
    _ id: PendingChangeID, of path: FileChange.Path, leaving version: FileChange.Version?
  ) -> Bool {
    guard let range = sequences.removeValue(forKey: id) else { return false }
    note(path, range, version)
    return true
  }

  private mutating func note(
    _ path: FileChange.Path, _ range: ClosedRange<UInt64>, _ version: FileChange.Version?
  ) {
    notes.append(_JournalRecord(sequence: number(), body: .over(path, range, leaving: version)))
  }
}
