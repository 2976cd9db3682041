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
