public import Journals

extension Outbox {
  /// A report of what an outbox found in its journal when it was made: changes, dead letters and damage.
  public struct Recovery: Hashable, Sendable {
    /// The number of changes that an earlier outbox had accepted and not sent; dead letters aren't counted.
    public let pendingCount: Int

    /// The number of dead letters.
    public let deadLetterCount: Int

    /// The ranges of bytes in the journal that belong to no intact record and were dropped.
    ///
    /// Damage at the end of the file is usually a record that the process was writing when it ended, and had not
    /// acknowledged. Damage elsewhere comes from the device or from another program, and changes may be lost: see
    /// ``setAside``.
    package let damage: [Range<Int>]

    /// The new location of a damaged journal that was moved aside, or nil.
    ///
    /// This file has every byte of the damaged journal, and no outbox reads it again. The new journal has the changes
    /// that could be read. The location is also nil if the file couldn't be moved aside yet; every write of the journal
    /// tries that first.
    public let setAside: URL?

    /// Why the journal could be read only in part, or not at all.
    ///
    /// Either its device failed, or a dead letter can't be decoded; that letter is in the file at ``setAside``. The
    /// part that a device failed to read may say that a change was sent. That change is sent again, with the same id.
    public let readError: OutboxError?

    /// Whether the journal was undamaged.
    public var isIntact: Bool { damage.isEmpty && setAside == nil && readError == nil }

    /// The number of bytes that were dropped.
    package var droppedByteCount: Int { damage.reduce(0) { $0 + $1.count } }
  }
}

extension Outbox.Recovery: CustomStringConvertible {
  /// How much was found, how much was dropped, and where a damaged journal is now.
  public var description: String {
    var parts = ["\(pendingCount) changes to send, \(deadLetterCount) dead letters"]
    if !damage.isEmpty { parts.append("\(droppedByteCount) bytes damaged and dropped at \(damage.map(\.lowerBound))") }
    if let readError { parts.append("\(readError.reason)") }
    if let setAside { parts.append("the damaged journal is now \(setAside.path(percentEncoded: false))") }
    return parts.joined(separator: ", ")
  }
}
