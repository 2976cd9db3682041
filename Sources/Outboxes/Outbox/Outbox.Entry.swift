public import Journals

extension Outbox {
  /// A change in the outbox, with what is known about it.
  public struct Entry: Identifiable, Sendable {
    /// The idempotency key: text that no other contents are ever sent with, by this outbox or another.
    ///
    /// The id stays when the change is sent again, after a restart too. It is a new one where the change takes in
    /// another one, which happens only before it is sent. So a server that remembers the ids of what it applied may
    /// answer a second request with the same id as it did the first.
    public let id: String

    /// What is to be sent.
    public let change: Change

    /// How often this change was begun, with the attempt under way.
    ///
    /// A newer change of the key starts at zero, as does a dead letter that is requeued. An attempt that ended with the
    /// process, or with ``Outbox/close(within:)``, does not count.
    public let attempts: Int

    /// Why the last attempt failed, or why the change was refused.
    public let failureReason: String?
  }

  /// What `send` says became of an attempt.
  ///
  /// An error that `send` throws is a failure: the change is sent again after a while, by ``Backoff``.
  public enum Answer: Hashable, Sendable {
    /// The server has the change.
    case done

    /// The change is to be sent again, and not before so much time has passed, up to a hundred years.
    ///
    /// Nor is it sent before ``Backoff`` allows it, so that no server is asked all the time. It counts among the
    /// attempts that ``Backoff`` allows. The journal does not keep the time: another outbox on it sends the change when
    /// it starts.
    case retry(after: Duration)

    /// The server does not take the change: it becomes a dead letter with this reason.
    case refused(String)
  }
}

extension Outbox.Entry: Equatable where Change: Equatable {}
extension Outbox.Entry: Hashable where Change: Hashable {}

extension Outbox.Entry: CustomStringConvertible {
  /// The id, the change and, if there were any, the attempts, with the reason why the last one failed.
  public var description: String {
    let reason = failureReason.map { ", \($0)" } ?? ""
    return attempts == 0 && reason.isEmpty ? "\(id) \(change)" : "\(id) \(change) (attempts: \(attempts)\(reason))"
  }
}

extension Outbox {
  /// What an outbox does at one moment, and how much there is to do.
  public struct State: Hashable, Sendable {
    /// What an outbox does at one moment.
    public enum Activity: Hashable, Sendable {
      /// There is nothing to send.
      case idle
      /// At least one change is being sent, or is about to be.
      case sending
      /// All that is there waits until a change is tried again; the time is an estimate by the system's clock.
      case waiting(until: Date)
      /// ``Outbox/pause()`` was called: nothing is begun.
      case paused
    }

    /// What the outbox does.
    public internal(set) var activity = Activity.idle
    /// Changes that are neither sent nor dead letters, with those that are being sent.
    public internal(set) var pendingCount = 0
    /// Changes that are being sent.
    package internal(set) var sendingCount = 0
    /// Changes that failed for good and wait for a decision.
    public internal(set) var deadLetterCount = 0
    /// Changes that were sent since the outbox was made.
    package internal(set) var sentCount = 0
    /// Why the last attempt failed; nil when one has succeeded since.
    public internal(set) var failure: String?
    /// Why the journal could not be written the last time; nil when it could since.
    public internal(set) var journalFailure: OutboxError?

    /// Whether there is nothing to send.
    ///
    /// There may be dead letters all the same.
    public var isIdle: Bool { pendingCount == 0 }
  }
}
