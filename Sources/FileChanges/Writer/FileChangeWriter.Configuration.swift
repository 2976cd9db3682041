public import PendingChanges

extension FileChangeWriter {
  /// The configuration of a writer: its limits, its retries, and its order.
  ///
  /// ```swift
  /// // Keeps the order across all files, not only within each.
  /// let backoff = Backoff(attempts: 10)
  /// let writer = FileChangeWriter(configuration: FileChangeWriter.Configuration(parallelFiles: 1, backoff: backoff))
  /// ```
  public struct Configuration: Sendable {
    package var options: FileChange.Options
    package var coalescing: PendingChangeQueue<FileChange>.Policy
    package var parallelFiles: Int
    package var backoff: Backoff
    package var journalByteLimit: Int
    package var waitingByteLimit: Int

    /// The length of the first pause between writing a file and writing a newer change of it that already waits.
    ///
    /// Without pauses, a file that is saved faster than it can be written would be written all the time. During a
    /// pause, the newest change replaces the older ones. Each pause is twice as long as the one before, up to
    /// `longestPause`, until a write leaves no change waiting. ``FileChangeWriter/flush()`` and
    /// ``FileChangeWriter/close(within:)`` end all pauses. If only one file is written at a time, there are no pauses,
    /// so that all changes keep their order.
    package var firstPause = Duration.milliseconds(10)

    /// The length of the longest pause.
    package var longestPause = Duration.seconds(1)

    /// The time without submissions after which delayed files are written; it may take up to twice as long.
    ///
    /// While submissions keep coming, changes that the journal has are delayed; zero turns the delay off.
    package var idleTime = Duration.milliseconds(20)

    /// The longest delay of a file's changes while submissions keep coming.
    package var longestDelay = Duration.seconds(1)

    /// The number of events that a reader of ``FileChangeWriter/events()`` may lag behind before it misses the oldest;
    /// at least 1.
    ///
    /// The newest events are always kept.
    package var eventLimit = 4096

    /// Makes a configuration; by default a newer change replaces a waiting one of the same file, and up to four files
    /// are written at the same time.
    ///
    /// **The journal.** The file is filled with zeros ahead: first 64 KB, later up to 1 MB at a time. If unfinished
    /// changes take half of `journalByteLimit`, their files are written without waiting for a moment without
    /// submissions.
    ///
    /// If they take more than half of it, the journal may become twice as large as they are, plus three groups. A group
    /// is a set of changes that are recorded together: at most as many bytes as `journalByteLimit`, or one change.
    /// Beside the journal there is a second file of the same size, which takes turns with it.
    ///
    /// **Waiting changes.** From its acceptance until it is done or has failed for good, a change counts the size of
    /// its contents and its path plus about 40 bytes. Without room, ``FileChangeWriter/submit(_:durability:)`` waits. A
    /// change that replaces a waiting one counts only the difference. A change that is larger than `waitingByteLimit`
    /// is accepted when nothing else counts. Changes from a journal, and failures that are retried, are accepted at
    /// once and may exceed it. Failures that the writer keeps don't count, because only you can remove them.
    ///
    /// - Parameters:
    ///   - options: The options for applying each change.
    ///   - coalescing: The effect of a new change on a waiting change of the same file. By default it replaces the
    ///     older change, whose contents are never written.
    ///   - parallelFiles: The number of files that are written at the same time, at least 1. Changes of one file always
    ///     keep their order. Changes of different files keep it only with 1.
    ///   - backoff: The delays before a change with a transient failure is retried; by default five attempts within
    ///     about a second. A backoff of your own has no limit of attempts unless you give it one.
    ///   - journalByteLimit: The size in bytes at which the journal is rewritten without finished changes; at least 1,
    ///     by default 4 MB.
    ///   - waitingByteLimit: The number of bytes that may wait in the writer, in memory and for the journal; at least
    ///     1, by default 64 MB.
    public init(
      options: FileChange.Options = FileChange.Options(),
      coalescing: PendingChangeQueue<FileChange>.Policy = FileChange.policy,
      parallelFiles: Int = 4,
      backoff: Backoff = Backoff(attempts: 5, firstDelay: .milliseconds(50), longestDelay: .seconds(5)),
      journalByteLimit: Int = 4 << 20,
      waitingByteLimit: Int = 64 << 20
    ) {
      self.options = options
      self.coalescing = coalescing
      self.parallelFiles = parallelFiles
      self.backoff = backoff
      self.journalByteLimit = journalByteLimit
      self.waitingByteLimit = waitingByteLimit
    }
  }
}
