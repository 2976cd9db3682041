internal import Journals
package import PendingChanges
internal import UniqueQueues

extension FileChangeWriter {
  /// What the writer knows and decides, without files, clocks and tasks.
  ///
  /// Each method takes in one thing that happened and returns what is to be done about it, in order. The writer does
  /// it and comes back with what came of it.
  ///
  ///     submit ──► waiting ──► running ──► done
  ///                   ▲           ├── transient ──► sleeping ──┐
  ///                   └───────────┼────────────────────────────┘
  ///                               └── permanent, or too often in a row ──► failure, kept
  ///
  /// To the queue a change that sleeps is in flight: a newer change of the file waits behind it, and takes its place
  /// when the sleep ends. So does one that would follow at once on another of its file: a pause is a sleep before the
  /// first attempt. With a journal a change gets into the queue when it is recorded, and is held back there for a
  /// while.
  package struct _StateMachine: Sendable {
    package enum Action: Hashable, Sendable {
      /// Carry out the change, then call ``finish(_:error:version:after:)``.
      case run(PendingChangeID, FileChange, _Leftovers = .none)
      /// Look at the files of a batch, or carry it out, then call ``finishLook(_:_:)`` or ``finishBatch(_:_:)``.
      case runBatch(PendingChangeID, _BatchStep)
      /// Call ``wake(_:)`` after a while.
      case sleep(PendingChangeID, Duration)
      /// Call ``wake(_:)`` after a while, in which the file is left alone.
      case pause(PendingChangeID, Duration)
      /// Call ``tick()`` after a while.
      case watch(Duration)
      /// Do not call ``wake(_:)`` any more: the sleep is over before its time.
      case awaken(PendingChangeID)
      /// Give the event to the readers.
      case emit(Event)
      /// Write to the journal, then call ``finishWrite(error:)``.
      case record(_JournalWrite)
      /// Let the caller go on that waits for the journal under this ticket, with the id of a submitted change.
      case acknowledge(ticket: Int, Result<PendingChangeID?, FileChangeError>)
      /// Give the journal back, then call ``closedJournal()``.
      case closeJournal(removing: Bool)
      /// Let the caller go on that waits under this number.
      case resume(waiter: Int, unwritten: [Failure], unfinished: [PendingChangeQueue<FileChange>.Entry] = [])
      /// Nothing happens any more.
      case end
    }

    /// The machine's life; it only goes forward.
    package enum Phase: Int, Comparable, Sendable {
      case open
      /// No change is accepted any more.
      case shuttingDown
      /// Nothing is begun any more, either.
      case abandoned
      /// The journal is being given back.
      case closing
      case ended

      package static func < (left: Phase, right: Phase) -> Bool { left.rawValue < right.rawValue }
    }

    let configuration: Configuration
    private var random: any RandomNumberGenerator & Sendable
    var queue = PendingChangeQueue<FileChange>()
    var journal = _Journal()
    package internal(set) var admission: _Admission
    var sleepers = _Sleepers()
    var batches = _Batches()
    var holding: _Holding
    var waiters = _Waiters()
    package internal(set) var phase = Phase.open
    /// How often a file was written while a newer change of it waited, since that was not so.
    var pausesInARow: [FileChange.Path: Int] = [:]
    /// How often the changes of a file have failed since one succeeded or was given up.
    var failuresInARow: [FileChange.Path: Int] = [:]
    /// Why each dead letter of the queue is one.
    var errors: [FileChange.Path: [PendingChangeID: FileChangeError]] = [:]
    var counts = Progress()
    private var eventCount = 0

    package init(configuration: Configuration, random: any RandomNumberGenerator & Sendable) {
      precondition(configuration.parallelFiles >= 1, "At least one file must be written at a time")
      precondition(configuration.backoff.attempts ?? 1 >= 1, "There must be at least one attempt")
      precondition(configuration.eventLimit >= 1, "A reader must be able to lag behind by at least one event")
      precondition(configuration.journalByteLimit >= 1, "A journal must be able to hold something")
      precondition(configuration.waitingByteLimit >= 1, "Something must be able to wait")
      self.configuration = configuration
      self.random = random
      admission = _Admission(byteLimit: configuration.waitingByteLimit)
      holding = _Holding(tickLength: configuration.idleTime, longest: configuration.longestHolding)
    }
  }
}

// MARK: - What is asked

extension FileChangeWriter._StateMachine {
  /// How many changes are being carried out.
  var runningCount: Int {
    let count = queue.inFlightCount - sleepers.count
    return batches.open.isEmpty ? count : count - batches.placeholderCount + batches.runningCount
  }

  package var progress: FileChangeWriter.Progress {
    var progress = counts
    progress.waitingBytes = admission.byteCount
    progress.waiting = queue.waitingCount
    progress.inFlight = queue.inFlightCount
    progress.heldFailures = queue.deadLetterCount + batches.held.count
    return progress
  }

  package var failures: [FileChangeWriter.Failure] {
    // The queue has them in the order in which it would have run them.
    let failures = queue.deadLetters.compactMap { letter in
      errors[letter.key]?[letter.id].map { FileChangeWriter.Failure(id: letter.id, change: letter.change, error: $0) }
    }
    return (failures + batchFailures).sorted { $0.id < $1.id }
  }

  /// - Parameter path: The file of which failures are tried again; nil for all files.
  package mutating func retryFailures(of path: FileChange.Path? = nil) -> (count: Int, actions: [Action]) {
    defer { _checkInvariants() }
    guard phase == .open else { return (0, []) }
    var count = 0
    for failure in failures where path.map({ $0 == failure.change.path }) ?? true {
      guard !isOnItsWay(failure.change.path), queue.requeue(id: failure.id) else { continue }
      admission.add(failure.change)
      forgetReplacedErrors(of: failure.change.path)
      count += 1
    }
    if !batches.held.isEmpty { count += retryBatches(of: path) }
    return (count, proceed())
  }

  /// - Parameter ticket: Under which ticket a caller waits until the journal knows, if it has one of them.
  /// - Returns: The failures, and whether it is waited for the journal.
  package mutating func removeFailures(
    ticket: Int
  ) -> (removed: [FileChangeWriter.Failure], isRecorded: Bool, actions: [Action]) {
    defer { _checkInvariants() }
    let removed = failures
    var isRecorded = removeBatchFailures()
    for failure in removed {
      queue.remove(id: failure.id)
      if journal.forget(failure.id, of: failure.change.path) { isRecorded = true }
    }
    errors = [:]
    // What is being given back is written no more.
    isRecorded = isRecorded && phase < .closing
    if isRecorded { journal.stage(.mark(ticket: ticket)) }
    return (removed, isRecorded, proceed())
  }
}

// MARK: - What happens

extension FileChangeWriter._StateMachine {
  /// The change was carried out, or `error` came of it.
  ///
  /// - Parameters:
  ///   - version: What it has made of the file, if it has, also where it failed after that.
  ///   - time: How long that took.
  package mutating func finish(
    _ id: PendingChangeID, error: FileChangeError?, version: FileChange.Version? = nil, after time: Duration = .zero
  ) -> [Action] {
    defer { _checkInvariants() }
    holding.finish(id, after: time)
    guard let entry = queue[id], queue.status(of: id) == .inFlight, !sleepers.contains(id) else { return [] }
    if let version { journal.versions.store(version, of: entry.key) }
    let news = error.map { fail(entry, $0) } ?? succeed(entry)
    return news + proceed()
  }

  /// The sleep of a change is over.
  package mutating func wake(_ id: PendingChangeID) -> [Action] {
    defer { _checkInvariants() }
    if !endSleepOfBatch(id) { endSleep(id) }
    return proceed()
  }

  private mutating func succeed(_ entry: PendingChangeQueue<FileChange>.Entry) -> [Action] {
    let (id, path) = (entry.id, entry.key)
    queue.complete(id)
    admission.remove(entry)
    journal.complete(id, of: path)
    failuresInARow[path] = nil
    for old in errors[path, default: [:]].keys where old < id {
      queue.remove(id: old)
      journal.forget(old, of: path)
    }
    forgetReplacedErrors(of: path)
    batches.didChange(path, id)
    waiters.report(path, id, failure: nil, isHeld: false)
    let pause = pause(before: path)
    switch entry.change.action {
    case .write(let contents):
      counts.countWritten(contents.count)
      return [emit(.written(byteCount: contents.count), for: entry)] + pause
    case .remove:
      counts.removed += 1
      return [emit(.removed, for: entry)] + pause
    case .move:
      preconditionFailure("A move is a batch")
    }
  }

  private mutating func fail(_ entry: PendingChangeQueue<FileChange>.Entry, _ error: FileChangeError) -> [Action] {
    let (id, path) = (entry.id, entry.key)
    let count = failuresInARow[path, default: 0] + 1
    if error.isTransient, configuration.backoff.allows(count) {
      failuresInARow[path] = count
      sleepers.add(id, .failed(error))
      if phase >= .abandoned {
        endSleep(id)
        return []
      }
      counts.retried += 1
      // A shutdown waits: the world gets a moment, but not a longer one each time.
      let delay = delay(afterFailures: phase == .open ? count : 1)
      return [emit(.retrying(error, after: delay), for: entry), .sleep(id, delay)]
    }
    failuresInARow[path] = nil
    pausesInARow[path] = nil
    counts.failed += 1
    admission.remove(entry)
    queue.fail(id, retry: .never, reason: error.description)
    if queue.status(of: id) == .deadLetter {
      errors[path, default: [:]][id] = error
    } else {
      journal.forget(id, of: path)
    }
    let failure = FileChangeWriter.Failure(id: id, change: entry.change, error: error)
    waiters.report(path, id, failure: failure, isHeld: errors[path]?[id] != nil)
    return [emit(.failed(error), for: entry)]
  }

  /// Begins what can begin, admits what the limit allows, lets those go on that have waited long enough, and says when
  /// all is over.
  mutating func proceed() -> [Action] {
    // First what is there: waiting changes of one file would take each other's place for ever, and none would begin.
    var actions = beginNext()
    if !admission.line.isEmpty {
      actions += admit()
      actions += beginNext()
    }
    if journal.isOpen, phase < .closing, let write = journal.nextWrite({ [queue] in queue.recorded }) {
      actions.append(.record(write))
    }
    if phase > .open { actions += end() } else if holding.beginTick() { actions.append(.watch(holding.tickLength)) }
    if !waiters.isEmpty { actions += waiters.removeAll(where: isOver).map(resume) }
    return actions
  }

  private mutating func beginNext() -> [Action] {
    var actions = batches.open.isEmpty ? [] : beginBatches()
    while phase < .abandoned, runningCount < configuration.parallelFiles, mayBeginNext {
      let isHolding = isHolding
      guard !isHolding || isNextDue, let entry = queue.begin() else { break }
      if isHolding { holding.beginDue(entry.id) }
      holding.release(entry.key)
      admission.begin(entry.id)
      actions.append(.run(entry.id, entry.change, journal.leftovers(of: entry)))
    }
    return actions
  }

  /// Whether the limit allows what is next although it will not be replaced then: if not, the journal soon has its
  /// successor.
  private var mayBeginNext: Bool {
    admission.hasCredits ? queue.next.map { admission.mayBegin($0.id) } ?? true : true
  }

  /// Ends the machine's life when nothing is left to do; first the journal is given back, if there is one.
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

  mutating func forgetReplacedErrors(of path: FileChange.Path) {
    guard let known = errors[path] else { return }
    let kept = known.filter { queue.status(of: $0.key) == .deadLetter }
    errors[path] = kept.isEmpty ? nil : kept
  }

  private mutating func emit(
    _ outcome: FileChangeWriter.Event.Outcome, for entry: PendingChangeQueue<FileChange>.Entry
  ) -> Action {
    emit(outcome, entry.id, entry.key)
  }

  mutating func emit(
    _ outcome: FileChangeWriter.Event.Outcome, _ id: PendingChangeID, _ path: FileChange.Path
  ) -> Action {
    eventCount += 1
    return .emit(FileChangeWriter.Event(number: eventCount, id: id, path: path, outcome: outcome))
  }

  mutating func delay(afterFailures count: Int) -> Duration {
    configuration.backoff.delay(afterFailures: count, using: &random)
  }
}

extension PendingChangeQueue<FileChange> {
  /// Everything that a journal may have to hold.
  var recorded: [Entry] { inFlight + waiting + deadLetters }
}

extension FileChangeWriter._StateMachine {
  #if InternalChecks
    /// Traps where the parts of the machine do not tell the same story.
    ///
    /// - Complexity: O(*n*) for *n* changes and failures.
    func _checkInvariants() {
      let inFlight = Set(queue.inFlight.map(\.id))
      precondition(sleepers.ids.allSatisfy(inFlight.contains), "Only what is in flight sleeps")
      precondition(sleepers.isConsistent, "Every pause is known as one")
      precondition(runningCount <= configuration.parallelFiles, "No more run than may")
      precondition(
        failuresInARow.values.allSatisfy(configuration.backoff.allows), "Enough failures are the end")
      let letters = queue.deadLetters
      precondition(letters.allSatisfy { errors[$0.key]?[$0.id] != nil }, "Every failure has its error")
      precondition(errors.values.reduce(0) { $0 + $1.count } == letters.count, "Every error has its failure")
      precondition(waiters.all.allSatisfy { !$0.targets.isEmpty || $0.isForTheEnd }, "Every wait is for something")
      precondition(phase < .closing || runningCount == 0, "The end is the end")
      precondition(
        journal.recorded.allSatisfy { queue.status(of: $0) != nil }, "The journal keeps only what is pending")
      let waiting = Set(queue.waiting.map(\.key))
      precondition(holding.paths.allSatisfy(waiting.contains), "Only what waits is held back")
      precondition(admission.counts(queue.inFlight + queue.waiting), "What waits is counted")
      let first = admission.line.first.flatMap { admission[$0] }
      let isWaiting = first.map { phase == .open && !(isFree($0) && hasRoom(for: $0)) } ?? true
      precondition(isWaiting, "Nothing waits that could come in")
      precondition(phase < .ended || !journal.isOpen, "At the end the journal is given back")
    }
  #else
    func _checkInvariants() {}
  #endif
}
