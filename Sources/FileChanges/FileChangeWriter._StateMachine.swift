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
  /// when the sleep ends. So does one that would follow at once on another of its file: a pause is a sleep before the first
  /// attempt. With a journal a change gets into the queue when it is recorded.
  package struct _StateMachine: Sendable {
    package enum Action: Hashable, Sendable {
      /// Carry out the change, then call ``finish(_:error:version:)``.
      case run(PendingChangeID, FileChange, _Traces = .none)
      /// Call ``wake(_:)`` after a while.
      case sleep(PendingChangeID, Duration)
      /// Call ``wake(_:)`` after a while, in which the file is left alone.
      case pause(PendingChangeID, Duration)
      /// Do not call ``wake(_:)`` any more: the sleep is over before its time.
      case awaken(PendingChangeID)
      /// Tell the readers.
      case emit(Event)
      /// Write the batch to the journal, then call ``finishBatch(error:)``.
      case record(_Journal.Batch)
      /// Let the caller go on who waits for the journal under this number, with what a submitted change is called.
      case acknowledge(ticket: Int, Result<PendingChangeID?, FileChangeError>)
      /// Give the journal back, then call ``closedJournal()``.
      case closeJournal(removing: Bool)
      /// Let the caller go on that waits under this number.
      case resume(waiter: Int, unwritten: [Failure], unfinished: [PendingChangeQueue<FileChange>.Entry] = [])
      /// Nothing happens any more.
      case end
    }

    /// Somebody who waits until what was accepted so far is on disk.
    struct Waiter: Sendable {
      let number: Int
      /// The newest change of each file that was not done when the wait began.
      var targets: [FileChange.Path: PendingChangeID]
      var unwritten: [PendingChangeID: Failure]
      /// Whether the wait goes on until the journal is given back, too.
      let isForTheEnd: Bool
    }

    /// Why a change is carried out later.
    enum Sleep: Hashable, Sendable {
      case failed(FileChangeError)
      /// Another change of the file has just been carried out.
      case paused
    }

    let configuration: Configuration
    private var random: any RandomNumberGenerator & Sendable
    var queue = PendingChangeQueue<FileChange>()
    var journal: _Journal?
    package internal(set) var room: _Room
    var runningCount = 0
    var sleeping: [PendingChangeID: Sleep] = [:]
    /// Those that sleep only to spare the device: who ends them must not look at all that sleep.
    var pauses = UniqueQueue<PendingChangeID>()
    /// How often a file was written while a newer change of it waited, since that was not so.
    var pausesInARow: [FileChange.Path: Int] = [:]
    /// How often the changes of a file have failed since one succeeded or was given up.
    var failuresInARow: [FileChange.Path: Int] = [:]
    /// Why each dead letter of the queue is one.
    var errors: [FileChange.Path: [PendingChangeID: FileChangeError]] = [:]
    var waiters: [Waiter] = []
    var counts = Progress()
    var versions = _Versions()
    private var eventCount = 0
    var isShutDown = false
    /// Whether nothing is begun any more.
    var isAbandoned = false
    private var isClosing = false
    var hasEnded = false

    package init(configuration: Configuration, random: any RandomNumberGenerator & Sendable) {
      precondition(configuration.parallelFiles >= 1, "At least one file must be written at a time")
      precondition(configuration.backoff.attempts >= 1, "There must be at least one attempt")
      precondition(configuration.eventLimit >= 1, "A reader must be able to lag behind by at least one event")
      precondition(configuration.journalByteLimit >= 1, "A journal must be able to hold something")
      precondition(configuration.waitingByteLimit >= 1, "Something must be able to wait")
      self.configuration = configuration
      self.random = random
      room = _Room(byteLimit: configuration.waitingByteLimit)
    }
  }
}

// MARK: - What is asked

extension FileChangeWriter._StateMachine {
  package var progress: FileChangeWriter.Progress {
    var progress = counts
    progress.waitingBytes = room.byteCount
    progress.waiting = queue.waitingCount
    progress.inFlight = queue.inFlightCount
    progress.heldFailures = queue.deadLetterCount
    return progress
  }

  package var failures: [FileChangeWriter.Failure] {
    // The queue has them in the order in which it would have run them.
    queue.deadLetters.sorted { $0.id < $1.id }.compactMap { letter in
      errors[letter.key]?[letter.id].map { FileChangeWriter.Failure(id: letter.id, change: letter.change, error: $0) }
    }
  }

  package mutating func wait(_ number: Int) -> [Action] { wait(number, isForTheEnd: false) }

  private mutating func wait(_ number: Int, isForTheEnd: Bool) -> [Action] {
    defer { _checkInvariants() }
    let awakened = endPauses()
    var targets: [FileChange.Path: PendingChangeID] = [:]
    for entry in queue.inFlight + queue.waiting { targets[entry.key] = max(entry.id, targets[entry.key] ?? entry.id) }
    let unwritten = Dictionary(uniqueKeysWithValues: failures.map { ($0.id, $0) })
    waiters.append(Waiter(number: number, targets: targets, unwritten: unwritten, isForTheEnd: isForTheEnd))
    return awakened + proceed()
  }

  /// Lets the caller go on that waits under this number, with what it waited for.
  package mutating func stopWaiting(_ number: Int) -> [Action] {
    defer { _checkInvariants() }
    guard let index = waiters.firstIndex(where: { $0.number == number }) else { return [] }
    return [resume(waiters.remove(at: index))]
  }

  /// Tells a caller that goes on what is not on disk of what it waited for.
  private func resume(_ waiter: Waiter) -> Action {
    let unfinished = (queue.inFlight + queue.waiting).filter { entry in
      waiter.targets[entry.key].map { entry.id <= $0 } ?? false
    }
    let failures = waiter.unwritten.values.sorted { $0.id < $1.id }
    return .resume(waiter: waiter.number, unwritten: failures, unfinished: unfinished)
  }

  /// Takes no more changes, also none that waits for room, and waits for no retry any longer than it must.
  package mutating func shutDown(_ number: Int) -> [Action] {
    isShutDown = true
    let refusals = refuseLine()
    return refusals + endSleeps() + wait(number, isForTheEnd: true)
  }

  /// Begins nothing any more, and lets everybody go on who waits.
  package mutating func abandon() -> [Action] {
    defer { _checkInvariants() }
    isAbandoned = true
    return endSleeps() + waiters.map(\.number).flatMap { stopWaiting($0) } + proceed()
  }

  package mutating func retryFailures() -> (count: Int, actions: [Action]) {
    defer { _checkInvariants() }
    guard !isShutDown else { return (0, []) }
    var count = 0
    for failure in failures where queue.requeue(failure.id) {
      room.add(failure.change)
      errors[failure.change.path]?[failure.id] = nil
      count += 1
    }
    return (count, proceed())
  }

  package mutating func removeFailures() -> (removed: [FileChangeWriter.Failure], actions: [Action]) {
    defer { _checkInvariants() }
    let removed = failures
    for failure in removed {
      queue.discard(failure.id)
      forget(failure.id, of: failure.change.path)
    }
    errors = [:]
    return (removed, proceed())
  }
}

// MARK: - What happens

extension FileChangeWriter._StateMachine {
  /// The change was carried out, or `error` came of it.
  ///
  /// - Parameter version: What it has made of the file, if it has, also where it failed after that.
  package mutating func finish(
    _ id: PendingChangeID, error: FileChangeError?, version: FileChange.Version? = nil
  ) -> [Action] {
    defer { _checkInvariants() }
    guard let entry = queue[id], queue.status(of: id) == .inFlight, sleeping[id] == nil else { return [] }
    runningCount -= 1
    if let version { versions.note(version, of: entry.key) }
    let news = error.map { fail(entry, $0) } ?? succeed(entry)
    return news + proceed()
  }

  /// The sleep of a change is over.
  package mutating func wake(_ id: PendingChangeID) -> [Action] {
    defer { _checkInvariants() }
    endSleep(id)
    return proceed()
  }

  private mutating func succeed(_ entry: PendingChangeQueue<FileChange>.Entry) -> [Action] {
    let (id, path) = (entry.id, entry.key)
    queue.complete(id)
    room.remove(entry)
    journal?.complete(id, of: path, leaving: versions[path])
    failuresInARow[path] = nil
    for old in errors[path, default: [:]].keys where old < id {
      queue.discard(old)
      forget(old, of: path)
    }
    forgetReplacedErrors(of: path)
    settle(path, id, failure: nil)
    let pause = pause(before: path)
    switch entry.change.action {
    case .write(let contents):
      counts.written += 1
      counts.bytesWritten += contents.count
      return [emit(.written(byteCount: contents.count), for: entry)] + pause
    case .remove:
      counts.removed += 1
      return [emit(.removed, for: entry)] + pause
    }
  }

  private mutating func fail(_ entry: PendingChangeQueue<FileChange>.Entry, _ error: FileChangeError) -> [Action] {
    let (id, path) = (entry.id, entry.key)
    let count = failuresInARow[path, default: 0] + 1
    if error.isTransient, count < configuration.backoff.attempts {
      failuresInARow[path] = count
      beginSleep(id, .failed(error))
      if isAbandoned {
        endSleep(id)
        return []
      }
      counts.retried += 1
      // Who shuts down waits: the world gets a moment, but not a longer one each time.
      let delay = configuration.backoff.delay(afterFailures: isShutDown ? 1 : count, using: &random)
      return [emit(.retrying(error, after: delay), for: entry), .sleep(id, delay)]
    }
    failuresInARow[path] = nil
    pausesInARow[path] = nil
    counts.failed += 1
    room.remove(entry)
    if case .deadLetter = queue.fail(id, retry: .never, reason: error.description) {
      errors[path, default: [:]][id] = error
    } else {
      forget(id, of: path)
    }
    settle(path, id, failure: FileChangeWriter.Failure(id: id, change: entry.change, error: error))
    return [emit(.failed(error), for: entry)]
  }

  /// Tells the journal that a change will not be carried out any more.
  ///
  /// - Returns: Whether it knew of it.
  @discardableResult
  mutating func forget(_ id: PendingChangeID, of path: FileChange.Path) -> Bool {
    journal?.forget(id, of: path, leaving: versions[path]) ?? false
  }

  /// Begins what can begin, lets in what there is room for, lets those go on who have waited long enough, and says when all
  /// is over.
  mutating func proceed() -> [Action] {
    // First what is there: a line of changes of one file would take each other's place for ever, and none would begin.
    var actions = beginNext()
    if !room.isLineEmpty {
      actions += admit()
      actions += beginNext()
    }
    if !isClosing, let batch = journal?.nextBatch(versions: versions, { [queue] in queue.recorded }) {
      actions.append(.record(batch))
    }
    if isShutDown, !hasEnded, runningCount == 0, isAbandoned || queue.isEmpty { actions += end() }
    guard !waiters.isEmpty else { return actions }
    actions += waiters.filter(isOver).map(resume)
    waiters.removeAll(where: isOver)
    return actions
  }

  private mutating func beginNext() -> [Action] {
    var actions: [Action] = []
    while !isAbandoned, runningCount < configuration.parallelFiles, mayBeginNext, let entry = queue.begin() {
      room.begin(entry.id)
      runningCount += 1
      actions.append(.run(entry.id, entry.change, traces(of: entry)))
    }
    return actions
  }

  private func traces(of entry: PendingChangeQueue<FileChange>.Entry) -> _Traces {
    let version = entry.change.base == nil ? nil : versions[entry.key]
    return journal?.traces(of: entry.id, at: entry.key, version: version) ?? _Traces(version: version)
  }

  /// Whether there is room for what is next although it will not be replaced then: if not, the journal soon has its successor.
  private var mayBeginNext: Bool {
    room.hasCredits ? queue.next.map { room.mayBegin($0.id) } ?? true : true
  }

  private func isOver(_ waiter: Waiter) -> Bool {
    (waiter.targets.isEmpty || isAbandoned) && (hasEnded || !waiter.isForTheEnd)
  }

  /// First the journal is given back, if there is one.
  private mutating func end() -> [Action] {
    guard let journal else {
      hasEnded = true
      return [.end]
    }
    guard journal.isQuiet, !isClosing else { return [] }
    if let batch = self.journal?.lastBatch(versions: versions, queue.recorded) {
      return [.record(batch)]
    }
    isClosing = true
    return [.closeJournal(removing: journal.isSpent)]
  }

  /// Tells the waiters that the changes of a file up to `id` are done, or that this one failed for good.
  private mutating func settle(_ path: FileChange.Path, _ id: PendingChangeID, failure: FileChangeWriter.Failure?) {
    let isKept = errors[path]?[id] != nil
    for index in waiters.indices {
      let target = waiters[index].targets[path]
      let isLast = target.map { $0 <= id } ?? false
      if isLast { waiters[index].targets[path] = nil }
      if let failure {
        // A failure that gave way is the newer change's to report, unless that one was accepted after the wait began:
        // who waited for each next one would wait as long as somebody saves a file that cannot be written.
        let isReported = waiters[index].unwritten[id] != nil
        if isLast || target != nil && isKept || isReported { waiters[index].unwritten[id] = failure }
      } else {
        waiters[index].unwritten = waiters[index].unwritten.filter { $0.value.change.path != path || $0.key > id }
      }
    }
  }

  mutating func forgetReplacedErrors(of path: FileChange.Path) {
    guard let known = errors[path] else { return }
    let kept = known.filter { queue.status(of: $0.key) == .deadLetter }
    errors[path] = kept.isEmpty ? nil : kept
  }

  private mutating func emit(
    _ outcome: FileChangeWriter.Event.Outcome, for entry: PendingChangeQueue<FileChange>.Entry
  ) -> Action {
    eventCount += 1
    return .emit(FileChangeWriter.Event(number: eventCount, id: entry.id, path: entry.key, outcome: outcome))
  }
}

extension PendingChangeQueue<FileChange> {
  /// Everything that a journal may have to hold.
  var recorded: [Entry] { inFlight + waiting + deadLetters }
}
