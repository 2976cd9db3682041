public import PendingChanges

extension Outbox {
  /// The settings of an outbox: how many changes it sends at a time, when it retries, and how much it stores.
  ///
  /// ```swift
  /// func careful<Change>(_: Change.Type) -> Outbox<Change>.Configuration {
  ///   Outbox<Change>.Configuration(parallelKeys: 1, backoff: Backoff(attempts: 10))
  /// }
  /// ```
  public struct Configuration: Sendable {
    package var parallelKeys: Int
    package var backoff: Backoff
    package var maximumInterruptions: Int
    package var sendTimeout: Duration?
    package var journalByteLimit: Int
    package var waitingByteLimit: Int
    package var typeName: String
    package var startsPaused: Bool

    /// Makes a configuration; by default four changes are sent at the same time, and retried without limit.
    ///
    /// If the changes that are still to be sent take more than half of `journalByteLimit`, the journal may become twice
    /// as large as they are. Beside it there is a second file of that size, which takes turns with it.
    ///
    /// A waiting change counts the bytes of its record until it is sent. A change that others were merged into may
    /// count all of their bytes until the journal is rewritten. If there is no room, ``Outbox/insert(_:)`` throws
    /// ``OutboxError/Reason/full`` instead of waiting, because a server may be unavailable for days. Failures don't
    /// count.
    ///
    /// - Parameters:
    ///   - parallelKeys: How many changes are sent at the same time, at least 1; two changes of one key never are.
    ///   - backoff: When a change is sent again after a failed attempt.
    ///   - maximumInterruptions: How often the process may end during an attempt of a change before the change is a
    ///     failure, at least 1. Only ends during an attempt that was the only one count. After such an end, the change
    ///     is sent alone, when everything else that waited was tried.
    ///   - sendTimeout: How long an attempt may take by the outbox's clock, more than zero; by default without limit.
    ///     Then the attempt is cancelled and has failed, even if `send` ignores that: its later answer is ignored. So
    ///     the server may still be working on the attempt when it receives the next one, which has the same id.
    ///   - journalByteLimit: The size in bytes at which the journal is rewritten without the changes that were sent; at
    ///     least 1, by default 4 MB.
    ///   - waitingByteLimit: How many bytes may wait in the outbox, at least 1; by default 64 MB.
    ///   - typeName: The name that the journal has for the type of its changes, so that an outbox of another type
    ///     doesn't send them as its own; by default the name of the type, without its module. If you rename the type,
    ///     pass the old name, because existing journals have it.
    ///   - startsPaused: Whether the outbox begins to send only after ``Outbox/resume()``.
    public init(
      parallelKeys: Int = 4,
      backoff: Backoff = Backoff(),
      maximumInterruptions: Int = 5,
      sendTimeout: Duration? = nil,
      journalByteLimit: Int = 4 << 20,
      waitingByteLimit: Int = 64 << 20,
      typeName: String = "\(Change.self)",
      startsPaused: Bool = false
    ) {
      self.parallelKeys = parallelKeys
      self.backoff = backoff
      self.maximumInterruptions = maximumInterruptions
      self.sendTimeout = sendTimeout
      self.journalByteLimit = journalByteLimit
      self.waitingByteLimit = waitingByteLimit
      self.typeName = typeName
      self.startsPaused = startsPaused
    }
  }
}
