internal import Dispatch
@_exported public import Journals
@_exported public import PendingChanges

/// Writes, moves and removes files in the background: in order, durably, with retries, and without silent failures.
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
/// try await writer.close()
/// ```
///
/// Guarantees:
/// - The changes of one file are applied in the order of their submissions, one at a time. Different files are written
///   in parallel, up to `parallelFiles`.
/// - A newer change of a file replaces one that waits. So a thousand saves of one file in a moment are only a few
///   writes, the last of them with the newest contents. A file that is saved faster than it is written gets a pause
///   between two writes.
/// - Each change is applied as ``FileChange/apply(options:)`` does it: the file is never torn.
/// - A transient failure is retried after a delay (`Backoff`); a permanent one is reported at once. A change that
///   failed for good stays in ``failures``, with its contents, until a newer one replaces it, it is retried, or you
///   remove it.
/// - With a journal, files are written after a moment without submissions, or when a caller waits; meanwhile newer
///   changes replace older ones. While submissions keep coming, files are written a second after the change, one by
///   one, in a tenth of the time, so that submissions can use the device.
/// - With a journal, an accepted change survives the end of the process: the next writer with that journal applies it.
///   Without a journal, the change is only in memory until it is written.
/// - The size of the waiting changes is limited (`waitingByteLimit`): ``submit(_:durability:)`` waits for room.
/// - Waiting for the disk doesn't block the threads that Swift's tasks run on.
///
/// A writer without references still applies the changes that it accepted, as long as the process lives. Use only one
/// writer for a file, because two writers don't coordinate their order.
public actor FileChangeWriter {
  var machine: _StateMachine
  let configuration: Configuration
  let clock: any Clock<Duration>
  let system: any FileSystem
  let sweeper = Sweeper()

  let journal: JournalWorker?

  /// The queues that are idle now; there are as many as files were ever written in parallel.
  ///
  /// They are serial, because each then has a thread of its own, while a concurrent queue could use the threads of
  /// Swift's tasks.
  var idleWorkers: [DispatchQueue] = []
  var timers: [PendingChangeID: Task<Void, Never>] = [:]
  /// Timers of shutdowns with a limit.
  var alarms: [Task<Void, Never>] = []
  var waiters = Tickets<CheckedContinuation<UnwrittenError, Never>>()
  var submitters = Tickets<_Submitter>()
  /// Answers to submitters that the journal has woken, so that they aren't waiting at the moment.
  var answers: [Int: _Submitter.Answer] = [:]
  let readers = Readers<Event>()
  /// The files that have handles.
  ///
  /// An entry may outlive its last handle; such entries are removed when there are more than a limit.
  var files: [FileChange.Path: _OpenFile] = [:]
  var fileLimit = 16
  /// Callers that wait until the saves of a handle are accepted.
  var savers = Tickets<CheckedContinuation<Void, Never>>()

  /// The result of reading the journal of an earlier writer; nil for a writer without a journal.
  ///
  /// Changes that were left are applied before any newer change of the same file. If several changes of a file were
  /// combined, the remaining one has the newest contents. Wait for ``flush()`` before you read a file: it throws the
  /// changes that cannot be applied, with their files and contents.
  ///
  /// If a failed device could read only a part of the journal, the unreadable part may say that a change is done, and
  /// that its file has newer contents. So changes that aren't ``FileChange/based(on:)`` a version are not applied: they
  /// are in ``failures``, and ``retryFailures()`` applies them. Decide before this writer ends: the next writer finds
  /// them in its journal like every failure, and retries them.
  public nonisolated let recovery: Recovery?

  /// Makes a writer that keeps accepted changes in memory.
  ///
  /// - Parameters:
  ///   - configuration: The configuration of the writer; a limit or number of zero traps.
  public init(configuration: Configuration = Configuration()) {
    self.init(configuration: configuration, clock: ContinuousClock())
  }

  /// Makes a writer with parts that a test can replace.
  package init(
    configuration: Configuration = Configuration(),
    clock: any Clock<Duration> = ContinuousClock(),
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    system: any FileSystem = PosixFileSystem()
  ) {
    machine = _StateMachine(configuration: configuration, random: random)
    self.configuration = configuration
    self.clock = clock
    self.system = system
    journal = nil
    recovery = nil
  }

  /// Makes a writer that keeps accepted changes in a journal, and applies the unfinished changes that it finds there.
  ///
  /// ```swift
  /// func open() async throws -> FileChangeWriter {
  ///   let writer = try await FileChangeWriter(journal: URL(filePath: "/var/lib/notes/changes.journal"))
  ///   if let recovery = writer.recovery, !recovery.isIntact { print(recovery) }
  ///   return writer
  /// }
  /// ```
  ///
  /// The journal is one file, accessible only to its owner. It contains the changes until they are done, and somewhat
  /// longer (`journalByteLimit`). It is made if it doesn't exist, and ``close(within:)`` removes it if nothing is left
  /// in it. After the first rewrite there is a second file beside it, `.unsaved-journal-…`, which the next rewrite
  /// overwrites and the shutdown removes.
  ///
  /// Only one writer at a time can use a journal; the system unlocks it when the process ends, for whatever reason.
  ///
  /// The changes in a journal are applied with your rights. So the file must be yours, and its folder must be yours or
  /// root's. Other users must not be able to write either of them, except that the folder may be sticky. A group with
  /// your name and no other member, as many systems give each user, is allowed, unless the folder has an access control
  /// list, which changes the meaning of the group's permissions. If a group with other members may write the folder,
  /// the journal is in a private subfolder, `.unsaved-user-` and your number; a journal that was in the folder itself
  /// before is refused. The check applies to the open folder, wherever links led. The folders above it are not checked:
  /// a user who may rename the folder can replace it with another one.
  ///
  /// Damage isn't an error. The changes in the readable part of the journal are applied; if the device failed, only
  /// those with a base are, as ``recovery`` describes. If there is more damage than a killed process leaves,
  /// or the device cannot read the file, it is moved aside in the same folder, as `<name>.damaged-<date>`, and a new
  /// journal begins. A file that isn't a journal is moved aside, too, because it cannot be told from a damaged one.
  /// ``recovery`` has the path. Another version of the format isn't damage: it is refused.
  ///
  /// If the journal cannot be rewritten, its changes are still applied, because that may free the space that was
  /// missing. ``Progress/journalFailures`` counts such failures.
  ///
  /// - Parameters:
  ///   - url: The path of the journal. Its folder must exist.
  ///   - configuration: The configuration of the writer; a limit or number of zero traps.
  /// - Throws: `FileChangeError` with the path of the journal, if it cannot be opened, made or moved aside; if another
  ///   writer uses it; if other users may write it or its folder; if it has another version; or if a link, a folder or
  ///   a device has its name.
  public init(journal url: URL, configuration: Configuration = Configuration()) async throws(FileChangeError) {
    try await self.init(journal: FileChange.Path(url), configuration: configuration)
  }

  /// Makes a writer with a journal and with parts that a test can replace.
  package init(
    journal: FileChange.Path,
    configuration: Configuration = Configuration(),
    clock: any Clock<Duration> = ContinuousClock(),
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    system: any FileSystem = PosixFileSystem()
  ) async throws(FileChangeError) {
    if let objection = journal.objection {
      throw FileChangeError(path: journal, operation: .openJournal, reason: objection)
    }
    let newWriter = UInt64.random(in: .min ... .max)
    var machine = _StateMachine(configuration: configuration, random: random)
    let (file, recovery, error) = try await JournalWorker.start(
      at: journal.string, in: system, newWriter: newWriter, failure: { FileChangeError($0, of: journal) },
      recover: { (found: JournalContentsOnOpen<_JournalBody>) throws(FileChangeError) in
        let (changes, write) = machine.recover(
          found.contents, writer: found.contents.writer ?? newWriter, from: journal, isCutOff: found.failure != nil)
        let description = "\(changes.count) changes to carry out, \(found.contents.records.count) records"
        return (write, description, isUnfinished: !changes.isEmpty, isEmpty: changes.isEmpty)
      })
    let actions = machine.finishWrite(error: error)
    self.machine = machine
    self.configuration = configuration
    self.clock = clock
    self.system = system
    self.journal = file
    self.recovery = recovery
    perform(actions)
  }

  deinit { for file in files.values { file.shared?.states.end() } }

  // MARK: Progress and events

  /// The present counts of finished and pending work.
  public var progress: Progress { machine.progress }

  /// How many answers wait for callers that the journal has woken; for tests.
  package var answerCount: Int { answers.count }

  /// How many submissions wait for admission.
  package var waitingSubmissionCount: Int { machine.admission.waitingCount }

  /// A new stream of all events from this call on.
  ///
  /// ```swift
  /// func report(_ writer: FileChangeWriter) async {
  ///   for await event in await writer.events() {
  ///     if case .failed(let error) = event.outcome { print(error) }
  ///   }
  /// }
  /// ```
  ///
  /// The sequence ends when the writer has shut down, and has one reader. The writer never waits for it: a reader that
  /// is slower than the disk misses the oldest events, but ``failures`` and ``progress`` are always complete.
  public func events() -> AsyncStream<Event> { readers.stream(limit: configuration.eventLimit) }
}
