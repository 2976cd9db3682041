public import PendingChanges

extension FileChangeWriter {
  /// A change that failed for good, and why.
  public struct Failure: Hashable, Sendable, CustomStringConvertible {
    /// The change, as ``FileChangeWriter/submit(_:)`` named it.
    public let id: PendingChangeID
    /// The change with its contents, so that nothing is lost.
    public let change: FileChange
    /// Why it failed.
    public let error: FileChangeError

    package init(id: PendingChangeID, change: FileChange, error: FileChangeError) {
      self.id = id
      self.change = change
      self.error = error
    }

    /// The change, without its contents, and why it failed.
    public var description: String { "\(change): \(error)" }
  }

  /// What ``FileChangeWriter/flush()`` and ``FileChangeWriter/shutdown()`` throw when something accepted is not on disk.
  public struct Unwritten: Error, Hashable, Sendable, CustomStringConvertible {
    /// The changes that are not on disk, oldest first.
    public let failures: [Failure]

    /// The changes, without their contents, and why each failed.
    public var description: String {
      failures.map(\.description).joined(separator: "\n")
    }
  }
}
