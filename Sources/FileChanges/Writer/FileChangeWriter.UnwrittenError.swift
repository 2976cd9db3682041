public import Journals
public import PendingChanges

extension FileChangeWriter {
  /// A change that failed for good, and why.
  public struct Failure: Hashable, Sendable, CustomStringConvertible {
    /// The change, as ``FileChangeWriter/submit(_:durability:)`` named it, and as it is still called when it is tried
    /// again.
    public let id: PendingChangeID
    /// The change with its contents, so that nothing is lost.
    public let change: FileChange
    /// Why it failed.
    public let error: FileChangeError
    /// All changes of the batch, where the change was one of several; otherwise none.
    public let batch: [FileChange]
    /// Whether every file is as it was.
    ///
    /// False only for a batch, where the device failed also while it was taken back. What is missing then is beside the
    /// file, under a name that begins with `.unsaved-` and ends with `-old`.
    public let isTakenBack: Bool

    package init(
      id: PendingChangeID, change: FileChange, error: FileChangeError, batch: [FileChange] = [],
      isTakenBack: Bool = true
    ) {
      self.id = id
      self.change = change
      self.error = error
      self.batch = batch
      self.isTakenBack = isTakenBack
    }

    func isAbout(_ path: FileChange.Path) -> Bool {
      change.path == path || batch.contains { $0.path == path || $0.target == path }
    }

    /// The change, without its contents, and why it failed.
    public var description: String {
      let place = error.path == change.path ? "" : "\(error.path): "
      return "\(change): \(place)\(error.explanation)"
    }
  }

  /// What ``FileChangeWriter/flush()`` and ``FileChangeWriter/close(within:)`` throw when something accepted is not
  /// on disk.
  public struct UnwrittenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The changes that failed for good, oldest first.
    public let failures: [Failure]

    /// The changes that were still on their way when the waiting ended early, because the task was cancelled or the
    /// time was up; in the order in which they would run.
    ///
    /// Those of a batch are as they were submitted, and all have its id.
    /// One that is being carried out at that moment may still come to its end.
    public let unfinished: [PendingChangeQueue<FileChange>.Entry]

    var isEmpty: Bool { failures.isEmpty && unfinished.isEmpty }

    /// The changes, without their contents, and why each is not on disk.
    public var description: String {
      let lines = failures.map(\.description) + unfinished.map { "\($0.change): not yet carried out" }
      return lines.joined(separator: "\n")
    }
  }
}

extension FileChangeWriter.UnwrittenError: LocalizedError {
  /// The description, so that `localizedDescription` tells as much.
  public var errorDescription: String? { description }
}
