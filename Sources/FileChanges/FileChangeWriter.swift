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
  ///
  /// Serial queues, because each gets a thread of its own where a concurrent one would share those of Swift's tasks.
  private var lanes: [DispatchQueue]
  private var sleepers: [PendingChangeID: Task<Void, Never>] = [:]
  private var waiters: [Int: CheckedContinuation<[Failure], Never>] = [:]
  private var waiterCount = 0
  private var readers: [Int: AsyncStream<Event>.Continuation] = [:]
  private var readerCount = 0
  private var hasEnded = false

  /// Makes a writer.
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
    lanes = (0..<configuration.parallelFiles).map { DispatchQueue(label: "FileChangeWriter \($0)") }
  }

  deinit {
    for reader in readers.values { reader.finish() }
  }
}

// MARK: - Changes

extension FileChangeWriter {
  /// Accepts a change, to be carried out as soon as its turn comes.
  ///
  /// When the call returns, the change is in the writer's *memory*. It survives errors, retries and ``shutdown()``, but
  /// in this version not the end of the process: wait for ``flush()`` before you tell anybody that it is safe.
  ///
  /// - Returns: What the change is called in the ``events``. Where it takes the place of an older change, or an even
  ///   newer one takes its place, only the newest has events.
  /// - Throws: `FileChangeError` when the path can name no file, with the reason, or when the writer is shut down.
  /// - Complexity: O(1) amortised, not counting the write.
  @discardableResult
  public func submit(_ change: FileChange) async throws(FileChangeError) -> PendingChangeID {
    let (id, actions) = try machine.submit(change)
    perform(actions)
    return id
  }

  /// Returns when everything that was accepted before the call is on disk.
  ///
  /// It also waits for changes that are to be tried again; the backoff says how long that can take. The wait does not end
  /// early when the task is cancelled.
  ///
  /// - Throws: `Unwritten`, once nothing is left to wait for, with every change accepted before the call that is not on
  ///   disk. The writer still holds them among its ``failures``, except where a newer change of the file has taken the
  ///   place of one: that newer one was accepted after the call, and is not waited for.
  /// - Complexity: O(*n*) for *n* changes that are not done.
  public func flush() async throws(Unwritten) {
    try await wait { machine, number in machine.wait(number) }
  }

  /// Accepts no more changes, carries out what was accepted, and ends the ``events``.
  ///
  /// Changes that sleep until they are tried again are tried at once; none is dropped.
  ///
  /// - Throws: `Unwritten` with every change that failed for good. This is where they are handed back.
  public func shutdown() async throws(Unwritten) {
    for sleeper in sleepers.values { sleeper.cancel() }
    sleepers = [:]
    try await wait { machine, number in machine.shutDown(number) }
  }

  private func wait(_ request: (inout _StateMachine, Int) -> [_StateMachine.Action]) async throws(Unwritten) {
    waiterCount += 1
    let number = waiterCount
    let failures = await withCheckedContinuation { continuation in
      waiters[number] = continuation
      perform(request(&machine, number))
    }
    if !failures.isEmpty { throw Unwritten(failures: failures) }
  }
}

// MARK: - Failures

extension FileChangeWriter {
  /// The changes that failed for good and that no newer change of the same file has replaced, oldest first.
  public var failures: [Failure] { machine.failures }

  /// Tries the ``failures`` again, in their order, as if they were submitted now.
  ///
  /// A failure stays where it is when a newer change of its file is on the way. Of several failures of one file the
  /// oldest come first, and those for which there is no room yet stay. After ``shutdown()`` nothing is.
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
  /// - Returns: The failures, which the writer holds no more.
  @discardableResult
  public func removeFailures() -> [Failure] { machine.removeFailures() }
}

// MARK: - What can be seen

extension FileChangeWriter {
  /// What was done and what is still to do, at this moment.
  public var progress: Progress { machine.progress }

  /// A new sequence of everything that happens from now on.
  ///
  /// ```swift
  /// func report(_ writer: FileChangeWriter) async {
  ///   for await event in await writer.events {
  ///     if case .failed(let error) = event.outcome { print(error) }
  ///   }
  /// }
  /// ```
  ///
  /// It ends when the writer has shut down. A reader that is slower than the disk misses the oldest of its events, but
  /// the ``failures`` and the ``progress`` miss nothing.
  public var events: Events {
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
      case .run(let id, let change): run(id, change)
      case .sleep(let id, let delay): sleep(id, delay)
      case .emit(let event): for reader in readers.values { reader.yield(event) }
      case .resume(let waiter, let unwritten): waiters.removeValue(forKey: waiter)?.resume(returning: unwritten)
      case .end: end()
      }
    }
  }

  private func run(_ id: PendingChangeID, _ change: FileChange) {
    let lane = lanes.removeLast()
    let (options, system) = (configuration.options, system)
    Task {
      let error: FileChangeError? = await withCheckedContinuation { continuation in
        lane.async {
          do throws(FileChangeError) {
            try change.apply(options: options, in: system)
            continuation.resume(returning: nil)
          } catch {
            continuation.resume(returning: error)
          }
        }
      }
      lanes.append(lane)
      perform(machine.finish(id, error: error))
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
