public import PendingChanges

extension FileChangeWriter {
  /// Something that happened to a change.
  public struct Event: Hashable, Sendable {
    /// What happened.
    public enum Outcome: Hashable, Sendable {
      /// The file has the new contents, durably.
      case written(byteCount: Int)
      /// The file is gone, durably.
      case removed
      /// The change failed for a transient reason and will be tried again.
      case retrying(FileChangeError, after: Duration)
      /// The change failed and will not be tried again by itself; unless a newer change of the file was waiting,
      /// it is among the writer's ``FileChangeWriter/failures``.
      case failed(FileChangeError)
    }

    /// The number of the event among all of the writer, counted from 1.
    ///
    /// A gap shows a slow reader that it missed some.
    public let number: Int

    /// The change, as ``FileChangeWriter/submit(_:durability:)`` named it.
    public let id: PendingChangeID

    /// The file.
    public let path: FileChange.Path

    /// What happened.
    public let outcome: Outcome
  }

  /// The events of a writer, from the moment they were asked for until the writer is shut down.
  ///
  /// The writer never waits for a reader. Each sequence has one reader; ask the writer again for another.
  public struct Events: AsyncSequence, Sendable {
    let stream: AsyncStream<Event>

    /// Reads the events one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
      var base: AsyncStream<Event>.Iterator

      /// Suspends until there is an event; nil when there will be none.
      @concurrent
      public mutating func next() async -> Event? { await base.next() }
    }

    /// Makes the iterator of the one reader.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: stream.makeAsyncIterator()) }
  }
}

extension FileChangeWriter.Event: CustomStringConvertible {
  /// The change, the file and what happened.
  public var description: String {
    switch outcome {
    case .written(let byteCount): "\(id) \(path): written, \(byteCount) bytes"
    case .removed: "\(id) \(path): removed"
    case .retrying(let error, let delay): "\(id) \(error) Retrying after \(delay)."
    case .failed(let error): "\(id) \(error)"
    }
  }
}

extension FileChangeWriter {
  /// What a writer has done since it was made, and what it has still to do.
  ///
  /// What has happened is counted from then on and never becomes less. ``waiting`` is what there is at this moment.
  public struct Progress: Hashable, Sendable {
    /// Changes that were submitted and accepted, and those that came from the journal.
    package internal(set) var accepted = 0
    /// Changes that another change of the same file stands for, so that they never reach the disk by themselves.
    package internal(set) var coalesced = 0
    /// Changes that were taken back before they were carried out.
    package internal(set) var cancelled = 0
    /// Files written.
    public internal(set) var written = 0
    /// Bytes in the files written.
    package internal(set) var bytesWritten = 0
    /// Files removed.
    package internal(set) var removed = 0
    /// Attempts that failed for a transient reason and led to another by themselves, not by
    /// ``FileChangeWriter/retryFailures()``.
    package internal(set) var retried = 0
    /// Changes that failed for good, also those that were tried again since, or that the writer holds no more.
    package internal(set) var failed = 0

    /// Groups of changes that were brought to the journal's device together.
    package internal(set) var journalGroups = 0
    /// Writings of the journal that failed.
    ///
    /// After one, the journal is written anew: at once where something was to be added to it, else with the next change
    /// that comes or is done, or by the shutdown.
    public internal(set) var journalFailures = 0
    /// Bytes written to the journal, notes of what is done and rewritings included.
    package internal(set) var journalBytes = 0

    /// Changes that wait for their turn.
    public internal(set) var waiting = 0
    /// Changes that are being carried out, or will be after a while.
    package internal(set) var inFlight = 0
    /// Bytes of the changes that wait, are on their way to the journal or in flight, as `waitingByteLimit` counts them.
    package internal(set) var waitingBytes = 0
    /// Changes that failed for good and that the writer still holds: its ``FileChangeWriter/failures``.
    package internal(set) var heldFailures = 0

    /// Whether there is nothing to do.
    public var isIdle: Bool { waiting == 0 && inFlight == 0 }

    mutating func countWritten(_ byteCount: Int) {
      written += 1
      bytesWritten = bytesWritten.adding(asFarAsPossible: byteCount)
    }

    mutating func countJournal(_ byteCount: Int) {
      journalBytes = journalBytes.adding(asFarAsPossible: byteCount)
    }
  }
}

extension Int {
  /// A moved file may be larger than any device, and a long life writes more than 32 bits can count.
  fileprivate func adding(asFarAsPossible other: Int) -> Int {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? .max : sum
  }
}
