#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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
