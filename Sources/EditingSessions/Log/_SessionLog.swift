internal import FileChanges
internal import Journals

/// The log of a session: a snapshot, and behind it what happened since.
///
///     | snapshot | messages | messages | saving | messages | ...
///                                                     ▲ one write at a time; what comes meanwhile goes into the next
///
/// Each write is brought to the device. The snapshot is written when the first messages come, and again when the log is
/// twice as large, or after a failure: beside the old log, which stays valid until the new one takes its place. It is
/// encoded elsewhere; what happens meanwhile is in the old log at once, and in the new one behind the snapshot.
@MainActor
final class _SessionLog {
  /// What a log begins with.
  struct Beginning {
    /// What an older log gets for it, which ends there; nil where the snapshot is of before all that waits.
    var end: [UInt8]?
    /// Messages that come right behind the snapshot, in this log alone.
    var first: [UInt8] = []
    /// Makes the snapshot.
    let encode: @Sendable () throws -> _Snapshot
  }

  /// A snapshot that is being encoded, or waits for its turn.
  private struct PendingSnapshot {
    /// How many of the records so far it has; nil where it is of before those that wait.
    let count: Int?
    /// What happened since it was taken.
    var records: [_SessionRecord]
    var encoded: _Snapshot?
  }

  private let journal: JournalWorker
  private let path: FileChange.Path
  private let clock: any Clock<Duration>
  /// How large the log may become before it begins anew, where it is twice as large as its snapshot.
  private let byteLimit: Int
  /// Gives what happened since the last time.
  private let takeMessages: @MainActor () -> _SessionRecord?
  /// Gives what the log begins with; nil where another moment is better, and the log need not begin anew.
  private let takeSnapshot: @MainActor (_ isNeeded: Bool) -> Beginning?
  private let report: @MainActor (EditingSessionError.Reason?) -> Void
  /// Gives what all of that comes from.
  private let owner: @MainActor () -> AnyObject?
  /// Keeps that until the device has every record, so that who lets go of it loses nothing.
  private var keptOwner: AnyObject?
  private var nextSequence: UInt64

  /// Whether the file has a snapshot that messages can be appended to.
  private var hasSnapshot = false
  private var pending: PendingSnapshot?
  /// Goes up with each snapshot, and whenever those before it are no longer enough.
  private var snapshotNumber = 0
  /// What goes into the next write, and whether there are messages besides, which are taken then.
  private var waiting: [_SessionRecord] = []
  @safe @exclusivity(unchecked)
  private var haveMessagesToTake = false
  private var isWriting = false
  private(set) var snapshotByteCount = 0
  private var byteCount = 0
  /// How many bytes of records were written since the session began.
  private(set) var recordedByteCount = 0

  /// How many records there were, and how many of them are on the device.
  private var (appendedCount, durableCount) = (0, 0)
  private var waiters: [(count: Int, continuation: CheckedContinuation<EditingSessionError.Reason?, Never>)] = []
  /// Why the last write failed, until another one has not.
  private var failure: EditingSessionError.Reason? {
    didSet { report(failure) }
  }
  /// Whether the journal is open; if not, each attempt to write tries to open it first.
  private(set) var isOpen: Bool
  /// Whether nothing is written for a while.
  private var isPaused = false
  /// How many writes failed one after the other.
  private var failureCount = 0
  private var retrying: Task<Void, Never>?
  private var isClosed = false

  init(
    _ journal: JournalWorker, at path: FileChange.Path, nextSequence: UInt64,
    failure: EditingSessionError.Reason?, byteLimit: Int, clock: any Clock<Duration>,
    owner: @escaping @MainActor () -> AnyObject?,
    takeMessages: @escaping @MainActor () -> _SessionRecord?,
    takeSnapshot: @escaping @MainActor (_ isNeeded: Bool) -> Beginning?,
    report: @escaping @MainActor (EditingSessionError.Reason?) -> Void
  ) {
    (self.journal, self.path, self.nextSequence) = (journal, path, nextSequence)
    (self.failure, isOpen) = (failure, failure == nil)
    (self.byteLimit, self.clock, self.owner) = (byteLimit, clock, owner)
    (self.takeMessages, self.takeSnapshot, self.report) = (takeMessages, takeSnapshot, report)
  }

  /// Whether there is anything to say: without edits no log is begun.
  var isBegun: Bool { appendedCount > 0 }

  /// Whether the device has every record.
  var isDurable: Bool { durableCount == appendedCount }

  /// Adds a record, which is written as soon as the device has the one before.
  func append(_ record: _SessionRecord) {
    keepOwner()
    collectMessages()
    appendedCount += 1
    add(record)
    write()
  }

  /// There are messages, which the log takes when it can write them.
  @inline(__always)
  func messagesWait() {
    // What comes until then is one record.
    if !haveMessagesToTake { beginRecord() }
  }

  // Apart from that: the log would be retained for each edit.
  private func beginRecord() {
    keepOwner()
    haveMessagesToTake = true
    appendedCount += 1
    write()
  }

  private func keepOwner() { if !isClosed { keptOwner = owner() } }

  /// Makes a record of the messages that wait.
  func collectMessages() {
    guard haveMessagesToTake else { return }
    haveMessagesToTake = false
    if let record = takeMessages() { add(record) }
  }

  /// Returns when the device has every record so far, or why the log cannot be written.
  ///
  /// The reason is that of the write that was waited for: meanwhile another caller may have begun the next one.
  func durable() async -> EditingSessionError.Reason? {
    guard !isDurable else { return nil }
    guard !isClosed else { return .closed }
    if isPaused {
      retrying?.cancel()
      retry()
    }
    return await withCheckedContinuation { continuation in
      waiters.append((appendedCount, continuation))
      write()
    }
  }

  /// Lets the next write be a snapshot, since the messages are not all of it.
  func demandSnapshot() {
    (hasSnapshot, pending) = (false, nil)
    snapshotNumber += 1
  }

  /// Gives the journal back.
  func close(removing: Bool) async {
    (isClosed, keptOwner) = (true, nil)
    retrying?.cancel()
    // What is being written may still be durable.
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
    guard !isWriting, !isClosed, !isPaused else { return }
    // While a first snapshot is being encoded, nothing can be written.
    if hasSnapshot || pending == nil || pending?.encoded != nil { collectMessages() }
    if let pending, let snapshot = pending.encoded {
      self.pending = nil
      // What came since counts steps that it has not: the next snapshot has that.
      if let count = pending.count, !snapshot.hasAllSteps { return commit([.snapshot(snapshot)], isWhole: true, count) }
      waiting = []
      return commit([.snapshot(snapshot)] + pending.records, isWhole: true)
    }
    if !hasSnapshot {
      // After a failure also where all is durable: it is told until a write has not failed.
      if pending == nil, !isDurable || failure != nil { beginSnapshot() }
    } else if !waiting.isEmpty {
      let records = waiting
      waiting = []
      commit(records, isWhole: false)
    }
  }

  /// - Parameter covered: How many records are on the device then; all so far, unless it is given.
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
    let write = JournalWrite(records: numbered, isWhole: isWhole, isSynchronized: true)
    Task {
      var reason = isOpen ? nil : await open()
      if reason == nil, let error = await journal.commit(write) {
        if error.reason == .vanished {
          // It was removed, and begins anew.
          isWriting = false
          demandSnapshot()
          return self.write()
        }
        reason = .log(FileChangeError(error, of: path))
      }
      isWriting = false
      if let reason { didFail(reason) } else { didWrite(write, count, snapshot) }
    }
  }

  /// Opens the journal, which could not be opened before; the reason where it still cannot be used.
  private func open() async -> EditingSessionError.Reason? {
    do throws(JournalError) {
      let found: JournalContentsOnOpen<_SessionRecord> = try await journal.open(
        newWriter: .random(in: .min ... .max), makesFolder: true)
      let isUnread = !found.contents.records.isEmpty || found.isDamaged
      // What this session has not read stays as it is, for the next one.
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

  /// - Parameter snapshot: The number of the latest snapshot; nil where nothing can be appended to what was written.
  private func didWrite(_ write: JournalWrite<_SessionRecord>, _ count: Int, _ snapshot: Int?) {
    (failureCount, durableCount) = (0, count)
    if failure != nil { failure = nil }
    if isDurable { keptOwner = nil }
    if write.isWhole {
      hasSnapshot = snapshot == snapshotNumber
      snapshotByteCount = write.records.first?.byteCount ?? 0
      byteCount = 0
    }
    byteCount += write.byteCount
    // A long life writes more than 32 bits can count.
    recordedByteCount &+= write.byteCount
    resume(upTo: count)
    if isClosed { return resume(because: .closed) }
    if byteCount > max(byteLimit, 2 * snapshotByteCount), hasSnapshot, pending == nil { beginSnapshot() }
    self.write()
  }

  /// Answers those that wait for no more than that many records.
  private func resume(upTo count: Int = .max, because reason: EditingSessionError.Reason? = nil) {
    let over = waiters.filter { $0.count <= count }
    waiters.removeAll { $0.count <= count }
    for waiter in over { waiter.continuation.resume(returning: reason) }
  }

  /// The next write is a snapshot, after a while: a device that is full or away may come back.
  ///
  /// A session that nobody else has is kept for the first of these attempts, of some half a minute.
  private func didFail(_ reason: EditingSessionError.Reason) {
    demandSnapshot()
    (failure, isPaused) = (reason, true)
    // Of what cannot be written nobody is left to make something else.
    let isOfDevice = if case .log(let error) = reason { error.reason != .tooLarge } else { false }
    let delay = Duration.milliseconds(500).doubled(failureCount, upTo: .seconds(30))
    failureCount += 1
    if !isOfDevice || delay >= .seconds(30) { keptOwner = nil }
    resume(because: reason)
    retrying = Task { [weak self, clock] in
      guard (try? await clock.sleep(for: delay, tolerance: nil)) != nil else { return }
      self?.retry()
    }
  }

  private func retry() {
    isPaused = false
    write()
  }

  // MARK: The snapshot

  private func beginSnapshot() {
    collectMessages()
    guard let beginning = takeSnapshot(!hasSnapshot) else { return }
    if let end = beginning.end {
      if !hasSnapshot {
        // The snapshot has it.
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
      let result = await Self.encoded(beginning.encode)
      // What was not enough any more has a successor.
      guard number == snapshotNumber else { return write() }
      switch result {
      case .success(let snapshot) where snapshot.hasAllSteps || !hasSnapshot && pending?.count != nil:
        pending?.encoded = snapshot
      case .success:
        // It has less than the old log, which goes on, or is of before the edits.
        pending = nil
        if hasSnapshot { snapshotByteCount = byteCount }
      case .failure(let error):
        let count = pending?.count
        pending = nil
        if hasSnapshot {
          // The old log goes on, and begins anew when it is twice as large.
          snapshotByteCount = byteCount
        } else if count == appendedCount {
          // What was edited meanwhile may have made it writable: then that comes next.
          didFail(.unwritable(error))
        }
      }
      write()
    }
  }

  @concurrent
  private nonisolated static func encoded(
    _ encode: @Sendable () throws -> _Snapshot
  ) async -> Result<_Snapshot, any Error> {
    Result { try encode() }
  }
}
