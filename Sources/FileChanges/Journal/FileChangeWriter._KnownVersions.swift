internal import UniqueQueues

extension FileChangeWriter {
  /// What a writer has made of the files that it has changed last.
  ///
  /// A writer may live long and change many files; so it remembers a number of them. Of one that it has forgotten it
  /// takes its own version for another program's: a change that is based on an older one becomes a failure, and nothing
  /// is lost.
  package struct _KnownVersions: Sendable {
    private var versions: [FileChange.Path: FileChange.Version] = [:]
    /// The files, the one first that was changed longest ago.
    private var order = UniqueQueue<FileChange.Path>()
    private let limit: Int

    package init(limit: Int = 4096) { self.limit = limit }

    package var count: Int { versions.count }

    package subscript(path: FileChange.Path) -> FileChange.Version? { versions[path] }

    package mutating func store(_ version: FileChange.Version, of path: FileChange.Path) {
      versions[path] = version
      order.appendOrMoveToEnd(path)
      if versions.count > limit, let oldest = order.popFirst() { versions[oldest] = nil }
    }
  }
}
