internal import Dispatch
public import Journals
@_exported public import PendingChanges

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
/// try await writer.close()
/// ```
///
/// What holds:
/// - The changes of one file are carried out in the order in which they were submitted, one at a time. Different files
///   are written in parallel, up to `parallelFiles`.
/// - A change that waits gives way to a newer one of the same file, so that a thousand saves of one file in a moment
///   are a few writes, the last of them with the newest contents. A file that is saved faster than it is written gets a
///   pause between two writes.
/// - Each change is carried out as ``FileChange/apply(options:)`` does it: the file is never torn.
/// - A transient failure is tried again after a while (``Backoff``); a permanent one is reported at once. A change that
///   failed for good stays among the ``failures``, with its contents, until a newer one takes its place, it is
///   retried, or you remove it.
/// - With a journal files are written when no submission came for a moment, or when a caller waits: meanwhile a newer
///   change takes the place of an older one. While submissions keep coming they are written a second after the change,
///   one by one, and in a tenth of the time, so that the submissions have the device.
/// - With a journal a change that was accepted survives the end of the process: the next writer with that journal
///   carries it out. Without one it is in memory until it is written.
/// - The changes that wait are bounded (`waitingByteLimit`): ``submit(_:durability:)`` waits for room.
/// - Waiting for the disk takes up none of the threads that Swift's tasks run on.
///
/// A writer without references still carries out what it has accepted, for as long as the process lives.
/// Use one writer for a file: two writers know nothing of each other's order.
public actor FileChangeWriter {
  var machine: _StateMachine
  let configuration: Configuration
  let clock: any Clock<Duration>
  let system: any FileSystem
  let sweeper = Sweeper()

  let journal: JournalWorker?

  /// Threads that carry out nothing now, out of as many as files may be written in parallel.
  var idleWorkers: [DispatchQueue]
  var timers: [PendingChangeID: Task<Void, Never>] = [:]
  /// What ends a shutdown that has a limit.
  var alarms: [Task<Void, Never>] = []
  var waiters = _Tickets<CheckedContinuation<UnwrittenError, Never>>()
  var submitters = _Tickets<_Submitter>()
  /// Answers to submitters that do not wait at the moment, since the journal has woken them.
  var answers: [Int: _Submitter.Answer] = [:]
  let readers = Readers<Event>()
  var files = _OpenFiles()
  /// Callers that wait until the saves of a handle were accepted.
  var savers = _Tickets<CheckedContinuation<Void, Never>>()

  /// What was found in the journal; nil for a writer without one.
  public nonisolated let recovery: Recovery?

  /// Makes a writer that keeps what it accepts in memory.
  ///
  /// - Parameters:
  ///   - configuration: How it works; a limit or number of zero traps.
  public init(configuration: Configuration = Configuration()) {
    self.init(configuration: configuration, clock: ContinuousClock())
  }

  /// The same with what a test wants to choose.
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
    idleWorkers = Self.makeWorkers(configuration)
  }

  /// Makes a writer that keeps what it accepts in a journal, and carries out what is still to be done of it.
  ///
  /// ```swift
  /// func open() async throws -> FileChangeWriter {
  ///   let writer = try await FileChangeWriter(journal: URL(filePath: "/var/lib/notes/changes.journal"))
  ///   if let recovery = writer.recovery, !recovery.isIntact { print(recovery) }
  ///   return writer
  /// }
  /// ```
  ///
  /// The journal is one file, for its owner alone, that holds the contents of the changes until they are done, and
  /// somewhat longer (`journalByteLimit`). It is made where it is not there, and ``close(within:)`` removes it when
  /// nothing is left in it. Once it was rewritten there is another one beside it, `.unsaved-journal-…`, which is
  /// written over at the next rewriting, and goes with the shutdown.
  ///
  /// One writer at a time has a journal; the system gives it free when the process ends, however that happens.
  ///
  /// The changes of a journal are carried out in your name. So the file must be yours, and its folder yours or root's,
  /// and others may write neither; the folder they may where it is sticky. A group that has your name and no other
  /// member, as many systems give each user, is not others; unless the folder has an access control list, since the
  /// group's permissions are those of the list then. Where a group of others may write the folder, the journal is in
  /// one of your own there, `.unsaved-user-` and your number. A journal that was in the folder itself before is
  /// refused. The check is of the open folder, to which links may have led. The folders above it are not checked: a
  /// user who may rename the folder can put another in its place.
  ///
  /// Damage is no error. The readable part of a journal is carried out; where its device failed, only what has a base
  /// is, as ``Recovery/readError`` says. Where more is damaged than the end of a process leaves, or the device fails to
  /// read, the file is set aside beside it, as `<name>.damaged-<date>`, and a new one begins. A file that is something
  /// else is set aside, too: nothing tells the two apart. ``recovery`` has the path. A newer version of the format is
  /// no damage, and is refused.
  ///
  /// Where the journal cannot be written anew, what was found in it is carried out all the same: that may be what makes
  /// room. ``Progress/journalFailures`` tells.
  ///
  /// - Parameters:
  ///   - url: The file. Its folder must be there.
  ///   - configuration: How the writer works; a limit or number of zero traps.
  /// - Throws: `FileChangeError` with the path of the journal, when it cannot be opened, made or set aside. So it does
  ///   when another writer has the journal, when others than this user may write it or its folder, and when it is of a
  ///   newer version. A link, a folder or a device in its place is refused as well.
  public init(journal url: URL, configuration: Configuration = Configuration()) async throws(FileChangeError) {
    try await self.init(journal: FileChange.Path(url), configuration: configuration)
  }

  /// The same with what a test wants to choose.
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
    var changes: [PendingChangeID] = []
    let (file, found, setAside, error) = try await JournalWorker.start(
      at: journal.string, in: system, newWriter: newWriter, failure: { FileChangeError($0, of: journal) },
      recover: { (found: JournalContentsOnOpen<_JournalBody>) throws(FileChangeError) in
        let write: _JournalWrite?
        (changes, write) = machine.recover(
          found.contents, writer: found.contents.writer ?? newWriter, from: journal, isCutOff: found.failure != nil)
        return (write, !changes.isEmpty, false)
      })
    let actions = machine.finishWrite(error: error)
    self.machine = machine
    self.configuration = configuration
    self.clock = clock
    self.system = system
    self.journal = file
    recovery = Recovery(
      changes: changes, recordCount: found.contents.records.count, damage: found.contents.damage,
      setAside: setAside.map(journal.sibling), readError: found.failure.map { FileChangeError($0, of: journal) })
    idleWorkers = Self.makeWorkers(configuration)
    perform(actions)
  }

  /// Serial queues, because each gets a thread of its own where a concurrent one would share those of Swift's tasks.
  private static func makeWorkers(_ configuration: Configuration) -> [DispatchQueue] {
    (0..<configuration.parallelFiles).map { DispatchQueue(label: "FileChangeWriter \($0)") }
  }

  deinit { files.end() }
}

// MARK: - What can be seen

extension FileChangeWriter {
  /// What was done and what is still to do, at this moment.
  public var progress: Progress { machine.progress }

  /// How many answers wait for callers that the journal has woken: what a test needs to see.
  package var answerCount: Int { answers.count }

  /// How many submissions wait in line.
  package var waitingSubmissionCount: Int { machine.admission.waitingCount }

  /// A new sequence of everything that happens from this call on, whenever it is read.
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
  public func events() -> Events { Events(stream: readers.stream(limit: configuration.eventLimit)) }
}

extension FileChangeWriter {
  /// What a writer found in its journal when it was made.
  public struct Recovery: Hashable, Sendable {
    /// The changes that an earlier writer had accepted and not carried out, oldest first.
    ///
    /// They are carried out before anything else of the same file; see ``readError`` for the exception. Where one
    /// stands for several of the same file, it has the newest contents. Wait for ``FileChangeWriter/flush()`` before
    /// you read a file: it throws those that cannot be carried out, with their files and contents.
    public let changes: [PendingChangeID]

    /// How many intact records the journal had, with those of changes that are done.
    package let recordCount: Int

    /// The bytes of the journal, counted from its beginning, that belong to no intact record and were dropped.
    ///
    /// At the end of the file that is mostly what the process was about to write when it ended, and had not
    /// acknowledged. Elsewhere the device or another program has damaged the journal, and changes may be lost: see
    /// ``setAside``. Of a journal in which nothing could be read they are not counted.
    package let damage: [Range<Int>]

    /// The path under which a damaged journal was set aside, or nil.
    ///
    /// That is done where there is more damage than the end of a process leaves. The writer has begun a new journal,
    /// with the changes that could be read. This file has every byte of the old one. It is yours to look at and to
    /// remove, and no writer reads it again. Nil also where the file could not be set aside yet: then it is as it was,
    /// and every writing of the journal tries again first. ``Progress/journalFailures`` tells.
    public let setAside: FileChange.Path?

    /// Why the journal could be read only in part, or not at all, where its device has failed; with the number of the
    /// error.
    ///
    /// The part that was not read may say that a change is done, and that its file has newer contents. So changes
    /// without a ``FileChange/base`` are not carried out: they are ``FileChangeWriter/failures``, to be looked at, and
    /// ``FileChangeWriter/retryFailures()`` carries them out. Decide before this writer ends: the next one finds them
    /// in its journal like every failure, and tries them again.
    public let readError: FileChangeError?

    /// Whether nothing was damaged.
    public var isIntact: Bool { damage.isEmpty && setAside == nil && readError == nil }

    /// How many bytes were dropped.
    package var droppedByteCount: Int { damage.reduce(0) { $0 + $1.count } }
  }
}

extension FileChangeWriter.Recovery: CustomStringConvertible {
  /// How much was found, how much was dropped, and where a damaged journal is.
  public var description: String {
    var parts = ["\(changes.count) changes to carry out, \(recordCount) records"]
    if !damage.isEmpty { parts.append("\(droppedByteCount) bytes damaged and dropped at \(damage.map(\.lowerBound))") }
    if let readError { parts.append("\(readError.cause)") }
    if let setAside { parts.append("the damaged journal is now \(setAside)") }
    return parts.joined(separator: ", ")
  }
}
