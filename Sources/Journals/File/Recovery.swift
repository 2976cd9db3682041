/// The result of reading the journal or the log of an earlier process.
///
/// Damage never keeps a writer, an outbox or a session from opening: it uses what it can read. Print the recovery for
/// the details.
public struct Recovery: Hashable, Sendable, CustomStringConvertible {
  /// Whether everything could be read; if not, tell the user.
  public var isIntact: Bool { damage.isEmpty && readError == nil && setAside == nil }

  /// Whether there were changes that had been accepted, but were not written, sent or saved yet.
  public let hasUnfinishedChanges: Bool

  /// The place of a journal or a log that could be read only in part, or not at all; nil, as usual, if there is none.
  ///
  /// This file has every byte of it. You may inspect and remove it; only a log of another version is still in use. The
  /// place is also nil if a damaged file couldn't be moved aside yet. Then it is unchanged, and every write tries that
  /// first.
  public let setAside: URL?

  /// The changes that were found, in words.
  private let found: String

  /// The ranges of bytes that belong to no intact record and were dropped.
  ///
  /// At the end of the file, such bytes are usually an unacknowledged record that the process was writing when it
  /// ended. Elsewhere, the device or another program has damaged the file, and changes may be lost. If nothing in the
  /// file was readable, its bytes aren't counted.
  package let damage: [Range<Int>]

  /// The reason why something intact couldn't be read, in words.
  package let readError: String?

  package init(
    found: String, hasUnfinishedChanges: Bool, damage: [Range<Int>] = [], readError: String?, setAside: URL?
  ) {
    (self.found, self.hasUnfinishedChanges) = (found, hasUnfinishedChanges)
    (self.damage, self.readError, self.setAside) = (damage, readError, setAside)
  }

  /// The details in words.
  public var description: String {
    var parts = [found]
    if !damage.isEmpty {
      let byteCount = damage.reduce(0) { $0 + $1.count }
      parts.append("\(byteCount) bytes damaged and dropped at \(damage.map(\.lowerBound))")
    }
    if let readError { parts.append(readError) }
    if let setAside { parts.append("every byte is kept at \(setAside.path(percentEncoded: false))") }
    return parts.joined(separator: ", ")
  }
}
