internal import Journals
package import PendingChanges
internal import UniqueQueues

extension FileChangeWriter {
  /// The state and the decisions of a writer, without files, clocks and tasks.
  ///
  /// Each method handles one event and returns the actions that follow from it, in order. The writer performs them and
  /// reports their results to the machine.
  ///
  ///     submit ──► waiting ──► running ──► done
  ///                   ▲           ├── transient ──► sleeping ──┐
  ///                   └───────────┼────────────────────────────┘
  ///                               └── permanent, or too often in a row ──► failure, kept
  ///
  /// The queue treats a sleeping change as in flight: a newer change of the file waits, and replaces it when the sleep
  /// ends. A change that would immediately follow another one of its file is paused: it sleeps before its first
  /// attempt. With a journal, a change enters the queue when it is recorded, and is then delayed for a while.
  package struct _StateMachine: ~Copyable, Sendable {
    package enum Action: Hashable, Sendable {
      /// Apply the change, then call ``finish(_:error:version:after:)``.
      case run(PendingChangeID, FileChange, _Leftovers = .none)
      /// Perform the step of a batch, then call ``finish(_:_:)``.
      case runBatch(PendingChangeID, FileChange._Batch, _BatchStep)
      /// Call ``wake(_:)`` after a while.
      case sleep(PendingChangeID, Duration)
      /// Call ``wake(_:)`` after a while, in which the file isn't written.
      case pause(PendingChangeID, Duration)
      /// Call ``tick()`` after a while.
      case watch(Duration)
      /// Don't call ``wake(_:)`` any more: the sleep ended early.
      case awaken(PendingChangeID)
      /// Publish the event.
      case emit(Event)
      /// Write to the journal, then call ``finishWrite(error:)``.
      case record(_JournalWrite)
      /// Resume the caller with this ticket, who waits for the journal, with the id of the submitted change.
      case acknowledge(ticket: Int, Result<PendingChangeID?, FileChangeError>)
      /// Close the journal, then call ``closedJournal()``.
      case closeJournal(removing: Bool)
      /// Resume the caller with this number.
      case resume(waiter: Int, unwritten: [Failure], unfinished: [PendingChangeQueue<FileChange>.Entry] = [])
      /// The writer has ended.
      case end
    }

    /// The stages of the machine's life, in their order.
    package enum Phase: Comparable, Sendable {
      case open
      /// New changes are refused.
      case shuttingDown
      /// Nothing is started any more, either.
      case abandoned
      /// The journal is being closed.
      case closing
      case ended
    }

    let configuration: Configuration
    private var random: any RandomNumberGenerator & Sendable
    var queue = PendingChangeQueue<FileChange>()
    var journal = _Journal()
    package internal(set) var admission: _Admission
    var sleepers = _Sleepers()
    var batches = _Batches()
    var writeDelay: _WriteDelay
    var waiters = _Waiters()
    package internal(set) var phase = Phase.open
    /// How often in a row a file was written while a newer change of it waited.
    var pausesInARow: [FileChange.Path: Int] = [:]
    /// How often the changes of a file have failed since the last success or the last failure for good.
    var failuresInARow: [FileChange.Path: Int] = [:]
    /// The error of each failure in the queue.
    var errors: [PendingChangeID: FileChangeError] = [:]
    var counts = Progress()

    package init(configuration: Configuration, random: any RandomNumberGenerator & Sendable) {
      precondition(configuration.parallelFiles >= 1, "At least one file must be written at a time")
      precondition(configuration.backoff.attempts ?? 1 >= 1, "There must be at least one attempt")
      precondition(configuration.eventLimit >= 1, "A reader must be able to lag behind by at least one event")
      precondition(configuration.journalByteLimit >= 1, "A journal must be able to hold something")
      precondition(configuration.waitingByteLimit >= 1, "Something must be able to wait")
      self.configuration = configuration
      self.random = random
      admission = _Admission(byteLimit: configuration.waitingByteLimit)
      writeDelay = _WriteDelay(tickLength: configuration.idleTime, longest: configuration.longestDelay)
    }
  }
}

// MARK: - Queries and failures

extension FileChangeWriter._StateMachine {
  /// How many changes are running.
  var runningCount: Int {
    let count = queue.inFlightCount - sleepers.count
    return batches.open.isEmpty ? count : count - batches.placeholderCount + batches.runningCount
  }

  package var progress: FileChangeWriter.Progress {
    var progress = counts
    progress.waitingBytes = admission.byteCount
    progress.waiting = queue.waitingCount
    progress.inFlight = queue.inFlightCount
    progress.heldFailures = queue.failureCount + batches.held.count
    return progress
  }

  package var failures: [FileChangeWriter.Failure] {
    // Sorted, because the queue returns failures in the order in which it would have run them.
    let failures = queue.failures.compactMap { failure in
      errors[failure.id].map { FileChangeWriter.Failure(id: failure.id, change: failure.change, error: $0) }
    }
    return (failures + batches.held.map(\.failure)).sorted { $0.id < $1.id }
  }

  /// - Parameter path: The file whose failures are tried again; nil for all files.
  package mutating func retryFailures(of path: FileChange.Path? = nil) -> (count: Int, actions: [Action]) {
    guard phase == .open else { return (0, []) }
    var count = 0
    for failure in failures where path.map({ $0 == failure.change.path }) ?? true {
      guard !isOnItsWay(failure.change.path), queue.requeue(id: failure.id) else { continue }
      errors[failure.id] = nil
      admission.add(failure.change)
      count += 1
    }
    if !batches.held.isEmpty { count += retryBatches(of: path) }
    return (count, proceed())
  }

  /// - Parameter ticket: The ticket of the caller, who waits if the journal has one of the failures.
  /// - Returns: The failures, and whether their removal is being recorded.
  package mutating func removeFailures(
    ticket: Int
  ) -> (removed: [FileChangeWriter.Failure], isRecorded: Bool, actions: [Action]) {
    let removed = failures
    var isRecorded = false
    for sequence in batches.held.compactMap(\.sequence) where journal.end(sequence, .done) { isRecorded = true }
    batches.held = []
    for failure in removed {
      queue.remove(id: failure.id)
      if journal.forget(failure.id, of: failure.change.path) { isRecorded = true }
    }
    errors = [:]
    // Once the journal is being closed, nothing more is written to it.
    isRecorded = isRecorded && phase < .closing
    if isRecorded { journal.stage(.mark(ticket: ticket)) }
    return (removed, isRecorded, proceed())
  }

  // MARK: Events

  /// Handles the end of a change: `error` is nil if it was applied.
  ///
  /// - Parameters:
  ///   - version: The version that the change left, if it changed the file, even if it failed afterwards.
  ///   - time: The duration of the work.
  package mutating func finish(
    _ id: PendingChangeID, error: FileChangeError?, version: FileChange.Version? = nil, after time: Duration = .zero
  ) -> [Action] {
    writeDelay.finish(id, after: time)
    guard let entry = queue[id], queue.status(of: id) == .inFlight, !sleepers.contains(id) else { return [] }
    if let version { journal.versions.store(version, of: entry.key) }
    let news = error.map { fail(entry, $0) } ?? succeed(entry)
    return news + proceed()
  }

  /// Ends the sleep of a change or a batch.
  package mutating func wake(_ id: PendingChangeID) -> [Action] {
    endSleep(id)
    return proceed()
  }

  private mutating func succeed(_ entry: PendingChangeQueue<FileChange>.Entry) -> [Action] {
    let (id, path) = (entry.id, entry.key)
    queue.complete(id)
    admission.remove(entry)
    journal.complete(id, of: path)
    failuresInARow[path] = nil
    for old in queue.failures(for: path).map(\.id) where old < id {
      queue.remove(id: old)
      errors[old] = nil
      journal.forget(old, of: path)
    }
    batches.didChange(path, id)
    waiters.report(path, id, failure: nil, isHeld: false)
    let pause = pause(before: path)
    precondition(entry.change.target == nil, "A move is a batch")
    if entry.change.contents == nil { counts.removed += 1 } else { counts.written += 1 }
    return [.emit(.init(id: id, path: path, outcome: .done))] + pause
  }

  /// - Parameter isFinal: Whether the change isn't tried again, even if the error is transient.
  mutating func fail(
    _ entry: PendingChangeQueue<FileChange>.Entry, _ error: FileChangeError, isFinal: Bool = false
  ) -> [Action] {
    let (id, path) = (entry.id, entry.key)
    let count = failuresInARow[path, default: 0] + 1
    if !isFinal, error.isTransient, configuration.backoff.allows(count) {
      failuresInARow[path] = count
      sleepers.failed[id] = error
      if phase >= .abandoned {
        endSleep(id)
        return []
      }
      counts.retried += 1
      let delay = retryDelay(afterFailures: count)
      return [.emit(.init(id: id, path: path, outcome: .retrying(error, after: delay))), .sleep(id, delay)]
    }
    failuresInARow[path] = nil
    pausesInARow[path] = nil
    counts.failed += 1
    admission.remove(entry)
    queue.fail(id, attempts: 1, reason: error.description)
    let isHeld = queue.status(of: id) == .failure
    if isHeld { errors[id] = error } else { journal.forget(id, of: path) }
    let failure = FileChangeWriter.Failure(id: id, change: entry.change, error: error)
    waiters.report(path, id, failure: failure, isHeld: isHeld)
    return [.emit(.init(id: id, path: path, outcome: .failed(error)))]
  }

  /// Starts the changes that can begin, admits submissions, writes to the journal, resumes callers whose wait is over,
  /// and ends the machine when all is done.
  mutating func proceed() -> [Action] {
    defer { _checkInvariants() }
    // First the changes that wait: otherwise newer changes of a file could replace them forever, and none would begin.
    var actions = beginNext()
    if !admission.tickets.isEmpty {
      actions += admit()
      actions += beginNext()
    }
    if journal.isOpen, phase < .closing, let write = journal.nextWrite({ [queue] in queue.recorded }) {
      actions.append(.record(write))
    }
    if phase > .open {
      actions += end()
    } else if writeDelay.beginTick() {
      actions.append(.watch(writeDelay.tickLength))
    }
    if !waiters.isEmpty { actions += waiters.removeAll(in: phase).map { resume($0) } }
    return actions
  }

  private mutating func beginNext() -> [Action] {
    var actions = batches.open.isEmpty ? [] : beginBatches()
    while phase < .abandoned, runningCount < configuration.parallelFiles, mayBeginNext {
      let isDelaying = isDelaying
      guard !isDelaying || isNextDue, let entry = queue.begin() else { break }
      if isDelaying { writeDelay.beginDue(entry.id) }
      writeDelay.release(entry.key)
      admission.begin(entry.id)
      actions.append(.run(entry.id, entry.change, journal.leftovers(of: entry)))
    }
    return actions
  }

  /// Whether the limit allows the next change to begin, although it then can no longer be replaced.
  ///
  /// If not, the journal soon has its successor.
  private var mayBeginNext: Bool {
    admission.hasCredits ? queue.next.map { admission.mayBegin($0.id) } ?? true : true
  }

  /// Ends the machine when no work is left; closes the journal first.
  private mutating func end() -> [Action] {
    guard phase < .ended, runningCount == 0, phase >= .abandoned || queue.isIdle else { return [] }
    guard journal.isOpen else {
      phase = .ended
      return [.end]
    }
    guard journal.isIdle, phase < .closing else { return [] }
    if let write = journal.lastWrite(queue.recorded) { return [.record(write)] }
    phase = .closing
    return [.closeJournal(removing: journal.isEmpty)]
  }

  mutating func delay(afterFailures count: Int) -> Duration {
    configuration.backoff.delay(afterFailures: count, using: &random)
  }

  /// The delay of a change that failed: short during a shutdown, for which callers wait, unless attempts have no limit.
  mutating func retryDelay(afterFailures count: Int) -> Duration {
    delay(afterFailures: phase == .open || configuration.backoff.attempts == nil ? count : 1)
  }
}

extension PendingChangeQueue<FileChange> {
  /// All entries that a journal may have to keep.
  var recorded: [Entry] { inFlight + waiting + failures }
}

extension FileChangeWriter._StateMachine {
  #if InternalChecks
    /// Traps if the parts of the machine contradict each other.
    ///
    /// - Complexity: O(*n*) for *n* changes and failures.
    func _checkInvariants() {
      let inFlight = Set(queue.inFlight.map(\.id))
      precondition(sleepers.ids.allSatisfy(inFlight.contains), "Only what is in flight sleeps")
      precondition(runningCount <= configuration.parallelFiles, "No more run than may")
      precondition(
        failuresInARow.values.allSatisfy(configuration.backoff.allows), "Enough failures are the end")
      precondition(Set(errors.keys) == Set(queue.failures.map(\.id)), "Every failure has its error")
      precondition(waiters.all.allSatisfy { !$0.targets.isEmpty || $0.isForTheEnd }, "Every wait is for something")
      precondition(phase < .closing || runningCount == 0, "The end is the end")
      precondition(
        journal.recorded.allSatisfy { queue.status(of: $0) != nil }, "The journal keeps only what is pending")
      let waiting = Set(queue.waiting.map(\.key))
      precondition(writeDelay.paths.allSatisfy(waiting.contains), "Only what waits is held back")
      precondition(admission.counts(queue.inFlight + queue.waiting), "Waiting changes are counted")
      let first = admission.tickets.first.flatMap { admission[$0] }
      let isWaiting = first.map { phase == .open && !(isFree($0) && hasRoom(for: $0)) } ?? true
      precondition(isWaiting, "Nothing waits that could come in")
      precondition(phase < .ended || !journal.isOpen, "At the end the journal is given back")
    }
  #else
    func _checkInvariants() {}
  #endif
}
