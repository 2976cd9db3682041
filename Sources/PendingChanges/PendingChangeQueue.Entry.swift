extension PendingChangeQueue {
  /// A change in the queue, with its generation.
  public struct Entry: Identifiable {
    /// The generation: what ``PendingChangeQueue/complete(_:)`` and
    /// ``PendingChangeQueue/fail(_:retry:reason:)`` are told.
    public let id: PendingChangeID

    /// What is to be done.
    public let change: Change

    /// How often this change was begun.
    ///
    /// A newer change for the same key starts at zero.
    public let attempts: Int

    /// Why the last attempt failed, as the caller of ``PendingChangeQueue/fail(_:retry:reason:)``
    /// put it.
    public let failureReason: String?

    // Constants and not variables: what a variable is before it is set takes a call in a client.
    @inlinable
    package init(id: PendingChangeID, change: Change, attempts: Int = 0, failureReason: String? = nil) {
      self.id = id
      self.change = change
      self.attempts = attempts
      self.failureReason = failureReason
    }

    /// What is changed.
    @inlinable
    package var key: Change.Key { change.key }
  }

  /// Where an accepted change is.
  public enum Status: Hashable, Sendable {
    /// It can begin when its turn comes.
    case waiting

    /// It waits for an older change of the same key.
    case waitingForKey

    /// It was begun and is neither completed nor failed.
    case inFlight

    /// It was begun, then cancelled: it is not tried again if it fails.
    case inFlightCancelled

    /// It failed for good and waits for a decision.
    case deadLetter
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
