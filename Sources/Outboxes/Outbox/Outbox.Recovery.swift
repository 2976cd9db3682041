internal import Journals

extension Outbox {
  /// The details of a recovery.
  package struct _Recovery: Hashable, Sendable, CustomStringConvertible {
    /// The number of changes that an earlier outbox had accepted and not sent; dead letters aren't counted.
    package let pendingCount: Int

    /// The number of dead letters.
    package let deadLetterCount: Int

    /// The ranges of bytes in the journal that belong to no intact record and were dropped.
    ///
    /// Damage at the end of the file is usually a record that the process was writing when it ended, and had not
    /// acknowledged. Damage elsewhere comes from the device or from another program, and changes may be lost.
    package let damage: [Range<Int>]

    /// The new location of a damaged journal that was moved aside, or nil.
    package let setAside: URL?

    /// Why the journal could be read only in part, or not at all: its device failed, or a dead letter can't be decoded.
    package let readError: OutboxError?

    /// How much was found, how much was dropped, and where a damaged journal is now.
    package var description: String {
      Recovery.details(
        found: "\(pendingCount) changes to send, \(deadLetterCount) dead letters", damage: damage,
        readError: readError.map { "\($0.reason)" }, setAside: setAside?.path(percentEncoded: false))
    }
  }
}
