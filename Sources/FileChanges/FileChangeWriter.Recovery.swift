public import PendingChanges

extension FileChangeWriter {
  /// What a writer found in its journal when it was made.
  public struct Recovery: Hashable, Sendable {
    /// The changes that an earlier writer had accepted and not carried out, oldest first.
    ///
    /// They are carried out before anything else of the same file. Where one stands for several of the same file, it has
    /// the newest contents. Wait for ``FileChangeWriter/flush()`` before you read a file: it throws those that cannot be
    /// carried out, with their files and contents.
    public let changes: [PendingChangeID]

    /// How many intact records the journal had, with those of changes that are done.
    public let recordCount: Int

    /// The bytes of the journal, counted from its beginning, that belong to no intact record and were dropped.
    ///
    /// At the end of the file that is what the process was about to write when it ended, and had not acknowledged. Elsewhere
    /// the device or another program has damaged the journal, and changes may be lost.
    public let damage: [Range<Int>]

    /// The path under which a journal was set aside since nothing in it could be read, or nil.
    ///
    /// The writer has begun a new one. This file has every byte of the old one. It is yours to look at and to remove, and
    /// no writer reads it again: changes that it had are not carried out.
    public let setAside: FileChange.Path?

    /// Whether nothing was damaged.
    public var isIntact: Bool { damage.isEmpty && setAside == nil }

    /// How many bytes were dropped.
    public var droppedByteCount: Int { damage.reduce(0) { $0 + $1.count } }
  }
}

extension FileChangeWriter.Recovery: CustomStringConvertible {
  /// How much was found, and how much was dropped.
  public var description: String {
    let found = "\(changes.count) changes to carry out, \(recordCount) records"
    if let setAside { return "\(found), a journal that could not be read is now \(setAside)" }
    return isIntact ? found : "\(found), \(droppedByteCount) bytes damaged and dropped at \(damage.map(\.lowerBound))"
  }
}
