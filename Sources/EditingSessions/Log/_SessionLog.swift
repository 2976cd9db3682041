internal import FileChanges
internal import Journals

/// The log of a session, which writes a snapshot, and after it everything that happens.
///
///     | snapshot | messages | messages | saving | messages | ...
///                                                     ▲ one write at a time; what comes meanwhile goes into the next
///
/// Each write is synchronized with the device. The snapshot is written when the first messages come, and again when the
/// log exceeds both 1 MB and twice its snapshot, or after a failure. It is written beside the old log, which stays
/// valid until the new one replaces it. It is encoded outside of the main actor. Meanwhile, new records go into the old
/// log at once, and into the new one after the snapshot.
@MainActor
final class _SessionLog {
  /// The contents with which a log begins.
  struct Beginning {
    /// The last messages of the old log, which the snapshot includes; nil if the snapshot is of a state before all that
    /// waits.
    let end: [UInt8]?
    /// The messages that directly follow the snapshot, in the new log only.
    let first: [UInt8]
    /// Encodes the snapshot.
    let encode: @Sendable () throws -> _Snapshot
  }

  /// A snapshot that is being encoded, or waits to be written.
  private struct PendingSnapshot {
    /// The number of records that the snapshot includes; nil if it is of a state before the records that wait.
    let count: Int?
    /// The records since the snapshot was taken.
    var records: [_SessionRecord]
    var encoded: _Snapshot?
  }

  private typealias Waiter = CheckedContinuation<EditingSessionError.Reason?, Never>

  private var journal: JournalWorker
  private var path: FileChange.Path
  /// The journal in which the log goes on once that has everything, and the caller that waits for it.
  private var move: (target: _OpenedLog, takeBack: () -> Void, waiter: Waiter)?
  private let clock: any Clock<Duration>
  /// The size up to which the log doesn't begin anew, even if it is twice as large as its snapshot.
  private let byteLimit: Int
  private weak var session: (any _LoggedSession)?
  /// Keeps the session alive until the device has every record, so that releasing it loses nothing.
  private var keptSession: (any _LoggedSession)?
  private var nextSequence: UInt64

  /// Whether the journal has a snapshot that messages can be appended to.
  private var hasSnapshot = false
  private var pending: PendingSnapshot?
  /// Incremented with each snapshot, and whenever the earlier ones are no longer enough.
  private var snapshotNumber = 0
  /// The records of the next write, and whether there are messages besides, which are taken then.
  private var waiting: [_SessionRecord] = []
  @safe @exclusivity(unchecked)
  private var haveMessagesToTake = false
  private var isWriting = false
  /// Whether no byte of the log may stay when the next snapshot replaces it.
  private var forgets = false
  private(set) var snapshotByteCount = 0
  private var byteCount = 0
  /// The number of bytes of the records that were written since the session began.
  private(set) var recordedByteCount = 0

  /// The number of records so far, and of those that are on the device.
  private var (appendedCount, durableCount) = (0, 0)
  private var waiters: [(count: Int, continuation: Waiter)] = []
  /// The error of the last write; nil after a write that succeeded.
  private var failure: EditingSessionError.Reason? {
    didSet { session?.report(failure) }
  }

  /// Whether the journal is open; if not, each write tries to open it first.
  private(set) var isOpen: Bool
  /// The end of the pause after a failure; nil while writing isn't paused.
  private var retrying: Task<Void, Never>?
  /// The number of writes that failed one after the other.
  private var failureCount = 0
  private var isClosed = false

  init(
    _ opened: _OpenedLog, at path: FileChange.Path, byteLimit: Int, clock: any Clock<Duration>,
    session: any _LoggedSession
  ) {
    (journal, self.path, nextSequence) = (opened.journal, path, opened.nextSequence)
    (failure, isOpen) = (opened.failure.map { EditingSessionError.Reason.log($0) }, opened.failure == nil)
    (self.byteLimit, self.clock, self.session) = (byteLimit, clock, session)
  }

  /// Whether there is anything to write; without edits, no log is begun.
  var isBegun: Bool { appendedCount > 0 }

  /// Whether the device has every record.
  var isDurable: Bool { durableCount == appendedCount }

  /// Adds a record, which is written as soon as the device has the one before.
  func append(_ record: _SessionRecord) {
    if !isClosed { keptSession = session }
    collectMessages()
    appendedCount += 1
    add(record)
    write()
  }

  /// Tells the log that there are messages, which it takes when it can write them.
  @inline(__always)
  func hasWaitingMessages() {
    // Messages until then become one record.
    if !haveMessagesToTake { beginRecord() }
  }

  // A separate method, because the log would otherwise be retained for each edit.
  private func beginRecord() {
    if !isClosed { keptSession = session }
    haveMessagesToTake = true
    appendedCount += 1
    write()
  }

  /// Makes a record of the messages that wait.
  func collectMessages() {
    guard haveMessagesToTake else { return }
    haveMessagesToTake = false
    if let record = session?.takeMessages() { add(record) }
  }

  /// Waits until the device has every record so far, and returns the reason if the log can't be written.
  ///
  /// The reason is that of the awaited write, because another caller may have begun the next one meanwhile.
  func durable() async -> EditingSessionError.Reason? {
    guard !isDurable else { return nil }
    guard !isClosed else { return .closed }
    if let retrying {
      retrying.cancel()
      retry()
    }
    return await withCheckedContinuation { continuation in
      waiters.append((appendedCount, continuation))
      write()
    }
  }

  /// Makes the next write a snapshot, because the messages are incomplete.
  func demandSnapshot() {
    (hasSnapshot, pending) = (false, nil)
    snapshotNumber += 1
  }

  /// Makes the next write a snapshot, after which the folder has no byte of the log before.
  func forget() {
    demandSnapshot()
    forgets = true
  }

  /// Continues in another journal, which first gets everything; then the old one is removed.
  ///
  /// Until the new journal has everything, nothing else becomes durable, and a kill leaves the old one.
  ///
  /// - Parameter takeBack: Called if the new journal can't be written, before the log goes on in the old one.
  /// - Returns: The reason if the new journal can't be written.
  func move(to target: _OpenedLog, orElse takeBack: @escaping () -> Void) async -> EditingSessionError.Reason? {
    _ = await durable()
    guard !isClosed else {
      takeBack()
      return .closed
    }
    guard target.failure == nil else {
      // Neither of the two can be used, and each write tries to open the new one.
      (journal, path) = (target.journal, target.path)
      return nil
    }
    appendedCount += 1
    retrying?.cancel()
    retrying = nil
    demandSnapshot()
    return await withCheckedContinuation { waiter in
      move = (target, takeBack, waiter)
      write()
    }
  }

  /// Ends a move, and returns whether there was one.
  private func endMove(because reason: EditingSessionError.Reason?) -> Bool {
    guard let ended = move else { return false }
    move = nil
    if reason != nil { ended.takeBack() }
    ended.waiter.resume(returning: reason)
    return true
  }

  /// Releases the journal.
  func close(removing: Bool) async {
    (isClosed, keptSession) = (true, nil)
    retrying?.cancel()
    _ = endMove(because: .closed)
    // The write that is under way may still succeed.
    if !isWriting { resume(because: .closed) }
    await journal.close(removing: removing)
  }

  private func add(_ record: _SessionRecord) {
    add(record, to: &waiting)
    if pending != nil { add(record, to: &pending!.records) }
  }

  private func add(_ record: _SessionRecord, to records: inout [_SessionRecord]) {
    if case .messages(let new, let areEdits) = record, case .messages(var messages, let haveEdits) = records.last {
      records.removeLast()
      messages += new
      records.append(.messages(messages, haveEdits: haveEdits || areEdits))
    } else {
      records.append(record)
    }
  }

  // MARK: Writing

  private func write() {
    guard !isWriting, !isClosed, retrying == nil else { return }
    // While a first snapshot is being encoded, nothing can be written.
    if hasSnapshot || pending == nil || pending?.encoded != nil { collectMessages() }
    if let pending, let snapshot = pending.encoded {
      self.pending = nil
      // Records since then count steps that the snapshot lacks, so they go into the next snapshot.
      let whole: [_SessionRecord] = [.snapshot(snapshot), .path(snapshot.path)]
      if let count = pending.count, !snapshot.hasAllSteps { return commit(whole, isWhole: true, count) }
      waiting = []
      return commit(whole + pending.records, isWhole: true)
    }
    if !hasSnapshot {
      // After a failure even if everything is durable, because the failure is reported until a write succeeds.
      if pending == nil, !isDurable || failure != nil { beginSnapshot() }
    } else if !waiting.isEmpty {
      let records = waiting
      waiting = []
      commit(records, isWhole: false)
    }
  }

  /// - Parameter covered: The number of records that are on the device afterwards; by default all so far.
  private func commit(_ records: [_SessionRecord], isWhole: Bool, _ covered: Int? = nil) {
    guard records.allSatisfy({ JournalFrame.fits($0.byteCount) }) else {
      return didFail(.log(FileChangeError(path: path, operation: .writeJournal, reason: .tooLarge)))
    }
    isWriting = true
    let (count, snapshot) = (covered ?? appendedCount, covered == nil ? snapshotNumber : nil)
    let numbered = records.map { body in
      defer { nextSequence += 1 }
      return JournalRecord(sequence: nextSequence, body: body)
    }
    let target = isWhole ? move?.target : nil
    let write = JournalWrite(
      records: numbered, isWhole: isWhole, isSynchronized: true, forgets: isWhole && forgets && target == nil)
    if write.forgets { forgets = false }
    Task {
      var reason = isOpen || target != nil ? nil : await open()
      if reason == nil, let error = await (target?.journal ?? journal).commit(write) {
        if error.reason == .vanished {
          // The log was removed, and begins anew.
          isWriting = false
          demandSnapshot()
          return self.write()
        }
        reason = .log(FileChangeError(error, of: path))
      }
      if reason == nil, let target {
        let old = journal
        (journal, path, isOpen) = (target.journal, target.path, true)
        await old.close(removing: true)
      }
      isWriting = false
      if reason != nil, write.forgets { forgets = true }
      if let reason { didFail(reason) } else { didWrite(write, count, snapshot) }
      if reason == nil, target != nil { _ = endMove(because: nil) }
    }
  }

  /// Opens the journal, which couldn't be opened before; returns the reason if it still can't be used.
  private func open() async -> EditingSessionError.Reason? {
    do throws(JournalError) {
      let found: JournalContentsOnOpen<_SessionRecord> = try await journal.open(
        newWriter: .random(in: .min ... .max), makesFolder: true)
      let isUnread = !found.contents.records.isEmpty || found.isDamaged
      // The next session needs the records that this session hasn't read, so they stay.
      if isUnread || isClosed {
        await journal.close(removing: !isUnread)
        return failure ?? .closed
      }
    } catch {
      return .log(FileChangeError(error, of: path))
    }
    isOpen = true
    return nil
  }

  /// - Parameter snapshot: The number of the latest snapshot; nil if nothing can be appended to the written one.
  private func didWrite(_ write: JournalWrite<_SessionRecord>, _ count: Int, _ snapshot: Int?) {
    (failureCount, durableCount) = (0, count)
    if failure != nil { failure = nil }
    if isDurable { keptSession = nil }
    if write.isWhole {
      hasSnapshot = snapshot == snapshotNumber
      snapshotByteCount = write.records.first?.byteCount ?? 0
      byteCount = 0
    }
    byteCount += write.byteCount
    // A long session writes more than 32 bits can count.
    recordedByteCount &+= write.byteCount
    resume(upTo: count)
    if isClosed { return resume(because: .closed) }
    if byteCount > max(byteLimit, 2 * snapshotByteCount), hasSnapshot, pending == nil { beginSnapshot() }
    self.write()
  }

  /// Answers the callers that wait for no more than this number of records.
  private func resume(upTo count: Int = .max, because reason: EditingSessionError.Reason? = nil) {
    let over = waiters.filter { $0.count <= count }
    waiters.removeAll { $0.count <= count }
    for waiter in over { waiter.continuation.resume(returning: reason) }
  }

  /// Pauses writing; the next write is a snapshot, because a device that is full or missing may come back.
  ///
  /// A session that has no other owner stays alive for the first of these attempts, for about half a minute.
  private func didFail(_ reason: EditingSessionError.Reason) {
    demandSnapshot()
    if endMove(because: reason) { return write() }
    failure = reason
    // If the contents can't be written, only edits could change that, and a session without another owner gets none.
    let isOfDevice = if case .log(let error) = reason { error.reason != .tooLarge } else { false }
    let delay = Duration.milliseconds(500).doubled(failureCount, upTo: .seconds(30))
    failureCount += 1
    if !isOfDevice || delay >= .seconds(30) { keptSession = nil }
    resume(because: reason)
    retrying = Task { [weak self, clock] in
      guard (try? await clock.sleep(for: delay, tolerance: nil)) != nil else { return }
      self?.retry()
    }
  }

  private func retry() {
    retrying = nil
    write()
  }

  // MARK: The snapshot

  private func beginSnapshot() {
    collectMessages()
    guard let beginning = session?.takeSnapshot(!hasSnapshot) else { return }
    if let end = beginning.end {
      if !hasSnapshot {
        // The snapshot includes the records that wait.
        waiting = []
      } else if !end.isEmpty {
        appendedCount += 1
        add(.messages(end, haveEdits: false), to: &waiting)
      }
    }
    let first = beginning.first.isEmpty ? [] : [_SessionRecord.messages(beginning.first, haveEdits: false)]
    pending = PendingSnapshot(
      count: beginning.end == nil ? nil : appendedCount, records: beginning.end == nil ? first + waiting : first)
    snapshotNumber += 1
    let number = snapshotNumber
    Task {
      let result = await elsewhere { Result { try beginning.encode() } }
      // This snapshot is no longer enough, so another one follows.
      guard number == snapshotNumber else { return write() }
      if case .success(let snapshot) = result, snapshot.hasAllSteps || !hasSnapshot && pending?.count != nil {
        pending?.encoded = snapshot
        return write()
      }
      // The document can't be written, or the snapshot has less than the old log, or is of a state before the edits.
      let count = pending?.count
      pending = nil
      if hasSnapshot {
        // The old log goes on, and begins anew when it is twice as large.
        snapshotByteCount = byteCount
      } else if case .failure(let error) = result, count == appendedCount {
        // Otherwise, edits that were made meanwhile may have made the document writable, and another snapshot follows.
        didFail(.unwritable(error))
      }
      write()
    }
  }
}
