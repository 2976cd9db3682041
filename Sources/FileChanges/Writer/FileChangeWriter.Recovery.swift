public import PendingChanges

extension FileChangeWriter {
  /// What a writer found in its journal when it was made.
  public struct Recovery: Hashable, Sendable {
    /// The changes that an earlier writer had accepted and not carried out, oldest first.
    ///
    /// They are carried out before anything else of the same file; see ``readError`` for the exception. Where one
    /// stands for several of the same file, it has the newest contents. Wait for ``FileChangeWriter/flush()`` before
    /// you read a file: it throws those that cannot be carried out, with their files and contents.
    public let changes: [PendingChangeID]

    /// How many intact records the journal had, with those of changes that are done.
    package let recordCount: Int

    /// The bytes of the journal, counted from its beginning, that belong to no intact record and were dropped.
    ///
    /// At the end of the file that is mostly what the process was about to write when it ended, and had not
    /// acknowledged. Elsewhere the device or another program has damaged the journal, and changes may be lost: see
    /// ``setAside``. Of a journal in which nothing could be read they are not counted.
    package let damage: [Range<Int>]

    /// The path under which a damaged journal was set aside, or nil.
    ///
    /// That is done where there is more damage than the end of a process leaves. The writer has begun a new journal,
    /// with the changes that could be read. This file has every byte of the old one. It is yours to look at and to
    /// remove, and no writer reads it again. Nil also where the file could not be set aside yet: then it is as it was,
    /// and every writing of the journal tries again first. ``Progress/journalFailures`` tells.
    public let setAside: FileChange.Path?

    /// Why the journal could be read only in part, or not at all, where its device has failed; with the number of the
    /// error.
    ///
    /// The part that was not read may say that a change is done, and that its file has newer contents. So changes
    /// without a ``FileChange/base`` are not carried out: they are ``FileChangeWriter/failures``, to be looked at, and
    /// ``FileChangeWriter/retryFailures()`` carries them out. Decide before this writer ends: the next one finds them
    /// in its journal like every failure, and tries them again.
    public let readError: FileChangeError?

    /// Whether nothing was damaged.
    public var isIntact: Bool { damage.isEmpty && setAside == nil && readError == nil }

    /// How many bytes were dropped.
    package var droppedByteCount: Int { damage.reduce(0) { $0 + $1.count } }
  }
}

extension FileChangeWriter.Recovery: CustomStringConvertible {
  /// How much was found, how much was dropped, and where a damaged journal is.
  public var description: String {
    var parts = ["\(changes.count) changes to carry out, \(recordCount) records"]
    if !damage.isEmpty { parts.append("\(droppedByteCount) bytes damaged and dropped at \(damage.map(\.lowerBound))") }
    if let readError { parts.append("\(readError.cause)") }
    if let setAside { parts.append("the damaged journal is now \(setAside)") }
    return parts.joined(separator: ", ")
  }
}
