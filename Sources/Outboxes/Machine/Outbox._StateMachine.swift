package import Journals
package import PendingChanges
internal import UniqueQueues

extension Outbox {
  /// The state and the decisions of an outbox, without files, clocks and tasks.
  ///
  /// Each method takes one event and returns the actions to perform, in order. The outbox performs them and reports
  /// their results as new events.
  ///
  ///     insert ──► staged ──► recorded ──► waiting ──► running ──► left
  ///                                                     │   ▲
  ///                                failed: sleeping ◄───┤   └── due ◄── woken, resumed, recovered, requeued
  ///                                refused: failure ◄── recorded
  ///
  /// To the queue, a change is in flight from its first attempt until it leaves or becomes a failure. So no newer
  /// change joins it, and contents whose identity the server may have seen never change. If a write under way says that
  /// another change joins a change, the latter is *held*: it is also in flight to the queue, and doesn't begin.
  package struct _StateMachine {
    package enum Action {
      /// Send the change, then call ``answer(_:_:at:)``.
      case send(PendingChangeID, Entry)
      /// Write to the journal, then call ``finishWrite(error:)``.
      case record(JournalWrite<_OutboxRecord>)
      /// Resume the caller that waits with this ticket.
      case acknowledge(ticket: Int, Result)
      /// Cancel every attempt that is under way.
      case cancelAttempts
      /// Release the journal, then call ``closedJournal()``.
      case closeJournal(removing: Bool)
      /// End the sequences of states: the outbox is closed.
      case end
    }

    /// The result that a caller waits for.
    package enum Result: Sendable {
      case accepted(String)
      case removed(Entry?)
      case requeued(Bool)
      /// A change that can't be decoded was removed.
      case discarded
      case outcome(Outcome?)
      case done
      case failure(OutboxError)
    }

    /// The outcome of an attempt.
    package enum Verdict: Sendable {
      case answered(Answer)
      case failed(reason: String)
      case cancelled
    }

    package enum Phase: Comparable {
      case open
      /// No change is begun or accepted any more.
      case closing
      /// The journal is being released.
      case releasing
      case closed
    }

    let configuration: Configuration
    let path: String
    let coding: _Coding
    var random: any RandomNumberGenerator & Sendable
    /// The random number of this opening of the journal, and how many identities the opening has given.
    let opening: UInt64
    var identityCount: UInt64 = 0

    package internal(set) var queue = PendingChangeQueue<_Item>()
    /// The changes and failures by their identities.
    var ids: [_OutboxID: PendingChangeID] = [:]
    /// The size in bytes of the records of all changes that are still to be sent.
    var pendingByteCount = 0

    // Every change that is in flight to the queue is in one of `running`, `sleepers`, `due`, `ending`, `held` and
    // `setAside`.

    /// The changes that are being sent, or whose beginning is being recorded.
    var running: Set<PendingChangeID> = []
    /// The running changes whose beginning is not yet part of a write; each is sent when the write has ended.
    var unsent: [PendingChangeID] = []
    /// The interrupted change that is being sent.
    var lone: PendingChangeID?
    /// Until when no other change begins, because an interrupted one is to be sent alone.
    var quiet: Duration?
    /// The last change that was restored from the journal.
    var lastRestored = PendingChangeID(rawValue: 0)
    var sleepers = _Sleepers()
    /// The changes that begin as soon as they may.
    var due = UniqueQueue<PendingChangeID>()
    /// The changes with a submission on its way to the journal: their end, or that no other change joins them.
    var ending: [PendingChangeID: _Submission.Operation] = [:]
    /// The operations that a failed write did not record; each is submitted again when its sleeping change is due, or
    /// earlier with another write.
    var unrecorded: [PendingChangeID: _Submission.Operation] = [:]
    /// How many writes failed in a row.
    var failedWriteCount = 0
    /// The changes that must not begin before the write under way has ended, because it has a record about each;
    /// whether each was begun before, and its sleep.
    var held: [(id: PendingChangeID, isBegun: Bool, sleep: _Sleepers.Sleep?)] = []
    /// The changes that can't be decoded; those in flight keep newer ones of their keys from being sent.
    var undecodableIDs: Set<PendingChangeID> = []
    /// The changes in flight that can't be decoded, once their turn has come.
    var setAside: Set<PendingChangeID> = []

    var commits: GroupCommit<_Submission>
    /// The number of bytes of changes that are on their way to the journal.
    var stagedByteCount = 0
    /// The records to write that no caller waits for.
    var unacknowledged: [_OutboxRecord] = []
    var inFlight: (write: JournalWrite<_OutboxRecord>, decisions: [Decision], begun: [PendingChangeID])?

    /// How many groups were synchronized to the journal's device, and how many bytes of records were written.
    package internal(set) var groupCount = 0
    package internal(set) var recordedByteCount = 0

    package internal(set) var phase = Phase.open
    /// The latest time of any event.
    var now = Duration.zero
    /// Whether ``pause()`` was called.
    var isPaused: Bool
    /// Until when the server asked not to receive anything.
    var pauseEnd: Duration?
    /// The same by the system's clock.
    var pauseWait: _OutboxRecord.Wait?
    /// The callers that wait for the end.
    var closers: [Int] = []
    /// The callers that wait for the outcome of one change; those that wait until everything is sent have the key nil.
    var waiters: [_OutboxID?: [Int]] = [:]
    /// The outcomes of the changes that left last, as many as a caller may still ask for; failures are in the queue.
    var outcomes = _RecentValues<_OutboxID, Outcome>(limit: 1000)
    /// The answers to callers whose change has an outcome.
    var settled: [Action] = []
    var state = State()

    package init(
      configuration: Configuration, path: String, opening: UInt64, random: any RandomNumberGenerator & Sendable,
      coding: _Coding
    ) {
      precondition(configuration.parallelKeys >= 1, "At least one change must be sent at a time")
      precondition(configuration.backoff.attempts ?? 1 >= 1, "There must be at least one attempt")
      precondition(configuration.maximumInterruptions >= 1, "At least one interruption must be possible")
      precondition(configuration.sendTimeout ?? .seconds(1) > .zero, "An attempt must have some time")
      precondition(configuration.journalByteLimit >= 1, "A journal must be able to hold something")
      precondition(configuration.waitingByteLimit >= 1, "Something must be able to wait")
      self.configuration = configuration
      self.path = path
      self.opening = opening
      self.random = random
      self.coding = coding
      isPaused = configuration.startsPaused
      commits = GroupCommit(nextSequence: 1, byteLimit: configuration.journalByteLimit, replacesOlder: false)
    }
  }
}

// MARK: - Reading

extension Outbox._StateMachine {
  /// The earliest time at which ``wake(at:)`` is due.
  package var nextWake: Duration? {
    guard phase == .open else { return nil }
    if let pauseEnd { return pauseEnd }
    guard let quiet, quiet > now else { return sleepers.next }
    return min(quiet, sleepers.next ?? quiet)
  }

  /// The state to publish, in which a waiting outbox is idle, because the machine knows no dates.
  package var currentState: Outbox.State {
    var state = state
    let undecodableFailureCount = undecodableIDs.count { queue.status(of: $0) == .failure }
    state.pendingCount = queue.count - undecodableIDs.count + undecodableFailureCount
    state.sendingCount = running.count
    state.failureCount = queue.failureCount - undecodableFailureCount
    state.activity = isPaused ? .paused : isWaiting || isIdle ? .idle : .sending
    return state
  }

  /// Whether all changes sleep, or the server has asked not to receive any.
  package var isWaiting: Bool {
    if pauseEnd != nil { return !isPaused && running.isEmpty && !isIdle }
    return !isPaused && running.isEmpty && due.isEmpty && ending.isEmpty && held.isEmpty && sleepers.next != nil
      && queue.next == nil
  }

  package func entry(_ id: PendingChangeID) -> Outbox.Entry? {
    guard let item = item(id), let change = item.change else { return nil }
    return Outbox.Entry(id: item.id.text, change: change, attempts: item.attempts, failureReason: item.reason)
  }

  package var failures: [Outbox.Entry] { queue.failures.compactMap { entry($0.id) } }

  /// The changes that aren't sent, in the order of the queue; one that waits for its key follows the older one.
  package var pending: [Outbox.Entry] { line.compactMap { entry($0.id) } }

  /// The changes in the order of the queue, without failures.
  var line: [PendingChangeQueue<Item>.Entry] {
    var copy = queue
    return Array(copy.removeAll().prefix(queue.count))
  }

  mutating func makeIdentity() -> _OutboxID {
    identityCount += 1
    return _OutboxID(opening: opening, number: identityCount)
  }

  // MARK: Deciding

  /// Begins changes, writes records, resumes the callers that wait until everything is sent, and closes the journal,
  /// each when its time has come.
  ///
  /// - Parameter hasFailed: Whether a write has just failed, so that its unrecorded operations aren't submitted again
  ///   at once.
  mutating func proceed(hasFailed: Bool = false) -> [Action] {
    defer { _checkInvariants() }
    var actions: [Action] = []
    beginNext()
    if phase < .releasing, let write = nextWrite(takesUnrecorded: !hasFailed) { actions.append(.record(write)) }
    if phase == .closing { actions += close() }
    if waiters[nil]?.isEmpty == false, isDrained {
      if commits.endIsKnown {
        actions += endDraining(.done)
      } else if let write = nextWrite(isFirst: true) {
        actions.append(.record(write))
      }
    }
    defer { settled = [] }
    return actions + settled
  }

  /// Whether nothing is left to be sent or written, except for what the journal may have lost by a failed write.
  var isDrained: Bool { isIdle && commits.isIdle && unacknowledged.isEmpty }

  /// Resumes the callers that wait until everything is sent.
  mutating func endDraining(_ result: Result) -> [Action] {
    (waiters.removeValue(forKey: nil) ?? []).map { .acknowledge(ticket: $0, result) }
  }

  private var mayBegin: Bool { phase == .open && !isPaused && pauseEnd == nil }

  private mutating func beginNext() {
    while mayBegin, running.count < configuration.parallelKeys, let id = takeNext() {
      if let operation = unrecorded.removeValue(forKey: id) {
        end(id, operation)
      } else if undecodableIDs.contains(id) {
        setAside.insert(id)
      } else if Change.policy.replacesOlder, let key = queue[id]?.key, queue.newest(for: key)?.id != id {
        settleReplaced(id)
        end(id, .leave(id))
      } else {
        begin(id)
      }
    }
  }

  /// Removes and returns the change to begin next, which is then in flight to the queue.
  ///
  /// An interrupted change comes after the others that were restored, and is sent alone, so that it is known whether it
  /// ends the process. But neither a change that is never answered keeps it waiting forever, nor does it the others.
  private mutating func takeNext() -> PendingChangeID? {
    let isQuiet = quiet.map { now < $0 } ?? true
    if lone != nil, isQuiet { return nil }
    guard let first = due.first, item(first)?.interruptions != nil else {
      if lone == nil { quiet = nil }
      return due.popFirst() ?? queue.begin()?.id
    }
    if let next = queue.next, next.id <= lastRestored { return queue.begin()?.id }
    if !running.isEmpty, isQuiet {
      quiet = quiet ?? now + Self.patience
      return nil
    }
    return due.popFirst()
  }

  /// How long other changes wait for an interrupted one, and how long that one waits to be alone.
  private static var patience: Duration { .seconds(10) }

  private mutating func begin(_ id: PendingChangeID) {
    update(id) {
      $0.attempts += 1
      $0.wait = nil
    }
    guard let item = item(id) else { return }
    running.insert(id)
    if item.interruptions != nil { (lone, quiet) = (id, nil) }
    unsent.append(id)
    unacknowledged.append(.begun(item.id))
  }

  /// Sends the changes whose beginning was written, or could not be.
  mutating func send(_ begun: [PendingChangeID]) -> [Action] {
    begun.compactMap { id in
      guard mayBegin, let entry = entry(id) else {
        stop(id)
        due.prepend(id)
        return nil
      }
      if lone == id { quiet = now + Self.patience }
      return .send(id, entry)
    }
  }

  /// Ends an attempt that doesn't count.
  mutating func stop(_ id: PendingChangeID) {
    endRunning(id)
    update(id) { $0.attempts -= 1 }
    if let item = item(id) { unacknowledged.append(.ended(item.id, interruptions: item.interruptions)) }
  }

  /// - Returns: Whether the change was running.
  @discardableResult
  mutating func endRunning(_ id: PendingChangeID) -> Bool {
    if lone == id { (lone, quiet) = (nil, nil) }
    return running.remove(id) != nil
  }

  /// Submits the end of a change to the journal, after which it takes effect.
  mutating func end(_ id: PendingChangeID, _ operation: Outbox._Submission.Operation) {
    guard let key = queue[id]?.key else { return }
    ending[id] = operation
    stage(operation, ticket: nil, key: key)
  }

  mutating func stage(_ operation: Outbox._Submission.Operation, ticket: Int?, key: Change.Key) {
    let submission = Outbox._Submission(operation, ticket: ticket, key: key)
    if case .insert = operation { stagedByteCount += submission.byteCount }
    commits.stage(submission)
  }

  private mutating func close() -> [Action] {
    guard running.isEmpty, commits.isIdle, unacknowledged.isEmpty else { return [] }
    if commits.endIsKnown {
      // Nothing will wake that could submit these.
      endUnrecorded()
      if let write = nextWrite() { return [.record(write)] }
    }
    if !queue.isEmpty, commits.beginRepair(), let write = nextWrite(isFirst: true) { return [.record(write)] }
    phase = .releasing
    return [.closeJournal(removing: queue.isEmpty)]
  }

  #if InternalChecks
    /// Traps if the parts of the machine contradict each other.
    ///
    /// - Complexity: O(*n*) for *n* changes and failures.
    func _checkInvariants() {
      let inFlight = Set(queue.inFlight.map(\.id))
      let parts = [
        Array(running), Array(sleepers.ids), Array(due), Array(ending.keys), held.map { $0.id }, Array(setAside),
      ]
      precondition(Set(parts.joined()) == inFlight, "Every change in flight is accounted for")
      precondition(parts.reduce(0) { $0 + $1.count } == inFlight.count, "It is in one part only")
      precondition(running.count <= configuration.parallelKeys, "No more run than may")
      let pending = queue.inFlight + queue.waiting
      let all = Set((pending + queue.failures).map(\.id))
      precondition(Set(ids.values) == all, "Everything is known, and nothing else")
      precondition(ids.allSatisfy { item($1)?.id == $0 }, "Every change has its identity")
      precondition(undecodableIDs == all.filter { item($0)?.change == nil }, "What can't be decoded is known")
      precondition(setAside.isSubset(of: undecodableIDs), "What is set aside can't be decoded")
      precondition(
        pendingByteCount == pending.reduce(0) { $0 + $1.change.byteCount }, "Waiting changes are counted")
      precondition(held.isEmpty || self.inFlight != nil, "Nothing is held without a write")
      if case .merge = Change.policy {
        precondition(
          queue.failures.allSatisfy { queue.newest(for: $0.key) == nil }, "A newer change takes failures along")
      }
      precondition(inFlight.isSuperset(of: unrecorded.keys), "Every unrecorded change is in flight")
      precondition(running.isSuperset(of: unsent), "Every change that is about to be sent counts as running")
      precondition(phase < .releasing || running.isEmpty, "The end is the end")
    }
  #else
    func _checkInvariants() {}
  #endif
}
