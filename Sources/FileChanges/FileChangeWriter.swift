internal import Dispatch
public import PendingChanges

/// Writes and removes files in the background: in order, durably, again where that can help, and never in silence.
///
/// ```swift
/// let writer = FileChangeWriter()
/// let url = URL(filePath: NSTemporaryDirectory()).appending(path: "today.txt")
///
/// try await writer.submit(.write("Buy", to: url))
/// try await writer.submit(.write("Buy milk", to: url))  // takes the place of the first where that still waits
/// try await writer.flush()                              // now it is on disk
///
/// try await writer.submit(.remove(url))
/// try await writer.shutdown()
/// ```
///
/// What holds:
/// - The changes of one file are carried out in the order in which they were submitted, one at a time. Different files
///   are written in parallel, up to ``Configuration/parallelFiles``.
/// - A change that waits gives way to a newer one of the same file, so that a thousand saves of one file in a moment
///   are a few writes, the last of them with the newest contents.
/// - Each change is carried out as ``FileChange/apply(options:)`` does it: the file is never torn.
/// - A transient failure is tried again after a while (``Backoff``); a permanent one is reported at once. A change that
///   failed for good stays among the ``failures``, with its contents, until a newer one takes its place, it is
///   retried, or you remove it.
/// - With a journal a change that was accepted survives the end of the process: the next writer with that journal carries
///   it out. Without one it is in memory until it is written.
/// - Waiting for the disk takes up none of the threads that Swift's tasks run on.
///
/// A writer that nobody refers to any more still carries out what it has accepted, for as long as the process lives.
/// Use one writer for a file: two writers know nothing of each other's order.
public actor FileChangeWriter {
  private var machine: _StateMachine
  private let configuration: Configuration
  private let clock: any Clock<Duration>
  private let system: any _FileSystem

  /// Queues that run nothing now, out of as many as files may be written in parallel.
  private var lanes: [DispatchQueue]
  private var sleepers: [PendingChangeID: Task<Void, Never>] = [:]
  private var waiters: [Int: CheckedContinuation<Unwritten, Never>] = [:]
  private var waiterCount = 0
  private let journal: _JournalFile?
  /// What was written to the files whose changes are based on a version.
  private var versions: [FileChange.Path: FileChange.Version] = [:]
  private var submitters: [Int: CheckedContinuation<Result<PendingChangeID, FileChangeError>, Never>] = [:]
  private var ticketCount = 0
  private var readers: [Int: AsyncStream<Event>.Continuation] = [:]
  private var readerCount = 0
  private var hasEnded = false

  /// What was found in the journal; nil for a writer without one.
  public nonisolated let recovery: Recovery?

  /// Makes a writer that keeps what it accepts in memory.
  ///
  /// - Parameters:
  ///   - configuration: How it works.
  ///   - clock: What measures the time until a change is tried again.
  ///   - random: What scatters that time.
  public init(
    configuration: Configuration = Configuration(),
    clock: any Clock<Duration> = ContinuousClock(),
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.init(configuration: configuration, clock: clock, random: random, system: _PosixFileSystem())
  }

  package init(
    configuration: Configuration, clock: any Clock<Duration>, random: any RandomNumberGenerator & Sendable,
    system: any _FileSystem
  ) {
    machine = _StateMachine(configuration: configuration, random: random)
    self.configuration = configuration
    self.clock = clock
    self.system = system
    journal = nil
    recovery = nil
    lanes = Self.makeLanes(configuration)
  }

  /// Makes a writer that keeps what it accepts in a journal, and carries out what is still to be done of it.
  ///
  /// ```swift
  /// func open() async throws -> FileChangeWriter {
  ///   let writer = try await FileChangeWriter(journal: "/var/lib/notes/changes.journal")
  ///   if let recovery = writer.recovery, !recovery.isIntact { print(recovery) }
  ///   return writer
  /// }
  /// ```
  ///
  /// The journal is one file, for its owner alone, that holds the contents of the changes until they are done, and somewhat
  /// longer (``Configuration/journalByteLimit``). It is made where it is not there, and ``shutdown(deadline:)`` removes it
  /// when nothing is left in it. While it rewrites the file there is another one beside it, `.unsaved-journal-…`.
  ///
  /// One writer at a time has a journal; the system gives it free when the process ends, however that happens.
  ///
  /// - Parameters:
  ///   - journal: The file. Its folder must be there.
  ///   - configuration: How the writer works.
  ///   - clock: What measures the time until a change is tried again.
  ///   - random: What scatters that time.
  /// - Throws: `FileChangeError` with the path of the journal, when it cannot be opened or made, another writer has it, it is
  ///   of a newer version, or the file is something else. Damage is no error: see ``recovery``.
  public init(
    journal: FileChange.Path,
    configuration: Configuration = Configuration(),
    clock: any Clock<Duration> = ContinuousClock(),
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) async throws(FileChangeError) {
    try await self.init(
      journal: journal, configuration: configuration, clock: clock, random: random, system: _PosixFileSystem())
  }

  package init(
    journal: FileChange.Path, configuration: Configuration, clock: any Clock<Duration>,
    random: any RandomNumberGenerator & Sendable, system: any _FileSystem
  ) async throws(FileChangeError) {
    let file = _JournalFile(journal, system: system)
    let newWriter = UInt64.random(in: .min ... .max)
    let contents = try await file.open(newWriter: newWriter)
    var machine = _StateMachine(configuration: configuration, random: random)
    let (changes, batch) = machine.recover(contents, writer: contents.writer ?? newWriter, from: journal)
    let error: FileChangeError? = if let batch { await file.commit(batch) } else { nil }
    // What is to be done is done all the same: that may be what makes room for the journal.
    if let error, changes.isEmpty {
      await file.close(removing: false)
      throw error
    }
    let actions = machine.finishBatch(error: error)
    self.machine = machine
    self.configuration = configuration
    self.clock = clock
    self.system = system
    self.journal = file
    recovery = Recovery(changes: changes, recordCount: contents.records.count, damage: contents.damage)
    lanes = Self.makeLanes(configuration)
    perform(actions)
  }

  /// Serial queues, because each gets a thread of its own where a concurrent one would share those of Swift's tasks.
  private static func makeLanes(_ configuration: Configuration) -> [DispatchQueue] {
    (0..<configuration.parallelFiles).map { DispatchQueue(label: "FileChangeWriter \($0)") }
  }

  deinit {
    for reader in readers.values { reader.finish() }
  }
}

// MARK: - Changes

extension FileChangeWriter {
  /// Accepts a change, to be carried out as soon as its turn comes.
  ///
  /// When the call returns, the change is in the journal: whatever becomes of the process, it will be carried out. Calls
  /// that come while the journal is being written share the next writing, so that many of them cost little more than one.
  ///
  /// Without a journal, and with `durability: .memory`, the change is in the writer's *memory*. It survives errors, retries and
  /// ``shutdown(deadline:)``, but not the end of the process: wait for ``flush()`` before you tell anybody that it is safe. A
  /// change of a file of which the journal has another one already goes into the journal in any case, since the older one
  /// could come back over it.
  ///
  /// - Returns: What the change is called in the ``events()``. Where it takes the place of an older change, or an even
  ///   newer one takes its place, only the newest has events.
  /// - Throws: `FileChangeError` when the path can name no file, with the reason, when the writer is shut down, or when the
  ///   journal cannot be written, with the path of the journal. The change is not accepted then. (Only if the journal
  ///   cannot even be repaired until the process ends, the next writer may still find it.)
  /// - Complexity: O(1) amortised, not counting the writing.
  @discardableResult
  public func submit(
    _ change: FileChange, durability: Durability = .journal
  ) async throws(FileChangeError) -> PendingChangeID {
    guard machine.records(change, durability) else {
      let (id, actions) = try machine.submit(change)
      perform(actions)
      return id
    }
    ticketCount += 1
    let ticket = ticketCount
    let result: Result<PendingChangeID, FileChangeError> = await withCheckedContinuation { continuation in
      do throws(FileChangeError) {
        let actions = try machine.record(change, ticket: ticket)
        submitters[ticket] = continuation
        perform(actions)
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    return try result.get()
  }

  /// Returns when everything that was accepted before the call is on disk.
  ///
  /// It also waits for changes that are to be tried again; the backoff says how long that can take. When the task is
  /// cancelled, the wait ends, and nothing else does.
  ///
  /// - Throws: `Unwritten`, once nothing is left to wait for, with every change accepted before the call that is not on
  ///   disk. The writer still holds them among its ``failures``, except where a newer change of the file has taken the
  ///   place of one: that newer one was accepted after the call, and is not waited for.
  /// - Complexity: O(*n*) for *n* changes that are not done.
  public func flush() async throws(Unwritten) {
    try await wait { machine, number in machine.wait(number) }
  }

  /// Accepts no more changes, carries out what was accepted, gives the journal back, and ends the ``events()``.
  ///
  /// Changes that sleep until they are tried again are tried at once, and then at short intervals; none is dropped. A
  /// journal in which nothing is left is removed. What failed for good stays in it, for the next writer to try.
  ///
  /// - Parameter deadline: How long that may take, by the writer's clock; by default as long as it takes. Then nothing more is
  ///   begun. What is being carried out at that moment comes to its end, and what is not, a journal keeps.
  /// - Throws: `Unwritten` with every change that failed for good, and those that were not carried out when the deadline had
  ///   come or the task was cancelled. This is where they are handed back.
  public func shutdown(deadline: Duration? = nil) async throws(Unwritten) {
    for sleeper in sleepers.values { sleeper.cancel() }
    sleepers = [:]
    let alarm = deadline.map { deadline in
      Task {
        try? await clock.sleep(for: deadline)
        if !Task.isCancelled { perform(machine.abandon()) }
      }
    }
    defer { alarm?.cancel() }
    try await wait { machine, number in machine.shutDown(number) }
  }

  private func wait(_ request: (inout _StateMachine, Int) -> [_StateMachine.Action]) async throws(Unwritten) {
    waiterCount += 1
    let number = waiterCount
    let unwritten = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiters[number] = continuation
        perform(request(&machine, number))
      }
    } onCancel: {
      Task { await self.stopWaiting(number) }
    }
    if !unwritten.failures.isEmpty || !unwritten.unfinished.isEmpty { throw unwritten }
  }

  private func stopWaiting(_ number: Int) { perform(machine.stopWaiting(number)) }
}

// MARK: - Failures

extension FileChangeWriter {
  /// The changes that failed for good and that no newer change of the same file has replaced, oldest first.
  public var failures: [Failure] { machine.failures }

  /// Tries the ``failures`` again, in their order, as if they were submitted now.
  ///
  /// A failure stays where it is when a newer change of its file is on the way. Of several failures of one file the
  /// oldest come first, and those for which there is no room yet stay. After ``shutdown(deadline:)`` nothing is.
  ///
  /// - Returns: How many are tried.
  @discardableResult
  public func retryFailures() -> Int {
    let (count, actions) = machine.retryFailures()
    perform(actions)
    return count
  }

  /// Lets go of the ``failures``.
  ///
  /// The journal forgets them, too, unless the writer was shut down: what is left in it then is the next writer's.
  ///
  /// - Returns: The failures, which the writer holds no more.
  @discardableResult
  public func removeFailures() -> [Failure] {
    let (removed, actions) = machine.removeFailures()
    perform(actions)
    return removed
  }
}

// MARK: - What can be seen

extension FileChangeWriter {
  /// What was done and what is still to do, at this moment.
  public var progress: Progress { machine.progress }

  /// A new sequence of everything that happens from now on.
  ///
  /// ```swift
  /// func report(_ writer: FileChangeWriter) async {
  ///   for await event in await writer.events() {
  ///     if case .failed(let error) = event.outcome { print(error) }
  ///   }
  /// }
  /// ```
  ///
  /// It ends when the writer has shut down. A reader that is slower than the disk misses the oldest of its events, but
  /// the ``failures`` and the ``progress`` miss nothing.
  public func events() -> Events {
    let (stream, reader) = AsyncStream.makeStream(
      of: Event.self, bufferingPolicy: .bufferingNewest(configuration.eventLimit))
    guard !hasEnded else {
      reader.finish()
      return Events(stream: stream)
    }
    readerCount += 1
    let number = readerCount
    readers[number] = reader
    reader.onTermination = { [weak self] _ in
      guard let self else { return }
      Task { await self.removeReader(number) }
    }
    return Events(stream: stream)
  }

  private func removeReader(_ number: Int) { readers[number] = nil }
}

// MARK: - Doing what the state machine says

extension FileChangeWriter {
  private func perform(_ actions: [_StateMachine.Action]) {
    for action in actions {
      switch action {
      case .run(let id, let change, let temporaries): run(id, change, temporaries)
      case .sleep(let id, let delay): sleep(id, delay)
      case .emit(let event): for reader in readers.values { reader.yield(event) }
      case .record(let batch): record(batch)
      case .acknowledge(let ticket, let result): submitters.removeValue(forKey: ticket)?.resume(returning: result)
      case .closeJournal(let removing): closeJournal(removing: removing)
      case .resume(let waiter, let failures, let unfinished):
        let unwritten = Unwritten(failures: failures, unfinished: unfinished)
        waiters.removeValue(forKey: waiter)?.resume(returning: unwritten)
      case .end: end()
      }
    }
  }

  private func run(_ id: PendingChangeID, _ change: FileChange, _ temporaries: _TemporaryNames) {
    let lane = lanes.removeLast()
    let (options, system, ours) = (configuration.options, system, versions[change.path])
    Task {
      let result: Result<FileChange.Version?, FileChangeError> = await withCheckedContinuation { continuation in
        lane.async {
          do throws(FileChangeError) {
            let version = try change.apply(options: options, in: system, temporaries: temporaries, ours: ours)
            continuation.resume(returning: .success(version))
          } catch {
            continuation.resume(returning: .failure(error))
          }
        }
      }
      lanes.append(lane)
      perform(machine.finish(id, error: note(result, for: change.path)))
    }
  }

  /// Remembers the version that was written.
  ///
  /// - Returns: What came of the change.
  private func note(
    _ result: Result<FileChange.Version?, FileChangeError>, for path: FileChange.Path
  ) -> FileChangeError? {
    switch result {
    case .success(let version):
      versions[path] = version
      return nil
    case .failure(let error): return error
    }
  }

  private func record(_ batch: _Journal.Batch) {
    guard let journal else { return }
    Task { perform(machine.finishBatch(error: await journal.commit(batch))) }
  }

  private func closeJournal(removing: Bool) {
    guard let journal else { return }
    Task {
      await journal.close(removing: removing)
      perform(machine.closedJournal())
    }
  }

  private func sleep(_ id: PendingChangeID, _ delay: Duration) {
    sleepers[id] = Task {
      // A clock that fails only means that the change is tried early.
      try? await clock.sleep(for: delay)
      guard !Task.isCancelled else { return }
      sleepers[id] = nil
      perform(machine.wake(id))
    }
  }

  private func end() {
    hasEnded = true
    for reader in readers.values { reader.finish() }
    readers = [:]
  }
}
