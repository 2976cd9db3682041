extension PendingChangeQueue {
  /// A change in the queue, with its generation.
  public struct Entry: Identifiable {
    /// The generation, which identifies the entry for ``PendingChangeQueue/complete(_:)`` and
    /// ``PendingChangeQueue/fail(_:attempts:reason:)``.
    public let id: PendingChangeID

    /// The change to carry out.
    public let change: Change

    /// How often this change was begun.
    ///
    /// A newer change of the same key starts at zero.
    public let attempts: Int

    /// The reason of the last failure, as passed to ``PendingChangeQueue/fail(_:attempts:reason:)``.
    public let failureReason: String?

    // Constants, because the default value of a variable would take a call in a client.
    @inlinable
    package init(id: PendingChangeID, change: Change, attempts: Int = 0, failureReason: String? = nil) {
      self.id = id
      self.change = change
      self.attempts = attempts
      self.failureReason = failureReason
    }

    @inlinable
    package var key: Change.Key { change.key }
  }

  /// The place of an accepted change.
  @usableFromInline
  package enum Status: Hashable, Sendable {
    /// It can begin when its turn comes.
    case waiting

    /// It waits for an older change of the same key.
    case waitingForKey

    /// It was begun, and has neither completed nor failed.
    case inFlight

    /// It was begun, then cancelled: it is not tried again if it fails.
    case inFlightCancelled

    /// It failed for good and waits for a decision.
    case failure
  }
}

extension PendingChangeQueue.Entry: Equatable where Change: Equatable {}
extension PendingChangeQueue.Entry: Hashable where Change: Hashable {}
extension PendingChangeQueue.Entry: Sendable where Change: Sendable {}

extension PendingChangeQueue.Entry: CustomStringConvertible {
  /// The generation, the change and, if there were any, the attempts.
  public var description: String {
    attempts == 0 ? "\(id) \(change)" : "\(id) \(change) (attempts: \(attempts))"
  }
}
