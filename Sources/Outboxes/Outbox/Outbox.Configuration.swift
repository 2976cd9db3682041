public import PendingChanges

extension Outbox {
  /// How an outbox works.
  ///
  /// ```swift
  /// func careful<Change>(_: Change.Type) -> Outbox<Change>.Configuration {
  ///   Outbox<Change>.Configuration(parallelKeys: 1, backoff: Backoff(attempts: 10))
  /// }
  /// ```
  public struct Configuration: Sendable {
    package var parallelKeys: Int
    package var backoff: Backoff
    package var journalByteLimit: Int
    package var waitingByteLimit: Int
    package var typeName: String

    /// Makes a configuration; by default four changes are sent at the same time, and tried as often as it takes.
    ///
    /// A journal with more than half of its limit in changes that are not done may become twice as large as those.
    /// Beside it there is a second file as large, which takes turns with it.
    ///
    /// A change that waits counts the bytes of its record until it is sent. One that others joined may count all of
    /// them until the journal is rewritten. Where there is no room, ``Outbox/insert(_:)`` throws
    /// ``OutboxError/Reason/full``: a server may be away for days, and a caller should not wait for so long. Dead
    /// letters do not count.
    ///
    /// - Parameters:
    ///   - parallelKeys: How many changes are sent at the same time, at least 1; of one key it is always one.
    ///   - backoff: When a change whose attempt failed is sent again.
    ///   - journalByteLimit: How large the journal may become, in bytes, before it is rewritten without what is done;
    ///     at least 1, by default 4 MB.
    ///   - waitingByteLimit: How many bytes may wait in the outbox, at least 1; by default 64 MB.
    ///   - typeName: By what the journal knows the type of its changes, so that an outbox of another type does not send
    ///     them as its own; by default the name of the type, without its module. If you rename the type, pass the old
    ///     name: there are journals that have it.
    public init(
      parallelKeys: Int = 4,
      backoff: Backoff = Backoff(),
      journalByteLimit: Int = 4 << 20,
      waitingByteLimit: Int = 64 << 20,
      typeName: String = "\(Change.self)"
    ) {
      self.parallelKeys = parallelKeys
      self.backoff = backoff
      self.journalByteLimit = journalByteLimit
      self.waitingByteLimit = waitingByteLimit
      self.typeName = typeName
    }
  }
}
