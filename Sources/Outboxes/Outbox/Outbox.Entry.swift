public import Journals

extension Outbox {
  /// A change in the outbox, with its id and its attempts.
  public struct Entry: Identifiable, Sendable, CustomStringConvertible {
    /// The idempotency key: a text that no outbox ever sends with other contents.
    ///
    /// The id stays the same when the change is sent again, also after a restart. When a change is merged with another,
    /// the result has a new id, and has not been sent yet. So a server that remembers the ids of what it applied may
    /// answer a second request with the same id as it answered the first.
    public let id: String

    /// The change to send.
    public let change: Change

    /// How often this change was begun, including the attempt under way.
    ///
    /// A newer change of the key starts at zero, as does a failure that is requeued. An attempt that ended with the
    /// process, or with ``Outbox/close(within:)``, doesn't count.
    public let attempts: Int

    /// Why the last attempt failed, or why the change was refused.
    public let failureReason: String?

    /// The id, the change and, if there were any, the attempts, with the reason of the last failure.
    public var description: String {
      let reason = failureReason.map { ", \($0)" } ?? ""
      return attempts == 0 && reason.isEmpty ? "\(id) \(change)" : "\(id) \(change) (attempts: \(attempts)\(reason))"
    }
  }

  /// The outcome of an attempt, which `send` returns.
  ///
  /// If `send` throws an error instead, the attempt failed, and the change is sent again after a delay (`Backoff`).
  public enum Answer: Hashable, Sendable {
    /// The server has the change.
    case done

    /// The change has to be sent again, after at least the given time (at most a hundred years).
    ///
    /// It isn't sent before `Backoff` allows it either, so that the server isn't called all the time. The attempt
    /// counts among those that `Backoff` allows. Other changes are sent meanwhile. The time goes on after a restart,
    /// and never becomes longer, even if the system's clock was set back.
    case retry(after: Duration)

    /// The server doesn't want to receive anything for the given time (at most a hundred years), and didn't process
    /// the change.
    ///
    /// Attempts under way go on. Then nothing is sent until the time is over or ``Outbox/resume()`` is called, also
    /// after a restart. This change comes first then, and the attempt doesn't count. ``Outbox/drain(within:)`` waits
    /// for the end of the pause. A time of zero counts as the first delay of `Backoff`.
    case pauseAll(for: Duration)

    /// The server doesn't accept the change, which becomes a failure with this reason.
    case refused(String)
  }

  /// The outcome of one change, which ``outcome(of:)`` waits for.
  public enum Outcome: Hashable, Sendable {
    /// The server has the change.
    case sent

    /// The change is one of the ``failures``, with this reason.
    case failed(reason: String)

    /// A newer change of its key has replaced it or was merged with it, and has this id.
    ///
    /// Wait for the outcome of that one instead.
    case replaced(by: String)

    /// The change was removed.
    case removed
  }

  /// A change in the journal that can't be decoded, as the bytes that an earlier or later version of the app wrote.
  public struct Undecodable: Identifiable, Hashable, Sendable {
    /// The id with which the change is sent if a later outbox can decode it.
    public let id: String

    /// The encoded change; several if changes were merged, the oldest first.
    public let contents: [Data]

    /// The version of the encoding of the oldest one.
    public let version: Int

    /// Why it can't be decoded.
    public let reason: String
  }

  /// The activity of an outbox at one moment, and its numbers of changes.
  public struct State: Hashable, Sendable {
    /// The activity of an outbox at one moment.
    public enum Activity: Hashable, Sendable {
      /// There is nothing to send.
      case idle
      /// At least one change is being sent, or is about to be.
      case sending
      /// All changes wait for another attempt, or for the end of a pause that the server has asked for; the time is an
      /// estimate by the system's clock.
      case waiting(until: Date)
      /// ``Outbox/pause()`` was called: no change is begun.
      case paused
    }

    /// The activity of the outbox.
    public internal(set) var activity = Activity.idle
    /// The number of changes that are neither sent nor failures, including those being sent.
    public internal(set) var pendingCount = 0
    /// The number of changes that are being sent.
    package internal(set) var sendingCount = 0
    /// The number of changes that failed for good and wait for a decision.
    public internal(set) var failureCount = 0
    /// The number of changes that were sent since the outbox was made.
    package internal(set) var sentCount = 0
    /// Why the last attempt failed; nil once an attempt has succeeded since.
    public internal(set) var failure: String?
    /// Why the last write of the journal failed; nil once a write has succeeded since.
    public internal(set) var journalFailure: OutboxError?
  }
}

extension Outbox.Entry: Equatable where Change: Equatable {}
extension Outbox.Entry: Hashable where Change: Hashable {}
