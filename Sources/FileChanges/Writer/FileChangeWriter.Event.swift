public import Journals
public import PendingChanges

extension FileChangeWriter {
  /// An event in the life of a change: it was applied, failed, or will be retried.
  public struct Event: Hashable, Sendable, CustomStringConvertible {
    /// The kind of an event.
    public enum Outcome: Hashable, Sendable {
      /// The file is written, removed or moved, durably.
      case done
      /// The change failed for a transient reason and will be retried.
      case retrying(FileChangeError, after: Duration)
      /// The change failed and will not be retried automatically. It is one of the writer's
      /// ``FileChangeWriter/failures``, unless a newer change of the file was waiting.
      case failed(FileChangeError)
    }

    /// The id of the change, as returned by ``FileChangeWriter/submit(_:durability:)``.
    public let id: PendingChangeID

    package let path: FileChange.Path

    /// The file.
    public var url: URL { path.url }

    /// The kind of the event.
    public let outcome: Outcome

    /// The change, the file and the outcome.
    public var description: String {
      switch outcome {
      case .done: "\(id) \(path): done"
      case .retrying(let error, let delay): "\(id) \(error) Retrying after \(delay)."
      case .failed(let error): "\(id) \(error)"
      }
    }
  }

  /// Counts of a writer's finished and pending work.
  ///
  /// The counts of finished work begin when the writer is made and never decrease. ``waiting`` is the present number.
  public struct Progress: Hashable, Sendable {
    /// Changes that were accepted, including those from the journal.
    package internal(set) var accepted = 0
    /// Changes that were replaced by, or merged into, another change of the same file before they were applied.
    package internal(set) var coalesced = 0
    /// Changes that were canceled before they were applied.
    package internal(set) var cancelled = 0
    /// The number of files written.
    public internal(set) var written = 0
    /// The number of files removed.
    package internal(set) var removed = 0
    /// Failed attempts that were retried automatically, not by ``FileChangeWriter/retryFailures()``.
    package internal(set) var retried = 0
    /// Changes that failed for good, including those that were retried or removed since.
    package internal(set) var failed = 0

    /// Groups of changes that were synchronized to the journal's device together.
    package internal(set) var journalGroups = 0
    /// The number of failed writes to the journal.
    ///
    /// After a failed write, the journal is rewritten: at once if it was an append, otherwise with the next change that
    /// is submitted or done, or by the shutdown.
    public internal(set) var journalFailures = 0

    /// The number of changes that wait for their turn.
    public internal(set) var waiting = 0
    /// Changes that are being applied, or sleep until they are.
    package internal(set) var inFlight = 0
    /// Bytes of the changes that wait, are on their way to the journal or in flight, counted as for `waitingByteLimit`.
    package internal(set) var waitingBytes = 0
    /// Changes that failed for good and that the writer keeps as ``FileChangeWriter/failures``.
    package internal(set) var heldFailures = 0

    /// Whether the writer has no unfinished changes.
    public var isIdle: Bool { waiting == 0 && inFlight == 0 }
  }
}
