public import Journals

extension Outbox {
  /// What an outbox found in its journal when it was made.
  public struct Recovery: Hashable, Sendable {
    /// How many changes an earlier outbox had accepted and not sent; dead letters are not counted.
    public let pendingCount: Int

    /// How many dead letters there were.
    public let deadLetterCount: Int

    /// The bytes of the journal, counted from its beginning, that belong to no intact record and were dropped.
    ///
    /// At the end of the file that is mostly what the process was about to write when it ended, and had not
    /// acknowledged. Elsewhere the device or another program has damaged the journal, and changes may be lost: see
    /// ``setAside``.
    package let damage: [Range<Int>]

    /// Where a damaged journal was set aside, or nil.
    ///
    /// This file has every byte of the damaged journal, and no outbox reads it again. The new journal has the changes
    /// that could be read. Nil also where the file could not be set aside yet; every writing of the journal tries that
    /// first.
    public let setAside: URL?

    /// Why the journal could be read only in part, or not at all: its device has failed, or a dead letter cannot be
    /// decoded, which is in the file that was ``setAside``.
    ///
    /// The part that a device did not give may say that a change is done: that one is sent again, with the same id.
    public let readError: OutboxError?

    /// Whether nothing was damaged.
    public var isIntact: Bool { damage.isEmpty && setAside == nil && readError == nil }

    /// How many bytes were dropped.
    package var droppedByteCount: Int { damage.reduce(0) { $0 + $1.count } }
  }
}

extension Outbox.Recovery: CustomStringConvertible {
  /// How much was found, how much was dropped, and where a damaged journal is.
  public var description: String {
    var parts = ["\(pendingCount) changes to send, \(deadLetterCount) dead letters"]
    if !damage.isEmpty { parts.append("\(droppedByteCount) bytes damaged and dropped at \(damage.map(\.lowerBound))") }
    if let readError { parts.append("\(readError.reason)") }
    if let setAside { parts.append("the damaged journal is now \(setAside.path(percentEncoded: false))") }
    return parts.joined(separator: ", ")
  }
}
