internal import Journals
package import PendingChanges
internal import UniqueQueues

extension FileChangeWriter {
  /// What a writer knows of what it has written and recorded, without the files.
  ///
  /// A change gets to the queue, and so to its file, only after it is in the journal: whatever has happened to a file
  /// can be read there. When it leaves the queue, a completion record says so. No caller waits for that: the worst that
  /// comes of a lost one is that a change is carried out again.
  ///
  /// In the queue one change may stand for several of the journal, which it took the place of: their sequence numbers
  /// are a range, since no other change of the file can have come in between.
  ///
  /// A writer without a journal has one that is never open. It only knows the versions.
  package struct _Journal: Sendable {
    /// What waits until it is recorded.
    package enum Submission: Hashable, Sendable, JournalSubmission {
      case change(FileChange, ticket: Int)
      /// Changes that are accepted together.
      case batch(FileChange._Batch, ticket: Int)
      /// A caller that waits until what was said so far is recorded.
      case mark(ticket: Int)
      /// A batch that does, since its plan or its end was said.
      case batchRecord(of: PendingChangeID)

      package var ticket: Int? {
        switch self {
        case .change(_, let ticket), .batch(_, let ticket), .mark(let ticket): ticket
        case .batchRecord: nil
        }
      }

      package var key: FileChange.Path? {
        switch self {
        case .change(let change, _): change.path
        case .batch(let batch, _): batch.paths.first
        case .mark, .batchRecord: nil
        }
      }

      package var keys: [FileChange.Path] {
        if case .batch(let batch, _) = self { batch.paths } else { key.map { [$0] } ?? [] }
      }

      package var byteCount: Int {
        switch self {
        case .change(let change, _): _JournalBody.recordByteCount(of: change)
        case .batch(let batch, _): _JournalRecord(sequence: 0, body: .batch(batch.changes)).byteCount
        case .mark, .batchRecord: 0
        }
      }

      var changes: [FileChange] {
        switch self {
        case .change(let change, _): [change]
        case .batch(let batch, _): batch.changes
        case .mark, .batchRecord: []
        }
      }
    }

    /// What the writer has made of the files.
    package var versions = _KnownVersions()
    var commits: GroupCommit<Submission>?
    private let path: FileChange.Path?
    private let replacesOlder: Bool
    let writer: UInt64
    var completions: [_JournalRecord] = []
    private(set) var inFlight: (write: _JournalWrite, submissions: [Submission], sequences: [UInt64])?

    /// The sequence numbers that each change in the queue stands for.
    private var sequenceRanges: [PendingChangeID: ClosedRange<UInt64>] = [:]
    /// How many submissions about each file are not recorded yet.
    private var stagedCounts: [FileChange.Path: Int] = [:]
    /// The files of which the journal says anything.
    var knownPaths: Set<FileChange.Path> = []
    /// The batches that are not done, by the numbers of their records.
    var batches: [UInt64: _RecordedBatch] = [:]
    /// What a process that was killed may have been doing, until a change of the file is done.
    private var superseded: [FileChange.Path: [(sequence: UInt64, change: FileChange)]] = [:]

    /// The journal of a writer that has none.
    init() {
      path = nil
      replacesOlder = false
      writer = 0
    }

    /// - Parameter isCutOff: Whether the device did not read the rest.
    package init(
      configuration: Configuration, writer: UInt64, path: FileChange.Path, contents: _JournalContents,
      isCutOff: Bool = false
    ) {
      self.path = path
      replacesOlder =
        switch configuration.coalescing {
        case .replace, .moveToEnd: true
        case .keep, .merge: false
        }
      self.writer = writer
      // What cannot be read may have had numbers, which files have in their names.
      let unread: UInt64 = contents.isDamaged || isCutOff ? 1 << 32 : 0
      commits = GroupCommit(
        nextSequence: contents.nextSequence + unread, byteLimit: configuration.journalByteLimit,
        replacesOlder: replacesOlder)
      superseded = contents.superseded
      knownPaths = Set(contents.records.flatMap(\.body.paths))
      for (path, version) in contents.versions { versions.store(version, of: path) }
    }
  }
}

extension FileChangeWriter._Journal {
  /// Whether there is a file.
  package var isOpen: Bool { commits != nil }

  /// Whether nothing is to be written to the file.
  package var isIdle: Bool { commits?.isIdle ?? true && completions.isEmpty }

  /// Whether nothing in the journal is needed any more.
  package var isEmpty: Bool { sequenceRanges.isEmpty && batches.isEmpty }

  /// The changes in the queue that the journal has.
  var recorded: some Collection<PendingChangeID> { sequenceRanges.keys }

  /// Whether the journal has a change of this file, which must not come back over a newer one that it has not.
  package func knows(_ path: FileChange.Path) -> Bool { knownPaths.contains(path) }

  /// Why the change cannot be recorded, or nil when it can.
  package func objection(to change: FileChange) -> FileChangeError.Reason? {
    guard isOpen, let path else { return nil }
    let isTemporary = change.path.string.utf8.starts(with: path.sibling(JournalWorker.temporaryPrefix).string.utf8)
    if change.path == path || isTemporary { return .isTheJournal }
    return FileChangeWriter._JournalBody.change(change).fits ? nil : .tooLarge
  }

  /// What earlier attempts at a change of its file may have left, and what this one may leave.
  package func leftovers(of entry: PendingChangeQueue<FileChange>.Entry) -> _Leftovers {
    let version = entry.change.base == nil ? nil : versions[entry.key]
    guard isOpen else { return _Leftovers(version: version) }
    let attempts = superseded[entry.key, default: []].map { attempt in
      _Leftovers.Attempt(temporaryName: temporaryName(attempt.sequence), action: attempt.change.action)
    }
    let name = sequenceRanges[entry.id].map { temporaryName($0.upperBound) }
    return _Leftovers(temporaryName: name, attempts: attempts, version: version)
  }

  private func temporaryName(_ sequence: UInt64) -> String { Sweeper.name(writer: writer, sequence: sequence) }
}

// MARK: - Changes on their way to the queue

extension FileChangeWriter._Journal {
  package typealias Write = FileChangeWriter._JournalWrite
  typealias Record = FileChangeWriter._JournalRecord

  /// Takes in what is to be recorded with the next group.
  package mutating func stage(_ submission: Submission) {
    guard isOpen else { return }
    commits?.stage(submission)
    switch submission {
    case .change(let change, _): count(change.path)
    case .batch(let batch, _): for path in batch.paths { count(path) }
    case .mark, .batchRecord: break
    }
  }

  private mutating func count(_ path: FileChange.Path) {
    stagedCounts[path, default: 0] += 1
    knownPaths.insert(path)
  }

  /// Whether a change of the file is on its way to the journal.
  func isStaged(_ path: FileChange.Path) -> Bool { stagedCounts[path] != nil }

  /// Whether any change is.
  var hasStaged: Bool { !stagedCounts.isEmpty }

  /// What is to be written next, where there is something and no write is in flight.
  ///
  /// - Parameters:
  ///   - isFirst: Whether there is a write in any case, which makes the file.
  ///   - entries: All that is in the queue; only asked for when the file is written anew.
  package mutating func nextWrite(
    isFirst: Bool = false, _ entries: () -> [PendingChangeQueue<FileChange>.Entry]
  ) -> Write? {
    let hasRecords = isFirst || !completions.isEmpty
    guard let (submissions, isWhole) = commits?.begin(hasRecords: hasRecords) else { return nil }
    let entries = isWhole ? entries() : []
    var records = isWhole ? entries.compactMap(record) : completions
    if isWhole { records += recordsOfSuperseded(beside: Set(records.map(\.sequence))) + recordsOfBatches() }
    // Before the changes that are based on a version: a reader after a kill must not take what we made of a file for
    // another program's work.
    let kept = isWhole ? entries.map(\.change) + batches.values.flatMap(\.changes) : []
    for change in kept + submissions.flatMap(\.changes) where change.base != nil {
      guard let version = versions[change.path] else { continue }
      records.append(nextRecord(.completed(change.path, nil, leaving: version)))
    }
    let sequences = submissions.map { _ in takeSequence() }
    records += self.records(of: submissions, sequences)
    records.sort { $0.sequence < $1.sequence }
    if isWhole, let path, let latest = commits?.latestSequence, latest > records.last?.sequence ?? 0 {
      // Names of files have these numbers: none is given again, also where nothing is left that has it.
      records.append(Record(sequence: latest, body: .completed(path, nil)))
    }
    let isSynchronized = isWhole || !submissions.isEmpty
    let write = Write(records: records, isWhole: isWhole, isSynchronized: isSynchronized)
    inFlight = (write, submissions, sequences)
    completions = []
    return write
  }

  /// The write that repairs the file before it is given back, where it needs that; tried once.
  package mutating func lastWrite(_ entries: [PendingChangeQueue<FileChange>.Entry]) -> Write? {
    guard !isEmpty, commits?.beginRepair() ?? false else { return nil }
    return nextWrite(isFirst: true) { entries }
  }

  mutating func takeSequence() -> UInt64 { commits?.takeSequence() ?? 0 }

  mutating func nextRecord(_ body: FileChangeWriter._JournalBody) -> Record {
    Record(sequence: takeSequence(), body: body)
  }

  private func record(_ entry: PendingChangeQueue<FileChange>.Entry) -> Record? {
    sequenceRanges[entry.id].map { Record(sequence: $0.upperBound, body: .change(entry.change)) }
  }

  /// What a process that was killed may have been doing, where no change that is still recorded says so.
  private func recordsOfSuperseded(beside recorded: Set<UInt64>) -> [Record] {
    superseded.values.joined().compactMap { sequence, change in
      recorded.contains(sequence) ? nil : Record(sequence: sequence, body: .superseded(change))
    }
  }

  /// The records of a group; without those that the group itself makes superfluous.
  private func records(of submissions: [Submission], _ sequences: [UInt64]) -> [Record] {
    var newest: [FileChange.Path: (sequence: UInt64, isUnconditional: Bool)] = [:]
    for case (.change(let change, _), let sequence) in zip(submissions, sequences) {
      newest[change.path] = (sequence, change.base == nil || newest[change.path]?.isUnconditional ?? false)
    }
    return zip(submissions, sequences).compactMap { submission, sequence in
      switch submission {
      case .mark, .batchRecord: return nil
      case .batch(let batch, _): return Record(sequence: sequence, body: .batch(batch.changes))
      case .change(let change, _):
        guard replacesOlder else { return Record(sequence: sequence, body: .change(change)) }
        guard let last = newest[change.path], last.sequence == sequence else { return nil }
        return Record(sequence: sequence, body: .change(last.isUnconditional ? change.unconditional : change))
      }
    }
  }

  /// The write is in the file, or `error` came of it.
  ///
  /// - Returns: The write, and the submissions that were in it and are not tried again, with their sequence numbers.
  package mutating func finishWrite(error: FileChangeError?) -> (Write, [(Submission, sequence: UInt64)])? {
    guard let (write, submissions, sequences) = inFlight else { return nil }
    inFlight = nil
    if let error {
      let lacksSpace = error.reason == .deviceFull || error.reason == .tooLarge
      if commits?.finish(.failed(lacksSpace: lacksSpace)) ?? false { return (write, []) }
    } else {
      _ = commits?.finish(.written(byteCount: write.byteCount))
      if write.isWhole { knownPaths = Set(write.records.flatMap(\.body.paths)).union(stagedCounts.keys) }
    }
    for submission in submissions {
      switch submission {
      case .change(let change, _): uncount(change.path)
      case .batch(let batch, _): for path in batch.paths { uncount(path) }
      case .mark, .batchRecord: break
      }
    }
    return (write, Array(zip(submissions, sequences)))
  }

  private mutating func uncount(_ path: FileChange.Path) {
    guard let index = stagedCounts.index(forKey: path) else { return }
    if stagedCounts.values[index] == 1 { stagedCounts.remove(at: index) } else { stagedCounts.values[index] -= 1 }
  }

  /// The queue has taken in the change with this sequence number.
  package mutating func adopt(
    _ sequence: UInt64, of path: FileChange.Path, as insertion: PendingChangeQueue<FileChange>.Insertion
  ) {
    for letter in insertion.displacedDeadLetters { forget(letter.id, of: path) }
    guard insertion.outcome != .kept else { return drop(sequence...sequence, of: path) }
    let older = insertion.displaced.flatMap { sequenceRanges.removeValue(forKey: $0.id) }
    sequenceRanges[insertion.id] = (older?.lowerBound ?? sequence)...sequence
  }

  /// The file was given back.
  package mutating func close() { commits = nil }
}

// MARK: - Changes that left the queue

extension FileChangeWriter._Journal {
  /// The change was carried out, and with it all is done that was accepted for the file before.
  package mutating func complete(_ id: PendingChangeID, of path: FileChange.Path) {
    guard isOpen else { return }
    superseded[path] = nil
    guard let range = sequenceRanges.removeValue(forKey: id) else { return }
    completeAll(through: range.upperBound, of: path)
  }

  /// The change will not be carried out any more.
  ///
  /// - Returns: Whether the journal has the change, so that a record is to be written.
  @discardableResult
  package mutating func forget(_ id: PendingChangeID, of path: FileChange.Path) -> Bool {
    guard isOpen, let range = sequenceRanges.removeValue(forKey: id) else { return false }
    drop(range, of: path)
    return true
  }

  /// What another program has made of the file was accepted: what a killed process may have done says nothing of that.
  ///
  /// - Returns: Whether the journal is to say so.
  mutating func forgetAttempts(at path: FileChange.Path) -> Bool {
    guard isOpen, let attempts = superseded.removeValue(forKey: path) else { return false }
    // A change that still waits is taken back, or done, by itself.
    let waiting = Set(sequenceRanges.values.map(\.upperBound))
    let rest = attempts.map(\.sequence).filter { !waiting.contains($0) }
    for number in rest { completions.append(nextRecord(.completed(path, number...number))) }
    return !rest.isEmpty
  }

  private mutating func drop(_ range: ClosedRange<UInt64>, of path: FileChange.Path) {
    // First what was made of the file: without that the next start would take it for another program's work.
    if let version = versions[path] { note(version, of: path) }
    completions.append(nextRecord(.completed(path, range)))
  }

  /// What was accepted with this number is carried out, and all that was accepted for the file before is over.
  ///
  /// Batches that failed are not: they and what was before them stay as they are.
  mutating func completeAll(through sequence: UInt64, of path: FileChange.Path) {
    let held = batches.values.filter { $0.heldSequence != nil && $0.sequence < sequence && $0.has(path) }
    for batch in held { batches[batch.sequence]?.replaced.insert(path) }
    let first = held.map { $0.sequence + 1 }.max() ?? 0
    completions.append(nextRecord(.completed(path, first...sequence, leaving: versions[path])))
  }

  /// Says what the writer has made of a file.
  private mutating func note(_ version: FileChange.Version, of path: FileChange.Path) {
    completions.append(nextRecord(.completed(path, nil, leaving: version)))
  }
}

extension FileChangeWriter {
  /// What a writer has made of the files that it has changed last.
  ///
  /// A writer may live long and change many files; so it remembers a number of them. Of one that it has forgotten it
  /// takes its own version for another program's: a change that is based on an older one becomes a failure, and nothing
  /// is lost.
  package struct _KnownVersions: Sendable {
    private var versions: [FileChange.Path: FileChange.Version] = [:]
    /// The files, the one first that was changed longest ago.
    private var order = UniqueQueue<FileChange.Path>()
    private let limit: Int

    package init(limit: Int = 4096) { self.limit = limit }

    package var count: Int { versions.count }

    package subscript(path: FileChange.Path) -> FileChange.Version? { versions[path] }

    package mutating func store(_ version: FileChange.Version, of path: FileChange.Path) {
      versions[path] = version
      order.appendOrMoveToEnd(path)
      if versions.count > limit, let oldest = order.popFirst() { versions[oldest] = nil }
    }
  }
}
