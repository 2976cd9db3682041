extension PendingChangeQueue {
  /// A change in the queue, with its generation.
  public struct Entry: Identifiable {
    /// The generation: what ``PendingChangeQueue/complete(_:)`` and ``PendingChangeQueue/fail(_:retry:reason:)`` are told.
    public let id: PendingChangeID

    /// What is to be done.
    public let change: Change

    @usableFromInline
    var _attempts: Int

    @usableFromInline
    var _failureReason: String?

    @inlinable
    init(id: PendingChangeID, change: Change, attempts: Int = 0, failureReason: String? = nil) {
      self.id = id
      self.change = change
      _attempts = attempts
      _failureReason = failureReason
    }

    /// What is changed.
    @inlinable
    public var key: Change.Key { change.key }

    /// How often this change was begun.
    ///
    /// A newer payload for the same key starts at zero.
    @inlinable
    public var attempts: Int { _attempts }

    /// Why the last attempt failed, as the caller of ``PendingChangeQueue/fail(_:retry:reason:)`` put it.
    @inlinable
    public var failureReason: String? { _failureReason }
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
