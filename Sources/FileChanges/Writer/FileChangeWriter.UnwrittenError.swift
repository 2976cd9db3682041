public import Journals
public import PendingChanges

extension FileChangeWriter {
  /// A change that failed for good, with its error.
  public struct Failure: Hashable, Sendable, CustomStringConvertible {
    /// The id that ``FileChangeWriter/submit(_:durability:)`` returned; the change keeps it when it is retried.
    public let id: PendingChangeID
    /// The change with its contents, so that nothing is lost.
    public let change: FileChange
    /// The reason of the failure.
    public let error: FileChangeError
    /// All changes of the batch if the change was one of several; otherwise empty.
    public let batch: [FileChange]
    /// Whether every file is as it was.
    ///
    /// This is false only for a batch, if the device failed during the rollback, too. The missing files are then beside
    /// their paths, under names that begin with `.unsaved-` and end with `-old`.
    public let isRolledBack: Bool

    package init(
      id: PendingChangeID, change: FileChange, error: FileChangeError, batch: [FileChange] = [],
      isRolledBack: Bool = true
    ) {
      self.id = id
      self.change = change
      self.error = error
      self.batch = batch
      self.isRolledBack = isRolledBack
    }

    func isAbout(_ path: FileChange.Path) -> Bool {
      change.path == path || batch.contains { $0.path == path || $0.target == path }
    }

    /// The change, without its contents, and the reason of the failure.
    public var description: String {
      let place = error.path == change.path ? "" : "\(error.path): "
      return "\(change): \(place)\(error.explanation)"
    }
  }

  /// The error of ``FileChangeWriter/flush()`` and ``FileChangeWriter/close(within:)`` if accepted changes are not on
  /// disk.
  public struct UnwrittenError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// The changes that failed for good, oldest first.
    public let failures: [Failure]

    /// The changes that were unfinished when the wait ended early, because the task was canceled or the time was up; in
    /// the order in which they would run.
    ///
    /// The changes of a batch are listed as they were submitted, and all have its id. A change that is being applied at
    /// that moment may still succeed.
    public let unfinished: [PendingChangeQueue<FileChange>.Entry]

    var isEmpty: Bool { failures.isEmpty && unfinished.isEmpty }

    /// The changes, without their contents, with the reason why each is not on disk.
    public var description: String {
      let lines = failures.map(\.description) + unfinished.map { "\($0.change): not yet carried out" }
      return lines.joined(separator: "\n")
    }

    /// The description, so that `localizedDescription` has the same details.
    public var errorDescription: String? { description }
  }
}
