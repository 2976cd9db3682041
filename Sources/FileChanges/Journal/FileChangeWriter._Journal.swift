internal import Journals
package import PendingChanges

extension FileChangeWriter {
  /// The written and recorded changes of a writer: the state of its journal without the file.
  ///
  /// A change enters the queue, and is applied to its file, only after it is in the journal, so the journal tells
  /// everything that may have happened to a file. When the change leaves the queue, a completion record says so. No
  /// caller waits for that record: if it is lost, the change is only applied again.
  ///
  /// One change in the queue may represent several in the journal, which it has replaced. Their sequence numbers are a
  /// range, because no other change of the file can be between them.
  ///
  /// A writer without a journal has one that is never open, which stores only the versions.
  package struct _Journal: Sendable {
    /// A submission that waits until it is recorded.
    package enum Submission: Hashable, Sendable, JournalSubmission {
      case change(FileChange, ticket: Int)
      /// Changes that are accepted together.
      case batch(FileChange._Batch, ticket: Int)
      /// A caller that waits until everything staged so far is recorded.
      case mark(ticket: Int)
      /// A batch that waits until its plan, or its end, is recorded.
      case batchRecord(of: PendingChangeID)

      package var ticket: Int? {
        switch self {
        case .change(_, let ticket), .batch(_, let ticket), .mark(let ticket): ticket
        case .batchRecord: nil
        }
      }

      /// The contents of the record, unless the submission only waits.
      var body: _JournalBody? {
        switch self {
        case .change(let change, _): .change(change)
        case .batch(let batch, _): .batch(batch.changes)
        case .mark, .batchRecord: nil
        }
      }

      package var key: FileChange.Path? { body?.path }

      package var keys: [FileChange.Path] { body?.paths ?? [] }

      package var byteCount: Int { body.map { _JournalRecord(sequence: 0, body: $0).byteCount } ?? 0 }

      package var givesWay: Bool { if case .batch = self { false } else { true } }
    }

    /// The versions that the writer left at its files.
    package var versions = _KnownVersions(limit: 4096)
    var commits: GroupCommit<Submission>?
    private let path: FileChange.Path?
    /// The beginning of the paths of files that are about to replace the journal.
    private let temporaryPrefix: String
    let writer: UInt64
    var completions: [_JournalRecord] = []
    private(set) var inFlight: (write: _JournalWrite, submissions: [Submission], sequences: [UInt64])?

    /// The sequence numbers that each change in the queue represents.
    private var sequenceRanges: [PendingChangeID: ClosedRange<UInt64>] = [:]
    /// The files that are mentioned in the journal.
    var knownPaths: Set<FileChange.Path> = []
    /// The unfinished batches, by the sequence numbers of their records.
    var batches: [UInt64: _RecordedBatch] = [:]
    /// The changes that a killed process may have begun, until a later change of the file is done.
    private var superseded: [FileChange.Path: [(sequence: UInt64, change: FileChange)]] = [:]

    init() { (path, temporaryPrefix, writer) = (nil, "", 0) }

    /// - Parameter isCutOff: Whether the device could not read the rest.
    package init(
      configuration: Configuration, writer: UInt64, path: FileChange.Path, contents: _JournalContents,
      isCutOff: Bool = false
    ) {
      self.path = path
      temporaryPrefix = path.string.folderAndName.folder + JournalWorker.temporaryPrefix
      self.writer = writer
      // The unreadable part may have used sequence numbers, which are in the names of files.
      let unread: UInt64 = contents.isDamaged || isCutOff ? 1 << 32 : 0
      commits = GroupCommit(
        nextSequence: contents.nextSequence + unread, byteLimit: configuration.journalByteLimit,
        replacesOlder: configuration.coalescing.replacesOlder)
      superseded = contents.superseded
      knownPaths = Set(contents.records.flatMap(\.body.paths))
      for (path, version) in contents.versions { versions.store(version, of: path) }
    }
  }

  /// The versions that a writer left at the files that it changed last.
  ///
  /// A writer may live long and change many files, so it remembers only a number of them. It mistakes its own version
  /// of a forgotten file for another program's: a change that is based on an older one then fails, but nothing is lost.
  package typealias _KnownVersions = _RecentValues<FileChange.Path, FileChange.Version>
}

extension FileChangeWriter._Journal {
  /// Whether the writer has a journal that is not closed.
  package var isOpen: Bool { commits != nil }

  /// Whether all records are written to the file.
  package var isIdle: Bool { commits?.isIdle ?? true && completions.isEmpty }

  /// Whether the journal contains nothing that is still needed.
  package var isEmpty: Bool { sequenceRanges.isEmpty && batches.isEmpty }

  /// The changes in the queue that the journal has.
  var recorded: some Collection<PendingChangeID> { sequenceRanges.keys }

  /// Whether the journal mentions this file.
  ///
  /// If so, newer changes must be recorded, too, so that an old one cannot return.
  package func knows(_ path: FileChange.Path) -> Bool { knownPaths.contains(path) }

  /// The reason why the change cannot be recorded; nil if it can.
  package func objection(to change: FileChange) -> FileChangeError.Reason? {
    guard isOpen, let path else { return nil }
    if change.path == path || change.path.hasPrefix(temporaryPrefix) { return .isTheJournal }
    return FileChangeWriter._JournalBody.change(change).fits ? nil : .tooLarge
  }

  /// The traces that earlier attempts at a change of its file may have left, and the temporary name for this one.
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

  // MARK: Changes on their way to the queue

  package typealias Write = FileChangeWriter._JournalWrite
  typealias Record = FileChangeWriter._JournalRecord

  /// Adds a submission to the next group.
  package mutating func stage(_ submission: Submission) {
    guard isOpen else { return }
    commits?.stage(submission)
    knownPaths.formUnion(submission.keys)
  }

  /// Whether a change of the file is on its way to the journal.
  func isStaged(_ path: FileChange.Path) -> Bool { commits?.isStaged(path) ?? false }

  /// Whether any change is on its way to the journal.
  var hasStaged: Bool { commits?.stagedCounts.isEmpty == false }

  /// The next write; nil without anything to write, or while a write is in flight.
  ///
  /// - Parameters:
  ///   - isFirst: Whether to write in any case, so that the file is made.
  ///   - entries: All entries of the queue; only called if the file is rewritten.
  package mutating func nextWrite(
    isFirst: Bool = false, _ entries: () -> [PendingChangeQueue<FileChange>.Entry]
  ) -> Write? {
    let hasRecords = isFirst || !completions.isEmpty
    guard let (submissions, isWhole) = commits?.begin(hasRecords: hasRecords) else { return nil }
    let entries = isWhole ? entries() : []
    var records = isWhole ? entries.compactMap(record) : completions
    if isWhole { records += recordsOfSuperseded(beside: Set(records.map(\.sequence))) + recordsOfBatches() }
    // The version must be in the journal before the changes that are based on it. Otherwise, after a kill, the reader
    // would attribute the writer's own file to another program.
    let kept = isWhole ? entries.map(\.change) + batches.values.flatMap(\.batch.changes) : []
    for change in kept + submissions.flatMap({ $0.body?.changes ?? [] }) where change.base != nil {
      guard let version = versions[change.path] else { continue }
      records.append(nextRecord(.completed(change.path, nil, leaving: version)))
    }
    let sequences = submissions.map { _ in takeSequence() }
    records += self.records(of: submissions, sequences)
    records.sort { $0.sequence < $1.sequence }
    if isWhole, let path, let next = commits?.nextSequence, next > (records.last?.sequence ?? 0) + 1 {
      // The numbers are in the names of files, so none may be used again, even if its record is gone.
      records.append(Record(sequence: next - 1, body: .completed(path, nil)))
    }
    let isSynchronized = isWhole || !submissions.isEmpty
    let write = Write(records: records, isWhole: isWhole, isSynchronized: isSynchronized)
    inFlight = (write, submissions, sequences)
    completions = []
    return write
  }

  /// The write that repairs the file before it is closed, if it needs that; tried once.
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

  /// The records of changes that a killed process may have begun, unless they are still recorded as changes.
  private func recordsOfSuperseded(beside recorded: Set<UInt64>) -> [Record] {
    superseded.values.joined().compactMap { sequence, change in
      recorded.contains(sequence) ? nil : Record(sequence: sequence, body: .superseded(change))
    }
  }

  /// The records of a group, except those that newer ones in the group replace.
  private func records(of submissions: [Submission], _ sequences: [UInt64]) -> [Record] {
    var newest = [FileChange.Path: (sequence: UInt64, isUnconditional: Bool)](minimumCapacity: submissions.count)
    for case (.change(let change, _), let sequence) in zip(submissions, sequences) {
      newest[change.path] = (sequence, change.base == nil || newest[change.path]?.isUnconditional ?? false)
    }
    return zip(submissions, sequences).compactMap { submission, sequence in
      guard commits?.replacesOlder ?? false, case .change(let change, _) = submission else {
        return submission.body.map { Record(sequence: sequence, body: $0) }
      }
      guard let last = newest[change.path], last.sequence == sequence else { return nil }
      return Record(sequence: sequence, body: .change(last.isUnconditional ? change.unconditional : change))
    }
  }

  /// Ends the write in flight; `error` is nil if it is in the file.
  ///
  /// - Returns: The write, and those of its submissions that are not tried again, with their sequence numbers.
  package mutating func finishWrite(error: FileChangeError?) -> (Write, Zip2Sequence<[Submission], [UInt64]>)? {
    guard let (write, submissions, sequences) = inFlight else { return nil }
    inFlight = nil
    if let error {
      let lacksSpace = error.reason == .deviceFull || error.reason == .tooLarge
      if commits?.finish(.failed(lacksSpace: lacksSpace)) ?? false { return (write, zip([], [])) }
    } else {
      _ = commits?.finish(.written(byteCount: write.byteCount))
      if write.isWhole {
        knownPaths = Set(write.records.flatMap(\.body.paths))
        if let commits { knownPaths.formUnion(commits.stagedCounts.keys) }
      }
    }
    return (write, zip(submissions, sequences))
  }

  /// Notes that the queue has the change with this sequence number.
  package mutating func adopt(
    _ sequence: UInt64, of path: FileChange.Path, as insertion: PendingChangeQueue<FileChange>.Insertion
  ) {
    for failure in insertion.displacedFailures { forget(failure.id, of: path) }
    guard insertion.outcome != .kept else { return drop(sequence...sequence, of: path) }
    let older = insertion.displaced.flatMap { sequenceRanges.removeValue(forKey: $0.id) }
    sequenceRanges[insertion.id] = (older?.lowerBound ?? sequence)...sequence
  }

  package mutating func close() { commits = nil }

  // MARK: Changes that left the queue

  /// Records that the change was applied, which completes all older changes of the file, too.
  package mutating func complete(_ id: PendingChangeID, of path: FileChange.Path) {
    guard isOpen else { return }
    superseded[path] = nil
    guard let range = sequenceRanges.removeValue(forKey: id) else { return }
    completeAll(through: range.upperBound, of: path)
  }

  /// Records that the change will not be applied.
  ///
  /// - Returns: Whether the journal has the change, so that a record must be written.
  @discardableResult
  package mutating func forget(_ id: PendingChangeID, of path: FileChange.Path) -> Bool {
    guard isOpen, let range = sequenceRanges.removeValue(forKey: id) else { return false }
    drop(range, of: path)
    return true
  }

  /// Drops the possible work of a killed process on a file, because another program's contents were accepted.
  ///
  /// - Returns: Whether anything must be recorded.
  mutating func forgetAttempts(at path: FileChange.Path) -> Bool {
    guard isOpen, let attempts = superseded.removeValue(forKey: path) else { return false }
    // A waiting change is recorded separately when it is canceled or done.
    let waiting = Set(sequenceRanges.values.map(\.upperBound))
    let rest = attempts.map(\.sequence).filter { !waiting.contains($0) }
    for number in rest { completions.append(nextRecord(.completed(path, number...number))) }
    return !rest.isEmpty
  }

  private mutating func drop(_ range: ClosedRange<UInt64>, of path: FileChange.Path) {
    // The version comes first: without it, the next start would attribute the file to another program.
    if let version = versions[path] { completions.append(nextRecord(.completed(path, nil, leaving: version))) }
    completions.append(nextRecord(.completed(path, range)))
  }

  /// Records that the change with this number was applied, so that all older changes of the file are over.
  ///
  /// This doesn't apply to failed batches and to what was accepted before them.
  mutating func completeAll(through sequence: UInt64, of path: FileChange.Path) {
    let held = batches.values.filter { batch in
      batch.heldSequence != nil && batch.sequence < sequence && batch.batch.paths.contains(path)
    }
    for batch in held { batches[batch.sequence]?.replaced.insert(path) }
    let first = held.map { $0.sequence + 1 }.max() ?? 0
    completions.append(nextRecord(.completed(path, first...sequence, leaving: versions[path])))
  }
}
