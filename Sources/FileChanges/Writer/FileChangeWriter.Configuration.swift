public import PendingChanges

extension FileChangeWriter {
  /// How a writer works.
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

    /// How long a file is left alone when it was written and a newer change of it waits already.
    ///
    /// A file that is saved faster than it can be written would be written all the time otherwise; in a pause the
    /// newest change takes the place of those that wait. The first pause is followed by one twice as long, up to
    /// `longestPause`, until the file was written and nothing waits. ``FileChangeWriter/flush()`` and
    /// ``FileChangeWriter/close(within:)`` wait for no pause, and where one file is written at a time there is none,
    /// so that all changes keep their order.
    package var firstPause = Duration.milliseconds(10)

    /// The longest time that a file is left alone.
    package var longestPause = Duration.seconds(1)

    /// How long no submission comes before files are written whose changes the journal has, and at most twice that.
    ///
    /// While submissions keep coming those changes are held back; nothing is where this is zero.
    package var idleTime = Duration.milliseconds(20)

    /// How long the change of a file is held back while submissions keep coming.
    package var longestHolding = Duration.seconds(1)

    /// How many events a reader of ``FileChangeWriter/events()`` may lag behind before it misses the oldest; at least
    /// 1.
    ///
    /// The newest are always there, and a gap in their numbers shows how many were missed.
    package var eventLimit = 4096

    /// Makes a configuration; by default a newer change takes the place of one of the same file that waits, and four
    /// files are written at the same time.
    ///
    /// **The journal.** The file has zeros ahead, 64 KB at first and up to 1 MB more at a time. When changes that are
    /// not done have half of the limit, their files are written without waiting for a pause between submissions.
    ///
    /// A journal with more than half of that in changes that are not done may become twice as large as those, and three
    /// groups more. A group is what is recorded together: at most as many bytes as this limit, or one change. Beside
    /// the journal there is a second file as large, which takes turns with it.
    ///
    /// **What waits.** A change counts from its acceptance until it is done or has failed for good: its contents, its
    /// path, and some 40 bytes. Where there is no room, ``FileChangeWriter/submit(_:durability:)`` waits. A change that
    /// takes the place of one that waits counts the difference. One that is larger than the limit comes in when nothing
    /// else counts. The changes of a journal, and failures that are tried again, come in at once, and may exceed the
    /// limit. Failures that the writer holds do not count: nothing but you makes them go.
    ///
    /// - Parameters:
    ///   - options: How each change is carried out.
    ///   - coalescing: What a new change does to a change of the same file that still waits. By default it takes the
    ///     place of the older one, whose contents are never written.
    ///   - parallelFiles: How many files are written at the same time, at least 1. Changes of one file always keep
    ///     their order. Changes of different files keep it only with 1.
    ///   - backoff: When a change that failed for a transient reason is tried again; by default five attempts within
    ///     about a second.
    ///   - journalByteLimit: How large the journal may become, in bytes, before it is rewritten without what is done;
    ///     at least 1, by default 4 MB.
    ///   - waitingByteLimit: How many bytes may wait in the writer, in memory and for the journal, at least 1; by
    ///     default 64 MB.
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
